"""Find the fewest turns to a treasure in plain Python, where no compiled search exists.

The algorithm is that of the compiled search (see _search.c): a 49-bit number represents the set of
cells that the pawn can reach after a list of insertions, and another one each of the four kinds of
openings. In the last turn the new tile is first treated as open to all sides: in most slots this
already excludes all rotations. Three turns take up to about a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from facelet.generators.labyrinth.board.board_engine import CELLS, SIDE, SLOTS, SPARE
from facelet.generators.labyrinth.board.tiles import EAST, NORTH, SOUTH, WEST, turn_tile

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
