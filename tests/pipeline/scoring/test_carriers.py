"""What carries replies may damage them: every damaged reply is named or refused."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow.parquet as pq
import pytest
import score_verb as cli

from facelet.pipeline.cli import main
from facelet.pipeline.scoring.ingest.csv_reader import damage_of
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score

LOGS = Path(__file__).parent / "logs"
COUNT = 6
IDS = [f"toy.letters/d{1 + k % 3:02d}/{k:06d}" for k in range(COUNT)]
QUICK = ScoreSettings(resamples=100, verify="no")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@pytest.fixture
def data(publish, letter_rows):
    return publish({"toy/letters": letter_rows(COUNT)})


def text_cell(text):
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def workbook(path, rows):
    """Write a workbook of rows of cells, each as XML."""
    cells = "".join(f"<row>{''.join(row)}</row>" for row in rows)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{MAIN}"/>')
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
        archive.writestr("xl/worksheets/sheet1.xml", sheet)


LONG = "I turn it. " * 3000 + "Answer: A"
HALVED = "\U0001f600" * 20_000 + "Answer: A"
SPELLED = "Réponse « A » Answer: A"

# What a workbook makes of a reply.
CELLS = {
    "cut": lambda: text_cell(LONG[:32767]),
    "cut in halves": lambda: text_cell(HALVED[:16383]),
    "formula": lambda: "<c><f>A1 is the answer</f></c>",
    "formula with an error": lambda: '<c t="e"><f>-A</f><v>#NAME?</v></c>',
    "formula with a value": lambda: "<c><f>1+1</f><v>2</v></c>",
    "error": lambda: '<c t="e"><v>#VALUE!</v></c>',
    "emptied": lambda: "<c/>",
    "truth value": lambda: '<c t="b"><v>1</v></c>',
    "number": lambda: "<c><v>7</v></c>",
    "recoded": lambda: text_cell(SPELLED.encode().decode("cp1252", "replace")),
    "recoded as latin-1": lambda: text_cell(SPELLED.encode().decode("latin-1")),
}

# What a save as CSV makes of one.
TEXTS = {
    "cut": lambda: LONG[:32767],
    "cut by another tool": lambda: ("x" * 60_000)[:50_000],
    "error": lambda: "#NAME?",
    "emptied": lambda: "",
    "truth value": lambda: "TRUE",
    "number": lambda: "7",
    "large number": lambda: "1.23457E+11",
    "date": lambda: "2-Jan",
    "other date": lambda: "01.02.2026",
    "recoded": lambda: SPELLED.encode().decode("cp1252", "replace"),
    "other encoding": lambda: SPELLED.encode("cp1252").decode("utf-8", "surrogateescape"),
    "replaced": lambda: SPELLED.encode("cp1252").decode("utf-8", "replace"),
}
GOOD = ["Answer: A", "I think 7 of 8, so B", "", "Réponse : C ❤", "D\nAnswer: D", "=> A", "#1: A"]


def damaged_file(path, rng):
    """Write a table some of whose replies are damaged, and return what was done to each row."""
    kinds = CELLS if path.suffix == ".xlsx" else TEXTS
    done = [rng.choice([*kinds, "", ""]) for _ in IDS]
    good = [rng.choice([text for text in GOOD if text]) for _ in IDS]
    if path.suffix == ".xlsx":
        rows = [[text_cell("index"), text_cell("note"), text_cell("prediction")]]
        rows += [
            [text_cell(key), "<c><v>3</v></c>", kinds[kind]() if kind else text_cell(text)]
            for key, kind, text in zip(IDS, done, good, strict=True)
        ]
        workbook(path, rows)
        return done
    table = io.StringIO()
    writer = csv.writer(table, delimiter="\t" if path.suffix == ".tsv" else ",")
    writer.writerow(["index", "note", "prediction"])
    for key, kind, text in zip(IDS, done, good, strict=True):
        writer.writerow([key, 3, kinds[kind]() if kind else text])
    path.write_bytes(table.getvalue().encode("utf-8", "surrogateescape"))
    return done


def check(data, folder, seed):
    rng = random.Random(seed)
    path = folder / f"t{seed}{rng.choice(['.xlsx', '.csv', '.tsv'])}"
    done = damaged_file(path, rng)
    scores = score(data, [path], QUICK)
    (account,) = scores.results["inputs"]
    assert account["ledger"]["read"] == COUNT
    write_items(scores.populations, folder / "items.parquet")
    items = {one["id"]: one for one in pq.read_table(folder / "items.parquet").to_pylist()}
    refused = {one["row"] for one in account["broken_examples"]}
    named = {one["row"] for one in account["damaged_examples"]}
    for number, (key, kind) in enumerate(zip(IDS, done, strict=True), 1):
        marked = items[key]["replies_damaged"] == 1
        assert (number in refused) != (items[key]["status"] != "missing"), (seed, kind)
        assert (number in named) == marked
        assert bool(kind) == (marked or number in refused), (seed, kind)
    flagged = account["ledger"]["flags"]["carrier_damaged"]
    assert flagged == len(named) and flagged + len(refused) == sum(map(bool, done))
    assert flagged == 0 or f"{flagged} possibly damaged" in markdown.render_summary(scores.results)
    return set(done)


def test_every_damaged_reply_is_named_or_refused(data, tmp_path):
    seen = set().union(*(check(data, tmp_path, seed) for seed in range(40)))
    assert seen == {"", *CELLS, *TEXTS}


@pytest.mark.slow
def test_every_damaged_reply_of_a_thousand_tables_is_named_or_refused(data, tmp_path):
    for seed in range(1000, 2000):
        check(data, tmp_path, seed)


def test_what_tables_carry_well_is_not_marked():
    assert not any(map(damage_of, (text for text in GOOD if text)))
    assert not damage_of("x" * 40_000), "a longer text was not cut at the size of a cell"


def test_other_encodings_are_refused_with_what_was_tried(data, tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes(f"id,prediction\n{IDS[0]},Répons A\n{IDS[1]},Answer: B\n".encode("cp1252"))
    (account,) = score(data, [path], QUICK).results["inputs"]
    (broken,) = account["broken_examples"]
    assert broken["row"] == 1 and "byte 0xe9; UTF-8 was tried, with and without" in broken["reason"]
    assert account["ledger"]["dispositions"]["graded"] == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
@pytest.mark.parametrize("behind", [False, True])
def test_a_log_that_breaks_off_gives_up_every_whole_sample(tmp_path, method, behind):
    raw, whole = (LOGS / "inspect.eval").read_bytes(), tmp_path / "whole.eval"
    samples = [{"id": f"r{k}", "epoch": 1, "output": {"completion": "A" * k}} for k in range(8)]
    if method == 93:
        whole.write_bytes(raw)
        samples = [located.value for located in read_records(whole)]
    else:
        # A stream that cannot be sought has the sizes behind each member.
        with whole.open("wb") as file:
            stream = Unseekable(file) if behind else file
            with zipfile.ZipFile(stream, "w", method) as archive:
                archive.writestr("_journal/start.json", json.dumps({"eval": {"model": "m"}}))
                for sample in samples:
                    archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        samples = [{**sample, "model": "m"} for sample in samples]
        raw = whole.read_bytes()
    with zipfile.ZipFile(whole) as archive:
        starts = [info.header_offset for info in archive.infolist()]
        starts.append(archive.start_dir)
        names = archive.namelist()
    ends = [end for name, end in zip(names, starts[1:], strict=True) if name.startswith("samples/")]
    path = tmp_path / "cut.eval"
    for cut in [*ends, ends[0] - 3, ends[-1] + 30, (ends[0] + ends[-1]) // 2]:
        path.write_bytes(raw[:cut])
        *found, last = read_records(path)
        count = sum(end <= cut for end in ends)
        values = [one.value for one in found if not isinstance(one.value, UnreadableRecord)]
        plain = [{k: v for k, v in one.items() if k != "model"} for one in values]
        assert plain == [{k: v for k, v in one.items() if k != "model"} for one in samples[:count]]
        assert "no table of contents" in str(last.value) or not count


class Unseekable:
    def __init__(self, file):
        self._file = file

    def write(self, data):
        return self._file.write(data)

    def flush(self):
        self._file.flush()


def test_a_damaged_log_is_scored_when_partial_input_is_accepted(data, tmp_path):
    path, out = tmp_path / "log.eval", tmp_path / "out"
    raw = (LOGS / "inspect.eval").read_bytes()
    path.write_bytes(raw[: raw.rindex(b"PK\x01\x02")])
    words = [f"dataset={data}", f"predictions={path}", f"out={out}", "resamples=100"]
    assert cli.run_score(words) == 1
    assert cli.run_score([*words, "partial=accept"]) == 0
    results = json.loads((out / "results.json").read_text())
    assert results["inputs"][0]["predictions"] == 3


SENTENCES = [
    "Failed to obtain answer via API.",
    "Failed to obtain answer via API. Answer: A",
    "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
    "openai.RateLimitError: Error code: 429",
    "litellm.ServiceUnavailableError: overloaded",
    "503 Service Unavailable",
    "HTTP 502 Bad Gateway",
    "Request timed out.",
    "Connection error.",
    "[API ERROR] no reply",
    "<!DOCTYPE html><html><head><title>502</title></head></html>",
    '{"error": {"message": "overloaded", "type": "server_error"}}',
]


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_a_failure_told_as_a_sentence_is_no_reply(data, tmp_path, text, suffix):
    path = tmp_path / f"p{suffix}"
    if suffix == ".jsonl":
        path.write_text(
            json.dumps({"id": IDS[0], "prediction": text, "finish_reason": "stop"}) + "\n"
        )
        path.write_text(path.read_text() + json.dumps({"id": IDS[1], "prediction": text}) + "\n")
    else:
        table = io.StringIO()
        csv.writer(table).writerows([["id", "prediction"], [IDS[0], text], [IDS[1], text]])
        path.write_text(table.getvalue())
    results = score(data, [path], QUICK).results
    assert results["ledger"]["dispositions"]["api_error"] == 2
    assert results["models"][0]["replies"]["replies"] == 0


TOLD = [
    {"prediction": "", "status": "failed"},
    {"prediction": None, "status_code": 503},
    {"prediction": "", "finish_reason": "error"},
    {"prediction": "Answer: A", "error": {"message": "late"}},
]
NOT_TOLD = [
    {"prediction": "Answer: A", "error": float("nan")},
    {"prediction": "Answer: A", "error": "None", "status": "completed", "status_code": 200},
    {"prediction": "An error code: 429 is shown. Answer: A", "finish_reason": "error"},
    {"prediction": "Answer: A; 503 Service Unavailable"},
]


def test_failures_told_as_a_status_or_an_error_object(data, jsonl):
    for records, name in ((TOLD, "api_error"), (NOT_TOLD, "graded")):
        path = jsonl({"id": key, **one} for key, one in zip(IDS, records, strict=False))
        found = score(data, [path], QUICK).results["ledger"]["dispositions"]
        assert found[name] == 4, name


def test_huge_integers_in_unused_fields_cost_nothing(data, tmp_path):
    path = tmp_path / "p.json"
    record = json.dumps({"id": IDS[0], "prediction": "Answer: A", "seed": 0})
    huge = record.replace('"seed": 0', f'"seed": {"9" * 9000}')
    for text in (huge, f"[{huge}]", huge.replace(", ", ",\n")):
        path.write_text(text)
        found = score(data, [path], QUICK).results["ledger"]["dispositions"]
        assert found["graded"] == found["graded"] + found["malformed"] == 1


def test_ids_inside_a_json_string(data, jsonl):
    record = {"example_id": 0, "info": json.dumps({"id": IDS[0]}), "completion": "Answer: A"}
    results = score(data, [jsonl([record])], QUICK).results
    assert results["ledger"]["dispositions"]["graded"] == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_name_that_a_terminal_cannot_show(data, jsonl, tmp_path, monkeypatch, encoding):
    path = jsonl({"id": key, "model": "Qwen-\u5343\u95ee", "prediction": "A"} for key in IDS)
    words = [f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out", "resamples=100"]
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "argv", ["facelet", "score", *words])
    monkeypatch.setattr(sys, "stdout", stream)
    assert main() == 0
    stream.flush()
    assert b"Qwen-\\u5343\\u95ee" in stream.buffer.getvalue()


def test_scores_do_not_go_into_the_cache_of_the_hub(data, jsonl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snapshot = tmp_path / "hub" / "datasets--me--toys" / "snapshots" / ("0" * 40)
    snapshot.parent.mkdir(parents=True)
    data.rename(snapshot)
    path = jsonl([{"id": key, "prediction": "A"} for key in IDS])
    assert cli.run_score([f"dataset={snapshot}", f"predictions={path}", "resamples=100"]) == 0
    assert [one.name for one in snapshot.parent.iterdir()] == ["0" * 40]
    assert (tmp_path / "data" / "out" / "toys.score" / "run-0001" / "results.json").is_file()
