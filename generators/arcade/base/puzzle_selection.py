"""Skip puzzles that players win without reading a reply, or by an obvious rule.

Three cheap players try each new puzzle: random legal commands; the lists of commands that win other
puzzles of the same params; and, unless the game measures planning, the commands that win puzzles
with the same first prompt. A puzzle that one of them wins more often than allowed is skipped. So is
a puzzle that the obvious rule of its game wins, where the game says so (`beats_rule`). The param
`picked` turns the selection off.

A game with few puzzles skips none, and a game declares the levels of the selection: the first may
be too small to have other puzzles, and large puzzles are hardly ever won by chance, while each try
takes longer the larger the puzzle is. The rule is tried at every later level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from facelet.generators.arcade.obvious_rules.rule_registry import RULES
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.core.text_game import Player

AnyGame = Any
"""An `ArcadeGame`, whose module imports this one."""
LEGAL, LEGAL_WINS = 24, 4
"""Plays of random legal commands, and how many of them may win: one in six."""
LISTS, LIST_WINS = 16, 2
"""Lists that win other puzzles, and how many of them may win this one."""
PLANS, PLAN_WINS = 6, 1
"""Puzzles with the same first prompt, and how many of their winning lists may win this one."""
ENOUGH = 10_000
"""The least number of puzzles of a game that skips some, so that no two items share one."""
PATIENCE = 40
"""Puzzles that are skipped for an item at most; the next one is accepted."""
FIRST = 10
"""Tries after which a puzzle that no try has won is accepted."""
_ATTEMPTS = 40


def find_cheap_win(game: AnyGame, params: Any, puzzle: Any, rng: np.random.Generator) -> str:
    """Return why cheap players win a puzzle, in words; "" if they do not win it too often.

    Args:
        game: the game.
        params: the params that made the puzzle.
        puzzle: the puzzle, with its terms.
        rng: the randomness of the tries.
    """
    if game.beats_rule and wins_by_player(game, puzzle, RULES[game.name]):
        return "an obvious rule wins it"
    if params.level > game.picks_to:
        return ""
    if _exceeds_win_count((game.wins_randomly(puzzle, rng) for _ in range(LEGAL)), LEGAL_WINS):
        return "random legal commands win it too often"
    lists = _winning_scripts(game, params)
    if _exceeds_win_count((game.wins_by(puzzle, script) for script in lists), LIST_WINS):
        return "commands that win other puzzles win it"
    if game.planning:
        return ""
    known = {puzzle: True}  # Few may look alike, and some are drawn twice.

    def wins_by_plan(other: Any) -> bool:
        if other not in known:
            known[other] = game.wins_by(puzzle, game.reference_plan(other))
        return known[other]

    if _exceeds_win_count(map(wins_by_plan, game.draw_lookalikes(puzzle, PLANS, rng)), PLAN_WINS):
        return "commands planned from the prompt alone win it"
    return ""


def _exceeds_win_count(tries: Iterable[bool], most: int) -> bool:
    """Return whether more than `most` tries win.

    It stops as soon as the result is known, and where none of the first tries wins.
    """
    wins = 0
    for number, one in enumerate(tries, 1):
        wins += one
        if wins > most or (not wins and number == FIRST):
            break
    return wins > most


def wins_by_random_commands(game: AnyGame, puzzle: Any, rng: np.random.Generator) -> bool:
    """Return whether random legal commands win, by playing them turn by turn."""
    state = game.start(puzzle)
    for turn in range(game.turn_budget(puzzle)):
        if (result := game.result(puzzle, state)) is not None:
            return result is True
        command = game.random_command(puzzle, state, rng)
        state = game.step(puzzle, state, command, game.step_luck(puzzle, turn))
    return game.result(puzzle, state) is True


def wins_by_commands(game: AnyGame, puzzle: Any, commands: Sequence[Command]) -> bool:
    """Return whether a list of commands wins, by playing it turn by turn.

    A command that is not allowed is skipped, or loses if the game ends there.
    """
    state, carried = game.start(puzzle), 0
    for command in commands[: game.turn_budget(puzzle)]:
        if game.result(puzzle, state) is not None:
            break
        if game.legal(puzzle, state, command):
            if game.illegal.kind == "end":
                return False
            continue
        state = game.step(puzzle, state, command, game.step_luck(puzzle, carried))
        carried += 1
    return game.result(puzzle, state) is True


def wins_by_player(game: AnyGame, puzzle: Any, play: Callable[[Any], Player]) -> bool:
    """Return whether a player wins; see `ArcadeGame.wins_by_player`."""
    player, state, carried = play(game.without_hidden(puzzle)), game.start(puzzle), 0
    heard: Any = None
    for _ in range(game.turn_budget(puzzle)):
        try:
            command = player.send(heard)
        except StopIteration:
            break
        heard = None
        if game.legal(puzzle, state, command):
            if game.illegal.kind == "end":
                break
            continue
        state = game.step(puzzle, state, command, game.step_luck(puzzle, carried))
        carried += 1
        if game.result(puzzle, state) is not None:
            break
        heard = game.observe(puzzle, state)
    return game.result(puzzle, state) is True


@lru_cache(maxsize=256)
def _winning_scripts(game: AnyGame, params: Any) -> tuple[tuple[Command, ...], ...]:
    """Return lists that win fixed puzzles of these params."""
    found: list[tuple[Command, ...]] = []
    for index in range(LISTS):
        for attempt in range(_ATTEMPTS):
            try:
                puzzle = game.draw_puzzle(params, Draw(("picking", game.name), index, attempt))
            except Reject:
                continue
            found.append(tuple(game.play_reference(puzzle)[0]))
            break
    return tuple(found)
