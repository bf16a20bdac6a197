"""Sets of candidates: everything that may still be hidden, given the commands and answers so far.

A candidate is one way to complete the puzzle, with its current state. An answer rules out the
candidates that would have answered otherwise. Every candidate is played by the game's own rules, so
the set is exact, not an estimate. It is a set, without probabilities: where luck answers or moves
what is hidden, a candidate continues as every state that luck allows.

`SimulatedCandidates` works for any game. `CandidateArray` does the same for games without luck by
whole-array operations, and `FixedCandidates` for those in which nothing changes: it caches what the
first answers leave for other plays. A test compares them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, permutations
from math import factorial
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from facelet.generators.core.replies.command import Command

Array = npt.NDArray[Any]

Z = TypeVar("Z", contravariant=True)
S = TypeVar("S")


class CandidateSet(ABC):
    """The candidates of a play."""

    @abstractmethod
    def count_candidates(self) -> int:
        """Return how many different things may be hidden now."""

    @abstractmethod
    def observe_answer(self, command: Command, heard: Hashable) -> bool:
        """Update the set by a legal command and its answer; return whether the answer was certain.

        Args:
            command: the command.
            heard: what the player learned from it, and whether that ended the game.
        """


class CandidateRules(Protocol[Z, S]):
    """The methods of a game that `SimulatedCandidates` calls."""

    def start(self, puzzle: Z) -> S:
        """Return the state before the first command."""

    def legal(self, puzzle: Z, state: S, command: Command) -> str:
        """Return why a command is not allowed now."""

    def list_outcomes(self, puzzle: Z, state: S, command: Command) -> Iterable[S]:
        """Return every state that a command may lead to."""

    def observe(self, puzzle: Z, state: S) -> Any:
        """Return what the player learns from the last step."""

    def result(self, puzzle: Z, state: S) -> bool | None:
        """Return how the game ended, if it did."""

    def hidden_target(self, puzzle: Z, state: S) -> Hashable:
        """Return what has to be found out, as it is now."""


class SimulatedCandidates(CandidateSet):
    """Candidates played one by one by the rules of their game."""

    def __init__(self, game: CandidateRules[Any, Any], puzzles: Iterable[Any]) -> None:
        """Begin with all puzzles that look alike.

        Args:
            game: the rules.
            puzzles: the puzzles, whole.
        """
        self._game = game
        self._candidates = [(puzzle, game.start(puzzle)) for puzzle in puzzles]

    def count_candidates(self) -> int:
        """Return how many different things the hidden one may be now."""
        return len({self._game.hidden_target(puzzle, state) for puzzle, state in self._candidates})

    def observe_answer(self, command: Command, heard: Hashable) -> bool:
        """Take a command and what it was answered; return whether the answer was certain."""
        game = self._game
        answers: set[Hashable] = set()
        kept: dict[tuple[Any, Any], None] = {}
        for puzzle, state in self._candidates:
            if game.legal(puzzle, state, command):
                answers.add(None)
                continue
            for after in game.list_outcomes(puzzle, state, command):
                answer = (game.observe(puzzle, after), game.result(puzzle, after))
                answers.add(answer)
                if answer == heard:
                    kept[puzzle, after] = None
        self._candidates = list(kept)
        return len(answers) == 1


Step = Callable[[Array, Command], tuple[Array, Array]]
"""From hidden things, one a row, and a command to the answers and the hidden things after it."""


class CandidateArray(CandidateSet):
    """Candidates of a game without luck as an array of hidden things, one a row."""

    def __init__(self, hidden: Array, truth: int, step: Step, *, merging: bool = False) -> None:
        """Begin with all that may be hidden.

        Args:
            hidden: the hidden things, without repetitions.
            truth: the row that is really hidden.
            step: the rules. Equal answers are equal numbers, and winning is an answer of its own.
            merging: whether different things may become equal.
        """
        self._hidden = hidden
        self._truth = truth
        self._step = step
        self._merging = merging

    def count_candidates(self) -> int:
        """Return how many different things the hidden one may be now."""
        return len(self._hidden)

    def observe_answer(self, command: Command, heard: Hashable) -> bool:
        """Take a command; what it was answered follows from the rules and the truth."""
        answers, after = self._step(self._hidden, command)
        kept = answers == answers[self._truth]
        certain = bool(kept.all())
        self._truth = int(np.count_nonzero(kept[: self._truth]))
        self._hidden = after if certain else after[kept]
        if self._merging:
            self._hidden, places = np.unique(self._hidden, axis=0, return_inverse=True)
            self._truth = int(places.reshape(-1)[self._truth])
        return certain


FEW = 256
"""Most hidden things of a part that is not cached."""
KEPT = 1 << 26
"""Most bytes of the parts that are cached of one list of hidden things."""


@dataclass(slots=True)
class CandidatePart:
    """The hidden things that some answers leave.

    Attributes:
        hidden: the things, one a row.
        count: how many different ones have to be told apart; None before it is computed.
        after: what further commands and answers leave, as far as it is cached.
    """

    hidden: Array
    count: int | None = None
    after: dict[tuple[Command, Hashable], CandidatePart] = field(default_factory=dict)


class SharedCandidates:
    """All hidden things of puzzles with the same first prompt, and a cache of parts of them."""

    def __init__(self, hidden: Array) -> None:
        """Take the hidden things, one a row."""
        self.root = CandidatePart(hidden)
        self._bytes = 0

    def filter_part(
        self, part: CandidatePart, command: Command, answer: Hashable, step: Step
    ) -> CandidatePart:
        """Return the part that a command and its answer leave of a part.

        Args:
            part: the part.
            command: the command.
            answer: the answer, as a number.
            step: the rules.
        """
        if (found := part.after.get((command, answer))) is None:
            same = step(part.hidden, command)[0] == answer
            found = CandidatePart(part.hidden if same.all() else part.hidden[same])
            if len(part.hidden) > FEW:
                self._bytes += found.hidden.nbytes
                if self._bytes > KEPT:
                    self.root.after.clear()
                    self._bytes = found.hidden.nbytes
                part.after[command, answer] = found
        return found


@cache
def share_permutations(size: int, least: int) -> SharedCandidates:
    """Return all orders of the numbers from `least` on, `size` of them, in lexicographic order."""
    flat = chain.from_iterable(permutations(range(least, least + size)))
    orders = np.fromiter(flat, np.uint8, factorial(size) * size)
    return SharedCandidates(orders.reshape(-1, size))


class FixedCandidates(CandidateSet):
    """Candidates of a game without luck in which the hidden thing never changes."""

    def __init__(self, common: SharedCandidates, truth: Array, step: Step) -> None:
        """Begin with all that may be hidden.

        Args:
            common: the hidden things.
            truth: the thing that is really hidden.
            step: the rules; see `CandidateArray`.
        """
        self._common, self._part = common, common.root
        self._truth = np.asarray(truth, dtype=common.root.hidden.dtype)[None]
        self._step = step

    def count_candidates(self) -> int:
        """Return how many different things the hidden one may be."""
        if self._part.count is None:
            self._part.count = self._count_distinct(self._part.hidden)
        return self._part.count

    def _count_distinct(self, hidden: Array) -> int:
        """Return how many things have to be told apart; by default all of them."""
        return len(hidden)

    def observe_answer(self, command: Command, heard: Hashable) -> bool:
        """Take a command; what it was answered follows from the rules and the truth."""
        before = len(self._part.hidden)
        answer = self._step(self._truth, command)[0].item()
        self._part = self._common.filter_part(self._part, command, answer, self._step)
        return len(self._part.hidden) == before
