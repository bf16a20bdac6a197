"""Blind players of labyrinths: plans made of insertions, after each of which the pawn stays.

Such a turn is legal on every board, unless it undoes the one before. They are written as short as
the parser takes them, since only the end of a long reply is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product, repeat
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.boundary import TAIL
from facelet.generators.core.seeding import generator
from facelet.generators.labyrinth.board.actions import Action, Insert, Move
from facelet.generators.labyrinth.board.boards import (
    LANES,
    SIDES,
    SPARE,
    Board,
    Slot,
    position,
)
from facelet.generators.labyrinth.board.tiles import ROTATIONS
from facelet.generators.labyrinth.planning.instances import Instance
from facelet.generators.labyrinth.planning.replies import OPENING
from facelet.pipeline.audit.policies import Looker, Pieces
from facelet.pipeline.families import AnyTask

LONGEST = (TAIL - len(OPENING)) // 25
"""Turns, so written, that are read of the end of a reply."""

COST = 4.0
"""Plain replies that a turn counts as: after each, the turns to go are searched."""
BOARDS = 24
"""Boards that the list of turns is made on."""

_SLOTS = tuple(Slot(side, lane) for side in SIDES for lane in LANES)


def pieces(task: AnyTask, half: Sequence[Any]) -> Pieces | None:
    """Return the turns that a plan is made of; None for tasks without plans.

    Args:
        task: the task.
        half: puzzles that a list of turns is made on.
    """
    if task.name != "labyrinth/plan":
        return None
    counted = [puzzle.budget for puzzle in half]
    longest = LONGEST if 0 in counted else min(LONGEST, max(counted))
    series = ((_plan(made(half[:BOARDS], longest)), longest),)
    return Pieces(draw, longest, _plan, series, COST)


def shortcuts(task: AnyTask) -> Mapping[str, Looker]:
    """Return the player that walks without planning what it inserts; none for other tasks."""
    if task.name == "labyrinth/plan":
        return {"one_ahead": Looker(_AHEAD, _planned)}
    if task.name == "labyrinth/act":
        return {"one_ahead": Looker(_AHEAD, _acted)}
    return {}


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "all that the board shows is asked for, and who sees a part of it gets that part"


_AHEAD = "the paths after its next insertion, one turn at a time"


def _planned(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Write the walk as one plan."""
    return lambda prompt: f"{OPENING} {' '.join(map(str, _walk(puzzle, rng)))}"


def _acted(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Take the walk an action at a time, and then stay."""
    actions = chain(_walk(puzzle, rng), repeat(Move(None)))
    return lambda prompt: str(next(actions))


def _walk(puzzle: Instance, rng: np.random.Generator) -> list[Action]:
    """Insert where, and walk to where, the pawn comes nearest to the target this turn."""
    board = puzzle.board
    if not puzzle.inserting:
        return [Move(position(board.place(puzzle.target)))]
    actions: list[Action] = []
    for _ in range(max(puzzle.turns, 1)):
        best: tuple[float, float, Insert, int, Board] | None = None
        for slot, rotation in product(_SLOTS, range(ROTATIONS)):
            if not board.may_insert(slot):
                continue
            insert = Insert(slot.side, slot.lane, rotation)
            after = board.insert(slot, insert.tile(board))
            goal = after.place(puzzle.target)
            for cell in after.reachable():
                apart = float("inf") if goal == SPARE else _apart(cell, goal)
                found = (apart, float(rng.random()), insert, cell, after)
                best = found if best is None or found[:2] < best[:2] else best
        if best is None:
            break
        *_, insert, cell, after = best
        actions += [insert, Move(position(cell))]
        board = after.move(cell)
        if best[0] == 0:
            break
    return actions


def _apart(one: int, other: int) -> int:
    """Return how many rows and columns lie between two cells."""
    return sum(abs(a - b) for a, b in zip(position(one), position(other), strict=True))


def draw(length: int, rng: np.random.Generator) -> list[str]:
    """Return so many turns, none of which undoes the one before."""
    turns: list[Slot] = []
    while len(turns) < length:
        slot = _SLOTS[int(rng.integers(len(_SLOTS)))]
        if not turns or slot != turns[-1].opposite:
            turns.append(slot)
    return [_turn(slot, int(rng.integers(ROTATIONS))) for slot in turns]


def made(puzzles: Sequence[Instance], longest: int) -> list[str]:
    """Return turns, each the one that solves most of the puzzles that are still open.

    Args:
        puzzles: the puzzles.
        longest: how many turns.
    """
    rng = generator("blind", "labyrinth")
    live = [(puzzle.target, puzzle.board) for puzzle in puzzles if puzzle.inserting]
    last: Slot | None = None
    turns: list[str] = []
    while len(turns) < longest:
        tried = []
        for place, slot in enumerate(_SLOTS):
            if last is None or slot != last.opposite:
                after = [(target, _after(board, slot)) for target, board in live]
                open_ = [(t, board) for t, board in after if board.pawn != board.place(t)]
                tried.append((len(open_), float(rng.random()), place, open_))
        *_, place, live = min(tried, key=lambda trial: trial[:2])
        last = _SLOTS[place]
        turns.append(_turn(last, 0))
    return turns


def _after(board: Board, slot: Slot) -> Board:
    return board.insert(slot, Insert(slot.side, slot.lane, 0).tile(board))


def _turn(slot: Slot, rotation: int) -> str:
    return f"INSERT({slot.side},{slot.lane},{rotation})MOVE()"


def _plan(turns: Sequence[str]) -> str:
    return f"{OPENING} {' '.join(turns)}"
