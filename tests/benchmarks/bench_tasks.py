"""Cost of one row of each task, and how it grows with difficulty.

    make bench-tasks            # or: python tests/benchmarks/bench_tasks.py [ITEMS]

For every registered task, at a few difficulties: microseconds a row, on one core, to make its
resource (for cubes: sample and certify the state, with neighbour distances where asked), to
generate it, to draw and encode its pictures, and to open it and judge a reply. The last column is
the peer in the same run: one matplotlib figure of a net costs so many rows of everything.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from bench_render import draw_net_figure

from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject, Task
from facelet.generators.core.task_registry import tasks
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.resource_providers import PoolContext, PoolRequest, find_provider
from facelet.renderers.api import render_png
from facelet.renderers.scenes.records import CubeNet

DEPTHS = (1, 4, 8, 12)
ITEMS = 20
TOLD = {"table": "default"}


def make_timed_resource(task: Task[Any, Any], params: Any, items: int) -> tuple[Any, int, float]:
    """Return what the task needs, how many items it carries, and the seconds it took."""
    need = task.needs(params)
    if need is None:
        return None, items, 0.0
    source = find_provider(need.kind)
    request = PoolRequest(need, "test", items)
    pool = source.plan([request], PoolContext(0, (("test", 1),), TOLD))[request]
    source.prepare([pool], TOLD, True)
    source.make(pool, 0, TOLD)  # the solver is opened outside the measurement
    start = time.process_time()
    parts = [source.make(pool, chunk, TOLD) for chunk in range(pool.chunks)]
    made = source.load(pool, source.merge(pool, parts, TOLD))
    return made, min(items, made.capacity), time.process_time() - start


def time_work(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def generate_item(task: Task[Any, Any], params: Any, index: int, pool: Any) -> list[Any]:
    for attempt in range(1000):
        try:
            return list(task.generate(params, Draw(("bench", task.name), index, attempt), pool))
        except Reject:
            continue
    raise RuntimeError(f"{task.name}: 1000 unlucky draws in a row")


def measure_task(task: Task[Any, Any], params: Any, items: int) -> dict[str, float]:
    """Return microseconds a row of each step, and the rows measured."""
    pool, items, pooling = make_timed_resource(task, params, items)
    rows, making = time_work(
        lambda: [row for index in range(items) for row in generate_item(task, params, index, pool)]
    )
    _, drawing = time_work(
        lambda: [
            render_png(scene)
            for row in rows
            for scene in dict.fromkeys(task.open(row).prompt().iterate_scenes())
        ]
    )
    replies = [task.reference(row) for row in rows]
    _, judging = time_work(
        lambda: [replay(task.open(row), said) for row, said in zip(rows, replies, strict=True)]
    )
    return {
        "rows": len(rows),
        **{
            name: 1e6 * seconds / len(rows)
            for name, seconds in (
                ("resource", pooling),
                ("generate", making),
                ("draw", drawing),
                ("judge", judging),
            )
        },
    }


def time_peer() -> float:
    """Return the microseconds of one matplotlib figure of a net, as bench_render draws it."""
    scene = CubeNet(SOLVED)
    draw_net_figure(scene)
    return time_work(lambda: [draw_net_figure(scene) for _ in range(5)])[1] / 5 * 1e6


def main() -> None:
    """Print the table."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    figure = time_peer()
    print(f"one matplotlib figure of a net: {figure:,.0f} us\n")
    print("| task | difficulty | rows | resource | generate | draw | judge | figure / row |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for task in tasks().values():
        named = {field.name for field in fields(task.params)}
        cases = [{"depth": depth} for depth in DEPTHS] if "depth" in named else [{}]
        for case in cases:
            params = task.params(**case)
            cost = measure_task(task, params, items)
            total = sum(value for name, value in cost.items() if name != "rows")
            print(
                f"| {task.name} | {params.difficulty().value} | {cost['rows']:.0f} "
                + "".join(
                    f"| {cost[name]:,.0f} " for name in ("resource", "generate", "draw", "judge")
                )
                + f"| {figure / total:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
