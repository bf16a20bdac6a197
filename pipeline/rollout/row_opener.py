"""Rows: a published row back into a puzzle, wherever it has been, and rows found by id.

A row may come from `datasets.load_dataset`, from Parquet, through pandas or through JSON: lists may
be arrays, numbers NumPy's, missing values NaN. Every column is brought back to the Arrow type that
it was published in. Pictures of the row are not read: they are drawn again, and must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.pipeline import family_modules
from facelet.pipeline.argument_text import suggest_nearest, unknown_word_error
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS, arrow_type
from facelet.pipeline.dataset.row_decoder import catch_decode_errors
from facelet.pipeline.dataset.sealed_answers import COMMITMENT
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.scoring.row_index import fold_id

_NEEDED = ("id", "task", "task_version")
_HANDED = ("split", "difficulty", "group", "gold", "messages", "image_hashes")
CONTENT_HASH = "content_hash"
"""Under this name a row that was read from a folder says the content hash of its split."""

_TYPES = {name: kind for name, kind, _ in COMMON_COLUMNS}


@dataclass(frozen=True, slots=True)
class OpenedRow:
    """What a row holds.

    Attributes:
        id: id of the row.
        task: the task that made it.
        instance: its puzzle.
        chat: the published messages of the first prompt; empty where the row came without them.
        hashes: pixel hashes of its published pictures; empty likewise.
        content_hash: content hash of its split; "" where the row does not say it.
    """

    id: str
    task: AnyTask
    instance: object
    chat: Chat
    hashes: tuple[str, ...]
    content_hash: str = ""


def read_row(row: Mapping[str, object]) -> OpenedRow:
    """Return what a published row holds.

    Args:
        row: the row's columns by name. Those that are no column of the task are passed over, so
            `images` may be left out.

    Raises:
        ValueError: a column is missing or holds something else than its type; or the installed
            task is not the one that made the row.
    """
    if row.get(COMMITMENT) is not None and row.get("gold") is None:
        raise ValueError(
            f"the answer of {row.get('id')!r} is kept apart; whoever holds the keys plays from the "
            "whole dataset, which facelet unseal makes"
        )
    values = {name: _row_value(row, name, _TYPES[name], False) for name in _NEEDED}
    task = family_modules.load_task(values["task"])
    if task.version != values["task_version"]:
        raise ValueError(
            f"{values['id']} was made by {task.name} version {values['task_version']}, and version "
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
    said = row[CONTENT_HASH] if CONTENT_HASH in row else None
    return said if isinstance(said, str) else ""


def _row_value(row: Mapping[str, object], name: str, kind: pa.DataType, optional: bool) -> Any:
    """Return a column of a row as the plain Python value of its Arrow type."""
    value = row[name] if name in row else None
    try:
        plain = pa.array([value], type=kind, from_pandas=True)[0].as_py()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(f"column {name!r} of the row is no {kind}: {error}") from None
    if plain is None and not optional:
        raise ValueError(
            f"the row has no column {name!r}; hand over a row as published, pictures aside"
        )
    return plain


def rows(
    folder: str | Path, config: str | None = None, split: str | None = None
) -> Iterator[dict[str, Any]]:
    """Return the rows of a dataset folder in published order, read as they are taken.

    They come without their pictures, which `open_row` draws, and with the content hash of their
    split under "content_hash", so that a transcript says which build it is of.

    Args:
        folder: a built or downloaded dataset.
        config: name of a config, "<suite>.<task>"; all of them by default.
        split: name of a split, such as "test"; all of them by default.

    Raises:
        ValueError: there is no such folder, config or split; the message lists those there are.
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
    """Return the content hashes of a dataset's splits, as rows carry them."""
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
        identifier: the id, in full or as a batch API spells it, with - for every other sign.

    Raises:
        ValueError: there is no such folder or row.
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
    """Return the first and last ids of each cell: the few that a message may suggest."""
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
