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

from facelet.pipeline.dataset import row_columns, row_hashes
from facelet.pipeline.dataset.row_hashes import canonical_json

PART: Any = row_hashes._part
compiled = pytest.mark.skipif(PART is None, reason="not compiled here")
PERSON = b"facelet-row-v1\0\0"
TEXT = "Turn the right face \U0001f9ca\u00e9\n\t\0\x1f\x7f\x80\"\\/ and say: 'A'"


def digest_compiled(**made: pa.Array) -> Any:
    """What the compiled part makes of rows."""
    columns = {name: row_hashes._describe_column(column) for name, column in made.items()}
    wide, narrow = (
        PART.digests(row_hashes._describe_rows(columns), PERSON, way) for way in (True, False)
    )
    assert wide == narrow
    return wide


def digest_each(made: dict[str, pa.Array]) -> bytes:
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
    found = digest_compiled(**made)
    assert found == digest_each(made)
    assert row_hashes.hash_rows(made) == found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_hashes, "_part", None)
        assert row_hashes.hash_rows(made) == found


@compiled
def test_messages_of_any_length_have_their_hash():
    """The hash goes block by block, and rows of any lengths may stand beside each other."""
    draw = random.Random(1)
    sizes = [*range(700), *range(700), *draw.sample(range(5000), 60), 1 << 20]
    draw.shuffle(sizes)
    column = pa.array([TEXT[:9] + "a" * size for size in sizes])
    assert digest_compiled(a=column) == digest_each({"a": column})


@compiled
def test_every_sign_is_spelled_as_json_does():
    codes = [*range(0xD800), *range(0xE000, 0x110000, 7), 0x10FFFF]
    column = pa.array([chr(code) + "b" * (code % 9) + chr(code) for code in codes])
    assert digest_compiled(a=column) == digest_each({"a": column})


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
    assert digest_compiled(a=column) == digest_each({"a": column})
    for one in (float("nan"), float("inf"), -float("inf")):
        assert digest_compiled(a=pa.array([1.0, one])) is None
        with pytest.raises(ValueError, match="Out of range"):
            row_hashes.hash_rows({"a": pa.array([1.0, one])})


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
            assert digest_compiled(a=column) is None, data
            seen.add("odd")
        else:
            assert digest_compiled(a=column) == digest_each({"a": pa.array([text])}), data
            seen.add("plain")
    assert seen == {"odd", "plain"}
    bad = pa.StringArray.from_buffers(
        1, pa.py_buffer(struct.pack("2i", 0, 1)), pa.py_buffer(b"\xff")
    )
    with pytest.raises(UnicodeDecodeError):
        row_hashes.hash_rows({"a": bad})


def make_buffer(*numbers: int) -> pa.Buffer:
    return pa.py_buffer(struct.pack(f"{len(numbers)}i", *numbers))


def make_column(kind: str, count: int, places: Any, data: Any, *inside: Any, start: int = 0) -> Any:
    return kind, start, count, None, places, data, inside, ()


def digest_column(column: Any, count: int) -> Any:
    """Rows of one column."""
    return "s", 0, count, None, None, None, (column,), (b'{"a":',)


AB = pa.py_buffer(b"ab")
INSIDE = make_column("i", 2, None, make_buffer(7, 8))
HOSTILE = {
    "an offset below nothing": make_column("t", 1, make_buffer(-1, 1), AB),
    "an offset that falls": make_column("t", 2, make_buffer(0, 2, 1), AB),
    "an offset behind the data": make_column("t", 1, make_buffer(0, 3), AB),
    "no data": make_column("t", 1, make_buffer(0, 3), None),
    "few offsets": make_column("t", 2, make_buffer(0, 1), AB),
    "no offsets": make_column("t", 1, None, AB),
    "few offsets behind a cut": make_column("t", 1, make_buffer(0, 1), AB, start=1),
    "few numbers": make_column("i", 3, None, make_buffer(1, 2)),
    "few numbers behind a cut": make_column("i", 1, None, make_buffer(1, 2), start=2),
    "few bits": make_column("?", 9, None, pa.py_buffer(b"a")),
    "few bits of what is valid": ("b", 0, 9, AB[:1], None, pa.py_buffer(b"a" * 9), (), ()),
    "few doubles": make_column("d", 2, None, pa.py_buffer(b"a" * 15)),
    "a length below nothing": make_column("i", -1, None, make_buffer(1)),
    "an offset of the column below nothing": make_column("i", 1, None, make_buffer(1), start=-1),
    "a huge offset": make_column("i", 9, None, make_buffer(1), start=2**63 - 2),
    "a huge length": make_column("i", 2**63 - 1, None, make_buffer(1)),
    "a kind that there is not": make_column("x", 1, None, make_buffer(1)),
    "a list of nothing": make_column("l", 1, make_buffer(0, 0), None),
    "a list of two": make_column("l", 1, make_buffer(0, 0), None, INSIDE, INSIDE),
    "a list that reaches too far": make_column("l", 1, make_buffer(0, 3), None, INSIDE),
    "a list from below nothing": make_column("l", 1, make_buffer(-1, 1), None, INSIDE),
    "a list that falls": make_column("l", 2, make_buffer(0, 2, 1), None, INSIDE),
    "a list without offsets": make_column("l", 1, None, None, INSIDE),
    "a list of few numbers": make_column(
        "l", 1, make_buffer(0, 1), None, make_column("i", 3, None, make_buffer(1))
    ),
    "a struct of nothing": make_column("s", 1, None, None),
    "a struct without names": make_column("s", 2, None, None, INSIDE),
    "a struct of too many names": ("s", 0, 2, None, None, None, (INSIDE,), (b"{", b",")),
    "a short struct": ("s", 0, 3, None, None, None, (INSIDE,), (b'{"b":',)),
}


@compiled
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_as_arrow_demands_is_left_to_python(name):
    column = HOSTILE[name]
    count = max(1, min(column[2], 9))
    assert PART.digests(digest_column(column, count), PERSON, True) is None


@compiled
def test_what_stands_behind_null_is_not_looked_at():
    nothing = pa.py_buffer(b"\xfe")
    column = ("t", 0, 2, nothing, make_buffer(0, 1, 2), pa.py_buffer(b"\xffa"), (), ())
    made = PART.digests(digest_column(column, 2), PERSON, True)
    assert made == digest_each({"a": pa.array([None, "a"])})


@compiled
@pytest.mark.parametrize("kind", [pa.large_string(), pa.float32(), pa.null(), pa.struct([])])
def test_other_types_are_spelled_by_arrow(kind):
    value = {pa.large_string(): "\u00e9", pa.float32(): 0.1, pa.null(): None, pa.struct([]): {}}
    made = {"b": pa.array([value[kind], None], kind), "a": pa.array([1, 2])}
    assert not row_hashes._is_known(made["b"].type)
    assert row_hashes.hash_rows(made) == digest_each(made)


@compiled
def test_what_stands_deep_inside_is_spelled_by_arrow():
    value, kind = 1, pa.int8()
    for depth in range(12):
        made = {"a": pa.array([value, None], kind)}
        assert row_hashes._is_known(kind) == (depth <= 8)
        assert row_hashes.hash_rows(made) == digest_each(made)
        value, kind = [value], pa.list_(kind)
    deep = INSIDE
    for _ in range(40):
        deep = make_column("l", 1, make_buffer(0, 1), None, deep)
    assert PART.digests(digest_column(deep, 1), PERSON, True) is None


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
    monkeypatch.setattr(row_columns, "_BATCH", 4)
    if way == "plain":
        monkeypatch.setattr(row_hashes, "_part", None)
    schema = pa.schema([(name, kind) for name, kind, _ in row_columns.COMMON_COLUMNS])
    said = {"images": [{"bytes": b"1", "path": "a.png"}], "provenance": {"attempt": 3}}
    every = [{**said, "id": str(number), "gold": TEXT[number:]} for number in range(10)]
    table = pa.Table.from_pylist(every, schema=schema)
    blocks = list(row_columns.batch_row_digests(table))
    assert [len(block) for block in blocks] == [64, 64, 32]
    assert b"".join(blocks) == b"".join(row_columns.row_digests(table))
    assert list(row_columns.row_hashes(table)) == [
        row_columns.content_hash(row) for row in table.to_pylist()
    ]
