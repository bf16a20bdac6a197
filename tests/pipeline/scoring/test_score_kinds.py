"""Kinds: one row is judged for all that its task calls alike, and that changes no result."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.dataset.dataset_reader import RowGroupSpan
from facelet.pipeline.scoring import column_cache, row_equivalence, scored_dataset
from facelet.pipeline.scoring.grade import outcome_store, verdict_table
from facelet.pipeline.scoring.ingest import file_spans, prediction_reader
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.row_equivalence import find_kinds, join_kinds
from facelet.pipeline.scoring.scorer import ScoreSettings, score

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


def read_outputs(data, path, where, settings=None):
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
        usual = read_outputs(data, predictions, tmp_path)
    monkeypatch.setattr(outcome_store, "BLOCK", block)
    monkeypatch.setattr(file_spans, "SPAN", size)
    if not shared:
        monkeypatch.setattr(prediction_reader, "begins_lines", lambda *_: False)
    assert len(set(decided)) == COUNT
    decided.clear()
    assert read_outputs(data, predictions, tmp_path) == usual
    assert len(set(decided)) < COUNT / 2


@pytest.mark.parametrize("most", [2, 4])
def test_where_there_are_many_kinds_each_row_is_judged(
    data, predictions, decided, tmp_path, monkeypatch, most
):
    usual = read_outputs(data, predictions, tmp_path)
    monkeypatch.setattr(row_equivalence, "MOST", most)
    decided.clear()
    assert read_outputs(data, predictions, tmp_path) == usual
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
    monkeypatch.setattr(verdict_table, "REMEMBERED", 0)
    decided.clear()
    score(data, [predictions])
    assert len(decided) > 2 * few


def kinds_of_tables(tmp_path, tables, decided_by):
    """Return what is found of tables, each a shard of a row group for every five rows."""
    found = []
    for number, table in enumerate(tables):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(table, path, row_group_size=5)
        sizes = [pq.read_metadata(path).row_group(n).num_rows for n in range(-(-len(table) // 5))]
        groups, names = tuple(range(len(sizes))), tuple(table.schema.names)
        found.append(find_kinds(RowGroupSpan(path, groups, tuple(sizes), names), decided_by))
    return found


def test_kinds_are_told_apart_by_all_columns_that_decide(tmp_path):
    values = [["a", "b"], ["a,b"], ['a","b'], [], None, ["a", "b"], [""], ["a", None]]
    columns = {"values": values * 3, "numbers": pa.array([1, 1, 1, 1, 1, 2, 1, 1] * 3, pa.int8())}
    table = pa.table(columns | {"id": [f"row {number}" for number in range(24)]})
    pieces = kinds_of_tables(tmp_path, [table[:11], table[11:]], ("values", "numbers"))
    found = join_kinds(pieces, tmp_path / "kinds")
    assert found.kind_codes.tolist() == [*range(8)] * 3
    assert found.kind_codes.dtype == np.uint16
    examples = found.examples.iterate_rows(np.arange(found.examples.count))
    assert list(examples) == table[:8].to_pylist()


def test_the_example_of_a_kind_is_its_first_row(tmp_path):
    kinds_of_rows = [0, 0, 0, 0, 1, 1, 2, 1, 0, 0, 0, 0, 3, 0, 2, 4, 1, 5, 5, 0]
    table = pa.table({"kind": kinds_of_rows, "id": [*map(str, range(20))]})
    pieces = kinds_of_tables(tmp_path, [table[:7], table[7:14], table[14:]], ("kind",))
    found = join_kinds(pieces, tmp_path / "kinds")
    assert found.kind_codes.tolist() == kinds_of_rows
    wanted = np.array([1, 2, 3, 5])
    told = [(row["kind"], row["id"]) for row in found.examples.iterate_rows(wanted)]
    assert told == [(1, "4"), (2, "6"), (3, "12"), (5, "17")]


def test_rows_of_too_many_kinds_have_none(tmp_path, monkeypatch):
    monkeypatch.setattr(row_equivalence, "MOST", 5)
    tables = [pa.table({"value": [*range(first, first + 4)]}) for first in (0, 4)]
    pieces = kinds_of_tables(tmp_path, tables, ("value",))
    assert pieces[0][0].names is not None
    assert join_kinds(pieces, tmp_path / "kinds") is None
    assert join_kinds(pieces[:1] * 2, tmp_path / "kinds").examples.count == 4
    many = kinds_of_tables(tmp_path, [pa.table({"value": [*range(6)]})], ("value",))
    assert many[0][0].names is None and join_kinds(many, tmp_path / "kinds") is None


def test_rows_are_packed_once_one_of_them_is_judged_by_itself(
    data, jsonl, decided, tmp_path, monkeypatch
):
    packed = []
    monkeypatch.setattr(
        scored_dataset,
        "pack_span",
        lambda *job: packed.append(job) or column_cache.pack_span(*job),
    )
    said = "A: increase\nB: decrease\nC: increase\nD: decrease"
    plain = [{"id": f"toy.classes/d01/{0:06d}", "prediction": said, "sample_idx": 0}]
    found = score(data, [jsonl(plain)], replies=tmp_path / "replies")
    # The right labels of the rows without a prediction are those of their kinds.
    write_items(found.populations, tmp_path / "items")
    golds = pq.read_table(tmp_path / "items")["gold_labels"].to_pylist()
    effects = [["INCREASE", "DECREASE"], ["DECREASE", "INCREASE"], ["NO_CHANGE"] * 2]
    assert golds == [2 * one for one in effects * 4]
    assert not packed
    told = plain[0] | {"sample_idx": 1, "usage": {"completion_tokens": 7}}
    score(data, [jsonl([*plain, told])])
    assert len(packed) == 1
