"""Compiled parts of scoring: microseconds of a processor a row hashed, a line taken; plain beside.

Run from the repository's root (or `make bench-parts`):

    .venv/bin/python tests/benchmarks/bench_parts.py [dataset]

Rows are those of `bench_score.py`, repeated to some thousand, or those of the first shard of each
task of a dataset folder, repeated to some hundred; their pictures are left aside. Lines are those
that it writes for them. Compiled and plain take turns in the same run, and each says its least
time. They must say the same, or it ends in an error. The stated limits are half the time of the
plain way for rows, a quarter for lines.
"""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import bench_score
import pyarrow as pa
import pyarrow.parquet as pq
from targets import BenchTarget, heading, print_row, summary

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import plain_lines

from facelet.generators.core import task_registry
from facelet.pipeline.dataset import dataset_reader, row_columns, row_hashes
from facelet.pipeline.scoring.ingest import json_stream

ROUNDS, SIZE, FEW = 7, 8192, 512


def sample_task_rows() -> Iterator[tuple[str, pa.Table, list[str]]]:
    """Yield names of tasks, rows and right replies."""
    bench_score.DEPTHS, bench_score.STATES = range(1, 13), 40
    for name in bench_score.MIX:
        task: Any = task_registry.load_task(f"cube/{name}")
        own, replies = bench_score.sample_rows(task)
        named = [{**one, "id": f"bench.{name}/{place:06d}"} for place, one in enumerate(own)]
        yield (
            name,
            pa.Table.from_pylist(named, schema=row_columns.arrow_schema(task.columns)),
            replies,
        )


def iterate_published(folder: Path) -> Iterator[tuple[str, pa.Table]]:
    """Yield the names of a dataset's tasks, and rows of each."""
    seen: set[str] = set()
    for path in dataset_reader.shard_paths(folder):
        with pq.ParquetFile(path) as file:
            table = row_columns.without_bytes(file.read_row_group(0))
        name = table.column("task")[0].as_py()
        if name not in seen:
            seen.add(name)
            yield name, table


def time_both(module: Any, call: Callable[[], Any], size: int) -> tuple[float, float]:
    """Return microseconds of each of so many things, compiled and plain.

    Raises:
        SystemExit: the two ways do not come to the same.
    """
    part, best = module._part, {True: 1.0, False: 1.0}
    for _ in range(ROUNDS):
        found = {}
        for compiled in best:
            module._part = part if compiled else None
            gc.collect()
            begun = process_time()
            found[compiled] = call()
            best[compiled] = min(best[compiled], process_time() - begun)
        module._part = part
        if found[True] != found[False]:
            raise SystemExit("compiled and plain do not say the same")
    return 1e6 * best[True] / size, 1e6 * best[False] / size


def print_hashing(name: str, table: pa.Table, size: int) -> float:
    """Print what hashing rows takes; return the share of it that compiled takes of plain."""
    many = pa.concat_tables([table] * -(-size // len(table))).slice(0, size).combine_chunks()
    few = row_columns.without_bytes(table.slice(0, 200)).to_pylist()
    bytes_ = sum(len(row_columns.encode_content(one)) for one in few) / len(few)
    fast, plain = time_both(row_hashes, lambda: b"".join(row_columns.batch_row_digests(many)), size)
    print_row(name, f"{bytes_:.0f}", f"{fast:.2f}", f"{plain:.2f}", f"{plain / fast:.1f}")
    return fast / plain


def lines(count: int, replies: list[str]) -> float:
    """Print what taking lines takes; return the share of it that compiled takes of plain."""
    rng = random.Random(1)
    every = [
        bench_score.prediction_line(
            f"bench.task/d07/{place:06d}", replies[place % len(replies)], 0, rng
        )
        for place in range(count)
    ]
    whole = [one for one in every if one.endswith("}")]
    data = "\n".join([*whole, ""]).encode()
    first = data[: data.find(b"\n") + 1]
    size = len(data) / len(whole)
    fields = tuple(json.loads(first))

    def take() -> object:
        if json_stream._part is None:
            return plain_lines.scan_lines(data, 0, fields)
        return json_stream.SimpleLines(data, 0, first).take(0)

    fast, plain = time_both(json_stream, take, len(whole))
    print_row("lines", f"{size:.0f}", f"{fast:.2f}", f"{plain:.2f}", f"{plain / fast:.1f}")
    return fast / plain


def main() -> None:
    """Measure, and print the figures."""
    gc.disable()
    if not row_hashes._part or not json_stream._part:
        print("not compiled here: both ways are the plain one")
    heading("", "bytes", "compiled", "plain", "times")
    targets = []
    if len(sys.argv) > 1:
        shares = [print_hashing(*one, FEW) for one in iterate_published(Path(sys.argv[1]))]
        targets.append(
            BenchTarget("rows: share of the plain time", max(shares), 1.0, 0.5, more=False)
        )
    else:
        every: list[str] = []
        for name, table, replies in sample_task_rows():
            every += replies
            share = print_hashing(name, table, SIZE)
            targets.append(
                BenchTarget(f"{name}: share of the plain time", share, 0.75, 0.5, more=False)
            )
        share = lines(SIZE, every)
        targets.append(BenchTarget("lines: share of the plain time", share, 0.4, 0.25, more=False))
    summary(targets)


if __name__ == "__main__":
    main()
