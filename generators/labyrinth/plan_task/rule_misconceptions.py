"""Replay a plan under wrong ideas of what an insertion does.

Each belief replays the same plan on its own board. If a plan fails on the true board but succeeds
under a belief, the player has updated the board wrongly: a state-update error in the terms of
MARBLE (3.3). A belief is dropped once the plan makes a move that is impossible under it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from facelet.generators.labyrinth.board.board_engine import Board, Slot
from facelet.generators.labyrinth.board.tiles import tile_shape

Update = Callable[[Board, Slot, int], Board]
"""A function of a board, a slot and the turned spare tile; it returns the board afterwards."""


def _ignore_insertion(board: Board, slot: Slot, tile: int) -> Board:
    return board


def _pawn_stays(board: Board, slot: Slot, tile: int) -> Board:
    return board.insert_tile(slot, tile).move_pawn(board.pawn)


def _pawn_does_not_wrap(board: Board, slot: Slot, tile: int) -> Board:
    last = slot.line_cells[-1]
    after = board.insert_tile(slot, tile)
    return after.move_pawn(last) if board.pawn == last else after


def _other_way(board: Board, slot: Slot, tile: int) -> Board:
    return board.insert_tile(slot.opposite_slot, tile)


def _treasures_stay(board: Board, slot: Slot, tile: int) -> Board:
    return replace(board.insert_tile(slot, tile), treasures=board.treasures)


UPDATES: Mapping[str, Update] = {
    "the insertion changes nothing": _ignore_insertion,
    "the pawn stays where it was": _pawn_stays,
    "a pawn that is pushed off stays at the edge": _pawn_does_not_wrap,
    "the line moves the other way": _other_way,
    "the treasure stays where it was": _treasures_stay,
}
"""The beliefs, in words."""


@dataclass(frozen=True, slots=True)
class RuleMisconception:
    """One belief, and the board under it.

    Attributes:
        text: the belief in words.
        board: the board as it is under the belief.
    """

    text: str
    board: Board

    def after_insertion(self, slot: Slot, tile: int) -> RuleMisconception:
        """Return the belief after an insertion.

        Args:
            slot: where the spare tile is pushed in.
            tile: the spare tile of the true board as it is turned.
        """
        spare = self.board.spare_tile
        shown = tile if tile_shape(tile) == tile_shape(spare) else spare
        # Only the referee judges whether an insertion undoes the last one.
        board = replace(self.board, last=None)
        return RuleMisconception(self.text, UPDATES[self.text](board, slot, shown))

    def after_move(self, cell: int) -> RuleMisconception:
        """Return the belief after a move of the pawn to a cell."""
        return RuleMisconception(self.text, self.board.move_pawn(cell))


def list_misconceptions(board: Board) -> tuple[RuleMisconception, ...]:
    """Return all beliefs at the start, where they agree with the true board."""
    return tuple(RuleMisconception(text, board) for text in UPDATES)
