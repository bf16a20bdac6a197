"""Columns converted at a time give the values that `to_pylist` gives."""

from __future__ import annotations

import pyarrow as pa
from arrow_columns import columns
from hypothesis import given, settings

from facelet.pipeline.dataset.arrow_values import to_python
from facelet.pipeline.dataset.row_columns import (
    COMMON_COLUMNS,
    content_hash,
    row_hashes,
    without_bytes,
)


@given(columns())
@settings(max_examples=150, deadline=None)
def test_a_column_has_the_values_of_to_pylist(column):
    assert to_python(column) == column.to_pylist()


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
