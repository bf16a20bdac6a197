"""The rows of a level that is played: those of its places, whatever row groups hold them."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.audit.level_plays import _read_rows_at

ROWS, GROUP = 40, 7


def test_rows_are_those_of_their_places_whether_they_follow_one_another_or_not(
    tmp_path: Path,
) -> None:
    table = pa.table({"id": [f"row-{k}" for k in range(ROWS)], "many": [[k] for k in range(ROWS)]})
    pq.write_table(table, path := tmp_path / "rows.parquet", row_group_size=GROUP)
    dice = random.Random(1)
    some = [sorted(dice.sample(range(ROWS), dice.randint(1, 9))) for _ in range(50)]
    runs = [list(range(low, dice.randint(low, ROWS) + 1)) for low in range(ROWS - 1)]
    for places in (*some, *(run[:-1] or run for run in runs), [0], [ROWS - 1], [6, 7]):
        wanted = table.take(places).to_pylist()
        found = _read_rows_at(path, [(place, "") for place in places], ["id", "many"])
        assert list(found) == wanted, places
