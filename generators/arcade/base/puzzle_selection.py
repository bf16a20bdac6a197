"""Picking: which puzzles of a game are passed over, since they are won without reading an answer.

Three cheap players try each puzzle that is made: any legal commands; the lists of commands that win
other puzzles of the same params; and unless the game is to plan, the commands that win puzzles
which look the same at the start. A puzzle that one of them wins more often than is allowed is not
asked. What is left is harder than the paper's by that much; the param `picked` brings all back.
Of few puzzles none is passed over, and a game says from which level to which it picks: its first
may be too small to have others, and of large ones hardly any is won by chance, while each try takes
as long as the puzzle is large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

if TYPE_CHECKING:
    from facelet.generators.arcade.base.game import ArcadeGame

Game = Any
LEGAL, LEGAL_WINS = 24, 4
"""Plays of any legal commands, and how many of them may win: a sixth, as six cannot tell less."""
LISTS, LIST_WINS = 16, 2
"""Lists that win other puzzles, and how many of them may win this one."""
PLANS, PLAN_WINS = 6, 1
"""Puzzles that look the same, and how many of their winning lists may win this one."""
ENOUGH = 10_000
"""Puzzles that a game must have at least, where they are numbered: of fewer none is passed over, or
two items would have one."""
PATIENCE = 40
"""Puzzles that are passed over for an item; where so many are won cheaply, the next is asked."""
FIRST = 10
"""Tries after which a puzzle that none has won is asked."""
_ATTEMPTS = 40


def find_cheap_win(game: Game, params: Any, puzzle: Any, rng: np.random.Generator) -> str:
    """Return why a puzzle is won too cheaply, in words; "" if it is not.

    Args:
        game: the game.
        params: the params that made the puzzle.
        puzzle: the puzzle, with its terms.
        rng: the randomness of the tries.
    """
    if _exceeds_win_count((game.wins_randomly(puzzle, rng) for _ in range(LEGAL)), LEGAL_WINS):
        return "any legal commands win it often"
    lists = _winning_scripts(game, params)
    if _exceeds_win_count((game.wins_by(puzzle, said) for said in lists), LIST_WINS):
        return "lists that win other puzzles win it"
    if game.planning:
        return ""
    known = {puzzle: True}  # Few may look alike, and some are drawn twice.

    def wins_by_plan(other: Any) -> bool:
        if other not in known:
            known[other] = game.wins_by(puzzle, game.reference_plan(other))
        return known[other]

    if _exceeds_win_count(map(wins_by_plan, game.draw_lookalikes(puzzle, PLANS, rng)), PLAN_WINS):
        return "it is won by who hears no answer"
    return ""


def _exceeds_win_count(tries: Iterable[bool], most: int) -> bool:
    """Return whether more tries win than may; no more are made than it takes to tell.

    Where none of the first tries wins, the others are spared.
    """
    wins = 0
    for number, one in enumerate(tries, 1):
        wins += one
        if wins > most or (not wins and number == FIRST):
            break
    return wins > most


def wins_by_random_commands(game: Game, puzzle: Any, rng: np.random.Generator) -> bool:
    """Return whether a player of any legal commands wins, by playing it turn by turn."""
    state = game.start(puzzle)
    for turn in range(game.turn_budget(puzzle)):
        if (result := game.result(puzzle, state)) is not None:
            return result is True
        said = game.random_command(puzzle, state, rng)
        state = game.step(puzzle, state, said, game.step_luck(puzzle, turn))
    return game.result(puzzle, state) is True


def wins_by_commands(game: Game, puzzle: Any, commands: Sequence[Command]) -> bool:
    """Return whether a list of commands wins, by playing it turn by turn.

    A command that is not allowed costs what it costs.
    """
    state, carried = game.start(puzzle), 0
    for said in commands[: game.turn_budget(puzzle)]:
        if game.result(puzzle, state) is not None:
            break
        if game.legal(puzzle, state, said):
            if game.illegal.kind == "end":
                return False
            continue
        state = game.step(puzzle, state, said, game.step_luck(puzzle, carried))
        carried += 1
    return game.result(puzzle, state) is True


@lru_cache(maxsize=256)
def _winning_scripts(
    game: ArcadeGame[Any, Any, Any], params: Any
) -> tuple[tuple[Command, ...], ...]:
    """Return lists that win puzzles of some params, always the same ones."""
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
