"""Knobs that several tasks of the labyrinth share."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.task import Difficulty
from facelet.generators.labyrinth.puzzles import OBJECTS, SETTINGS, Look, Objects, Setting
from facelet.generators.labyrinth.search import LIMIT


@dataclass(frozen=True, slots=True)
class PlayParams:
    """Knobs.

    Attributes:
        turns: the fewest insertions that are needed; 0 to 4.
        setting: "visual", "overlay" (names and positions on the tiles), "symbolic" (state in
            text), "visual_symbolic" or "overlay_symbolic".
        objects: treasures shown: "target" alone, as in the paper, or "all".
        opacity: strength of the texture of the tiles in per cent; 0 to 100.
    """

    turns: int = 2
    setting: Setting = "visual"
    objects: Objects = "target"
    opacity: int = 50

    def validate(self) -> None:
        """Raise ValueError naming the knob, its value and what is allowed."""
        check_range("turns", self.turns, 0, LIMIT)
        check_choice("setting", self.setting, SETTINGS)
        check_choice("objects", self.objects, OBJECTS)
        check_range("opacity", self.opacity, 0, 100)

    def difficulty(self) -> Difficulty:
        """Return the fewest turns."""
        return Difficulty("minimal_turns", self.turns, f"t{self.turns}")

    def look(self) -> Look:
        """Return how puzzles are shown."""
        return Look(self.setting, self.objects, self.opacity)
