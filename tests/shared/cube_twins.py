"""The cube's group and batches of states, as tests hold them against the engine.

Products of states by pieces (first a, then b), the face moves by pieces, and for arrays of states
(see cube_batches) the number of symmetries that keep each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine.cubies import Cubies, from_facelets
from facelet.generators.cube.engine.moves import FACE_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.cube.engine.symmetry import COLOURS, COUNT, FACELETS

MOVE_CUBIES = {move: from_facelets(apply_maneuver(SOLVED, (move,))) for move in FACE_MOVES}
"""The 18 face moves by pieces."""


def multiply_cubies(a: Cubies, b: Cubies) -> Cubies:
    """Return the state after a maneuver that makes `a`, then one that makes `b`."""
    return Cubies(
        tuple(a.cp[p] for p in b.cp),
        tuple((a.co[p] + t) % 3 for p, t in zip(b.cp, b.co, strict=True)),
        tuple(a.ep[p] for p in b.ep),
        tuple(a.eo[p] ^ f for p, f in zip(b.ep, b.eo, strict=True)),
    )


def face_rows(facelets: str, which: str) -> tuple[str, str, str]:
    """Return the three rows of a face, each of three letters, as seen from outside."""
    start = 9 * FACES.index(which)
    return (
        facelets[start : start + 3],
        facelets[start + 3 : start + 6],
        facelets[start + 6 : start + 9],
    )


def stabilizer_orders(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Return how many of the 48 symmetries leave each state of an array as it is."""
    kept = [(COLOURS[s][states[:, FACELETS[s]]] == states).all(axis=1) for s in range(COUNT)]
    return np.sum(kept, axis=0, dtype=np.intp)
