"""Puzzles: a board, a treasure to reach, how it is shown, and how a row holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from facelet.generators.core.task import Column
from facelet.generators.labyrinth import search
from facelet.generators.labyrinth.action_answers import parse
from facelet.generators.labyrinth.actions import Turn, write_turn
from facelet.generators.labyrinth.board import SIDE, SPARE, Board, Slot, cell_at, faults, position
from facelet.generators.labyrinth.finding import find, solve
from facelet.generators.labyrinth.search import Ways
from facelet.generators.labyrinth.tiles import name, turned
from facelet.generators.labyrinth.tiles import parse as parse_tile
from facelet.generators.labyrinth.treasures import EMPTY, LETTERS, NAME_OF
from facelet.renderers.scenes.labyrinth import LabyrinthBoard

Setting = Literal["visual", "overlay", "symbolic", "visual_symbolic", "overlay_symbolic"]
SETTINGS: tuple[Setting, ...] = (
    "visual",
    "overlay",
    "symbolic",
    "visual_symbolic",
    "overlay_symbolic",
)
"""What the player sees: the picture, with or without names and positions on its tiles, and the
state in text (MARBLE, figure 15)."""
Objects = Literal["target", "all"]
OBJECTS: tuple[Objects, ...] = ("target", "all")


@dataclass(frozen=True, slots=True)
class Look:
    """How a puzzle is shown.

    Attributes:
        setting: picture, text or both.
        objects: which treasures are shown: the target alone, as in the paper, or all.
        opacity: how strong the texture of the tiles is, in per cent.
    """

    setting: Setting
    objects: Objects
    opacity: int

    @property
    def pictured(self) -> bool:
        """Whether there is a picture."""
        return self.setting != "symbolic"

    @property
    def overlaid(self) -> bool:
        """Whether the tiles in it carry their names and positions."""
        return self.setting.startswith("overlay")

    @property
    def told(self) -> bool:
        """Whether the state stands in the text."""
        return self.setting.endswith("symbolic")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle.

    Attributes:
        board: the position at the start; an INSERT is due, or if `turns` is 0, a MOVE.
        target: the letter of the treasure to reach.
        turns: the fewest insertions that are needed.
        ways: how many shortest ways there are.
        solution: one of them, the reference.
        look: how it is shown.
    """

    board: Board
    target: str
    turns: int
    ways: Ways
    solution: tuple[Turn, ...]
    look: Look

    @property
    def inserting(self) -> bool:
        """Whether an INSERT is due at the start."""
        return self.turns > 0


def make(turns: int, look: Look, rng: np.random.Generator) -> Puzzle:
    """Return a random puzzle.

    Raises:
        Reject: no board was found; the next draw may have one.
    """
    board, target = find(turns, rng)
    return Puzzle(board, target, turns, *solve(board, target, turns), look)


def canonical(board: Board) -> str:
    """Return the tiles of a board, the same for the four ways of turning the board."""
    boards = [board.tiles]
    for _ in range(3):
        before = boards[-1]
        # A quarter turn clockwise brings (row, column) to (column, 6 - row).
        cells = (before[SIDE * (SIDE - 1 - c) + r] for r in range(SIDE) for c in range(SIDE))
        boards.append((*(turned(tile) for tile in cells), before[SPARE]))
    spare = min(turned(board.spare, quarters) for quarters in range(4))
    return min("".join(f"{tile:x}" for tile in (*one[:SPARE], spare)) for one in boards)


def shown(board: Board, target: str, objects: Objects) -> str:
    """Return the treasures that the player sees: 50 letters, "-" where there is none."""
    if objects == "all":
        return board.treasures
    return "".join(letter if letter == target else EMPTY for letter in board.treasures)


def scene(board: Board, target: str, look: Look) -> LabyrinthBoard:
    """Return the picture of a position."""
    return LabyrinthBoard(
        tiles=board.tiles,
        treasures=shown(board, target, look.objects),
        pawn=board.pawn,
        target=target,
        overlay=look.overlaid,
        opacity=look.opacity,
    )


BOARD_COLUMNS: tuple[Column, ...] = (
    Column("tiles", "list<string>", "the 49 tiles, row by row, then the spare one", role="puzzle"),
    Column("treasures", "string", "the treasures on these 50 tiles: A to X, - for none"),
    Column("pawn_x", "int8", "column of the pawn, from 0 at the left"),
    Column("pawn_y", "int8", "row of the pawn, from 0 at the top"),
    Column("last_insert", "string", "side and slot of the insertion before, or empty"),
    Column("target", "string", "letter of the treasure to reach"),
    Column("canonical", "string", "the tiles up to turning the board", role="canonical"),
)
LOOK_COLUMNS: tuple[Column, ...] = (
    Column("setting", "string", "what the player sees: picture, overlay, state in text"),
    Column("objects", "string", "treasures shown: target or all"),
    Column("opacity", "int8", "strength of the texture of the tiles in per cent"),
)
COLUMNS: tuple[Column, ...] = (
    *BOARD_COLUMNS,
    Column("target_name", "string", "name of that treasure"),
    Column("phase", "string", "what is due first: INSERT, or MOVE if no turn is needed"),
    Column("minimal_turns", "int8", "fewest insertions that are needed, proven by exhaustion"),
    Column("optimal_insertions", "int64", "sequences of so many insertions that lead there"),
    Column("optimal_plans", "int64", "the same with the cells where the turns end"),
    Column("chance", "float64", "success of a player that draws legal actions", role="chance"),
    Column("solution", "list<string>", "one shortest plan, a turn each", role="answer"),
    *LOOK_COLUMNS,
)


def encode_board(board: Board, target: str) -> dict[str, Any]:
    """Return the columns of a position."""
    x, y = position(board.pawn)
    return {
        "tiles": list(map(name, board.tiles)),
        "treasures": board.treasures,
        "pawn_x": x,
        "pawn_y": y,
        "last_insert": "" if board.last is None else f"{board.last.side} {board.last.lane}",
        "target": target,
        "canonical": canonical(board),
    }


def decode_board(row: Mapping[str, Any]) -> Board:
    """Return the position that a row holds."""
    side, _, lane = row["last_insert"].partition(" ")
    return Board(
        tuple(map(parse_tile, row["tiles"])),
        row["treasures"],
        cell_at(row["pawn_x"], row["pawn_y"]),
        Slot(side, int(lane)) if lane else None,
    )


def encode_look(look: Look) -> dict[str, Any]:
    """Return the columns of a look."""
    return {"setting": look.setting, "objects": look.objects, "opacity": look.opacity}


def decode_look(row: Mapping[str, Any]) -> Look:
    """Return the look that a row holds."""
    return Look(row["setting"], row["objects"], row["opacity"])


def encode(puzzle: Puzzle) -> dict[str, Any]:
    """Return the typed columns of a puzzle."""
    return {
        **encode_board(puzzle.board, puzzle.target),
        "target_name": NAME_OF[puzzle.target],
        "phase": "INSERT" if puzzle.inserting else "MOVE",
        "minimal_turns": puzzle.turns,
        "optimal_insertions": puzzle.ways.insertions,
        "optimal_plans": puzzle.ways.plans,
        "chance": puzzle.ways.chance,
        "solution": list(map(write_turn, puzzle.solution)),
        **encode_look(puzzle.look),
    }


def decode(row: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle that a row holds."""
    return Puzzle(
        decode_board(row),
        row["target"],
        row["minimal_turns"],
        Ways(row["optimal_insertions"], row["optimal_plans"], row["chance"]),
        tuple(tuple(map(parse, turn.split("; "))) for turn in row["solution"]),
        decode_look(row),
    )


def board_faults(board: Board, target: str) -> list[str]:
    """Return what is false about a position and its target, in words."""
    wrong = faults(board)
    if not wrong and (target not in LETTERS or target not in board.treasures[:SPARE]):
        wrong.append(f"the target {target!r} does not lie on the board")
    return wrong


def puzzle_faults(puzzle: Puzzle) -> list[str]:
    """Return what is false about a puzzle, in words; turns and ways are searched anew."""
    wrong = board_faults(puzzle.board, puzzle.target)
    if wrong:
        return wrong
    board, target, turns = puzzle.board, puzzle.target, puzzle.turns
    walkable = board.place(target) in board.reachable()
    if board.pawn == board.place(target):
        wrong.append("the pawn stands on the target at the start")
    if walkable != (turns == 0):
        wrong.append(f"the target can{'' if walkable else 'not'} be walked to at the start")
    if turns and search.turns(board, target, turns) != turns:
        wrong.append(f"the target is not exactly {turns} turns away")
    if not wrong:
        ways, solution = solve(board, target, turns)
        if puzzle.ways != ways:
            wrong.append(f"there are {ways}, not {puzzle.ways}")
        if puzzle.solution != solution:
            wrong.append(f"the reference is not {'; '.join(map(write_turn, solution))}")
    return wrong
