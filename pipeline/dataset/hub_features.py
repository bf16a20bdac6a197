"""Add the metadata by which the Hugging Face Hub shows columns as pictures and classes.

The types come from the Arrow schema; the only thing that Arrow cannot say is that a struct of
bytes and path is a picture. Importing `datasets` takes seconds, so only the process that plans a
build imports this module; workers are handed the finished schema.
"""

from __future__ import annotations

import pyarrow as pa
from datasets import Features, Image, List, Value

from facelet.pipeline.dataset.row_columns import IMAGE


def to_feature(kind: pa.DataType) -> object:
    """Return the feature of an Arrow type, as `datasets` names it."""
    if kind == IMAGE:
        return Image()
    if pa.types.is_list(kind):
        return List(to_feature(kind.value_type))
    if pa.types.is_struct(kind):
        return {kind.field(i).name: to_feature(kind.field(i).type) for i in range(kind.num_fields)}
    return Value({"double": "float64"}.get(str(kind), str(kind)))


def to_features(schema: pa.Schema) -> Features:
    """Return the features of an Arrow schema."""
    return Features({field.name: to_feature(field.type) for field in schema})


def with_features(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the Hub's `huggingface` metadata."""
    return schema.with_metadata(to_features(schema).arrow_schema.metadata)
