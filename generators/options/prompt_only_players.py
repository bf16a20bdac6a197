"""Blind players of games: what is won by who never reads an answer.

    random  draws each command from those that the rules allow
    repeat  says one command again and again
    fixed   says a list of commands, whatever it is answered
    unread  reads the prompt and then says a list of commands, whatever it is answered

The command to repeat and the list are tuned on half of the puzzles and judged on the other half,
both ways round. They are made of what reference players said in the half that they are tuned on:
whole plays one after the other, each the one that then wins most puzzles that are still open. What
such a player wins, a dataset gives away; the best of them is a game's floor. The list of `unread`
is tuned on puzzles that begin with the same prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelet.generators.core.game import Game
from facelet.generators.core.replies.command import Said
from facelet.generators.core.seeding import generator

AnyGame = Game[Any, Any, Any]
Script = tuple[Said, ...]
Random = Callable[[Any, Any, np.random.Generator], Said]
"""From a puzzle, a state and randomness to a legal command."""


@dataclass(frozen=True, slots=True)
class Wins:
    """How many of some plays were won."""

    won: int
    plays: int

    @property
    def share(self) -> float:
        """The share."""
        return self.won / self.plays if self.plays else 0.0


@dataclass(slots=True)
class Table:
    """One puzzle being played.

    Attributes:
        puzzle: the puzzle.
        state: its state.
        turns: the turns that are left; 0 once the game is over.
        steps: legal commands so far.
        won: whether it was won.
    """

    puzzle: Any
    state: Any
    turns: int
    steps: int = 0
    won: bool = False

    def say(self, game: AnyGame, said: Said) -> None:
        """Carry out a command as an episode does; nothing happens once the game is over."""
        if not self.turns:
            return
        if game.legal(self.puzzle, self.state, said):
            self.turns = 0 if game.illegal.kind == "end" else self.turns - 1
            return
        luck = game.luck(self.puzzle, self.steps)
        self.state = game.step(self.puzzle, self.state, said, luck)
        self.steps += 1
        self.turns -= 1
        won = game.result(self.puzzle, self.state)
        if won is not None:
            self.turns, self.won = 0, won


def blind(
    game: AnyGame, puzzles: Sequence[Any], random: Random | None = None, plays: int = 20
) -> Mapping[str, Wins]:
    """Return what each blind player wins of some puzzles of one difficulty.

    Args:
        game: the game.
        puzzles: its puzzles, at least two; with some dozens the list is tuned well.
        random: draws a legal command; without it there is no random player.
        plays: plays of the random player of each puzzle.
    """
    halves = (puzzles[::2], puzzles[1::2])
    found = {
        "repeat": _both(game, halves, lambda half: _repeated(game, half)),
        "fixed": _both(game, halves, lambda half: tuned(game, half)),
    }
    return {"random": drawn(game, puzzles, random, plays), **found} if random else found


def unread(game: AnyGame, alike: Sequence[Sequence[Any]]) -> Wins:
    """Return what a player wins that reads the prompt and no answer.

    Args:
        game: the game.
        alike: lists of puzzles; those of a list begin with the same prompt.
    """
    found = [_both(game, (p[::2], p[1::2]), lambda half: tuned(game, half)) for p in alike]
    return Wins(sum(wins.won for wins in found), sum(wins.plays for wins in found))


def drawn(game: AnyGame, puzzles: Sequence[Any], random: Random, plays: int) -> Wins:
    """Return what the random player wins.

    Args:
        game: the game.
        puzzles: its puzzles.
        random: draws a legal command.
        plays: plays of each puzzle.
    """
    won = 0
    for number, puzzle in enumerate(puzzles):
        for play in range(plays):
            rng = generator("blind", game.name, number, play)
            table = _open(game, puzzle)
            while table.turns:
                table.say(game, random(puzzle, table.state, rng))
            won += table.won
    return Wins(won, len(puzzles) * plays)


def tuned(game: AnyGame, puzzles: Sequence[Any]) -> Script:
    """Return a list of commands that wins many puzzles, whatever they answer."""
    pool = _pool(game, puzzles)
    tables = [_open(game, puzzle) for puzzle in puzzles]
    script: list[Said] = []
    while pool and any(table.turns for table in tables):
        trials = [(_wins(game, tables, part), -len(part)) for part in pool]
        best = max(range(len(pool)), key=lambda place: trials[place])
        if not trials[best][0]:
            break
        script += pool[best]
        for table in tables:
            _say_all(game, table, pool[best])
    return tuple(script)


def _pool(game: AnyGame, puzzles: Sequence[Any]) -> list[Script]:
    """Return what reference players say: whole plays, and the end of each, each once."""
    plays = [tuple(game.played(puzzle)[0]) for puzzle in puzzles]
    ends = [play[-1:] for play in plays]
    return list(dict.fromkeys((*plays, *ends)))


def _repeated(game: AnyGame, puzzles: Sequence[Any]) -> Script:
    """Return the command whose repetition wins most puzzles, repeated."""
    most = max(game.turns(puzzle) for puzzle in puzzles)
    commands = dict.fromkeys(said for play in _pool(game, puzzles) for said in play)
    tables = [_open(game, puzzle) for puzzle in puzzles]
    return max(
        ((said,) * most for said in commands),
        key=lambda script: _wins(game, tables, script),
        default=(),
    )


def _both(
    game: AnyGame, halves: Sequence[Sequence[Any]], tune: Callable[[Sequence[Any]], Script]
) -> Wins:
    """Return what a script wins that is tuned on one half and judged on the other, both ways."""
    won = 0
    for tried, judged in (halves, halves[::-1]):
        script = tune(tried)
        won += _wins(game, [_open(game, puzzle) for puzzle in judged], script)
    return Wins(won, sum(map(len, halves)))


def _open(game: AnyGame, puzzle: Any) -> Table:
    return Table(puzzle, game.start(puzzle), game.turns(puzzle))


def _wins(game: AnyGame, tables: Iterable[Table], script: Script) -> int:
    """Return how many puzzles that are still open a script wins; they stay as they are."""
    copies = [
        Table(table.puzzle, table.state, table.turns, table.steps)
        for table in tables
        if table.turns
    ]
    for table in copies:
        _say_all(game, table, script)
    return sum(table.won for table in copies)


def _say_all(game: AnyGame, table: Table, script: Script) -> None:
    for said in script:
        if not table.turns:
            return
        table.say(game, said)
