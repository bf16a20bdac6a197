"""The referee: carries out actions one by one, and says what went wrong first.

A failed plan gets exactly one of the paper's four classes of errors (MARBLE, 3.3 and F.6), by its
first offending action:

    insert_legality   an INSERT at a slot or with a rotation that does not exist, or that undoes the
                      last one; a MOVE where an INSERT was due, or the other way round
    state_update      a MOVE to a cell that cannot be reached, or a plan that ends beside the
                      target, where a wrong belief about insertions would make it right
                      (facelet.generators.labyrinth.planning.beliefs)
    adjacency         any other MOVE to a cell that cannot be reached, or off the board
    shallow_planning  no readable action at all; or nothing illegal, but the plan or the budget
                      ends without the target, and no belief explains it

After each completed turn the turns still to go are searched. If they are not fewer than at the
start, they count as many as at the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from facelet.generators.labyrinth.board.actions import Action, Insert, Move
from facelet.generators.labyrinth.board.boards import Board, position
from facelet.generators.labyrinth.planning.beliefs import Belief, beliefs
from facelet.generators.labyrinth.search import exact


class ErrorClass(StrEnum):
    """A class of errors; see the module."""

    ADJACENCY = "adjacency"
    STATE_UPDATE = "state_update"
    INSERT_LEGALITY = "insert_legality"
    SHALLOW_PLANNING = "shallow_planning"


@dataclass(frozen=True, slots=True)
class Offence:
    """What went wrong first.

    Attributes:
        error: its class.
        number: number of the offending action, from 1; 0 if no action is to blame.
        text: the action and the reason, in words.
    """

    error: ErrorClass
    number: int
    text: str


@dataclass
class Referee:
    """One plan being carried out, up to the target or the first illegal action.

    Attributes:
        board: the board now.
        target: the letter of the treasure to reach.
        inserting: whether an INSERT is due.
        turns: the fewest turns at the start.
        done: number of legal actions so far.
        to_go: turns still to go at the start and after each completed turn, at most as many as at
            the start, or 1 if that is 0.
        offence: the illegal action, if there was one.
    """

    board: Board
    target: str
    inserting: bool
    turns: int
    done: int = 0
    to_go: list[int] = field(default_factory=list)
    offence: Offence | None = None
    _beliefs: tuple[Belief, ...] = ()

    def __post_init__(self) -> None:
        self.to_go = [self.turns]
        self._beliefs = beliefs(self.board)

    @property
    def reached(self) -> bool:
        """Whether the pawn stands on the target at the end of a turn."""
        return self.done > 0 and self.inserting and self.board.pawn == self._goal

    @property
    def _goal(self) -> int:
        return self.board.place(self.target)

    def act(self, action: Action) -> bool:
        """Carry out an action; return whether it was legal. After an illegal one none is."""
        if self.offence is None:
            refused = self._insert(action) if isinstance(action, Insert) else self._move(action)
            if refused is None:
                self.done += 1
            else:
                error, reason = refused
                number = self.done + 1
                self.offence = Offence(error, number, f"action {number}, {action}: {reason}")
        return self.offence is None

    def _insert(self, action: Insert) -> tuple[ErrorClass, str] | None:
        if not self.inserting:
            return ErrorClass.INSERT_LEGALITY, "a MOVE was due"
        slot = action.slot()
        if slot is None:
            return ErrorClass.INSERT_LEGALITY, "there is no such slot or rotation"
        if not self.board.may_insert(slot):
            return ErrorClass.INSERT_LEGALITY, "it undoes the last insertion"
        tile = action.tile(self.board)
        self.board = self.board.insert(slot, tile)
        self._beliefs = tuple(belief.insert(slot, tile) for belief in self._beliefs)
        self.inserting = False
        return None

    def _move(self, action: Move) -> tuple[ErrorClass, str] | None:
        if self.inserting:
            return ErrorClass.INSERT_LEGALITY, "an INSERT was due"
        cell = action.cell(self.board.pawn)
        if cell is None:
            return ErrorClass.ADJACENCY, "it is off the board"
        keeping = tuple(
            Belief(belief.text, belief.board.move(there))
            for belief in self._beliefs
            if (there := action.cell(belief.board.pawn)) in belief.board.reachable()
            and there is not None
        )
        if cell not in self.board.reachable():
            where = f"the pawn at {position(self.board.pawn)} cannot get there"
            if keeping:
                return ErrorClass.STATE_UPDATE, f"{where}; it could if {keeping[0].text}"
            return ErrorClass.ADJACENCY, where
        self._beliefs = keeping
        self.board = self.board.move(cell)
        self.inserting = True
        self.to_go.append(self._left())
        return None

    def _left(self) -> int:
        return exact.turns_to_go(self.board, self.target, max(0, self.turns - 1))

    def verdict(self) -> Offence | None:
        """Return what went wrong first if it ends now; None if the target is reached."""
        if self.offence is not None or self.reached:
            return self.offence
        if self.done == 0:
            return Offence(ErrorClass.SHALLOW_PLANNING, 0, "there is no action that can be read")
        if self.inserting:
            for belief in self._beliefs:
                if belief.board.pawn == belief.board.place(self.target):
                    text = (
                        f"action {self.done}: the pawn ends at {position(self.board.pawn)}, beside "
                        f"the target; it would be there if {belief.text}"
                    )
                    return Offence(ErrorClass.STATE_UPDATE, self.done, text)
        text = f"action {self.done} is the last one, and the target is not reached"
        return Offence(ErrorClass.SHALLOW_PLANNING, self.done, text)

    @property
    def closeness(self) -> float:
        """The best progress after any turn: 1 - turns to go / turns at the start (F.5.2)."""
        if self.reached:
            return 1.0
        return 1 - min(self.to_go) / self.turns if self.turns else 0.0

    @property
    def distance(self) -> int:
        """Turns to go after the last completed turn, at most those at the start."""
        return self.to_go[-1]
