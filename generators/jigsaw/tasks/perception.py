"""Perception: one piece in a picture, to be read as a 5 x 5 array. MARBLE, 3.2 and D.2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.array import read_grid
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Column, Difficulty, Outcome, Status
from facelet.generators.jigsaw.geometry.cube_surface import draw_pieces, draw_view
from facelet.generators.jigsaw.geometry.pieces import (
    BORDER,
    RING,
    SIDE,
    canonical_piece,
    format_piece,
    list_allowed_orientations,
    orient_piece,
    parse_piece,
    piece_rows,
)
from facelet.renderers.scenes.jigsaw import JigsawPieces, View

WIDTH = 480
"""Width of the picture in pixels."""


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Params of the task."""

    loose_corners: bool = param(
        False, "whether a corner cell may touch its piece by a diagonal only"
    )

    def difficulty(self) -> Difficulty:
        """Return the number of pieces to read, one."""
        return Difficulty("pieces", 1, "p1")


@dataclass(frozen=True, slots=True)
class Instance:
    """A piece and the camera that sees it."""

    piece: int
    view: View


class Perception(QuestionTask[Params, Instance]):
    """The task; see the module.

    Metrics of an outcome, from 0 to 1: cell_accuracy, the share of the 25 cells that are right (the
    paper's accuracy on cells); border_accuracy, that of the 16 cells that differ between pieces;
    piece_accuracy, 1 if all are.
    """

    name: ClassVar[str] = "jigsaw/perception"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        Column("piece", "string", "the piece: five rows of 0 (gap) and 1 (bump)"),
        Column("elevation", "int16", "camera elevation in degrees"),
        Column("azimuth", "int16", "camera azimuth in degrees"),
    )
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="cell_accuracy"),
        MeanOf(metric="border_accuracy"),
        MeanOf(metric="piece_accuracy"),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "corner cells are dealt at random",
            "a corner touches its piece by an edge",
            "pieces stay in one part",
            "loose_corners=true",
        ),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return that half of the border is guessed; the other cells are always filled."""
        return ExactChance((SIDE**2 - BORDER / 2) / SIDE**2, "elements")

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random piece of a random hull, turned and perhaps turned over."""
        hull = draw_pieces(draw.rng, params.loose_corners)
        piece = hull[int(draw.rng.integers(len(hull)))]
        piece = orient_piece(
            piece, int(draw.rng.integers(len(list_allowed_orientations(flips=True))))
        )
        return (Instance(piece, draw_view(draw.rng)),)

    def gold_answer(self, instance: Instance) -> str:
        """Return the array as a list of lists."""
        body = ", ".join(f"[{', '.join(row)}]" for row in piece_rows(instance.piece))
        return f"[{body}]"

    def group_key(self, instance: Instance) -> str:
        """Return the piece."""
        return format_piece(instance.piece)

    def list_shown_keys(self, instance: Instance) -> tuple[str]:
        """Return the piece, however it is turned, and whether or not it is turned over."""
        return (format_piece(canonical_piece(instance.piece, True)),)

    def reference(self, instance: Instance) -> list[str]:
        """Return the right array in the requested format."""
        return [f"{_OPENING} {self.gold_answer(instance)}"]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return nothing: the label is the piece itself."""
        return []

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        elevation, azimuth = instance.view
        return {"piece": format_piece(instance.piece), "elevation": elevation, "azimuth": azimuth}

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance of a row."""
        return Instance(parse_piece(row["piece"]), (row["elevation"], row["azimuth"]))

    def _question_prompt(self, instance: Instance) -> Prompt:
        return chat_prompt(
            _SYSTEM,
            JigsawPieces((format_piece(instance.piece),), (instance.view,), width=WIDTH),
            _USER,
        )

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        gold = tuple("".join(piece_rows(instance.piece)))
        parsed = read_piece_array(reply)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        answer = tuple(parsed.value)
        border = sum(
            answer[SIDE * row + column] == gold[SIDE * row + column] for row, column in RING
        )
        right = sum(map(str.__eq__, answer, gold))
        return Outcome(
            Status.CORRECT if answer == gold else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=answer,
            metrics={
                "cell_accuracy": right / SIDE**2,
                "border_accuracy": border / BORDER,
                "piece_accuracy": float(answer == gold),
            },
        )


_OPENING = "Here is the converted 2D array:"

_SYSTEM = "You are a careful assistant who reads pictures exactly."

_USER = f"""\
The picture shows a flat piece of 5 x 5 cells in perspective; it lies on a mat of 5 x 5 squares. \
The inner 3 x 3 cells are always filled; each of the 16 cells along the border is either filled (a \
bump) or empty (a gap). The numbers beside the piece mark its edges.

Write the piece down as a 5 x 5 array with 1 for a bump and every other filled cell and 0 for a \
gap, so that edge 1 is the left column, edge 2 the top row, edge 3 the right column and edge 4 the \
bottom row. Answer with this sentence only, where [array] is a Python list of five lists of five \
numbers, row by row from the top:
{_OPENING} [array]"""


_ROW = r"\[ ?[01](?: ?, ?[01]){4} ?\]"
_STRICT = re.compile(rf"{_OPENING} ?\[ ?{_ROW}(?: ?, ?{_ROW}){{4}} ?\]")
_BLANKS = re.compile(r"\s+")


def read_piece_array(reply: str) -> Parsed[str]:
    """Return the 25 digits of the last array of a reply.

    Lenient: the last five rows of five digits with nothing but brackets, commas and blanks between
    them; more or fewer rows in a run are no array.
    """
    shown = visible_text(reply)
    if _STRICT.fullmatch(_BLANKS.sub(" ", shown)):
        return Parsed(re.sub("[^01]", "", shown), strict=True)
    cells = read_grid(shown, "[01]", SIDE)
    return Parsed("".join(cells) if cells else None, strict=False)


TASK = Perception()
