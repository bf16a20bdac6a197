"""Question trees: players for games in which a hidden thing has to be named.

Hidden things are numbered 0 to C - 1, and questions 0 to Q - 1. `table[q, c]` is the answer to
question q if c is hidden: a small whole number. Naming a thing takes a turn, wins if it is the
right one, and is allowed at any time; a wrong name rules it out. The thing never changes.

`Splitter` asks the question that leaves the fewest things in the worst case, and names one as soon
as there are at most two. `Minimax` searches every relevant strategy and needs the fewest turns in
the worst case; it is for some dozens of things and questions. Both are trees that grow as plays
need them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
N = TypeVar("N")


def longest_play(start: N, list_successors: Callable[[N], Iterable[N]]) -> int:
    """Return the greatest number of turns of a play, by following every play to its end.

    Args:
        start: what is known before the first turn.
        list_successors: returns what may be known after the next turn, plays that end left out.
    """
    most = 0
    stack = [(start, 1)]
    while stack:
        node, turn = stack.pop()
        most = max(most, turn)
        stack += [(after, turn + 1) for after in list_successors(node)]
    return most


@dataclass(slots=True)
class QuestionNode:
    """The knowledge after some answers, and the choice of the player.

    Attributes:
        alive: the things that may be hidden, ascending.
        question: the question of the player; -1 where it names a thing.
        name: the thing that it names.
        children: the nodes after each answer, as far as they exist.
    """

    alive: Places
    question: int
    name: int
    children: dict[int, QuestionNode] = field(default_factory=dict)


class QuestionTree(ABC):
    """A player that asks and names by a table of answers."""

    def __init__(self, table: Table) -> None:
        """Take the answers, shape (Q, C)."""
        self.table = table
        self.root = self._make_node(np.arange(table.shape[1]))

    @abstractmethod
    def _choose_question(self, alive: Places) -> tuple[int, int]:
        """Return a question, or -1, and what is named then, when at least two things are alive."""

    def follow_answer(self, node: QuestionNode, answer: int) -> QuestionNode:
        """Return the node after an answer to the question of a node.

        Raises:
            ValueError: no possible thing has this answer.
        """
        if answer not in node.children:
            alive = node.alive[self.table[node.question, node.alive] == answer]
            node.children[answer] = self._make_node(alive)
        return node.children[answer]

    def follow_wrong_name(self, node: QuestionNode) -> QuestionNode:
        """Return the node after the name of a node was wrong.

        Raises:
            ValueError: nothing else was possible.
        """
        if -1 not in node.children:
            node.children[-1] = self._make_node(node.alive[node.alive != node.name])
        return node.children[-1]

    def _make_node(self, alive: Places) -> QuestionNode:
        if not len(alive):
            raise ValueError("no hidden thing fits these answers; use answers of the table")
        question, name = (-1, int(alive[0])) if len(alive) == 1 else self._choose_question(alive)
        return QuestionNode(alive, question, name)


class Splitter(QuestionTree):
    """The player that leaves the fewest things possible."""

    def __init__(self, table: Table, leave: int = 2) -> None:
        """Begin.

        Args:
            table: the answers, shape (Q, C).
            leave: how many things may be left when one is named; 1 asks until it is certain.
        """
        self._leave = leave
        super().__init__(table)

    def _choose_question(self, alive: Places) -> tuple[int, int]:
        """Return the question whose commonest answer is rarest; of several the first."""
        name = int(alive[0])
        if len(alive) <= self._leave:
            return -1, name
        part = self.table[:, alive]
        commonest = np.zeros(len(part), dtype=np.int64)
        for answer in range(int(part.max()) + 1):
            np.maximum(commonest, np.count_nonzero(part == answer, axis=1), out=commonest)
        question = int(commonest.argmin())
        return (question if commonest[question] < len(alive) else -1), name


class Minimax(QuestionTree):
    """The player that needs the fewest turns in the worst case."""

    def __init__(self, table: Table) -> None:
        """Take the answers, shape (Q, C)."""
        self._answers = int(table.max()) + 1
        self._masks = [
            [_places_to_mask(np.flatnonzero(row == answer)) for answer in range(self._answers)]
            for row in table
        ]
        self._known: dict[tuple[int, int], tuple[int, int] | None] = {}
        super().__init__(table)

    def _choose_question(self, alive: Places) -> tuple[int, int]:
        mask, turns = _places_to_mask(alive), 1
        while (found := self._solve_within(mask, turns)) is None:
            turns += 1
        return found

    def _solve_within(self, alive: int, turns: int) -> tuple[int, int] | None:
        """Return a choice that surely names the thing within so many turns, or None.

        Sets of things are bit masks. Questions that split evenly come first.
        """
        count = alive.bit_count()
        if turns >= count:
            return -1, _lowest_bit(alive)  # name one after the other
        if count > self._most_separable(turns):
            return None
        if (alive, turns) not in self._known:
            self._known[alive, turns] = self._search_within(alive, turns)
        return self._known[alive, turns]

    def _search_within(self, alive: int, turns: int) -> tuple[int, int] | None:
        """Return the result of `_solve_within` by a search."""
        splits: dict[tuple[int, ...], int] = {}
        for question, row in enumerate(self._masks):
            parts = tuple(sorted((p for mask in row if (p := alive & mask)), key=int.bit_count))
            if len(parts) > 1:
                splits.setdefault(parts, question)
        for parts, question in sorted(splits.items(), key=lambda split: split[0][-1].bit_count()):
            if all(self._solve_within(part, turns - 1) for part in reversed(parts)):
                return question, _lowest_bit(alive)
        rest = alive
        while rest:
            name = _lowest_bit(rest)
            if self._solve_within(alive & ~(1 << name), turns - 1):
                return -1, name
            rest &= rest - 1
        return None

    def _most_separable(self, turns: int) -> int:
        """Return the most things that can be told apart, one of them named, in so many turns."""
        room = 1
        for _ in range(turns - 1):
            room = max(self._answers * room, 1 + room)
        return room


def _places_to_mask(places: Places) -> int:
    """Return places as a bit mask."""
    return sum(1 << int(place) for place in places)


def _lowest_bit(mask: int) -> int:
    """Return the lowest place of a mask."""
    return (mask & -mask).bit_length() - 1
