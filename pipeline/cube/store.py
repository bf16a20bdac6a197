"""Read the certified store: states of the depths that take too long to prove in a build.

`data/certified/` contains `htm.parquet` and `qtm.parquet`: one certified state a row, sorted by
depth, edition, sampling and canonical form, distinct up to symmetry, and `findings.parquet`, the
searches that found them. Each file's schema describes its columns.

A state is checked by simulation when it is read; `facelet verify` proves it again by search.
`make certified-store` searches for more states (data/certified_search).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.engine.notation import Metric, format_maneuver, maneuver_length
from facelet.generators.cube.pools.slot_sources import PREFERENCE, Edition
from facelet.generators.cube.states.certified_states import CertifiedState, find_state_faults

STORE: Path = Path(__file__).parents[2] / "data" / "certified"

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


@dataclass(frozen=True, slots=True)
class StoredState:
    """A certified state and where its proof came from; the file's schema describes the fields."""

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


def check_not_shorter(states: Iterable[CertifiedState]) -> None:
    """Refuse states that a quick search solves in fewer moves than their certificates claim.

    This takes 3 ms a state and refutes most false certificates; `facelet verify` proves the rest.

    Raises:
        ValueError: a state is solved in fewer moves.
    """
    for state in states:
        limit = state.optimal_depth - 1
        found = two_phase_solver.find_solution(state.facelets, nodes=1, at_most=limit)
        if (length := maneuver_length(found, state.metric)) <= limit:
            raise ValueError(
                f"data/certified/{state.metric}.parquet: {state.facelets} is not at depth "
                f"{state.optimal_depth}: {format_maneuver(found)} solves it in {length}; "
                "restore the file"
            )


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
        wrong = find_state_faults(state)
        if state.sampling not in PREFERENCE:
            wrong.append(f"its sampling {state.sampling!r} is not one of {', '.join(PREFERENCE)}")
        if wrong:
            raise ValueError(f"{path}: {state.facelets}: {'; '.join(wrong)}; restore the file")
        found.append(StoredState(state=state, **row))
    return tuple(found)
