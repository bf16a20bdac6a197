"""Games of questions, and of answers that name what is hidden and are right or wrong.

Commands of the form "answer" are answers; commands of all other forms are questions. A right answer
wins. A wrong one costs its turn, and loses once there are `wrong_answer_limit` of them. A game in
which the hidden thing never changes derives from `FixedQuestionGame` and defines

    answer_question(puzzle, command)       the reply to a question
    is_answer_true(puzzle, command)        whether an answer is right
    winning_answer(puzzle)              the only answer of the reference player, if it gives one

A game in which it changes, or in which a question may have several replies, derives from
`QuestionGame` and defines

    start_state(puzzle)                 what changes in play, at the start
    list_replies(puzzle, now, command)     the possible replies to a question, equally likely
    is_answer_right(puzzle, now, command)  whether an answer is right

The state, the observations, the messages, the result and the outcomes follow.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame, ArcadePuzzle
from facelet.generators.arcade.base.params import ArcadeParams
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Luck

ANSWER = "answer"
"""The form of answers."""

P = TypeVar("P", bound=ArcadeParams)
Z = TypeVar("Z", bound=ArcadePuzzle)
H = TypeVar("H")
"""The reply to a question."""
N = TypeVar("N")
"""What changes during the game."""
Q = TypeVar("Q")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class QuestionState(Generic[H, N]):
    """A state: what changes, and the result of the last command.

    Attributes:
        now: what changes during the game; None where nothing does.
        last_reply: the reply to the last question; None at the start and after an answer.
        is_right: whether the last answer was right; None at the start and after a question.
        wrong_count: wrong answers so far.
    """

    now: N
    last_reply: H | None = None
    is_right: bool | None = None
    wrong_count: int = 0


def relay_questions(
    asking: Generator[Q, H, R], write: Callable[[Q], Command]
) -> Generator[Command, H, R]:
    """Ask the questions of a player that knows nothing of commands; return its result.

    Args:
        asking: the player: it yields questions and is sent the replies.
        write: returns the command of a question.
    """
    question = next(asking)
    while True:
        heard = yield write(question)
        try:
            question = asking.send(heard)
        except StopIteration as done:
            return cast("R", done.value)


def find_extreme(
    positions: Sequence[int], sign: str, write: Callable[[int, int], Command]
) -> Generator[Command, str, int]:
    """Return the position of the extreme element, by comparing each with the best so far.

    Args:
        positions: the positions.
        sign: the reply by which an element is better: "<" finds the least, ">" the greatest.
        write: returns the command that compares the elements at two positions.
    """
    best = positions[0]
    for position in positions[1:]:
        if (yield write(position, best)) == sign:
            best = position
    return best


class QuestionGame(ArcadeGame[P, Z, QuestionState[H, N]], Generic[P, Z, H, N], vocabulary=True):
    """A game of questions and answers.

    `answers` holds the form "answer" and `questions` all other forms, unless a game declares them.

    Attributes:
        verdicts: the replies to a wrong and to a right answer.
    """

    answers: ClassVar[frozenset[str]] = frozenset({ANSWER})
    verdicts: ClassVar[tuple[str, str]] = ("Incorrect", "Correct")

    def __init_subclass__(cls, *, vocabulary: bool = False, **kwargs: Any) -> None:
        """Derive the forms that ask."""
        if "forms" in vars(cls):
            cls.questions = frozenset(form.name for form in cls.forms) - {ANSWER}
        super().__init_subclass__(vocabulary=vocabulary, **kwargs)

    # --- what a game defines ----------------------------------------------------------------------

    @abstractmethod
    def start_state(self, puzzle: Z) -> N:
        """Return the start of what changes in play."""

    @abstractmethod
    def list_replies(self, puzzle: Z, now: N, command: Command) -> Sequence[tuple[N, H]]:
        """Return the possible outcomes of a legal question, equally likely, in a fixed order.

        Args:
            puzzle: the puzzle.
            now: what changes, before the question.
            command: the question.

        Returns:
            Pairs of what changes, after the question, and the reply; more than one only in a game
            that is `by_luck`.
        """

    def is_answer_right(self, puzzle: Z, now: N, command: Command) -> bool:
        """Return whether a legal answer is right; by default if it names what changes."""
        return bool(command.args[0] == now)

    def wrong_answer_limit(self, puzzle: Z) -> int | None:
        """Return the number of wrong answers that loses the game; None if none does."""
        return None

    def format_reply(self, heard: H) -> str:
        """Return the reply to a question in words for the player."""
        return str(heard)

    # --- what follows -----------------------------------------------------------------------------

    def start(self, puzzle: Z) -> QuestionState[H, N]:
        """Return the state before the first command."""
        return QuestionState(self.start_state(puzzle))

    def step(
        self, puzzle: Z, state: QuestionState[H, N], command: Command, luck: Luck
    ) -> QuestionState[H, N]:
        """Return the state after a command; the reply to a question is drawn."""
        if command.form == ANSWER:
            return self._apply_answer(puzzle, state, command)
        found = self.list_replies(puzzle, state.now, command)
        now, heard = found[luck.draw_index(len(found))]
        return QuestionState(now, heard, None, state.wrong_count)

    def list_outcomes(
        self, puzzle: Z, state: QuestionState[H, N], command: Command
    ) -> Sequence[QuestionState[H, N]]:
        """Return the states after every possible outcome of a command."""
        if command.form == ANSWER:
            return (self._apply_answer(puzzle, state, command),)
        found = self.list_replies(puzzle, state.now, command)
        return [QuestionState(now, heard, None, state.wrong_count) for now, heard in found]

    def observe(self, puzzle: Z, state: QuestionState[H, N]) -> H | None:
        """Return the reply to the last question; None after an answer, which `result` judges."""
        return state.last_reply

    def describe_last_reply(self, puzzle: Z, state: QuestionState[H, N]) -> str:
        """Return the reply to the last question, or the verdict on the last answer, in words."""
        return (
            self.verdicts[bool(state.is_right)]
            if state.last_reply is None
            else self.format_reply(state.last_reply)
        )

    def result(self, puzzle: Z, state: QuestionState[H, N]) -> bool | None:
        """Return True after a right answer, False after too many wrong ones."""
        if state.is_right:
            return True
        return (
            False
            if state.wrong_count and state.wrong_count == self.wrong_answer_limit(puzzle)
            else None
        )

    def _apply_answer(
        self, puzzle: Z, state: QuestionState[H, N], command: Command
    ) -> QuestionState[H, N]:
        right = self.is_answer_right(puzzle, state.now, command)
        return QuestionState(state.now, None, right, state.wrong_count + (not right))


class FixedQuestionGame(QuestionGame[P, Z, H, None], Generic[P, Z, H], vocabulary=True):
    """A game of questions and answers in which nothing changes."""

    @abstractmethod
    def answer_question(self, puzzle: Z, command: Command) -> H:
        """Return the reply to a legal question."""

    @abstractmethod
    def is_answer_true(self, puzzle: Z, command: Command) -> bool:
        """Return whether a legal answer is right."""

    def winning_answer(self, puzzle: Z) -> tuple[Any, ...] | None:
        """Return the arguments of the answer by which the reference player wins a puzzle.

        None if it may give other answers before. With it, tries of many puzzles need no play.
        """
        return None

    def wins_randomly(self, puzzle: Z, rng: np.random.Generator) -> bool:
        """Return whether random legal commands win; only their answers are checked."""
        state = self.start(puzzle)
        drawn = (self.random_command(puzzle, state, rng) for _ in range(self.turn_budget(puzzle)))
        return self._has_right_answer(puzzle, (one for one in drawn if one.form == ANSWER))

    def wins_by(self, puzzle: Z, commands: Sequence[Command]) -> bool:
        """Return whether a list of commands wins; only its answers are checked."""
        state, ends = self.start(puzzle), self.illegal.kind == "end"

        def list_answers() -> Iterator[Command]:
            for command in commands[: self.turn_budget(puzzle)]:
                if command.form != ANSWER and not ends:
                    continue
                if self.legal(puzzle, state, command):
                    if ends:
                        return
                elif command.form == ANSWER:
                    yield command

        return self._has_right_answer(puzzle, list_answers())

    def _has_right_answer(self, puzzle: Z, answers: Iterable[Command]) -> bool:
        """Return whether an answer is right before there are too many wrong ones."""
        lives = self.wrong_answer_limit(puzzle)
        for wrong, command in enumerate(answers, 1):
            if self.is_answer_true(puzzle, command):
                return True
            if wrong == lives:
                break
        return False

    def reference_plan(self, puzzle: Z) -> Sequence[Command]:
        """Return the reference player's answer, or all its commands where that is not known."""
        truth, bound = self.winning_answer(puzzle), puzzle.terms.bound
        if truth is None or bound is None or bound > self.turn_budget(puzzle):
            return super().reference_plan(puzzle)
        return (Command(ANSWER, truth),)

    def start_state(self, puzzle: Z) -> None:
        """Return None: nothing changes."""

    def list_replies(self, puzzle: Z, now: None, command: Command) -> Sequence[tuple[None, H]]:
        """Return the only reply to the question."""
        return ((None, self.answer_question(puzzle, command)),)

    def is_answer_right(self, puzzle: Z, now: None, command: Command) -> bool:
        """Return whether a legal answer is right."""
        return self.is_answer_true(puzzle, command)
