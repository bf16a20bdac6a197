"""Encode a board and a target as columns, decode them, and list their faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from facelet.generators.core.task import Column
from facelet.generators.labyrinth.board.board_engine import (
    LETTERS,
    SIDE,
    SPARE,
    Board,
    Slot,
    cell_at,
    cell_to_position,
    find_board_faults,
    parse_tile_name,
    tile_name,
    turn_tile,
)

COLUMNS: tuple[Column, ...] = (
    Column("tiles", "list<string>", "the 49 tiles, row by row, then the spare one", role="puzzle"),
    Column("treasures", "string", "the treasures on these 50 tiles: A to X, - for none"),
    Column("pawn_x", "int8", "column of the pawn, from 0 at the left"),
    Column("pawn_y", "int8", "row of the pawn, from 0 at the top"),
    Column("last_insert", "string", "side and slot of the insertion before, or empty"),
    Column("target", "string", "letter of the treasure to reach"),
    Column("canonical", "string", "the tiles up to turning the board", role="canonical"),
)


def canonical_key(board: Board) -> str:
    """Return a key of the tiles of a board that is the same for its four rotations."""
    boards = [board.tiles]
    for _ in range(3):
        before = boards[-1]
        # A quarter turn clockwise brings (row, column) to (column, 6 - row).
        cells = (before[SIDE * (SIDE - 1 - c) + r] for r in range(SIDE) for c in range(SIDE))
        boards.append((*(turn_tile(tile) for tile in cells), before[SPARE]))
    spare = min(turn_tile(board.spare_tile, quarters) for quarters in range(4))
    return min("".join(f"{tile:x}" for tile in (*one[:SPARE], spare)) for one in boards)


def encode_board(board: Board, target: str) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    x, y = cell_to_position(board.pawn)
    return {
        "tiles": list(map(tile_name, board.tiles)),
        "treasures": board.treasures,
        "pawn_x": x,
        "pawn_y": y,
        "last_insert": "" if board.last is None else f"{board.last.side} {board.last.lane}",
        "target": target,
        "canonical": canonical_key(board),
    }


def decode_board(row: Mapping[str, Any]) -> Board:
    """Return the board of a row."""
    side, _, lane = row["last_insert"].partition(" ")
    return Board(
        tuple(map(parse_tile_name, row["tiles"])),
        row["treasures"],
        cell_at(row["pawn_x"], row["pawn_y"]),
        Slot(side, int(lane)) if lane else None,
    )


def find_column_faults(board: Board, target: str) -> list[str]:
    """Return what is false about a board and its target, in words."""
    wrong = find_board_faults(board)
    if not wrong and (target not in LETTERS or target not in board.treasures[:SPARE]):
        wrong.append(f"the target {target!r} does not lie on the board")
    return wrong
