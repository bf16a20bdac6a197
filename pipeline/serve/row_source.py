"""Find rows to serve by id, from a dataset on disk or from a stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.dataset.row_hashes import hash_value
from facelet.pipeline.rollout.byte_cache import ByteCache
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.streams.row_stream import Stream, stream
from facelet.pipeline.rollout.streams.samplers import RowPlace
from facelet.pipeline.serve.settings import ServeSettings

ROW_BYTES = 64 << 20
"""Estimated bytes of the decoded rows in the cache."""

_EMPTY_ROW_BYTES = 8192

ID_CACHE_SIZE = 65536
"""Row numbers whose ids are cached."""


class RowNotFoundError(Exception):
    """A row does not exist; the message names it."""


class StreamLearner:
    """Draws rows of a stream whose sampler learns, with its state in a text that workers share."""

    def __init__(self, made: Stream) -> None:
        """Store the stream."""
        self._made, self._known = made, ""

    def draw_places(self, known: str, count: int) -> tuple[list[RowPlace], str]:
        """Return the places of the next rows, and the new state.

        Args:
            known: the state; "" at first.
            count: number of rows.
        """
        self._restore_state(known)
        return self._made.draw(count), self._save_state()

    def row_id(self, place: RowPlace) -> str:
        """Return the id of a drawn row."""
        return str(self._made.at(place)["id"])

    def learn_rewards(self, known: str, worth: Sequence[tuple[str, float]]) -> str:
        """Return the new state after some rewards.

        Args:
            known: the state.
            worth: ids of rows and rewards; rows of other streams are ignored.
        """
        self._restore_state(known)
        for identifier, reward in worth:
            if identifier.rpartition("/")[0] in self._made.cells:
                self._made.tell(identifier, min(1.0, max(0.0, reward)))
        return self._save_state()

    def _restore_state(self, known: str) -> None:
        if known and known != self._known:
            self._made.restore(json.loads(known))

    def _save_state(self) -> str:
        self._known = json.dumps(self._made.state())
        return self._known


class RowSource(ABC):
    """Rows by id.

    Attributes:
        about: description of the rows as plain JSON, without paths.
        stamp: hash of everything that determines the rows.
        endless: whether rows have numbers without end.
        learner: draws the next rows by their rewards; None if numbers determine the rows.
    """

    endless = False
    learner: StreamLearner | None = None

    def __init__(self, about: Mapping[str, Any], stamp: str) -> None:
        """Store the description and the hash."""
        self.about, self.stamp = about, stamp
        self._rows: ByteCache[str, OpenedRow] = ByteCache(ROW_BYTES)

    def read(self, identifier: str) -> OpenedRow:
        """Return the row of an id, cached.

        Raises:
            RowNotFoundError: the row does not exist.
        """
        if (found := self._rows.get(identifier)) is None:
            row = self._read_row(identifier)
            found = read_row(row)
            self._rows.put(identifier, found, len(repr(row)) + _EMPTY_ROW_BYTES)
        return found

    @abstractmethod
    def _read_row(self, identifier: str) -> AnyRow:
        """Return a row as published.

        Raises:
            RowNotFoundError: the row does not exist.
        """

    @abstractmethod
    def id_at(self, number: int) -> str:
        """Return the id of row `number`, modulo the number of rows if they end."""

    def list_ids(self, config: str, split: str, after: str, limit: int) -> list[str]:
        """Return ids in published order; none for a stream.

        Args:
            config: only this config; "" for all.
            split: only this split; "" for all.
            after: only ids after this one; "" for all.
            limit: maximum number of ids.
        """
        return []


class FolderSource(RowSource):
    """The rows of a dataset without pictures, in the memory of this process as Arrow tables."""

    def __init__(self, folder: Path) -> None:
        """Read a dataset.

        Raises:
            ValueError: the dataset does not exist or is damaged.
        """
        self._tables: list[tuple[str, str, pa.Table]] = []
        self._places: dict[str, tuple[int, int]] = {}
        for part in dataset_reader.list_splits(folder):
            table = pa.Table.from_batches(list(part.iterate_batches()))
            for k, identifier in enumerate(table.column("id").to_pylist()):
                self._places[identifier] = (len(self._tables), k)
            self._tables.append((part.config, part.name, table))
        if not self._places:
            raise ValueError(f"{str(folder)!r} has no rows; build a dataset with `facelet build`")
        self._ids = list(self._places)
        known = (folder / dataset_reader.MANIFEST).is_file()
        stamp = (
            dataset_reader.read_manifest(folder).content_hash if known else hash_value(self._ids)
        )
        configs = {
            config: {n: t.num_rows for c, n, t in self._tables if c == config}
            for config, *_ in self._tables
        }
        about = {"rows": len(self._ids), "content_hash": stamp, "configs": configs}
        super().__init__(about, stamp)

    def _read_row(self, identifier: str) -> AnyRow:
        if identifier not in self._places:
            raise RowNotFoundError(f"no row {identifier!r:.100}; GET /rows lists ids")
        which, place = self._places[identifier]
        row: AnyRow = self._tables[which][2].slice(place, 1).to_pylist()[0]
        return row

    def id_at(self, number: int) -> str:
        """Return the id of a row by its place."""
        return self._ids[number % len(self._ids)]

    def list_ids(self, config: str, split: str, after: str, limit: int) -> list[str]:
        """Return ids in published order.

        Args:
            config: only this config; "" for all.
            split: only this split; "" for all.
            after: only ids after this one; "" for all.
            limit: maximum number of ids.
        """
        return list(islice(self._iterate_ids_after(config, split, after), limit))

    def _iterate_ids_after(self, config: str, split: str, after: str) -> Iterator[str]:
        seen = not after
        for name, part, table in self._tables:
            for identifier in table.column("id").to_pylist():
                if seen and config in ("", name) and split in ("", part):
                    yield identifier
                seen = seen or identifier == after


class StreamSource(RowSource):
    """The rows of a stream, generated on demand."""

    endless = True

    def __init__(self, made: Stream, about: Mapping[str, Any]) -> None:
        """Store a stream and its description."""
        about = {**about, "cells": list(made.cells)}
        super().__init__(about, hash_value([about, made.identity]))
        self._made = made
        self.learner = None if made.is_steady else StreamLearner(made)
        self._named = lru_cache(maxsize=ID_CACHE_SIZE)(self._make_id)

    def _read_row(self, identifier: str) -> AnyRow:
        try:
            return self._made.row(identifier)
        except ValueError:
            raise RowNotFoundError(
                f"no row {identifier!r:.100}; POST /rows returns the next rows"
            ) from None

    def _make_id(self, number: int) -> str:
        return str(self._made[number]["id"])

    def id_at(self, number: int) -> str:
        """Return the id of row `number`."""
        return self._named(number)


def open_source(settings: ServeSettings) -> RowSource:
    """Open the rows that the settings name.

    Raises:
        ValueError: the rows cannot be opened.
    """
    if settings.dataset:
        return FolderSource(Path(settings.dataset).expanduser())
    made = stream(
        settings.suite,
        settings.seed,
        levels=settings.levels or None,
        sampler=settings.sampler,
        apart=settings.apart,
    )
    return StreamSource(
        made,
        {
            "stream": settings.suite,
            "levels": settings.levels,
            "seed": settings.seed,
            "sampler": settings.sampler,
            "apart": len(settings.apart),
        },
    )
