"""Search exactly: the fewest turns to a treasure, the number of ways, and one of them.

Turns are counted as insertions. When an insertion is due, at least one is needed; an instance has 0
turns only if a move is due and the pawn can walk to the treasure.

The fewest turns, which scoring needs, can be found in Python: a 49-bit number represents the set of
cells that the pawn can reach after a list of insertions, and another one each of the four kinds of
openings. In the last turn the new tile is first treated as open to all sides: in most slots this
already excludes all rotations. Three turns take up to about a second.

The compiled search (_search.c) uses the same algorithm and is faster; its Python twin is in the
tests. For a given number of turns it counts:

- insertions: sequences of insertions with which the pawn can reach the treasure, moving as it likes
  in between. Two rotations that give equal boards count as one.
- plans: these sequences together with the cell where each turn ends, the last one on the treasure.
- chance: the probability that a player gets there that draws each insertion uniformly from the
  legal ones and each cell uniformly from those that it can reach.
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

if TYPE_CHECKING:
    from facelet.generators.labyrinth.search import _search as core
else:
    core = CompiledPart("facelet.generators.labyrinth.search._search", "the labyrinth's search")
from functools import cache

from facelet.generators.labyrinth.board.board_engine import (
    EAST,
    NORTH,
    SIDE,
    SOUTH,
    WEST,
    turn_tile,
)

_LAST_COLUMN = sum(1 << SIDE * row + SIDE - 1 for row in range(SIDE))
_OPENINGS = (NORTH, EAST, SOUTH, WEST)

Open = tuple[int, int, int, int]
"""The cells that are open to the north, east, south and west, as sets."""


def least_turns(tiles: Sequence[int], pawn: int, before: int, target: int, limit: int) -> int:
    """Return the fewest insertions after which the pawn can reach a tile, or limit + 1.

    Args:
        tiles: openings of the 49 tiles in the order of the cells, then of the spare one.
        pawn: the cell of the pawn.
        before: the number of the slot of the last insertion, or -1.
        target: the place of the tile, 0 to 49.
        limit: turns that are searched.
    """
    north, east, south, west = (
        sum(1 << cell for cell in range(CELLS) if tiles[cell] & side) for side in _OPENINGS
    )
    for turns in range(1, limit + 1):
        if _is_reached((north, east, south, west), tiles[SPARE], 1 << pawn, target, before, turns):
            return turns
    return limit + 1


def _is_reached(
    open_to: Open, spare: int, pawns: int, target: int, before: int, turns: int
) -> bool:
    """Return whether `turns` insertions can bring a pawn from one of `pawns` to the target."""
    for number, (line, step, first, last) in enumerate(_slot_lines()):
        if before >= 0 and number == (before + len(SLOTS) // 2) % len(SLOTS):
            continue
        goal = _push_tile(target, line, step, first, last)
        if turns == 1 and goal == SPARE:
            continue
        out = sum(side for side, cells in zip(_OPENINGS, open_to, strict=True) if cells >> last & 1)
        stand = _push_line(pawns, line, step) | (pawns >> last & 1) << first
        north, east, south, west = (_push_line(cells, line, step) for cells in open_to)
        bit = 1 << first
        if turns == 1:
            everywhere = (north | bit, east | bit, south | bit, west | bit)
            if not _flood_corridors(stand, everywhere) >> goal & 1:
                continue
        for tile in _tile_orientations(spare):
            board = (
                north | bit * bool(tile & NORTH),
                east | bit * bool(tile & EAST),
                south | bit * bool(tile & SOUTH),
                west | bit * bool(tile & WEST),
            )
            reach = _flood_corridors(stand, board)
            if turns == 1:
                if reach >> goal & 1:
                    return True
            elif _is_reached(board, out, reach, goal, number, turns - 1):
                return True
    return False


@cache
def _slot_lines() -> tuple[tuple[int, int, int, int], ...]:
    """Return of each slot the cells of its line, the step along it, and its first and last cell."""
    return tuple(
        (sum(1 << c for c in line), line[1] - line[0], line[0], line[-1])
        for line in (slot.line_cells for slot in SLOTS)
    )


@cache
def _tile_orientations(tile: int) -> tuple[int, ...]:
    """Return how a tile can lie, each once."""
    return tuple(dict.fromkeys(turn_tile(tile, quarters) for quarters in range(4)))


def _push_line(cells: int, line: int, step: int) -> int:
    """Return a set after an insertion; the first cell of the line becomes empty."""
    part = cells & line
    part = part << step if step > 0 else part >> -step
    return (cells & ~line) | (part & line)


def _push_tile(tile: int, line: int, step: int, first: int, last: int) -> int:
    if tile == SPARE:
        return first
    if tile == last:
        return SPARE
    return tile + step if line >> tile & 1 else tile


def _flood_corridors(reached: int, open_to: Open) -> int:
    """Return all cells that corridors join to those reached."""
    north, east, south, west = open_to
    down, across = south & north >> SIDE, east & west >> 1 & ~_LAST_COLUMN
    while True:
        more = (
            reached
            | (reached & down) << SIDE
            | (reached >> SIDE & down)
            | (reached & across) << 1
            | (reached >> 1 & across)
        )
        if more == reached:
            return reached
        reached = more


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
        return least_turns(board.tiles, board.pawn, before, place, limit)
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
