"""Items of strategic gaming: the other side moves at random, as the paper's does."""

from __future__ import annotations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.papers.evolarena.reading.values import (
    LONGEST,
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
    permutation,
    short,
    whole,
    wholes,
)

DEGREE, CYCLE = 3, 5
"""Most edges of a vertex of a bee's graph, and of a cycle that each edge is part of."""

ROUNDS, ROLL = 20, 840
"""Moves of a king that are drawn with an item, and what a roll is below."""


def _xor(values: Values) -> Taken:
    number = whole(values, "initial_number", 3, 10**9)
    if number.bit_count() < 3:
        raise ValueError(
            f"initial_number is {number}, with fewer than three ones: the first move wins or there "
            "is none"
        )
    return {"number": number, "opponent": "random"}, 0.0


def _points(values: Values) -> Taken:
    said = values.get("available_points")
    start = wholes(values, "starting_point")
    points = [wholes({"point": point}, "point") for point in said] if listed(said) else []
    if {len(point) for point in (start, *points)} != {2} or not points:
        raise ValueError(f"available_points is {short(said)}; it should be pairs of numbers")
    if len({start, *points}) <= len(points):
        raise ValueError("two of the points, the starting one among them, are the same")
    xs, ys = zip(*points, strict=True)
    return {"start": start, "xs": xs, "ys": ys, "opponent": "random"}, 0.0


def _grid(values: Values) -> Taken:
    said, shape = values.get("initial_grid"), wholes(values, "scale")
    if len(shape) != 2 or shape[1] != 4 or not 1 <= shape[0] <= LONGEST:
        raise ValueError(f"scale is {short(list(shape))}; it should be rows, and 4 columns")
    names = [f"({x}, {y})" for x in range(1, shape[0] + 1) for y in range(1, shape[1] + 1)]
    if not isinstance(said, dict) or set(said) != set(names):
        raise ValueError(f"initial_grid is {short(said)}; it should be rows of 4 cells, (1, 1) on")
    numbers = permutation({"numbers": [said[name] for name in names]}, "numbers", 1)
    return {"rows": shape[0], "numbers": numbers, "opponent": "random"}, 0.0


def _chess(values: Values) -> Taken:
    size = whole(values, "scale", 2, 100)
    said = values.get("initial_position")
    king = cell_of(said) if isinstance(said, str) else (0, 0)
    if not all(1 <= number <= size for number in king):
        raise ValueError(
            f"initial_position is {short(said)}; it should be a square such as (1, 2), 1 to {size}"
        )
    squares = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    trapped = max(sum(_trapped(size, queen, one) for one in squares) for queen in squares)
    columns = {"size": size, "king": king, "king_moves": "random"}
    return columns, trapped / len(squares)


def _trapped(size: int, queen: Pair, king: Pair) -> bool:
    """Return whether a king cannot move."""
    return all(
        x == queen[0] or y == queen[1] or abs(x - queen[0]) == abs(y - queen[1])
        for x in range(max(1, king[0] - 1), min(size, king[0] + 1) + 1)
        for y in range(max(1, king[1] - 1), min(size, king[1] + 1) + 1)
        if (x, y) != king
    )


def _rolls(columns: Columns, draw: Draw) -> Columns:
    return {"rolls": tuple(int(roll) for roll in draw.rng.integers(ROLL, size=ROUNDS))}


def _bees(values: Values) -> Taken:
    size = whole(values, "scale", 4, 1000)
    joined = edges(values, "graph")
    near = neighbors(joined, size)
    for vertex, beside in near.items():
        if len(beside) > DEGREE:
            raise ValueError(f"vertex {vertex} has {len(beside)} edges; {DEGREE} are the most")
    for one, other in joined:
        if not _short_cycle(near, one, other):
            raise ValueError(
                f"edge {one}-{other} is part of no cycle of at most {CYCLE} edges, as the game "
                "tells its player"
            )
    ones, others = zip(*sorted((min(edge), max(edge)) for edge in joined), strict=True)
    return {"vertices": size, "ones": ones, "others": others, "opponent": "random"}, 0.0


def _short_cycle(near: dict[int, list[int]], one: int, other: int) -> bool:
    """Return whether an edge is part of a cycle of at most CYCLE edges."""
    reached, edge = {one}, {one, other}
    for _ in range(CYCLE - 1):
        reached |= {to for at in reached for to in near[at] if {at, to} != edge}
    return other in reached


def _coloring(values: Values) -> Taken:
    size, cells = whole(values, "scale", 3, 1000), inner(values, "colored_cells")
    found = sorted((*cell_of(name), whole(cells, name, 1, 2 * size)) for name in cells)
    xs, ys, colours = zip(*found, strict=True) if found else ((), (), ())
    if len(set(colours)) < 2 * size or len(found) > 2 * size:
        raise ValueError(
            f"{len(found)} cells have {len(set(colours))} colors; {2 * size} cells should have "
            f"{2 * size} different ones: else no player can be sure to win"
        )
    if max((*xs, *ys)) > size:
        raise ValueError(f"colored_cells names a cell outside of {size} x {size}")
    # As many edges as nodes, and connected: so there is one cycle.
    neighbors([(x, size + y) for x, y, _ in found], 2 * size)
    columns = {"size": size, "xs": xs, "ys": ys, "colours": colours}
    return {**columns, "colourer": "evenly", "lenient": True}, 0.0


def _knights(values: Values) -> Taken:
    size, answer = whole(values, "scale", 3, 1000), inner(values, "answer")
    white, black = wholes(answer, "white_start"), wholes(answer, "black_start")
    for name, square in (("white_start", white), ("black_start", black)):
        if len(square) != 2 or not set(square) <= set(range(1, size + 1)):
            raise ValueError(f"{name} is {short(list(square))}; it should be a square 1 to {size}")
    if white == black:
        raise ValueError(f"both knights start on {short(list(white))}")
    targets = (("white_target", size // 2), ("black_target", size // 2 + 1))
    for name, x in targets:
        if answer.get(name) is not None and wholes(answer, name) != (x, size // 2):
            raise ValueError(f"{name} is {short(answer[name])}; by the rules it is {x} {size // 2}")
    return {"size": size, "white": white, "black": black, "opponent": "random"}, 0.0


def _papers(values: Values) -> Taken:
    size, top = whole(values, "scale", 1, 1000), whole(values, "max_number", 1, 1000)
    return {"size": size, "top": top, "first": whole(values, "initial_value", 1, top)}, 0.0


def _coming(columns: Columns, draw: Draw) -> Columns:
    """Draw as many numbers as are surely enough to win with."""
    size, top = columns["size"], columns["top"]
    count = max(1, (size - 1) * ((top + 1) // 2))
    return {"later": tuple(int(number) for number in draw.rng.integers(1, top + 1, size=count))}


def _pizza(values: Values) -> Taken:
    said = inner(values, "points")
    size = len(said)
    if set(said) != set(map(str, range(1, size + 1))) or size < 4 or size % 2:
        raise ValueError(f"points is {short(said)}; it should be an even number of them, 1, 2, ...")
    points = [wholes(said, str(number)) for number in range(1, size + 1)]
    if {len(point) for point in points} != {2} or len(set(points)) < size:
        raise ValueError("points are no pairs of numbers, or two of them are the same")
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if any((x2 - x1) * (y - y1) < (y2 - y1) * (x - x1) for x, y in points):
            raise ValueError("points are no convex polygon, counter-clockwise")
    xs, ys = zip(*points, strict=True)
    return {"xs": xs, "ys": ys, "opponent": "random"}, 0.0


def _zigzag(values: Values) -> Taken:
    size, said = whole(values, "scale", 2, 30), inner(values, "edge_weights")
    names = [f"{one}-{other + size}" for one in range(1, size + 1) for other in range(1, size + 1)]
    if set(said) != set(names):
        raise ValueError(
            f"edge_weights is {short(said)}; it should weigh the {size * size} edges 1-{size + 1} "
            f"to {size}-{2 * size}"
        )
    weights = permutation({"weights": [said[name] for name in names]}, "weights", 1)
    return {"size": size, "weights": weights, "first": 0, "opponent": "random"}, 0.0


GAMES = {
    "assiut_chess": Game(_chess, "size", 7, _rolls),
    "bee_chase": Game(_bees, "vertices", 48),
    "geometric_distance": Game(_points, "xs", 16),
    "grid_coloring": Game(_coloring, "size", 60),
    "grid_game": Game(_grid, "numbers", 40),
    "knight_battle": Game(_knights, "size", 16),
    "paper_numbering": Game(_papers, "size", 20, _coming),
    "pizza_slicing": Game(_pizza, "xs", 14),
    "xor_breaking": Game(_xor, "number", 10**9),
    "zigzag_graph": Game(_zigzag, "size", 13),
}
"""How the items of each game are read."""
