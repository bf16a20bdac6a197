"""Kinds: one row is judged for all that its task calls alike, and that changes no result."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.scoring import kinds
from facelet.pipeline.scoring.judging import blocks, ledger
from facelet.pipeline.scoring.kinds import find_kinds
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.pipeline.scoring.taking import intake, spans
from facelet.pipeline.scoring.telling.items import write_items

COUNT = 40
SAID = (
    "Answer: {}",
    "{}",
    "I took A for long, and now it is {}.",
    "<think>" + "No, not D. " * 20 + "</think> Answer: {}",
    "no idea",
    " ",
)


@pytest.fixture
def decided(toys, monkeypatch):
    """Two tasks whose answers decide, and a list that is told of what was judged of letters."""
    opened = []
    original = toys["toy/letters"].open
    monkeypatch.setattr(
        toys["toy/letters"], "open", lambda row: opened.append(row["id"]) or original(row)
    )
    monkeypatch.setattr(toys["toy/letters"], "decided_by", ("right",), raising=False)
    monkeypatch.setattr(toys["toy/classes"], "decided_by", ("effects",), raising=False)
    return opened


@pytest.fixture
def data(publish, letter_rows):
    """A dataset of letters and of lists of classes."""
    effects = [["INCREASE", "DECREASE"], ["DECREASE", "INCREASE"], ["NO_CHANGE"] * 2]
    rows = [{"effects": 2 * effects[number % 3]} for number in range(12)]
    return publish({"toy/letters": letter_rows(COUNT), "toy/classes": rows})


@pytest.fixture
def predictions(jsonl, letter_rows):
    """Replies to all rows, some plain and some with more than a reply, in random order."""
    letters = [(row["difficulty"], row["right"]) for row in letter_rows(COUNT)]
    effects = "A: increase\nB: decrease\nC: increase\nD: {}"
    records = [
        {"id": f"toy.letters/d{depth:02d}/{number:06d}", "prediction": said.format(right)}
        for number, (depth, right) in enumerate(letters)
        for said in SAID
    ]
    records += [
        {"id": f"toy.classes/d01/{number:06d}", "prediction": effects.format("decrease")}
        for number in range(12)
    ]
    samples = {}
    for record in records:
        record["sample_idx"] = samples[record["id"]] = samples.get(record["id"], -1) + 1
    records[3] |= {"finish_reason": "length", "usage": {"completion_tokens": 7}}
    records[9] = {"id": records[9]["id"], "error": "overloaded", "sample_idx": 9}
    random.Random(0).shuffle(records)
    return jsonl(records)


def written(data, path, where, settings=None):
    """Return all that is written of a file."""
    scores = score(data, [path], settings, replies=where / "replies")
    write_items(scores.populations, where / "items")
    tables = [pq.read_table(where / name).to_pylist() for name in ("items", "replies")]
    return json.dumps(scores.results), tables


@pytest.mark.parametrize(("block", "size"), [(1, 300), (50, 4000), (8192, 1 << 21)])
@pytest.mark.parametrize("shared", [True, False])
def test_one_row_is_judged_for_all_of_its_kind(
    data, predictions, decided, toys, tmp_path, monkeypatch, block, size, shared
):
    with monkeypatch.context() as patch:
        for name in ("toy/letters", "toy/classes"):
            patch.setattr(toys[name], "decided_by", ())
        usual = written(data, predictions, tmp_path)
    monkeypatch.setattr(ledger, "BLOCK", block)
    monkeypatch.setattr(spans, "SPAN", size)
    if not shared:
        monkeypatch.setattr(intake, "begins_lines", lambda *_: False)
    assert len(set(decided)) == COUNT
    decided.clear()
    assert written(data, predictions, tmp_path) == usual
    assert len(set(decided)) < COUNT / 2


@pytest.mark.parametrize("most", [2, 4])
def test_where_there_are_many_kinds_each_row_is_judged(
    data, predictions, decided, tmp_path, monkeypatch, most
):
    usual = written(data, predictions, tmp_path)
    monkeypatch.setattr(kinds, "MOST", most)
    decided.clear()
    assert written(data, predictions, tmp_path) == usual
    assert (len(set(decided)) == COUNT) == (most < 4)


def test_rows_that_nobody_vouches_for_are_judged_each(data, predictions, decided):
    score(data, [predictions], ScoreSettings(verify="no"))
    assert len(set(decided)) == COUNT


def test_a_row_whose_answer_is_false_decides_for_no_other(
    data, predictions, decided, toys, monkeypatch
):
    original = toys["toy/letters"].reference
    first = f"toy.letters/d01/{0:06d}"
    monkeypatch.setattr(
        toys["toy/letters"],
        "reference",
        lambda row: ["Answer: Z"] if row["id"] == first else original(row),
    )
    score(data, [predictions])
    assert len(set(decided)) == COUNT


def test_short_replies_are_judged_once(data, predictions, decided, monkeypatch):
    score(data, [predictions])
    few = len(decided)
    monkeypatch.setattr(blocks, "REMEMBERED", 0)
    decided.clear()
    score(data, [predictions])
    assert len(decided) > 2 * few


def test_kinds_are_told_apart_by_all_columns_that_decide(tmp_path):
    values = [["a", "b"], ["a,b"], ['a","b'], [], None, ["a", "b"], [""], ["a", None]]
    numbers = [1, 1, 1, 1, 1, 2, 1, 1]
    table = pa.table({"values": values * 3, "numbers": pa.array(numbers * 3, pa.int8())})
    found = find_kinds(table.to_batches(max_chunksize=5), tmp_path / "kinds.npy")
    assert found.codes.tolist() == [*range(8)] * 3
    assert found.examples.tolist() == [*range(8)]
    assert found.codes.dtype == np.uint16
