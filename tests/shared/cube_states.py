"""The solved cube by its pieces, and the coset that holds a state."""

from __future__ import annotations

from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.coset_search import CosetTables, pack_state
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.cubies import Cubies

SOLVED_CUBIES = Cubies(tuple(range(8)), (0,) * 8, tuple(range(12)), (0,) * 12)


def coset_of(tables: CosetTables, facelets: str) -> int:
    """Return the number of the coset that holds a state."""
    inverse = cubies.invert_cubies(cubies.from_facelets(facelets))
    return core.place(tables.memory, pack_state(inverse))[0]
