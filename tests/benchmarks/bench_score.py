"""A million predictions: seconds and peak memory of `facelet score`, with one worker and with two.

Run from the repository's root (or `make bench-score`):

    .venv/bin/python tests/benchmarks/bench_score.py [predictions] [samples]
    .venv/bin/python tests/benchmarks/bench_score.py sizes=250000,1000000 [keep=FOLDER]

The second form says what the leading process takes by phase, and its bytes a row, for datasets of
these sizes with one prediction a row (score_phases.py); with `keep` they stay in a folder, and a
second call finds them there.

The dataset is synthetic but of the real tasks and columns: a few thousand real rows, repeated
under new ids (the witnesses are random words, nobody has proven them). Every row has `samples`
predictions, 50 by default, so that a million belong to a dataset of the default build's size; with
1 the dataset has a million rows, the costliest case. The file goes through the dataset sample by
sample. Six in ten replies are the bare answer; the others all differ: a quarter introduce it, a
tenth come behind long reasoning, some cannot be parsed. One in a thousand lines is broken. The
stated limits are 30 processor seconds a million, and 1 GB at any time, workers included, which end
before all is counted. On a busy machine seconds of processor time grow too; so the time that
`json.loads` alone needs for the same lines, before and after in the same process, stands beside
them. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

LIMIT_SECONDS, LIMIT_BYTES = 30.0, 1e9
MIX = {"move_prediction": 0.6, "verification": 0.2, "move_effect": 0.1, "face_recognition": 0.1}
DEPTHS, STATES = range(1, 21), 200
THOUGHT = "Turning the right face carries the front column up and over, so I follow it round. " * 20


def write_dataset(folder: Path, count: int, samples: int) -> Path:
    """Write the dataset and the predictions, block by block; return the path of the predictions."""
    from facelet.generators.core import task_registry

    sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
    from describing import write_manifest

    predictions = folder / "predictions.jsonl"
    rng = random.Random(1)
    configs: dict[str, Any] = {}
    asked: list[tuple[str, str]] = []
    with predictions.open("w", encoding="utf-8") as file:
        for name, share in MIX.items():
            task = task_registry.load_task(f"cube/{name}")
            wanted = int(count * share) // samples
            entry, blocks = write_config(folder / "data", task, wanted)
            configs[f"bench.{name}"] = entry
            for block in blocks:
                file.writelines(prediction_line(*one, 0, rng) + "\n" for one in block)
                if samples > 1:
                    asked += block
        for number in range(1, samples):
            file.writelines(prediction_line(*one, number, rng) + "\n" for one in asked)
    write_manifest(folder / "data", configs, "bench")
    return predictions


def write_config(
    root: Path, task: Any, wanted: int
) -> tuple[dict[str, Any], Iterator[list[tuple[str, str]]]]:
    """Write a config block by block; return what the manifest says of it once all are taken.

    Args:
        root: the folder of the dataset.
        task: the task.
        wanted: number of its rows.

    Returns:
        The entry of the manifest, and the ids and right replies of each block.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from facelet.pipeline.dataset.file_integrity import hash_digests
    from facelet.pipeline.dataset.row_columns import arrow_schema, row_digests
    from facelet.pipeline.dataset.row_hashes import hash_file

    name = f"bench.{task.name.rpartition('/')[2]}"
    shape = arrow_schema(task.columns)
    rows, replies = sample_rows(task)
    base = pa.Table.from_pylist([{**row, "id": ""} for row in rows], schema=shape)
    cells = [f"{name}/d{row['difficulty']:02d}" for row in rows]
    path = root / name / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    entry = {"suite": "bench", "task": task.name, "task_version": task.version, "params": {}}

    def iterate_blocks() -> Iterator[list[tuple[str, str]]]:
        used: Counter[str] = Counter()
        digests: list[bytes] = []
        with pq.ParquetWriter(path, shape, compression="zstd") as writer:
            for again in range(-(-wanted // len(rows))):
                table = base.slice(0, wanted - again * len(rows))
                ids = []
                for cell in cells[: len(table)]:
                    ids.append(f"{cell}/{used[cell]:06d}")
                    used[cell] += 1
                groups = [f"{row['group']}/{again}" for row in rows[: len(table)]]
                for column, values in (("id", ids), ("group", groups)):
                    place = shape.get_field_index(column)
                    table = table.set_column(place, shape.field(place), pa.array(values))
                writer.write_table(table)
                digests += row_digests(table)
                yield list(zip(ids, replies, strict=False))
        about = {"rows": wanted, "bytes": path.stat().st_size}
        about |= {"content_hash": hash_digests(b"".join(digests))}
        file = {"path": path.relative_to(root).as_posix(), "sha256": hash_file(path), **about}
        entry["splits"] = {"test": {**about, "items": wanted, "cells": [], "shards": [file]}}

    return entry, iterate_blocks()


def sample_rows(task: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return published rows of a task, depth by depth, and the right reply to each."""
    import numpy as np

    from facelet.generators.core.seeding import Draw
    from facelet.generators.core.task import Reject
    from facelet.generators.cube.engine import moves, notation
    from facelet.generators.cube.engine.notation import SOLVED
    from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates

    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    replies: list[str] = []
    for depth in DEPTHS:
        states = []
        for number in range(STATES):
            faces = [int(rng.integers(6))]
            while len(faces) < depth:
                face = int(rng.integers(6))
                if face % 3 != faces[-1] % 3:
                    faces.append(face)
            word = tuple(moves.FACE_MOVES[3 * face + int(rng.integers(3))] for face in faces)
            facelets = moves.apply_maneuver(SOLVED, word)
            solution = notation.format_maneuver(notation.invert_maneuver(word))
            family = f"f{depth}-{number}"
            states.append(
                CertifiedState(
                    facelets,
                    "htm",
                    depth,
                    solution,
                    "random_word",
                    family,
                    facelets,
                    depth - 1,
                    "0" * 32,
                    1000,
                )
            )
        neighbours = depth + rng.integers(-1, 2, size=(STATES, 18))
        neighbours[:, :3] = depth + np.array([-1, 0, 1])
        pool = CertifiedStates("htm", depth, tuple(states), neighbours.astype(np.int8))
        params = task.params(depth=depth)
        for index in range(STATES):
            try:
                instances = task.generate(params, Draw(("bench", task.name, depth), index), pool)
            except Reject:
                continue
            for instance in instances:
                place = params.difficulty()
                common: dict[str, Any] = {
                    "suite": "bench",
                    "task": task.name,
                    "task_version": task.version,
                    "split": "test",
                    "difficulty_axis": place.axis,
                    "difficulty": place.value,
                    "group": task.group_key(instance),
                    "gold": task.gold_answer(instance),
                    "messages": [],
                    "images": [],
                    "image_hashes": [],
                }
                rows.append({**common, **task.encode(instance)})
                replies.append(task.reference(instance)[0])
    return rows, replies


def prediction_line(identifier: str, reply: str, number: int, rng: random.Random) -> str:
    """Return one line of the prediction file."""
    kind = rng.random()
    if kind < 0.001:
        return '{"id": "' + identifier
    if kind < 0.05:
        reply = f"I am not certain which of these it is: case {identifier}, try {number}."
    elif kind < 0.15:
        reply = f"<think>Case {identifier}. {THOUGHT}</think>\n{reply}"
    elif kind < 0.4:
        reply = f"After looking at {identifier} from all sides:\n{reply}\n"
    said = {"id": identifier, "prediction": reply, "model": "bench", "sample_idx": number}
    return json.dumps(said)


def score_here(folder: Path, workers: int) -> None:
    """Score in this process and `workers` others, and print what it took as JSON."""
    before = parsing_seconds(folder)
    peaks: dict[int, int] = {}
    together: list[int] = []
    done = threading.Event()
    watch = threading.Thread(target=watch_peaks, args=(peaks, together, done), daemon=True)
    watch.start()
    start, cpu = perf_counter(), processor_seconds()
    from facelet.pipeline.cli import main

    words = [f"dataset={folder}/data", f"predictions={folder}/predictions.jsonl"]
    sys.argv = ["facelet", "score", *words, f"out={folder}/out-{workers}", f"workers={workers}"]
    status = main()  # as in a process of the program's own
    wall, cpu = perf_counter() - start, processor_seconds() - cpu
    done.set()
    watch.join()
    own = peaks.pop(os.getpid())
    hashes = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / f"out-{workers}").iterdir())
    }
    report = {
        "status": status,
        "parsing": (before + parsing_seconds(folder)) / 2,
        "wall": wall,
        "cpu": cpu,
        "peak": own,
        "others": max(peaks.values(), default=0),
        "together": max(together),
        "hashes": hashes,
    }
    print("\n" + json.dumps(report))


def processor_seconds() -> float:
    """Return the processor seconds of this process and of those that it ended."""
    return sum(
        time.ru_utime + time.ru_stime
        for time in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def parsing_seconds(folder: Path) -> float:
    """Return the processor seconds that `json.loads` alone needs for the lines."""
    begun = process_time()
    with (folder / "predictions.jsonl").open("rb") as file:
        for text in file:
            with contextlib.suppress(ValueError):
                json.loads(text)
    return process_time() - begun


def watch_peaks(peaks: dict[int, int], together: list[int], done: threading.Event) -> None:
    """Note the memory of this process and its children, in bytes.

    `ru_maxrss` would not do: a process begins with the peak of the one that started it.

    Args:
        peaks: takes the peak of each, by process id.
        together: takes what all of them have, time after time; pages that they share count twice.
        done: set at the end.
    """
    own = os.getpid()
    while True:
        ended = done.wait(0.1)
        now = 0
        for path in Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError, KeyError):  # it may end at any time
                lines = (line.partition(":") for line in path.read_text().splitlines())
                found = {name: text.split() for name, _, text in lines}
                if own in (int(found["Pid"][0]), int(found["PPid"][0])):
                    peaks[int(found["Pid"][0])] = int(found["VmHWM"][0]) * 1024
                    now += int(found["VmRSS"][0]) * 1024
        together.append(now)
        if ended:
            return


def print_by_size(sizes: list[int], keep: Path | None) -> None:
    """Build datasets of some sizes, and print what scoring takes by phase, and by row."""
    from score_phases import measure_scoring, slope

    peaks = {}
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            folder = (keep or Path(name)) / f"rows-{size}"
            if not (folder / "predictions.jsonl").is_file():
                folder.mkdir(parents=True, exist_ok=True)
                write_dataset(folder, size, 1)
            peaks[size] = measure_scoring(folder, size, workers=2)["peak"]
    slope(peaks)


def main() -> None:
    """Build, score in fresh processes with one worker and with two, and print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        predictions = write_dataset(folder, count, samples)
        size = predictions.stat().st_size
        print(f"{count:,} predictions of {count // samples:,} rows, {size / 1e6:.0f} MB")
        reports = []
        for workers in (1, 2):
            done = subprocess.run(
                [sys.executable, __file__, "--child", name, str(workers)],
                capture_output=True,
                text=True,
                check=True,
            )
            report = json.loads(done.stdout.splitlines()[-1])
            reports.append(report)
            print(
                f"workers={workers}: wall {report['wall']:.1f} s, processor {report['cpu']:.1f} s "
                f"({1e6 * report['cpu'] / count:.0f} us a prediction, "
                f"{report['cpu'] / report['parsing']:.1f} times json.loads of the same lines), "
                f"peak memory {report['peak'] / 1e6:.0f} MB"
                + (f" and {report['others'] / 1e6:.0f} MB a worker" if report["others"] else "")
                + f", at most {report['together'] / 1e6:.0f} MB at a time"
            )
        one, two = reports
        print(f"two workers take {two['wall'] / one['wall']:.2f} of the time of one on the wall")
        same = one["hashes"] == two["hashes"]
        print(f"the same bytes in {len(one['hashes'])} files: {'yes' if same else 'NO'}")
        scale = max(count / 1_000_000, 0.05)
        within = same and all(
            report["cpu"] <= LIMIT_SECONDS * scale
            and report["together"] <= LIMIT_BYTES * max(scale, 1)
            for report in reports
        )
        print(
            f"limits of {LIMIT_SECONDS:.0f} processor seconds and 1 GB a million: "
            f"{'kept' if within else 'BROKEN'}"
        )


if __name__ == "__main__":
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    if "sizes" in given:
        kept = Path(given["keep"]) if "keep" in given else None
        print_by_size([int(size) for size in given["sizes"].split(",")], kept)
    elif sys.argv[1:2] == ["--child"]:
        score_here(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
