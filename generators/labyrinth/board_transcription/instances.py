"""Params, instances and columns of the tasks that read a board off a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.row_schema import columns_of, make_decoder, make_encoder
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth.board import board_columns, random_boards
from facelet.generators.labyrinth.board.board_engine import SPARE, Board
from facelet.generators.labyrinth.board.treasures import LETTERS
from facelet.generators.labyrinth.presentation.displays import Display, Objects

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


COLUMNS: tuple[Column, ...] = (*board_columns.COLUMNS, *columns_of(Display))


def draw_instance(params: Params, draw: Draw) -> Instance:
    """Return a random board."""
    board = random_boards.draw_board(draw.rng)
    letters = [letter for letter in LETTERS if board.treasure_cell(letter) != SPARE]
    target = letters[int(draw.rng.integers(len(letters)))]
    return Instance(board, target, Display(params.setting, params.objects, params.opacity))


def encode_instance(instance: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    board = board_columns.encode_board(instance.board, instance.target)
    return {**board, **make_encoder(Display)(instance.display)}


def decode_instance(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(board_columns.decode_board(row), row["target"], make_decoder(Display)(row))
