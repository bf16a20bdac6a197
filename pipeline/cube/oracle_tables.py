"""Connection: where the oracle of the cube's tasks finds its tables in this process.

A closed loop asks exact distances while it is played: to compose its first prompt, to draw it, to
replay an answer. The small tables that it needs are read from the cache of `cube.tables`,
of which all processes share one copy; without that, every process would build its own, for seconds.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from facelet.generators.cube.distance import distance_oracle
from facelet.pipeline.cube.table_cache import open_table, read_cache_setting
from facelet.pipeline.family_modules import FamilySettings

_chosen: list[Path] = []


def connect(told: FamilySettings) -> None:
    """Let the oracle read its tables from the cache, when it is first asked.

    Each process hashes them itself: they are small, 22 MB.

    Args:
        told: `cache` names the folder of tables; without it, the one that was named before in this
            process holds, else the default one (see
            `facelet.pipeline.cube.table_cache.cache_folder`).
    """
    if cache := read_cache_setting(told):
        _chosen[:] = [cache]
    folder = _chosen[0] if _chosen else None
    distance_oracle.read_tables_from(partial(open_table, cache=folder, progress=False))
