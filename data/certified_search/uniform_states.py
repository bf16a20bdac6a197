"""Draw states of the cube uniformly."""

from __future__ import annotations

import numpy as np

from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.cubies import Cubies


def random_state(rng: np.random.Generator) -> str:
    """Return the facelets of a state drawn uniformly from all 4.3e19 states."""
    corners = [int(i) for i in rng.permutation(8)]
    edges = [int(i) for i in rng.permutation(12)]
    if cubies.permutation_parity(tuple(corners)) != cubies.permutation_parity(tuple(edges)):
        edges[0], edges[1] = edges[1], edges[0]
    twists = [int(i) for i in rng.integers(3, size=7)]
    flips = [int(i) for i in rng.integers(2, size=11)]
    return cubies.to_facelets(
        Cubies(
            cp=tuple(corners),
            co=(*twists, -sum(twists) % 3),
            ep=tuple(edges),
            eo=(*flips, sum(flips) % 2),
        )
    )
