"""Obvious rules of games about ways through grids and graphs."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

from facelet.generators.arcade.obvious_rules.rule_tools import (
    AROUND,
    SIDES,
    Cell,
    add_step,
    find_path,
    list_cells,
    measure_distances,
    read_cell,
)
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Player

BUTTONS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def visit_least_degree(shown: Any) -> Player:
    """Go to the neighbor without a flag that has the fewest paths; else to the one with most."""
    heard = shown.view
    while True:
        seen = [int(word) for word in heard.split()[2:]]
        pairs = [*zip(seen[1::2], seen[::2], strict=True)]
        rated = [(flag, -degree if flag else degree) for flag, degree in pairs]
        heard = yield Command("move", (rated.index(min(rated)) + 1,))


def walk_maze(shown: Any) -> Player:
    """Walk the shortest path; a pair of buttons that moves the other way is swapped."""
    here, keys, rows = (1, 1), dict(BUTTONS), enumerate(shown.grid, 1)
    signs = {(x, y): sign for x, row in rows for y, sign in enumerate(row, 1)}

    def list_steps(cell: Cell) -> list[Cell]:
        return [c for s in SIDES.values() if signs.get(c := add_step(cell, s), "*") != "*"]

    while True:
        follow = find_path(here, list_steps, lambda cell: signs[cell] == "F")[1]
        button = next(key for key, step in keys.items() if add_step(here, step) == follow)
        here = read_cell((yield Command("move", (button,))))
        if here != follow:
            pair = "UD" if button in "UD" else "LR"
            keys |= {pair[0]: keys[pair[1]], pair[1]: keys[pair[0]]}


def explore_maze(shown: Any) -> Player:
    """Try unknown cells, east and south first; go back from dead ends."""
    trail, tried, cells = [(1, 1)], {((1, 1), (1, 1))}, list_cells(shown.size, shown.size)
    while True:
        here, known = trail[-1], {cell for _, cell in tried if cell in trail}
        ways = {side: add_step(here, SIDES[side]) for side in "ESWN"}
        fresh = [s for s, c in ways.items() if c in cells and (here, c) not in tried]
        fresh = [s for s in fresh if ways[s] not in known]
        side = fresh[0] if fresh else next(s for s, c in ways.items() if c == trail[-2])
        tried.add((here, ways[side]))
        heard = yield Command("move", (side,))
        if not fresh:
            trail.pop()
        elif heard == "MOVED":
            trail.append(ways[side])


def slide_over_fields(shown: Any) -> Player:
    """Plan a way by the first meaning of the fields that fits all moves so far."""
    meanings = [dict(zip("1234", one, strict=True)) for one in permutations(SIDES.values())]
    size, here = len(shown.grid), (1, 1)

    def slide_to(cell: Cell, step: Cell, meaning: dict[str, Cell]) -> Cell:
        cell, passed = add_step(cell, step), set[Cell]()
        while (sign := shown.grid[cell[0] - 1][cell[1] - 1]) in meaning and cell not in passed:
            passed.add(cell)
            after = add_step(cell, meaning[sign])
            cell = after if 1 <= min(after) and max(after) <= size else cell
        return (-1, -1) if sign == "X" else cell

    def list_moves(cell: Cell) -> dict[str, Cell]:
        steps = {key: step for key, step in BUTTONS.items() if cell != (-1, -1)}
        ends = {key: add_step(cell, step) for key, step in steps.items()}
        inside = [key for key, end in ends.items() if min(end) >= 1 and max(end) <= size]
        return {key: slide_to(cell, BUTTONS[key], meanings[0]) for key in inside}

    while True:
        way = find_path(here, lambda c: list_moves(c).values(), lambda c: c == (size, size))
        moves = list_moves(here)
        key = next((key for key, end in moves.items() if [end] == way[1:2]), min(moves))
        now = read_cell((yield Command("move", (key,))))
        meanings = [one for one in meanings if slide_to(here, BUTTONS[key], one) == now]
        here = now


def step_beside_zeros(shown: Any) -> Player:
    """Walk over cells beside a danger level of 0, nearest to the goal first; else guess."""
    here, goal = (1, 1), (shown.size, shown.size)
    cells, walked, safe = list_cells(*goal), {(1, 1)}, {(2, 2), (1, 2), (2, 1)}

    def list_steps(cell: Cell) -> list[Cell]:
        around = [add_step(cell, step) for step in AROUND]
        return [c for c in around if c in cells and (cell in walked)]

    while True:
        open_ = (safe or {c for cell in walked for c in list_steps(cell)}) - walked
        aim = max(open_, key=lambda cell: (sum(cell), min(cell)))
        way = find_path(here, list_steps, aim.__eq__)
        for here in way[1:]:
            heard = yield Command("move", here)
        walked.add(here)
        safe = (safe | set(list_steps(here)) if heard.endswith(" 0") else safe) - walked


def follow_hints(shown: Any) -> Player:
    """Follow each hint; collect the first treasure above 50, else the second."""
    here, found, heard = (1, 1), 0, "EMPTY SE"
    while True:
        if heard.startswith("TREASURE"):
            found += 1
            if int(heard.split()[1]) > 50 or found == 2:
                yield Command("collect", ())
            heard = "EMPTY SE"
        after = here
        for letter in heard.split()[1]:
            after = add_step(after, SIDES[letter])
        inside = [
            cell
            for cell in (add_step(here, step) for step in AROUND)
            if max(cell) <= shown.size and min(cell) > 0
        ]
        here = min(inside, key=lambda cell: abs(cell[0] - after[0]) + abs(cell[1] - after[1]))
        heard = yield Command("move", here)


def guess_middle(shown: Any) -> Player:
    """Guess the vertex with the least distance to all that fit the answers so far."""
    lines = [[int(word) for word in path.split()] for path in shown.paths]
    edges = {pair for line in lines for pair in pairwise(line)}
    edges |= {(b, a) for a, b in edges}
    ways = {v: [b for a, b in edges if a == v] for v, _ in edges}
    far = {v: measure_distances(v, ways.__getitem__) for v in ways}
    nodes = sorted(ways)
    while True:
        guess = min(nodes, key=lambda v: sum(far[v][w] for w in nodes))
        near = int((yield Command("guess", (guess,))).split()[-1])
        nodes = [w for w in nodes if far[near][w] < far[guess][w]]
