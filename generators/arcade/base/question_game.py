"""Asking: a game of questions, and of answers that name what is hidden and are right or wrong.

Commands of the form "answer" answer, all others ask. A right answer wins; a wrong one costs its
turn, and loses where the game says so by `wrong_answer_limit`. A game in which what is hidden stays
as it is stands on `FixedQuestionGame` and gives

    reply(puzzle, said)            what a question is told
    right(puzzle, said)            whether an answer is right
    truth(puzzle)                  the answer of the reference player, where it gives but one

One in which it changes, or in which a question may be told several things, stands on
`QuestionGame`:

    begin(puzzle)                  what changes, at the start
    replies(puzzle, now, said)     what may come of a question, each as likely as any other
    solved(puzzle, now, said)      whether an answer is right; by default if it names what changes

The state, what is observed, what is told, the result and the outcomes follow.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame, Puzzle
from facelet.generators.arcade.base.params import ArcadeParams
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Luck

ANSWER = "answer"
"""The form that answers."""

P = TypeVar("P", bound=ArcadeParams)
Z = TypeVar("Z", bound=Puzzle)
H = TypeVar("H")
"""What a question is told."""
N = TypeVar("N")
"""What changes while the game goes on."""


@dataclass(frozen=True, slots=True)
class QuestionState(Generic[H, N]):
    """A state: what changes, and what came of the last command.

    Attributes:
        now: what changes while the game goes on; None where nothing does.
        heard: what the last question was told; None at the start and after an answer.
        right: whether the last answer was right; None at the start and after a question.
        wrong: wrong answers so far.
    """

    now: N
    last_reply: H | None = None
    is_right: bool | None = None
    wrong_count: int = 0


class QuestionGame(ArcadeGame[P, Z, QuestionState[H, N]], Generic[P, Z, H, N], vocabulary=True):
    """A game of questions and answers; see the module.

    Attributes:
        verdicts: what a wrong answer is told, and a right one.
    """

    verdicts: ClassVar[tuple[str, str]] = ("Incorrect", "Correct")

    # --- what a game gives ------------------------------------------------------------------------

    @abstractmethod
    def start_state(self, puzzle: Z) -> N:
        """Return what changes in play, as it is at the start."""

    @abstractmethod
    def list_replies(self, puzzle: Z, now: N, said: Command) -> Sequence[tuple[N, H]]:
        """Return what may come of a legal question, in a fixed order, each as likely as any other.

        Args:
            puzzle: the puzzle.
            now: what changes, as it was.
            said: the question.

        Returns:
            Pairs of what changes, as it is then, and what the player is told; more than one only
            in a game that is `by_luck`.
        """

    def is_answer_right(self, puzzle: Z, now: N, said: Command) -> bool:
        """Return whether a legal answer is right; by default whether it names what changes."""
        return bool(said.args[0] == now)

    def wrong_answer_limit(self, puzzle: Z) -> int | None:
        """Return how many wrong answers lose the game; None if no number does."""
        return None

    def format_reply(self, heard: H) -> str:
        """Return what a question was told, in words for the player."""
        return str(heard)

    # --- what follows -----------------------------------------------------------------------------

    def start(self, puzzle: Z) -> QuestionState[H, N]:
        """Return the state before the first command."""
        return QuestionState(self.start_state(puzzle))

    def step(
        self, puzzle: Z, state: QuestionState[H, N], said: Command, luck: Luck
    ) -> QuestionState[H, N]:
        """Return the state after a command; what may come of a question is drawn."""
        if said.form == ANSWER:
            return self._apply_answer(puzzle, state, said)
        found = self.list_replies(puzzle, state.now, said)
        now, heard = found[luck.draw_index(len(found))]
        return QuestionState(now, heard, None, state.wrong_count)

    def list_outcomes(
        self, puzzle: Z, state: QuestionState[H, N], said: Command
    ) -> Sequence[QuestionState[H, N]]:
        """Return the states after all that may come of a command."""
        if said.form == ANSWER:
            return (self._apply_answer(puzzle, state, said),)
        found = self.list_replies(puzzle, state.now, said)
        return [QuestionState(now, heard, None, state.wrong_count) for now, heard in found]

    def observe(self, puzzle: Z, state: QuestionState[H, N]) -> H | None:
        """Return what the last question was told; None after an answer, which `result` judges."""
        return state.last_reply

    def describe_last_reply(self, puzzle: Z, state: QuestionState[H, N]) -> str:
        """Return what the last question was told, or the verdict on the last answer, in words."""
        return (
            self.verdicts[bool(state.is_right)]
            if state.last_reply is None
            else self.format_reply(state.last_reply)
        )

    def result(self, puzzle: Z, state: QuestionState[H, N]) -> bool | None:
        """Return True after a right answer, False when the lives are used up."""
        if state.is_right:
            return True
        return (
            False
            if state.wrong_count and state.wrong_count == self.wrong_answer_limit(puzzle)
            else None
        )

    def _apply_answer(
        self, puzzle: Z, state: QuestionState[H, N], said: Command
    ) -> QuestionState[H, N]:
        right = self.is_answer_right(puzzle, state.now, said)
        return QuestionState(state.now, None, right, state.wrong_count + (not right))


class FixedQuestionGame(QuestionGame[P, Z, H, None], Generic[P, Z, H], vocabulary=True):
    """A game of questions and answers in which nothing changes; see the module."""

    @abstractmethod
    def answer_question(self, puzzle: Z, said: Command) -> H:
        """Return what a legal question is told."""

    @abstractmethod
    def is_answer_true(self, puzzle: Z, said: Command) -> bool:
        """Return whether a legal answer is right."""

    def winning_answer(self, puzzle: Z) -> tuple[Any, ...] | None:
        """Return the arguments of the answer with which the reference player wins a puzzle.

        None if it may give other answers before. Tries of many puzzles are spared its play then.
        """
        return None

    def wins_randomly(self, puzzle: Z, rng: np.random.Generator) -> bool:
        """Return whether a player of any legal commands wins; no question is answered to tell."""
        state = self.start(puzzle)
        said = (self.random_command(puzzle, state, rng) for _ in range(self.turn_budget(puzzle)))
        return self._has_right_answer(puzzle, (one for one in said if one.form == ANSWER))

    def wins_by(self, puzzle: Z, commands: Sequence[Command]) -> bool:
        """Return whether one of the answers in a list is right; no question is answered to tell."""
        state, ends = self.start(puzzle), self.illegal.kind == "end"

        def list_answers() -> Iterator[Command]:
            for said in commands[: self.turn_budget(puzzle)]:
                if said.form != ANSWER and not ends:
                    continue
                if self.legal(puzzle, state, said):
                    if ends:
                        return
                elif said.form == ANSWER:
                    yield said

        return self._has_right_answer(puzzle, list_answers())

    def _has_right_answer(self, puzzle: Z, answers: Iterable[Command]) -> bool:
        """Return whether one of some answers is right, before the lives are used up."""
        lives = self.wrong_answer_limit(puzzle)
        for wrong, said in enumerate(answers, 1):
            if self.is_answer_true(puzzle, said):
                return True
            if wrong == lives:
                break
        return False

    def reference_plan(self, puzzle: Z) -> Sequence[Command]:
        """Return the reference player's answer, or all that it says where that is not known."""
        truth, bound = self.winning_answer(puzzle), puzzle.terms.bound
        if truth is None or bound is None or bound > self.turn_budget(puzzle):
            return super().reference_plan(puzzle)
        return (Command(ANSWER, truth),)

    def start_state(self, puzzle: Z) -> None:
        """Return None: nothing changes."""

    def list_replies(self, puzzle: Z, now: None, said: Command) -> Sequence[tuple[None, H]]:
        """Return what the question is told, for certain."""
        return ((None, self.answer_question(puzzle, said)),)

    def is_answer_right(self, puzzle: Z, now: None, said: Command) -> bool:
        """Return whether a legal answer is right."""
        return self.is_answer_true(puzzle, said)
