"""Instances of parsing: a board to be read off a picture, and how a row holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.columns import columns_of, decoder, encoder
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth.board import columns, dealing
from facelet.generators.labyrinth.board.boards import SPARE, Board
from facelet.generators.labyrinth.board.treasures import LETTERS
from facelet.generators.labyrinth.showing.displays import Display, Objects

Setting = Literal["visual", "overlay"]


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Params of the task."""

    setting: Setting = param("visual", "picture, with or without names and positions (overlay)")
    objects: Objects = param("all", "treasures shown: the target alone, or all")
    opacity: int = param(
        50, "strength of the texture of the tiles in per cent", low=0, high=100, look=True
    )

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


COLUMNS: tuple[Column, ...] = (*columns.COLUMNS, *columns_of(Display))


def make(params: Params, draw: Draw) -> Instance:
    """Return a random board."""
    board = dealing.deal(draw.rng)
    letters = [letter for letter in LETTERS if board.place(letter) != SPARE]
    target = letters[int(draw.rng.integers(len(letters)))]
    return Instance(board, target, Display(params.setting, params.objects, params.opacity))


def encode(instance: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    board = columns.encode(instance.board, instance.target)
    return {**board, **encoder(Display)(instance.display)}


def decode(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(columns.decode(row), row["target"], decoder(Display)(row))
