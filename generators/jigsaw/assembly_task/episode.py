"""Play an assembly: one round, or several with feedback (MARBLE, D.2).

The last answer counts. Metrics of an outcome (MARBLE, F.5.1); all but the last two lines describe
the last answer and are missing if it was not readable:

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

from facelet.generators.core.measures import MeanOf, WeightedMeanOf
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.jigsaw.assemblies import answer_distance
from facelet.generators.jigsaw.assemblies.answer_distance import (
    MAX_DISTANCE,
    Closeness,
    list_accepted_answers,
)
from facelet.generators.jigsaw.assemblies.validator import (
    Findings,
    describe_conflicts,
    find_conflicts,
    find_rule_breaches,
)
from facelet.generators.jigsaw.assembly_task import prompts
from facelet.generators.jigsaw.assembly_task.instances import Instance
from facelet.generators.jigsaw.assembly_task.replies import format_placement, read_placements
from facelet.generators.jigsaw.geometry.cube_surface import CORNERS, JOINTS, Placement

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
        return prompts.first_prompt(self._puzzle) if self._now is None else self._now

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
                self._now = prompts.unreadable_prompt(puzzle, left)
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
            self._now = prompts.rejection_prompt(
                remarks if puzzle.feedback == "detailed" else (), left
            )
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
            metrics |= _closeness_metrics(answer_distance.nearest_answer(answer, right), "")
            metrics |= _closeness_metrics(
                answer_distance.measure_closeness(answer, puzzle.solution), "reference_"
            )
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
