"""Rainbow candy factory: bring a candy to the far corner in the right color.

EvolArena, cases N.47 and N.48. Cells are (row, column) from 1; row 1 is the uppermost. A machine
acts whenever the candy enters its cell. The published code never mixes colors; here they mix as the
text describes.

The reference player assumes that unknown machines are those that suit it best, follows a shortest
way under that assumption, and plans again after a surprise. Each surprise rules out a machine, so
it arrives where the color can be had; the number of turns is not known, so only a win in the row
itself is guaranteed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    ErrorPrice,
    Luck,
    Player,
    Reject,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    level_param,
)

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
MIXED = {"GR": "Y", "BG": "C", "BR": "P"}
TARGETS = "YCPRGB"

TRIALS = 12
"""Factories that one attempt draws."""

Cell = tuple[int, int]
COLORS = "WRGBYCP"
"""The colors of candies."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A factory and the wanted color."""

    grid: tuple[str, ...] = column(
        "rows: S start, G goal, W bleach, X hidden, - none", role="puzzle"
    )
    target: str = column("the color that is wanted", role="puzzle")
    devices: str = column("what the cells X hold, row by row: R, G, B or -", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The cell and the color of the candy."""

    cell: Cell = (1, 1)
    color: str = "W"


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(13)


class RainbowCandyFactory(ArcadeGame[Params, Puzzle, State]):
    """A player dyes a candy by hidden machines on its way."""

    name = "arcade/rainbow_candy_factory"
    version = 3
    fixed = 0.18
    picks_to = 5  # the player weighs all machines of a larger factory, at every turn
    category = "state_operation"
    forms = (CommandForm("move", "My Move: {N|E|S|W}", "My Move: Y"),)
    illegal = ErrorPrice("end")
    unread = 0.4  # many ways meet a target of one color
    lucky = blind_limits({1: 0.35, 2: 0.4, 3: 0.3}, "a target of one color is met by many a way")
    sample = Sample(
        Puzzle(blank_terms("state_operation"), ("SX", "XG"), "Y", "RG"),
        (
            Command("move", ("E",)),
            Command("move", ("W",)),
            Command("move", ("S",)),
            Command("move", ("E",)),
        ),
        "The map is S X and X G, and yellow (Y) is wanted.",
    )
    deviations = (
        Deviation(
            "",
            "colors mix, as in the text; never in the published code",
            "otherwise mixed targets cannot be reached",
        ),
        Deviation(
            "",
            "the feedback is the candy's color",
            "the example fits it, and a move uses color feedback",
        ),
        Deviation(
            "",
            "the game continues if a candy reaches the goal in another color",
            "only reaching it in the right color counts",
        ),
        Deviation(
            "15 turns",
            "10, 12 and 14",
            "with more, one list of moves passes so many machines that it wins often",
            "published=true",
        ),
        Deviation(
            "",
            "n - 1 bleach machines; a hidden cell dyes with chance three quarters",
            "a wrong color can be washed out",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(3, 4, 5, 1)
        turns = params.turns or (TURNS if params.published else _turn_limit(size))
        target = draw.deal_card("target", TARGETS)
        for _ in range(TRIALS):
            grid = _draw_map(size, draw.rng)
            puzzle = Puzzle(self.terms(params, draw), grid, target, _draw_devices(grid, draw.rng))
            timed = replace(puzzle, terms=replace(puzzle.terms, turns=turns))
            if (params.published or not _is_won_by_straight_ways(puzzle)) and self.play_reference(
                timed
            )[1]:
                return puzzle
        raise Reject("too many straight ways have the color, or it cannot be had in time")

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.grid)
        empty = "- A cell - has no machine.\n" if any("-" in row for row in puzzle.grid) else ""
        return (
            f"Bring a candy through a factory of {size} rows and {size} columns. A cell is "
            "(row, column), both from 1. The candy starts at (1, 1), the upper left corner S, and "
            f"is white (W). The goal is ({size}, {size}), the lower right corner G. It must come "
            "to the goal in the target color.\n"
            "In each turn you move it one cell: N (row - 1), E (column + 1), S (row + 1) or W "
            "(column - 1). You may go back to cells where it has been.\n"
            "When the candy enters a cell, the machine there acts, each time anew:\n"
            "- A cell W of the map bleaches: the candy becomes white, whatever its color.\n"
            "- A cell X holds a dye machine, red (R), green (G) or blue (B), or none; you are not "
            "told which. Dye gives a white candy its color. It mixes with another basic color: "
            "R and G make yellow (Y), G and B cyan (C), R and B purple (P). The same color again "
            "changes nothing, and dye does not change a mixed color.\n"
            f"{empty}- Start and goal have no machine.\n"
            "After each move I say the color of the candy: W, R, G, B, Y, C or P.\n"
            "You win when the candy is at the goal in the target color; in another color it goes "
            "on. You lose at once if you move it out of the grid, and if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        rows = "\n".join(" ".join(row) for row in puzzle.grid)
        return f"The map:\n{rows}\nTarget color: {puzzle.target}\nMake your first move."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        inside = command.args[0] in _open_directions(len(puzzle.grid), state.cell)
        return "" if inside else "that leads out of the grid"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        cell = _open_directions(len(puzzle.grid), state.cell)[command.args[0]]
        return State(
            cell, _dye_color(state.color, _machines_by_cell(puzzle.grid, puzzle.devices)[cell])
        )

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return state.color

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        there = puzzle.grid[state.cell[0] - 1][state.cell[1] - 1] == "G"
        return True if there and state.color == puzzle.target else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        ways = list(_open_directions(len(puzzle.grid), state.cell))
        return Command("move", (ways[below(rng, len(ways))],))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        return [replace(puzzle, devices=_draw_devices(puzzle.grid, rng)) for _ in range(count)]

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return TURNS if params.published else _turn_limit(len(shown.grid))

    def player(self, shown: Puzzle) -> Player:
        size, place, color = len(shown.grid), 0, "W"
        unknown = "?" * sum(row.count("X") for row in shown.grid)
        kinds = _machines_by_cell(shown.grid, unknown).values()
        # The possible machines of each place: R, G, B dye, W bleaches, - is none.
        beliefs = ["RGB-" if kind == "?" else kind for kind in kinds]
        while found := _find_hopeful_move(size, beliefs, place, color, shown.target):
            way, place = found
            heard = yield Command("move", (way,))
            beliefs[place] = "".join(
                kind for kind in beliefs[place] if _dye_color(color, kind) == heard
            )
            color = heard


TASK = RainbowCandyFactory()


def _turn_limit(size: int) -> int:
    """Return the turns: few on small maps, where one list of moves passes many machines."""
    return 2 * size + 4 if size <= 5 else 5 * size


def _draw_map(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return the rows of a map."""
    cells = ["X"] * (size * size - 2)
    for place in rng.choice(len(cells), size - 1, replace=False):
        cells[int(place)] = "W"
    text = "S" + "".join(cells) + "G"
    return tuple(text[k : k + size] for k in range(0, size * size, size))


@cache
def _dye_color(color: str, machine: str) -> str:
    """Return a candy's color after a machine: R, G, B, W for bleach, or - for none."""
    if machine == "W":
        return "W"
    if machine == "-" or color in "YCP" or color == machine:
        return color
    return machine if color == "W" else MIXED["".join(sorted(color + machine))]


@cache
def _possible_colors(color: str, machines: str) -> tuple[str, ...]:
    """Return the colors of a candy after one of these machines, each once."""
    return tuple(dict.fromkeys(_dye_color(color, machine) for machine in machines))


@cache
def _open_directions(size: int, cell: Cell) -> Mapping[str, Cell]:
    """Return the cells inside the grid by the directions that lead to them."""
    after = {way: (cell[0] + row, cell[1] + column) for way, (row, column) in WAYS.items()}
    return {way: c for way, c in after.items() if 1 <= c[0] <= size and 1 <= c[1] <= size}


@lru_cache(maxsize=64)
def _machines_by_cell(grid: tuple[str, ...], devices: str) -> Mapping[Cell, str]:
    """Return the machine of each cell; start and goal have none."""
    hidden = iter(devices)
    return {
        (row, column): next(hidden) if sign == "X" else "W" if sign == "W" else "-"
        for row, line in enumerate(grid, start=1)
        for column, sign in enumerate(line, start=1)
    }


def _draw_devices(grid: Sequence[str], rng: np.random.Generator) -> str:
    """Draw the devices of the hidden cells one by one."""
    count = sum(row.count("X") for row in grid)
    return "".join(map(str, rng.choice(list("RGB-"), count)))


def _find_hopeful_move(
    size: int, beliefs: Sequence[str], place: int, color: str, target: str
) -> tuple[str, int] | None:
    """Return the first move of a shortest way, if unknown machines suit best.

    Args:
        size: rows and columns.
        beliefs: the possible machines of each place, row by row.
        place: where the candy is.
        color: its color.
        target: the color that is wanted.

    Returns:
        The way, and the place that it leads to; None if there is none.
    """
    beside, goal, wanted = _neighbor_table(size), size * size - 1, COLORS.index(target)
    dyes = [_dye_table(machines) for machines in beliefs]
    many = len(COLORS)
    begin = place * many + COLORS.index(color)
    first: dict[int, tuple[str, int] | None] = {begin: None}
    queue = [begin]
    for here in queue:
        at, shade = divmod(here, many)
        come = first[here]
        for move in beside[at]:
            to = move[1]
            for after in dyes[to][shade]:
                if (node := to * many + after) in first:
                    continue
                first[node] = come or move
                if to == goal and after == wanted:
                    return come or move
                queue.append(node)
    return None


@cache
def _dye_table(machines: str) -> tuple[tuple[int, ...], ...]:
    """Return the possible colors after one of these machines, by the color before."""
    return tuple(tuple(map(COLORS.index, _possible_colors(color, machines))) for color in COLORS)


@cache
def _neighbor_table(size: int) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return the directions from each place, row by row, with the places they lead to."""
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    return tuple(
        tuple(
            (way, (after[0] - 1) * size + after[1] - 1)
            for way, after in _open_directions(size, cell).items()
        )
        for cell in cells
    )


def _is_won_by_straight_ways(puzzle: Puzzle) -> bool:
    """Return whether over a third of the ways east and south have the color at the goal."""
    size = len(puzzle.grid)
    machines = _machines_by_cell(puzzle.grid, puzzle.devices)
    counts: dict[Cell, dict[str, int]] = {(1, 1): {"W": 1}}
    for row in range(1, size + 1):
        for place in range(1, size + 1):
            found = counts.setdefault((row, place), {})
            for before in ((row - 1, place), (row, place - 1)):
                for color, count in counts.get(before, {}).items():
                    after = _dye_color(color, machines[row, place])
                    found[after] = found.get(after, 0) + count
    ways = counts[size, size]
    return 3 * ways.get(puzzle.target, 0) > sum(ways.values())
