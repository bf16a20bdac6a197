"""Spatial tests: rows a second of one core, as text and with pictures, against stated targets.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_spatial.py [PUZZLES]     # or: make bench-spatial


A row is drawn, asked and its prompt built; a pictured row is also drawn and encoded as PNG. The
targets are 1,500 text rows and 150 pictured ones. Lists of solids and folds are made before.

With a number of puzzles it prints instead what players win that look at a part or can do a part,
by level: the table of conf/docs/spatial.md.
"""

from __future__ import annotations

import sys
from itertools import count
from time import process_time

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject, Status
from facelet.pipeline.audit.baseline_players import play_replies
from facelet.pipeline.spatial.baseline_players import shortcuts
from facelet.renderers.api import render_png

TARGETS = {"text": 1500, "picture": 150}
ROWS = {"text": 400, "picture": 60}


def make_row(task, params, index):
    for attempt in count():
        try:
            return task.generate(params, Draw((0, "bench"), index, attempt), None)[0]
        except Reject:
            continue


def measure_rate(task, modality):
    params = task.params(modality=modality)
    make_row(task, params, 0)
    start = process_time()
    for index in range(ROWS[modality]):
        for scene in task.open(make_row(task, params, index)).prompt().iterate_scenes():
            render_png(scene)
    return ROWS[modality] / (process_time() - start)


def measure_players(task, puzzles):
    """Yield name and share of wins by level of each player with a part of the puzzle."""
    ((axis, about),) = ((name, one) for name, one, _ in list_params(task.params) if one.axis)
    levels = [
        [make_row(task, task.params(modality="text", **{axis: value}), k) for k in range(puzzles)]
        for value in range(about.low, about.high + 1)
    ]
    for name, player in shortcuts(task).items():
        rng = make_generator("bench", task.name, name)
        shares = []
        for rows in levels:
            plays = (play_replies(task, row, player.begin(row, rng), 1).status for row in rows)
            shares.append(sum(status == Status.CORRECT for status in plays) / puzzles)
        yield name, shares


def main():
    tasks = [task_registry.load_task(n) for n in task_registry.task_names() if "spatial/" in n]
    if len(sys.argv) > 1:
        for task in tasks:
            for name, shares in measure_players(task, int(sys.argv[1])):
                print(f"{task.name:28}{name:18}", *(f"{share:5.0%}" for share in shares))
        return
    print(f"{'rows a second':28}{'text':>8}{'picture':>9}")
    for task in tasks:
        rates = {modality: measure_rate(task, modality) for modality in TARGETS}
        slow = [f"below {TARGETS[m]} ({m})" for m in TARGETS if rates[m] < TARGETS[m]]
        print(f"{task.name:28}{rates['text']:8,.0f}{rates['picture']:9,.0f}  {', '.join(slow)}")


if __name__ == "__main__":
    main()
