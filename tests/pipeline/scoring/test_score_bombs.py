"""Small files that unpack or parse to much: reading ends with a line, in little memory."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import tracemalloc
import zipfile
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import score_verb as cli

from facelet.pipeline.scoring.grade.grader import grade_predictions
from facelet.pipeline.scoring.ingest import file_report
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import count_values
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.ingest.prediction_reader import ingest_files
from facelet.pipeline.scoring.scored_dataset import open_dataset

TIME = "facelet.pipeline.scoring.ingest.ingest_limits.time"

SCORE = """
import re, resource, sys, time
from pathlib import Path
from facelet.pipeline.cli import main
resource.setrlimit(resource.RLIMIT_AS, (2_500_000_000,) * 2)
start = time.process_time()
code = main(["score", *sys.argv[1:]])
# ru_maxrss would be the peak of the process that started this one, where that is greater
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
print(code, time.process_time() - start, peak)
"""


def pack_gzip(piece: bytes, size: int, first: bytes = b"[", last: bytes = b"]") -> bytes:
    """Return a gzip file of a list of so many bytes that repeats a piece."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as file:
        file.write(first)
        block = piece * (1_000_000 // len(piece))
        for _ in range(size // len(block)):
            file.write(block)
        file.write(piece.rstrip(b",") + last)
    return out.getvalue()


ONE = b'{"id": "x", "prediction": "A", "more": '
BOMBS = {
    "objects": (b"{},", b"[", b"]"),
    "lists": (b"[],", b"[", b"]"),
    "numbers": (b"1,", b"[", b"]"),
    "blanks": (b" ", b"[", b"1]"),
    "inside a record": (b"[],", b"[" + ONE + b"[", b"]}]"),
    "inside one record": (b"{},", b"{\n" + ONE[1:] + b"[", b"]}"),
    "inside a line": (b"[],", ONE + b"[", b"]}\n"),
    "one text": (b"x", b'[{"id": "', b'"}]'),
    "texts": (b'"xy",', b"[", b"]"),
    "lines": (b"{}\n", b"{}\n", b""),
    "keys": (b'"xy":1,', b'[{"id": 1,', b'"x":1}]'),
}


def check_one_line(data, path, tmp_path):
    words = [f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]
    done = subprocess.run([sys.executable, "-c", SCORE, *words], capture_output=True, text=True)
    code, seconds, peak = map(float, done.stdout.split())
    assert code == 1 and "Traceback" not in done.stderr
    assert "no prediction names a row of this dataset" in done.stderr
    assert peak < 1e9, peak
    assert seconds < 30, seconds  # 10 on an idle machine


SOME = ("lines", "one text", "inside a record")


def mark_slow(names, some):
    """Return the names, those as slow tests that are not among some."""
    return [name if name in some else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", mark_slow(BOMBS, SOME))
@pytest.mark.some(3)
def test_a_bomb_ends_with_a_line(publish, letter_rows, tmp_path, name):
    data = publish({"toy/letters": letter_rows(2)})
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(pack_gzip(*BOMBS[name][:1], 120_000_000, *BOMBS[name][1:]))
    assert path.stat().st_size < 3_000_000
    check_one_line(data, path, tmp_path)


def find_predictions(data: bytes, tmp_path, record_mb: int = 1):
    path = tmp_path / "p.json"
    path.write_bytes(data)
    return list(read_records(path, IngestLimits(record_mb)))


def test_the_error_names_the_limit(tmp_path):
    (line,) = find_predictions(ONE + b"[" + b"1," * 40_000 + b"1]}", tmp_path)
    assert isinstance(line.value, UnreadableRecord) or line.value["id"] == "x"
    many = b"[" + b"[]," * 600_000 + b"[]]"
    (line,) = find_predictions(
        b'{"id": "x", "prediction": "' + b"x" * (3 << 20) + b'"}\n', tmp_path
    )
    assert "longer than 1 MiB (record_mb=1)" in str(line.value)
    (line,) = find_predictions(b'{"id": "x", "prediction": ' + many + b"}\n", tmp_path, 2)
    assert "values; a record may contain 65,536 (record_mb=2)" in str(line.value)
    first, second = find_predictions(b'[{"id": "a"}, {"id": "b", "x": ' + many + b"}]", tmp_path, 4)
    assert first.value == {"id": "a"} and "a record may contain 131,072" in str(second.value)
    assert "reading goes on at the next line" in str(second.value)


def test_zip_members_that_unpack_to_much_stop_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("facelet.pipeline.scoring.ingest.ingest_limits.UNPACKED_FREE", 3 << 20)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            archive.writestr(f"samples/{number}.json", b" " * (1 << 19))
    lines = list(read_records(path, IngestLimits(1)))
    assert len(lines) < 40
    assert "MiB, more than 300 times its size" in str(lines[-1].value)


def test_a_zip_with_a_huge_table_of_contents_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("facelet.pipeline.scoring.ingest.archives.MEMBERS", 1000)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(40):
            archive.writestr(f"samples/{number}.json", b"{}")
    (line,) = read_records(path)
    assert "table of contents" in str(line.value)


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda data: pa.compress(data, "zstd", asbytes=True)]
)
def test_a_packed_text_that_unpacks_to_much_stops(tmp_path, monkeypatch, pack):
    monkeypatch.setattr("facelet.pipeline.scoring.ingest.ingest_limits.UNPACKED_FREE", 1 << 20)
    line = json.dumps({"id": "x", "prediction": "A" * 5000}).encode() + b"\n"
    path = tmp_path / "p.jsonl.packed"
    path.write_bytes(pack(line * 20_000))
    lines = list(read_records(path))
    assert 10 < len(lines) < 20_000 and lines[0].value["id"] == "x"
    assert "times its size; unpack it first if it is meant to be so large" in str(lines[-1].value)


def test_a_long_list_is_read_one_element_at_a_time(tmp_path):
    record = {"id": "x" * 50, "prediction": 'a "quoted" [text], {so}\n' * 9, "n": [1, 2.5, None]}
    path = tmp_path / "p.json"
    with path.open("w") as file:
        file.write("[\n")
        file.writelines(repeat(json.dumps(record, indent=1) + ",\n", 60_000))
        file.write(json.dumps(record) + "]\n")
    assert path.stat().st_size > 12_000_000
    tracemalloc.start()
    count = 0
    for located in read_records(path, IngestLimits(1)):
        count += 1
        assert located.value == record
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 60_001
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("text", "count"),
    [("{}", 1), ("[]", 2), ("[1,2]", 3), ('{"a": [1, "x,[{"], "b\\"": 2}', 5), ('["a,b', 2)],
)
def test_values_are_counted_outside_of_texts(text, count):
    assert count_values(text) in (count, count + 1)


def write_parquet(table, path, **how):
    pq.write_table(table, path, **how)
    return path


TEXT = "x" * 10_000_000


def make_coded(text, count):
    """Return an array of one text, many times, in the memory of one."""
    return pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), pa.array([text]))


def lists(values, each):
    return pa.ListArray.from_arrays(np.arange(0, len(values) + 1, each, np.int32), values)


PARQUET_BOMBS = {
    "one text in every row": (lambda: {"prediction": make_coded(TEXT, 2000)}, {}),
    "texts in a list": (lambda: {"prediction": lists(make_coded(TEXT[:1_000_000], 2000), 5)}, {}),
    "texts that begin alike": (
        lambda: {"prediction": pa.array([TEXT] * 12)},
        {"use_dictionary": False, "column_encoding": {"prediction": "DELTA_BYTE_ARRAY"}},
    ),
    "a long list": (lambda: {"prediction": lists(np.zeros(30_000_000, np.int8), 30_000_000)}, {}),
    "nothing, often": (lambda: {"more": np.zeros(60_000_000, np.int8)}, {}),
}


@pytest.mark.parametrize("name", mark_slow(PARQUET_BOMBS, ("one text in every row", "a long list")))
@pytest.mark.some(2)
def test_a_parquet_bomb_ends_with_a_line(publish, letter_rows, tmp_path, name):
    data = publish({"toy/letters": letter_rows(2)})
    table, how = PARQUET_BOMBS[name]
    path = write_parquet(pa.table(table()), tmp_path / "bomb.parquet", **how)
    assert path.stat().st_size < 12_000_000
    check_one_line(data, path, tmp_path)


def test_sizes_of_records_are_those_of_their_values(tmp_path):
    records = [
        {"id": "a", "prediction": ["x" * 400_000, None], "more": {"n": [1, 2], "m": "é"}},
        {"id": None, "prediction": None, "more": None},
        {"id": "b", "prediction": ["x" * 400_000, "y" * 700_000], "more": {"n": [], "m": "x"}},
        {"id": "c", "prediction": [], "more": {"n": None, "m": "y" * 2_000_000}},
        {"id": "d", "prediction": ["x" * 400_000] * 2, "more": {"n": [3], "m": None}},
    ]
    for how in ({}, {"row_group_size": 2}, {"use_dictionary": False}):
        path = write_parquet(pa.Table.from_pylist(records), tmp_path / "p.parquet", **how)
        found = [located.value for located in read_records(path, IngestLimits(1))]
        large = [isinstance(value, UnreadableRecord) for value in found]
        assert large == [False, False, True, True, False]
        kept = [r for r, is_large in zip(records, large, strict=True) if not is_large]
        assert [value for value in found if not isinstance(value, UnreadableRecord)] == kept
        assert "record_mb=1" in str(found[2])


SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
WORKBOOKS = {
    "cells": (b"<row>", b"<c/>", "more than 65,536 elements"),
    "rows": (b"", b"<row/>", "more than 65,536 elements"),
    "others": (b"", b"<x/>", "more than 65,536 elements"),
    "a tag": (b"<row ", b"a='' ", "unclosed token|not well-formed"),
    "depth": (b"", b"<a>", "nested too deeply"),
    "entities": (b"", b"", "declares a document type"),
}


@pytest.mark.parametrize("name", WORKBOOKS)
@pytest.mark.parametrize("member", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"])
@pytest.mark.some(3)
def test_workbooks_that_parse_to_much_end_with_a_line(tmp_path, name, member):
    begin, piece, reason = WORKBOOKS[name]
    sheet = SHEET + begin + piece * ((1 << 20) // max(len(piece), 1) - 100)
    if name == "entities":
        sheet = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>'
        sheet = sheet.encode("utf-16")
    parts = {"xl/workbook.xml": b"", "xl/worksheets/sheet1.xml": SHEET, member: sheet}
    path = tmp_path / "p.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    tracemalloc.start()
    for line in read_records(path, IngestLimits(1)):
        last = line.value
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(last, UnreadableRecord) and re.search(reason, str(last))
    assert peak < 12 << 20, peak


def test_a_tag_that_does_not_end_is_not_scanned_for_ever(tmp_path):
    path = tmp_path / "p.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"")
        archive.writestr("xl/worksheets/sheet1.xml", SHEET + b"<row a='" + b"x" * (30 << 20))
    (line,) = read_records(path, IngestLimits(32))
    assert "has a tag of more than 1 MiB" in str(line.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{}", "reading stopped: 5 of its first records are no predictions"),
        ('{"id": "x", "prediction": "A"}', "reading stopped: its first 7 predictions name no row"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_file_of_nothing_useful_is_left(publish, letter_rows, tmp_path, monkeypatch, line,
                                          reason, first):  # fmt: skip
    monkeypatch.setattr(file_report, "USELESS", 5)
    monkeypatch.setattr(file_report, "STRANGE", 7)
    data = open_dataset(publish({"toy/letters": letter_rows(2)}))
    known = json.dumps(
        {"id": next(iter(data.parts[0].read_column("id"))).as_py(), "prediction": "A"}
    )
    path = tmp_path / "p.jsonl"
    lines = [known] * 6 * first + [line] * 20
    path.write_text("\n".join(lines))
    if not first:
        with pytest.raises(ValueError, match=reason):
            grade_predictions(ingest_files(data, [path]))
        return
    taken = ingest_files(data, [path])
    grade_predictions(taken)
    (account,) = taken.accounts
    assert account.unknown + account.broken == (20 if account.unknown else 7)
    stopped = f"read in part; {reason.replace('5', '7')}"
    assert account.stopped == ("" if account.unknown else stopped)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_of_methods_that_unpack_a_block_at_once_are_refused(tmp_path, method):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("samples/0.json", b" " * (64 << 20))
    tracemalloc.start()
    (line,) = read_records(path, IngestLimits(1))
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()
    assert "pack it with deflate or zstd" in str(line.value)


def test_rows_that_repeat_in_no_space_are_bounded(publish, letter_rows, tmp_path, monkeypatch):
    monkeypatch.setattr("facelet.pipeline.scoring.ingest.ingest_limits.RECORDS_FREE", 2000)
    data = publish({"toy/letters": letter_rows(2)})
    path, count = tmp_path / "p.parquet", 500_000
    codes = pa.repeat(pa.scalar(0, pa.int32()), count)
    name = pa.DictionaryArray.from_arrays(codes, pa.array(["toy.letters/d01/000000"]))
    table = pa.table({"id": name, "prediction": pa.nulls(count, pa.string())})
    pq.write_table(table, path, row_group_size=count, max_rows_per_page=count)
    assert path.stat().st_size < 2000
    lines = list(read_records(path))
    assert len(lines) == 2001 and "more than 2,000 records" in str(lines[-1].value)
    results = cli.run_score([f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"])
    assert results == 1


@pytest.mark.parametrize("flood", [b"\n", b" \n", b"\t", b"\r\n"])
def test_a_flood_of_blanks_is_passed_in_bulk(tmp_path, flood):
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(pack_gzip(flood, 100_000_000, b'{"id": "a"}\n', b'\n{"id": "b"}\n'))
    assert [line.value for line in read_records(path)] == [{"id": "a"}, {"id": "b"}]


def test_a_reader_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    ticks = iter(range(0, 10_000, 7))
    monkeypatch.setattr(f"{TIME}.process_time", lambda: next(ticks))
    walls = iter(range(0, 1_000_000, 9))
    monkeypatch.setattr(f"{TIME}.perf_counter", lambda: next(walls))
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"id": "a"}\n' * 100)
    lines = list(read_records(path, IngestLimits(1, seconds=30)))
    assert len(lines) == 5, "four records of seven seconds each fit into thirty"
    assert "reading took more than 30 seconds" in str(lines[-1].value)
    assert isinstance(lines[-1].value, ReadStopped)
