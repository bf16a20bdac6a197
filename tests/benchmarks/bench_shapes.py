"""Cost of deformation questions: how many a second, growth with the level, memory.

    python tests/benchmarks/bench_shapes.py [questions a figure, default 300]

Times are processor time of one core. A question is drawn, proven distinct, asked and encoded as its
row; a picture question is also drawn and hashed, without letters on its pieces and with them (in
forward questions, which have the larger pictures). The targets are 2,000 text or 60 picture
questions a second, under 5 ms and 12 KB a picture question (10 ms and 30 KB of cubes, which are
larger), cost linear in the level, and 2 ms a question of level 1000 that a ladder draws when it is
due.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

from targets import BenchTarget

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.renderers.api import render_png

TRACKS: tuple[tuple[str, str, dict[str, str]], ...] = tuple(
    (f"{label} {way}", f"{family}/{way}_deformation", more)
    for family, label, more in (
        ("shapes", "2D", {"space": "2d"}),
        ("shapes", "2.5D", {"space": "2.5d"}),
        ("cube", "3D", {}),
    )
    for way in ("forward", "inverse")
)
LEVELS = (1, 5, 10)
LETTERED = 10
MOST = {"shapes": 12, "cube": 30}
"""Kilobytes of the pictures of a question, by family: cubes are drawn larger."""
SLOW = {"shapes": 5, "cube": 10}
"""Milliseconds of a question with letters on its pictures."""


def make_question(task: Any, params: Any, index: int) -> Any:
    """Make one question as the pipeline does: drawn, asked, encoded; return its prompt."""
    for attempt in range(100):
        try:
            (instance,) = task.generate(
                params, Draw((0, "bench", params.level), index, attempt), None
            )
        except Reject:
            continue
        task.encode(instance)
        return task.open(instance).prompt()
    raise AssertionError("rejected 100 times")


def measure_costs(task: Any, params: Any, count: int, *, drawn: bool) -> tuple[float, float]:
    """Return processor seconds and bytes of pictures a question."""
    make_question(task, params, 0)
    begin, size = time.process_time(), 0
    for index in range(count):
        for scene in make_question(task, params, index).iterate_scenes():
            if drawn:
                size += len(render_png(scene)[0])
    return (time.process_time() - begin) / count, size / count


def time_drawing(task: Any, params: Any, count: int) -> float:
    """Return milliseconds of a question as `facelet next ladder=` draws it, without a row."""
    total = 0.0
    for index in range(count):
        begin = time.process_time()
        for attempt in range(100):
            try:
                draw = Draw((0, "bench", params.level), index, attempt)
                (instance,) = task.generate(params, draw, None)
            except Reject:
                continue
            task.open(instance).prompt()
            break
        total += time.process_time() - begin
    return 1000 * total / count


def main(count: int) -> None:
    """Print the figures."""
    print("track          text/s  picture/s  ms a picture question  KB   level 1000 to 100  drawn")
    targets = []
    for name, task_name, more in TRACKS:
        task = task_registry.load_task(task_name)
        text = picture = size = 0.0
        for level in LEVELS:
            params = task.params(level=level, input="text", **more)
            text += measure_costs(task, params, count, drawn=False)[0] / len(LEVELS)
            params = task.params(level=level, input="picture", **more)
            cost, bytes_ = measure_costs(task, params, max(30, count // 5), drawn=True)
            picture += cost / len(LEVELS)
            size += bytes_ / len(LEVELS) / 1000
        long = [
            measure_costs(
                task, task.params(level=level, input="text", **more), 20_000 // level, drawn=False
            )[0]
            for level in (100, 1000)
        ]
        growth = long[1] / long[0]
        due = time_drawing(task, task.params(level=1000, input="text", **more), 40)
        most = MOST[task_name.partition("/")[0]]
        print(
            f"{name:13} {1 / text:8.0f} {1 / picture:9.0f} {picture * 1e3:15.2f} {size:14.1f} "
            f"{growth:12.1f} {due:15.2f}"
        )
        targets += [
            BenchTarget(f"{name}: text questions a second", 1 / text, 2000, 3000),
            BenchTarget(f"{name}: picture questions a second", 1 / picture, 60, 200),
            BenchTarget(f"{name}: KB a picture question", size, most, most - 4, more=False),
            BenchTarget(f"{name}: level 1000 to level 100", growth, 12, 10, more=False),
            BenchTarget(f"{name}: ms a question of a ladder, level 1000", due, 2, 1, more=False),
        ]
    for name, task_name, more in TRACKS[::2]:
        task = task_registry.load_task(task_name)
        most, slow = MOST[task_name.partition("/")[0]], SLOW[task_name.partition("/")[0]]
        params = task.params(level=LETTERED, input="picture", letters=True, **more)
        cost, bytes_ = measure_costs(task, params, max(30, count // 5), drawn=True)
        print(f"{name + ', letters':21} {1 / cost:10.0f} {cost * 1e3:15.2f} {bytes_ / 1000:14.1f}")
        targets += [
            BenchTarget(
                f"{name}, letters: ms a picture question", cost * 1e3, slow, slow - 2, more=False
            ),
            BenchTarget(
                f"{name}, letters: KB a picture question", bytes_ / 1000, most, most - 2, more=False
            ),
        ]
    task, params = task_registry.load_task("shapes/inverse_deformation"), None
    peaks = []
    for batch in range(3):
        for index in range(count * (1 + batch)):
            params = task.params(level=5, input="picture", space="2.5d")
            for scene in make_question(task, params, 1000 * batch + index).iterate_scenes():
                render_png(scene)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(
        "peak memory in MB after more and more questions: " + ", ".join(f"{p:.0f}" for p in peaks)
    )
    for target in targets:
        print(f"{target.verdict:8} {target.measure}: {target.value:.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
