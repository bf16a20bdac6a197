"""Pictures of a card: the first that rows of a config show, wherever it stands."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.card import card_pictures
from facelet.pipeline.dataset import dataset_reader


def remove_pictures(path: Path, rows: range) -> None:
    """Take the pictures of some rows of a shard away, as rows of one puzzle in words have none."""
    table = pq.read_table(path, partitioning=None)
    column = table.column("images").to_pylist()
    kept = [[] if number in rows else shown for number, shown in enumerate(column)]
    place = table.schema.get_field_index("images")
    field = table.schema.field(place)
    pq.write_table(table.set_column(place, field, pa.array(kept, field.type)), path)


def test_rows_in_words_are_passed_over(toys: SimpleNamespace, tmp_path: Path) -> None:
    for name in ("toy/choice", "toy/yesno"):
        toys.write_config(tmp_path, toys.tasks[name], toys.fair_cells(toys.tasks[name], 8))
    first = next(
        s for s in dataset_reader.list_splits(tmp_path) if s.config == "toys.choice"
    ).paths[0]
    last = next(
        dataset_reader.SplitFiles("toys.choice", "test", (first,)).iterate_rows(
            ["images"], images=True
        )
    )
    before = card_pictures.collect_pictures(tmp_path)
    assert before["pictures/toys.choice.png"] == last["images"][0]["bytes"]
    remove_pictures(first, range(5))
    rows = list(
        dataset_reader.SplitFiles("toys.choice", "test", (first,)).iterate_rows(
            ["images"], images=True
        )
    )
    assert not rows[4]["images"]
    found = card_pictures.collect_pictures(tmp_path)
    assert found["pictures/toys.choice.png"] == rows[5]["images"][0]["bytes"]
    for split in dataset_reader.list_splits(tmp_path):
        for path in split.paths if split.config == "toys.choice" else ():
            remove_pictures(path, range(1000))
    assert list(card_pictures.collect_pictures(tmp_path)) == ["pictures/toys.yesno.png"]


def test_pictures_of_configs_that_are_gone_go(toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/choice"]
    toys.write_config(tmp_path, task, toys.fair_cells(task, 8))
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "toys.gone.png").write_bytes(b"x")
    (tmp_path / "pictures" / "notes.txt").write_text("mine")
    card_pictures.write_pictures(tmp_path)
    here = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert here == ["notes.txt", "toys.choice.png"]
    card_pictures.write_pictures(tmp_path)
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == here
