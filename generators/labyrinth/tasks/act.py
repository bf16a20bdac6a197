"""Act: the way to the target one action at a time, with the new state after each (MARBLE, 3.3).

An episode ends on success, on an illegal action, on a reply without exactly one readable action, or
when the budget of 2 * turns actions is used up (one action, where no turn is needed).
"""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.prompts import Message, Picture, Prompt, Text, chat
from facelet.generators.core.task import Episode, Outcome
from facelet.generators.labyrinth import judging, puzzles, wording
from facelet.generators.labyrinth.action_answers import read_action
from facelet.generators.labyrinth.actions import Insert
from facelet.generators.labyrinth.play_task import PlayTask
from facelet.generators.labyrinth.puzzles import Puzzle


def budget(puzzle: Puzzle) -> int:
    """Return the number of actions that an episode may take, B = 2 D."""
    return max(1, 2 * puzzle.turns)


class Act(PlayTask):
    """The task; see the module, and facelet.generators.labyrinth.judging for its metrics."""

    name: ClassVar[str] = "labyrinth/act"
    version: ClassVar[int] = 1

    def open(self, instance: Puzzle) -> Acting:
        """Return an episode of several replies."""
        return Acting(instance)

    def reference(self, instance: Puzzle) -> list[str]:
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


class Acting(Episode):
    """The episode."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Begin with the first action."""
        self._puzzle = puzzle
        self._play = judging.begin(puzzle)
        self._strict = True
        self._begun = 0
        self._after_insert = False

    def prompt(self) -> Prompt:
        """Return the question, or the state after the last action."""
        look = self._puzzle.look
        if self._play.done:
            parts = (Text(self._state()),)
            return Prompt((Message("user", (*self._pictures(), *parts)),))
        rules = [wording.RULES, _TASK, self._state()]
        if not look.pictured:
            return chat(wording.SYSTEM, "\n\n".join(rules))
        scene = puzzles.scene(self._play.board, self._puzzle.target, look)
        return chat(wording.SYSTEM, scene, "\n\n".join([wording.pictured(look), *rules]))

    def reply(self, text: str) -> Prompt | Outcome:
        """Carry out an action; go on unless it ends the game."""
        parsed = read_action(text)
        self._strict &= parsed.strict
        action = parsed.value
        if action is None:
            return judging.outcome(self._play, False, self._begun, unread=True)
        inserting = isinstance(action, Insert)
        self._begun += inserting or not self._after_insert
        self._after_insert = inserting
        legal = self._play.act(action)
        if not legal or self._play.reached or self._play.done == budget(self._puzzle):
            return judging.outcome(self._play, self._strict, self._begun)
        return self.prompt()

    def _pictures(self) -> tuple[Picture, ...]:
        look = self._puzzle.look
        if not look.pictured:
            return ()
        return (Picture(puzzles.scene(self._play.board, self._puzzle.target, look)),)

    def _state(self) -> str:
        play = self._play
        phase = "INSERT" if play.inserting else "MOVE"
        left = budget(self._puzzle) - play.done
        state = wording.state(play.board, self._puzzle.target, self._puzzle.look, phase)
        return f"{state}\nActions left: {left}"


TASK = Act()
