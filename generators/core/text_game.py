"""The base class of every game: it adds a reference player to the rules and derives the task.

A game defines its rules and words (facelet.generators.core.game_rules), `make` and `player`. The
reference player receives the puzzle without its hidden columns. From its play follow the gold
answer, the reference replies, the proof that a puzzle can be won, and the keys of what a play
shows.

An episode (facelet.generators.core.game_episode) judges a reply in two stages: format (does it give
a command of one of the `forms`?) and legality. Each failure has a declared price. The episode
counts turns, words the complaints and keeps the history. It ends when the rules end the game
(terminated) or when the turns are used up (truncated).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, ClassVar, Generic

from facelet.generators.core.game_episode import MEASURES, GameEpisode
from facelet.generators.core.game_rules import GameRules, Luck, P, S, Z, parts_of
from facelet.generators.core.measures import Measure
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject, Traits

__all__ = ["Game", "Luck", "Player"]

Player = Generator[Command, Any, None]
"""A reference player: it yields commands and is sent what `observe` returns after each."""


class Game(GameRules[P, Z, S], Generic[P, Z, S], vocabulary=True):
    """A game with a reference player.

    Attributes:
        fixed: upper bound on the share of puzzles that the winning commands of another puzzle win,
            at the default params. The value is measured, and tests check it.
    """

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    cost = "turns_when_solved"
    traits: ClassVar[Traits] = Traits(hidden=True, simulated=True)
    fixed: ClassVar[float] = 0.06
    _last: tuple[tuple[Z, Sequence[Command], Sequence[S]], ...] = ()

    def make(self, params: P, draw: Draw) -> Z:
        """Return the puzzle of an item; a game that gets its puzzles ready-made has `generate`.

        Raises:
            Reject: the draw was unlucky.
        """
        raise TypeError(f"{self.name} has neither make nor generate; define one of them")

    @abstractmethod
    def player(self, shown: Z) -> Player:
        """Play well.

        A generator: it yields a command and is sent what `observe` returns after it. So it yields a
        list of commands one by one (`for command in plan: yield command`), not by `yield from`. It
        may stop when nothing is left to do.

        Args:
            shown: the puzzle; its hidden columns are None.
        """

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[Z]:
        """Return the puzzle, once the reference player has won it within the budget."""
        puzzle = self.make(params, draw)
        if not self.play_reference(puzzle)[1]:
            raise Reject("the reference player does not win")
        return (puzzle,)

    def open(self, instance: Z) -> GameEpisode[Z, S]:
        """Return the episode."""
        return GameEpisode(self, instance)

    def reply_form(self, instance: Z) -> str:
        """Return "commands": a reply gives one of the `forms`."""
        return "commands"

    def gold_answer(self, instance: Z) -> str:
        """Return the reference player's commands, one a line; others that win are as good."""
        return "\n".join(self.reference(instance))

    def group_key(self, instance: Z) -> str:
        """Return the puzzle with its secret columns as a key."""
        row = self.encode(instance)
        own = [row[column.name] for column in self.columns if column.role in ("puzzle", "secret")]
        return "|".join(",".join(map(str, v)) if isinstance(v, list) else str(v) for v in own)

    def reference(self, instance: Z) -> list[str]:
        """Return the replies of the reference player."""
        return [self.format_command(command) for command in self._row_course(instance)[0]]

    def find_faults(self, instance: Z) -> list[str]:
        """Return the faults: the game must start open, and the reference player must win it."""
        state = self.start(instance)
        if self.result(instance, state) is not None:
            return ["the game is over before it begins"]
        if not self.play_reference(instance)[1]:
            return [f"the reference player does not win within {self.turn_budget(instance)} turns"]
        return []

    def format_command(self, command: Command) -> str:
        """Return a command as its form spells it."""
        form = next(form for form in self.forms if form.name == command.form)
        return form.format_command(*command.args)

    def opponent_share(self, params: P) -> float:
        """Return the bound on the share of puzzles that another puzzle's commands win."""
        return self.fixed

    def list_shown_keys(self, instance: Z) -> list[str]:
        """Return keys of the puzzle and of every message of the reference play in it.

        Messages of other plays are not listed: there are too many. A message alone is no key, since
        the meaning of "higher" depends on the puzzle.
        """
        start, states = self.group_key(instance), self._row_course(instance)[1]
        messages = (
            [
                part
                for part in parts_of(self.describe_last_reply(instance, state))
                if isinstance(part, str)
            ]
            for state in states[1:]
            if self.result(instance, state) is None
        )
        return [start, *("\n".join((start, *texts)) for texts in messages)]

    def play_reference(self, puzzle: Z) -> tuple[list[Command], bool]:
        """Return the reference player's commands, and whether they win within the budget."""
        commands, states = self._reference_course(puzzle)
        return list(commands), self.result(puzzle, states[-1]) is True

    def _reference_course(self, puzzle: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return the reference player's commands, and the states of its play, the start first."""
        # A row uses its play several times: for its terms, gold and replies. A check plays another
        # puzzle in between, so the last two plays are cached.
        for known in self._last:
            if known[0] is puzzle:
                return known[1], known[2]
        self._memoize_course(puzzle, *self._play_reference(puzzle))
        return self._last[0][1], self._last[0][2]

    def _memoize_course(self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]) -> None:
        """Cache the reference player's commands and states in a puzzle."""
        self._last = ((puzzle, commands, states), *self._last[:1])

    def _row_course(self, instance: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return the commands of a row's reference replies, and the states."""
        return self._reference_course(instance)

    def _play_reference(
        self, puzzle: Z, player: Player | None = None
    ) -> tuple[list[Command], list[S]]:
        player = player or self.player(self.without_hidden(puzzle))
        states = [self.start(puzzle)]
        commands: list[Command] = []
        try:
            command = next(player)
            while len(commands) < self.turn_budget(puzzle):
                commands.append(command)
                state = states[-1]
                if self.legal(puzzle, state, command):
                    break
                luck = self.step_luck(puzzle, len(commands) - 1)
                states.append(self.step(puzzle, state, command, luck))
                if self.result(puzzle, states[-1]) is not None:
                    break
                command = player.send(self.observe(puzzle, states[-1]))
        except StopIteration:
            pass
        return commands, states
