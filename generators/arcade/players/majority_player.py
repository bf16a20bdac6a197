"""Roles by the majorities of threes, for any number of players that 3 divides.

Roles are 0 and 1; asking about three players tells the role that most of them have. Between a third
and two thirds of the players have either role. `find_roles` asks about the threes side by side.

If their majorities differ, some neighbours' do. Between those, four windows of three lie in a row,
each a place on from the last; where the majority turns, the player that leaves has the old role,
the one that comes has the new one, and the two between differ. If the majorities are all the same,
every three has exactly one player of the other role. Either way both roles are known of somebody
after a few queries, and with one of each at hand a query tells the role of any player; a three
whose majority is known takes two. With m players that makes at most m + 1 queries.
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
"""It yields three players and is sent the role that most of them have."""


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
        roles: takes the roles of those that are found out.
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
        roles: takes the roles of the six players.
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
"""Which of six players are the odd ones of two threes."""


@cache
def _two_threes() -> Splitter:
    """Return the questions that tell the cases apart; answer 1 if most players are odd ones."""
    table = [[sum(place in case for place in three) > 1 for case in _CASES] for three in _QUERIES]
    return Splitter(np.array(table, dtype=np.uint8), leave=1)


def _find_remaining_roles(three: Three, most: int, roles: Roles, known: Roles) -> Asking:
    """Find the roles in a three that are not known yet.

    Args:
        three: the players.
        most: the role that most of them have.
        roles: the roles so far; takes the others.
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
