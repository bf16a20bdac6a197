"""Asking: a game of questions, and of answers that name what is hidden and are right or wrong.

Commands of the form "answer" answer, all others ask. A right answer wins; a wrong one costs its
turn, and loses where the game says so by `lives`. A game in which what is hidden stays as it is
stands on `AskingFixed` and gives

    reply(puzzle, said)            what a question is told
    right(puzzle, said)            whether an answer is right
    truth(puzzle)                  the answer of the reference player, where it gives but one

One in which it changes, or in which a question may be told several things, stands on `Asking`:

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
from facelet.generators.core.game import Luck
from facelet.generators.core.replies.command import Said

ANSWER = "answer"
"""The form that answers."""

P = TypeVar("P", bound=ArcadeParams)
Z = TypeVar("Z", bound=Puzzle)
H = TypeVar("H")
"""What a question is told."""
N = TypeVar("N")
"""What changes while the game goes on."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[H, N]):
    """A state: what changes, and what came of the last command.

    Attributes:
        now: what changes while the game goes on; None where nothing does.
        heard: what the last question was told; None at the start and after an answer.
        right: whether the last answer was right; None at the start and after a question.
        wrong: wrong answers so far.
    """

    now: N
    heard: H | None = None
    right: bool | None = None
    wrong: int = 0


class Asking(ArcadeGame[P, Z, Asked[H, N]], Generic[P, Z, H, N], vocabulary=True):
    """A game of questions and answers; see the module.

    Attributes:
        verdicts: what a wrong answer is told, and a right one.
    """

    verdicts: ClassVar[tuple[str, str]] = ("Incorrect", "Correct")

    # --- what a game gives ------------------------------------------------------------------------

    @abstractmethod
    def begin(self, puzzle: Z) -> N:
        """Return what changes in play, as it is at the start."""

    @abstractmethod
    def replies(self, puzzle: Z, now: N, said: Said) -> Sequence[tuple[N, H]]:
        """Return what may come of a legal question, in a fixed order, each as likely as any other.

        Args:
            puzzle: the puzzle.
            now: what changes, as it was.
            said: the question.

        Returns:
            Pairs of what changes, as it is then, and what the player is told; more than one only
            in a game that is `by_luck`.
        """

    def solved(self, puzzle: Z, now: N, said: Said) -> bool:
        """Return whether a legal answer is right; by default whether it names what changes."""
        return bool(said.args[0] == now)

    def lives(self, puzzle: Z) -> int | None:
        """Return how many wrong answers lose the game; None if no number does."""
        return None

    def word(self, heard: H) -> str:
        """Return what a question was told, in words for the player."""
        return str(heard)

    # --- what follows -----------------------------------------------------------------------------

    def start(self, puzzle: Z) -> Asked[H, N]:
        """Return the state before the first command."""
        return Asked(self.begin(puzzle))

    def step(self, puzzle: Z, state: Asked[H, N], said: Said, luck: Luck) -> Asked[H, N]:
        """Return the state after a command; what may come of a question is drawn."""
        if said.form == ANSWER:
            return self._answered(puzzle, state, said)
        found = self.replies(puzzle, state.now, said)
        now, heard = found[luck.first(len(found))]
        return Asked(now, heard, None, state.wrong)

    def outcomes(self, puzzle: Z, state: Asked[H, N], said: Said) -> Sequence[Asked[H, N]]:
        """Return the states after all that may come of a command."""
        if said.form == ANSWER:
            return (self._answered(puzzle, state, said),)
        found = self.replies(puzzle, state.now, said)
        return [Asked(now, heard, None, state.wrong) for now, heard in found]

    def observe(self, puzzle: Z, state: Asked[H, N]) -> H | None:
        """Return what the last question was told; None after an answer, which `result` judges."""
        return state.heard

    def tell(self, puzzle: Z, state: Asked[H, N]) -> str:
        """Return what the last question was told, or the verdict on the last answer, in words."""
        return self.verdicts[bool(state.right)] if state.heard is None else self.word(state.heard)

    def result(self, puzzle: Z, state: Asked[H, N]) -> bool | None:
        """Return True after a right answer, False when the lives are used up."""
        if state.right:
            return True
        return False if state.wrong and state.wrong == self.lives(puzzle) else None

    def _answered(self, puzzle: Z, state: Asked[H, N], said: Said) -> Asked[H, N]:
        right = self.solved(puzzle, state.now, said)
        return Asked(state.now, None, right, state.wrong + (not right))


class AskingFixed(Asking[P, Z, H, None], Generic[P, Z, H], vocabulary=True):
    """A game of questions and answers in which nothing changes; see the module."""

    @abstractmethod
    def reply(self, puzzle: Z, said: Said) -> H:
        """Return what a legal question is told."""

    @abstractmethod
    def right(self, puzzle: Z, said: Said) -> bool:
        """Return whether a legal answer is right."""

    def truth(self, puzzle: Z) -> tuple[Any, ...] | None:
        """Return the arguments of the answer with which the reference player wins a puzzle.

        None if it may give other answers before. Tries of many puzzles are spared its play then.
        """
        return None

    def lucks_out(self, puzzle: Z, rng: np.random.Generator) -> bool:
        """Return whether a player of any legal commands wins; no question is answered to tell."""
        state = self.start(puzzle)
        said = (self.random_command(puzzle, state, rng) for _ in range(self.turns(puzzle)))
        return self._right(puzzle, (one for one in said if one.form == ANSWER))

    def wins_by(self, puzzle: Z, commands: Sequence[Said]) -> bool:
        """Return whether one of the answers in a list is right; no question is answered to tell."""
        state, ends = self.start(puzzle), self.illegal.kind == "end"

        def answers() -> Iterator[Said]:
            for said in commands[: self.turns(puzzle)]:
                if said.form != ANSWER and not ends:
                    continue
                if self.legal(puzzle, state, said):
                    if ends:
                        return
                elif said.form == ANSWER:
                    yield said

        return self._right(puzzle, answers())

    def _right(self, puzzle: Z, answers: Iterable[Said]) -> bool:
        """Return whether one of some answers is right, before the lives are used up."""
        lives = self.lives(puzzle)
        for wrong, said in enumerate(answers, 1):
            if self.right(puzzle, said):
                return True
            if wrong == lives:
                break
        return False

    def plan(self, puzzle: Z) -> Sequence[Said]:
        """Return the reference player's answer, or all that it says where that is not known."""
        truth, bound = self.truth(puzzle), puzzle.terms.bound
        if truth is None or bound is None or bound > self.turns(puzzle):
            return super().plan(puzzle)
        return (Said(ANSWER, truth),)

    def begin(self, puzzle: Z) -> None:
        """Return None: nothing changes."""

    def replies(self, puzzle: Z, now: None, said: Said) -> Sequence[tuple[None, H]]:
        """Return what the question is told, for certain."""
        return ((None, self.reply(puzzle, said)),)

    def solved(self, puzzle: Z, now: None, said: Said) -> bool:
        """Return whether a legal answer is right."""
        return self.right(puzzle, said)
