"""Games: the base of every multi-turn text task whose player gives one command a reply.

The rules of a game are pure functions over a frozen state; searches, opponents, reference players
and tests use them without an episode:

    start(puzzle) -> state
    legal(puzzle, state, said) -> why not, or ""
    step(puzzle, state, said, luck) -> state
    observe(puzzle, state) -> what the player learns from the last step
    result(puzzle, state) -> True (won), False (lost), None (it goes on)

`puzzle` is the instance, the record that a row holds. What it hides (columns of role "secret" or
"unseen") is known to these functions and to nobody else: the reference player is handed a copy in
which those fields are None. Things that move, lie or answer at random draw from `step_luck`, which
depends on the puzzle's seed and the number of the step, so a replay is exact.

This base owns all else. A reply is judged in two stages, format (does it give a command of one of
the `forms`?), then legality; each has a declared price. The episode
(facelet.generators.core.game_episode) counts turns, words the complaints, keeps what was said, and
ends: terminated by the rules, or truncated when the turns are used up.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from facelet.generators.core.game_episode import MEASURES, ErrorPrice, GameEpisode, Shown, parts_of
from facelet.generators.core.measures import Measure
from facelet.generators.core.random_draws import below
from facelet.generators.core.replies import command
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import without_roles
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Params, Reject, Task, Traits

P = TypeVar("P", bound=Params)
Z = TypeVar("Z")
"""A puzzle: the instance."""
T = TypeVar("T")
S = TypeVar("S")
"""A state: frozen, everything that changes while the game goes on."""

HIDDEN_ROLES = ("secret", "unseen", "answer")
SEED = "seed"
"""The column, of role "unseen", whose text a puzzle's luck is drawn from."""


class Luck:
    """The randomness of one step: a generator that is made when it is first asked for."""

    __slots__ = ("_names", "_rng")

    def __init__(self, *names: str | int) -> None:
        """Belong to a path of names."""
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

        For steps that draw one number. A puzzle that is tried often draws the same ones each time,
        so they are kept.
        """
        return _first_index(self._names, count) if count > 1 else 0

    def draw_memoized(self, drawn: Callable[[np.random.Generator], T]) -> T:
        """Return what a function draws of a fresh `rng`; for steps that draw otherwise, as above.

        Args:
            drawn: the function, the same one each time.
        """
        found: T = _draw_memoized(self._names, drawn)
        return found


@lru_cache(maxsize=1 << 12)
def _draw_memoized(names: tuple[str | int, ...], drawn: Callable[[np.random.Generator], T]) -> T:
    return drawn(make_generator("luck", *names))


@lru_cache(maxsize=1 << 12)
def _first_index(names: tuple[str | int, ...], count: int) -> int:
    return below(make_generator("luck", *names), count)


Player = Generator[Command, Any, None]
"""A reference player: it gives commands and is sent what `observe` returns after each."""


class Game(Task[P, Z], Generic[P, Z, S], vocabulary=True):
    """A game; see the module.

    Attributes:
        forms: the commands that a reply may give.
        unreadable: the price of a reply without a readable command.
        illegal: the price of a command that the rules forbid.
        fixed: the greatest share of puzzles that the commands win which win another, of the default
            params: a measured number, to which tests hold the game.
    """

    forms: ClassVar[tuple[CommandForm, ...]]
    unreadable: ClassVar[ErrorPrice] = ErrorPrice()
    illegal: ClassVar[ErrorPrice] = ErrorPrice()
    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    cost = "turns_when_solved"
    traits: ClassVar[Traits] = Traits(hidden=True, simulated=True)
    fixed: ClassVar[float] = 0.06
    _last: tuple[tuple[Z, Sequence[Command], Sequence[S]], ...] = ()

    # --- the rules --------------------------------------------------------------------------------

    @abstractmethod
    def start(self, puzzle: Z) -> S:
        """Return the state before the first command."""

    def legal(self, puzzle: Z, state: S, said: Command) -> str:
        """Return why a command is not allowed now, in words for the player; "" if it is."""
        return ""

    @abstractmethod
    def step(self, puzzle: Z, state: S, said: Command, luck: Luck) -> S:
        """Return the state after a legal command and all that answers it.

        Args:
            puzzle: the puzzle.
            state: the state before.
            said: the command.
            luck: the randomness of this step.
        """

    @abstractmethod
    def observe(self, puzzle: Z, state: S) -> Any:
        """Return what the player learns from the last step, as a plain value."""

    @abstractmethod
    def result(self, puzzle: Z, state: S) -> bool | None:
        """Return True if the game is won, False if it is lost, None if it goes on."""

    def read(self, reply: str) -> Parsed[Command]:
        """Return the command that a reply gives, or None; any string is taken."""
        return command.read_command(reply, self.forms)

    # --- its words --------------------------------------------------------------------------------

    def reply_form(self, instance: Z) -> str:
        """Return that one of the `forms` is asked for."""
        return "commands"

    @abstractmethod
    def turn_budget(self, puzzle: Z) -> int:
        """Return the budget: how many replies the player has, the last answer included."""

    @abstractmethod
    def rules(self, puzzle: Z) -> str:
        """Return the rules as the system message has them; the forms are added behind."""

    @abstractmethod
    def opening(self, puzzle: Z) -> str | Sequence[Shown]:
        """Return the puzzle as the first user message shows it."""

    def sample_exchange(self, puzzle: Z) -> str:
        """Return an exchange as an example, at the end of the system message; "" for none."""
        return ""

    def describe_last_reply(self, puzzle: Z, state: S) -> str | Sequence[Shown]:
        """Return what the player is told after a step; what it learns, as text, by default."""
        return str(self.observe(puzzle, state))

    # --- its players ------------------------------------------------------------------------------

    def make(self, params: P, draw: Draw) -> Z:
        """Return the puzzle of an item; a game that is handed its puzzles has `generate` instead.

        Raises:
            Reject: the draw was unlucky.
        """
        raise TypeError(f"{self.name} has neither make nor generate; define one of them")

    @abstractmethod
    def player(self, shown: Z) -> Player:
        """Play well. `list_shown_keys` is the puzzle without what it hides: those fields are None.

        A generator: it yields a command and is sent what `observe` returns after it, so a list of
        commands is yielded one by one (`for said in plan: yield said`), not by `yield from`. It may
        stop when there is nothing left to say.
        """

    def play_metrics(
        self, puzzle: Z, said: Sequence[Command], states: Sequence[S]
    ) -> Mapping[str, float]:
        """Return metrics of the game's own.

        Args:
            puzzle: the puzzle.
            said: the legal commands, in order.
            states: the states, from the start; one more than commands.
        """
        return {}

    # --- what follows from them -------------------------------------------------------------------

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[Z]:
        """Return the puzzle, once the reference player has won it inside the budget."""
        puzzle = self.make(params, draw)
        if not self.play_reference(puzzle)[1]:
            raise Reject("the reference player does not win")
        return (puzzle,)

    def open(self, instance: Z) -> GameEpisode[Z, S]:
        """Return the episode."""
        return GameEpisode(self, instance)

    def gold_answer(self, instance: Z) -> str:
        """Return the reference player's commands, a turn a line; others that win are as good."""
        return "\n".join(self.reference(instance))

    def group_key(self, instance: Z) -> str:
        """Return the puzzle with what it hides."""
        row = self.encode(instance)
        own = [row[column.name] for column in self.columns if column.role in ("puzzle", "secret")]
        return "|".join(",".join(map(str, v)) if isinstance(v, list) else str(v) for v in own)

    def reference(self, instance: Z) -> list[str]:
        """Return the replies of the reference player."""
        return [self.format_command(said) for said in self.play_reference(instance)[0]]

    def find_faults(self, instance: Z) -> list[str]:
        """Return what is false: the game must be open at the start, and won by the reference."""
        state = self.start(instance)
        if self.result(instance, state) is not None:
            return ["the game is over before it begins"]
        if not self.play_reference(instance)[1]:
            return [f"the reference player does not win within {self.turn_budget(instance)} turns"]
        return []

    def format_command(self, said: Command) -> str:
        """Return a command as its form spells it."""
        form = next(form for form in self.forms if form.name == said.form)
        return form.format_command(*said.args)

    def hides_history(self, puzzle: Z) -> bool:
        """Return whether a turn shows nothing before the last reply and the answer to it."""
        return False

    def opponent_share(self, params: P) -> float:
        """Return the greatest share of puzzles that the commands win which win another."""
        return self.fixed

    def step_luck(self, puzzle: Z, number: int) -> Luck:
        """Return the randomness of step `number`, from 0, of a puzzle."""
        return Luck(self.name, getattr(puzzle, SEED, ""), number)

    def list_shown_keys(self, instance: Z) -> list[str]:
        """Return the key of the puzzle, and of what each reply of the reference play is told in it.

        What other plays are told is not listed: there are too many. The words alone are no key, as
        what "higher" says hangs on the puzzle.
        """
        start, states = self.group_key(instance), self._reference_course(instance)[1]
        told = (
            [
                said
                for said in parts_of(self.describe_last_reply(instance, state))
                if isinstance(said, str)
            ]
            for state in states[1:]
            if self.result(instance, state) is None
        )
        return [start, *("\n".join((start, *words)) for words in told)]

    def without_hidden(self, puzzle: Z) -> Z:
        """Return the puzzle without what it hides."""
        return without_roles(puzzle, HIDDEN_ROLES)

    def play_reference(self, puzzle: Z) -> tuple[list[Command], bool]:
        """Return the reference player's commands, and whether they win inside the budget."""
        commands, states = self._reference_course(puzzle)
        return list(commands), self.result(puzzle, states[-1]) is True

    def _reference_course(self, puzzle: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return the reference player's commands, and the states of its play, the start first."""
        # A row asks for its play several times in a row: for its terms, gold and replies. A check
        # plays another puzzle between, so the last two are kept.
        for known in self._last:
            if known[0] is puzzle:
                return known[1], known[2]
        self._memoize_course(puzzle, *self._play_reference(puzzle))
        return self._last[0][1], self._last[0][2]

    def _memoize_course(self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]) -> None:
        """Keep the reference player's commands in a puzzle, and the states."""
        self._last = ((puzzle, commands, states), *self._last[:1])

    def _play_reference(self, puzzle: Z) -> tuple[list[Command], list[S]]:
        player = self.player(self.without_hidden(puzzle))
        states = [self.start(puzzle)]
        commands: list[Command] = []
        try:
            said = next(player)
            while len(commands) < self.turn_budget(puzzle):
                commands.append(said)
                state = states[-1]
                if self.legal(puzzle, state, said):
                    break
                luck = self.step_luck(puzzle, len(commands) - 1)
                states.append(self.step(puzzle, state, said, luck))
                if self.result(puzzle, states[-1]) is not None:
                    break
                said = player.send(self.observe(puzzle, states[-1]))
        except StopIteration:
            pass
        return commands, states
