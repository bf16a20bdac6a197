"""Select the composed rows to publish where a task limits how many may share a value.

A tree of decisions passes the few states near its goal again and again, so that most of its rows
would be about these. A task's `ration` names a column and the most rows of a config's split that
may share a value of it. The first row of an item always stands. The others are given out to item 0
of each level, then to item 1 of each, and so on: an item has the same rows however many follow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from facelet.generators.core.shown_keys import RowQuota
from facelet.pipeline.build.build_folder import CompletionRecord, read_table
from facelet.pipeline.dataset.row_columns import id_numbers

RowRun = tuple[int, int]
"""Rows of a shard that follow each other: the first, and the one after the last."""


def select_published_runs(
    out: Path, shards: Sequence[tuple[int, CompletionRecord]], ration: RowQuota | None
) -> list[list[RowRun]]:
    """Return which rows of each shard are published.

    Args:
        out: the dataset folder.
        shards: the composed shards of one split of a config, in order, each with the number of its
            level.
        ration: how many rows may share a value; None for any number.
    """
    if ration is None:
        return [[(0, record.rows)] for _, record in shards]
    taken: Counter[str] = Counter()
    kept: list[list[bool]] = []
    asked: list[tuple[int, int, int, int, int, str]] = []
    for number, (level, record) in enumerate(shards):
        table = read_table(out, record, ["id", ration.column])
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        stand = []
        for row, (identifier, value) in enumerate(rows):
            item, place = id_numbers(identifier)
            stand.append(not place)
            if place:
                asked.append((item, level, place, number, row, value))
            else:
                taken[value] += 1
        kept.append(stand)
    for *_, number, row, value in sorted(asked):
        if taken[value] < ration.rows:
            taken[value] += 1
            kept[number][row] = True
    return [list(_iterate_kept_runs(stand)) for stand in kept]


def _iterate_kept_runs(kept: Sequence[bool]) -> Iterator[RowRun]:
    """Yield the runs of rows that are kept."""
    for stands, run in groupby(range(len(kept)), key=kept.__getitem__):
        if stands:
            rows = list(run)
            yield rows[0], rows[-1] + 1
