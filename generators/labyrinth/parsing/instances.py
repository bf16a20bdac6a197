"""Instances of parsing: a board to be read off a picture, and how a row holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth.board import columns, dealing
from facelet.generators.labyrinth.board.boards import SPARE, Board
from facelet.generators.labyrinth.board.treasures import LETTERS
from facelet.generators.labyrinth.showing import displays
from facelet.generators.labyrinth.showing.displays import OBJECTS, Display, Objects

Setting = Literal["visual", "overlay"]


@dataclass(frozen=True, slots=True)
class Params:
    """Params of the task.

    Attributes:
        setting: "visual", or "overlay" (names and positions on the tiles).
        objects: treasures shown: "target" alone, or "all".
        opacity: strength of the texture of the tiles in per cent; 0 to 100.
    """

    setting: Setting = "visual"
    objects: Objects = "all"
    opacity: int = 50

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        check_choice("setting", self.setting, get_args(Setting))
        check_choice("objects", self.objects, OBJECTS)
        check_range("opacity", self.opacity, 0, 100)

    def difficulty(self) -> Difficulty:
        """Return the number of boards to read, one."""
        return Difficulty("boards", 1, "b1")


@dataclass(frozen=True, slots=True)
class Instance:
    """A board to be read, and how it is shown.

    Attributes:
        board: the board.
        target: the letter of the target treasure, which lies on the board.
        display: how it is shown.
    """

    board: Board
    target: str
    display: Display


COLUMNS: tuple[Column, ...] = (*columns.COLUMNS, *displays.COLUMNS)


def make(params: Params, draw: Draw) -> Instance:
    """Return a random board."""
    board = dealing.deal(draw.rng)
    letters = [letter for letter in LETTERS if board.place(letter) != SPARE]
    target = letters[int(draw.rng.integers(len(letters)))]
    return Instance(board, target, Display(params.setting, params.objects, params.opacity))


def encode(instance: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    board = columns.encode(instance.board, instance.target)
    return {**board, **displays.encode(instance.display)}


def decode(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(columns.decode(row), row["target"], displays.decode(row))
