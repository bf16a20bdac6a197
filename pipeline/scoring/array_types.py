"""Define the NumPy array types of scoring, and convert texts to codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]


def rank_texts(texts: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the place of each text among the distinct ones, and those in ascending order."""
    import pyarrow.compute as pc  # help and completion need the types alone

    encoded = texts.dictionary_encode("encode")
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order.to_numpy()] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(order)


def expand_rows(rows: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return, for rows in any order, each row as often as it has elements, and their offsets."""
    counts = lengths[rows]
    ends = np.cumsum(counts)
    offset = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
    return np.repeat(rows.astype(np.int64), counts), offset
