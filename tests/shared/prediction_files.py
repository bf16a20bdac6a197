"""Prediction files of every form, packing and damage, with the records that a reader owes.

`make_file(seed, number)` is always the same file. What is owed is known by construction: a record
is valid if it is whole; a damage costs what it touches, and in a list or table what follows it.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from dataclasses import dataclass
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

MEBI = 1 << 20


@dataclass(frozen=True)
class MadeFile:
    """A file.

    Attributes:
        name: what it is, for messages.
        data: its bytes.
        owed: ids of the records that must be read, in their order.
        others: ids of records that may be read besides, as nobody can say whether they are whole.
        part: whether the reader must say that it read in part; None where both is right.
    """

    name: str
    data: bytes
    owed_records: tuple[str, ...]
    other_records: tuple[str, ...] = ()
    part: bool | None = False


def record_ids(records: list[dict]) -> tuple[str, ...]:
    return tuple(record.get("id") or record["custom_id"] for record in records)


def draw_filling(rng: random.Random, size: int) -> str:
    """Return a reply of about so many bytes, now and then with signs that JSON escapes."""
    piece = rng.choice(["word ", 'say "yes" ', "line\n", "{[,]}: ", "café ", "\\", "\t"])
    return (piece * (size // len(piece.encode()) + 1))[: max(size, 1)]


def make_record(rng: random.Random, number: int, size: int, form: str) -> dict:
    text = f"<ANSWER>{rng.choice('ABCD')}</ANSWER>"
    reply = draw_filling(rng, size) + text
    name = f"suite.task/d01/{number:06d}"
    if form == "batch":
        choices = [{"index": 0, "message": {"role": "assistant", "content": reply}}]
        return {"custom_id": name, "response": {"status_code": 200, "body": {"choices": choices}}}
    if form == "chat":
        chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": reply}]
        return {"id": name, "messages": chat}
    if form == "lm-eval":
        return {"id": name, "doc_id": number, "doc": {"id": name}, "resps": [[reply]]}
    return {"id": name, "prediction": reply}


def draw_sizes(rng: random.Random, first: int, count: int) -> list[int]:
    return [first, *(rng.choice([0, 3, 40, 900]) for _ in range(count - 1))]


def break_line(rng: random.Random, line: bytes, limit: int) -> tuple[str, bytes]:
    """Return a line that is no record, made of one that is."""
    kind = rng.choice(
        ["cut", "open", "list", "latin", "nul", "words", "extra", "long", "comma", "colon"]
    )
    cut = rng.randrange(1, max(len(line) - 1, 2))
    if kind == "long":
        return kind, b'{"id": "' + b"x" * (limit * MEBI + 1) + b'"}'
    return kind, {
        "cut": line[:cut],
        "open": b"{",
        "list": b"[",
        "latin": line[:9] + b"\xe9\xff" + line[9:],
        "nul": b"\0" * 40,
        "words": b"Traceback (most recent call last):",
        "extra": line + b" trailing",
        "comma": line[:-1] + b",",
        "colon": b'{"id": "z", "prediction":',
    }[kind]


def make_lines(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    """Return JSON Lines, whole or with one broken line, blanks, or without its end."""
    texts = [json.dumps(one, ensure_ascii=rng.random() < 0.5).encode("utf-8") for one in records]
    owed, others, part, name = list(record_ids(records)), (), False, "whole"
    damage = rng.choice(["none", "none", "first", "middle", "end", "blanks", "flip", "last"])
    if damage in ("first", "middle", "last"):
        place = {"first": 0, "last": len(texts)}.get(damage, rng.randrange(len(texts) + 1))
        name, line = break_line(rng, b'{"id": "q", "prediction": "x, y"}', limit)
        texts.insert(place, line)
        part = None
    end = rng.choice([b"\n", b"\r\n", b"\n\n"])
    data = end.join(texts) + rng.choice([b"", end])
    if damage == "end" and len(texts) > 1:
        data = end.join(texts[:-1]) + end + texts[-1][: rng.randrange(1, len(texts[-1]) - 1)]
        part = True
        others = (owed.pop(),)
    elif damage == "blanks":
        flood = rng.choice([b" \n", b"\n", b"\r\n\t"]) * rng.choice([3, 9000, 300_000])
        between = end.join((texts[0] + end + flood, *texts[1:]))
        data = rng.choice([flood + data, data + end + flood, between])
    elif damage == "flip":
        place = rng.randrange(len(texts))
        line = bytearray(texts[place])
        line[rng.randrange(len(line))] ^= 1 << rng.randrange(8)
        if b"\n" not in line:
            texts[place] = bytes(line)
            others = (owed.pop(place),)
            data, part = end.join(texts) + end, None
    if rng.random() < 0.1:
        data = b"\xef\xbb\xbf" + data
    return MadeFile(f"lines {damage} {name}", data, tuple(owed), others, part)


def make_document(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    """Return a list, a log or one record as a document, whole or cut or broken in the middle."""
    kind = rng.choice(["list", "lines of a list", "log", "one", "lists"])
    indent = rng.choice([None, None, 1, 2, 4])
    owed = record_ids(records)
    if kind == "one":
        records, owed = records[:1], owed[:1]
        data = json.dumps(records[0], indent=indent).encode()
    elif kind == "lines of a list":
        data = b"[\n" + b",\n".join(json.dumps(one).encode() for one in records) + b"\n]\n"
    elif kind == "lists":
        data = b"\n".join(json.dumps([one]).encode() for one in records)
    elif kind == "log":
        log = {"version": 2, "status": "success", "eval": {"model": "m/n"}, "samples": records}
        data = json.dumps({**log, "reductions": [{"a": 1}]}, indent=indent).encode()
    else:
        data = json.dumps(records, indent=indent).encode()
    if kind != "lists" and rng.random() < 0.2:
        cut = rng.randrange(len(data) // 2, len(data) - 1)
        kept = [n for n, one in zip(owed, records, strict=True) if _record_end(data, n, one) < cut]
        if kind == "one":
            kept = []
        return MadeFile(f"{kind} {indent} cut", data[:cut], tuple(kept), owed[len(kept) :], True)
    return MadeFile(f"{kind} {indent}", data, owed)


def _record_end(data: bytes, name: str, one: dict) -> int:
    """Return a place behind the end of a record in a document."""
    following = f"{int(name[-6:]) + 1:06d}".encode()
    place = data.find(b"suite.task/d01/" + following)
    return place if place >= 0 else len(data)


def make_table(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    """Return a CSV or TSV text."""
    import csv

    sign = rng.choice(",\t;")
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sign)
    writer.writerow(["id", "prediction"])
    writer.writerows([one["id"], one["prediction"].replace("\0", "")] for one in records)
    return MadeFile("table", out.getvalue().encode(), record_ids(records))


def make_workbook(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    def format_row(cells: list[str]) -> str:
        inside = "".join(
            f'<c t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
            for cell in cells
        )
        return f"<row>{inside}</row>"

    rows = [
        format_row(["id", "prediction"]),
        *(format_row([one["id"], one["prediction"]]) for one in records),
    ]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{"".join(rows)}</sheetData></worksheet>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
        file.writestr("xl/worksheets/sheet1.xml", sheet)
    return MadeFile("workbook", out.getvalue(), record_ids(records))


def make_archive(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    out = io.BytesIO()
    method = rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
    owed = list(record_ids(records))
    with zipfile.ZipFile(out, "w", method) as file:
        file.writestr("header.json", json.dumps({"status": "success", "eval": {"model": "m"}}))
        for number, one in enumerate(records):
            data = json.dumps(one)
            if number == 1 and rng.random() < 0.3:
                data = data[:-2]
                owed.remove(record_ids([one])[0])
            file.writestr(f"samples/{number}_epoch_1.json", data)
    return MadeFile("archive", out.getvalue(), tuple(owed))


def make_parquet(rng: random.Random, records: list[dict], limit: int) -> MadeFile:
    out = io.BytesIO()
    pq.write_table(
        pa.Table.from_pylist(records),
        out,
        row_group_size=rng.choice([1, 3, 1000]),
        compression=rng.choice(["snappy", "zstd", "none"]),
    )
    return MadeFile("parquet", out.getvalue(), record_ids(records))


def pack_file(rng: random.Random, made: MadeFile) -> MadeFile:
    """Return a text as it is, or packed; and of a packed one sometimes the beginning only."""
    how = rng.choice(["plain", "plain", "gzip", "zstd", "members"])
    if how == "plain" or not made.data:
        return made
    if how == "gzip":
        data = gzip.compress(made.data, 1)
    elif how == "members":
        cut = rng.randrange(len(made.data))
        data = gzip.compress(made.data[:cut], 1) + gzip.compress(made.data[cut:], 1)
    else:
        data = bytes(pa.compress(made.data, "zstd", asbytes=True))
    if how == "gzip" and rng.random() < 0.15 and len(data) > 60:
        cut = rng.randrange(40, len(data) - 9)
        every = made.owed_records + made.other_records
        return MadeFile(f"{made.name} gzip cut", data[:cut], (), every, True)
    return MadeFile(f"{made.name} {how}", data, made.owed_records, made.other_records, made.part)


def make_file(seed: int, number: int, limit: int = 32, largest: int = 64 * MEBI) -> MadeFile:
    """Return a file of the corpus.

    Args:
        seed: of the corpus.
        number: of the file.
        limit: largest record that the reader is told, in MiB.
        largest: bytes of the largest first record of any file; one file in 500 has such a one.
    """
    rng = random.Random(f"{seed}/{number}")
    most = largest if number % 500 == 499 else 4 * MEBI if number % 100 == 99 else 65536
    first = int(2 ** rng.uniform(0, most.bit_length() - 1))
    maker = rng.choice(
        [
            make_lines,
            make_lines,
            make_lines,
            make_document,
            make_table,
            make_workbook,
            make_archive,
            make_parquet,
        ]
    )
    plain = maker in (make_table, make_workbook, make_parquet)
    form = "plain" if plain else rng.choice(["plain", "batch", "chat", "lm-eval"])
    if maker in (make_workbook, make_table):
        first = min(first, limit * MEBI // 64)
    count = rng.randrange(1, 12)
    records = [
        make_record(rng, index, size, form)
        for index, size in enumerate(draw_sizes(rng, first, count))
    ]
    too_long = [
        name
        for name, one in zip(record_ids(records), records, strict=True)
        if len(json.dumps(one)) > limit * MEBI - 64
    ]
    found = maker(rng, records, limit)
    if maker in (make_lines, make_document, make_table):
        found = pack_file(rng, found)
    if too_long:
        owed = tuple(name for name in found.owed_records if name not in too_long)
        found = MadeFile(
            f"{found.name} long", found.data, owed, (*found.other_records, *too_long), None
        )
    return found
