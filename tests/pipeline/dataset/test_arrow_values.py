"""Spelling: columns at a time say what values one by one do."""

from __future__ import annotations

import pyarrow as pa
import pytest
from arrow_columns import columns
from hypothesis import given, settings

from facelet.pipeline.dataset.arrow_values import rows_to_json, to_json, to_python
from facelet.pipeline.dataset.content_hash import canonical_json
from facelet.pipeline.dataset.row_columns import (
    COMMON_COLUMNS,
    content_hash,
    row_hashes,
    without_bytes,
)


@given(columns())
@settings(max_examples=150, deadline=None)
def test_a_column_is_spelled_as_its_values_are(column):
    assert to_python(column) == column.to_pylist()
    assert to_json(column).to_pylist() == list(map(canonical_json, column.to_pylist()))
    table = {"z%s": column, "a": pa.array(range(len(column)))}
    rows = [{"z%s": value, "a": place} for place, value in enumerate(column.to_pylist())]
    assert rows_to_json(table).to_pylist() == list(map(canonical_json, rows))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_has_no_spelling(value):
    with pytest.raises(ValueError, match="Out of range"):
        to_json(pa.array([1.0, value]))


def test_what_json_has_no_form_for_has_none_here():
    with pytest.raises(TypeError):
        to_json(pa.array([b"a"]))


def test_what_is_no_text_has_none_either():
    offsets, data = pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff")
    with pytest.raises(pa.ArrowException):
        to_json(pa.StringArray.from_buffers(1, offsets, data))


def test_rows_are_hashed_alike_one_by_one_and_at_once():
    schema = pa.schema([(name, kind) for name, kind, _ in COMMON_COLUMNS])
    said = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a", "image": None}]},
            {"role": "user", "content": [{"type": "image", "text": None, "image": 0}]},
        ],
        "images": [{"bytes": b"1", "path": "a.png"}, {"bytes": None, "path": None}],
        "image_hashes": ["0", "1"],
        "provenance": {"generator": "a", "seed_path": "b/c", "attempt": 0},
        "shown": ["never hashed"],
    }
    rows = [
        {**said, "id": str(number), "difficulty": number, "gold": None if number % 3 else "A"}
        | ({"provenance": None, "images": []} if number % 2 else {})
        for number in range(9)
    ]
    table = pa.Table.from_pylist(rows, schema=schema)
    whole = pa.concat_tables([table.slice(2, 5), table])
    alone = [content_hash(row) for row in without_bytes(whole).to_pylist()]
    assert list(row_hashes(whole)) == alone
    assert alone[0] == content_hash({**table.to_pylist()[2], "shown": []})
