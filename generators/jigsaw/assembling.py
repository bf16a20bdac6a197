"""Assembling: what the two assembly tasks share, which differ in the defaults of their knobs.

Every knob may be moved in both, so each spans the whole grid between the paper's two settings:
1 to 6 pieces missing, with or without flips, pictures or arrays (MARBLE, 2.2 and 3.2, F.4.1). Two
cells of one task that differ in flips, modality or feedback alone draw the same hulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance import Chance, FromRows
from facelet.generators.core.measures import Measure
from facelet.generators.core.params import check_choice, check_flag, check_range
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Difficulty, Reject, Task
from facelet.generators.jigsaw import dealing, puzzles, solver, views, wording
from facelet.generators.jigsaw.hull import FACES
from facelet.generators.jigsaw.placement_answers import lines
from facelet.generators.jigsaw.puzzles import FEEDBACKS, MODALITIES, Feedback, Modality, Puzzle
from facelet.generators.jigsaw.refinement import MEASURES, Refinement

MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Knobs:
    """Knobs.

    Attributes:
        missing: pieces left to place; 1 to 6. The prompt tells where the others are.
        flips: whether pieces may be turned over; if so, half of them are.
        modality: how the prompt shows the pieces: "images" or "arrays".
        feedback: what the player is told after a wrong answer: "none" (one answer only),
            "binary" (that it is wrong) or "detailed" (which edges and corners are in conflict).
        rounds: answers that the player may give when there is feedback; 2 to 20.
        unique: whether only puzzles with exactly one assembly are kept.
        twins: whether two pieces may be equal under the allowed moves. They can change places, so
            they come up only where `unique` is false.
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
        """Raise ValueError naming the knob, its value and what is allowed."""
        check_range("missing", self.missing, 1, len(FACES))
        check_choice("modality", self.modality, MODALITIES)
        check_choice("feedback", self.feedback, FEEDBACKS)
        check_range("rounds", self.rounds, 2, MAX_ROUNDS)
        for name in ("flips", "unique", "twins", "loose_corners"):
            check_flag(name, getattr(self, name))

    def difficulty(self) -> Difficulty:
        """Return the number of missing pieces."""
        return Difficulty("missing_pieces", self.missing, f"m{self.missing}")


def make(knobs: Knobs, draw: Draw) -> Puzzle:
    """Return a random puzzle.

    Raises:
        Reject: two pieces are twins, or the assembly is not unique.
    """
    rng = draw.rng
    pieces, solution = dealing.shuffle(rng, dealing.deal(rng, knobs.loose_corners), knobs.flips)
    order = rng.permutation(len(FACES)).tolist()
    given = tuple((index, solution[index]) for index in sorted(order[knobs.missing :]))
    if not knobs.twins and not dealing.distinct(pieces, knobs.flips):
        raise Reject("two pieces are equal under the allowed moves")
    assemblies = len(solver.solve(pieces, knobs.flips, dict(given)))
    if knobs.unique and assemblies != 1:
        raise Reject(f"there are {assemblies} assemblies")
    pictured = knobs.modality == "images"
    return Puzzle(
        pieces=pieces,
        flips=knobs.flips,
        given=given,
        solution=solution,
        assemblies=assemblies,
        modality=knobs.modality,
        views=tuple(views.draw(rng) for _ in FACES) if pictured else (),
        feedback=knobs.feedback,
        rounds=1 if knobs.feedback == "none" else knobs.rounds,
    )


class Assembling(Task[Knobs, Puzzle]):
    """Base of the two tasks; they add their name and their knobs.

    An answer is right when it closes the cube, however the cube is held, also when it moves given
    pieces along; turning pieces over where that is not allowed is illegal.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    params: ClassVar[type[Knobs]]
    columns: ClassVar[tuple[Column, ...]] = puzzles.COLUMNS
    measures: ClassVar[tuple[Measure, ...]] = MEASURES

    def chance(self, params: Knobs) -> Chance:
        """Return that each row says its own."""
        return FromRows()

    def generate(self, params: Knobs, draw: Draw, resource: Any) -> tuple[Puzzle, ...]:
        """Return one puzzle."""
        return (make(params, draw),)

    def open(self, instance: Puzzle) -> Refinement:
        """Return the episode, of one round or several."""
        return Refinement(instance)

    def gold(self, instance: Puzzle) -> str:
        """Return the reference, six lines."""
        return lines(instance.solution)

    def group(self, instance: Puzzle) -> str:
        """Return the pieces up to order and allowed moves."""
        return instance.canonical

    def reference(self, instance: Puzzle) -> list[str]:
        """Return the reference in the requested format."""
        return [wording.solved(instance)]

    def check(self, instance: Puzzle) -> list[str]:
        """Return what is false about the reference or the number of assemblies."""
        return puzzles.faults(instance)

    def encode(self, instance: Puzzle) -> dict[str, Any]:
        """Return the typed columns."""
        return puzzles.encode(instance)

    def decode(self, row: Mapping[str, Any]) -> Puzzle:
        """Return the puzzle that a row holds."""
        return puzzles.decode(row)
