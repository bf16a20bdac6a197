"""Items of strategic gaming: the other side moves at random, as the paper's does."""

from __future__ import annotations

from facelet.generators.core.seeding import Draw
from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    LONGEST,
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
    read_integer,
    read_integers,
    read_object,
    read_permutation,
)

DEGREE, CYCLE = 3, 5
"""Most edges of a vertex of a bee's graph, and of a cycle that each edge is part of."""

ROUNDS, ROLL = 20, 840
"""Moves of a king that are drawn with an item, and what a roll is below."""


def _read_xor_breaking(values: Values) -> PuzzleReading:
    number = read_integer(values, "initial_number", 3, 10**9)
    if number.bit_count() < 3:
        raise ValueError(
            f"initial_number is {number}, with fewer than three ones: the first move wins or there "
            "is none"
        )
    return {"number": number, "opponent": "random"}, 0.0


def _read_geometric_distance(values: Values) -> PuzzleReading:
    said = values.get("available_points")
    start = read_integers(values, "starting_point")
    points = (
        [read_integers({"point": point}, "point") for point in said]
        if is_readable_list(said)
        else []
    )
    if {len(point) for point in (start, *points)} != {2} or not points:
        raise ValueError(f"available_points is {format_short(said)}; it should be pairs of numbers")
    if len({start, *points}) <= len(points):
        raise ValueError("two of the points, the starting one among them, are the same")
    xs, ys = zip(*points, strict=True)
    return {"start": start, "xs": xs, "ys": ys, "opponent": "random"}, 0.0


def _read_grid_game(values: Values) -> PuzzleReading:
    said, shape = values.get("initial_grid"), read_integers(values, "scale")
    if len(shape) != 2 or shape[1] != 4 or not 1 <= shape[0] <= LONGEST:
        raise ValueError(f"scale is {format_short(list(shape))}; it should be rows, and 4 columns")
    names = [f"({x}, {y})" for x in range(1, shape[0] + 1) for y in range(1, shape[1] + 1)]
    if not isinstance(said, dict) or set(said) != set(names):
        raise ValueError(
            f"initial_grid is {format_short(said)}; it should be rows of 4 cells, (1, 1) on"
        )
    numbers = read_permutation({"numbers": [said[name] for name in names]}, "numbers", 1)
    return {"rows": shape[0], "numbers": numbers, "opponent": "random"}, 0.0


def _read_chess(values: Values) -> PuzzleReading:
    size = read_integer(values, "scale", 2, 100)
    said = values.get("initial_position")
    king = parse_cell(said) if isinstance(said, str) else (0, 0)
    if not all(1 <= number <= size for number in king):
        raise ValueError(
            f"initial_position is {format_short(said)}; it should be a square "
            f"such as (1, 2), 1 to {size}"
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


def _draw_rolls(columns: Columns, draw: Draw) -> Columns:
    return {"rolls": tuple(int(roll) for roll in draw.rng.integers(ROLL, size=ROUNDS))}


def _read_bee_chase(values: Values) -> PuzzleReading:
    size = read_integer(values, "scale", 4, 1000)
    joined = read_edges(values, "graph")
    near = list_neighbors(joined, size)
    for vertex, beside in near.items():
        if len(beside) > DEGREE:
            raise ValueError(f"vertex {vertex} has {len(beside)} edges; {DEGREE} are the most")
    for one, other in joined:
        if not _has_short_cycle(near, one, other):
            raise ValueError(
                f"edge {one}-{other} is part of no cycle of at most {CYCLE} edges, as the game "
                "tells its player"
            )
    ones, others = zip(*sorted((min(edge), max(edge)) for edge in joined), strict=True)
    return {"vertices": size, "ones": ones, "others": others, "opponent": "random"}, 0.0


def _has_short_cycle(near: dict[int, list[int]], one: int, other: int) -> bool:
    """Return whether an edge is part of a cycle of at most CYCLE edges."""
    reached, edge = {one}, {one, other}
    for _ in range(CYCLE - 1):
        reached |= {to for at in reached for to in near[at] if {at, to} != edge}
    return other in reached


def _read_grid_coloring(values: Values) -> PuzzleReading:
    size, cells = read_integer(values, "scale", 3, 1000), read_object(values, "colored_cells")
    found = sorted((*parse_cell(name), read_integer(cells, name, 1, 2 * size)) for name in cells)
    xs, ys, colours = zip(*found, strict=True) if found else ((), (), ())
    if len(set(colours)) < 2 * size or len(found) > 2 * size:
        raise ValueError(
            f"{len(found)} cells have {len(set(colours))} colors; {2 * size} cells should have "
            f"{2 * size} different ones: else no player can be sure to win"
        )
    if max((*xs, *ys)) > size:
        raise ValueError(f"colored_cells names a cell outside of {size} x {size}")
    # As many edges as nodes, and connected: so there is one cycle.
    list_neighbors([(x, size + y) for x, y, _ in found], 2 * size)
    columns = {"size": size, "xs": xs, "ys": ys, "colours": colours}
    return {**columns, "colourer": "evenly", "lenient": True}, 0.0


def _read_knight_battle(values: Values) -> PuzzleReading:
    size, answer = read_integer(values, "scale", 3, 1000), read_object(values, "answer")
    white, black = read_integers(answer, "white_start"), read_integers(answer, "black_start")
    for name, square in (("white_start", white), ("black_start", black)):
        if len(square) != 2 or not set(square) <= set(range(1, size + 1)):
            raise ValueError(
                f"{name} is {format_short(list(square))}; it should be a square 1 to {size}"
            )
    if white == black:
        raise ValueError(f"both knights start on {format_short(list(white))}")
    targets = (("white_target", size // 2), ("black_target", size // 2 + 1))
    for name, x in targets:
        if answer.get(name) is not None and read_integers(answer, name) != (x, size // 2):
            raise ValueError(
                f"{name} is {format_short(answer[name])}; by the rules it is {x} {size // 2}"
            )
    return {"size": size, "white": white, "black": black, "opponent": "random"}, 0.0


def _read_paper_numbering(values: Values) -> PuzzleReading:
    size, top = read_integer(values, "scale", 1, 1000), read_integer(values, "max_number", 1, 1000)
    return {"size": size, "top": top, "first": read_integer(values, "initial_value", 1, top)}, 0.0


def _draw_coming_numbers(columns: Columns, draw: Draw) -> Columns:
    """Draw as many numbers as are surely enough to win with."""
    size, top = columns["size"], columns["top"]
    count = max(1, (size - 1) * ((top + 1) // 2))
    return {"later": tuple(int(number) for number in draw.rng.integers(1, top + 1, size=count))}


def _read_pizza_slicing(values: Values) -> PuzzleReading:
    said = read_object(values, "points")
    size = len(said)
    if set(said) != set(map(str, range(1, size + 1))) or size < 4 or size % 2:
        raise ValueError(
            f"points is {format_short(said)}; it should be an even number of them, 1, 2, ..."
        )
    points = [read_integers(said, str(number)) for number in range(1, size + 1)]
    if {len(point) for point in points} != {2} or len(set(points)) < size:
        raise ValueError("points are no pairs of numbers, or two of them are the same")
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if any((x2 - x1) * (y - y1) < (y2 - y1) * (x - x1) for x, y in points):
            raise ValueError("points are no convex polygon, counter-clockwise")
    xs, ys = zip(*points, strict=True)
    return {"xs": xs, "ys": ys, "opponent": "random"}, 0.0


def _read_zigzag_graph(values: Values) -> PuzzleReading:
    size, said = read_integer(values, "scale", 2, 30), read_object(values, "edge_weights")
    names = [f"{one}-{other + size}" for one in range(1, size + 1) for other in range(1, size + 1)]
    if set(said) != set(names):
        raise ValueError(
            f"edge_weights is {format_short(said)}; it should weigh the "
            f"{size * size} edges 1-{size + 1} "
            f"to {size}-{2 * size}"
        )
    weights = read_permutation({"weights": [said[name] for name in names]}, "weights", 1)
    return {"size": size, "weights": weights, "first": 0, "opponent": "random"}, 0.0


GAMES = {
    "assiut_chess": GameReader(_read_chess, "size", 7, _draw_rolls),
    "bee_chase": GameReader(_read_bee_chase, "vertices", 48),
    "geometric_distance": GameReader(_read_geometric_distance, "xs", 16),
    "grid_coloring": GameReader(_read_grid_coloring, "size", 60),
    "grid_game": GameReader(_read_grid_game, "numbers", 40),
    "knight_battle": GameReader(_read_knight_battle, "size", 16),
    "paper_numbering": GameReader(_read_paper_numbering, "size", 20, _draw_coming_numbers),
    "pizza_slicing": GameReader(_read_pizza_slicing, "xs", 14),
    "xor_breaking": GameReader(_read_xor_breaking, "number", 10**9),
    "zigzag_graph": GameReader(_read_zigzag_graph, "size", 13),
}
"""How the items of each game are read."""
