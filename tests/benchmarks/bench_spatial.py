"""Spatial tests: rows a second of one core, as text and with pictures, against stated targets.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_spatial.py

A row is drawn, asked and its prompt built; a pictured row is also drawn and encoded as PNG. The
targets are 1,500 text rows and 150 pictured ones. Lists of solids and folds are made before.
"""

from __future__ import annotations

from itertools import count
from time import process_time

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
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


def main():
    print(f"{'rows a second':28}{'text':>8}{'picture':>9}")
    for name in task_registry.task_names():
        if name.startswith("spatial/"):
            task = task_registry.load_task(name)
            rates = {modality: measure_rate(task, modality) for modality in TARGETS}
            slow = [f"below {TARGETS[m]} ({m})" for m in TARGETS if rates[m] < TARGETS[m]]
            print(f"{name:28}{rates['text']:8,.0f}{rates['picture']:9,.0f}  {', '.join(slow)}")


if __name__ == "__main__":
    main()
