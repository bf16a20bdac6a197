"""Reading files: containers, broken places, and what is found where."""

from __future__ import annotations

import gzip
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.scoring.ingest.file_reader import find_files, read_records
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

RECORDS = [{"id": f"r{i}", "prediction": "A"} for i in range(3)]
LINES = b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)


def read_values(path):
    return [located.value for located in read_records(path)]


def save(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        LINES.rstrip(b"\n"),
        b"\xef\xbb\xbf" + LINES,
        LINES.replace(b"\n", b"\r\n"),
        b"\n\n" + LINES.replace(b"\n", b"\n  \n"),
        json.dumps(RECORDS).encode(),
        b"\xef\xbb\xbf" + json.dumps(RECORDS, indent=2).encode(),
        gzip.compress(LINES),
        gzip.compress(json.dumps(RECORDS, indent=2).encode()),
    ],
    ids=["lines", "no last newline", "bom", "crlf", "blanks", "list", "indented", "gz", "gz list"],
)
def test_containers_are_told_by_content(tmp_path, data):
    assert read_values(save(tmp_path, "anything.txt", data)) == RECORDS


def test_one_record_as_a_document(tmp_path):
    path = save(tmp_path, "one.json", json.dumps(RECORDS[0], indent=2).encode())
    assert read_values(path) == RECORDS[:1]


def test_an_empty_file_holds_nothing(tmp_path):
    assert read_values(save(tmp_path, "empty.jsonl", b"")) == []
    assert read_values(save(tmp_path, "blank.jsonl", b" \n\n")) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "r0", "prediction": "A"', "not valid JSON"),
        (b"id,prediction", "not valid JSON"),
        (b"\xff\xfe{\x00", "not UTF-8: byte 0xff at offset 0"),
        (b'{"id": "\xe9"}', "not UTF-8: byte 0xe9"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b'{"id": "x" "y"}', "not valid JSON"),
    ],
    ids=["cut", "csv", "utf-16", "latin-1", "deep lists", "deep objects", "comma"],
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_broken_line_costs_that_line_only(tmp_path, line, reason, place):
    lines = LINES.splitlines()
    lines.insert(place, line)
    found = list(read_records(save(tmp_path, "p.jsonl", b"\n".join(lines))))
    assert [item.value for item in found if not isinstance(item.value, UnreadableRecord)] == RECORDS
    (broken,) = [item for item in found if isinstance(item.value, UnreadableRecord)]
    assert (broken.unit, broken.number) == ("line", place + 1)
    assert reason in str(broken.value)


def test_numbers_that_json_does_not_have_are_read(tmp_path):
    (value,) = read_values(save(tmp_path, "p.jsonl", b'{"id": "x", "p": [NaN, Infinity, 1e999]}\n'))
    assert value["id"] == "x"


def test_a_line_that_is_too_long_is_not_held(tmp_path):
    long = b'{"id": "' + b"x" * (5 << 20) + b'"}\n'
    found = list(
        read_records(save(tmp_path, "p.jsonl", LINES + long + LINES + long[:-1]), IngestLimits(1))
    )
    assert [item.number for item in found if isinstance(item.value, UnreadableRecord)] == [4, 8]
    assert "longer than 1 MiB (record_mb=1)" in str(found[3].value)
    assert [item.value for item in found if isinstance(item.value, dict)] == RECORDS * 2


def test_a_gzip_file_that_breaks_off(tmp_path):
    many = b"".join(json.dumps({"id": f"r{i}", "x": i**9}).encode() + b"\n" for i in range(9999))
    whole = gzip.compress(many)
    found = list(read_records(save(tmp_path, "p.jsonl.gz", whole[: len(whole) // 2])))
    assert len(found) > 100
    assert "breaks off" in str(found[-1].value)
    assert all(isinstance(item.value, dict) for item in found[:-2])
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 255
    assert "breaks off" in str(
        list(read_records(save(tmp_path, "q.jsonl.gz", bytes(damaged))))[-1].value
    )


SAMPLES = [
    {"id": f"r{i}", "epoch": 1, "output": {"completion": "A"}, "messages": []} for i in range(2)
]
LOG = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": SAMPLES}


@pytest.mark.parametrize("indent", [None, 2])
def test_an_inspect_log_yields_its_samples_and_their_model(tmp_path, indent):
    path = save(tmp_path, "log.json", json.dumps(LOG, indent=indent).encode())
    assert read_values(path) == [{**sample, "model": "m"} for sample in SAMPLES]


def test_an_inspect_log_without_samples_says_so(tmp_path):
    log = {key: value for key, value in LOG.items() if key != "samples"}
    (value,) = read_values(save(tmp_path, "log.json", json.dumps(log).encode()))
    assert "without samples" in str(value)


def write_zip(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("header", ["header.json", "_journal/start.json"])
def test_a_zipped_inspect_log(tmp_path, header):
    members = {header: json.dumps({"eval": {"model": "m"}})}
    members |= {f"samples/{s['id']}_epoch_1.json": json.dumps(s) for s in SAMPLES}
    members["summaries.json"] = "[]"
    path = write_zip(tmp_path / "log.eval", members)
    assert read_values(path) == [{**sample, "model": "m"} for sample in SAMPLES]


def test_a_zipped_log_with_a_broken_sample_and_one_without_any(tmp_path):
    members = {"samples/a.json": "{", "samples/b.json": json.dumps(SAMPLES[0])}
    broken, whole = read_values(write_zip(tmp_path / "log.eval", members))
    assert "not valid JSON" in str(broken) and whole == SAMPLES[0]
    (value,) = read_values(write_zip(tmp_path / "other.eval", {"readme.txt": "hello"}))
    assert "without inspect_ai samples" in str(value)


def test_a_zip_that_breaks_off_or_uses_an_unknown_compression(tmp_path):
    path = write_zip(tmp_path / "log.eval", {"samples/a.json": json.dumps(SAMPLES[0])})
    data = path.read_bytes()
    assert "breaks off" in str(read_values(save(tmp_path, "cut.eval", data[:40]))[0])
    local, central = data.index(b"PK\x03\x04") + 8, data.index(b"PK\x01\x02") + 10
    other = bytearray(data)
    other[local : local + 2] = other[central : central + 2] = (97).to_bytes(2, "little")
    (value,) = read_values(save(tmp_path, "wavpack.eval", bytes(other)))
    assert "compression method is not supported" in str(value)


def test_parquet(tmp_path):
    path = tmp_path / "p.parquet"
    pq.write_table(pa.Table.from_pylist([{**r, "model": None} for r in RECORDS]), path)
    assert [{k: v for k, v in r.items() if k != "model"} for r in read_values(path)] == RECORDS
    data = path.read_bytes()
    assert "breaks off" in str(read_values(save(tmp_path, "cut.parquet", data[:-30]))[-1])


def test_find(tmp_path):
    names = [
        "a.jsonl",
        "b.json",
        "sub/c.jsonl.gz",
        "sub/d.eval",
        "sub/notes.md",
        "out/items.parquet",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def find_names(spec, without=None):
        return [path.relative_to(tmp_path).as_posix() for path in find_files(spec, without)]

    assert find_names(str(tmp_path), tmp_path / "out") == names[:4]
    assert find_names(f"{tmp_path}/*.json*") == names[:2]
    assert find_names(f"{tmp_path}/**/*.eval") == ["sub/d.eval"]
    # The order that the caller chose counts, each file once.
    assert find_names(f"{tmp_path}/b.json, {tmp_path}/a.jsonl,{tmp_path}/*.json*") == [
        "b.json",
        "a.jsonl",
    ]
    comma = tmp_path / "x,y.jsonl"
    comma.touch()
    assert find_names(str(comma)) == ["x,y.jsonl"]
    for spec, reason in [
        (f"{tmp_path}/none.jsonl", "names no file"),
        (f"{tmp_path}/a.jsonl,", "names no file"),
        ("", "names no file"),
    ]:
        with pytest.raises(ValueError, match=reason):
            find_files(spec)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="contains no file that ends in"):
        find_files(str(tmp_path / "empty"))
