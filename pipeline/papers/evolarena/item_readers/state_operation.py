"""Items of state operation: a state is to be brought to a goal, by means that are half known.

What numbers or buttons stand for, and which vertex is secret, the authors' monitor draws when a
play begins; here it is drawn with the item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, permutations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    Columns,
    GameReader,
    Pair,
    PuzzleReading,
    Values,
    format_short,
    is_readable_list,
    list_neighbors,
    parse_cell,
    read_edges,
    read_grid_rows,
    read_integer,
    read_integers,
    read_object,
    read_pairs,
    read_square_grid,
)

UNSTABLE = 20
"""Percent of operations of a synthesis that go another way."""

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPENS = {(False, False): ".", (True, False): "E", (False, True): "S", (True, True): "B"}
"""The sign of a cell of a dark maze, by whether its ways east and south are open."""

FIELDS = str.maketrans("NESW", "1234")
"""How the prompts of the authors' items number the directions of fields."""


# --- graphs ---------------------------------------------------------------------------------------


def _read_cactus_search(values: Values) -> PuzzleReading:
    graph = read_object(values, "graph")
    size = read_integer(graph, "n", 3, 1000)
    said = graph.get("paths")
    paths = (
        [read_integers({"paths": path}, "paths") for path in said] if is_readable_list(said) else []
    )
    steps = [step for path in paths for step in pairwise(path)]
    joined = read_edges({"paths": [list(step) for step in steps]}, "paths")
    list_neighbors(joined, size)
    if not _is_cactus(joined, size):
        raise ValueError("graph is no cactus: an edge lies on more than one cycle")
    texts = tuple(" ".join(map(str, path)) for path in paths)
    return {"size": size, "paths": texts, "in_order": True}, 1 / size


def _is_cactus(joined: Sequence[Pair], size: int) -> bool:
    """Return whether no edge of a connected graph lies on two cycles."""
    near = list_neighbors(joined, size)
    parents, depth, order = {1: 0}, {1: 0}, [1]
    for vertex in order:
        for other in near[vertex]:
            if other not in depth:
                parents[other], depth[other] = vertex, depth[vertex] + 1
                order.append(other)
    # An edge outside of the tree closes one cycle, with the ways up from its ends.
    closed: set[Pair] = set()
    for one, other in joined:
        if parents[one] == other or parents[other] == one:
            continue
        while one != other:
            if depth[one] < depth[other]:
                one, other = other, one
            if (one, parents[one]) in closed:
                return False
            closed.add((one, parents[one]))
            one = parents[one]
    return True


def _draw_secret(columns: Columns, draw: Draw) -> Columns:
    return {"vertex": 1 + int(draw.rng.integers(columns["size"]))}


def _read_treasure_hunt(values: Values) -> PuzzleReading:
    size = read_integer(values, "scale", 2, 1000)
    near = list_neighbors(read_edges(values, "graph"), size)
    first = near[1]
    view = " ".join(f"{len(near[other])} {int(other == 1)}" for other in first)
    joined = tuple(" ".join(map(str, others)) for others in near.values())
    return {"size": size, "view": f"R {len(first)} {view}", "joined": joined}, 0.0


# --- grids ----------------------------------------------------------------------------------------


def _read_dark_maze(values: Values) -> PuzzleReading:
    maze = read_object(values, "maze")
    size, rooms = read_integer(maze, "size", 2, 30), read_object(maze, "rooms")
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    walls: dict[Pair, set[str]] = {}
    for name in rooms:
        said = read_object(rooms, name).get("walls")
        walls[parse_cell(name)] = {str(way) for way in said} if is_readable_list(said) else {"none"}
    if set(walls) != set(cells) or not set().union(*walls.values()) <= WAYS.keys():
        raise ValueError(
            f"rooms is {format_short(rooms)}; it should give the walls N, E, S, W of each cell"
        )

    def is_open(cell: Pair, way: str, back: str) -> bool:
        other = (cell[0] + WAYS[way][0], cell[1] + WAYS[way][1])
        if other not in walls:
            return False
        one, two = way not in walls[cell], back not in walls[other]
        if one != two:
            raise ValueError(f"the way between {cell} and {other} is open from one side only")
        return one

    signs = [OPENS[is_open(cell, "E", "W"), is_open(cell, "S", "N")] for cell in cells]
    grid = tuple("".join(signs[start : start + size]) for start in range(0, size * size, size))
    return {"size": size, "maze": grid, "tree": False}, 0.0


def _read_finding_biggest(values: Values) -> PuzzleReading:
    graph = read_object(values, "graph")
    size = read_integer(graph, "grid_size", 2, 100)
    said = graph.get("treasures")
    found = [one for one in said if isinstance(one, dict)] if is_readable_list(said) else []
    if not is_readable_list(said) or len(found) != 2 or len(said) != 2:
        raise ValueError(
            f"treasures is {format_short(said)}; it should be two, each with x, y and value"
        )
    placed = sorted(
        (
            (read_integer(one, "x", 1, size) - 1) * size + read_integer(one, "y", 1, size) - 1,
            read_integer(one, "value", 1, 100),
        )
        for one in found
    )
    cells, worth = zip(*placed, strict=True)
    if len(set(cells)) < 2 or len(set(worth)) < 2 or 0 in cells:
        raise ValueError(
            "the treasures should lie in different cells, not in (1, 1), and differ in value"
        )
    columns = {
        "size": size,
        "cells": cells,
        "values": worth,
        "fading": False,
        "distance": "manhattan",
    }
    return columns, 0.0


def _read_magnetic_field(values: Values) -> PuzzleReading:
    grid = read_square_grid(read_object(values, "graph"), "grid", ".XGNESW")
    signs = "".join(grid)
    if signs[0] != "." or signs[-1] != "G" or signs.count("G") != 1:
        raise ValueError("grid should be neutral (.) at its start and have its goal G at its end")
    plain = tuple(row.translate(FIELDS) for row in grid)
    return {"grid": plain, "directions": "NESW"}, 0.0


def _read_candy_factory(values: Values) -> PuzzleReading:
    graph = read_object(values, "graph")
    size, devices = read_integer(graph, "size", 2, 30), read_object(graph, "devices")
    target = graph.get("target")
    if target not in ("R", "G", "B", "Y", "C", "P"):
        raise ValueError(
            f"target is {format_short(target)}; it should be one of R, G, B, Y, C and P"
        )
    held = {parse_cell(name): str(kind) for name, kind in devices.items()}
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    if set(held) != set(cells) or not set(held.values()) <= set("RGBW-"):
        raise ValueError(
            f"devices is {format_short(devices)}; it should give R, G, B, W or - "
            f"for each of {size} x "
            f"{size} cells"
        )
    if held[cells[0]] != "-" or held[cells[-1]] != "-":
        raise ValueError("devices should be - at start and goal, which have no machine")
    shown = ["X" if held[cell] in "RGB" else held[cell] for cell in cells]
    shown[0], shown[-1] = "S", "G"
    grid = tuple("".join(shown[start : start + size]) for start in range(0, size * size, size))
    hidden = "".join(held[cell] for cell in cells if held[cell] in "RGB")
    return {"grid": grid, "target": target, "devices": hidden}, 0.0


def _read_safepath(values: Values) -> PuzzleReading:
    size = read_integer(values, "scale", 2, 100)
    cells = read_pairs(values, "traps")
    places = sorted((x - 1) * size + y - 1 for x, y in cells)
    if not all(1 <= number <= size for cell in cells for number in cell):
        raise ValueError(
            f"traps is {format_short(values.get('traps'))}; cells should be 1 to {size}"
        )
    if len(set(places)) < len(places) or places[0] == 0 or places[-1] == size * size - 1:
        raise ValueError("traps name a cell twice, or the start or the goal")
    return {"size": size, "clear": False, "traps": tuple(places)}, 0.0


def _read_maze(values: Values) -> PuzzleReading:
    grid = read_grid_rows(values, "grids", ".*F")
    signs = "".join(grid)
    if signs.count("F") != 1 or signs[0] != ".":
        raise ValueError("grids should have one finish F, and be plain (.) at the start")
    return {"grid": grid}, 0.0


def _draw_swaps(columns: Columns, draw: Draw) -> Columns:
    up_down, left_right = (bool(draw.rng.integers(2)) for _ in range(2))
    return {"swap_up_down": up_down, "swap_left_right": left_right}


# --- operations -----------------------------------------------------------------------------------


def _read_chemical_synthesis(values: Values) -> PuzzleReading:
    said, target = values.get("initial_compounds"), values.get("target_compound")
    texts = [one for one in said if isinstance(one, str)] if is_readable_list(said) else []
    if (
        not is_readable_list(said)
        or not said
        or len(texts) < len(said)
        or not isinstance(target, str)
        or not all(re.fullmatch(r"[A-Z]{1,40}", one) for one in (*texts, target))
    ):
        raise ValueError(
            f"initial_compounds is {format_short(said)} and target_compound "
            f"{format_short(target)}; they should "
            "be of letters A to Z"
        )
    compounds = tuple(dict.fromkeys(texts))
    if target in compounds:
        raise ValueError(f"target_compound is {target}, which is there at the start")
    columns = {"compounds": compounds, "target": target, "unstable": UNSTABLE, "twice": True}
    return columns, 0.0


def _read_color_magic(values: Values) -> PuzzleReading:
    return {
        "grid": read_square_grid(read_object(values, "graph"), "initial_state", "RBY"),
        "twins": True,
    }, 0.0


def _draw_numbering(columns: Columns, draw: Draw) -> Columns:
    return {"order": draw.deal_card("order", ["".join(order) for order in permutations("SMWE")])}


def _draw_magic(columns: Columns, draw: Draw) -> Columns:
    return {"order": draw.deal_card("order", ["".join(order) for order in permutations("abg")])}


GAMES = {
    "cactus_search": GameReader(_read_cactus_search, "size", 34, _draw_secret),
    "chemical_synthesis": GameReader(_read_chemical_synthesis, "target", 10, _draw_numbering),
    "color_magic": GameReader(_read_color_magic, "grid", 8, _draw_magic),
    "dark_maze_exploration": GameReader(_read_dark_maze, "size", 8),
    "finding_biggest": GameReader(_read_finding_biggest, "size", 8),
    "magnetic_field_exploration": GameReader(_read_magnetic_field, "grid", 6),
    "maze_navigation": GameReader(_read_maze, "grid", 12, _draw_swaps),
    "rainbow_candy_factory": GameReader(_read_candy_factory, "grid", 8),
    "safepath_finding": GameReader(_read_safepath, "size", 9),
    "treasure_hunt": GameReader(_read_treasure_hunt, "size", 12),
}
"""How the items of each game are read."""
