"""Write the files of the certified store: states by metric, and the findings behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.cube.engine.turn_metrics import Metric
from facelet.generators.cube.pools import symmetric_classes
from facelet.generators.cube.pools.slot_sources import PREFERENCE
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.pipeline.cube.store import STATES, STORE, StoredState
from facelet.pipeline.dataset import atomic_files

FINDINGS: dict[str, tuple[pa.DataType, str]] = {
    "step": (pa.string(), "the step of the search"),
    "candidate": (pa.string(), "what the step tried: a number, or a name of the state"),
    "facelets": (pa.string(), "the state"),
    "metric": (pa.string(), "htm or qtm"),
    "solution": (pa.string(), "the shortest solution found; its length is an upper bound"),
    "exhausted": (pa.int8(), "the greatest length proven too short; the depth is above it"),
    "sampling": (pa.string(), "how the state was found"),
    "members": (pa.int32(), "number of members of the symmetric class that the state stands for"),
    "source": (pa.string(), "the state whose proof it rests on, or empty for its own"),
    "table": (pa.string(), "name of the pruning table"),
    "table_hash": (pa.string(), "its hash"),
    "nodes": (pa.int64(), "positions visited"),
    "seconds": (pa.float64(), "processor time of the search, one thread"),
    "edition": (pa.int16(), "edition of the store that it is for, from 1"),
}
"""Columns of the findings: Arrow type and meaning."""


def write_states(rows: Iterable[StoredState], metric: Metric, store: Path = STORE) -> int:
    """Write the store of a metric, sorted, the first of each canonical form; return its size.

    Args:
        rows: the states, in any order.
        metric: their metric.
        store: folder of the store.
    """
    chosen: dict[str, dict[str, object]] = {}
    names = [field.name for field in fields(CertifiedState)]
    for row in sorted(rows, key=_row_order):
        flat = {name: getattr(row.state, name) for name in names}
        for name in ("table", "seconds", "symmetry", "source", "command", "edition"):
            flat[name] = getattr(row, name)
        chosen.setdefault(row.state.canonical, flat)
    write_rows(list(chosen.values()), STATES, store / f"{metric}.parquet")
    return len(chosen)


def _row_order(row: StoredState) -> tuple[int, int, int, str, bool, int, str]:
    """Return where a row stands; of equals the oldest leads, then one with a search of its own.

    So a later finding about a state that is stored changes no row.
    """
    state = row.state
    rank = PREFERENCE.index(state.sampling)
    order = len(symmetric_classes.group_symmetries(row.symmetry)) if row.symmetry else 1
    known = (state.optimal_depth, row.edition, rank, state.canonical)
    return (*known, bool(row.source), -order, state.facelets)


def write_rows(
    rows: Sequence[dict[str, object]], columns: dict[str, tuple[pa.DataType, str]], path: Path
) -> None:
    """Write rows as a small Parquet file, whole or not at all; equal rows give equal bytes.

    Args:
        rows: values by column.
        columns: Arrow type and meaning of each column.
        path: the file.
    """
    schema = pa.schema(
        [
            pa.field(name, kind, nullable=False, metadata={"description": meaning})
            for name, (kind, meaning) in columns.items()
        ]
    )
    table = pa.Table.from_pylist(list(rows), schema=schema)
    with atomic_files.write_atomically(path) as file:
        pq.write_table(table, file, compression="zstd", compression_level=19)
