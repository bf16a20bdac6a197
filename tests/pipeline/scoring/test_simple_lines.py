"""Simple lines: the compiled part takes what the expression takes, and says what `json` says."""

from __future__ import annotations

import json
import random
from itertools import permutations
from typing import Any

import plain_lines
import pytest

from facelet.pipeline.input_gate import MAX_NAME
from facelet.pipeline.scoring.ingest import json_stream
from facelet.pipeline.scoring.ingest.json_stream import LONGEST, Lines, SimpleLines

PART: Any = json_stream._part
compiled = pytest.mark.skipif(PART is None, reason="not compiled here")
ORDERS = [
    order
    for count in (2, 3, 4)
    for order in permutations(("id", "prediction", "model", "sample_idx"), count)
    if {"id", "prediction"} <= set(order)
]
TEXTS = [
    *("", "A", "Answer: B", "\u00e9", "\U0001f9ca", "\ud800", "\udfff", "\udc00\ud800", "\n\t\r"),
    *('"', "\\", "\\u0041", "/", "\x7f", "\0", "\x1f", "\b\f", "\u2028", "\ud83d x", "\ufffd"),
    *("a" * 70, "Turn the right face. " * 30),
]
RAW = [
    *(b"\\/", b"\\u00e9", b"\\uD83E\\uDDCA", b"\\ud83e\\uddca", b"\\ud83e\\ud83e\\uddca"),
    *(b"\\uDDCA", b"\\ud83e\\u0041", b"\\ud83e\\n", b"\\ud83e\xf0\x9f\xa7\x8a", b"\\u0000"),
    *(b"\\ud7ff\\ue000", b"\\ud83e\\u12", b"\\u12", b"\\u12g4", b"\\U0041", b"\\x", b"\\"),
    *(b"\\u", b"\\ud83e\\", b"\\'", b"\\u 041", b"\\u+041", b"\\u0_41", b"\\u-041"),
    *(b"\\ud83e\\u+041", b"\t", b"\n", b"\0", b"\r", b"\xff", b"\xc3", b"\xed\xa0\xbd"),
    *(b"\xed\xa0\x80\\ud800", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82\\n\xac"),
    *(b"\xc3\\u00e9", b"\\u00e9\xa9", b"\x80", b'"', b'\\"', b"\xf0\x9f", b""),
    *(
        b"\\ud83e\\nddca",
        b"\\\0",
        b"1234567\x1f1234567",
        b"1234567\x0b1234567",
        b'1234567"12345678',
    ),
]
"""What may stand in a text as it is written: much of it is no JSON, or no UTF-8."""
NUMBERS = [*(b"0", b"7", b"123456789", b"999999999"), *(b"1234567890", b"00", b"01", b"-1", b"1.0")]
NUMBERS += [b"", b"1e3", b" 1", b"0x1", b"null", b'"1"', b"9" * 40]
NAMES = [b"a/d01/000001", b"m", b"a" * MAX_NAME, b"a" * (MAX_NAME + 1), b"", b"\x7f", b"\xc3\xa9"]
NAMES += [b"a b", b"a\\n", b'a"', b"a\x1f", b"\x80", b"a\0", b"{}", b","]
ENDS = [b"}\n"] * 6 + [
    b"}\r\n",
    b"}",
    b"} \n",
    b"}\r",
    b"}\r\r\n",
    b',"a":1}\n',
    b"}}\n",
    b"\n",
    b"",
]


def read_compiled(data: bytes, begin: int, order: tuple[str, ...]) -> tuple[Lines, int]:
    *found, end = PART.taken(data, begin, "".join(name[0] for name in order), LONGEST, MAX_NAME)
    return Lines(*found), end


def draw_line(draw: random.Random, order: tuple[str, ...], odd: float) -> bytes:
    """A line that is simple but for what is odd with some probability."""
    blanks = draw.random() < 0.5
    line = b""
    for key in order:
        if key == "sample_idx":
            value = draw.choice(NUMBERS if draw.random() < odd else NUMBERS[:4])
        elif key != "prediction":
            value = b'"%s"' % draw.choice(NAMES if draw.random() < odd else NAMES[:3])
        elif draw.random() < 0.5:
            text = "".join(draw.choices(TEXTS, k=draw.randrange(3)))
            value = json.dumps(text, ensure_ascii=draw.random() < 0.7).encode("utf-8", "replace")
        else:
            pieces = RAW if draw.random() < odd else RAW[:11]
            value = b'"%s"' % b"".join([*draw.choices(pieces, k=draw.randrange(4))])
        blank = b" " if blanks ^ (draw.random() < odd / 2) else b""
        line += (b"," + blank if line else b"{") + b'"%s":' % key.encode() + blank + value
    line += draw.choice(ENDS) if draw.random() < odd else b"}\n"
    for _ in range(draw.random() < odd / 2):
        place = draw.randrange(len(line))
        line = line[:place] + draw.choice(RAW + NUMBERS) + line[place + draw.randrange(3) :]
    return line


@compiled
@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_part_takes_what_the_expression_takes(seed):
    draw = random.Random(seed)
    lines_taken = left = 0
    for number in range(6000):
        order = draw.choice(ORDERS)
        odd = draw.choice([0.0, 0.05, 0.5])
        lines = [draw_line(draw, order, odd) for _ in range(draw.randrange(1, 6))]
        data = b"".join(lines)
        if number % 4 == 1:
            data = data[: draw.randrange(len(data))]
        begin = 0 if number % 3 else draw.randrange(len(data) + 3)
        found, end = read_compiled(data, begin, order)
        assert (found, end) == plain_lines.scan_lines(data, begin, order), data
        assert list(map(type, found.samples)) == [int] * len(found)
        if begin == 0:
            for place, line in enumerate(data[:end].splitlines(keepends=True)):
                own = found.record(place)
                assert {"sample_idx": 0, **json.loads(line)} == own, line
        lines_taken += len(found)
        left += end < len(data)
    assert lines_taken > 5000 and left > 1000


@compiled
def test_every_way_to_write_half_a_pair_is_told_as_json_does():
    units = [
        "\\ud83e",
        "\\uddca",
        "\\uD800",
        "\\uDFFF",
        "\\u0041",
        "x",
        "\u00e9",
        "\\n",
        "\\u00",
        "\\ud",
    ]
    seen = 0
    for count in range(1, 5):
        for pieces in ([a] for a in units) if count == 1 else permutations(units, count):
            line = f'{{"id":"a","prediction":"{"".join(pieces)}"}}\n'.encode()
            found, end = read_compiled(line, 0, ("id", "prediction"))
            try:
                text = json.loads(line)["prediction"]
            except ValueError:
                assert (len(found), end) == (0, 0), line
            else:
                assert (found.texts, end) == ([text], len(line)), line
                seen += 1
    assert seen > 900


@compiled
@pytest.mark.parametrize("sign", ["a", "\u00e9", "\\n"])
def test_texts_are_simple_up_to_a_length(sign):
    for size, count in ((LONGEST - 2, 1), (LONGEST, 1), (LONGEST + 2, 0), (LONGEST * 2, 0)):
        said = (sign * size).encode()[:size]
        line = b'{"id": "a", "prediction": "%s"}\n' % said
        lines, end = SimpleLines(line * 2, 0, line).take(0)
        assert (len(lines), end) == (2 * count, 2 * count * len(line))


def test_without_the_compiled_part_no_line_is_simple(monkeypatch):
    monkeypatch.setattr(json_stream, "_part", None)
    line = b'{"id": "a", "prediction": "B"}\n'
    assert SimpleLines(line, 0, line).take(0) == (Lines(), 0)


@compiled
def test_lines_are_taken_from_a_place_of_the_file():
    lines = [
        json.dumps({"id": f"a{number}", "prediction": "B", "model": f"m{number % 2}"}) + "\n"
        for number in range(9)
    ]
    data, size = "".join(lines).encode(), len(lines[0])
    simple = SimpleLines(data, 1000, lines[0].encode())
    found, end = simple.take(1000 + 4 * size)
    assert (found.keys, end) == ([f"a{number}" for number in range(4, 9)], 1000 + 9 * size)
    assert (found.models, found.samples) == ([*("m0", "m1") * 2, "m0"], [0] * 5)
    for place in (999, 1001, 1000 + 9 * size, 1000 + 9 * size + 7):
        assert simple.take(place) == (Lines(), place)
    for first in (
        b"",
        b"[]",
        b"7",
        b'{"id": 1}',
        b'{"id": 1, "prediction": 2, "more": 3}',
        b"\xff",
    ):
        assert SimpleLines(data, 0, first).take(0) == (Lines(), 0)


@compiled
def test_equal_short_strings_are_one():
    line = b'{"id":"a","prediction":"A\\u0042C","model":"some model"}\n'
    found, _ = read_compiled(line * 5, 0, ("id", "prediction", "model"))
    assert set(found.texts) == {"ABC"}
    assert len({id(text) for text in found.texts}) == len({id(one) for one in found.models}) == 1


@compiled
@pytest.mark.parametrize(
    "said",
    [
        ("a", 0, "ip", 9, 9),
        (bytearray(b"a"), 0, "ip", 9, 9),
        (b"a", -1, "ip", 9, 9),
        (b"a", 0, "i", 9, 9),
        (b"a", 0, "ipp", 9, 9),
        (b"a", 0, "ipx", 9, 9),
        (b"a", 0, "ip", -1, 9),
        (b"a", 0, "ip", 2**63 - 1, 9),
    ],
)
def test_what_makes_no_sense_is_an_error(said):
    with pytest.raises((TypeError, ValueError)):
        PART.taken(*said)
