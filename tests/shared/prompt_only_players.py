"""Blind players of games: what is won by who never reads an answer.

    random  draws each command from those that the rules allow
    repeat  says one command again and again
    fixed   says a list of commands, whatever it is answered
    unread  reads the prompt and then says a list of commands, whatever it is answered

The command to repeat and the list are tuned on half of the puzzles and judged on the other half,
both ways round. They are made of what reference players said in the half that they are tuned on:
whole plays one after the other, each the one that then wins most puzzles that are still open. What
such a player wins, a dataset gives away; the best of them is a game's floor. The list of
`prompt_only_win_rate` is tuned on puzzles that begin with the same prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.text_game import Game

AnyGame = Game[Any, Any, Any]
Script = tuple[Command, ...]
Random = Callable[[Any, Any, np.random.Generator], Command]
"""From a puzzle, a state and randomness to a legal command."""


@dataclass(frozen=True, slots=True)
class WinCount:
    """How many of some plays were won."""

    won: int
    plays: int

    @property
    def win_share(self) -> float:
        """The share."""
        return self.won / self.plays if self.plays else 0.0


def read_fixed_share(game: AnyGame, params: Any) -> float:
    """Return the most puzzles of these params that another puzzle's commands win, as declared."""
    best: float = game.fixed
    if not isinstance(game, Duel) or params.opponent_kind == "optimal":
        return best
    return best if game.fixed_at_random is None else game.fixed_at_random


@dataclass(slots=True)
class PlayState:
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

    def apply_command(self, game: AnyGame, said: Command) -> None:
        """Carry out a command as an episode does; nothing happens once the game is over."""
        if not self.turns:
            return
        if game.legal(self.puzzle, self.state, said):
            self.turns = 0 if game.illegal.kind == "end" else self.turns - 1
            return
        luck = game.step_luck(self.puzzle, self.steps)
        self.state = game.step(self.puzzle, self.state, said, luck)
        self.steps += 1
        self.turns -= 1
        won = game.result(self.puzzle, self.state)
        if won is not None:
            self.turns, self.won = 0, won


def prompt_only_wins(
    game: AnyGame, puzzles: Sequence[Any], random: Random | None = None, plays: int = 20
) -> Mapping[str, WinCount]:
    """Return what each blind player wins of some puzzles of one difficulty.

    Args:
        game: the game.
        puzzles: its puzzles, at least two; with some dozens the list is tuned well.
        random: draws a legal command; without it there is no random player.
        plays: plays of the random player of each puzzle.
    """
    halves = (puzzles[::2], puzzles[1::2])
    found = {
        "repeat": _cross_validated_wins(
            game, halves, lambda half: _best_repeated_command(game, half)
        ),
        "fixed": _cross_validated_wins(game, halves, lambda half: tune_fixed_script(game, half)),
    }
    return (
        {"random": random_player_wins(game, puzzles, random, plays), **found} if random else found
    )


def prompt_only_win_rate(game: AnyGame, alike: Sequence[Sequence[Any]]) -> WinCount:
    """Return what a player wins that reads the prompt and no answer.

    Args:
        game: the game.
        alike: lists of puzzles; those of a list begin with the same prompt.
    """
    found = [
        _cross_validated_wins(game, (p[::2], p[1::2]), lambda half: tune_fixed_script(game, half))
        for p in alike
    ]
    return WinCount(sum(wins.won for wins in found), sum(wins.plays for wins in found))


def random_player_wins(
    game: AnyGame, puzzles: Sequence[Any], random: Random, plays: int
) -> WinCount:
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
            rng = make_generator("blind", game.name, number, play)
            table = _open_play(game, puzzle)
            while table.turns:
                table.apply_command(game, random(puzzle, table.state, rng))
            won += table.won
    return WinCount(won, len(puzzles) * plays)


def tune_fixed_script(game: AnyGame, puzzles: Sequence[Any]) -> Script:
    """Return a list of commands that wins many puzzles, whatever they answer."""
    pool = _script_pool(game, puzzles)
    tables = [_open_play(game, puzzle) for puzzle in puzzles]
    script: list[Command] = []
    while pool and any(table.turns for table in tables):
        trials = [(_count_script_wins(game, tables, part), -len(part)) for part in pool]
        best = max(range(len(pool)), key=lambda place: trials[place])
        if not trials[best][0]:
            break
        script += pool[best]
        for table in tables:
            _say_all(game, table, pool[best])
    return tuple(script)


def _script_pool(game: AnyGame, puzzles: Sequence[Any]) -> list[Script]:
    """Return what reference players say: whole plays, and the end of each, each once."""
    plays = [tuple(game.play_reference(puzzle)[0]) for puzzle in puzzles]
    ends = [play[-1:] for play in plays]
    return list(dict.fromkeys((*plays, *ends)))


def _best_repeated_command(game: AnyGame, puzzles: Sequence[Any]) -> Script:
    """Return the command whose repetition wins most puzzles, repeated."""
    most = max(game.turn_budget(puzzle) for puzzle in puzzles)
    commands = dict.fromkeys(said for play in _script_pool(game, puzzles) for said in play)
    tables = [_open_play(game, puzzle) for puzzle in puzzles]
    return max(
        ((said,) * most for said in commands),
        key=lambda script: _count_script_wins(game, tables, script),
        default=(),
    )


def _cross_validated_wins(
    game: AnyGame, halves: Sequence[Sequence[Any]], tune: Callable[[Sequence[Any]], Script]
) -> WinCount:
    """Return what a script wins that is tuned on one half and judged on the other, both ways."""
    won = 0
    for tried, judged in (halves, halves[::-1]):
        script = tune(tried)
        won += _count_script_wins(game, [_open_play(game, puzzle) for puzzle in judged], script)
    return WinCount(won, sum(map(len, halves)))


def _open_play(game: AnyGame, puzzle: Any) -> PlayState:
    return PlayState(puzzle, game.start(puzzle), game.turn_budget(puzzle))


def _count_script_wins(game: AnyGame, tables: Iterable[PlayState], script: Script) -> int:
    """Return how many puzzles that are still open a script wins; they stay as they are."""
    copies = [
        PlayState(table.puzzle, table.state, table.turns, table.steps)
        for table in tables
        if table.turns
    ]
    for table in copies:
        _say_all(game, table, script)
    return sum(table.won for table in copies)


def _say_all(game: AnyGame, table: PlayState, script: Script) -> None:
    for said in script:
        if not table.turns:
            return
        table.apply_command(game, said)
