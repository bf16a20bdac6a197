"""Plan: the whole way to the target at once (MARBLE, 2.3: MAZE and MAZE-easy).

The reference is one shortest plan; every plan that reaches the target within the budget is right,
shortest or not. The budget is twice the fewest turns that are needed: without one, a long plan that
was written without a look at the board wanders onto the target on every third board. Turns after
the budget are told in the outcome and count for nothing. Actions after the target is reached are
ignored, but make the plan not strict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

from facelet.generators.core.chance_level import BlindLimit
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Outcome
from facelet.generators.labyrinth.board.actions import Action, InsertAction
from facelet.generators.labyrinth.plan_task.instances import Instance, Params
from facelet.generators.labyrinth.plan_task.plan_parser import OPENING, read_plan, write_plan
from facelet.generators.labyrinth.plan_task.referee import (
    MEASURES,
    Referee,
    build_outcome,
    start_referee,
)
from facelet.generators.labyrinth.plan_task.task import PlanningTask
from facelet.generators.labyrinth.presentation import rule_text
from facelet.generators.labyrinth.search.exact_search import LIMIT


@dataclass(frozen=True, slots=True)
class PlanParams(Params):
    """Params of the task."""

    budget: Literal["double", "fewest", "unlimited"] = param(
        "double",
        "turns of a plan that count: twice the fewest that are needed, so many, or all as in the "
        "paper",
    )

    def budget_in_turns(self) -> int:
        """Return how many turns count; 0 if all do."""
        return max(1, self.turns) * {"double": 2, "fewest": 1, "unlimited": 0}[self.budget]


class LabyrinthPlan(QuestionTask[Params, Instance], PlanningTask):
    """The task.

    Metrics of an outcome, besides those of facelet.generators.labyrinth.plan_task.referee:

        success_in_fewest       1 if the target was reached in the fewest turns that are possible
        success_beyond_budget   1 if it was reached by a turn that no longer counts
        turns_beyond_budget     turns of the plan that no longer count
    """

    name: ClassVar[str] = "labyrinth/plan"
    version: ClassVar[int] = 4
    params: ClassVar[type[PlanParams]] = PlanParams
    measures: ClassVar[tuple[Measure, ...]] = (
        *MEASURES,
        MeanOf(metric="success_in_fewest"),
        MeanOf(metric="success_beyond_budget"),
        MeanOf(metric="turns_beyond_budget", share=False),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        *PlanningTask.deviations,
        Deviation(
            "a plan may have any number of turns",
            "the first 2D turns count, where D are needed",
            "one long plan that never looked solved a third of all boards",
            "budget=unlimited",
        ),
    )

    def blind_limit(self, params: Params) -> BlindLimit | None:
        """Return what one long plan scores where all its turns count; chance where they do not."""
        assert isinstance(params, PlanParams)
        if params.budget == "unlimited":
            return BlindLimit(0.4, "a plan may have any number of turns, and one passes many cells")
        if params.turns == LIMIT:
            # A list of eight turns, tuned for minutes on other boards, won 4.1% of 1,000.
            share = 0.06 if (params.shifted, params.targets) == ("never", "loose") else 0.16
            return BlindLimit(share, "four turns apart pawn and target are on few pairs of cells")
        return None

    def reference(self, instance: Instance) -> list[str]:
        """Return a shortest plan in the requested format."""
        return [write_plan(instance.solution)]

    def _question_prompt(self, instance: Instance) -> Prompt:
        display = instance.display
        phase = "INSERT" if instance.starts_with_insertion else "MOVE"
        now = rule_text.state_text(instance.board, instance.target, display, phase)
        counted = {0: "", 1: "Only its first turn counts. "}
        budget = counted.get(instance.budget, f"Only its first {instance.budget} turns count. ")
        parts = [rule_text.RULES, _TASK.format(budget=budget, opening=OPENING), _PHASES]
        return rule_text.board_prompt(instance.board, instance.target, display, [*parts, now])

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        parsed = read_plan(reply)
        actions = parsed.value or ()
        referee = start_referee(instance)
        place = _play_plan(referee, actions, instance.budget)
        strict = parsed.strict and not (referee.has_reached_target and place < len(actions))
        planned = count_turns(actions)
        beyond = 0
        if instance.budget and not referee.has_reached_target and referee.offence is None:
            later = referee.fork_referee()
            _play_plan(later, actions[place:], 0)
            beyond = later.has_reached_target
        counted = min(planned, instance.budget) if instance.budget else planned
        ended = build_outcome(referee, strict, planned, counted, unread=parsed.value is None)
        fewest = referee.has_reached_target and referee.count_completed_turns == max(
            1, instance.turns
        )
        more = {
            "success_in_fewest": float(fewest),
            "success_beyond_budget": float(beyond),
            "turns_beyond_budget": float(
                max(0, planned - instance.budget) if instance.budget else 0
            ),
        }
        return replace(ended, metrics={**ended.metrics, **more})


_TASK = """\
Write a complete plan that brings the pawn to the target in as few turns as you can. It is carried \
out as a whole; you see nothing in between. {budget}Write no turns after the one that reaches the \
target.

End your reply with the plan in exactly this form, one line a turn, where side is one of 'top', \
'bottom', 'left', 'right', and N stands for a number:
{opening}
Turn 1: INSERT(side='...', slot=N, rotation=N); MOVE(x=N, y=N)
Turn 2: INSERT(side='...', slot=N, rotation=N); MOVE()"""

_PHASES = """\
The phase tells what comes first. In phase INSERT, every turn is an INSERT and a MOVE. In phase \
MOVE, the first turn is a MOVE alone (Turn 1: MOVE(x=N, y=N)); later turns are as above."""


def count_turns(actions: tuple[Action, ...]) -> int:
    """Return the number of turns in a plan: its insertions, and the moves that follow none."""
    lonely = sum(
        not isinstance(action, InsertAction) and not isinstance(before, InsertAction)
        for before, action in pairwise((None, *actions))
    )
    return lonely + sum(isinstance(action, InsertAction) for action in actions)


def _play_plan(referee: Referee, actions: Sequence[Action], budget: int) -> int:
    """Carry out a plan up to the target or the budget; return how many actions that were.

    Args:
        referee: the referee before the first of them.
        actions: the plan. What follows an illegal action is followed as it was meant.
        budget: turns that count; 0 if all do.
    """
    for place, action in enumerate(actions):
        if referee.has_reached_target or (budget and referee.count_completed_turns >= budget):
            return place
        referee.perform_action(action)
    return len(actions)


TASK = LabyrinthPlan()
