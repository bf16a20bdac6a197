"""Read puzzles of labyrinths: boards whose fewest turns are searched first.

A line contains the `board` as seven rows of seven names of tiles, the `spare` tile, the `treasures`
with their positions, the `pawn`'s position and the `target`; `last` is the previous insertion, and
`turns` the claimed fewest turns. Positions are [x, y], column and row from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.generators.core.seeding import Draw
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    EMPTY,
    LANES,
    LETTER_OF,
    LETTERS,
    SIDE,
    SIDES,
    TILES,
    Board,
    Slot,
    cell_at,
)
from facelet.generators.labyrinth.board_transcription import task as parsing
from facelet.generators.labyrinth.plan_task import instances as planning
from facelet.generators.labyrinth.plan_task.task import PlanningTask
from facelet.generators.labyrinth.presentation.displays import Display
from facelet.generators.labyrinth.search.board_sampler import solve_board
from facelet.generators.labyrinth.search.exact_search import LIMIT, fewest_turns
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.imported_items import (
    ImportedItems,
    PuzzleLine,
    PuzzleRow,
    RuleError,
    UnprovenError,
    import_each_puzzle,
)
from facelet.pipeline.importing.settings import ImportSettings
from facelet.pipeline.json_types import JSON

Values = Mapping[str, JSON]


def make(named: Sequence[PuzzleLine], task: AnyTask, settings: ImportSettings) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: the seed.

    Raises:
        ValueError: the task reads no puzzles.
    """

    def make_planned(values: Values, draw: Draw) -> PuzzleRow:
        board, target = _parse_board(values)
        turns = _fewest_turns(board, target)
        if values.get("turns") not in (None, turns):
            raise RuleError(f"it claims {values['turns']!r} turns and needs {turns}")
        # Boards of others need not satisfy our rules about insertions alone and targets.
        params = task.params(turns=turns, shifted="any", targets="any")
        assert isinstance(params, planning.Params)
        ways, solution = solve_board(board, target, turns)
        budget = params.budget_in_turns()
        shown = params.board_display()
        return params, planning.Instance(board, target, turns, ways, solution, shown, budget)

    def make_parsed(values: Values, draw: Draw) -> PuzzleRow:
        board, target = _parse_board(values)
        params = task.params()
        assert isinstance(params, parsing.Params)
        display = Display(params.setting, params.objects, params.opacity)
        return params, parsing.Instance(board, target, display)

    if isinstance(task, PlanningTask):
        return import_each_puzzle(named, task, settings, make_planned)
    if isinstance(task, parsing.BoardParsingTask):
        return import_each_puzzle(named, task, settings, make_parsed)
    raise ValueError(f"puzzles of {task.name} cannot be read; use a task such as labyrinth/plan")


MAKE = make


def _fewest_turns(board: Board, target: str) -> int:
    """Return the fewest turns to the target."""
    if board.treasure_cell(target) in board.reachable_cells():
        return 0
    turns = fewest_turns(board, target, LIMIT)
    if turns > LIMIT:
        raise UnprovenError(f"the target is more than {LIMIT} turns away")
    return turns


def _parse_board(values: Values) -> tuple[Board, str]:
    """Return the board of a line and its target.

    Raises:
        ValueError: they cannot be read.
        RuleError: they cannot occur in the game.
    """
    said = values.get("board")
    rows = [row for row in said if isinstance(row, list)] if isinstance(said, list) else []
    names = [*(name for row in rows for name in row), values.get("spare")]
    if [len(row) for row in rows] != [SIDE] * SIDE:
        raise ValueError(f"it needs a board: {SIDE} rows of {SIDE} names of tiles")
    tiles = []
    for name in names:
        if not isinstance(name, str) or name not in TILES:
            raise ValueError(f"{name!r} names no tile; use one of {', '.join(TILES)}")
        tiles.append(TILES[name])
    treasures, target = _parse_treasures(values.get("treasures")), values.get("target")
    board = Board(
        tuple(tiles),
        treasures,
        _parse_cell(values, "pawn"),
        _parse_last_insertion(values.get("last")),
    )
    letter = _treasure_letter(target) if isinstance(target, str) else ""
    if wrong := board_columns.find_column_faults(board, letter):
        raise RuleError("; ".join(wrong))
    return board, letter


def _treasure_letter(name: str) -> str:
    """Return the letter of a treasure that is given by its letter or its name."""
    return LETTER_OF.get(name.strip().lower(), name.strip().upper())


def _parse_treasures(said: JSON) -> str:
    """Return the treasure on each of the 50 tiles."""
    if not isinstance(said, dict):
        raise ValueError('it needs treasures: an object such as {"A": [3, 0], "B": "spare"}')
    marks = [EMPTY] * (CELLS + 1)
    for name, where in said.items():
        letter = _treasure_letter(name)
        if letter not in LETTERS or not letter:
            raise ValueError(f"{name!r} is no treasure; use letters A to {LETTERS[-1]} or names")
        place = CELLS if where == "spare" else _parse_cell({name: where}, name)
        if marks[place] != EMPTY:
            raise RuleError(f"two treasures are on one tile: {marks[place]} and {letter}")
        marks[place] = letter
    return "".join(marks)


def _parse_cell(values: Values, name: str) -> int:
    said = values.get(name)
    numbers = [one for one in said if isinstance(one, int)] if isinstance(said, list) else []
    if len(numbers) != 2 or not set(numbers) <= set(range(SIDE)):
        raise ValueError(f"{name} is {said!r}; it should be [x, y], 0 to {SIDE - 1}")
    return cell_at(numbers[0], numbers[1])


def _parse_last_insertion(said: JSON) -> Slot | None:
    """Return the last insertion, such as "top 3"."""
    if said is None or said == "":
        return None
    for side in SIDES:
        for lane in LANES:
            if said == f"{side} {lane}":
                return Slot(side, lane)
    raise ValueError(f"last is {said!r}; it should be a side and a slot such as 'top 3'")
