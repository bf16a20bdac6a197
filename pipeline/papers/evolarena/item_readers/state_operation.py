"""Items of state operation: a state is to be brought to a goal, by means that are half known.

What numbers or buttons stand for, and which vertex is secret, the authors' monitor draws when a
play begins; here it is drawn with the item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, permutations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.papers.evolarena.reading.values import (
    Columns,
    Game,
    Pair,
    Taken,
    Values,
    cell_of,
    edges,
    inner,
    listed,
    neighbors,
    pairs,
    rows,
    short,
    square,
    whole,
    wholes,
)

UNSTABLE = 20
"""Percent of operations of a synthesis that go another way."""

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPENS = {(False, False): ".", (True, False): "E", (False, True): "S", (True, True): "B"}
"""The sign of a cell of a dark maze, by whether its ways east and south are open."""

FIELDS = str.maketrans("NESW", "1234")
"""How the prompts of the authors' items number the directions of fields."""


# --- graphs ---------------------------------------------------------------------------------------


def _cactus(values: Values) -> Taken:
    graph = inner(values, "graph")
    size = whole(graph, "n", 3, 1000)
    said = graph.get("paths")
    paths = [wholes({"paths": path}, "paths") for path in said] if listed(said) else []
    steps = [step for path in paths for step in pairwise(path)]
    joined = edges({"paths": [list(step) for step in steps]}, "paths")
    neighbors(joined, size)
    if not _is_cactus(joined, size):
        raise ValueError("graph is no cactus: an edge lies on more than one cycle")
    texts = tuple(" ".join(map(str, path)) for path in paths)
    return {"size": size, "paths": texts, "in_order": True}, 1 / size


def _is_cactus(joined: Sequence[Pair], size: int) -> bool:
    """Return whether no edge of a connected graph lies on two cycles."""
    near = neighbors(joined, size)
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


def _secret(columns: Columns, draw: Draw) -> Columns:
    return {"vertex": 1 + int(draw.rng.integers(columns["size"]))}


def _forest(values: Values) -> Taken:
    size = whole(values, "scale", 2, 1000)
    near = neighbors(edges(values, "graph"), size)
    first = near[1]
    view = " ".join(f"{len(near[other])} {int(other == 1)}" for other in first)
    joined = tuple(" ".join(map(str, others)) for others in near.values())
    return {"size": size, "view": f"R {len(first)} {view}", "joined": joined}, 0.0


# --- grids ----------------------------------------------------------------------------------------


def _dark(values: Values) -> Taken:
    maze = inner(values, "maze")
    size, rooms = whole(maze, "size", 2, 30), inner(maze, "rooms")
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    walls: dict[Pair, set[str]] = {}
    for name in rooms:
        said = inner(rooms, name).get("walls")
        walls[cell_of(name)] = {str(way) for way in said} if listed(said) else {"none"}
    if set(walls) != set(cells) or not set().union(*walls.values()) <= WAYS.keys():
        raise ValueError(
            f"rooms is {short(rooms)}; it should give the walls N, E, S, W of each cell"
        )

    def opened(cell: Pair, way: str, back: str) -> bool:
        other = (cell[0] + WAYS[way][0], cell[1] + WAYS[way][1])
        if other not in walls:
            return False
        one, two = way not in walls[cell], back not in walls[other]
        if one != two:
            raise ValueError(f"the way between {cell} and {other} is open from one side only")
        return one

    signs = [OPENS[opened(cell, "E", "W"), opened(cell, "S", "N")] for cell in cells]
    grid = tuple("".join(signs[start : start + size]) for start in range(0, size * size, size))
    return {"size": size, "maze": grid, "tree": False}, 0.0


def _biggest(values: Values) -> Taken:
    graph = inner(values, "graph")
    size = whole(graph, "grid_size", 2, 100)
    said = graph.get("treasures")
    found = [one for one in said if isinstance(one, dict)] if listed(said) else []
    if not listed(said) or len(found) != 2 or len(said) != 2:
        raise ValueError(f"treasures is {short(said)}; it should be two, each with x, y and value")
    placed = sorted(
        (
            (whole(one, "x", 1, size) - 1) * size + whole(one, "y", 1, size) - 1,
            whole(one, "value", 1, 100),
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


def _magnetic(values: Values) -> Taken:
    grid = square(inner(values, "graph"), "grid", ".XGNESW")
    signs = "".join(grid)
    if signs[0] != "." or signs[-1] != "G" or signs.count("G") != 1:
        raise ValueError("grid should be neutral (.) at its start and have its goal G at its end")
    plain = tuple(row.translate(FIELDS) for row in grid)
    return {"grid": plain, "directions": "NESW"}, 0.0


def _rainbow(values: Values) -> Taken:
    graph = inner(values, "graph")
    size, devices = whole(graph, "size", 2, 30), inner(graph, "devices")
    target = graph.get("target")
    if target not in ("R", "G", "B", "Y", "C", "P"):
        raise ValueError(f"target is {short(target)}; it should be one of R, G, B, Y, C and P")
    held = {cell_of(name): str(kind) for name, kind in devices.items()}
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    if set(held) != set(cells) or not set(held.values()) <= set("RGBW-"):
        raise ValueError(
            f"devices is {short(devices)}; it should give R, G, B, W or - for each of {size} x "
            f"{size} cells"
        )
    if held[cells[0]] != "-" or held[cells[-1]] != "-":
        raise ValueError("devices should be - at start and goal, which have no machine")
    shown = ["X" if held[cell] in "RGB" else held[cell] for cell in cells]
    shown[0], shown[-1] = "S", "G"
    grid = tuple("".join(shown[start : start + size]) for start in range(0, size * size, size))
    hidden = "".join(held[cell] for cell in cells if held[cell] in "RGB")
    return {"grid": grid, "target": target, "devices": hidden}, 0.0


def _trapped(values: Values) -> Taken:
    size = whole(values, "scale", 2, 100)
    cells = pairs(values, "traps")
    places = sorted((x - 1) * size + y - 1 for x, y in cells)
    if not all(1 <= number <= size for cell in cells for number in cell):
        raise ValueError(f"traps is {short(values.get('traps'))}; cells should be 1 to {size}")
    if len(set(places)) < len(places) or places[0] == 0 or places[-1] == size * size - 1:
        raise ValueError("traps name a cell twice, or the start or the goal")
    return {"size": size, "clear": False, "traps": tuple(places)}, 0.0


def _maze(values: Values) -> Taken:
    grid = rows(values, "grids", ".*F")
    signs = "".join(grid)
    if signs.count("F") != 1 or signs[0] != ".":
        raise ValueError("grids should have one finish F, and be plain (.) at the start")
    return {"grid": grid}, 0.0


def _swapped(columns: Columns, draw: Draw) -> Columns:
    up_down, left_right = (bool(draw.rng.integers(2)) for _ in range(2))
    return {"swap_up_down": up_down, "swap_left_right": left_right}


# --- operations -----------------------------------------------------------------------------------


def _synthesis(values: Values) -> Taken:
    said, target = values.get("initial_compounds"), values.get("target_compound")
    texts = [one for one in said if isinstance(one, str)] if listed(said) else []
    if (
        not listed(said)
        or not said
        or len(texts) < len(said)
        or not isinstance(target, str)
        or not all(re.fullmatch(r"[A-Z]{1,40}", one) for one in (*texts, target))
    ):
        raise ValueError(
            f"initial_compounds is {short(said)} and target_compound {short(target)}; they should "
            "be of letters A to Z"
        )
    compounds = tuple(dict.fromkeys(texts))
    if target in compounds:
        raise ValueError(f"target_compound is {target}, which is there at the start")
    columns = {"compounds": compounds, "target": target, "unstable": UNSTABLE, "twice": True}
    return columns, 0.0


def _colors(values: Values) -> Taken:
    return {"grid": square(inner(values, "graph"), "initial_state", "RBY"), "twins": True}, 0.0


def _numbered(columns: Columns, draw: Draw) -> Columns:
    return {"order": draw.deal("order", ["".join(order) for order in permutations("SMWE")])}


def _magic(columns: Columns, draw: Draw) -> Columns:
    return {"order": draw.deal("order", ["".join(order) for order in permutations("abg")])}


GAMES = {
    "cactus_search": Game(_cactus, "size", 34, _secret),
    "chemical_synthesis": Game(_synthesis, "target", 10, _numbered),
    "color_magic": Game(_colors, "grid", 8, _magic),
    "dark_maze_exploration": Game(_dark, "size", 8),
    "finding_biggest": Game(_biggest, "size", 8),
    "magnetic_field_exploration": Game(_magnetic, "grid", 6),
    "maze_navigation": Game(_maze, "grid", 12, _swapped),
    "rainbow_candy_factory": Game(_rainbow, "grid", 8),
    "safepath_finding": Game(_trapped, "size", 9),
    "treasure_hunt": Game(_forest, "size", 12),
}
"""How the items of each game are read."""
