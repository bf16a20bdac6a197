"""The rules and the words of a game: what a module of a game defines, and what an episode plays.

A game is a text task of many turns whose player gives one command a reply. Its rules are pure
functions over a frozen state; searches, opponents, reference players and tests use them without an
episode:

    start(puzzle) -> state
    legal(puzzle, state, command) -> why the command is not allowed, or ""
    step(puzzle, state, command, luck) -> state
    observe(puzzle, state) -> what the player learns from the last step
    result(puzzle, state) -> True (won), False (lost), None (the game goes on)

`puzzle` is the instance, the record that a row holds. Columns of role "secret" or "unseen" are
hidden: the rules read them, and `without_hidden` returns a copy in which they are None. Things that
move, lie or answer at random draw from `step_luck`, which depends only on the puzzle's seed and on
the number of the step, so a replay is exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np

from facelet.generators.core.random_draws import below
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.command import Command, CommandForm, read_command
from facelet.generators.core.row_schema import without_roles
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Params, Task
from facelet.renderers.scenes.records import Scene

P = TypeVar("P", bound=Params)
Z = TypeVar("Z")
"""A puzzle: the instance."""
S = TypeVar("S")
"""A state: a frozen record of everything that changes during the game."""
T = TypeVar("T")

HIDDEN_ROLES = ("secret", "unseen", "answer")
SEED = "seed"
"""The column, of role "unseen", that seeds the random draws of a puzzle."""

Shown = str | Scene


def parts_of(shown: str | Sequence[Shown]) -> tuple[Shown, ...]:
    """Return texts and pictures one by one."""
    return (shown,) if isinstance(shown, str) else tuple(shown)


@dataclass(frozen=True, slots=True)
class ErrorPrice:
    """The cost of a reply that cannot be read, or of a command that is not allowed.

    Attributes:
        kind: "turn" (a turn of the budget), "free" (nothing, up to `free` times, then the end) or
            "end" (the episode).
        free: how many are free.
    """

    kind: Literal["turn", "free", "end"] = "turn"
    free: int = 0


class Luck:
    """The randomness of one step: a generator that is made when it is first used."""

    __slots__ = ("_names", "_rng")

    def __init__(self, *names: str | int) -> None:
        """Take the path of names that seeds the generator."""
        self._names = names
        self._rng: np.random.Generator | None = None

    @property
    def rng(self) -> np.random.Generator:
        """The generator."""
        if self._rng is None:
            self._rng = make_generator("luck", *self._names)
        return self._rng

    def draw_index(self, count: int) -> int:
        """Return the number below `count` that a fresh `rng` draws first.

        For steps that draw one number. Repeated plays of a puzzle draw the same numbers, so they
        are cached.
        """
        return _first_index(self._names, count) if count > 1 else 0

    def draw_memoized(self, drawn: Callable[[np.random.Generator], T]) -> T:
        """Return what a function draws from a fresh `rng`, cached as in `draw_index`.

        Args:
            drawn: the function; pass the same object each time.
        """
        found: T = _draw_memoized(self._names, drawn)
        return found


@lru_cache(maxsize=1 << 12)
def _draw_memoized(names: tuple[str | int, ...], drawn: Callable[[np.random.Generator], T]) -> T:
    return drawn(make_generator("luck", *names))


@lru_cache(maxsize=1 << 12)
def _first_index(names: tuple[str | int, ...], count: int) -> int:
    return below(make_generator("luck", *names), count)


class GameRules(Task[P, Z], Generic[P, Z, S], vocabulary=True):
    """The rules of a game, and the words in which its monitor talks to the player.

    Attributes:
        forms: the commands that a reply may give.
        unreadable: the price of a reply without a readable command.
        illegal: the price of a command that the rules forbid.
    """

    forms: ClassVar[tuple[CommandForm, ...]]
    unreadable: ClassVar[ErrorPrice] = ErrorPrice()
    illegal: ClassVar[ErrorPrice] = ErrorPrice()

    # --- the rules --------------------------------------------------------------------------------

    @abstractmethod
    def start(self, puzzle: Z) -> S:
        """Return the state before the first command."""

    def legal(self, puzzle: Z, state: S, command: Command) -> str:
        """Return why a command is not allowed now, in words for the player; "" if it is."""
        return ""

    @abstractmethod
    def step(self, puzzle: Z, state: S, command: Command, luck: Luck) -> S:
        """Return the state after a legal command and everything that answers it.

        Args:
            puzzle: the puzzle.
            state: the state before.
            command: the command.
            luck: the randomness of this step.
        """

    @abstractmethod
    def observe(self, puzzle: Z, state: S) -> Any:
        """Return what the player learns from the last step, as a plain value."""

    @abstractmethod
    def result(self, puzzle: Z, state: S) -> bool | None:
        """Return True if the game is won, False if it is lost, None if it goes on."""

    def read(self, reply: str) -> Parsed[Command]:
        """Return the command that a reply gives, or None; any string is accepted."""
        return read_command(reply, self.forms)

    @abstractmethod
    def turn_budget(self, puzzle: Z) -> int:
        """Return the number of replies that the player has, the last answer included."""

    def step_luck(self, puzzle: Z, number: int) -> Luck:
        """Return the randomness of step `number`, from 0, of a puzzle."""
        return Luck(self.name, getattr(puzzle, SEED, ""), number)

    def without_hidden(self, puzzle: Z) -> Z:
        """Return a copy of the puzzle in which hidden columns are None."""
        return without_roles(puzzle, HIDDEN_ROLES)

    # --- the words --------------------------------------------------------------------------------

    @abstractmethod
    def rules(self, puzzle: Z) -> str:
        """Return the rules for the system message; the episode appends the forms."""

    @abstractmethod
    def opening(self, puzzle: Z) -> str | Sequence[Shown]:
        """Return the puzzle as the first user message shows it."""

    def sample_exchange(self, puzzle: Z) -> str:
        """Return an example exchange for the end of the system message; "" for none."""
        return ""

    def describe_last_reply(self, puzzle: Z, state: S) -> str | Sequence[Shown]:
        """Return the message after a step; by default what the player learns, as text."""
        return str(self.observe(puzzle, state))

    def hides_history(self, puzzle: Z) -> bool:
        """Return whether a turn shows nothing before the last reply and the answer to it."""
        return False

    def play_metrics(
        self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]
    ) -> Mapping[str, float]:
        """Return metrics of this game alone.

        Args:
            puzzle: the puzzle.
            commands: the legal commands, in order.
            states: the states, from the start; one more than commands.
        """
        return {}
