"""Play an assembly: its prompts, one round or several with feedback, and its metrics (MARBLE, D.2).

The last answer counts. Each metric compares an answer with one right answer, piece by piece: the
face, the left edge and the top edge. The cube can be held in 24 ways, and mirrored where pieces may
be turned over, so most right answers differ from the reference nearly everywhere. So there are
metrics against the nearest right answer besides those of the paper, which compare with the
reference only.

Metrics of an outcome (MARBLE, F.5.1); all but the last two lines describe the last answer and are
missing if it was not readable:

    edit_distance               entries (face, left edge, top edge) that differ from the nearest
                                right answer; 0 to 18
    correct_faces               pieces on the right face of the nearest right answer; 0 to 6
    rotation_correct            share of these pieces with both edges right; left out if there are
                                none; its mean is weighted by their number
    reference_edit_distance, reference_correct_faces, reference_rotation_correct
                                the same against the reference alone, as in the paper
    connectivity_violations     edges of the cube whose two pieces do not interlock; 0 to 12
    corner_conflicts            corners that are empty or filled more than once; 0 to 8
    rounds                      answers given
    round_1_accuracy ... round_5_accuracy
                                1 if one of the first answers up to this one closed the cube
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.core.measures import MeanOf, WeightedMeanOf
from facelet.generators.core.prompts import Message, Prompt, TextPart, chat_prompt
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.jigsaw.assemblies.solver import Assembly, find_assemblies
from facelet.generators.jigsaw.assemblies.validator import (
    LETTERS,
    Findings,
    describe_conflicts,
    find_conflicts,
    find_rule_breaches,
)
from facelet.generators.jigsaw.assembly_task.instances import Instance
from facelet.generators.jigsaw.assembly_task.replies import (
    OPENING,
    format_line,
    format_lines,
    format_placement,
    read_placements,
)
from facelet.generators.jigsaw.geometry.cube_surface import (
    CORNERS,
    JOINTS,
    Placement,
    answer_symmetries,
)
from facelet.generators.jigsaw.geometry.pieces import piece_rows

_SYSTEM = "You are a careful assistant who solves spatial puzzles exactly."

_RULES = """\
Six flat pieces make a hollow cube of 5 x 5 x 5 cells, one piece for each face. A piece is one \
cell thick and spans 5 x 5 cells: the inner 3 x 3 are always filled, and each of the 16 cells \
along the border is either filled (a bump) or empty (a gap). The four edges of a piece are \
numbered 1 to 4.

{shown}

Put one piece on each face of the cube. {moves} At each of the cube's edges, the three inner cells \
of the two pieces must interlock: where one has a bump, the other has a gap. At each of the eight \
corners, exactly one of the three pieces that meet there must fill the corner cell.

The faces are Top, Bottom, Left, Right, Front and Back. Write (face, left edge, top edge) for \
where a piece lies: look at that face from outside and name the piece's own edges that you then \
see on the left and on the top. Look at Front, Right, Back and Left with Top up, at Top with Back \
up, at Bottom with Front up. For example, A: (Back, {left}, {top}) would say that piece A is on \
the Back face and that, with Back towards you, its edge {left} is on the left and its edge {top} \
on the top. The two edges must be neighbours on the piece. {pairs}"""

_SHOWN = {
    "images": (
        "The picture shows the pieces A to F, each lying on a mat of 5 x 5 squares and seen from a "
        "viewpoint of its own, with the numbers of its edges beside it."
    ),
    "arrays": (
        "Further down are the pieces A to F as arrays; 0 is a gap and 1 is a bump. Edge 1 is the "
        "left column, edge 2 the top row, edge 3 the right column, edge 4 the bottom row."
    ),
}
_MOVES = {
    True: (
        "Pieces may be turned, and turned over: the side that you are shown faces outwards or "
        "inwards."
    ),
    False: (
        "Pieces may be turned but not turned over: the side that you are shown faces outwards."
    ),
}
_PAIRS = {
    True: (
        "With (1, 2), (2, 3), (3, 4) and (4, 1) the piece is only turned; with (2, 1), (3, 2), "
        "(4, 3) and (1, 4) it is turned over as well."
    ),
    False: "So the pairs that are allowed are (1, 2), (2, 3), (3, 4) and (4, 1).",
}

EXAMPLE = {True: Placement("Back", 2, 1), False: Placement("Back", 2, 3)}
"""The placement that explains the notation, with and without flips."""

_CLOSING = f"""\
Any assembly that closes the cube counts. Reason as long as you need; then end with the words \
"{OPENING}" and one line for each of the six pieces, in exactly this form:
{OPENING}
A: (face, left edge, top edge)
B: (face, left edge, top edge)
C: (face, left edge, top edge)
D: (face, left edge, top edge)
E: (face, left edge, top edge)
F: (face, left edge, top edge)"""

_ROUNDS = {
    "binary": "You have {rounds} tries. After a wrong answer you are told that it is wrong.",
    "detailed": (
        "You have {rounds} tries. After a wrong answer you are told which edges and corners of the "
        "cube are in conflict."
    ),
}


def first_prompt(puzzle: Instance) -> Prompt:
    """Return the first prompt of an instance."""
    rules = _RULES.format(
        shown=_SHOWN[puzzle.modality],
        moves=_MOVES[puzzle.flips],
        pairs=_PAIRS[puzzle.flips],
        **EXAMPLE[puzzle.flips]._asdict(),
    )
    blocks: list[str] = []
    if puzzle.modality == "arrays":
        blocks += map(_piece_array, LETTERS, puzzle.pieces)
    if puzzle.given:
        given_lines = "\n".join(format_line(LETTERS[index], place) for index, place in puzzle.given)
        blocks.append(
            f"These pieces are in place already; find where the others go:\n{given_lines}"
        )
    blocks.append(_CLOSING)
    if puzzle.feedback != "none":
        blocks.append(_ROUNDS[puzzle.feedback].format(rounds=puzzle.rounds))
    if puzzle.modality == "images":
        return chat_prompt(_SYSTEM, rules, puzzle.build_scene(), "\n\n".join(blocks))
    return chat_prompt(_SYSTEM, "\n\n".join([rules, *blocks]))


def _piece_array(letter: str, piece: int) -> str:
    """Return a piece as a list of five lists, one a line."""
    body = ",\n ".join(f"[{', '.join(row)}]" for row in piece_rows(piece))
    return f"Piece {letter}:\n[{body}]"


def unreadable_prompt(puzzle: Instance, left: int) -> Prompt:
    """Return the prompt after a reply without a readable answer.

    Args:
        puzzle: the instance.
        left: number of tries that are left.
    """
    example = format_line(LETTERS[0], EXAMPLE[puzzle.flips])
    form = f'End with "{OPENING}" and six lines such as {example}, one for each piece.'
    return _feedback_prompt(f"No answer could be read. {form}", left)


def rejection_prompt(remarks: Sequence[str], left: int) -> Prompt:
    """Return the prompt after a wrong answer.

    Args:
        remarks: conflicts in words; none in binary feedback.
        left: number of tries that are left.
    """
    text = "This answer is not right."
    if remarks:
        text += "\n" + "\n".join(f"- {remark}" for remark in remarks)
    return _feedback_prompt(text, left)


def _feedback_prompt(text: str, left: int) -> Prompt:
    tries = "This is your last try." if left == 1 else f"You have {left} tries left."
    return Prompt((Message("user", (TextPart(f"{text}\n{tries} Give all six lines again."),)),))


def reference_reply(puzzle: Instance) -> str:
    """Return the reply of a player that knows the reference."""
    return f"{OPENING}\n{format_lines(puzzle.solution)}"


MAX_DISTANCE = 18
"""Three entries for each of six pieces."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """An answer compared with one right answer.

    Attributes:
        distance: entries (face, left edge, top edge) that differ; 0 to 18.
        faces: pieces on the right face; 0 to 6.
        rotations: those of them whose left and top edge are both right.
    """

    distance: int
    faces: int
    rotations: int


def measure_closeness(answer: Sequence[Placement], right: Sequence[Placement]) -> Closeness:
    """Return how close an answer is to one right answer.

    Args:
        answer: placements of the six pieces.
        right: those of the right answer.
    """
    distance = faces = rotations = 0
    for given, wanted in zip(answer, right, strict=True):
        wrong = sum(map(operator.ne, given, wanted))
        distance += wrong
        if given.face == wanted.face:
            faces += 1
            rotations += not wrong
    return Closeness(distance, faces, rotations)


def nearest_answer(answer: Sequence[Placement], right: Iterable[Assembly]) -> Closeness:
    """Return how close an answer is to the nearest of several; among equals, most right faces.

    Args:
        answer: placements of the six pieces.
        right: right answers; at least one.
    """
    return min(
        (measure_closeness(answer, one) for one in right),
        key=lambda close: (close.distance, -close.faces, -close.rotations),
    )


def right_answers(assemblies: Sequence[Assembly], flips: bool) -> Iterator[Assembly]:
    """Yield all right answers: every assembly, held in every allowed way.

    Args:
        assemblies: what `solver.find_assemblies` found with no piece given.
        flips: whether mirror images of an assembly are right answers too.
    """
    for symmetry in answer_symmetries(flips):
        yield from (tuple(map(symmetry.move_placement, assembly)) for assembly in assemblies)


@lru_cache(maxsize=64)
def list_accepted_answers(pieces: tuple[int, ...], flips: bool) -> tuple[Assembly, ...]:
    """Return all answers that close the cube: every assembly, held in every allowed way."""
    return tuple(right_answers(find_assemblies(pieces, flips), flips))


CURVE = 5
"""Rounds for which the accuracy is given, as in the paper's figure 13."""

MEASURES = (
    MeanOf(metric="edit_distance", default=MAX_DISTANCE, share=False),
    MeanOf(metric="correct_faces", share=False),
    WeightedMeanOf(metric="rotation_correct", weight="correct_faces"),
    MeanOf(metric="reference_edit_distance", default=MAX_DISTANCE, share=False),
    MeanOf(metric="reference_correct_faces", share=False),
    WeightedMeanOf(metric="reference_rotation_correct", weight="reference_correct_faces"),
    MeanOf(metric="connectivity_violations", default=len(JOINTS), share=False),
    MeanOf(metric="corner_conflicts", default=len(CORNERS), share=False),
    *(MeanOf(metric=f"round_{number}_accuracy") for number in range(1, CURVE + 1)),
)


class AssemblyEpisode(Episode):
    """The episode; see the module."""

    def __init__(self, puzzle: Instance) -> None:
        """Begin with the first round."""
        self._puzzle = puzzle
        self._round = 0
        self._strict = True
        self._now: Prompt | None = None

    @property
    def takes_one_reply(self) -> bool:
        """Whether there is one round."""
        return self._puzzle.rounds == 1

    def prompt(self) -> Prompt:
        """Return the question, or the feedback on the last answer."""
        return first_prompt(self._puzzle) if self._now is None else self._now

    def reply(self, text: str) -> Prompt | Outcome:
        """Judge an answer; go on if it is wrong and a try is left."""
        puzzle = self._puzzle
        parsed = read_placements(text)
        self._round += 1
        self._strict &= parsed.strict
        left = puzzle.rounds - self._round
        answer = parsed.value
        if answer is None:
            if left > 0:
                self._now = unreadable_prompt(puzzle, left)
                return self._now
            return self._build_outcome(Status.UNPARSED, ())
        broken = find_rule_breaches(answer, puzzle.flips)
        findings = find_conflicts(puzzle.pieces, answer)
        if broken:
            status = Status.ILLEGAL
        else:
            status = Status.CORRECT if findings.is_closed else Status.WRONG
        if status is not Status.CORRECT and left > 0:
            remarks = broken or describe_conflicts(answer, findings)
            self._now = rejection_prompt(remarks if puzzle.feedback == "detailed" else (), left)
            return self._now
        return self._build_outcome(status, answer, findings)

    def _build_outcome(
        self, status: Status, answer: tuple[Placement, ...], findings: Findings | None = None
    ) -> Outcome:
        puzzle = self._puzzle
        solved = status is Status.CORRECT
        metrics = {
            f"round_{number}_accuracy": float(solved and self._round <= number)
            for number in range(1, CURVE + 1)
        }
        metrics["rounds"] = self._round
        if findings is not None:
            right = list_accepted_answers(puzzle.pieces, puzzle.flips)
            metrics |= _closeness_metrics(nearest_answer(answer, right), "")
            metrics |= _closeness_metrics(measure_closeness(answer, puzzle.solution), "reference_")
            metrics["connectivity_violations"] = len(findings.edges)
            metrics["corner_conflicts"] = len(findings.corners)
        return Outcome(
            status,
            self._strict,
            gold=tuple(map(format_placement, puzzle.solution)),
            answer=tuple(map(format_placement, answer)),
            metrics=metrics,
        )


def _closeness_metrics(close: Closeness, prefix: str) -> dict[str, float]:
    figures = {
        f"{prefix}edit_distance": float(close.distance),
        f"{prefix}correct_faces": float(close.faces),
    }
    if close.faces:
        figures[f"{prefix}rotation_correct"] = close.rotations / close.faces
    return figures
