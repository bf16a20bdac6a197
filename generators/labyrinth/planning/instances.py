"""Instances of planning: a board, a treasure to reach, how it is shown, and how a row holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth.board import columns
from facelet.generators.labyrinth.board.actions import Turn, write_turn
from facelet.generators.labyrinth.board.boards import Board
from facelet.generators.labyrinth.board.treasures import NAME_OF
from facelet.generators.labyrinth.planning.replies import parse
from facelet.generators.labyrinth.search import exact
from facelet.generators.labyrinth.search.exact import LIMIT, Ways
from facelet.generators.labyrinth.search.finding import find, solve
from facelet.generators.labyrinth.showing import displays
from facelet.generators.labyrinth.showing.displays import (
    OBJECTS,
    SETTINGS,
    Display,
    Objects,
    Setting,
)


@dataclass(frozen=True, slots=True)
class Params:
    """Params of the task.

    Attributes:
        turns: the fewest insertions that are needed; 0 to 4.
        setting: "visual", "overlay" (names and positions on the tiles), "symbolic" (state in
            text), "visual_symbolic" or "overlay_symbolic".
        objects: treasures shown: "target" alone, as in the paper, or "all".
        opacity: strength of the texture of the tiles in per cent; 0 to 100.
    """

    turns: int = 2
    setting: Setting = "visual"
    objects: Objects = "target"
    opacity: int = 50

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        check_range("turns", self.turns, 0, LIMIT)
        check_choice("setting", self.setting, SETTINGS)
        check_choice("objects", self.objects, OBJECTS)
        check_range("opacity", self.opacity, 0, 100)

    def difficulty(self) -> Difficulty:
        """Return the fewest turns."""
        return Difficulty("minimal_turns", self.turns, f"t{self.turns}")

    def display(self) -> Display:
        """Return how boards are shown."""
        return Display(self.setting, self.objects, self.opacity)


@dataclass(frozen=True, slots=True)
class Instance:
    """A board with a treasure to reach.

    Attributes:
        board: the board at the start; an INSERT is due, or if `turns` is 0, a MOVE.
        target: the letter of the treasure to reach.
        turns: the fewest insertions that are needed.
        ways: the numbers of shortest ways.
        solution: one of them, the reference.
        display: how it is shown.
    """

    board: Board
    target: str
    turns: int
    ways: Ways
    solution: tuple[Turn, ...]
    display: Display

    @property
    def inserting(self) -> bool:
        """Whether an INSERT is due at the start."""
        return self.turns > 0


def make(turns: int, display: Display, rng: np.random.Generator) -> Instance:
    """Return a random instance.

    Args:
        turns: the fewest insertions that are needed.
        display: how it is shown.
        rng: the item's generator.

    Raises:
        Reject: no board was found; the next draw may have one.
    """
    board, target = find(turns, rng)
    return Instance(board, target, turns, *solve(board, target, turns), display)


COLUMNS: tuple[Column, ...] = (
    *columns.COLUMNS,
    Column("target_name", "string", "name of that treasure"),
    Column("phase", "string", "what is due first: INSERT, or MOVE if no turn is needed"),
    Column("minimal_turns", "int8", "fewest insertions that are needed, proven by exhaustion"),
    Column("optimal_insertions", "int64", "sequences of so many insertions that lead there"),
    Column("optimal_plans", "int64", "the same with the cells where the turns end"),
    Column("chance", "float64", "success of a player that draws legal actions", role="chance"),
    Column("solution", "list<string>", "one shortest plan, a turn each", role="answer"),
    *displays.COLUMNS,
)


def encode(puzzle: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        **columns.encode(puzzle.board, puzzle.target),
        "target_name": NAME_OF[puzzle.target],
        "phase": "INSERT" if puzzle.inserting else "MOVE",
        "minimal_turns": puzzle.turns,
        "optimal_insertions": puzzle.ways.insertions,
        "optimal_plans": puzzle.ways.plans,
        "chance": puzzle.ways.chance,
        "solution": list(map(write_turn, puzzle.solution)),
        **displays.encode(puzzle.display),
    }


def decode(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(
        columns.decode(row),
        row["target"],
        row["minimal_turns"],
        Ways(row["optimal_insertions"], row["optimal_plans"], row["chance"]),
        tuple(tuple(map(parse, turn.split("; "))) for turn in row["solution"]),
        displays.decode(row),
    )


def faults(puzzle: Instance) -> list[str]:
    """Return what is false about an instance, in words; turns and ways are searched anew."""
    wrong = columns.faults(puzzle.board, puzzle.target)
    if wrong:
        return wrong
    board, target, turns = puzzle.board, puzzle.target, puzzle.turns
    walkable = board.place(target) in board.reachable()
    if board.pawn == board.place(target):
        wrong.append("the pawn stands on the target at the start")
    if walkable != (turns == 0):
        wrong.append(f"the target can{'' if walkable else 'not'} be walked to at the start")
    if turns and exact.turns(board, target, turns) != turns:
        wrong.append(f"the target is not exactly {turns} turns away")
    if not wrong:
        ways, solution = solve(board, target, turns)
        if puzzle.ways != ways:
            wrong.append(f"there are {ways}, not {puzzle.ways}")
        if puzzle.solution != solution:
            wrong.append(f"the reference is not {'; '.join(map(write_turn, solution))}")
    return wrong
