"""Plan: the whole way to the target at once (MARBLE, 2.3: MAZE and MAZE-easy).

The reference is one shortest plan; every plan that reaches the target is right, shortest or not.
Actions after the target is reached are ignored, but make the plan not strict.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from facelet.generators.core.chance import BlindLimit
from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.single_turn import SingleTurn
from facelet.generators.core.task import Outcome
from facelet.generators.labyrinth.board.actions import Action, Insert
from facelet.generators.labyrinth.planning import outcomes
from facelet.generators.labyrinth.planning.instances import Instance, Params
from facelet.generators.labyrinth.planning.replies import OPENING, read_plan, write_plan
from facelet.generators.labyrinth.planning.task import PlanningTask
from facelet.generators.labyrinth.showing import displays, wording


class Plan(PlanningTask):
    """The task; its metrics are those of facelet.generators.labyrinth.planning.outcomes."""

    name: ClassVar[str] = "labyrinth/plan"
    version: ClassVar[int] = 1

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what one long plan scores: it need not be short, and to stay is always legal."""
        return BlindLimit(0.4, "a plan may have any number of turns, and one passes many cells")

    def open(self, instance: Instance) -> SingleTurn[Instance]:
        """Return the question."""
        return SingleTurn(instance, _ask, _judge)

    def reference(self, instance: Instance) -> list[str]:
        """Return a shortest plan in the requested format."""
        return [write_plan(instance.solution)]


_TASK = f"""\
Write a complete plan that brings the pawn to the target in as few turns as you can. It is carried \
out as a whole; you see nothing in between. Write no turns after the one that reaches the target.

End your reply with the plan in exactly this form, one line a turn, where side is one of 'top', \
'bottom', 'left', 'right', and N stands for a number:
{OPENING}
Turn 1: INSERT(side='...', slot=N, rotation=N); MOVE(x=N, y=N)
Turn 2: INSERT(side='...', slot=N, rotation=N); MOVE()"""

_PHASES = """\
The phase tells what comes first. In phase INSERT, every turn is an INSERT and a MOVE. In phase \
MOVE, the first turn is a MOVE alone (Turn 1: MOVE(x=N, y=N)); later turns are as above."""


def _ask(puzzle: Instance) -> Prompt:
    display = puzzle.display
    phase = "INSERT" if puzzle.inserting else "MOVE"
    now = wording.state(puzzle.board, puzzle.target, display, phase)
    parts = [wording.RULES, _TASK, _PHASES]
    if not display.pictured:
        return chat(wording.SYSTEM, "\n\n".join([*parts, now]))
    text = "\n\n".join([wording.pictured(display), *parts, now])
    return chat(wording.SYSTEM, displays.scene(puzzle.board, puzzle.target, display), text)


def length(actions: tuple[Action, ...]) -> int:
    """Return the number of turns in a plan: its insertions, and the moves that follow none."""
    lonely = sum(
        not isinstance(action, Insert) and not isinstance(before, Insert)
        for before, action in pairwise((None, *actions))
    )
    return lonely + sum(isinstance(action, Insert) for action in actions)


def _judge(puzzle: Instance, text: str) -> Outcome:
    parsed = read_plan(text)
    actions = parsed.value or ()
    referee = outcomes.begin(puzzle)
    for action in actions:
        if referee.reached or not referee.act(action):
            break
    strict = parsed.strict and not (referee.reached and referee.done < len(actions))
    return outcomes.outcome(referee, strict, length(actions), unread=parsed.value is None)


TASK = Plan()
