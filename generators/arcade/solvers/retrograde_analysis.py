"""Retrograde analysis: the turns within which a player surely wins, over a finite graph.

In each position the player chooses an option. An option is the set of its outcomes: positions, WON
or LOST. The other side, be it an opponent, luck or a hidden thing, is assumed to choose the worst
outcome. Positions may repeat: a player that can only go round in circles does not win. The analysis
visits every reachable position and samples nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


class GameEnd(Enum):
    """The end of a game."""

    WON = "won"
    LOST = "lost"


WON, LOST = GameEnd.WON, GameEnd.LOST

MOST = 2_000_000
"""Most positions that an analysis visits."""


@dataclass(frozen=True, slots=True)
class Solution(Generic[P]):
    """The positions from which the player surely wins.

    Attributes:
        turns: the fewest turns within which it wins, by position; other positions are missing.
        choice: the number of the first option that wins so soon, by position.
    """

    turns: Mapping[P, int]
    choice: Mapping[P, int]


def solve_positions(
    starts: Iterable[P], options: Callable[[P], Sequence[Sequence[P | GameEnd]]], most: int = MOST
) -> Solution[P]:
    """Return the reachable positions from which the player surely wins.

    Args:
        starts: where games begin.
        options: returns the options of a position, each with all its outcomes, in a fixed order. A
            position without options is lost.
        most: the most positions to visit.

    Raises:
        ValueError: an option has no outcome, or there are too many positions.
    """
    queue = list(dict.fromkeys(starts))
    known = set(queue)
    owner: list[tuple[P, int]] = []
    waiting: list[int] = []
    users: defaultdict[P, list[int]] = defaultdict(list)
    ready: list[int] = []
    for position in queue:
        for number, follow in enumerate(options(position)):
            if not follow:
                raise ValueError(f"option {number} of {position!r} has no outcome; use WON or LOST")
            if LOST in follow:
                continue
            after = [p for p in dict.fromkeys(follow) if not isinstance(p, GameEnd)]
            option = len(owner)
            owner.append((position, number))
            waiting.append(len(after))
            if not after:
                ready.append(option)
            for other in after:
                users[other].append(option)
                if other not in known:
                    known.add(other)
                    queue.append(other)
        # Positions after lost options need no visit.
        if len(known) > most:
            raise ValueError(f"more than {most} positions; solve a smaller game, or allow more")
    return _propagate_wins(owner, waiting, users, ready)


def _propagate_wins(
    owner: Sequence[tuple[P, int]],
    waiting: list[int],
    users: Mapping[P, Sequence[int]],
    ready: list[int],
) -> Solution[P]:
    """Return the solution, turn by turn from the end.

    Args:
        owner: position and number of each option.
        waiting: the number of outcomes of each option that are not yet won; used up.
        users: the options of which a position is an outcome.
        ready: the options that win at once.
    """
    turns: dict[P, int] = {}
    choice: dict[P, int] = {}
    turn = 0
    while ready:
        turn += 1
        fresh: dict[P, int] = {}
        for option in ready:
            position, number = owner[option]
            if position not in turns:
                fresh[position] = min(number, fresh.get(position, number))
        ready = []
        for position, number in fresh.items():
            turns[position], choice[position] = turn, number
            for option in users.get(position, ()):
                waiting[option] -= 1
                if not waiting[option]:
                    ready.append(option)
    return Solution(turns, choice)
