"""The five settings in which a board is shown, its picture, and their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.core.row_schema import column
from facelet.generators.labyrinth.board.board_engine import EMPTY, Board
from facelet.renderers.scenes.labyrinth import LabyrinthBoard

Setting = Literal["visual", "overlay", "symbolic", "visual_symbolic", "overlay_symbolic"]
"""What the player sees: the picture, with or without names and positions on its tiles, and the
state in text (MARBLE, figure 15)."""
Objects = Literal["target", "all"]
"""Which treasures are shown: the target alone, as in the paper, or all."""


@dataclass(frozen=True, slots=True)
class Display:
    """How a board is shown."""

    setting: Setting = column("what the player sees: picture, overlay, state in text")
    objects: Objects = column("treasures shown: target or all")
    opacity: int = column("strength of the texture of the tiles in per cent", type="int8")

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture."""
        return self.setting != "symbolic"

    @property
    def has_overlay(self) -> bool:
        """Whether the tiles in it carry their names and positions."""
        return self.setting.startswith("overlay")

    @property
    def has_state_text(self) -> bool:
        """Whether the state is in the text."""
        return self.setting.endswith("symbolic")


def visible_treasures(board: Board, target: str, objects: Objects) -> str:
    """Return the treasures that the player sees: 50 letters, "-" where there is none.

    Args:
        board: the board.
        target: the letter of the target.
        objects: whether all treasures are shown, or the target alone.
    """
    if objects == "all":
        return board.treasures
    return "".join(letter if letter == target else EMPTY for letter in board.treasures)


def board_scene(board: Board, target: str, display: Display) -> LabyrinthBoard:
    """Return the picture of a board.

    Args:
        board: the board.
        target: the letter of the target.
        display: how it is shown.
    """
    return LabyrinthBoard(
        tiles=board.tiles,
        treasures=visible_treasures(board, target, display.objects),
        pawn=board.pawn,
        target=target,
        overlay=display.has_overlay,
        opacity=display.opacity,
    )
