"""Digests: the compiled part finds the hashes that Python does, and reads no byte it should not."""

from __future__ import annotations

import hashlib
import random
import struct
from typing import Any

import pyarrow as pa
import pytest
from arrow_columns import columns
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.pipeline.dataset import digests, rows
from facelet.pipeline.dataset.hashing import canonical_json

PART: Any = digests._part
compiled = pytest.mark.skipif(PART is None, reason="not compiled here")
PERSON = b"facelet-row-v1\0\0"
TEXT = "Turn the right face \U0001f9ca\u00e9\n\t\0\x1f\x7f\x80\"\\/ and say: 'A'"


def in_c(**made: pa.Array) -> Any:
    """What the compiled part makes of rows."""
    columns = {name: digests._told(column) for name, column in made.items()}
    wide, narrow = (PART.digests(digests._rows(columns), PERSON, way) for way in (True, False))
    assert wide == narrow
    return wide


def one_by_one(made: dict[str, pa.Array]) -> bytes:
    names = list(made)
    every = zip(*(column.to_pylist() for column in made.values()), strict=True)
    texts = [canonical_json(dict(zip(names, row, strict=True))) for row in every]
    return b"".join(
        hashlib.blake2b(text.encode(), digest_size=16, person=b"facelet-row-v1").digest()
        for text in texts
    )


@compiled
@given(st.integers(1, 9).flatmap(lambda size: st.lists(columns(size), min_size=1, max_size=4)))
@settings(max_examples=400, deadline=None)
def test_rows_have_the_same_hashes_whoever_finds_them(some):
    made = dict(zip(("z%s", "a", 'q"', "b\u00e9"), some, strict=False))
    found = in_c(**made)
    assert found == one_by_one(made)
    assert digests.digests(made) == found == digests._plainly(digests.objects(made))


@compiled
def test_messages_of_any_length_have_their_hash():
    """The hash goes block by block, and rows of any lengths may stand beside each other."""
    draw = random.Random(1)
    sizes = [*range(700), *range(700), *draw.sample(range(5000), 60), 1 << 20]
    draw.shuffle(sizes)
    column = pa.array([TEXT[:9] + "a" * size for size in sizes])
    assert in_c(a=column) == one_by_one({"a": column})


@compiled
def test_every_sign_is_spelled_as_json_does():
    codes = [*range(0xD800), *range(0xE000, 0x110000, 7), 0x10FFFF]
    column = pa.array([chr(code) + "b" * (code % 9) + chr(code) for code in codes])
    assert in_c(a=column) == one_by_one({"a": column})


@compiled
def test_numbers_are_spelled_as_python_does():
    draw = random.Random(2)
    some = [
        draw.randrange(10 ** draw.randrange(1, 18)) / 10 ** draw.randrange(12) for _ in range(30000)
    ]
    some += [struct.unpack("d", draw.randbytes(8))[0] for _ in range(30000)]
    some += [round(draw.uniform(-9, 9), digits) for digits in range(9) for _ in range(999)]
    some += [sign * 10.0**power for power in range(-320, 309) for sign in (1, -1)]
    some += [0.0, -0.0, 5e-324, 1e9, 1e9 - 1e-6, 999999999.9999999, 1e-4, 9.9999e-5, 1e16, 1 / 3]
    column = pa.array([one for one in some if one - one == 0])
    assert len(column) > 60000
    assert in_c(a=column) == one_by_one({"a": column})
    for one in (float("nan"), float("inf"), -float("inf")):
        assert in_c(a=pa.array([1.0, one])) is None
        with pytest.raises(ValueError, match="Out of range"):
            digests.digests({"a": pa.array([1.0, one])})


@compiled
def test_what_is_not_utf8_is_left_to_python():
    draw = random.Random(3)
    seen = set()
    signs = [
        b"a",
        b"\xc3\xa9",
        b"\xed\x9f\xbf",
        b"\xf0\x9f\xa7\x8a",
        b"\xf4\x8f\xbf\xbf",
        b"\xee\x80\x80",
    ]
    odd = [b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf"]
    odd += [
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xff",
        b"\xc3",
        b"\xe2\x82",
        b"\xf0\x9f\xa7",
    ]
    for _ in range(20000):
        data = b"".join(draw.choice(signs) for _ in range(draw.randrange(9)))
        if draw.random() < 0.5:
            place = draw.randrange(len(data) + 1)
            end = place + draw.randrange(2)
            data = data[:place] + draw.choice(odd) + data[end:]
        ends = pa.py_buffer(struct.pack("3i", 0, len(data), len(data) + 1))
        column = pa.StringArray.from_buffers(2, ends, pa.py_buffer(data + b"\xa0"), None)[:1]
        try:
            text = data.decode()
        except ValueError:
            assert in_c(a=column) is None, data
            seen.add("odd")
        else:
            assert in_c(a=column) == one_by_one({"a": pa.array([text])}), data
            seen.add("plain")
    assert seen == {"odd", "plain"}
    bad = pa.StringArray.from_buffers(
        1, pa.py_buffer(struct.pack("2i", 0, 1)), pa.py_buffer(b"\xff")
    )
    with pytest.raises(pa.ArrowException):
        digests.digests({"a": bad})


def bytes_of(*numbers: int) -> pa.Buffer:
    return pa.py_buffer(struct.pack(f"{len(numbers)}i", *numbers))


def told(kind: str, count: int, places: Any, data: Any, *inside: Any, start: int = 0) -> Any:
    return kind, start, count, None, places, data, inside, ()


def of_one(column: Any, count: int) -> Any:
    """Rows of one column."""
    return "s", 0, count, None, None, None, (column,), (b'{"a":',)


AB = pa.py_buffer(b"ab")
INSIDE = told("i", 2, None, bytes_of(7, 8))
HOSTILE = {
    "an offset below nothing": told("t", 1, bytes_of(-1, 1), AB),
    "an offset that falls": told("t", 2, bytes_of(0, 2, 1), AB),
    "an offset behind the data": told("t", 1, bytes_of(0, 3), AB),
    "no data": told("t", 1, bytes_of(0, 3), None),
    "few offsets": told("t", 2, bytes_of(0, 1), AB),
    "no offsets": told("t", 1, None, AB),
    "few offsets behind a cut": told("t", 1, bytes_of(0, 1), AB, start=1),
    "few numbers": told("i", 3, None, bytes_of(1, 2)),
    "few numbers behind a cut": told("i", 1, None, bytes_of(1, 2), start=2),
    "few bits": told("?", 9, None, pa.py_buffer(b"a")),
    "few bits of what is valid": ("b", 0, 9, AB[:1], None, pa.py_buffer(b"a" * 9), (), ()),
    "few doubles": told("d", 2, None, pa.py_buffer(b"a" * 15)),
    "a length below nothing": told("i", -1, None, bytes_of(1)),
    "an offset of the column below nothing": told("i", 1, None, bytes_of(1), start=-1),
    "a huge offset": told("i", 9, None, bytes_of(1), start=2**63 - 2),
    "a huge length": told("i", 2**63 - 1, None, bytes_of(1)),
    "a kind that there is not": told("x", 1, None, bytes_of(1)),
    "a list of nothing": told("l", 1, bytes_of(0, 0), None),
    "a list of two": told("l", 1, bytes_of(0, 0), None, INSIDE, INSIDE),
    "a list that reaches too far": told("l", 1, bytes_of(0, 3), None, INSIDE),
    "a list from below nothing": told("l", 1, bytes_of(-1, 1), None, INSIDE),
    "a list that falls": told("l", 2, bytes_of(0, 2, 1), None, INSIDE),
    "a list without offsets": told("l", 1, None, None, INSIDE),
    "a list of few numbers": told("l", 1, bytes_of(0, 1), None, told("i", 3, None, bytes_of(1))),
    "a struct of nothing": told("s", 1, None, None),
    "a struct without names": told("s", 2, None, None, INSIDE),
    "a struct of too many names": ("s", 0, 2, None, None, None, (INSIDE,), (b"{", b",")),
    "a short struct": ("s", 0, 3, None, None, None, (INSIDE,), (b'{"b":',)),
}


@compiled
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_as_arrow_demands_is_left_to_python(name):
    column = HOSTILE[name]
    count = max(1, min(column[2], 9))
    assert PART.digests(of_one(column, count), PERSON, True) is None


@compiled
def test_what_stands_behind_null_is_not_looked_at():
    nothing = pa.py_buffer(b"\xfe")
    column = ("t", 0, 2, nothing, bytes_of(0, 1, 2), pa.py_buffer(b"\xffa"), (), ())
    made = PART.digests(of_one(column, 2), PERSON, True)
    assert made == one_by_one({"a": pa.array([None, "a"])})


@compiled
@pytest.mark.parametrize("kind", [pa.large_string(), pa.float32(), pa.null(), pa.struct([])])
def test_other_types_are_spelled_by_arrow(kind):
    value = {pa.large_string(): "\u00e9", pa.float32(): 0.1, pa.null(): None, pa.struct([]): {}}
    made = {"b": pa.array([value[kind], None], kind), "a": pa.array([1, 2])}
    assert not digests._is_known(made["b"].type)
    assert digests.digests(made) == one_by_one(made)


@compiled
def test_what_stands_deep_inside_is_spelled_by_arrow():
    value, kind = 1, pa.int8()
    for depth in range(12):
        made = {"a": pa.array([value, None], kind)}
        assert digests._is_known(kind) == (depth <= 8)
        assert digests.digests(made) == one_by_one(made)
        value, kind = [value], pa.list_(kind)
    deep = INSIDE
    for _ in range(40):
        deep = told("l", 1, bytes_of(0, 1), None, deep)
    assert PART.digests(of_one(deep, 1), PERSON, True) is None


@compiled
@pytest.mark.parametrize(
    "said",
    [
        (7, PERSON),
        (("s",), PERSON),
        (("s", 0, 1, None, None, None, (7,), (b"{",)), PERSON),
        (("s", 0, 1, None, None, None, (INSIDE,), ("{",)), PERSON),
        (("s", 0, 1, 7, None, None, (INSIDE,), (b"{",)), PERSON),
        (("sl", 0, 1, None, None, None, (INSIDE,), (b"{",)), PERSON),
        ((*INSIDE,), b"a"),
        ((*INSIDE,),),
    ],
)
def test_what_is_no_column_is_an_error(said):
    with pytest.raises(TypeError):
        PART.digests(*said)


@pytest.mark.parametrize("way", [pytest.param("compiled", marks=compiled), "plain"])
def test_rows_of_a_table_are_hashed_a_batch_at_a_time(way, monkeypatch):
    monkeypatch.setattr(rows, "_BATCH", 4)
    if way == "plain":
        monkeypatch.setattr(digests, "_part", None)
    schema = pa.schema([(name, kind) for name, kind, _ in rows.COMMON])
    said = {"images": [{"bytes": b"1", "path": "a.png"}], "provenance": {"attempt": 3}}
    every = [{**said, "id": str(number), "gold": TEXT[number:]} for number in range(10)]
    table = pa.Table.from_pylist(every, schema=schema)
    blocks = list(rows.digests_of(table))
    assert [len(block) for block in blocks] == [64, 64, 32]
    assert b"".join(blocks) == b"".join(rows.row_digests(table))
    assert list(rows.row_hashes(table)) == [rows.content_hash(row) for row in table.to_pylist()]
