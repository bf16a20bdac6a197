"""The store of proofs: certified states of the depths that take too long to prove in a build.

`data/certified/` holds three small Parquet files, committed:

- `htm.parquet`, `qtm.parquet`: certified states, one a row, sorted by depth, edition, way of
  sampling and canonical form, distinct up to symmetry (columns: STATES);
- `findings.parquet`: what every search found out, proofs and mere bounds, so that a run resumes
  where the last one ended and the counts of whole symmetric classes can be checked (columns:
  FINDINGS).

A state is checked by simulation when it is read; `facelet verify` proves it again by search.
`python -m facelet.pipeline.cube.store` searches for more (module `prospecting`), and with the word
`classes` it counts how deep the states of whole symmetric classes are (module `classes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.cube.engine.turn_metrics import Metric
from facelet.generators.cube.pools import symmetric_classes
from facelet.generators.cube.pools.slot_sources import PREFERENCE, Edition
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.pipeline.dataset import atomic_files

STORE: Path = Path(__file__).parents[3] / "data" / "certified"

METRICS: tuple[Metric, ...] = get_args(Metric)

STATES: dict[str, tuple[pa.DataType, str]] = {
    "facelets": (pa.string(), "the state, 54 letters in URFDLB order"),
    "metric": (pa.string(), "htm or qtm"),
    "optimal_depth": (pa.int8(), "exact distance to solved"),
    "solution": (pa.string(), "the witness: a maneuver of that length that solves the state"),
    "sampling": (pa.string(), f"how it was found: one of {', '.join(PREFERENCE)}"),
    "family": (pa.string(), "key shared with all states derived from the same one"),
    "canonical": (pa.string(), "least of its 48 symmetric images"),
    "exhausted": (pa.int8(), "the greatest length proven too short"),
    "table_hash": (pa.string(), "hash of the pruning table that the exhaustion used"),
    "nodes": (pa.int64(), "positions visited by the exhaustion that the proof rests on"),
    "table": (pa.string(), "name of that table"),
    "seconds": (pa.float64(), "processor time of that search, one thread"),
    "symmetry": (pa.string(), "symmetric class that was searched (Schoenflies), or empty"),
    "source": (pa.string(), "the state whose proof it is derived from, or empty for its own"),
    "command": (pa.string(), "the command that found it"),
    "edition": (pa.int16(), "since which edition of the store it is there, from 1"),
}
"""Columns of a store of states: Arrow type and meaning."""

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


@dataclass(frozen=True, slots=True)
class StoredState:
    """A certified state and where its proof came from; see STATES for the fields."""

    state: CertifiedState
    table: str
    seconds: float
    symmetry: str
    source: str
    command: str
    edition: int


def load_states(metric: Metric, store: Path = STORE) -> tuple[CertifiedState, ...]:
    """Return the certified states of a metric, by rising depth; none if the store has no file.

    Raises:
        ValueError: a state does not pass `certified.faults`, or its sampling is unknown.
    """
    return tuple(row.state for row in load_rows(metric, store))


def load_editions(metric: Metric, store: Path = STORE) -> tuple[Edition, ...]:
    """Return the certified states of a metric by edition, the oldest first; see `load_states`."""
    found: dict[int, list[CertifiedState]] = {}
    for row in load_rows(metric, store):
        found.setdefault(row.edition, []).append(row.state)
    return tuple(tuple(found[number]) for number in sorted(found))


def states_for_pools(
    metric: Metric, depth: int, *, every: bool = False, store: Path = STORE
) -> tuple[Edition, ...]:
    """Return the states that pools of a depth are taken from, by edition, the oldest first.

    Args:
        metric: their metric.
        depth: their optimal depth.
        every: whether from all editions; else from the first one that has the depth, so that what
            was built before is built again to the same rows, however the store has grown.
        store: folder of the store.
    """
    of_depth = (
        tuple(state for state in edition if state.optimal_depth == depth)
        for edition in load_editions(metric, store)
    )
    found = tuple(edition for edition in of_depth if edition)
    return found if every else found[:1]


def digest_states(states: Iterable[Edition]) -> str:
    """Return the hash of states by edition: 64 hexadecimal digits."""
    content = [[asdict(state) for state in edition] for edition in states]
    return sha256(json.dumps(content).encode()).hexdigest()


def load_rows(metric: Metric, store: Path = STORE) -> tuple[StoredState, ...]:
    """Return the states of a metric with where their proofs came from; see `load_states`."""
    return _read_states(metric, store)


@cache
def _read_states(metric: Metric, store: Path) -> tuple[StoredState, ...]:
    """Return the states of a metric; see `load_states`."""
    if metric not in METRICS:
        raise ValueError(f"metric {metric!r} is not one of {', '.join(METRICS)}")
    path = store / f"{metric}.parquet"
    if not path.is_file():
        return ()
    names = [field.name for field in fields(CertifiedState)]
    found = []
    for row in pq.read_table(pa.BufferReader(path.read_bytes())).to_pylist():
        state = CertifiedState(**{name: row.pop(name) for name in names})
        wrong = certified_states.find_state_faults(state)
        if state.sampling not in PREFERENCE:
            wrong.append(f"its sampling {state.sampling!r} is not one of {', '.join(PREFERENCE)}")
        if wrong:
            raise ValueError(f"{path}: {state.facelets}: {'; '.join(wrong)}; restore the file")
        found.append(StoredState(state=state, **row))
    return tuple(found)


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
