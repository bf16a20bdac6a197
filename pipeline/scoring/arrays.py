"""Arrays: the types of the NumPy arrays that scoring hands on, and texts as numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def ranks(texts: pa.Array) -> Ints:
    """Return the place of each text among the distinct ones in ascending order."""
    encoded = texts.dictionary_encode("encode")
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    found: Ints = rank[encoded.indices.to_numpy()]
    return found
