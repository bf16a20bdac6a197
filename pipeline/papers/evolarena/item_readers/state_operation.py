"""Read items of state operation: a state that partly known means bring to a goal.

The authors' monitor draws at the start of a play what numbers or buttons mean and which vertex is
secret; here that is drawn with the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    Columns,
    Pair,
    PuzzleReading,
    Values,
    list_neighbors,
    parse_cell,
    read_edges,
    read_grid_rows,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_pairs,
    read_square_grid,
    read_text,
    require_form,
    require_rule,
)

UNSTABLE = 20
"""Percent of operations of a synthesis that go another way."""

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPENS = {(False, False): ".", (True, False): "E", (False, True): "S", (True, True): "B"}
"""The sign of a cell of a dark maze, by whether its ways east and south are open."""

FIELDS = str.maketrans("NESW", "1234")
"""How the prompts of the authors' items number the directions of fields."""


# --- graphs ---------------------------------------------------------------------------------------


def read_cactus_search(values: Values) -> PuzzleReading:
    """Read the paths of the cactus; the vertex is drawn."""
    graph = read_object(values, "graph")
    size = read_integer(graph, "n", 3, 1000)
    said = read_list(graph, "paths", "lists of vertices")
    paths = [read_integers({"paths": path}, "paths") for path in said]
    steps = [step for path in paths for step in pairwise(path)]
    joined = read_edges({"paths": [list(step) for step in steps]}, "paths")
    list_neighbors(joined, size)
    require_rule(
        _is_cactus(joined, size), "graph is no cactus: an edge lies on more than one cycle"
    )
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


def draw_secret(columns: Columns, draw: Draw) -> Columns:
    """Draw the secret vertex."""
    return {"vertex": 1 + int(draw.rng.integers(columns["size"]))}


def read_treasure_hunt(values: Values) -> PuzzleReading:
    """Read the edges of the graph."""
    size = read_integer(values, "scale", 2, 1000)
    near = list_neighbors(read_edges(values, "graph"), size)
    first = near[1]
    view = " ".join(f"{len(near[other])} {int(other == 1)}" for other in first)
    joined = tuple(" ".join(map(str, others)) for others in near.values())
    return {"size": size, "view": f"R {len(first)} {view}", "joined": joined}, 0.0


# --- grids ----------------------------------------------------------------------------------------


def read_dark_maze(values: Values) -> PuzzleReading:
    """Read the walls of the maze."""
    maze = read_object(values, "maze")
    size, rooms = read_integer(maze, "size", 2, 30), read_object(maze, "rooms")
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    walls: dict[Pair, set[str]] = {}
    for name in rooms:
        said = read_object(rooms, name).get("walls")
        walls[parse_cell(name)] = set(map(str, said)) if isinstance(said, list) else {"none"}
    known = set(walls) == set(cells) and set().union(*walls.values()) <= WAYS.keys()
    require_form(known, "rooms", rooms, "the walls N, E, S, W of each cell")

    def is_open(cell: Pair, way: str, back: str) -> bool:
        other = (cell[0] + WAYS[way][0], cell[1] + WAYS[way][1])
        if other not in walls:
            return False
        one, two = way not in walls[cell], back not in walls[other]
        require_rule(one == two, f"the way between {cell} and {other} is open from one side only")
        return one

    signs = [OPENS[is_open(cell, "E", "W"), is_open(cell, "S", "N")] for cell in cells]
    grid = tuple("".join(signs[start : start + size]) for start in range(0, size * size, size))
    return {"size": size, "maze": grid, "tree": False}, 0.0


def read_finding_biggest(values: Values) -> PuzzleReading:
    """Read both treasures."""
    graph = read_object(values, "graph")
    size = read_integer(graph, "grid_size", 2, 100)
    expected = "two, each with x, y and value"
    said = read_list(graph, "treasures", expected)
    require_form(len(said) == 2, "treasures", said, expected)
    found = [read_object({"treasures": one}, "treasures") for one in said]
    placed = sorted(
        (
            (read_integer(one, "x", 1, size) - 1) * size + read_integer(one, "y", 1, size) - 1,
            read_integer(one, "value", 1, 100),
        )
        for one in found
    )
    cells, worth = zip(*placed, strict=True)
    require_rule(
        len(set(cells)) == len(set(worth)) == 2 and 0 not in cells,
        "the treasures should be in different cells, not in (1, 1), and differ in value",
    )
    columns = {
        "size": size,
        "cells": cells,
        "values": worth,
        "fading": False,
        "distance": "manhattan",
    }
    return columns, 0.0


def read_magnetic_field(values: Values) -> PuzzleReading:
    """Read the fields."""
    grid = read_square_grid(read_object(values, "graph"), "grid", ".XGNESW")
    signs = "".join(grid)
    require_rule(
        signs[0] == "." and signs[-1] == "G" and signs.count("G") == 1,
        "grid should be neutral (.) at its start and have its goal G at its end",
    )
    plain = tuple(row.translate(FIELDS) for row in grid)
    return {"grid": plain, "directions": "NESW"}, 0.0


def read_candy_factory(values: Values) -> PuzzleReading:
    """Read the map and its machines."""
    graph = read_object(values, "graph")
    size, devices = read_integer(graph, "size", 2, 30), read_object(graph, "devices")
    target = read_text(graph, "target", "[RGBYCP]", "one of R, G, B, Y, C and P")
    device_kinds = {parse_cell(name): str(kind) for name, kind in devices.items()}
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    known = set(device_kinds) == set(cells) and set(device_kinds.values()) <= set("RGBW-")
    require_form(known, "devices", devices, f"R, G, B, W or - for each of {size} x {size} cells")
    require_rule(
        device_kinds[cells[0]] == device_kinds[cells[-1]] == "-",
        "devices should be - at start and goal, which have no machine",
    )
    shown = ["X" if device_kinds[cell] in "RGB" else device_kinds[cell] for cell in cells]
    shown[0], shown[-1] = "S", "G"
    grid = tuple("".join(shown[start : start + size]) for start in range(0, size * size, size))
    hidden = "".join(device_kinds[cell] for cell in cells if device_kinds[cell] in "RGB")
    return {"grid": grid, "target": target, "devices": hidden}, 0.0


def read_safepath(values: Values) -> PuzzleReading:
    """Read the traps."""
    size = read_integer(values, "scale", 2, 100)
    cells = read_pairs(values, "traps")
    places = sorted((x - 1) * size + y - 1 for x, y in cells)
    inside = all(1 <= number <= size for cell in cells for number in cell)
    require_form(inside, "traps", values["traps"], f"cells 1 to {size}")
    require_rule(
        len(set(places)) == len(places) and places[0] > 0 and places[-1] < size * size - 1,
        "traps name a cell twice, or the start or the goal",
    )
    return {"size": size, "clear": False, "traps": tuple(places)}, 0.0


def read_maze(values: Values) -> PuzzleReading:
    """Read the map; the swapped buttons are drawn."""
    grid = read_grid_rows(values, "grids", ".*F")
    signs = "".join(grid)
    require_rule(
        signs.count("F") == 1 and signs[0] == ".",
        "grids should have one finish F, and be plain (.) at the start",
    )
    return {"grid": grid}, 0.0


def draw_swaps(columns: Columns, draw: Draw) -> Columns:
    """Draw which buttons are swapped."""
    up_down, left_right = (bool(draw.rng.integers(2)) for _ in range(2))
    return {"swap_up_down": up_down, "swap_left_right": left_right}


# --- operations -----------------------------------------------------------------------------------


def read_chemical_synthesis(values: Values) -> PuzzleReading:
    """Read the compounds; which number is which operation is drawn."""
    expected = "of letters A to Z"
    said = read_list(values, "initial_compounds", expected)
    target = read_text(values, "target_compound", "[A-Z]{1,40}", expected)
    texts = [
        read_text({"initial_compounds": one}, "initial_compounds", "[A-Z]{1,40}", expected)
        for one in said
    ]
    compounds = tuple(dict.fromkeys(texts))
    require_rule(
        target not in compounds, f"target_compound is {target}, which is there at the start"
    )
    columns = {"compounds": compounds, "target": target, "unstable": UNSTABLE, "twice": True}
    return columns, 0.0


def read_color_magic(values: Values) -> PuzzleReading:
    """Read the grid; which number is which operation is drawn."""
    return {
        "grid": read_square_grid(read_object(values, "graph"), "initial_state", "RBY"),
        "twins": True,
    }, 0.0


def draw_numbering(columns: Columns, draw: Draw) -> Columns:
    """Draw which number is which operation."""
    return {"order": draw.deal_card("order", ["".join(order) for order in permutations("SMWE")])}


def draw_magic(columns: Columns, draw: Draw) -> Columns:
    """Draw which number is which operation."""
    return {"order": draw.deal_card("order", ["".join(order) for order in permutations("abg")])}
