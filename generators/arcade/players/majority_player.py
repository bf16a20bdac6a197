"""Find the roles of players by the majorities of threes; 3 divides the number of players.

Roles are 0 and 1; a question about three players returns the role that most of them have. Between a
third and two thirds of the players have either role. `find_roles` first asks about disjoint threes.

If their majorities differ, those of some neighbours do. Between those, four windows of three follow
each other, each shifted by one place; where the majority turns, the player that leaves has the old
role, the one that enters has the new one, and the two between differ. If all majorities are equal,
every three has exactly one player of the other role. Either way a few queries reveal a player of
each role. With one of each, a query reveals the role of any player; a three with a known majority
takes two queries. With m players that makes at most m + 1 queries.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np

from facelet.generators.arcade.solvers.question_trees import Splitter

Three = tuple[int, int, int]
Roles = dict[int, int]
"""Roles by player."""
Asking = Generator[Three, int, None]
"""A generator that yields three players and is sent the role that most of them have."""


def find_roles(players: int) -> Generator[Three, int, Roles]:
    """Ask until the roles of all players, numbered from 1, are known, and return them.

    Args:
        players: how many there are; 3 divides it, and there are at least 6.
    """
    threes = [(first, first + 1, first + 2) for first in range(1, players, 3)]
    most = []
    for three in threes:
        most.append((yield three))
    roles: Roles = {}
    if len(set(most)) == 1:
        yield from _find_odd_ones(threes, most[0], roles)
    else:
        turn = next(number for number, (old, new) in enumerate(pairwise(most)) if old != new)
        yield from _find_majority_turn(threes[turn] + threes[turn + 1], most[turn], roles)
    known = {role: player for player, role in roles.items()}
    for three, role in zip(threes, most, strict=True):
        yield from _find_remaining_roles(three, role, roles, known)
    return roles


def _find_majority_turn(six: Sequence[int], old: int, roles: Roles) -> Asking:
    """Find where the majority turns between the first three and the last three.

    Args:
        six: the players.
        old: the majority of the first three.
        roles: receives the roles found.
    """
    place = 0
    while place < 2 and (yield (six[place + 1], six[place + 2], six[place + 3])) == old:
        place += 1
    roles[six[place]], roles[six[place + 3]] = old, 1 - old
    one, other = six[place + 1], six[place + 2]
    roles[one] = yield (one, six[place], six[place + 3])
    roles[other] = 1 - roles[one]


def _find_odd_ones(threes: Sequence[Three], most: int, roles: Roles) -> Asking:
    """Find the one player of the other role in each of the first two threes.

    Args:
        threes: the threes, each of which has exactly one.
        most: the majority of all.
        roles: receives the roles of the six players.
    """
    splitter = _two_threes()
    six = threes[0] + threes[1]
    node = splitter.root
    while node.question >= 0:
        a, b, c = (six[place] for place in _QUERIES[node.question])
        heard = yield (a, b, c)
        node = splitter.follow_answer(node, int(heard != most))
    for place, player in enumerate(six):
        roles[player] = 1 - most if place in _CASES[node.name] else most


_QUERIES = tuple(combinations(range(6), 3))
_CASES = tuple(product((0, 1, 2), (3, 4, 5)))
"""The possible odd ones of two threes, among six players."""


@cache
def _two_threes() -> Splitter:
    """Return the questions that separate the cases; answer 1 if most players are odd ones."""
    table = [[sum(place in case for place in three) > 1 for case in _CASES] for three in _QUERIES]
    return Splitter(np.array(table, dtype=np.uint8), leave=1)


def _find_remaining_roles(three: Three, most: int, roles: Roles, known: Roles) -> Asking:
    """Find the unknown roles in a three.

    Args:
        three: the players.
        most: the role that most of them have.
        roles: the roles so far; receives the others.
        known: a player of each role.
    """
    missing = [player for player in three if player not in roles]
    needed = 2 - sum(roles.get(player) == most for player in three)
    if len(missing) > max(1, needed):
        one, other = missing[:2]
        if (yield (one, other, known[1 - most])) == most:
            roles[one] = roles[other] = most
        else:
            # They differ; and if there is a third, it has the majority's role.
            roles[one] = yield (one, known[0], known[1])
            roles[other] = 1 - roles[one]
            roles.update(dict.fromkeys(missing[2:], most))
        missing, needed = missing[2:], 0
    for player in missing:
        if player not in roles:
            roles[player] = most if needed else (yield (player, known[0], known[1]))
