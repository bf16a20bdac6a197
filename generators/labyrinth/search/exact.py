"""Exact search: the fewest turns to a treasure, how many ways there are, and one of them.

Turns are counted as insertions. A board stands before an insertion, so from it at least one is
needed; `turns` is 0 only for a treasure that the pawn can walk to, where the first move comes
before any insertion. What is counted:

- insertions: sequences of insertions after which the pawn can have reached the treasure in so many
  turns, moving as it likes in between. Two rotations that leave equal boards are one.
- plans: these sequences together with the cell where each turn ends, the last one on the treasure.
- chance: how likely a player is to get there in so many turns that draws each insertion evenly from
  the legal ones and each cell evenly from those that it can reach.

The search itself is compiled (_search.c); its plain twin stands in the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from facelet.generators.labyrinth.board.actions import Action, insertion, move
from facelet.generators.labyrinth.board.boards import CELLS, SLOTS, SPARE, Board, Slot, carried
from facelet.generators.labyrinth.search.compiled import core

LIMIT = 4
"""Most turns that puzzles are made with: five are as quick to prove, but next to never found."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How many shortest ways there are, as the module says."""

    insertions: int
    plans: int
    chance: float


def _before(board: Board) -> int:
    return -1 if board.last is None else board.last.number


def turns(board: Board, letter: str, limit: int) -> int:
    """Return the fewest insertions after which the pawn can stand on a treasure.

    The board stands before an insertion, so this is at least 1.

    Args:
        board: the position.
        letter: the treasure, on the board or on the spare tile.
        limit: turns that are searched, 0 to 8.

    Returns:
        The number of turns, or limit + 1 when there are more.
    """
    place = board.place(letter)
    found = core().least_turns(bytes(board.tiles), board.pawn, _before(board), place, limit)
    return int(found)


def turns_to_go(board: Board, letter: str, limit: int) -> int:
    """Return the fewest insertions that are still needed after a turn: 0 on the treasure."""
    return 0 if board.pawn == board.place(letter) else turns(board, letter, limit)


def survey(
    board: Board, letters: Iterable[str], limit: int, pawns: range | None = None
) -> dict[tuple[int, str], int]:
    """Return the fewest turns to several treasures at once, from one or more cells.

    Args:
        board: the position.
        letters: the treasures.
        limit: turns that are searched.
        pawns: cells to start from, a range of step 1; by default the pawn's.

    Returns:
        Turns by (cell, letter), limit + 1 where there are more.
    """
    cells = pawns if pawns is not None else range(board.pawn, board.pawn + 1)
    places = {letter: board.place(letter) for letter in letters}
    wanted = sum(1 << place for place in places.values())
    found: bytes = core().survey(
        bytes(board.tiles), cells.start, cells.stop, _before(board), wanted, limit
    )
    return {
        (cell, letter): found[(CELLS + 1) * index + place]
        for index, cell in enumerate(cells)
        for letter, place in places.items()
    }


def ways(board: Board, letter: str, number: int) -> Ways:
    """Count the ways to a treasure in exactly `number` turns, at least 1.

    They are the shortest ones if `turns` says so.
    """
    place = board.place(letter)
    insertions, plans, chance, _ = core().ways(
        bytes(board.tiles), board.pawn, _before(board), place, number, 0
    )
    # Six digits: the last bits of a sum of a million terms are nobody's business.
    return Ways(insertions, plans, float(f"{chance:.6g}"))


def way(board: Board, letter: str, number: int, pick: int) -> tuple[tuple[Slot, int], ...]:
    """Return sequence number `pick` of insertions that reach a treasure in `number` turns.

    Returns:
        The slot and the tile as it lies for each turn; empty when there are not so many.
    """
    place = board.place(letter)
    _, _, _, path = core().ways(bytes(board.tiles), board.pawn, _before(board), place, number, pick)
    return tuple((SLOTS[path[i]], path[i + 1]) for i in range(0, len(path), 2))


def walk(
    board: Board, letter: str, insertions: Sequence[tuple[Slot, int]]
) -> tuple[tuple[Action, ...], ...]:
    """Return the turns of a plan over some insertions, moving no more than it must.

    Worked out backwards: each turn ends where the pawn already stands if that will do, else on the
    first cell that will.

    Raises:
        ValueError: these insertions do not lead to the treasure.
    """
    boards = [board]
    for slot, tile in insertions:
        boards.append(boards[-1].insert(slot, tile))
    goal = boards[-1].place(letter)
    if goal == SPARE:
        raise ValueError(f"these insertions push the treasure {letter} off the board; use others")
    # wanted[i]: cells where turn i may end, so that the rest of the plan works.
    wanted = [frozenset({goal})]
    for i in range(len(insertions), 0, -1):
        near = frozenset().union(*(boards[i].reachable(cell) for cell in wanted[0]))
        wanted.insert(
            0, frozenset(c for c in range(CELLS) if carried(c, insertions[i - 1][0]) in near)
        )
    pawn, plan = board.pawn, []
    if pawn not in wanted[0]:
        raise ValueError(f"these insertions do not lead to the treasure {letter}; use others")
    for i, (slot, tile) in enumerate(insertions, 1):
        pawn = carried(pawn, slot)
        stops = wanted[i] & boards[i].reachable(pawn)
        stop = pawn if pawn in stops else min(stops)
        plan.append((insertion(slot, tile), move(stop, pawn)))
        pawn = stop
    return tuple(plan)
