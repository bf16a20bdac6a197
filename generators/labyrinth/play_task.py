"""What the two playing tasks share: knobs, columns, making and checking puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.chance import Chance, FromRows
from facelet.generators.core.measures import Measure
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task, Traits
from facelet.generators.labyrinth import judging, puzzles
from facelet.generators.labyrinth.actions import write_turn
from facelet.generators.labyrinth.knobs import PlayParams
from facelet.generators.labyrinth.puzzles import Puzzle


class PlayTask(Task[PlayParams, Puzzle]):
    """A task whose instances are puzzles; a subclass adds its name, its prompts and its replies."""

    params: ClassVar[type[PlayParams]] = PlayParams
    columns: ClassVar[tuple[Column, ...]] = puzzles.COLUMNS
    traits: ClassVar[Traits] = Traits(simulated=True)
    measures: ClassVar[tuple[Measure, ...]] = judging.MEASURES

    def chance(self, params: PlayParams) -> Chance:
        """Return that each row says its own."""
        return FromRows()

    def generate(self, params: PlayParams, draw: Draw, resource: Any) -> tuple[Puzzle, ...]:
        """Return a random puzzle of the wanted number of turns."""
        return (puzzles.make(params.turns, params.look(), draw.rng),)

    def gold(self, instance: Puzzle) -> str:
        """Return the reference, a turn a line; any other plan that works is as good."""
        return "\n".join(map(write_turn, instance.solution))

    def group(self, instance: Puzzle) -> str:
        """Return the board."""
        return puzzles.canonical(instance.board)

    def check(self, instance: Puzzle) -> list[str]:
        """Return what is false; the fewest turns and all counts are searched anew."""
        return puzzles.puzzle_faults(instance)

    def encode(self, instance: Puzzle) -> dict[str, Any]:
        """Return the typed columns."""
        return puzzles.encode(instance)

    def decode(self, row: Mapping[str, Any]) -> Puzzle:
        """Return the puzzle that a row holds."""
        return puzzles.decode(row)
