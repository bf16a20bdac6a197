"""Params, instances and columns of the planning tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.row_schema import columns_of
from facelet.generators.core.task import Column
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board.actions import Turn
from facelet.generators.labyrinth.board.board_engine import Board
from facelet.generators.labyrinth.presentation.displays import Display, Objects, Setting
from facelet.generators.labyrinth.search.board_sampler import find_board, solve_board
from facelet.generators.labyrinth.search.exact_search import LIMIT, WayCounts


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Params of the task."""

    turns: int = param(
        2,
        "the fewest insertions that are needed; on random boards no treasure is further than four",
        low=0,
        high=LIMIT,
        axis="minimal_turns",
        label="t{}",
    )
    setting: Setting = param(
        "visual", "picture, with or without names and positions (overlay), state in text, or both"
    )
    objects: Objects = param("target", "treasures shown: the target alone, as in the paper, or all")
    opacity: int = param(
        50, "strength of the texture of the tiles in per cent", low=0, high=100, look=True
    )

    shifted: Literal["never", "any"] = param(
        "never",
        "whether insertions alone, of twice the fewest turns, may bring pawn and target together: "
        "never, or any boards, as in the paper",
    )

    targets: Literal["loose", "any"] = param(
        "loose",
        "treasures that are targets: those on loose tiles, up to three turns as often on each "
        "loose cell, or any, as in the paper",
    )

    def count_blocked_shifts(self) -> int:
        """Return how many insertions must not bring pawn and target together."""
        return 2 * self.turns if self.shifted == "never" else 0

    def board_display(self) -> Display:
        """Return how boards are shown."""
        return Display(self.setting, self.objects, self.opacity)

    def budget_in_turns(self) -> int:
        """Return how many turns count: two actions for each that is needed (MARBLE, 3.3)."""
        return max(1, self.turns)


@dataclass(frozen=True, slots=True)
class Instance:
    """A board with a treasure to reach.

    Attributes:
        board: the board at the start; an INSERT is due, or if `fewest_turns` is 0, a MOVE.
        target: the letter of the treasure to reach.
        turns: the fewest insertions that are needed.
        ways: the numbers of shortest ways.
        solution: one of them, the reference.
        display: how it is shown.
        budget: turns that count; 0 if all do.
    """

    board: Board
    target: str
    turns: int
    ways: WayCounts
    solution: tuple[Turn, ...]
    display: Display
    budget: int = 0

    @property
    def starts_with_insertion(self) -> bool:
        """Whether an INSERT is due at the start."""
        return self.turns > 0


def draw_instance(
    turns: int,
    display: Display,
    rng: np.random.Generator,
    budget: int = 0,
    shifts: int = 0,
    *,
    loose: bool = False,
) -> Instance:
    """Return a random instance.

    Args:
        turns: the fewest insertions that are needed.
        display: how it is shown.
        rng: the item's generator.
        budget: turns that count; 0 if all do.
        shifts: insertions that, while the pawn stays, never bring it to the target.
        loose: whether the target is on a loose tile.

    Raises:
        Reject: no board was found; the next draw may have one.
    """
    board, target = find_board(turns, rng, shifts, loose=loose)
    return Instance(board, target, turns, *solve_board(board, target, turns), display, budget)


COLUMNS: tuple[Column, ...] = (
    *board_columns.COLUMNS,
    Column("target_name", "string", "name of that treasure"),
    Column("budget", "int8", "turns that count, from the first on; 0 if all do"),
    Column("phase", "string", "what is due first: INSERT, or MOVE if no turn is needed"),
    Column("minimal_turns", "int8", "fewest insertions that are needed, proven by exhaustion"),
    Column("optimal_insertions", "int64", "sequences of so many insertions that lead there"),
    Column("optimal_plans", "int64", "the same with the cells where the turns end"),
    Column("chance", "float64", "success of a player that draws legal actions", role="chance"),
    Column("solution", "list<string>", "one shortest plan, a turn each", role="answer"),
    *columns_of(Display),
)
