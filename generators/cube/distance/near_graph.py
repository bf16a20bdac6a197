"""Number the states near the solved cube, with their neighbours, to track many states at once.

A state's number is its place among all states within 5 moves (htm) or 6 quarter turns (qtm) of
solved (`near_distances`). Neighbours are computed on demand, so a graph costs what its states cost.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.distance import near_distances
from facelet.generators.cube.distance.near_distances import States
from facelet.generators.cube.engine.notation import FACE_MOVES, Metric

Numbers = npt.NDArray[np.intp]
"""Numbers of states, (n,)."""

FAR = 255
"""Distance of the number that stands for all states farther away."""

MOVE_BITS = np.uint32(1) << np.arange(len(FACE_MOVES), dtype=np.uint32)
"""The bit of each move of FACE_MOVES in a set of moves."""


class NearGraph:
    """States near solved and what single moves make of them.

    Attributes:
        distances: distance of each number, uint8; the last number is every state farther away.
        neighbours: number after each of FACE_MOVES, (numbers, 18); filled by `expand`.
        closer: the moves of length one that reduce the distance, as bits; filled by `expand`.
    """

    def __init__(self, metric: Metric) -> None:
        """Begin with no neighbours known."""
        self._keys, depths = near_distances.list_known_distances(metric)
        count = len(self._keys)
        self.distances = np.append(depths, np.uint8(FAR))
        self.neighbours = np.full((count + 1, len(FACE_MOVES)), count, dtype=np.int32)
        self.closer = np.zeros(count + 1, dtype=np.uint32)
        self._unit = sum(int(MOVE_BITS[move]) for move in near_distances.list_unit_moves(metric))
        self._pieces: States = np.zeros((count + 1, 20), dtype=np.uint8)
        self._expanded = np.zeros(count + 1, dtype=np.bool_)
        self._expanded[count] = True

    def add_states(self, facelets: Iterable[str]) -> Numbers:
        """Return the numbers of states; those too far away have the last number."""
        pieces = np.concatenate([near_distances.facelets_to_pieces(one) for one in facelets])
        return self._number_states(pieces)

    def expand(self, numbers: Numbers) -> None:
        """Compute the neighbours of states that were reached from states added before."""
        due = np.unique(numbers[~self._expanded[numbers]])
        if not len(due):
            return
        after = near_distances.apply_moves(self._pieces[due], range(len(FACE_MOVES)))
        around = self._number_states(after).reshape(len(FACE_MOVES), -1).T
        self.neighbours[due] = around
        nearer = self.distances[around] < self.distances[due][:, None]
        self.closer[due] = (nearer * MOVE_BITS).sum(axis=1, dtype=np.uint32) & self._unit
        self._expanded[due] = True

    def _number_states(self, pieces: States) -> Numbers:
        keys = near_distances.state_keys(pieces)
        last = len(self._keys)
        place = np.minimum(np.searchsorted(self._keys, keys), last - 1)
        numbers = np.where(self._keys[place] == keys, place, last)
        self._pieces[numbers] = pieces
        return numbers
