"""Play a plan action by action, classify its errors, and compute its metrics (MARBLE, 3.3, F).

Turn closeness is the best progress after any turn, so it grows with the length of any plan. Its
baseline is the closeness of the same number of random legal turns: each insertion drawn uniformly
from the legal ones that give different boards, each cell uniformly from those that the pawn can
reach. CLOSENESS contains the means over 1,000 random boards for each number of needed turns; tests
replay some of them.

A misconception is a wrong idea of what an insertion does. Each replays the same plan on its own
board. If a plan fails on the true board but succeeds under a misconception, the player has updated
the board wrongly: a state-update error in the terms of MARBLE (3.3). A misconception is dropped
once the plan makes a move that is impossible under it too.

The first offending action puts a failed plan into one of the paper's four classes of errors (3.3
and F.6):

    insert_legality   an INSERT at a slot or with a rotation that does not exist, or that undoes the
                      last one; a MOVE where an INSERT was due, or the other way round
    state_update      a MOVE to a cell that cannot be reached, or a plan that ends beside the
                      target, where a wrong belief about insertions would make it right
    adjacency         any other MOVE to a cell that cannot be reached, or off the board
    shallow_planning  no readable action at all; or nothing illegal, but the plan or the budget
                      ends without the target, and no belief explains it

A play may have several classes, as in the paper, where people gave several labels to one play
(F.6): after an illegal action the referee follows the rest of the plan as intended. A move puts the
pawn on its target, also under all misconceptions; a forbidden insertion is performed; an insertion
without a valid slot, or a missing action, counts as done. Further illegal actions get their own
class. After each completed turn the referee searches for the turns still to go, at most those at
the start.

Metrics of an outcome (F.5.2), whose note describes the first error:

    turn_closeness          best progress after any completed turn, 1 - turns to go / turns at the
                            start; 0 to 1
    turn_distance           turns to go after the last completed turn, at most those at the start
                            (1, where the target could be walked to)
    random_turn_closeness   mean turn closeness of as many random legal turns
    plan_length             turns that the reply plans, or that were begun
    success_at_budget       1 if the target was reached by a turn that counts
    error_adjacency, error_state_update, error_insert_legality, error_shallow_planning
                            1 for each class of errors that the play shows, 0 for the others
    first_error_adjacency, ... the same for the class of the first error alone
    offending_action        number of the first offending action, from 1; left out if there is none
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from facelet.generators.core.measures import MeanOf
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction
from facelet.generators.labyrinth.board.board_engine import (
    Board,
    Slot,
    cell_to_position,
    tile_shape,
)
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.search import exact_search
from facelet.generators.labyrinth.search.exact_search import LIMIT

CLOSENESS: dict[int, tuple[float, ...]] = {
    1: (
        0.007,
        0.019,
        0.029,
        0.039,
        0.052,
        0.068,
        0.08,
        0.092,
        0.099,
        0.11,
        0.121,
        0.127,
        0.139,
        0.144,
        0.153,
        0.161,
    ),
    2: (
        0.117,
        0.202,
        0.27,
        0.316,
        0.35,
        0.378,
        0.399,
        0.422,
        0.441,
        0.454,
        0.469,
        0.479,
        0.493,
        0.502,
        0.511,
        0.522,
    ),
    3: (
        0.214,
        0.3,
        0.358,
        0.392,
        0.429,
        0.468,
        0.495,
        0.521,
        0.543,
        0.56,
        0.573,
        0.585,
        0.6,
        0.615,
        0.63,
        0.638,
    ),
    4: (
        0.207,
        0.308,
        0.392,
        0.447,
        0.49,
        0.529,
        0.56,
        0.583,
        0.606,
        0.627,
        0.643,
        0.66,
        0.672,
        0.686,
        0.697,
        0.709,
    ),
}
"""By the fewest turns that are needed: mean closeness after 1, 2, ... 16 random turns."""


def random_closeness(turns: int, number: int) -> float:
    """Return the mean turn closeness of random legal turns.

    Args:
        turns: the fewest turns that are needed, 1 to 4.
        number: turns that are taken; more than 16 count as 16.
    """
    return CLOSENESS[turns][min(number, len(CLOSENESS[turns])) - 1] if number else 0.0


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


MEASURES = (
    MeanOf(metric="turn_closeness"),
    MeanOf(metric="turn_distance", default=LIMIT, share=False),
    MeanOf(metric="random_turn_closeness"),
    MeanOf(metric="plan_length", share=False),
    MeanOf(metric="success_at_budget"),
    MeanOf(metric="error_adjacency"),
    MeanOf(metric="error_state_update"),
    MeanOf(metric="error_insert_legality"),
    MeanOf(metric="error_shallow_planning", default=1),
    MeanOf(metric="first_error_adjacency"),
    MeanOf(metric="first_error_state_update"),
    MeanOf(metric="first_error_insert_legality"),
    MeanOf(metric="first_error_shallow_planning", default=1),
)

REACHED, MISSED = "reached", "missed"


def start_referee(puzzle: Instance) -> Referee:
    """Return the referee of an instance before the first action."""
    return Referee.start_plan(
        puzzle.board, puzzle.target, puzzle.starts_with_insertion, puzzle.turns
    )


def _random_closeness(referee: Referee, length: int) -> float:
    """Return the mean closeness of the same number of random turns."""
    if referee.turns:
        return random_closeness(referee.turns, length)
    return 1 / len(referee.start.reachable_cells()) if length else 0.0


def build_outcome(
    referee: Referee, strict: bool, length: int, counted: int, *, unread: bool = False
) -> Outcome:
    """Return the outcome of an episode that has ended.

    Args:
        referee: the referee after the last action.
        strict: whether every reply kept the requested format.
        length: number of turns planned or begun.
        counted: those of them that count.
        unread: whether it ended on a reply without a readable action.
    """
    offence = referee.first_error()
    metrics = {
        "turn_closeness": referee.best_progress,
        "turn_distance": float(referee.turns_to_go),
        "random_turn_closeness": _random_closeness(referee, counted),
        "plan_length": float(length),
        "success_at_budget": float(referee.has_reached_target),
    }
    for error in ErrorClass:
        first = offence is not None and offence.error is error
        metrics[f"error_{error}"] = float(first or error in referee.shown)
        metrics[f"first_error_{error}"] = float(first)
    if offence is not None and offence.number:
        metrics["offending_action"] = float(offence.number)
    if referee.has_reached_target:
        status = Status.CORRECT
    elif unread:
        status = Status.UNPARSED
    else:
        status = Status.ILLEGAL if referee.offence is not None else Status.WRONG
    return Outcome(
        status,
        strict,
        gold=(REACHED,),
        answer=() if unread else (REACHED if referee.has_reached_target else MISSED,),
        metrics=metrics,
        note="" if offence is None else f"{offence.error}: {offence.text}",
    )
