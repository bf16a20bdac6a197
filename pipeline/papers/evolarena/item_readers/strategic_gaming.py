"""Read items of strategic gaming; the other side moves at random, as the paper's does."""

from __future__ import annotations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.importing.imported_items import RuleError, UnprovenError
from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    LONGEST,
    Columns,
    Pair,
    PuzzleReading,
    Values,
    format_short,
    list_neighbors,
    parse_cell,
    read_edges,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_permutation,
    require_form,
    require_provable,
    require_rule,
)

DEGREE, CYCLE = 3, 5
"""Most edges of a vertex of a bee's graph, and of a cycle that each edge is part of."""

ROUNDS, ROLL = 20, 840
"""Moves of a king that are drawn with an item, and what a roll is below."""


def read_xor_breaking(values: Values) -> PuzzleReading:
    """Read the number."""
    number = read_integer(values, "initial_number", 3, 10**9)
    require_rule(
        number.bit_count() >= 3,
        f"initial_number is {number}, with fewer than three ones: the first move wins or there is "
        "none",
    )
    return {"number": number, "opponent": "random"}, 0.0


def read_geometric_distance(values: Values) -> PuzzleReading:
    """Read the points."""
    expected = "pairs of numbers"
    said = read_list(values, "available_points", expected)
    start = read_integers(values, "starting_point")
    points = [read_integers({"point": point}, "point") for point in said]
    pairs = {len(point) for point in (start, *points)} == {2}
    require_form(pairs, "available_points", said, expected)
    require_rule(
        len({start, *points}) > len(points),
        "two of the points, the starting one among them, are the same",
    )
    xs, ys = zip(*points, strict=True)
    return {"start": start, "xs": xs, "ys": ys, "opponent": "random"}, 0.0


def read_grid_game(values: Values) -> PuzzleReading:
    """Read the numbers of the grid."""
    said, shape = read_object(values, "initial_grid"), read_integers(values, "scale")
    four = len(shape) == 2 and shape[1] == 4 and 1 <= shape[0] <= LONGEST
    require_form(four, "scale", list(shape), "rows, and 4 columns")
    names = [f"({x}, {y})" for x in range(1, shape[0] + 1) for y in range(1, shape[1] + 1)]
    require_form(set(said) == set(names), "initial_grid", said, "rows of 4 cells, from (1, 1)")
    numbers = read_permutation({"numbers": [said[name] for name in names]}, "numbers", 1)
    return {"rows": shape[0], "numbers": numbers, "opponent": "random"}, 0.0


def read_chess(values: Values) -> PuzzleReading:
    """Read the king's square; its moves are drawn."""
    size = read_integer(values, "scale", 2, 100)
    king = parse_cell(values.get("initial_position"))
    require_rule(
        all(1 <= number <= size for number in king),
        f"initial_position is {king}; it should be a square such as (1, 2), 1 to {size}",
    )
    squares = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    trapped = max(sum(_is_king_trapped(size, queen, one) for one in squares) for queen in squares)
    columns = {"size": size, "king": king, "king_moves": "random"}
    return columns, trapped / len(squares)


def _is_king_trapped(size: int, queen: Pair, king: Pair) -> bool:
    """Return whether a king cannot move."""
    return all(
        x == queen[0] or y == queen[1] or abs(x - queen[0]) == abs(y - queen[1])
        for x in range(max(1, king[0] - 1), min(size, king[0] + 1) + 1)
        for y in range(max(1, king[1] - 1), min(size, king[1] + 1) + 1)
        if (x, y) != king
    )


def draw_rolls(columns: Columns, draw: Draw) -> Columns:
    """Draw the king's moves."""
    return {"rolls": tuple(int(roll) for roll in draw.rng.integers(ROLL, size=ROUNDS))}


def read_bee_chase(values: Values) -> PuzzleReading:
    """Read the edges of the graph."""
    size = read_integer(values, "scale", 4, 1000)
    joined = read_edges(values, "graph")
    near = list_neighbors(joined, size)
    for vertex, beside in near.items():
        require_rule(
            len(beside) <= DEGREE,
            f"vertex {vertex} has {len(beside)} edges; {DEGREE} are the most",
        )
    for one, other in joined:
        require_rule(
            _has_short_cycle(near, one, other),
            f"edge {one}-{other} is part of no cycle of at most {CYCLE} edges; the prompt states "
            "that each edge is",
        )
    ones, others = zip(*sorted((min(edge), max(edge)) for edge in joined), strict=True)
    return {"vertices": size, "ones": ones, "others": others, "opponent": "random"}, 0.0


def _has_short_cycle(near: dict[int, list[int]], one: int, other: int) -> bool:
    """Return whether an edge is part of a cycle of at most CYCLE edges."""
    reached, edge = {one}, {one, other}
    for _ in range(CYCLE - 1):
        reached |= {to for at in reached for to in near[at] if {at, to} != edge}
    return other in reached


def read_grid_coloring(values: Values) -> PuzzleReading:
    """Read the colored cells."""
    size, cells = read_integer(values, "scale", 3, 1000), read_object(values, "colored_cells")
    found = sorted((*parse_cell(name), read_integer(cells, name, 1, 2 * size)) for name in cells)
    xs, ys, colours = zip(*found, strict=True) if found else ((), (), ())
    inside = max((0, *xs, *ys)) <= size
    require_rule(inside, f"colored_cells names a cell outside of {size} x {size}")
    require_provable(
        len(set(colours)) == len(found) == 2 * size,
        f"{len(found)} cells have {len(set(colours))} colors; a sure win needs {2 * size} cells of "
        f"{2 * size} different colors",
    )
    try:  # As many edges as nodes, and connected: so there is one cycle.
        list_neighbors([(x, size + y) for x, y, _ in found], 2 * size)
    except RuleError as error:
        raise UnprovenError(f"the colored cells form no connected graph: {error}") from None
    columns = {"size": size, "xs": xs, "ys": ys, "colours": colours}
    return {**columns, "colourer": "evenly", "lenient": True}, 0.0


def read_knight_battle(values: Values) -> PuzzleReading:
    """Read where the knights start."""
    size, answer = read_integer(values, "scale", 3, 1000), read_object(values, "answer")
    white, black = read_integers(answer, "white_start"), read_integers(answer, "black_start")
    for name, square in (("white_start", white), ("black_start", black)):
        inside = len(square) == 2 and set(square) <= set(range(1, size + 1))
        require_form(inside, name, list(square), f"a square 1 to {size}")
    require_rule(white != black, f"both knights start on {format_short(list(white))}")
    targets = (("white_target", size // 2), ("black_target", size // 2 + 1))
    for name, x in targets:
        require_rule(
            answer.get(name) is None or read_integers(answer, name) == (x, size // 2),
            f"{name} is {format_short(answer.get(name))}; by the rules it is {x} {size // 2}",
        )
    return {"size": size, "white": white, "black": black, "opponent": "random"}, 0.0


def read_paper_numbering(values: Values) -> PuzzleReading:
    """Read the sizes and the first number; the later ones are drawn."""
    size, top = read_integer(values, "scale", 1, 1000), read_integer(values, "max_number", 1, 1000)
    return {
        "size": size,
        "top": top,
        "first": read_integer(values, "initial_value", 1, top, rule=True),
    }, 0.0


def draw_coming_numbers(columns: Columns, draw: Draw) -> Columns:
    """Draw as many numbers as are surely enough to win with."""
    size, top = columns["size"], columns["top"]
    count = max(1, (size - 1) * ((top + 1) // 2))
    return {"later": tuple(int(number) for number in draw.rng.integers(1, top + 1, size=count))}


def read_pizza_slicing(values: Values) -> PuzzleReading:
    """Read the corners of the polygon."""
    said = read_object(values, "points")
    size = len(said)
    numbered = set(said) == set(map(str, range(1, size + 1))) and size >= 4 and size % 2 == 0
    require_form(numbered, "points", said, "an even number of them, 1, 2, ...")
    points = [read_integers(said, str(number)) for number in range(1, size + 1)]
    require_form({len(point) for point in points} == {2}, "points", said, "pairs of numbers")
    twice = [point for point in points if points.count(point) > 1]
    require_rule(not twice, f"two of the points are the same: {twice[:1]}")
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        outside = any((x2 - x1) * (y - y1) < (y2 - y1) * (x - x1) for x, y in points)
        require_rule(not outside, "points are no convex polygon, counter-clockwise")
    xs, ys = zip(*points, strict=True)
    return {"xs": xs, "ys": ys, "opponent": "random"}, 0.0


def read_zigzag_graph(values: Values) -> PuzzleReading:
    """Read the weights."""
    size, said = read_integer(values, "scale", 2, 30), read_object(values, "edge_weights")
    names = [f"{one}-{other + size}" for one in range(1, size + 1) for other in range(1, size + 1)]
    expected = f"a weight for each of the {size * size} edges 1-{size + 1} to {size}-{2 * size}"
    require_form(set(said) == set(names), "edge_weights", said, expected)
    weights = read_permutation({"weights": [said[name] for name in names]}, "weights", 1)
    return {"size": size, "weights": weights, "first": 0, "opponent": "random"}, 0.0
