"""A long build: memory of its processes, rows a second from first to last, bytes, a billion rows.

Run from the repository's root (or `make bench-rows ROWS=2000000 PICTURES=200000`):

    .venv/bin/python tests/benchmarks/bench_rows.py [rows=200000] [pictures=0] [workers=2]
    .venv/bin/python tests/benchmarks/bench_rows.py levels=300

With rows=0 only the cost of a picture row is told, part by part. With levels=N, so many levels of
16 rows of text are built on one worker, and as many rows in eight levels that are as high on
average: a level should cost what its rows cost, at most 1.15 times as much (300: a minute or two of
a processor, 1000: ten).

One build makes so many rows of a text track, and of the same track with pictures, at thirty levels,
in a folder that is thrown away. Processor seconds are those of all its processes; wall time says
little on a busy machine, so rows a second are those of a processor second, by tenth of a stage and
track. Where both tracks are made at once, the time of the other counts too. Memory is what a
process holds for itself (RssAnon), so that shared libraries and maps do not count; Linux only. The
stated limits are 400 MB a process, and a last tenth that takes at most 1.3 times the processor time
of the second, in stages of a hundred shards of the track that has more rows.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEXT, PICTURES, LEVELS = "forward_2d_text", "forward_2d", 30
STAGES = ("compose", "emit")
LIMIT_BYTES, LIMIT_SLOWER, JUDGED = 400e6, 1.3, 100
FEW, OF_LEVEL, LIMIT_LEVELS = 8, 16, 1.15
BILLION = 1e9
_ANON = re.compile(r"RssAnon:\s+(\d+)")

Series = list[tuple[int, float]]
"""Shards of a stage and processor seconds so far, both ascending."""


def iterate_processes(pid: int) -> Iterator[int]:
    """Yield a process and all that it started."""
    yield pid
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from iterate_processes(int(child))


def note_usage(pid: int, peaks: dict[int, int], spent: dict[int, float]) -> None:
    """Note the memory and the processor seconds of a process and of all that it started."""
    for one in iterate_processes(pid):
        with contextlib.suppress(OSError, TypeError, IndexError):  # it may end at any time
            found = _ANON.search(Path(f"/proc/{one}/status").read_text())
            if found:
                peaks[one] = max(peaks.get(one, 0), int(found[1]) * 1024)
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])
            spent[one] = ticks / os.sysconf("SC_CLK_TCK")


def count_files(folder: Path, pattern: str = "*.parquet") -> tuple[int, int]:
    """Return how many files below a folder a pattern finds, and their bytes."""
    sizes = [path.stat().st_size for path in folder.rglob(pattern) if path.is_file()]
    return len(sizes), sum(sizes)


def shard_folders(out: Path, track: str) -> dict[str, Path]:
    """Return where the shards of a track go, by stage."""
    config = f"inf_bench.{track}"
    return {"compose": out / ".facelet" / "compose" / config, "emit": out / config}


def main() -> None:
    """Build, watch, and print the figures."""
    keys = dict(word.split("=", 1) for word in sys.argv[1:])
    rows, pictures = int(keys.get("rows", 200_000)), int(keys.get("pictures", 0))
    workers = int(keys.get("workers", 2))
    if "levels" in keys:
        with tempfile.TemporaryDirectory(dir=keys.get("folder")) as name:
            compare_level_counts(Path(name), int(keys["levels"]))
        return
    print_picture_costs()
    if not rows:
        return
    counts = {track: -(-asked // LEVELS) for track, asked in ((TEXT, rows), (PICTURES, pictures))}
    counts = {track: count for track, count in counts.items() if count}
    with tempfile.TemporaryDirectory(dir=keys.get("folder")) as name:
        out = Path(name) / "rows"
        build_tracks(out, counts, workers)


def compare_level_counts(folder: Path, levels: int) -> None:
    """Build so many levels of few rows, and as many rows in few levels, and print the ratio.

    Args:
        folder: where both go.
        levels: how many.
    """
    middles = [max(1, round(levels * (2 * part + 1) / (2 * FEW))) for part in range(FEW)]
    both = {
        f"{levels} levels": (f"1-{levels}", OF_LEVEL),
        f"{FEW} levels": (",".join(map(str, middles)), levels * OF_LEVEL // FEW),
    }
    costs = []
    for what, (said, count) in both.items():
        words = ["suites=inf_bench", f"tasks=[{TEXT}]", f"levels={said}"]
        words += [f"inf_bench.{TEXT}.count={count}", "workers=1", f"out={folder / what}"]
        made = subprocess.Popen(
            [str(Path(sys.executable).with_name("facelet")), "build", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        peaks: dict[int, int] = {}
        spent: dict[int, float] = {}
        while made.poll() is None:
            note_usage(made.pid, peaks, spent)
            time.sleep(0.2)
        printed, error = made.communicate()
        if made.returncode:
            sys.exit(f"the build ended with status {made.returncode}:\n{error[-2000:]}")
        costs.append(sum(spent.values()))
        print(
            f"{what} of {count} rows, {levels * OF_LEVEL:,} in all: {costs[-1]:.1f} processor s, "
            f"{1000 * costs[-1] / levels / OF_LEVEL:.2f} ms a row, "
            f"{max(peaks.values()) / 1e6:.0f} MB of memory of its own"
        )
        print(next(line for line in printed.splitlines() if line.startswith("content hash")))
    ratio = costs[0] / costs[1]
    verdict = "kept" if ratio <= LIMIT_LEVELS else "BROKEN"
    print(f"many levels cost {ratio:.2f} times as much; limit {LIMIT_LEVELS}: {verdict}")


def build_tracks(out: Path, counts: dict[str, int], workers: int) -> None:
    """Build some tracks in one build, and print its figures.

    Args:
        out: the folder.
        counts: rows of each level, by track.
        workers: processes that make shards.
    """
    words = ["suites=inf_bench", f"tasks=[{','.join(counts)}]"]
    words += [f"inf_bench.{track}.count={count}" for track, count in counts.items()]
    whole = LEVELS * sum(counts.values())
    begun = time.perf_counter()
    command = [str(Path(sys.executable).with_name("facelet")), "build", *words]
    made = subprocess.Popen(
        [*command, f"workers={workers}", f"out={out}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    peaks: dict[int, int] = {}
    spent: dict[int, float] = {}
    places = {
        (stage, track): shard_folders(out, track)[stage] for track in counts for stage in STAGES
    }
    done: dict[tuple[str, str], Series] = {place: [(0, 0.0)] for place in places}
    while made.poll() is None:
        note_usage(made.pid, peaks, spent)
        total = sum(spent.values())
        for place, folder in places.items():
            shards = sum(path.is_file() for path in folder.rglob("*")) if folder.is_dir() else 0
            if shards > done[place][-1][0]:
                done[place].append((shards, total))
            elif len(done[place]) == 1:
                done[place] = [(0, total)]  # it has not begun
        time.sleep(max(0.5, whole / 400_000))
    wall = time.perf_counter() - begun
    said, error = made.communicate()
    if made.returncode:
        sys.exit(f"the build ended with status {made.returncode}:\n{error[-2000:]}")
    cost = sum(spent.values())
    asked = ", ".join(f"{count * LEVELS:,} of {track}" for track, count in counts.items())
    print(
        f"{whole:,} rows ({asked}) on {workers} workers: {wall:.0f} s on the wall, {cost:.0f} "
        f"processor s, {1000 * cost / whole:.2f} ms a row"
    )
    for line in said.splitlines():
        if line.startswith(("content hash", "seconds")):
            print(line)
    leader = peaks.pop(made.pid, 0)
    others = sorted(peaks.values(), reverse=True)[:workers]
    print(
        f"memory of its own: the process that leads {leader / 1e6:.0f} MB, workers "
        + ", ".join(f"{one / 1e6:.0f}" for one in others)
        + " MB"
    )
    kept = max([leader, *others]) <= LIMIT_BYTES
    for (stage, track), series in done.items():
        tenths = rates_by_tenth(series, counts[track] * LEVELS)
        rates = ", ".join(f"{rate:.0f}" for rate in tenths)
        print(f"{track}, {stage}: rows a processor second, by tenth: {rates}")
        judged = track == max(counts, key=lambda name: counts[name])
        if judged and len(tenths) == 10 and series[-1][0] >= JUDGED:
            kept = kept and tenths[9] * LIMIT_SLOWER >= tenths[1]
    print_sizes(out, counts, cost)
    print(
        f"limits of {LIMIT_BYTES / 1e6:.0f} MB a process and {LIMIT_SLOWER} times the time "
        f"in the last tenth: {'kept' if kept else 'BROKEN'}"
    )


def print_sizes(out: Path, counts: dict[str, int], cost: float) -> None:
    """Print how large a dataset and its work folder are, and what a billion such rows would be.

    Args:
        out: its folder.
        counts: rows of each level, by track.
        cost: processor seconds that it took.
    """
    whole = LEVELS * sum(counts.values())
    shards = size = 0
    for track, count in counts.items():
        here, bytes_ = count_files(shard_folders(out, track)["emit"])
        shards, size = shards + here, size + bytes_
        print(f"{track}: {here:,} files, {bytes_:,} bytes, {bytes_ / count / LEVELS:.0f} a row")
    work = out / ".facelet"
    plan, manifest = (count_files(out, name)[1] for name in ("plan.json", "manifest.json"))
    configs = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["configs"]
    each = sum(
        len(json.dumps(split["shards"]))
        for config in configs.values()
        for split in config["splits"].values()
    )
    pieces, held = count_files(work, "*")
    print(
        f"plan {plan:,} bytes; manifest {manifest:,} bytes, {each / shards:.0f} of them a file; "
        f"work folder {pieces:,} files, {held:,} bytes, which may be deleted once it is built"
    )
    more = BILLION / whole
    print(
        f"a billion rows like these: {cost * more / 3600:,.0f} core-hours, "
        f"{size * more / 1e12:.2f} TB in {shards * more:,.0f} files, manifest "
        f"{(manifest + each * (more - 1)) / 1e6:,.0f} MB, plan {plan / 1000:,.0f} KB whatever the "
        f"rows, work folder {held * more / 1e12:.2f} TB in {pieces * more:,.0f} files; to a store, "
        "at least a request a file"
    )


def print_picture_costs(count: int = 600, warm: int = 100) -> None:
    """Print what a row of the picture track costs, and the share of each part.

    Args:
        count: rows.
        warm: so many more are made before them, as what is drawn once is kept.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from facelet.generators.core import task_registry
    from facelet.generators.core.seeding import Draw
    from facelet.pipeline.dataset.row_columns import IMAGE, prompt_to_messages, row_hashes
    from facelet.renderers.api import encode_png, render_scene
    from facelet.renderers.pixel_hash import pixel_hash

    task = task_registry.load_task("shapes/forward_deformation")
    params = task.params(level=5)
    spent: dict[str, float] = {}
    rows: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def time_part(name: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        spent[name] = spent.get(name, 0.0) + time.process_time() - begun

    for index in range(warm + count):
        if index == warm:
            spent.clear()
            rows.clear()
        with time_part("question"):
            made = list(task.generate(params, Draw(("bench rows",), index), None))
        for one in made:
            with time_part("prompt"):
                chat, scenes = prompt_to_messages(task.open(one).prompt())
            with time_part("drawing"):
                images = [render_scene(scene) for scene in scenes]
            with time_part("PNG"):
                data = [encode_png(image) for image in images]
            with time_part("pixel hash"):
                hashes = [pixel_hash(image) for image in images]
            both = zip(data, hashes, strict=True)
            pictures = [{"bytes": png, "path": name} for png, name in both]
            row = {"id": str(len(rows)), "messages": chat, "images": pictures}
            rows.append({**row, "image_hashes": hashes, **task.encode(one)})
    kinds = {"images": pa.array([row["images"] for row in rows], pa.list_(IMAGE))}
    table = pa.table(
        {name: kinds.get(name, pa.array([row[name] for row in rows])) for name in rows[0]}
    )
    with time_part("row hash"):
        list(row_hashes(table))
    with time_part("Parquet"):
        pq.write_table(table, pa.BufferOutputStream(), compression="zstd")
    total = sum(spent.values())
    shares = ", ".join(f"{name} {100 * part / total:.0f}%" for name, part in spent.items())
    print(f"a picture row, {1000 * total / len(rows):.1f} ms of a processor: {shares}")


def rates_by_tenth(composed: Series, rows: int) -> list[float]:
    """Return rows a processor second by tenth of a stage, from how far it was at what time.

    Args:
        composed: how far it was.
        rows: number of rows of all of them.
    """
    total = composed[-1][0]
    if total < 10:
        return []
    rates, before, place = [], composed[0], 0
    for tenth in range(1, 11):
        while place < len(composed) - 1 and composed[place][0] * 10 < total * tenth:
            place += 1
        done, spent = composed[place]
        if spent > before[1]:
            rates.append((done - before[0]) / total * rows / (spent - before[1]))
            before = composed[place]
    return rates


if __name__ == "__main__":
    main()
