"""Define the columns of a published row, its messages, and its content hash; decode rows.

Every row has the common columns, in the order of COMMON_COLUMNS, then the typed columns of its
task. Types are explicit Arrow types; nothing is inferred. This module needs pyarrow and numpy only:
scoring and proof import it too.

The content hash of a row covers everything but the image bytes, which pixel hashes replace, and but
what follows from the rest by the task's own rules (`shown`); so it survives another PNG encoder and
any other writer of Parquet.

A published row of unknown origin may break any assumption of its task's code. `catch_decode_errors`
turns what that raises into a ValueError of one line that names the row, here and nowhere else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.task import Column
from facelet.pipeline.dataset.row_hashes import SIZE, canonical_json, hash_row, hash_rows
from facelet.renderers.scenes.records import Scene

AnyRow = Mapping[str, Any]
"""A row's columns by name: the common ones, and those of its task, which alone says their types."""

SCHEMA_VERSION = 2
"""Version of the common columns and of the content hash; it is part of every plan hash."""

CANARY = (
    "FACELET BENCHMARK DATA. Keep out of training corpora. a8c7b45e-5b2c-4f0e-9d53-0f6d1e7a92c4"
)
"""Stands in every evaluation row, in the manifest and the card; searching for it finds leaks."""

_BATCH = 4096
"""Rows that are hashed at once, at most."""
_BYTES = 64 << 20
"""Bytes that are hashed at once, about: Arrow's texts end at 2 GiB."""

MAX_ID = 64
"""Longest row id in characters: batch APIs cap their custom_id there."""

_PART = pa.struct([("type", pa.string()), ("text", pa.string()), ("image", pa.int32())])
_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.list_(_PART))])
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
"""The Arrow form of a picture on the Hugging Face Hub."""

COMMON_COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    ("id", pa.string(), "<config>/<difficulty label>/<number of the row, or of item-row>, ASCII"),
    ("suite", pa.string(), "suite that the row belongs to"),
    ("task", pa.string(), "task that made the row and judges replies to it"),
    ("task_version", pa.int32(), "version of that task"),
    ("split", pa.string(), "split that the row belongs to"),
    ("difficulty_axis", pa.string(), "what the difficulty counts"),
    ("difficulty", pa.int32(), "place on that axis; larger is harder"),
    ("group", pa.string(), "key of the base puzzle; rows that share it are not independent"),
    ("messages", pa.list_(_MESSAGE), "chat messages; an image part holds an index into images"),
    ("images", pa.list_(IMAGE), "the pictures, PNG"),
    ("image_hashes", pa.list_(pa.string()), "hash of each picture's decoded pixels"),
    ("gold", pa.string(), "the canonical right answer"),
    ("canary", pa.string(), "one text to find leaks into training data; null in training splits"),
    (
        "provenance",
        pa.struct(
            [("generator", pa.string()), ("seed_path", pa.string()), ("attempt", pa.int32())]
        ),
        "program and version, the names that the item's seed is the hash of, rejected draws",
    ),
    (
        "shown",
        pa.list_(pa.string()),
        "classes of what its prompts can show, up to symmetry; rows that share one are alike",
    ),
)
"""Name, type and meaning of the common columns."""

REQUIRED_COLUMNS = (
    *("id", "suite", "task", "task_version", "split", "difficulty_axis", "difficulty", "group"),
    *("messages", "images", "image_hashes"),
)
"""Common columns that hold a value in every published row, those without answers among them."""

PICTURE_COLUMNS = ("images", "image_hashes")
"""The columns that exist only once the scenes are drawn."""

_SCALARS: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
}
_LIST = re.compile(r"list<(\w+)>")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_NUMBERS = re.compile(r"([0-9]{6,15})(?:-([0-9]{2,9}))?")


class MessagePart(TypedDict):
    """A part of a message: a text, or the index of a picture in `images`."""

    type: str
    text: str | None
    image: int | None


class ChatMessage(TypedDict):
    """A chat message as rows hold it."""

    role: str
    content: list[MessagePart]


def is_training(split: str) -> bool:
    """Return whether a split is training data by its name: "train", or "train_" and more."""
    return split == "train" or split.startswith("train_")


def canary_value(split: str) -> str | None:
    """Return what the column `canary_value` of a split's rows says; None in training data."""
    return None if is_training(split) else CANARY


def arrow_type(name: str) -> pa.DataType:
    """Return the Arrow type that a column's type names.

    Raises:
        ValueError: there is no such type.
    """
    match = _LIST.fullmatch(name)
    if (scalar := _SCALARS.get(match[1] if match else name)) is None:
        allowed = ", ".join(_SCALARS)
        raise ValueError(f"unknown column type {name!r}; use {allowed}, or list<...> of one")
    return pa.list_(scalar) if match else scalar


def arrow_schema(columns: Sequence[Column], *, drawn: bool = True) -> pa.Schema:
    """Return the Arrow schema of a task's rows: the common columns, then the task's own.

    Args:
        columns: the task's typed columns.
        drawn: whether the columns in DRAWN are there.

    Raises:
        ValueError: a column's name or type is not allowed, or a name is taken.
    """
    fields = [
        pa.field(name, kind)
        for name, kind, _ in COMMON_COLUMNS
        if drawn or name not in PICTURE_COLUMNS
    ]
    taken = {name for name, _, _ in COMMON_COLUMNS}
    for column in columns:
        if not _NAME.fullmatch(column.name):
            raise ValueError(f"column name {column.name!r} is not lower-case snake case")
        if column.name in taken:
            raise ValueError(f"column name {column.name!r} is taken; choose another")
        taken.add(column.name)
        fields.append(pa.field(column.name, arrow_type(column.type)))
    return pa.schema(fields)


def row_id(config: str, label: str, number: int, place: int | None = None) -> str:
    """Return the id of a row: config, difficulty label, number of the row in its cell.

    Args:
        config: name of the config.
        label: difficulty label.
        number: number of the row; where items have any number of rows, number of the item.
        place: there, number of the row in its item, as in "000042-07".

    Raises:
        ValueError: the id would be too long, or hold a letter that is not plain ASCII.
    """
    identifier = f"{config}/{label}/{number:06d}"
    if place is not None:
        identifier += f"-{place:02d}"
    if len(identifier) > MAX_ID or not re.fullmatch(r"[a-z0-9_./-]+", identifier):
        raise ValueError(
            f"row id {identifier!r} must have at most {MAX_ID} of the letters a-z, 0-9, _ . - /; "
            "shorten the name of the suite, the task or the difficulty label"
        )
    return identifier


def id_numbers(identifier: str) -> tuple[int, int | None]:
    """Return number and place that `row_id` wrote into an id; (-1, None) if it wrote none."""
    if (match := _NUMBERS.fullmatch(identifier.rpartition("/")[2])) is None:
        return -1, None
    return int(match[1]), None if match[2] is None else int(match[2])


def cell_label(identifier: str) -> str:
    """Return the difficulty label that `row_id` wrote into an id."""
    return identifier.rpartition("/")[0].rpartition("/")[2]


def prompt_to_messages(prompt: Prompt) -> tuple[list[dict[str, object]], list[Scene]]:
    """Return a prompt as published messages, and its scenes in reading order.

    An image part refers to its scene by index, and the k-th part to scene k, even where two are
    equal: trainers take the pictures of a chat from `images` one by one.
    """
    scenes: list[Scene] = []
    chat: list[dict[str, object]] = []
    for message in prompt.messages:
        content: list[dict[str, object]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                content.append({"type": "text", "text": part.text, "image": None})
            else:
                content.append({"type": "image", "text": None, "image": len(scenes)})
                scenes.append(part.scene)
        chat.append({"role": message.role, "content": content})
    return chat, scenes


def content_hash(row: Mapping[str, object]) -> str:
    """Return the content hash of a published row, whatever the order of its columns.

    Args:
        row: all columns as plain Python values, as pyarrow's `to_pylist` gives them; the image
            bytes and the column `shown` do not matter and may be left out.
    """
    return hash_row(encode_content(row)).hex()


def encode_content(row: Mapping[str, Any]) -> bytes:
    """Return all that a published row says in one spelling; see `content_hash`."""
    content = {name: value for name, value in row.items() if name not in ("images", "shown")}
    content["images"] = [image["path"] for image in row["images"]]
    return canonical_json(content).encode()


def row_hashes(table: pa.Table) -> Iterator[str]:
    """Yield the content hashes of a table of published rows, in order; see `content_hash`."""
    return map(bytes.hex, row_digests(table))


def row_digests(table: pa.Table) -> Iterator[bytes]:
    """Yield the content hashes of a table of published rows as their 16 bytes."""
    for joined in batch_row_digests(table):
        yield from (joined[place : place + SIZE] for place in range(0, len(joined), SIZE))


def batch_row_digests(table: pa.Table) -> Iterator[bytes]:
    """Yield the content hashes of a table of published rows, those of some thousand rows joined."""
    kept = [name for name in table.column_names if name != "shown"]
    if len(set(kept)) < len(kept) or table.column("images").null_count:
        yield from (hash_row(encode_content(row)) for row in without_bytes(table).to_pylist())
        return
    plain_table = without_bytes(table.select(kept)).combine_chunks()
    size = max(1, min(_BATCH, len(plain_table) * _BYTES // max(1, plain_table.nbytes)))
    for batch in plain_table.to_batches(max_chunksize=size):
        columns = dict(zip(kept, batch.columns, strict=True))
        pictures = columns["images"]
        lengths = pictures.value_lengths().to_numpy()
        offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
        paths = pictures.flatten().field("path")
        columns["images"] = pa.ListArray.from_arrays(offsets, paths)
        yield hash_rows(columns)


def without_bytes(table: pa.Table) -> pa.Table:
    """Return a table of published rows whose pictures keep their path only."""
    place = table.schema.get_field_index("images")
    column = table.column(place).combine_chunks()
    paths = pa.StructArray.from_arrays([column.flatten().field("path")], names=["path"])
    offsets = column.offsets
    if len(offsets):
        offsets = pa.compute.subtract(offsets, offsets[0])
    return table.set_column(place, "images", pa.ListArray.from_arrays(offsets, paths))


def dataset_hash(splits: Mapping[tuple[str, str], str]) -> str:
    """Return the content hash of a dataset from those of its splits by (config, split).

    The content hash of a split, like that of a shard, is `hash_sequence` over the content
    hashes of its rows in order; so it does not depend on how many shards there are.
    """
    lines = [[config, split, splits[config, split]] for config, split in sorted(splits)]
    data = canonical_json(lines).encode()
    return hashlib.blake2b(data, digest_size=16, person=b"facelet-data-v1").hexdigest()


DECODE_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError),
    *(StopIteration, TypeError, ValueError),
)
"""What a task's code may raise on a row that is none of its own."""


class DamagedRowError(ValueError):
    """A row cannot be used by its task's code."""


@contextmanager
def catch_decode_errors(identifier: str, what: str = "be read back") -> Iterator[None]:
    """Turn what a task's code raises on a row into a ValueError that names the row.

    Args:
        identifier: id of the row.
        what: what the block does with the row, after "cannot".

    Raises:
        DamagedRowError: the block raised one of DECODE_ERRORS.
    """
    try:
        yield
    except DECODE_ERRORS as error:
        raise build_damage_error(identifier, error, what) from error


def build_damage_error(
    identifier: str, error: Exception, what: str = "be read back"
) -> DamagedRowError:
    """Return the error for a row that cannot be used.

    Args:
        identifier: id of the row.
        error: what the task's code raised.
        what: what was done with the row, after "cannot".
    """
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__} "
    return DamagedRowError(
        f"row {identifier!r} cannot {what}: {kind}{error}; run `facelet verify` on the dataset"
    )
