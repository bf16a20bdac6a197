"""Read rows of a dataset folder, find them by id, and decode them into puzzles.

A row may come from `datasets.load_dataset`, Parquet, pandas or JSON, so lists may be arrays,
numbers NumPy scalars, and missing values NaN. Every column is converted to its published Arrow
type. The pictures of a row are not read but drawn again and compared by hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.pipeline.argument_text import suggest_nearest, unknown_word_error
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.content_check import COMMITMENT
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS, arrow_type, catch_decode_errors
from facelet.pipeline.family_modules import AnyTask, load_task
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.scoring.row_index import fold_id

_NEEDED = ("id", "task", "task_version")
_HANDED = ("split", "difficulty", "group", "gold", "messages", "image_hashes")
CONTENT_HASH = "content_hash"
"""Key of the content hash of a row's split, in rows that were read from a folder."""

_TYPES = {name: kind for name, kind, _ in COMMON_COLUMNS}


@dataclass(frozen=True, slots=True)
class OpenedRow:
    """A decoded row.

    Attributes:
        id: id of the row.
        task: the task that made it.
        instance: its puzzle.
        chat: the published messages of the first prompt; empty if the row came without them.
        hashes: pixel hashes of its published pictures; empty if the row came without them.
        content_hash: content hash of its split; "" if unknown.
    """

    id: str
    task: AnyTask
    instance: object
    chat: Chat
    hashes: tuple[str, ...]
    content_hash: str = ""


def read_row(row: Mapping[str, object]) -> OpenedRow:
    """Decode a published row.

    Args:
        row: the columns by name. Columns that the task does not define are ignored, so `images` may
            be left out.

    Raises:
        ValueError: a column is missing or has another type, or another version of the task made the
            row.
    """
    if row.get(COMMITMENT) is not None and row.get("gold") is None:
        raise ValueError(
            f"the answer of {row.get('id')!r} is sealed; play from the whole dataset, which "
            "`facelet unseal` makes from the keys"
        )
    values = {name: _row_value(row, name, _TYPES[name], False) for name in _NEEDED}
    task = load_task(values["task"])
    if not task.plays_version(values["task_version"]):
        raise ValueError(
            f"{values['id']} was made by {task.name} version {values['task_version']}, but version "
            f"{task.version} is installed; play it with the facelet release that made it "
            "(manifest.json names it)"
        )
    values |= {name: _row_value(row, name, _TYPES[name], True) for name in _HANDED}
    for column in task.columns:
        values[column.name] = _row_value(row, column.name, arrow_type(column.type), column.optional)
    chat, hashes = values.pop("messages"), values.pop("image_hashes")
    with catch_decode_errors(values["id"]):
        instance = task.decode(values)
    return OpenedRow(values["id"], task, instance, chat or [], tuple(hashes or ()), _row_text(row))


def _row_text(row: Mapping[str, object]) -> str:
    said = row.get(CONTENT_HASH, None)
    return said if isinstance(said, str) else ""


def _row_value(row: Mapping[str, object], name: str, kind: pa.DataType, optional: bool) -> Any:
    """Return a column of a row as the Python value of its Arrow type."""
    value = row.get(name, None)
    try:
        plain = pa.array([value], type=kind, from_pandas=True)[0].as_py()
    except (pa.ArrowException, OverflowError, TypeError) as error:
        raise ValueError(f"column {name!r} of the row is not of type {kind}: {error}") from None
    if plain is None and not optional:
        raise ValueError(
            f"the row has no column {name!r}; pass a row as published (pictures may be left out)"
        )
    return plain


def rows(
    folder: str | Path, config: str | None = None, split: str | None = None
) -> Iterator[dict[str, Any]]:
    """Return the rows of a dataset folder in published order, read on demand.

    Rows have no pictures, which `open_row` draws, and have the content hash of their split under
    "content_hash", so that a transcript identifies the build.

    Args:
        folder: a built or downloaded dataset.
        config: name of a config, "<suite>.<task>"; all of them by default.
        split: name of a split, such as "test"; all of them by default.

    Raises:
        ValueError: the folder, config or split does not exist; the message lists existing ones.
    """
    found = dataset_reader.list_splits(Path(folder).expanduser())
    for what, word, known in (
        ("config", config, {part.config for part in found}),
        ("split", split, {part.name for part in found if config in (None, part.config)}),
    ):
        if word is not None and word not in known:
            raise unknown_word_error(what, word, sorted(known))
    chosen = [
        part for part in found if config in (None, part.config) and split in (None, part.name)
    ]
    hashes = _split_hashes(Path(folder).expanduser())
    return (
        row | hashes.get((part.config, part.name), {})
        for part in chosen
        for row in part.iterate_rows()
    )


def _split_hashes(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the content hash of each split of a dataset, as rows contain it."""
    if not (folder / dataset_reader.MANIFEST).is_file():
        return {}
    return {
        (config, split): {CONTENT_HASH: inside.content_hash}
        for config, split, inside in dataset_reader.read_manifest(folder).iterate_splits()
    }


def find_row(folder: str | Path, identifier: str) -> dict[str, Any]:
    """Return the row with an id, without its pictures.

    Args:
        folder: a built or downloaded dataset.
        identifier: the id, in full or as in batch files, where - replaces all other characters.

    Raises:
        ValueError: the folder or the row does not exist.
    """
    found = dataset_reader.list_splits(Path(folder).expanduser())
    near: list[str] = []
    for exact in (True, False):
        wanted = identifier if exact else fold_id(identifier)
        for part in found:
            ids = [row["id"] for row in part.iterate_rows(["id"])]
            places = [i for i, key in enumerate(ids) if (key if exact else fold_id(key)) == wanted]
            if len(places) == 1:
                hashes = _split_hashes(Path(folder).expanduser())
                return _row_at(part, places[0]) | hashes.get((part.config, part.name), {})
            near += nearest_of(identifier, ids) if exact else []
    raise ValueError(
        f"no row {identifier!r} in {str(folder)!r}{suggest_nearest(identifier, near)}; "
        "`facelet play dataset=...` lists the configs with an item of each"
    )


def nearest_of(identifier: str, ids: list[str]) -> list[str]:
    """Return the first and last ids of each cell as candidates for a suggestion."""
    cells: dict[str, list[str]] = {}
    for key in ids:
        cells.setdefault(key.rpartition("/")[0], []).append(key)
    own = cells.get(identifier.rpartition("/")[0])
    chosen = [own] if own else cells.values()
    return [key for cell in chosen for key in (cell[0], cell[-1])]


def _row_at(part: dataset_reader.SplitFiles, place: int) -> dict[str, Any]:
    """Return one row of a split."""
    for batch in part.iterate_batches():
        if place < len(batch):
            row: dict[str, Any] = batch.slice(place, 1).to_pylist()[0]
            return row
        place -= len(batch)
    raise AssertionError("the place of a row was counted in the same files")
