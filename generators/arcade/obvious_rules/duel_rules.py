"""Obvious rules of games against an opponent."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from facelet.generators.arcade.obvious_rules.rule_tools import (
    SIDES,
    Cell,
    add_step,
    list_cells,
    measure_distances,
    read_cell,
)
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Player

HOPS = (-2, -1, 1, 2)
"""Steps of a knight to a side; it takes one and two squares."""


def eat_smallest_triangle(shown: Any) -> Player:
    """Pick the vertex with the smallest triangle."""
    left = list(range(len(shown.xs)))

    def measure_triangle(place: int) -> int:
        a, b, c = (left[(place + k) % len(left)] for k in (-1, 0, 1))
        (p, q), (r, s), (u, v) = ((shown.xs[one], shown.ys[one]) for one in (a, b, c))
        return int(abs((r - p) * (v - q) - (u - p) * (s - q)))

    while True:
        mine = left[min(range(len(left)), key=measure_triangle)]
        theirs = yield Command("choice", (mine + 1,))
        left = [one for one in left if one not in (mine, theirs - 1)]


def take_other_parity(shown: Any) -> Player:
    """Take points whose x + y is odd if that of the start is even, or even if it is odd."""
    points = enumerate(zip(shown.xs, shown.ys, strict=True), 1)
    other = {n: (x + y + sum(shown.start)) % 2 for n, (x, y) in points}
    while True:
        mine = max(other, key=other.__getitem__)
        theirs = yield Command("choice", (mine,))
        other = {n: other[n] for n in other if n not in (mine, theirs)}


def split_top_bit(shown: Any) -> Player:
    """Take a number with an even count of ones; break it into its top bit and the rest."""
    offered = [shown.number]
    while True:
        taken = min(offered, key=lambda p: (p.bit_count() == 1, p.bit_count() % 2))
        top = 1 << (taken.bit_length() - 1)
        heard = yield Command("take", (taken, top, taken - top))
        offered = [int(word) for word in heard.split()[-2:]]


def keep_most_moves(shown: Any) -> Player:
    """Go where the worst answer leaves most moves, and then where there are fewest answers."""
    size, token, last, seen = shown.size, shown.first, 1 << 60, {shown.first}
    sides = {*range(1, size + 1)}, {*range(size + 1, 2 * size + 1)}

    def list_edges(node: int, gone: set[int]) -> dict[int, int]:
        ways = {n: sorted((node, n)) for n in sides[node <= size] - gone}
        return {n: shown.weights[(a - 1) * size + b - size - 1] for n, (a, b) in ways.items()}

    def rate_move(node: int) -> tuple[int, int]:
        gone, weight = {*seen, node}, moves[node]
        answers = {n: w for n, w in list_edges(node, gone).items() if w > weight}
        left = [sum(v < w for v in list_edges(n, gone).values()) for n, w in answers.items()]
        return min(left, default=size), -len(left)

    while True:
        moves = {n: w for n, w in list_edges(token, seen).items() if w < last}
        mine = max(moves, key=rate_move, default=1)
        token = yield Command("choice", (mine,))
        last, seen = list_edges(mine, {mine})[token], {*seen, mine, token}


def take_smallest_number(shown: Any) -> Player:
    """Take the smallest number that may be taken."""
    cells = list_cells(shown.rows, len(shown.numbers) // shown.rows)
    left = dict(zip(cells, shown.numbers, strict=True))
    near = set(cells)
    taken: set[Cell] = set()
    while True:
        mine = min(near - taken, key=left.__getitem__)
        taken |= {mine, read_cell((yield Command("choice", mine)))}
        near = {c for one in taken for s in SIDES.values() if (c := add_step(one, s)) in left}


def hop_to_target(shown: Any) -> Player:
    """Capture if possible; else hop nearer to the target, onto a square that is not attacked."""
    mine, theirs, goal = shown.white, shown.black, (shown.size // 2, shown.size // 2)
    lines = range(1, shown.size + 1)

    def list_hops(square: Cell) -> list[Cell]:
        ends = [add_step(square, (a, b)) for a in HOPS for b in HOPS if abs(a) != abs(b)]
        return [end for end in ends if end[0] in lines and end[1] in lines]

    far = measure_distances(goal, list_hops)
    while True:
        attacked = list_hops(theirs)
        mine = min(list_hops(mine), key=lambda to: (to != theirs, to in attacked, far[to]))
        theirs = read_cell((yield Command("move", mine)))


def fill_halves(shown: Any) -> Player:
    """Write small numbers from the left and great ones from the right, over worse ones."""
    papers, number, middle = [0] * shown.size, shown.first, (shown.top + 1) / 2
    while True:
        sign = 1 if number <= middle else -1
        worse = [k for k, one in enumerate(papers) if not one or one * sign > number * sign]
        place = worse[::sign][0] if worse else 0
        papers[place] = number
        number = yield Command("choice", (place + 1,))


def step_bees_nearer(shown: Any) -> Player:
    """Place the bees far from each other; then each goes the shortest way to Nastya."""
    edges = [*zip(shown.ones, shown.others, strict=True)]
    edges += [(b, a) for a, b in edges]
    ways = {v: [b for a, b in edges if a == v] for v, _ in edges}
    far = {v: measure_distances(v, ways.__getitem__) for v in sorted(ways)}
    bees = [1]
    while len(bees) < 3:
        bees.append(max(far, key=lambda v: min(far[v][bee] for bee in bees)))
    while True:
        prey = yield Command("choice", tuple(bees))
        bees = [min((bee, *ways[bee]), key=far[prey].__getitem__) for bee in bees]


def close_rectangles(shown: Any) -> Player:
    """Answer a rectangle of four colors; else color the cell that closes the most rectangles."""
    known = dict(zip(zip(shown.xs, shown.ys, strict=True), shown.colours, strict=True))
    while True:
        lines = range(1, shown.size + 1)
        rows = {x: {y for y in lines if (x, y) in known} for x in lines}
        for a, b in combinations(lines, 2):
            for y, z in combinations(sorted(rows[a] & rows[b]), 2):
                if len({known[a, y], known[a, z], known[b, y], known[b, z]}) == 4:
                    yield Command("answer", (a, b, y, z))
        closes = {
            (x, y): sum(len(rows[x] & rows[a]) for a in lines if a != x and y in rows[a])
            for x, y in list_cells(shown.size, shown.size)
            if y not in rows[x]
        }
        cell = max(closes, key=closes.__getitem__)
        known[cell] = yield Command("choice", cell)
