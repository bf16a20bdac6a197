"""A second, naive model of the cube: a 5 x 5 x 5 block of counters that pieces are laid into.

Written from the paper's words alone: x runs to the right, y up, z to the front; sides are seen with
Top up, Top with Back up, Bottom with Front up; (left, top) are the original edges that come to lie
on the left and on the top, 1 left, 2 top, 3 right, 4 bottom.
"""

from __future__ import annotations

import networkx as nx
import numpy as np

UP, DOWN = range(5), range(4, -1, -1)
SEEN = {
    "Front": [[(x, y, 4) for x in UP] for y in DOWN],
    "Back": [[(x, y, 0) for x in DOWN] for y in DOWN],
    "Left": [[(0, y, z) for z in UP] for y in DOWN],
    "Right": [[(4, y, z) for z in DOWN] for y in DOWN],
    "Top": [[(x, 4, z) for x in UP] for z in UP],
    "Bottom": [[(x, 0, z) for x in UP] for z in DOWN],
}
"""The cells of each face, row by row from its top left, as seen from outside."""
BLOCK = {face: np.array(cells) for face, cells in SEEN.items()}

ORIENTED = {
    (1, 2): lambda a: a,
    (2, 3): lambda a: np.rot90(a, 1),
    (3, 4): lambda a: np.rot90(a, 2),
    (4, 1): lambda a: np.rot90(a, 3),
    (2, 1): lambda a: a.T,
    (3, 2): np.fliplr,
    (4, 3): lambda a: np.rot90(a, 2).T,
    (1, 4): np.flipud,
}
"""What an orientation does to an array."""

HULL = np.ones((5, 5, 5), dtype=int)
HULL[1:4, 1:4, 1:4] = 0


def count_fillings(arrays, placements):
    """How many pieces fill each cell of the block."""
    block = np.zeros((5, 5, 5), dtype=int)
    for array, (face, left, top) in zip(arrays, placements, strict=True):
        cells = BLOCK[face][ORIENTED[left, top](array).astype(bool)]
        block[tuple(cells.T)] += 1
    return block


def is_block_full(arrays, placements):
    """Whether every cell of the hull is filled exactly once."""
    return np.array_equal(count_fillings(arrays, placements), HULL)


def has_connected_bumps(rows):
    """Whether the bumps of a piece, rows of 0 and 1, hang together by sides of cells."""
    bumps = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "1"]
    return nx.is_connected(nx.grid_2d_graph(5, 5).subgraph(bumps))
