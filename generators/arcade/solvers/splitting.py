"""Questions that split: players and bounds for games in which a hidden thing has to be named.

What may be hidden is numbered, 0 to C - 1, and so are the questions, 0 to Q - 1. `table[q, c]` is
what question q is answered if c is hidden: a small whole number. Naming a thing takes a turn, wins
if it is the right one, and may be done at any time; a wrong name rules it out.

The player asks what leaves the fewest things in the worst case, and names one as soon as there are
at most two. Its tree is grown as far as plays go, and whole by `turns`, which is thus no estimate:
every hidden thing has been played. `fewest` is the optimum, for small tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


@dataclass(slots=True)
class Node:
    """What is known after some answers.

    Attributes:
        alive: what may still be hidden, ascending.
        question: what the player asks; -1 where it names the first thing that is alive.
        children: what follows each answer, as far as it has been looked at.
    """

    alive: Places
    question: int
    children: dict[int, Node] = field(default_factory=dict)

    @property
    def name(self) -> int:
        """The first thing that may be hidden."""
        return int(self.alive[0])


class Splitter:
    """The player; see the module."""

    def __init__(self, table: Table, leave: int = 2) -> None:
        """Begin.

        Args:
            table: the answers, shape (Q, C).
            leave: how many things may be left when one is named; 1 asks until it is certain.
        """
        self.table = table
        self._leave = leave
        self.root = self._node(np.arange(table.shape[1]))

    def heard(self, node: Node, answer: int) -> Node:
        """Return what is known once the node's question has been answered.

        Raises:
            ValueError: nothing that is alive would answer so.
        """
        if answer not in node.children:
            alive = node.alive[self.table[node.question, node.alive] == answer]
            node.children[answer] = self._node(alive)
        return node.children[answer]

    def missed(self, node: Node) -> Node:
        """Return what is known once the node's name was wrong."""
        if -1 not in node.children:
            node.children[-1] = self._node(node.alive[1:])
        return node.children[-1]

    def turns(self) -> int:
        """Return the turns that the player needs at most, the naming included."""
        most = 0
        stack = [(self.root, 1)]
        while stack:
            node, turn = stack.pop()
            most = max(most, turn)
            stack += [(child, turn + 1) for child in self._all(node)]
        return most

    def _all(self, node: Node) -> Iterator[Node]:
        """Yield what may follow a node, the end left out."""
        if node.question >= 0:
            for answer in np.unique(self.table[node.question, node.alive]):
                yield self.heard(node, int(answer))
        elif len(node.alive) > 1:
            yield self.missed(node)

    def _node(self, alive: Places) -> Node:
        if not len(alive):
            raise ValueError("no hidden thing fits these answers; they are not those of the table")
        return Node(alive, -1 if len(alive) <= self._leave else self._split(alive))

    def _split(self, alive: Places) -> int:
        """Return the question whose commonest answer is rarest; of several the first."""
        part = self.table[:, alive]
        commonest = np.zeros(len(part), dtype=np.int64)
        for answer in range(int(part.max()) + 1):
            np.maximum(commonest, np.count_nonzero(part == answer, axis=1), out=commonest)
        question = int(commonest.argmin())
        return question if commonest[question] < len(alive) else -1


def fewest(table: Table, most: int = 30) -> int | None:
    """Return the least number of turns within which the hidden thing is surely named.

    Every strategy is looked at that may matter: deepening by turns, with what is too many for the
    turns left cut off. For some dozens of things and questions.

    Args:
        table: the answers, shape (Q, C).
        most: turns looked at; None is returned where they do not suffice.
    """
    answers = int(table.max()) + 1
    everything = (1 << table.shape[1]) - 1
    masks = [
        [sum(1 << int(c) for c in np.flatnonzero(row == a)) for a in range(answers)]
        for row in table
    ]

    @cache
    def room(turns: int) -> int:
        """Return how many things can at most be told apart, and the right one named."""
        return 0 if turns < 1 else max(answers * room(turns - 1), 1 + room(turns - 1))

    @cache
    def within(alive: int, turns: int) -> bool:
        count = alive.bit_count()
        if count <= 1:
            return turns >= count
        if count > room(turns):
            return False
        if turns >= count:
            return True  # all can be named one by one
        splits = {tuple(p for mask in row if (p := alive & mask)) for row in masks}
        for parts in sorted(splits, key=lambda parts: (max(p.bit_count() for p in parts), parts)):
            if len(parts) > 1 and all(within(part, turns - 1) for part in parts):
                return True
        return any(within(alive & ~(1 << c), turns - 1) for c in _bits(alive))

    return next((turns for turns in range(1, most + 1) if within(everything, turns)), None)


def _bits(mask: int) -> Iterator[int]:
    """Yield the places of a number's ones."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
