"""The referee: carries out actions one by one, and says what went wrong first.

A failed plan has one of the paper's four classes of errors (MARBLE, 3.3 and F.6) by its first
offending action:

    insert_legality   an INSERT at a slot or with a rotation that does not exist, or that undoes the
                      last one; a MOVE where an INSERT was due, or the other way round
    state_update      a MOVE to a cell that cannot be reached, or a plan that ends beside the
                      target, where a wrong belief about insertions would make it right
                      (facelet.generators.labyrinth.planning.beliefs)
    adjacency         any other MOVE to a cell that cannot be reached, or off the board
    shallow_planning  no readable action at all; or nothing illegal, but the plan or the budget
                      ends without the target, and no belief explains it

As in the paper, where people gave several labels to one play (F.6), a play may show several
classes: after an illegal action the rest is followed as it was meant. A move puts the pawn where it
was sent, also under all beliefs; an insertion that is forbidden is carried out; one that names no
slot, or a missing action, is taken as done. What else is illegal then has its own class.

After each completed turn the turns still to go are searched. If they are not fewer than at the
start, they count as many as at the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
        start: the board at the start.
        done: number of legal actions so far.
        to_go: turns still to go at the start and after each completed turn, at most as many as at
            the start, or 1 if that is 0.
        offence: the first illegal action, if there was one.
        shown: the classes of all illegal actions.
    """

    board: Board
    target: str
    inserting: bool
    turns: int
    start: Board
    done: int = 0
    to_go: list[int] = field(default_factory=list)
    offence: Offence | None = None
    shown: set[ErrorClass] = field(default_factory=set)
    _beliefs: tuple[Belief, ...] = ()

    @classmethod
    def begin(cls, board: Board, target: str, inserting: bool, turns: int) -> Referee:
        """Return a referee before the first action.

        Args:
            board: the board at the start.
            target: the letter of the treasure to reach.
            inserting: whether an INSERT is due.
            turns: the fewest turns at the start.
        """
        return cls(board, target, inserting, turns, board, to_go=[turns], _beliefs=beliefs(board))

    @property
    def reached(self) -> bool:
        """Whether the pawn stands on the target at the end of a turn."""
        legal = self.done > 0 and self.offence is None
        return legal and self.inserting and self.board.pawn == self._goal

    @property
    def _goal(self) -> int:
        return self.board.place(self.target)

    @property
    def completed(self) -> int:
        """Number of turns that were completed before anything illegal."""
        return len(self.to_go) - 1

    def fork(self) -> Referee:
        """Return a referee that goes on from here and tells no more than whether it arrives."""
        return replace(self, turns=0, to_go=list(self.to_go), shown=set(self.shown), _beliefs=())

    def act(self, action: Action) -> bool:
        """Carry out an action; return whether all were legal.

        After an illegal one, actions are followed as they were meant; only `shown` still changes.
        """
        refused = self._insert(action) if isinstance(action, Insert) else self._move(action)
        if refused is not None:
            error, reason = refused
            self.shown.add(error)
            if self.offence is None:
                number = self.done + 1
                self.offence = Offence(error, number, f"action {number}, {action}: {reason}")
            self._follow(action)
        elif self.offence is None:
            self.done += 1
        return self.offence is None

    def _follow(self, action: Action) -> None:
        """Take an illegal action as it was meant."""
        if isinstance(action, Insert):
            slot = action.slot()
            if slot is not None:
                tile = action.tile(self.board)
                self.board = replace(self.board, last=None).insert(slot, tile)
                self._beliefs = tuple(belief.insert(slot, tile) for belief in self._beliefs)
            self.inserting = False
        else:
            cell = action.cell(self.board.pawn)
            if cell is not None:
                self.board = self.board.move(cell)
                self._beliefs = tuple(
                    Belief(belief.text, belief.board.move(cell)) for belief in self._beliefs
                )
            self.inserting = True

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
        if self.offence is None:
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
        text = f"action {self.done} is the last one that counts, and the target is not reached"
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
