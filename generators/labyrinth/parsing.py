"""Parsing: positions to read out of a picture, and grids read out of replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth import dealing, puzzles
from facelet.generators.labyrinth.board import CELLS, SIDE, SPARE, Board
from facelet.generators.labyrinth.puzzles import OBJECTS, Look, Objects
from facelet.generators.labyrinth.treasures import LETTERS

View = Literal["visual", "overlay"]


@dataclass(frozen=True, slots=True)
class ParsingParams:
    """Knobs.

    Attributes:
        setting: "visual", or "overlay" (names and positions on the tiles).
        objects: treasures shown: "target" alone, or "all".
        opacity: strength of the texture of the tiles in per cent; 0 to 100.
    """

    setting: View = "visual"
    objects: Objects = "all"
    opacity: int = 50

    def validate(self) -> None:
        """Raise ValueError naming the knob, its value and what is allowed."""
        check_choice("setting", self.setting, get_args(View))
        check_choice("objects", self.objects, OBJECTS)
        check_range("opacity", self.opacity, 0, 100)

    def difficulty(self) -> Difficulty:
        """Return the number of boards to read, one."""
        return Difficulty("boards", 1, "b1")


@dataclass(frozen=True, slots=True)
class Position:
    """A position to be read, and how it is shown.

    Attributes:
        board: the position.
        target: the letter of the target treasure, which lies on the board.
        look: how it is shown.
    """

    board: Board
    target: str
    look: Look


COLUMNS: tuple[Column, ...] = (*puzzles.BOARD_COLUMNS, *puzzles.LOOK_COLUMNS)


def make(params: ParsingParams, draw: Draw) -> Position:
    """Return a random position."""
    board = dealing.deal(draw.rng)
    letters = [letter for letter in LETTERS if board.place(letter) != SPARE]
    target = letters[int(draw.rng.integers(len(letters)))]
    return Position(board, target, Look(params.setting, params.objects, params.opacity))


def encode(position: Position) -> dict[str, Any]:
    """Return the typed columns of a position."""
    board = puzzles.encode_board(position.board, position.target)
    return {**board, **puzzles.encode_look(position.look)}


def decode(row: Mapping[str, Any]) -> Position:
    """Return the position that a row holds."""
    return Position(puzzles.decode_board(row), row["target"], puzzles.decode_look(row))


_BLANKS = re.compile(r"[\s'\"`*\u2018\u2019\u201c\u201d]+")


def read_grid(text: str, token: str) -> tuple[str, ...] | None:
    """Return the 49 tokens of the last grid in a text, row by row.

    A grid is seven rows of seven tokens with nothing but brackets, commas, bars and blanks between
    them; a run of more or fewer rows is none.

    Args:
        text: what may hold a grid.
        token: a regular expression for one token, without groups.
    """
    plain = _BLANKS.sub(" ", text)
    row = re.compile(rf"(?<![\w-]){token}(?:[ ,|]{{1,4}}{token}){{{SIDE - 1}}}(?![\w-])")
    between = re.compile(r"[ ,;|\[\](){}]*")
    run: list[str] = []
    end = 0
    for found in row.finditer(plain):
        if not between.fullmatch(plain, end, found.start()):
            run = []
        run += re.findall(token, found[0])
        end = found.end()
    return tuple(run) if len(run) == CELLS else None
