"""A long build of a text track: memory of its processes, rows a second from first to last, bytes.

Run from the repository's root (or `make bench-rows`):

    .venv/bin/python tests/benchmarks/bench_rows.py [rows=200000] [workers=2]

With rows=0 only the cost of a picture row is told, part by part.

One track of text at thirty levels is built into a folder that is thrown away. Processor seconds are
those of all its processes; wall time says little on a busy machine, so rows a second are those of a
processor second, by tenth of the stage that composes rows. Memory is what a process holds for
itself (RssAnon), so that shared libraries and maps do not count; Linux only. The stated limits are
400 MB a process, and a last tenth that takes at most 1.3 times the processor time of the second.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TASK, LEVELS = "forward_2d_text", 30
LIMIT_BYTES, LIMIT_SLOWER = 400e6, 1.3
_ANON = re.compile(r"RssAnon:\s+(\d+)")


def processes(pid: int) -> Iterator[int]:
    """Yield a process and all that it started."""
    yield pid
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from processes(int(child))


def look(pid: int, peaks: dict[int, int], spent: dict[int, float]) -> None:
    """Note the memory and the processor seconds of a process and of all that it started."""
    for one in processes(pid):
        with contextlib.suppress(OSError, TypeError, IndexError):  # it may end at any time
            found = _ANON.search(Path(f"/proc/{one}/status").read_text())
            if found:
                peaks[one] = max(peaks.get(one, 0), int(found[1]) * 1024)
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])
            spent[one] = ticks / os.sysconf("SC_CLK_TCK")


def size_of(folder: Path, pattern: str) -> int:
    """Return the bytes of the files that a pattern finds."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())


def main() -> None:
    """Build, watch, and print the figures."""
    keys = dict(word.split("=", 1) for word in sys.argv[1:])
    rows, workers = int(keys.get("rows", 200_000)), int(keys.get("workers", 2))
    count = -(-rows // LEVELS)
    pictured()
    if not rows:
        return
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "rows"
        words = ["suites=inf_bench", f"tasks={TASK}", f"inf_bench.{TASK}.count={count}"]
        command = [str(Path(sys.executable).with_name("facelet")), "build", *words]
        begun = time.perf_counter()
        build = subprocess.Popen(
            [*command, f"workers={workers}", f"out={out}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        peaks: dict[int, int] = {}
        spent: dict[int, float] = {}
        composed: list[tuple[int, float]] = [(0, 0.0)]
        work = out / ".facelet" / "compose"
        while build.poll() is None:
            look(build.pid, peaks, spent)
            shards = sum(1 for _ in work.rglob("*.parquet")) if work.is_dir() else 0
            if shards > composed[-1][0]:
                composed.append((shards, sum(spent.values())))
            time.sleep(0.5)
        wall = time.perf_counter() - begun
        error = build.stderr.read() if build.stderr else ""
        if build.returncode:
            sys.exit(f"the build ended with status {build.returncode}:\n{error[-2000:]}")
        leader = peaks.pop(build.pid, 0)
        print(
            f"{count * LEVELS:,} rows on {workers} workers: {wall:.0f} s on the wall, "
            f"{sum(spent.values()):.0f} processor s"
        )
        others = sorted(peaks.values(), reverse=True)[:workers]
        print(
            f"memory of its own: the process that leads {leader / 1e6:.0f} MB, workers "
            + ", ".join(f"{one / 1e6:.0f}" for one in others)
            + " MB"
        )
        tenths = by_tenth(composed, count * LEVELS)
        print(
            "rows a processor second while composing, by tenth: "
            + ", ".join(f"{rate:.0f}" for rate in tenths)
        )
        shards = size_of(out, "*.parquet")
        print(
            f"bytes: shards {shards:,} ({shards / (count * LEVELS):.0f} a row), plan "
            f"{size_of(out, 'plan.json'):,}, manifest {size_of(out, 'manifest.json'):,}"
        )
        kept = max([leader, *others]) <= LIMIT_BYTES
        if len(tenths) == 10:
            kept = kept and tenths[9] * LIMIT_SLOWER >= tenths[1]
        print(
            f"limits of {LIMIT_BYTES / 1e6:.0f} MB a process and {LIMIT_SLOWER} times the time "
            f"in the last tenth: {'kept' if kept else 'BROKEN'}"
        )


def pictured(count: int = 150) -> None:
    """Print what a row of the picture track costs, and the share of each part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from facelet.generators.core import registry
    from facelet.generators.core.seeding import Draw
    from facelet.pipeline.dataset.rows import IMAGE, messages, row_hashes
    from facelet.renderers.api import encode_png, pixel_hash, render

    task = registry.task("shapes/forward_deformation")
    params = task.params(level=5)
    spent: dict[str, float] = {}
    rows: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def timed(name: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        spent[name] = spent.get(name, 0.0) + time.process_time() - begun

    for index in range(count):
        with timed("question"):
            made = list(task.generate(params, Draw(("bench rows",), index), None))
        for one in made:
            with timed("prompt"):
                chat, scenes = messages(task.open(one).prompt())
            with timed("drawing"):
                images = [render(scene) for scene in scenes]
            with timed("PNG"):
                data = [encode_png(image) for image in images]
            with timed("pixel hash"):
                hashes = [pixel_hash(image) for image in images]
            both = zip(data, hashes, strict=True)
            pictures = [{"bytes": png, "path": name} for png, name in both]
            row = {"id": str(len(rows)), "messages": chat, "images": pictures}
            rows.append({**row, "image_hashes": hashes, **task.encode(one)})
    kinds = {"images": pa.array([row["images"] for row in rows], pa.list_(IMAGE))}
    table = pa.table(
        {name: kinds.get(name, pa.array([row[name] for row in rows])) for name in rows[0]}
    )
    with timed("row hash"):
        list(row_hashes(table))
    with timed("Parquet"):
        pq.write_table(table, pa.BufferOutputStream(), compression="zstd")
    total = sum(spent.values())
    shares = ", ".join(f"{name} {100 * part / total:.0f}%" for name, part in spent.items())
    print(f"a picture row, {1000 * total / len(rows):.1f} ms of a processor: {shares}")


def by_tenth(composed: list[tuple[int, float]], rows: int) -> list[float]:
    """Return rows a processor second by tenth of a stage, from how far it was at what time.

    Args:
        composed: number of shards and processor seconds, both ascending.
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
