"""Instances of assembling: params, six pieces and what is given, and how a row holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.params import check_choice, check_flag, check_range
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assemblies.solver import Assembly
from facelet.generators.jigsaw.assemblies.validator import LETTERS, breaches, closes
from facelet.generators.jigsaw.assembling.replies import label, line, parse_label
from facelet.generators.jigsaw.geometry import pieces as shapes
from facelet.generators.jigsaw.geometry.hull import FACES, Placement
from facelet.renderers.scenes.jigsaw import JigsawPieces, View

Modality = Literal["images", "arrays"]
MODALITIES: tuple[Modality, ...] = ("images", "arrays")
Feedback = Literal["none", "binary", "detailed"]
FEEDBACKS: tuple[Feedback, ...] = ("none", "binary", "detailed")
MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Params:
    """Params of the task.

    Attributes:
        missing: pieces left to place; 1 to 6. The prompt tells where the others are.
        flips: whether pieces may be turned over; if so, half of them are.
        modality: how the prompt shows the pieces: "images" or "arrays".
        feedback: what the player is told after a wrong answer: "none" (one answer only),
            "binary" (that it is wrong) or "detailed" (which edges and corners are in conflict).
        rounds: answers that the player may give when there is feedback; 2 to 20.
        unique: whether only puzzles with exactly one assembly are kept.
        twins: whether two pieces may be equal under the allowed moves. Such pieces can change
            places, so they occur only where `unique` is false.
        loose_corners: whether a piece's corner cell may touch the rest by a diagonal only.
    """

    missing: int = 6
    flips: bool = True
    modality: Modality = "images"
    feedback: Feedback = "none"
    rounds: int = 5
    unique: bool = True
    twins: bool = False
    loose_corners: bool = False

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        check_range("missing", self.missing, 1, len(FACES))
        check_choice("modality", self.modality, MODALITIES)
        check_choice("feedback", self.feedback, FEEDBACKS)
        check_range("rounds", self.rounds, 2, MAX_ROUNDS)
        for name in ("flips", "unique", "twins", "loose_corners"):
            check_flag(name, getattr(self, name))

    def difficulty(self) -> Difficulty:
        """Return the number of missing pieces."""
        return Difficulty("missing_pieces", self.missing, f"m{self.missing}")


@dataclass(frozen=True, slots=True)
class Instance:
    """An assembly puzzle.

    Attributes:
        pieces: pieces A to F as they are shown, see facelet.generators.jigsaw.geometry.pieces.
        flips: whether pieces may be turned over.
        given: the pieces that the prompt puts in place: index, ascending, and placement.
        solution: a right answer, the reference.
        assemblies: how many assemblies there are, counted as the solver says.
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
    def missing(self) -> int:
        """Number of pieces that are left to place."""
        return len(self.pieces) - len(self.given)

    @property
    def canonical(self) -> str:
        """A key of the six pieces, whatever their order and orientation."""
        return canonical(self.pieces, self.flips)

    @property
    def search_space(self) -> int:
        """Number of answers that keep the given pieces."""
        return solver.search_space(self.missing, self.flips)

    @property
    def chance(self) -> float:
        """Share of them that are right: the accuracy of a player that draws one uniformly."""
        right = solver.count_right(self.assemblies, self.missing, self.flips)
        return right / self.search_space

    def scene(self) -> JigsawPieces:
        """Return the picture of the pieces."""
        return JigsawPieces(tuple(map(shapes.text, self.pieces)), self.views, LETTERS)


def canonical(pieces: tuple[int, ...], flips: bool) -> str:
    """Return the sorted least forms of some pieces, four hexadecimal digits each."""
    return "-".join(f"{least:04x}" for least in sorted(shapes.canonical(p, flips) for p in pieces))


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
    Column("search_space", "int64", "answers that keep the given pieces"),
    Column("chance", "float64", "share of the search space that is right", role="chance"),
    Column("modality", "string", "how the prompt shows the pieces: images or arrays"),
    Column("elevations", "list<int16>", "camera elevation of each piece in degrees"),
    Column("azimuths", "list<int16>", "camera azimuth of each piece in degrees"),
    Column("feedback", "string", "what a wrong answer is told: none, binary or detailed"),
    Column("rounds", "int8", "answers that the player may give"),
    Column("canonical", "string", "the pieces up to order and allowed moves", role="canonical"),
)


def encode(puzzle: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        "pieces": list(map(shapes.text, puzzle.pieces)),
        "flips": puzzle.flips,
        "missing": puzzle.missing,
        "given": [line(LETTERS[index], place) for index, place in puzzle.given],
        "solution": list(map(label, puzzle.solution)),
        "solutions": puzzle.assemblies,
        "search_space": puzzle.search_space,
        "chance": puzzle.chance,
        "modality": puzzle.modality,
        "elevations": [elevation for elevation, _ in puzzle.views],
        "azimuths": [azimuth for _, azimuth in puzzle.views],
        "feedback": puzzle.feedback,
        "rounds": puzzle.rounds,
        "canonical": puzzle.canonical,
    }


def decode(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(
        pieces=tuple(map(shapes.parse, row["pieces"])),
        flips=row["flips"],
        given=tuple(map(_given, row["given"])),
        solution=tuple(map(parse_label, row["solution"])),
        assemblies=row["solutions"],
        modality=row["modality"],
        views=tuple(zip(row["elevations"], row["azimuths"], strict=True)),
        feedback=row["feedback"],
        rounds=row["rounds"],
    )


def _given(text: str) -> tuple[int, Placement]:
    letter, place = text.split(": ")
    return LETTERS.index(letter), parse_label(place)


def faults(puzzle: Instance) -> list[str]:
    """Return what is false about an instance, in words; its assemblies are counted anew."""
    if len(puzzle.pieces) != len(FACES) or len(puzzle.solution) != len(FACES):
        return ["there are not six pieces with a placement each"]
    wrong = breaches(puzzle.solution, puzzle.flips)
    if not wrong and not closes(puzzle.pieces, puzzle.solution):
        wrong.append("the reference does not close the cube")
    indices = [index for index, _ in puzzle.given]
    if indices != sorted(set(indices)) or puzzle.missing < 1:
        wrong.append("the given pieces are not distinct, in order and fewer than six")
    if any(puzzle.solution[index] != place for index, place in puzzle.given):
        wrong.append("the reference moves a given piece")
    if not wrong:
        counted = len(solver.solve(puzzle.pieces, puzzle.flips, dict(puzzle.given)))
        if counted != puzzle.assemblies:
            wrong.append(f"there are {counted} assemblies, not {puzzle.assemblies}")
    if puzzle.modality not in MODALITIES or puzzle.feedback not in FEEDBACKS:
        wrong.append(f"unknown modality {puzzle.modality!r} or feedback {puzzle.feedback!r}")
    if len(puzzle.views) != (len(FACES) if puzzle.modality == "images" else 0):
        wrong.append("the number of views does not fit the modality")
    if (puzzle.feedback == "none") != (puzzle.rounds == 1):
        wrong.append("several rounds and feedback go together")
    return wrong
