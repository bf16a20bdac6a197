"""Where the served rows come from: a dataset on disk, or a stream. Both find a row by its id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.content_hash import hash_value
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.streams.row_stream import Stream, stream
from facelet.pipeline.rollout.streams.samplers import RowPlace
from facelet.pipeline.serve.settings import ServeSettings

ROW_CACHE_SIZE = 8192
"""Rows that are kept as they were read."""


class RowNotFoundError(Exception):
    """There is no such row; the message says which is meant."""


class StreamLearner:
    """What a stream has learned, as a text that workers hand on to each other."""

    def __init__(self, made: Stream) -> None:
        """Take the stream, whose sampler learns."""
        self._made, self._known = made, ""

    def draw_places(self, known: str, count: int) -> tuple[list[RowPlace], str]:
        """Return where the next rows come from, and what is known then.

        Args:
            known: what is known; "" for nothing.
            count: how many rows.
        """
        self._restore_state(known)
        return self._made.draw(count), self._save_state()

    def row_id(self, place: RowPlace) -> str:
        """Return the id of a row that was drawn."""
        return str(self._made.at(place)["id"])

    def learn_rewards(self, known: str, worth: Sequence[tuple[str, float]]) -> str:
        """Return what is known after some rewards.

        Args:
            known: what is known.
            worth: ids of rows, and what replies were worth; rows of others are left out.
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


class RowSource(Protocol):
    """Rows by id.

    Attributes:
        about: what is served, as plain JSON; no path stands in it.
        stamp: hash of all that decides the rows.
        endless: whether rows have numbers without end.
        learner: draws the next rows by the rewards that were told; None where numbers say them.
    """

    about: Mapping[str, Any]
    stamp: str
    endless: bool
    learner: StreamLearner | None

    def read(self, identifier: str) -> OpenedRow:
        """Return a row.

        Raises:
            NoRowError: there is none.
        """
        ...

    def id_at(self, number: int) -> str:
        """Return the id of row `number`, modulo their number where they end."""
        ...

    def list_ids(self, config: str, split: str, after: str, limit: int) -> list[str]:
        """Return ids in published order; none of a stream.

        Args:
            config: of this config; "" for all.
            split: of this split; "" for all.
            after: behind this id; "" from the first on.
            limit: most ids.
        """
        ...


class FolderSource:
    """The rows of a dataset, without their pictures, in this process's memory as Arrow has them."""

    endless = False
    learner: StreamLearner | None = None

    def __init__(self, folder: Path) -> None:
        """Read a dataset.

        Raises:
            ValueError: there is no such dataset, or it is damaged.
        """
        self._tables: list[tuple[str, str, pa.Table]] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._ids: list[str] = []
        for part in dataset_reader.list_splits(folder):
            table = pa.Table.from_batches(list(part.iterate_batches()))
            for k, identifier in enumerate(table.column("id").to_pylist()):
                self._places[identifier] = (len(self._tables), k)
                self._ids.append(identifier)
            self._tables.append((part.config, part.name, table))
        if not self._ids:
            raise ValueError(f"{str(folder)!r} holds no rows; build one with `facelet build`")
        known = (folder / dataset_reader.MANIFEST).is_file()
        self.stamp = (
            dataset_reader.read_manifest(folder).content_hash if known else hash_value(self._ids)
        )
        self.about: Mapping[str, Any] = {
            "rows": len(self._ids),
            "content_hash": self.stamp,
            "configs": {
                config: {n: t.num_rows for c, n, t in self._tables if c == config}
                for config, *_ in self._tables
            },
        }
        self.read = lru_cache(maxsize=ROW_CACHE_SIZE)(self._read_row)

    def _read_row(self, identifier: str) -> OpenedRow:
        if identifier not in self._places:
            raise RowNotFoundError(f"no row {identifier!r:.100}; GET /rows lists ids")
        which, place = self._places[identifier]
        return read_row(self._tables[which][2].slice(place, 1).to_pylist()[0])

    def id_at(self, number: int) -> str:
        """Return the id of a row by its place."""
        return self._ids[number % len(self._ids)]

    def list_ids(self, config: str, split: str, after: str, limit: int) -> list[str]:
        """Return ids in published order.

        Args:
            config: of this config; "" for all.
            split: of this split; "" for all.
            after: behind this id; "" from the first on.
            limit: most ids.
        """
        return list(islice(self._iterate_ids_after(config, split, after), limit))

    def _iterate_ids_after(self, config: str, split: str, after: str) -> Iterator[str]:
        seen = not after
        for name, part, table in self._tables:
            for identifier in table.column("id").to_pylist():
                if seen and config in ("", name) and split in ("", part):
                    yield identifier
                seen = seen or identifier == after


class StreamSource:
    """The rows of a stream, made when they are asked for."""

    endless = True

    def __init__(self, made: Stream, about: Mapping[str, Any]) -> None:
        """Take a stream, and what is said of it."""
        self._made = made
        self.learner = None if made.is_steady else StreamLearner(made)
        self.about: Mapping[str, Any] = {**about, "cells": list(made.cells)}
        self.stamp = hash_value(dict(self.about))
        self.read = lru_cache(maxsize=ROW_CACHE_SIZE)(self._make_row)
        self._named = lru_cache(maxsize=ROW_CACHE_SIZE)(self._make_id)

    def _make_row(self, identifier: str) -> OpenedRow:
        try:
            return read_row(self._made.row(identifier))
        except ValueError:
            raise RowNotFoundError(
                f"no row {identifier!r:.100}; POST /rows gives the next"
            ) from None

    def _make_id(self, number: int) -> str:
        return str(self._made[number]["id"])

    def id_at(self, number: int) -> str:
        """Return the id of row `number`."""
        return self._named(number)

    def list_ids(self, config: str, split: str, after: str, limit: int) -> list[str]:
        """Return none: a stream has no list.

        Args:
            config: of this config; "" for all.
            split: of this split; "" for all.
            after: behind this id; "" from the first on.
            limit: most ids.
        """
        return []


def open_source(settings: ServeSettings) -> RowSource:
    """Return the rows that the settings name.

    Raises:
        ValueError: they cannot be had.
    """
    if settings.dataset:
        return FolderSource(Path(settings.dataset).expanduser())
    told: dict[str, Any] = {"levels": settings.levels} if settings.levels else {}
    apart: Sequence[str] = settings.apart
    made = stream(settings.suite, settings.seed, sampler=settings.sampler, apart=apart, **told)
    return StreamSource(
        made,
        {
            "stream": settings.suite,
            "levels": settings.levels,
            "seed": settings.seed,
            "sampler": settings.sampler,
            "apart": len(apart),
        },
    )
