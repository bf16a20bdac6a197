"""Closed loops: where the oracle of the cube tasks finds its tables in this process.

A closed loop asks exact distances while it is played: to compose its first prompt, to draw it, to
replay an answer. The small tables that it needs are mapped from the cache of `cube.tables`,
which all processes share; without that, every process would build its own, for seconds.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from facelet.generators.cube.distance import oracle
from facelet.pipeline.cube.tables import open_table

_chosen: list[Path] = []


def connect(cache: Path | None = None) -> None:
    """Let the oracle read its tables from the cache, when it is first asked.

    Args:
        cache: the folder of tables; None for the one that was named before in this process, else
            the default one (see `facelet.pipeline.cube.tables.cache_folder`).
    """
    if cache is not None:
        _chosen[:] = [cache]
    folder = _chosen[0] if _chosen else None
    oracle.read_tables_from(partial(open_table, cache=folder, progress=False))
