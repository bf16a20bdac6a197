"""Give the cube's distance oracle its tables in this process.

A closed loop needs exact distances while it is played: to compose its first prompt, to draw it, to
replay an answer. Its small tables come from the cache of `table_cache`, of which all processes
share one copy; otherwise every process would spend seconds to build its own.
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
