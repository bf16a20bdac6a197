"""Blocks: how predictions are cut into blocks, and which rows are kept, changes nothing."""

from __future__ import annotations

import random

import pyarrow.parquet as pq
import pytest

from facelet.pipeline.scoring import column_cache
from facelet.pipeline.scoring.grade import outcome_store, prediction_blocks
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import score


@pytest.fixture
def asked(publish, letter_rows, jsonl):
    """A dataset, and the predictions of four samples in random order, some rows never asked."""
    rows = letter_rows(40)
    data = publish({"toy/letters": rows, "toy/yes_no": [{"truth": bool(i % 3)} for i in range(9)]})
    records = [
        {"id": identifier, "sample_idx": sample, "prediction": reply}
        for sample in range(4)
        for identifier, reply in (
            *(
                (f"toy.letters/d{row['difficulty']:02d}/{i:06d}", f"Answer: {'ABCD'[i % 4]}")
                for i, row in enumerate(rows)
                if i % 5
            ),
            *((f"toy.yes_no/d01/{i:06d}", "Answer: Yes") for i in range(0, 9, 2)),
        )
    ]
    random.Random(0).shuffle(records)
    return data, jsonl(records)


@pytest.mark.parametrize("block", [1, 7, 10_000])
@pytest.mark.parametrize("kept", [0, 3, 10_000])
@pytest.mark.parametrize("dense", [0.0, 1.25, 1e9])
@pytest.mark.some(3)
def test_blocks_change_no_result(asked, monkeypatch, tmp_path, block, kept, dense):
    data, predictions = asked
    usual = score(data, [predictions])
    decoded = []
    for part in usual.populations:
        task = part.part.load_installed_task
        original = task.decode
        monkeypatch.setattr(
            task, "decode", lambda row, of=original: decoded.append(row["id"]) or of(row)
        )
    monkeypatch.setattr(outcome_store, "BLOCK", block)
    monkeypatch.setattr(prediction_blocks, "KEPT", kept)
    monkeypatch.setattr(column_cache, "_DENSE", dense)
    again = score(data, [predictions])
    assert again.results == usual.results
    for name, scores in (("usual", usual), ("again", again)):
        write_items(scores.populations, tmp_path / name)
    assert pq.read_table(tmp_path / "usual").equals(pq.read_table(tmp_path / "again"))
    if kept == 10_000:
        # A row is kept from the second block on that asks for it.
        assert max(map(decoded.count, decoded)) <= 2
