"""Act: reach the target one action at a time, with the new state after each (MARBLE, 3.3).

An episode ends on success, on an illegal action, on a reply without exactly one readable action, or
when the budget of 2 * turns actions is used up (one action, where no turn is needed).
"""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.prompts import Message, PicturePart, Prompt, TextPart
from facelet.generators.core.task import Episode, Outcome
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board.actions import InsertAction
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.plan_task.plan_parser import read_action
from facelet.generators.labyrinth.plan_task.referee import build_outcome, start_referee
from facelet.generators.labyrinth.plan_task.task import PlanningTask
from facelet.generators.labyrinth.presentation import displays, rule_text


def action_budget(puzzle: Instance) -> int:
    """Return the number of actions that an episode may take, B = 2 D."""
    return max(1, 2 * puzzle.turns)


class Act(PlanningTask):
    """The task; its metrics are those of facelet.generators.labyrinth.plan_task.referee."""

    name: ClassVar[str] = "labyrinth/act"
    version: ClassVar[int] = 4

    def open(self, instance: Instance) -> ActEpisode:
        """Return an episode of several replies."""
        return ActEpisode(instance)

    def list_shown_keys(self, instance: Instance) -> list[str]:
        """Return the boards at the start and after each action of the reference, up to turning.

        A player may go elsewhere, so not all that can be shown is listed.
        """
        referee = start_referee(instance)
        found = [board_columns.canonical_key(referee.board)]
        for action in (action for turn in instance.solution for action in turn):
            referee.perform_action(action)
            found.append(board_columns.canonical_key(referee.board))
        return list(dict.fromkeys(found))

    def reference(self, instance: Instance) -> list[str]:
        """Return the actions of a shortest plan."""
        return [f"My action:\n{action}" for turn in instance.solution for action in turn]


_TASK = """\
You give one action at a time and are shown the new state after it. The phase tells whether an \
INSERT or a MOVE is due. An illegal action ends the game at once.

End every reply with one line that holds exactly one action, in one of these forms, where side is \
one of 'top', 'bottom', 'left', 'right', and N stands for a number:
INSERT(side='...', slot=N, rotation=N)
MOVE(x=N, y=N)
MOVE()"""


class ActEpisode(Episode):
    """The episode."""

    def __init__(self, puzzle: Instance) -> None:
        """Begin with the first action."""
        self._puzzle = puzzle
        self._referee = start_referee(puzzle)
        self._strict = True
        self._begun = 0
        self._after_insert = False

    def current_distance(self) -> int:
        """Return the turns to go after the last completed turn, at most those at the start."""
        return self._referee.turns_to_go

    def prompt(self) -> Prompt:
        """Return the question, or the state after the last action."""
        shown = (self._referee.board, self._puzzle.target, self._puzzle.display)
        if not self._referee.done:
            return rule_text.board_prompt(*shown, [rule_text.RULES, _TASK, self._state_text()])
        pictured = self._puzzle.display.has_picture
        scenes = (PicturePart(displays.board_scene(*shown)),) if pictured else ()
        return Prompt((Message("user", (*scenes, TextPart(self._state_text()))),))

    def reply(self, text: str) -> Prompt | Outcome:
        """Carry out an action; go on unless it ends the game."""
        parsed = read_action(text)
        self._strict &= parsed.strict
        action = parsed.value
        if action is None:
            return self._build_outcome(strict=False, unread=True)
        inserting = isinstance(action, InsertAction)
        self._begun += inserting or not self._after_insert
        self._after_insert = inserting
        legal = self._referee.perform_action(action)
        if (
            not legal
            or self._referee.has_reached_target
            or self._referee.done == action_budget(self._puzzle)
        ):
            return self._build_outcome(strict=self._strict)
        return self.prompt()

    def _build_outcome(self, *, strict: bool, unread: bool = False) -> Outcome:
        return build_outcome(self._referee, strict, self._begun, self._begun, unread=unread)

    def _state_text(self) -> str:
        referee = self._referee
        phase = "INSERT" if referee.inserting else "MOVE"
        left = action_budget(self._puzzle) - referee.done
        state = rule_text.state_text(
            referee.board, self._puzzle.target, self._puzzle.display, phase
        )
        return f"{state}\nActions left: {left}"


TASK = Act()
