"""Write the tables of all predictions and of all replies, for analysis and reading.

Replies are written while they are graded, block by block, so that the writer holds no more of them
than the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.task import Status
from facelet.pipeline.dataset.atomic_files import write_atomically
from facelet.pipeline.scoring.array_types import Bools, Ints
from facelet.pipeline.scoring.grade.dispositions import DISPOSITIONS
from facelet.pipeline.scoring.grade.graded_columns import CODE, KINDS, STATUSES
from facelet.pipeline.scoring.grade.outcome_store import Keep
from facelet.pipeline.scoring.grade.population import LabelCodes, Population, SettledEntries
from facelet.pipeline.scoring.grade.prediction_blocks import REPLIES
from facelet.pipeline.scoring.worker_pool import each_ahead

_WRITE_ROWS = 65536


def write_items(found: Sequence[Population], path: Path, threads: int = 1) -> None:
    """Write the table of all entries: one row a prediction, and one a row without any.

    Args:
        found: the entries.
        path: the file.
        threads: most threads that make rows.

    Columns: id, config, split, model, sample_idx (null where missing), status, disposition (of the
    record; see facelet.pipeline.scoring.grade.dispositions; null where missing), strict, gold (as
    published), gold_labels and answer (element by element, as replayed; empty where unknown),
    difficulty, group, finish_reasons (of each reply, "" where that is not told; empty where none
    is), replies_cut, replies_filtered, replies_null, replies_empty and replies_damaged (numbers of
    replies; see facelet.pipeline.scoring.grade.graded_columns), and metric_<name> for every
    metric.
    """
    settled = found[0].settled
    metrics = sorted(settled.all_metrics)
    labels = pa.array(list(settled.ledger.labels), pa.string())
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("config", pa.string()),
            ("split", pa.string()),
            ("model", pa.string()),
            ("sample_idx", pa.int32()),
            ("status", pa.string()),
            ("disposition", pa.string()),
            ("strict", pa.bool_()),
            ("gold", pa.string()),
            ("gold_labels", pa.list_(pa.string())),
            ("answer", pa.list_(pa.string())),
            ("difficulty", pa.int32()),
            ("group", pa.string()),
            ("finish_reasons", pa.list_(pa.string())),
            *((f"replies_{kind}", pa.int32()) for kind in KINDS),
            *((f"metric_{name}", pa.float64()) for name in metrics),
        ]
    )
    with (
        write_atomically(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for population in found:
            # What counting left behind in the allocator would otherwise stay.
            pa.default_memory_pool().release_unused()
            part = population.part
            texts = {name: part.read(name) for name in ("id", "gold", "group", "difficulty")}
            make = partial(_items_table, population, texts, labels, metrics, schema)
            for table in each_ahead(make, _iterate_chunks(population), threads):
                writer.write_table(table)


def _iterate_chunks(population: Population) -> Iterator[Ints]:
    """Yield places in `settled`, or -1 - row for a row without any entry, ordered by row."""
    settled, part = population.settled, population.part
    rows = settled.rows[population.first : population.last] - part.first_number
    absent = np.flatnonzero((np.bincount(rows, minlength=part.count) == 0) & population.counted)
    keys = np.concatenate((rows, absent))
    places = np.concatenate((np.arange(population.first, population.last), -1 - absent))
    places = places[np.argsort(keys, kind="stable")]
    yield from (places[first : first + _WRITE_ROWS] for first in range(0, len(places), _WRITE_ROWS))


def _items_table(
    population: Population,
    texts: Mapping[str, pa.Array],
    labels: pa.Array,
    metrics: Sequence[str],
    schema: pa.Schema,
    places: Ints,
) -> pa.Table:
    settled, part = population.settled, population.part
    there = places >= 0
    entry = np.where(there, places, 0)
    source = np.where(there, settled.source[entry], -1) if len(settled.source) else places
    row = np.where(there, settled.rows[entry] - part.first_number, -1 - places)
    statuses = pa.array([status.value for status in STATUSES])
    codes = np.where(there, settled.statuses[entry], CODE[Status.MISSING])
    golds, gold_place = settled.gold_codes
    answered = there & (settled.statuses[entry] != CODE[Status.DUPLICATE])
    size = len(places)
    columns = {
        "id": _take_rows(texts["id"], row),
        "config": pa.repeat(part.split_name[0], size),
        "split": pa.repeat(part.split_name[1], size),
        "model": pa.repeat(population.model, size),
        "sample_idx": pa.array(settled.samples[entry], pa.int32(), mask=~there),
        "status": statuses.take(pa.array(codes)),
        "disposition": pa.array(DISPOSITIONS).take(
            pa.array(settled.dispositions[entry], mask=~there)
        ),
        "strict": pa.array(settled.strict[entry] & there),
        "gold": _take_rows(texts["gold"], row),
        "gold_labels": _label_arrays(golds, gold_place[row + part.first_number], labels),
        "answer": _label_arrays(settled.answer_codes, np.where(answered, source, -1), labels),
        "difficulty": _take_rows(texts["difficulty"], row),
        "group": _take_rows(texts["group"], row),
    }
    columns |= _ending_columns(settled, source, answered)
    for name in metrics:
        chosen = settled.metric_at(name, np.maximum(source, 0))
        columns[f"metric_{name}"] = pa.array(chosen, mask=~answered | np.isnan(chosen))
    return pa.table(columns, schema=schema)


def _ending_columns(settled: SettledEntries, source: Ints, answered: Bools) -> dict[str, pa.Array]:
    """Return the columns about how replies ended.

    Args:
        settled: all entries.
        source: places in the ledger of the entries, -1 for none.
        answered: which of them count.
    """
    column = settled.ledger.endings
    words, known = list(column.words), column.distinct_endings()
    codes = np.full(len(source), -1, dtype=np.int32)
    codes[answered] = np.asarray(column.codes)[source[answered]]
    used, place = np.unique(codes, return_inverse=True)
    names = [known[code] if code >= 0 else None for code in used.tolist()]
    index = pa.array(place)
    reasons = [[words[n] for n in one.reasons] if one else [] for one in names]
    found = {"finish_reasons": pa.array(reasons, pa.list_(pa.string())).take(index)}
    for kind in KINDS:
        counts = pa.array([getattr(one, kind) if one else None for one in names], pa.int32())
        found[f"replies_{kind}"] = counts.take(index)
    return found


def _take_rows(column: pa.Array, rows: Ints) -> pa.Array:
    """Return some rows of a column; those that follow each other are not copied."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and bool(np.all(np.diff(rows) == 1)):
        return column.slice(int(rows[0]), len(rows))
    return column.take(pa.array(rows))


def _label_arrays(codes: LabelCodes, places: Ints, labels: pa.Array) -> pa.Array:
    """Return lists of labels as an Arrow array; place -1 is the empty list."""
    known = places >= 0
    place = np.maximum(places, 0)
    if not len(codes.lengths):
        return pa.array([[]] * len(places), pa.list_(pa.string()))
    lengths = np.where(known, codes.lengths[place], 0)
    ends = np.cumsum(lengths)
    offset = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    chosen = codes.codes[np.repeat(codes.starts[place], lengths) + offset]
    offsets = pa.array(np.concatenate(([0], ends)), pa.int32())
    return pa.ListArray.from_arrays(offsets, labels.take(pa.array(chosen)))


@contextmanager
def replies_file(path: Path) -> Iterator[Keep]:
    """Yield what writes the replies of a block to a Parquet file, which is whole or not there.

    Args:
        path: where the file goes.
    """
    with (
        write_atomically(path) as file,
        pq.ParquetWriter(file, REPLIES, compression="zstd") as writer,
    ):
        yield writer.write_table


def relabel_replies(path: Path, names: Sequence[str], models: Ints, samples: Ints) -> None:
    """Give the replies of a file other models and samples.

    Args:
        path: the file.
        names: names of the models by code.
        models: the code of the model of each reply.
        samples: its sample index.
    """
    known, start = pa.array(names, pa.string()), 0
    with pq.ParquetFile(path) as file, replies_file(path) as keep:
        for batch in file.iter_batches():
            end = start + len(batch)
            model, sample = known.take(pa.array(models[start:end])), pa.array(samples[start:end])
            keep(pa.table([batch.column(0), model, sample, batch.column(3)], schema=REPLIES))
            start = end
