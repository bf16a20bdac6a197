"""Answer exact distances near the solved cube, for episodes of many turns.

Such an episode needs after every move how far the cube is from solved and which moves bring it
closer. One compiled call answers both for a state up to REACH moves from solved, from the small
pruning table of its metric. That table is built in memory at the first call, which takes seconds; a
program that keeps tables in files calls `read_tables_from` first. Answers do not depend on where
the table comes from. Any number of threads may call. Where the core was not compiled,
`near_distances` gives the same answers, more slowly, up to 10 moves (htm) or 12 (qtm).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from facelet.generators.cube.distance import near_distances, pruning_tables
from facelet.generators.cube.distance.compiled_cores import core, is_compiled
from facelet.generators.cube.distance.depth_search import working_memory
from facelet.generators.cube.distance.near_distances import DistanceReport as DistanceReport
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import FACE_MOVES, Metric

REACH: dict[Metric, int] = {"htm": 13, "qtm": 15}
"""The greatest distance that is searched."""

CACHED = 1 << 16
"""States whose answers are remembered."""

Loader = Callable[[str], PruningTable]


@lru_cache(maxsize=CACHED)
def find_progress(metric: Metric, facelets: str) -> DistanceReport:
    """Return the distance of a state and the moves that strictly reduce it.

    Args:
        metric: "htm" or "qtm"; in "qtm" a half turn counts two.
        facelets: the state; its centres must be those of the solved state.

    Raises:
        IllegalCube: face turns cannot reach the state.
        ValueError: its distance is greater than REACH, or the metric is unknown.
    """
    if metric not in REACH:
        raise ValueError(f"metric={metric!r} is unknown; use one of {', '.join(REACH)}")
    limit = REACH[metric]
    search = _search_state if is_compiled() else near_distances.find_near_distance
    if (found := search(metric, facelets, limit)) is None:
        raise ValueError(
            f"{facelets} is more than {limit} moves from solved ({metric}), which is as far as "
            "the oracle looks; use facelet.generators.cube.distance.exact_solver.ExactSolver"
        )
    return found


def exact_distance(metric: Metric, facelets: str) -> int:
    """Return the exact distance of a state from solved; see `find_progress` for what it raises."""
    return find_progress(metric, facelets).distance


def read_tables_from(loader: Loader) -> None:
    """Take tables from a loader, instead of building them in this process.

    Args:
        loader: returns the table of a name, "htm-small" or "qtm-small"; called at most once for
            each name, when it is first needed.
    """
    _source.loader = loader


def _search_state(metric: Metric, facelets: str, limit: int) -> DistanceReport | None:
    """Return what the compiled core says of a state; None if it is beyond the limit."""
    pieces = cubies.from_facelets(facelets)
    table = _source.load_table(metric)
    answer = core.around(
        *(
            working_memory(core.search_size(limit, 1)),
            table.memory,
            table.spec.flips,
            table.spec.base,
        ),
        *(metric == "qtm", bytes((*pieces.cp, *pieces.co, *pieces.ep, *pieces.eo)), limit),
    )
    if answer is None:
        return None
    found, bits, word = answer
    closer = tuple(move for place, move in enumerate(FACE_MOVES) if bits >> place & 1)
    return DistanceReport(found, closer, tuple(FACE_MOVES[move] for move in word))


class _TableSource:
    """The tables of this process."""

    def __init__(self) -> None:
        self.loader: Loader = _build_table
        self._tables: dict[Metric, PruningTable] = {}
        self._lock = threading.Lock()

    def load_table(self, metric: Metric) -> PruningTable:
        """Return the table of a metric, made or read once."""
        if (table := self._tables.get(metric)) is None:
            with self._lock:
                if (table := self._tables.get(metric)) is None:
                    table = self._tables[metric] = self.loader(f"{metric}-small")
        return table


def _build_table(name: str) -> PruningTable:
    """Return a table, built in memory."""
    spec = pruning_tables.find_spec(name)
    memory = np.empty(spec.byte_count, dtype=np.uint8)
    pruning_tables.build_table(spec, memory)
    return PruningTable(spec, memory)


_source = _TableSource()
