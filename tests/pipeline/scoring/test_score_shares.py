"""Shares: where a file is cut, and whether it is cut at all, changes nothing that is written."""

from __future__ import annotations

import json
import random
from functools import partial

import pyarrow.parquet as pq
import pytest

from facelet.pipeline.scoring.grade import outcome_store
from facelet.pipeline.scoring.ingest import file_spans, ingest_limits, prediction_reader
from facelet.pipeline.scoring.ingest.dataset_match import Contradiction
from facelet.pipeline.scoring.ingest.json_stream import SimpleLines
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score


@pytest.fixture
def data(publish, letter_rows):
    """A dataset of two tasks."""
    return publish({"toy/letters": letter_rows(4), "toy/yes_no": [{"truth": True}] * 9})


def plain_record(number, **more):
    said = {"id": f"toy.yes_no/d01/{number % 9:06d}", "prediction": f"Answer: Yes {number}"}
    return json.dumps({**said, "model": f"m{number % 2}", "sample_idx": number // 9, **more})


ODD = {
    "broken": '{"id": "toy.letters',
    "broken over lines": '{"id": "toy.letters/d01/000001",\n  "prediction":\n  oops\n}',
    "over lines": '{\n "id": "toy.yes_no/d01/000001",\n "prediction": "Answer: Yes"\n}',
    "blank": "\n \n",
    "closer": "]}",
    "a list": '[{"id": "toy.yes_no/d01/000002", "prediction": "Answer: No"}]',
    "a number": "17",
    "not UTF-8": '{"id": "\udcff"}',
    "unknown": '{"id": "no/such/000001", "prediction": "A"}',
    "no prediction": '{"id": "toy.yes_no/d01/000003"}',
    "no model": '{"id": "toy.yes_no/d01/000004", "error": "overloaded"}',
    "settings": plain_record(3, settings={"temperature": 1}),
    "cut": '{"id": "toy.yes_no/d01/000005", "prediction": "',
}

NEAR = {
    "escapes": plain_record(5, prediction='\u00e9 "Answer:\n\\u0041 No" \ud800 \x7f'),
    "a broken escape": plain_record(5).replace("Yes", "\\x Yes"),
    "half a sign": plain_record(6).replace("Yes", "\\ud83d Yes"),
    "other blanks": plain_record(7).replace(": ", " : "),
    "no blanks": json.dumps(json.loads(plain_record(8)), separators=(",", ":")),
    "raw signs": plain_record(9).replace("Yes", "Yes \u00e9\u2028"),
    "a key twice": plain_record(10).replace("{", '{"id": "toy.yes_no/d01/000001", '),
    "a tab": plain_record(11).replace("Yes", "\t"),
    "a return": plain_record(12) + "\r",
    "another order": json.dumps(dict(reversed(json.loads(plain_record(13)).items()))),
    "a long id": plain_record(14, id="a" * 201),
    "no name": plain_record(15, model=""),
    "another model": plain_record(16, model="m2"),
    "an escaped id": plain_record(17).replace("toy", "t\\u006fy"),
    "a large number": plain_record(18, sample_idx=2**31),
    "zeros": plain_record(19).replace('_idx": ', '_idx": 0'),
    "another spelling": plain_record(20).replace("toy.yes_no/", "toy-yes_no-"),
    "a long reply": plain_record(21, prediction="Answer: No " * 4000),
    "a bare number": plain_record(22, prediction=7),
    "nothing": plain_record(23, prediction=""),
}
"""What is nearly of the plainest form, or is."""

FAR = {"a scar": [ODD["broken"], ODD["closer"]], "lists": ['[{"id": 1}, 2]']}
"""What stands far apart: a broken value and what closes nothing; lists, whose elements count on."""


def read_outputs(data, path, where):
    replies = where / "replies"
    how = ScoreSettings(model="no name", duplicates="first")
    scores = score(data, [path], how, replies=replies)
    write_items(scores.populations, where / "items")
    tables = [pq.read_table(where / name).to_pylist() for name in ("items", "replies")]
    return scores.results, tables


def compare_shares(data, path, where, monkeypatch, size):
    """Return what is written of a file as a whole, and in shares of so many bytes."""
    with monkeypatch.context() as patch:
        patch.setattr(prediction_reader, "begins_lines", lambda *_: False)
        usual = read_outputs(data, path, where)
    monkeypatch.setattr(file_spans, "SPAN", size)
    return usual, read_outputs(data, path, where)


@pytest.mark.some(3)
@pytest.mark.parametrize("size", [400, 1500, 1 << 20])
@pytest.mark.parametrize("odd", [*ODD, *FAR, "all", "near"])
def test_shares_change_no_result(odd, size, data, tmp_path, monkeypatch):
    rng = random.Random(odd)
    lines = [plain_record(number) for number in range(90)]
    for name, line in ODD.items():
        if odd in (name, "all"):
            for _ in range(1 if odd == "all" else 2):
                lines.insert(rng.randrange(30, len(lines)), line)
    if odd == "near":
        lines[20:20] = [line for one in NEAR.values() for line in (one, plain_record(17))]
    if odd == "cut":
        lines.append(ODD[odd])
    if odd in FAR:
        lines = [*lines[:10], FAR[odd][0], *lines[10:], FAR[odd][-1], plain_record(95)]
    path = tmp_path / "predictions.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    usual, shared = compare_shares(data, path, tmp_path, monkeypatch, size)
    assert shared == usual


def test_lines_of_the_plainest_form_are_read_at_once(data, tmp_path, monkeypatch):
    taken = []
    original = SimpleLines.take

    def take_lines(self, place):
        lines, end = original(self, place)
        taken.append(len(lines))
        return lines, end

    monkeypatch.setattr(SimpleLines, "take", take_lines)
    path = tmp_path / "predictions.jsonl"
    for write in (json.dumps, partial(json.dumps, separators=(",", ":"))):
        taken.clear()
        lines = [write(json.loads(plain_record(number))) for number in range(90)]
        path.write_text("\n".join([*lines[:40], ODD["no prediction"], *lines[40:], ""]))
        score(data, [path])
        assert sum(taken) == 90
        assert len(taken) == 3  # One of them for the line that is not simple.


def test_plain_files_are_read_in_shares(data, tmp_path, monkeypatch):
    shares = []
    original = outcome_store.OutcomeStore.add_share
    monkeypatch.setattr(outcome_store.OutcomeStore, "add_prediction", None)
    monkeypatch.setattr(
        outcome_store.OutcomeStore,
        "add_share",
        lambda self, one: shares.append(one) or original(self, one),
    )
    monkeypatch.setattr(file_spans, "SPAN", 1000)
    lines = [plain_record(number) for number in range(90)] + [
        ODD["broken"],
        ODD["unknown"],
        plain_record(91),
    ]
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(lines))
    found = score(data, [path]).results["inputs"][0]
    assert len(shares) > 5
    assert shares[-1].span.end == path.stat().st_size
    assert (found["predictions"], found["broken"], found["unknown_ids"]) == (91, 1, 1)
    assert found["broken_examples"][0]["line"] == 91


def test_reading_ends_where_it_would(data, tmp_path, monkeypatch):
    for module in (ingest_limits, prediction_reader):
        if hasattr(module, "USELESS"):
            monkeypatch.setattr(module, "USELESS", 20)
    monkeypatch.setattr("facelet.pipeline.scoring.ingest.file_report.USELESS", 20)
    lines = (
        [plain_record(number) for number in range(10)]
        + [ODD["broken"]] * 40
        + [plain_record(11)] * 50
    )
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(lines))
    usual, shared = compare_shares(data, path, tmp_path, monkeypatch, 500)
    assert shared == usual
    assert "reading stopped: 20" in usual[0]["inputs"][0]["stopped"]


def test_a_file_of_another_build_is_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(file_spans, "SPAN", 500)
    path = tmp_path / "predictions.jsonl"
    lines = [
        *map(plain_record, range(50)),
        plain_record(50, content_hash="0" * 32),
        *map(plain_record, range(51, 80)),
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(Contradiction, match="content hash 000"):
        score(data, [path])
