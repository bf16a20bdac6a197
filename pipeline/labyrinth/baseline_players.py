"""Baseline players of labyrinths: blind plans of insertions after which the pawn stays, and a walk.

Such a turn is legal on every board, unless it undoes the previous one. Plans are written as short
as the parser allows, because only the end of a long reply is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product, repeat
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.boundary import TAIL
from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction
from facelet.generators.labyrinth.board.board_engine import (
    LANES,
    ROTATIONS,
    SIDES,
    SPARE,
    Board,
    Slot,
    cell_to_position,
)
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.plan_task.plan_parser import OPENING
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, ReplyPieces
from facelet.pipeline.family_modules import AnyTask

LONGEST = (TAIL - len(OPENING)) // 25
"""Turns, so written, that are read of the end of a reply."""

COST = 4.0
"""Plain replies that a turn counts as: after each, the turns to go are searched."""
BOARDS = 24
"""Boards that the list of turns is made on."""
UNLIMITED = 16
"""Turns of the walk where any number of turns counts."""

_SLOTS = tuple(Slot(side, lane) for side in SIDES for lane in LANES)


def pieces(task: AnyTask, half: Sequence[Any]) -> ReplyPieces | None:
    """Return the turns that a plan is made of; None for tasks without plans.

    Args:
        task: the task.
        half: puzzles that a list of turns is made on.
    """
    if task.name != "labyrinth/plan":
        return None
    counted = [puzzle.budget for puzzle in half]
    longest = LONGEST if 0 in counted else min(LONGEST, max(counted))
    series = ((_format_plan(tune_turns(half[:BOARDS], longest)), longest),)
    return ReplyPieces(draw_turns, longest, _format_plan, series, COST)


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the player that walks without planning what it inserts; none for other tasks."""
    if task.name == "labyrinth/plan":
        return {"one_ahead": PartialViewPlayer(_AHEAD, _plan_player)}
    if task.name == "labyrinth/act":
        return {"one_ahead": PartialViewPlayer(_AHEAD, _action_player)}
    return {}


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "all that the board shows is asked for, and who sees a part of it gets that part"


_AHEAD = "the paths after its next insertion, one turn at a time, in all turns that count"


def _plan_player(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Write the walk as one plan."""
    return lambda prompt: f"{OPENING} {' '.join(map(str, _greedy_walk(puzzle, rng)))}"


def _action_player(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Take the walk an action at a time, and then stay."""
    actions = chain(_greedy_walk(puzzle, rng), repeat(MoveAction(None)))
    return lambda prompt: str(next(actions))


def _greedy_walk(puzzle: Instance, rng: np.random.Generator) -> list[Action]:
    """Bring the pawn as near to the target as one turn can, in each of the turns that count."""
    board = puzzle.board
    if not puzzle.starts_with_insertion:
        return [MoveAction(cell_to_position(board.treasure_cell(puzzle.target)))]
    actions: list[Action] = []
    for _ in range(puzzle.budget or UNLIMITED):
        best: tuple[float, float, InsertAction, int, Board] | None = None
        for slot, rotation in product(_SLOTS, range(ROTATIONS)):
            if not board.may_insert(slot):
                continue
            insert = InsertAction(slot.side, slot.lane, rotation)
            after = board.insert_tile(slot, insert.turn_spare_tile(board))
            goal = after.treasure_cell(puzzle.target)
            for cell in after.reachable_cells():
                apart = float("inf") if goal == SPARE else _cell_distance(cell, goal)
                found = (apart, float(rng.random()), insert, cell, after)
                best = found if best is None or found[:2] < best[:2] else best
        if best is None:
            break
        *_, insert, cell, after = best
        actions += [insert, MoveAction(cell_to_position(cell))]
        board = after.move_pawn(cell)
        if best[0] == 0:
            break
    return actions


def _cell_distance(one: int, other: int) -> int:
    """Return how many rows and columns lie between two cells."""
    return sum(
        abs(a - b) for a, b in zip(cell_to_position(one), cell_to_position(other), strict=True)
    )


def draw_turns(length: int, rng: np.random.Generator) -> list[str]:
    """Return so many turns, none of which undoes the one before."""
    turns: list[Slot] = []
    while len(turns) < length:
        slot = _SLOTS[int(rng.integers(len(_SLOTS)))]
        if not turns or slot != turns[-1].opposite_slot:
            turns.append(slot)
    return [_format_turn(slot, int(rng.integers(ROTATIONS))) for slot in turns]


def tune_turns(puzzles: Sequence[Instance], longest: int) -> list[str]:
    """Return turns, each the one that solves most of the puzzles that are still open.

    Args:
        puzzles: the puzzles.
        longest: how many turns.
    """
    rng = make_generator("blind", "labyrinth")
    live = [(puzzle.target, puzzle.board) for puzzle in puzzles if puzzle.starts_with_insertion]
    last: Slot | None = None
    turns: list[str] = []
    while len(turns) < longest:
        tried = []
        for place, slot in enumerate(_SLOTS):
            if last is None or slot != last.opposite_slot:
                after = [(target, _after_insertion(board, slot)) for target, board in live]
                open_ = [(t, board) for t, board in after if board.pawn != board.treasure_cell(t)]
                tried.append((len(open_), float(rng.random()), place, open_))
        *_, place, live = min(tried, key=lambda trial: trial[:2])
        last = _SLOTS[place]
        turns.append(_format_turn(last, 0))
    return turns


def _after_insertion(board: Board, slot: Slot) -> Board:
    return board.insert_tile(slot, InsertAction(slot.side, slot.lane, 0).turn_spare_tile(board))


def _format_turn(slot: Slot, rotation: int) -> str:
    return f"INSERT({slot.side},{slot.lane},{rotation})MOVE()"


def _format_plan(turns: Sequence[str]) -> str:
    return f"{OPENING} {' '.join(turns)}"
