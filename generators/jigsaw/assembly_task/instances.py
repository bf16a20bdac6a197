"""Params, instances and columns of the assembly tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.task import Column
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assemblies.solver import Assembly
from facelet.generators.jigsaw.assemblies.validator import (
    LETTERS,
)
from facelet.generators.jigsaw.geometry import pieces as shapes
from facelet.generators.jigsaw.geometry.cube_surface import FACES, Placement
from facelet.renderers.scenes.jigsaw import JigsawPieces, View

Modality = Literal["images", "arrays"]
Feedback = Literal["none", "binary", "detailed"]


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Params of the task.

    Twins can change places, so they occur only where `unique` is false.
    """

    missing: int = param(
        6,
        "pieces left to place; the prompt tells where the others are",
        low=1,
        high=len(FACES),
        axis="missing_pieces",
        label="m{}",
    )
    flips: bool = param(True, "whether pieces may be turned over; if so, half of them are")
    modality: Modality = param("images", "how the prompt shows the pieces")
    feedback: Feedback = param(
        "none",
        "what a wrong answer is told: nothing, as it was the only one; that it is wrong; or which "
        "edges and corners are in conflict",
    )
    rounds: int = param(5, "answers that the player may give with feedback", low=2, high=20)
    unique: bool = param(
        True, "whether only puzzles with one assembly are kept, up to the symmetry of single pieces"
    )
    twins: bool = param(False, "whether two pieces may be equal under the allowed moves")
    loose_corners: bool = param(
        False, "whether a corner cell may touch its piece by a diagonal only"
    )


@dataclass(frozen=True, slots=True)
class Instance:
    """An assembly puzzle.

    Attributes:
        pieces: pieces A to F as they are shown, see facelet.generators.jigsaw.geometry.pieces.
        flips: whether pieces may be turned over.
        given: the pieces that the prompt puts in place: index, ascending, and placement.
        solution: a right answer, the reference.
        assemblies: the number of assemblies, as the solver counts them.
        modality: how the prompt shows the pieces.
        views: the camera of each piece; empty for arrays.
        feedback: what the player is told after a wrong answer.
        rounds: number of answers it may give; 1 without feedback.
    """

    pieces: tuple[int, ...]
    flips: bool
    given: tuple[tuple[int, Placement], ...]
    solution: Assembly
    assemblies: int
    modality: Modality
    views: tuple[View, ...] = ()
    feedback: Feedback = "none"
    rounds: int = 1

    @property
    def missing_count(self) -> int:
        """Number of pieces that are left to place."""
        return len(self.pieces) - len(self.given)

    @property
    def canonical_key(self) -> str:
        """A key of the six pieces, whatever their order and orientation."""
        return canonical_pieces(self.pieces, self.flips)

    @property
    def distinct_count(self) -> int:
        """Number of assemblies up to the symmetry of single pieces."""
        given = dict(self.given)
        return solver.count_distinct(self.assemblies, self.pieces, self.flips, given)

    @property
    def search_space(self) -> int:
        """Number of answers that keep the given pieces."""
        return solver.search_space(self.missing_count, self.flips)

    @property
    def guess_probability(self) -> float:
        """Share of them that are right: the accuracy of a player that draws one uniformly."""
        right = solver.count_right(self.assemblies, self.missing_count, self.flips)
        return right / self.search_space

    def build_scene(self) -> JigsawPieces:
        """Return the picture of the pieces."""
        return JigsawPieces(tuple(map(shapes.format_piece, self.pieces)), self.views, LETTERS)


def canonical_pieces(pieces: tuple[int, ...], flips: bool) -> str:
    """Return the sorted least forms of some pieces, four hexadecimal digits each."""
    return "-".join(
        f"{least:04x}" for least in sorted(shapes.canonical_piece(p, flips) for p in pieces)
    )


COLUMNS: tuple[Column, ...] = (
    Column(
        "pieces",
        "list<string>",
        "pieces A to F as shown: five rows of 0 (gap) and 1 (bump)",
        role="puzzle",
    ),
    Column("flips", "bool", "whether pieces may be turned over"),
    Column("missing", "int8", "pieces left to place; the prompt tells where the others are"),
    Column("given", "list<string>", "the placements that the prompt tells"),
    Column(
        "solution",
        "list<string>",
        "the reference: face, left edge and top edge of pieces A to F",
        role="answer",
    ),
    Column("solutions", "int32", "assemblies, counted exhaustively up to moving the whole cube"),
    Column("distinct_solutions", "int32", "the same up to the symmetry of single pieces"),
    Column("search_space", "int64", "answers that keep the given pieces"),
    Column("chance", "float64", "share of the search space that is right", role="chance"),
    Column("modality", "string", "how the prompt shows the pieces: images or arrays"),
    Column("elevations", "list<int16>", "camera elevation of each piece in degrees"),
    Column("azimuths", "list<int16>", "camera azimuth of each piece in degrees"),
    Column("feedback", "string", "what a wrong answer is told: none, binary or detailed"),
    Column("rounds", "int8", "answers that the player may give"),
    Column("canonical", "string", "the pieces up to order and allowed moves", role="canonical"),
)
