"""The rows of a level that is played: those of its ids, whatever row groups hold them."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.audit.level_plays import read_rows

ROWS, GROUP = 40, 7


def test_rows_are_those_of_their_ids_whether_they_follow_one_another_or_not(
    tmp_path: Path,
) -> None:
    names = [f"row-{k:02d}" for k in range(ROWS)]
    table = pa.table({"id": names, "many": [[k] for k in range(ROWS)], "apart": names})
    pq.write_table(table, path := tmp_path / "rows.parquet", row_group_size=GROUP)
    dice = random.Random(1)
    some = [dice.sample(range(ROWS), dice.randint(1, 9)) for _ in range(50)]
    runs = [list(range(low, dice.randint(low, ROWS) + 1)) for low in range(ROWS - 1)]
    for places in (*some, *(run[:-1] or run for run in runs), [0], [ROWS - 1], [6, 7]):
        wanted = table.take(sorted(places)).drop_columns("apart").to_pylist()
        found = read_rows(path, [names[place] for place in places] + ["elsewhere"], ["many"])
        assert found == wanted, places
