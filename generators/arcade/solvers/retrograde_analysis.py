"""Retrograde analysis: within how many turns a player surely wins, over a finite graph.

In each position the player chooses an option. An option is what may follow it: positions, WON or
LOST. Who chooses among these, be it an opponent, luck, or a hidden thing that comes to light, is
taken to choose the worst. Positions may repeat: a player that can only go round in circles does not
win. Nothing is sampled: the analysis visits every position that can be reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


class GameEnd(Enum):
    """How a game ends."""

    WON = "won"
    LOST = "lost"


WON, LOST = GameEnd.WON, GameEnd.LOST

MOST = 2_000_000
"""Positions that an analysis visits at most."""


@dataclass(frozen=True, slots=True)
class Solution(Generic[P]):
    """The positions from which the player surely wins.

    Attributes:
        turns: the least number of turns within which it does, by position; others are left out.
        choice: the number of the option that does so; of several the first.
    """

    turns: Mapping[P, int]
    choice: Mapping[P, int]


def solve_positions(
    starts: Iterable[P], options: Callable[[P], Sequence[Sequence[P | GameEnd]]], most: int = MOST
) -> Solution[P]:
    """Return the positions, among those that can be reached, from which the player surely wins.

    Args:
        starts: where games begin.
        options: the options of a position, each with all that may follow it, in a fixed order. A
            position without options is lost.
        most: how many positions may be visited.

    Raises:
        ValueError: an option has nothing that follows, or there are too many positions.
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
                raise ValueError(f"option {number} of {position!r} has no end; say WON or LOST")
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
        # What only lost options lead to needs no visit: it is never gone to.
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
        waiting: how many of the positions that may follow each option are not yet won; used up.
        users: the options that a position may follow.
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
