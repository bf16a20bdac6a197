"""Search exactly: the fewest turns to a treasure, the number of ways, and one of them.

Turns are counted as insertions. When an insertion is due, at least one is needed; an instance has 0
turns only if a move is due and the pawn can walk to the treasure. For a given number of turns the
search counts:

- insertions: sequences of insertions with which the pawn can reach the treasure, moving as it likes
  in between. Two rotations that give equal boards count as one.
- plans: these sequences together with the cell where each turn ends, the last one on the treasure.
- chance: the probability that a player gets there that draws each insertion uniformly from the
  legal ones and each cell uniformly from those that it can reach.

The search is compiled (_search.c); its Python twin is in the tests. The fewest turns, which scoring
needs, can also be found without it, more slowly (see `python_search`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from facelet.generators.core.compiled_parts import CompiledPart, load_compiled
from facelet.generators.labyrinth.board.actions import Action, make_insertion, make_move
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    SLOTS,
    SPARE,
    Board,
    Slot,
    shift_pawn,
)
from facelet.generators.labyrinth.search import python_search

if TYPE_CHECKING:
    from facelet.generators.labyrinth.search import _search as core
else:
    core = CompiledPart("facelet.generators.labyrinth.search._search", "the labyrinth's search")

LIMIT = 4
"""Most turns that instances are made with. Five take 2 ms to prove, but do not occur: of the
119,732,235 pairs of a pawn's cell and a treasure on 103,335 random boards 1,540 were four turns
apart, and none was further."""


@dataclass(frozen=True, slots=True)
class WayCounts:
    """The numbers of ways; see the module."""

    insertions: int
    plans: int
    chance: float


def _previous_slot(board: Board) -> int:
    return -1 if board.last is None else board.last.slot_number


def fewest_turns(board: Board, letter: str, limit: int) -> int:
    """Return the fewest insertions after which the pawn can reach a treasure.

    An INSERT is due on the board, so this is at least 1.

    Args:
        board: the board.
        letter: the treasure, on the board or on the spare tile.
        limit: turns that are searched, 0 to 8.

    Returns:
        The number of turns, or limit + 1 when there are more.
    """
    place, before = board.treasure_cell(letter), _previous_slot(board)
    if load_compiled(f"{__package__}._search") is None:
        return python_search.least_turns(board.tiles, board.pawn, before, place, limit)
    return core.least_turns(bytes(board.tiles), board.pawn, before, place, limit)


def turns_to_go(board: Board, letter: str, limit: int) -> int:
    """Return the fewest insertions that are still needed after a turn: 0 on the treasure.

    Args:
        board: the board after the turn.
        letter: the treasure.
        limit: turns that are searched, 0 to 8.

    Returns:
        The number of turns, or limit + 1 when there are more.
    """
    return 0 if board.pawn == board.treasure_cell(letter) else fewest_turns(board, letter, limit)


def survey_turns(
    board: Board, letters: Iterable[str], limit: int, pawns: range | None = None
) -> dict[tuple[int, str], int]:
    """Return the fewest turns to several treasures at once, from one or more cells.

    Args:
        board: the board.
        letters: the treasures.
        limit: turns that are searched.
        pawns: cells to start from, a range of step 1; by default the pawn's.

    Returns:
        Turns by (cell, letter), limit + 1 where there are more.
    """
    cells = pawns if pawns is not None else range(board.pawn, board.pawn + 1)
    places = {letter: board.treasure_cell(letter) for letter in letters}
    wanted = sum(1 << place for place in places.values())
    found: bytes = core.survey(
        bytes(board.tiles), cells.start, cells.stop, _previous_slot(board), wanted, limit
    )
    return {
        (cell, letter): found[(CELLS + 1) * index + place]
        for index, cell in enumerate(cells)
        for letter, place in places.items()
    }


def count_ways(board: Board, letter: str, number: int) -> WayCounts:
    """Count the ways to a treasure in exactly `number` turns.

    Args:
        board: the board.
        letter: the treasure.
        number: number of turns, 1 to 8; the result of `fewest_turns` for the shortest ways.
    """
    place = board.treasure_cell(letter)
    insertions, plans, chance, _ = core.ways(
        bytes(board.tiles), board.pawn, _previous_slot(board), place, number, 0
    )
    # Six digits: the last bits of a sum of a million terms depend on their order.
    return WayCounts(insertions, plans, float(f"{chance:.6g}"))


def find_way(board: Board, letter: str, number: int, pick: int) -> tuple[tuple[Slot, int], ...]:
    """Return one of the sequences of insertions that reach a treasure in `number` turns.

    Args:
        board: the board.
        letter: the treasure.
        number: number of turns, 1 to 8.
        pick: which sequence, from 0.

    Returns:
        The slot and the turned tile of each turn; empty if there are no more than `pick`.
    """
    place = board.treasure_cell(letter)
    _, _, _, path = core.ways(
        bytes(board.tiles), board.pawn, _previous_slot(board), place, number, pick
    )
    return tuple((SLOTS[path[i]], path[i + 1]) for i in range(0, len(path), 2))


def build_plan(
    board: Board, letter: str, insertions: Sequence[tuple[Slot, int]]
) -> tuple[tuple[Action, ...], ...]:
    """Return a plan with given insertions in which the pawn moves as seldom as possible.

    It is worked out backwards: each turn ends where the pawn already stands if the rest of the plan
    works from there, else on the first cell from which it does.

    Args:
        board: the board at the start.
        letter: the treasure.
        insertions: the slot and the turned tile of each turn.

    Raises:
        ValueError: these insertions do not lead to the treasure.
    """
    boards = [board]
    for slot, tile in insertions:
        boards.append(boards[-1].insert_tile(slot, tile))
    if (goal := boards[-1].treasure_cell(letter)) == SPARE:
        raise ValueError(f"these insertions push the treasure {letter} off the board; use others")
    # wanted[i]: cells where turn i may end so that the rest of the plan works.
    wanted = [frozenset({goal})]
    for i in range(len(insertions), 0, -1):
        near = frozenset().union(*(boards[i].reachable_cells(cell) for cell in wanted[0]))
        wanted.insert(
            0, frozenset(c for c in range(CELLS) if shift_pawn(c, insertions[i - 1][0]) in near)
        )
    pawn, plan = board.pawn, []
    if pawn not in wanted[0]:
        raise ValueError(f"these insertions do not lead to the treasure {letter}; use others")
    for i, (slot, tile) in enumerate(insertions, 1):
        pawn = shift_pawn(pawn, slot)
        stops = wanted[i] & boards[i].reachable_cells(pawn)
        stop = pawn if pawn in stops else min(stops)
        plan.append((make_insertion(slot, tile), make_move(stop, pawn)))
        pawn = stop
    return tuple(plan)
