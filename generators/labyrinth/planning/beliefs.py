"""Beliefs: what a player may wrongly hold an insertion to do.

Each belief is a world of its own in which the same plan is played. When a plan fails in truth but
works in such a world, the player has kept the state of the board wrongly: a state-update error in
the terms of MARBLE (3.3). A belief is dropped once the plan contradicts it, that is, once it makes
a move that is impossible in that world too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from facelet.generators.labyrinth.board.boards import Board, Slot
from facelet.generators.labyrinth.board.tiles import shape

Update = Callable[[Board, Slot, int], Board]
"""From a board, a slot and the spare tile as turned to the board after the insertion."""


def _nothing(board: Board, slot: Slot, tile: int) -> Board:
    return board


def _pawn_stays(board: Board, slot: Slot, tile: int) -> Board:
    return _free(board).insert(slot, tile).move(board.pawn)


def _pawn_does_not_wrap(board: Board, slot: Slot, tile: int) -> Board:
    last = slot.line[-1]
    after = _free(board).insert(slot, tile)
    return after.move(last) if board.pawn == last else after


def _other_way(board: Board, slot: Slot, tile: int) -> Board:
    return _free(board).insert(slot.opposite, tile)


def _treasures_stay(board: Board, slot: Slot, tile: int) -> Board:
    after = _free(board).insert(slot, tile)
    return Board(after.tiles, board.treasures, after.pawn, None)


def _free(board: Board) -> Board:
    """Return the board without a last insertion: legality is judged in truth alone."""
    return Board(board.tiles, board.treasures, board.pawn, None)


UPDATES: Mapping[str, Update] = {
    "the insertion changes nothing": _nothing,
    "the pawn stays where it was": _pawn_stays,
    "a pawn that is pushed off stays at the edge": _pawn_does_not_wrap,
    "the line moves the other way": _other_way,
    "the treasure stays where it was": _treasures_stay,
}
"""The beliefs, in words."""


@dataclass(frozen=True, slots=True)
class Belief:
    """One belief, and the board as it is there.

    Attributes:
        text: the belief in words.
        board: the board in that world.
    """

    text: str
    board: Board

    def insert(self, slot: Slot, tile: int) -> Belief:
        """Return the belief after an insertion of the spare tile as it is turned in truth."""
        shown = tile if _same_shape(tile, self.board.spare) else self.board.spare
        return Belief(self.text, UPDATES[self.text](self.board, slot, shown))


def _same_shape(one: int, other: int) -> bool:
    return shape(one) == shape(other)


def beliefs(board: Board) -> tuple[Belief, ...]:
    """Return all beliefs about a board on which nothing has happened yet."""
    return tuple(Belief(text, board) for text in UPDATES)
