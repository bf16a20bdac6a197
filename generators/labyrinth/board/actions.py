"""INSERT(side, slot, rotation) and MOVE(x, y), written as in MARBLE (D.3).

The rotation is that of the tile's name on the board: INSERT(side='top', slot=3, rotation=1) pushes
a spare L in as L1. MOVE() stays. An action may name a side, slot, rotation or position that does
not exist; the referee judges whether it is legal.
"""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.labyrinth.board.board_engine import (
    LANES,
    ROTATIONS,
    SIDE,
    SIDES,
    UPRIGHT,
    Board,
    Slot,
    cell_at,
    cell_to_position,
    tile_name,
    tile_shape,
    turn_tile,
)


@dataclass(frozen=True, slots=True)
class InsertAction:
    """Turn the spare tile and push it in; `lane` is what the paper calls the slot."""

    side: str
    lane: int
    rotation: int

    def __str__(self) -> str:
        """Return the action as it is written."""
        return f"INSERT(side='{self.side}', slot={self.lane}, rotation={self.rotation})"

    def board_slot(self) -> Slot | None:
        """Return the slot of the board, or None if there is no such slot or rotation."""
        sides = {str(side): side for side in SIDES}
        if self.side not in sides or self.lane not in LANES:
            return None
        return Slot(sides[self.side], self.lane) if 0 <= self.rotation < ROTATIONS else None

    def turn_spare_tile(self, board: Board) -> int:
        """Return the spare tile of a board as this action turns it."""
        return turn_tile(UPRIGHT[tile_shape(board.spare_tile)], self.rotation)


@dataclass(frozen=True, slots=True)
class MoveAction:
    """Move the pawn to a position (x, y), or stay: None."""

    to: tuple[int, int] | None

    def __str__(self) -> str:
        """Return the action as it is written."""
        return "MOVE()" if self.to is None else f"MOVE(x={self.to[0]}, y={self.to[1]})"

    def target_cell(self, pawn: int) -> int | None:
        """Return the cell that a pawn is to go to, or None if it is off the board."""
        if self.to is None:
            return pawn
        x, y = self.to
        return cell_at(x, y) if 0 <= x < SIDE and 0 <= y < SIDE else None


Action = InsertAction | MoveAction
Turn = tuple[Action, ...]
"""An insertion and a move; in a plan that begins with a move the first turn is that move alone."""


def make_insertion(slot: Slot, tile: int) -> InsertAction:
    """Return the action that pushes in the spare tile with the rotation of this tile."""
    return InsertAction(slot.side, slot.lane, int(tile_name(tile)[1]))


def make_move(cell: int, pawn: int) -> MoveAction:
    """Return the action that brings the pawn to a cell."""
    return MoveAction(None if cell == pawn else cell_to_position(cell))


def write_turn(turn: Turn) -> str:
    """Return a turn as "INSERT(...); MOVE(...)"."""
    return "; ".join(map(str, turn))
