"""Columns of Arrow of any type that rows have, for hypothesis."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

TEXTS = st.text(max_size=4) | st.sampled_from(
    ["", "%s", '"', "\\", '\\n\n"', "\t", "\x7f", "\0", "a", "é", "\u2028", "\ufffd", "\U0001f9ca"]
)
WHOLE = [
    (pa.int8(), st.integers(-128, 127)),
    (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.uint8(), st.integers(0, 255)),
    (pa.uint16(), st.integers(0, 2**16 - 1)),
    (pa.uint32(), st.integers(0, 2**32 - 1)),
    (pa.uint64(), st.integers(0, 2**64 - 1)),
]
SIMPLE = [
    (pa.string(), TEXTS),
    *WHOLE,
    (pa.bool_(), st.booleans()),
    (
        pa.float64(),
        st.floats(allow_nan=False, allow_infinity=False)
        | st.builds(lambda whole, digits: whole / 10**digits, WHOLE[2][1], st.integers(0, 9)),
    ),
]
_STRUCT = (
    pa.struct([("b%", pa.string()), ("a", pa.list_(pa.int32()))]),
    st.fixed_dictionaries(
        {"b%": st.none() | TEXTS, "a": st.none() | st.lists(st.integers(0, 9), max_size=2)}
    ),
)
NESTED = [
    *SIMPLE,
    _STRUCT,
    *(
        (pa.list_(kind), st.lists(st.none() | value, max_size=3))
        for kind, value in (*SIMPLE, _STRUCT)
    ),
    (
        pa.list_(pa.list_(pa.bool_())),
        st.lists(st.none() | st.lists(st.none() | st.booleans(), max_size=3), max_size=3),
    ),
]


@st.composite
def columns(draw: Any, size: int | None = None) -> pa.Array:
    """Return a column, perhaps one that is cut from a longer one, of a number of values."""
    kind, value = draw(st.sampled_from(NESTED))
    one = draw(value)
    start, behind = draw(st.integers(0, 11)), draw(st.integers(0, 2))
    size = draw(st.integers(1, 12)) if size is None else size
    count = start + size + behind
    every = draw(st.lists(st.none() | value | st.just(one), min_size=count, max_size=count))
    return pa.array(every, kind).slice(start, size)
