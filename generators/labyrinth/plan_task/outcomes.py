"""Compute the metrics and error classes of a plan that was played (MARBLE, 3.3, F.5.2).

Metrics of an outcome:

    turn_closeness          best progress after any completed turn, 1 - turns to go / turns at the
                            start; 0 to 1
    turn_distance           turns to go after the last completed turn, at most those at the start
                            (1, where the target could be walked to)
    random_turn_closeness   mean turn closeness of as many random legal turns
                            (facelet.generators.labyrinth.plan_task.random_walk)
    plan_length             turns that the reply plans, or that were begun
    success_at_budget       1 if the target was reached by a turn that counts
    error_adjacency, error_state_update, error_insert_legality, error_shallow_planning
                            1 for each class of errors that the play shows, 0 for the others; see
                            facelet.generators.labyrinth.plan_task.referee
    first_error_adjacency, ... the same for the class of the first error alone
    offending_action        number of the first offending action, from 1; left out if there is none

The note of the outcome describes the first error.
"""

from __future__ import annotations

from facelet.generators.core.measures import MeanOf
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.plan_task.random_walk import random_closeness
from facelet.generators.labyrinth.plan_task.referee import ErrorClass, Referee
from facelet.generators.labyrinth.search.exact_search import LIMIT

MEASURES = (
    MeanOf(metric="turn_closeness"),
    MeanOf(metric="turn_distance", default=LIMIT, share=False),
    MeanOf(metric="random_turn_closeness"),
    MeanOf(metric="plan_length", share=False),
    MeanOf(metric="success_at_budget"),
    MeanOf(metric="error_adjacency"),
    MeanOf(metric="error_state_update"),
    MeanOf(metric="error_insert_legality"),
    MeanOf(metric="error_shallow_planning", default=1),
    MeanOf(metric="first_error_adjacency"),
    MeanOf(metric="first_error_state_update"),
    MeanOf(metric="first_error_insert_legality"),
    MeanOf(metric="first_error_shallow_planning", default=1),
)

REACHED, MISSED = "reached", "missed"


def start_referee(puzzle: Instance) -> Referee:
    """Return the referee of an instance before the first action."""
    return Referee.start_plan(
        puzzle.board, puzzle.target, puzzle.starts_with_insertion, puzzle.turns
    )


def _random_closeness(referee: Referee, length: int) -> float:
    """Return the mean closeness of the same number of random turns."""
    if referee.turns:
        return random_closeness(referee.turns, length)
    return 1 / len(referee.start.reachable_cells()) if length else 0.0


def build_outcome(
    referee: Referee, strict: bool, length: int, counted: int, *, unread: bool = False
) -> Outcome:
    """Return the outcome of an episode that has ended.

    Args:
        referee: the referee after the last action.
        strict: whether every reply kept the requested format.
        length: number of turns planned or begun.
        counted: those of them that count.
        unread: whether it ended on a reply without a readable action.
    """
    offence = referee.first_error()
    metrics = {
        "turn_closeness": referee.best_progress,
        "turn_distance": float(referee.turns_to_go),
        "random_turn_closeness": _random_closeness(referee, counted),
        "plan_length": float(length),
        "success_at_budget": float(referee.has_reached_target),
    }
    for error in ErrorClass:
        first = offence is not None and offence.error is error
        metrics[f"error_{error}"] = float(first or error in referee.shown)
        metrics[f"first_error_{error}"] = float(first)
    if offence is not None and offence.number:
        metrics["offending_action"] = float(offence.number)
    if referee.has_reached_target:
        status = Status.CORRECT
    elif unread:
        status = Status.UNPARSED
    else:
        status = Status.ILLEGAL if referee.offence is not None else Status.WRONG
    return Outcome(
        status,
        strict,
        gold=(REACHED,),
        answer=() if unread else (REACHED if referee.has_reached_target else MISSED,),
        metrics=metrics,
        note="" if offence is None else f"{offence.error}: {offence.text}",
    )
