"""Connection: where the oracle of the cube's tasks finds its tables in this process.

A closed loop asks exact distances while it is played: to compose its first prompt, to draw it, to
replay an answer. The small tables that it needs are read from the cache of `cube.tables`,
of which all processes share one copy; without that, every process would build its own, for seconds.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from facelet.generators.cube.distance import oracle
from facelet.pipeline.cube.tables import open_table, told_cache
from facelet.pipeline.families import Told

_chosen: list[Path] = []


def connect(told: Told) -> None:
    """Let the oracle read its tables from the cache, when it is first asked.

    Each process hashes them itself: they are small, 22 MB.

    Args:
        told: `cache` names the folder of tables; without it, the one that was named before in this
            process holds, else the default one (see `facelet.pipeline.cube.tables.cache_folder`).
    """
    if cache := told_cache(told):
        _chosen[:] = [cache]
    folder = _chosen[0] if _chosen else None
    oracle.read_tables_from(partial(open_table, cache=folder, progress=False))
