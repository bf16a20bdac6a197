"""Views: the camera of a picture, drawn uniformly from the paper's ranges (MARBLE, 2.2).

A view is (elevation, azimuth) in whole degrees: -135 and -120, moved by up to 20 and 30.
"""

from __future__ import annotations

import numpy as np

from facelet.renderers.scenes.records import AZIMUTHS, ELEVATIONS, View


def draw(rng: np.random.Generator) -> View:
    """Return a random view."""
    (low, high), (left, right) = ELEVATIONS, AZIMUTHS
    return int(rng.integers(low, high + 1)), int(rng.integers(left, right + 1))
