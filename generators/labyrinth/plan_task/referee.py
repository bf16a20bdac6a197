"""Perform actions one by one and classify the first error.

The first offending action puts a failed plan into one of the paper's four classes of errors
(MARBLE, 3.3 and F.6):

    insert_legality   an INSERT at a slot or with a rotation that does not exist, or that undoes the
                      last one; a MOVE where an INSERT was due, or the other way round
    state_update      a MOVE to a cell that cannot be reached, or a plan that ends beside the
                      target, where a wrong belief about insertions would make it right
                      (facelet.generators.labyrinth.plan_task.rule_misconceptions)
    adjacency         any other MOVE to a cell that cannot be reached, or off the board
    shallow_planning  no readable action at all; or nothing illegal, but the plan or the budget
                      ends without the target, and no belief explains it

A play may have several classes, as in the paper, where people gave several labels to one play
(F.6): after an illegal action the referee follows the rest of the plan as intended. A move puts the
pawn on its target, also under all beliefs; a forbidden insertion is performed; an insertion without
a valid slot, or a missing action, counts as done. Further illegal actions get their own class.

After each completed turn the referee searches for the turns still to go, at most those at the
start.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction
from facelet.generators.labyrinth.board.board_engine import Board, Slot, cell_to_position
from facelet.generators.labyrinth.plan_task.rule_misconceptions import (
    RuleMisconception,
    list_misconceptions,
)
from facelet.generators.labyrinth.search import exact_search


class ErrorClass(StrEnum):
    """A class of errors; see the module."""

    ADJACENCY = "adjacency"
    STATE_UPDATE = "state_update"
    INSERT_LEGALITY = "insert_legality"
    SHALLOW_PLANNING = "shallow_planning"


@dataclass(frozen=True, slots=True)
class FirstError:
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
    offence: FirstError | None = None
    shown: set[ErrorClass] = field(default_factory=set)
    _beliefs: tuple[RuleMisconception, ...] = ()

    @classmethod
    def start_plan(cls, board: Board, target: str, inserting: bool, turns: int) -> Referee:
        """Return a referee before the first action.

        Args:
            board: the board at the start.
            target: the letter of the treasure to reach.
            inserting: whether an INSERT is due.
            turns: the fewest turns at the start.
        """
        return cls(
            board,
            target,
            inserting,
            turns,
            board,
            to_go=[turns],
            _beliefs=list_misconceptions(board),
        )

    @property
    def has_reached_target(self) -> bool:
        """Whether the pawn is on the target at the end of a turn."""
        legal = self.done > 0 and self.offence is None
        return legal and self.inserting and self.board.pawn == self._target_cell

    @property
    def _target_cell(self) -> int:
        return self.board.treasure_cell(self.target)

    @property
    def count_completed_turns(self) -> int:
        """Number of turns that were completed before anything illegal."""
        return len(self.to_go) - 1

    def fork_referee(self) -> Referee:
        """Return a referee that goes on from here, only to see if the target is reached."""
        return replace(self, turns=0, to_go=list(self.to_go), shown=set(self.shown), _beliefs=())

    def perform_action(self, action: Action) -> bool:
        """Carry out an action; return whether all were legal.

        After an illegal one, actions are followed as they were meant; only `shown` still changes.
        """
        refused = (
            self._perform_insertion(action)
            if isinstance(action, InsertAction)
            else self._perform_move(action)
        )
        if refused is not None:
            error, reason = refused
            self.shown.add(error)
            if self.offence is None:
                number = self.done + 1
                self.offence = FirstError(error, number, f"action {number}, {action}: {reason}")
            self._follow_illegal_action(action)
        elif self.offence is None:
            self.done += 1
        return self.offence is None

    def _follow_illegal_action(self, action: Action) -> None:
        """Take an illegal action as it was meant."""
        if isinstance(action, InsertAction):
            if (slot := action.board_slot()) is not None:
                self.board = replace(self.board, last=None)
                self._insert_tile(action, slot)
            self.inserting = False
        else:
            if (cell := action.target_cell(self.board.pawn)) is not None:
                self.board = self.board.move_pawn(cell)
                self._beliefs = tuple(belief.after_move(cell) for belief in self._beliefs)
            self.inserting = True

    def _perform_insertion(self, action: InsertAction) -> tuple[ErrorClass, str] | None:
        if not self.inserting:
            return ErrorClass.INSERT_LEGALITY, "a MOVE was due"
        if (slot := action.board_slot()) is None:
            return ErrorClass.INSERT_LEGALITY, "there is no such slot or rotation"
        if not self.board.may_insert(slot):
            return ErrorClass.INSERT_LEGALITY, "it undoes the last insertion"
        self._insert_tile(action, slot)
        self.inserting = False
        return None

    def _insert_tile(self, action: InsertAction, slot: Slot) -> None:
        tile = action.turn_spare_tile(self.board)
        self.board = self.board.insert_tile(slot, tile)
        self._beliefs = tuple(belief.after_insertion(slot, tile) for belief in self._beliefs)

    def _perform_move(self, action: MoveAction) -> tuple[ErrorClass, str] | None:
        if self.inserting:
            return ErrorClass.INSERT_LEGALITY, "an INSERT was due"
        if (cell := action.target_cell(self.board.pawn)) is None:
            return ErrorClass.ADJACENCY, "it is off the board"
        keeping = tuple(
            belief.after_move(there)
            for belief in self._beliefs
            if (there := action.target_cell(belief.board.pawn)) in belief.board.reachable_cells()
            and there is not None
        )
        if cell not in self.board.reachable_cells():
            where = f"the pawn at {cell_to_position(self.board.pawn)} cannot get there"
            if keeping:
                return ErrorClass.STATE_UPDATE, f"{where}; it could if {keeping[0].text}"
            return ErrorClass.ADJACENCY, where
        self._beliefs = keeping
        self.board = self.board.move_pawn(cell)
        self.inserting = True
        if self.offence is None:
            self.to_go.append(self._turns_left())
        return None

    def _turns_left(self) -> int:
        return exact_search.turns_to_go(self.board, self.target, max(0, self.turns - 1))

    def first_error(self) -> FirstError | None:
        """Return what went wrong first if it ends now; None if the target is reached."""
        if self.offence is not None or self.has_reached_target:
            return self.offence
        if self.done == 0:
            return FirstError(ErrorClass.SHALLOW_PLANNING, 0, "there is no action that can be read")
        if self.inserting:
            for belief in self._beliefs:
                if belief.board.pawn == belief.board.treasure_cell(self.target):
                    text = (
                        f"action {self.done}: the pawn ends at "
                        f"{cell_to_position(self.board.pawn)}, beside "
                        f"the target; it would be there if {belief.text}"
                    )
                    return FirstError(ErrorClass.STATE_UPDATE, self.done, text)
        text = f"action {self.done} is the last one that counts, and the target is not reached"
        return FirstError(ErrorClass.SHALLOW_PLANNING, self.done, text)

    @property
    def best_progress(self) -> float:
        """The best progress after any turn: 1 - turns to go / turns at the start (F.5.2)."""
        if self.has_reached_target:
            return 1.0
        return 1 - min(self.to_go) / self.turns if self.turns else 0.0

    @property
    def turns_to_go(self) -> int:
        """Turns to go after the last completed turn, at most those at the start."""
        return self.to_go[-1]
