"""A million predictions: seconds, rows a second, and peak memory of `facelet score` on one core.

Run from the repository's root (or `make bench-score`):

    .venv/bin/python tests/benchmarks/bench_score.py [predictions] [samples]

The dataset is synthetic but of the real tasks and columns: a few thousand real rows, repeated
under new ids (the witnesses are random words, nobody has proven them). Every row has `samples`
predictions, 50 by default, so that a million belong to a dataset of the default build's size; with
1 the dataset has a million rows, the costliest case. The file goes through the dataset sample by
sample. Six in ten replies are the bare answer; the others all differ: a quarter introduce it, a
tenth come behind long reasoning, some cannot be parsed. One in a thousand lines is broken. The
stated limits are 60 seconds and 1 GB. On a busy machine seconds of processor time grow too; so the
time that `json.loads` alone needs for the same lines, in the same process, stands beside them.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

LIMIT_SECONDS, LIMIT_BYTES = 60.0, 1e9
MIX = {"move_prediction": 0.6, "verification": 0.2, "move_effect": 0.1, "face_recognition": 0.1}
DEPTHS, STATES = range(1, 21), 200
THOUGHT = "Turning the right face carries the front column up and over, so I follow it round. " * 20


def build(folder: Path, count: int, samples: int) -> Path:
    """Write the dataset and the predictions; return the path of the predictions."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from facelet.generators.core import registry
    from facelet.pipeline.dataset.rows import schema

    sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
    from describing import describe

    predictions = folder / "predictions.jsonl"
    rng = random.Random(1)
    asked: list[tuple[str, str]] = []
    for name, share in MIX.items():
        task = registry.task(f"cube/{name}")
        config = f"bench.{name}"
        shape = schema(task.columns)
        rows, replies = sample(task)
        wanted = int(count * share) // samples
        used: Counter[str] = Counter()
        folder_of = folder / "data" / config
        folder_of.mkdir(parents=True)
        path = folder_of / "test-00000-of-00001.parquet"
        with pq.ParquetWriter(path, shape, compression="zstd") as writer:
            for first in range(0, wanted, 20_000):
                block = []
                for number in range(first, min(first + 20_000, wanted)):
                    row = dict(rows[number % len(rows)])
                    cell = f"{config}/d{row['difficulty']:02d}"
                    row["id"] = f"{cell}/{used[cell]:06d}"
                    used[cell] += 1
                    row["group"] = f"{row['group']}/{number // len(rows)}"
                    block.append(row)
                    reply = replies[number % len(rows)]
                    asked.append((row["id"], reply))
                writer.write_table(pa.Table.from_pylist(block, schema=shape))
    describe(folder / "data", "bench")
    with predictions.open("w", encoding="utf-8") as file:
        for number in range(samples):
            file.writelines(line(*one, number, rng) + "\n" for one in asked)
    return predictions


def sample(task: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return published rows of a task, depth by depth, and the right reply to each."""
    import numpy as np

    from facelet.generators.core.seeding import Draw
    from facelet.generators.core.task import Reject
    from facelet.generators.cube.engine import moves, notation
    from facelet.generators.cube.engine.facelets import SOLVED
    from facelet.generators.cube.states.certified import CertifiedState, CertifiedStates

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
            facelets = moves.apply(SOLVED, word)
            solution = notation.format(notation.invert(word))
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
                    "group": task.group(instance),
                    "gold": task.gold(instance),
                    "messages": [],
                    "images": [],
                    "image_hashes": [],
                }
                rows.append({**common, **task.encode(instance)})
                replies.append(task.reference(instance)[0])
    return rows, replies


def line(identifier: str, reply: str, number: int, rng: random.Random) -> str:
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


def child(folder: Path) -> None:
    """Score in this process, on one core, and print what it took as JSON."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    cpu = process_time()
    with (folder / "predictions.jsonl").open("rb") as file:
        for text in file:
            with contextlib.suppress(ValueError):
                json.loads(text)
    parsing = process_time() - cpu
    start, cpu = perf_counter(), process_time()
    from facelet.pipeline.cli import main

    words = [f"dataset={folder}/data", f"predictions={folder}/predictions.jsonl"]
    status = main(["score", *words, f"out={folder}/out"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    report = {
        "status": status,
        "parsing": parsing,
        "wall": perf_counter() - start,
        "cpu": process_time() - cpu,
        "peak": peak,
    }
    print("\n" + json.dumps(report))


def main() -> None:
    """Build, score in a fresh process, and print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        predictions = build(folder, count, samples)
        size = predictions.stat().st_size
        print(f"{count:,} predictions, {size / 1e6:.0f} MB of JSON Lines; scoring on one core ...")
        done = subprocess.run(
            [sys.executable, __file__, "--child", name],
            capture_output=True,
            text=True,
            check=True,
        )
        print(done.stdout)
        report = json.loads(done.stdout.splitlines()[-1])
        print(
            f"wall {report['wall']:.1f} s, cpu {report['cpu']:.1f} s "
            f"({count / report['cpu']:,.0f} rows a second of cpu), "
            f"peak memory {report['peak'] / 1e6:.0f} MB"
        )
        print(
            f"json.loads alone of the same lines: {report['parsing']:.1f} s of cpu; scoring takes "
            f"{report['cpu'] / report['parsing']:.1f} times as long"
        )
        scale = count / 1_000_000
        within = report["cpu"] <= LIMIT_SECONDS * max(scale, 0.05) and report["peak"] <= LIMIT_BYTES
        print(
            f"limits of {LIMIT_SECONDS:.0f} s a million and 1 GB: {'kept' if within else 'BROKEN'}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]))
    else:
        main()
