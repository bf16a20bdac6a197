"""Test chambers: how many maps an hour, and the engine against the tests' cell-by-cell twin.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_chamber.py [maps=8] [steps=7,12,18,24]

A map is a chamber with a proven shortest plan and five mistakes, as the suite marble asks for it in
each of its bands.
Maps are counted by processor time, for two processors: other work on the machine does not count.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from chamber_twin import Twin

import facelet
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.maps.making import made
from facelet.generators.chamber.maps.records import Knobs, Map

CORES, MUST, ROWS = 2, 1000, 200


def main() -> None:
    """Measure and print."""
    words = dict(word.split("=") for word in sys.argv[1:])
    count = int(words.get("maps", 8))
    found: list[Map] = []
    for steps in map(int, words.get("steps", "7,12,18,24").split(",")):
        begun = process_time()
        band = [
            made(Knobs(steps=steps), ("bench", slot), (("test", 1),), "test")
            for slot in range(count)
        ]
        seconds = (process_time() - begun) / count
        lengths = sorted(len(item.plan) for item in band)
        print(f"maps: {count}, plans of {lengths[0]} to {lengths[-1]} steps, {seconds:.1f} s each")
        rate = 3600 * CORES / seconds
        print(f"maps an hour on {CORES} processors: {rate:,.0f} (must: {MUST:,})")
        found += band
    print(f"create_dataset, pictures drawn: {_rows():,.0f} rows a second (must: {ROWS})")
    fast = sum(_engine(item) for item in found[:4])
    slow = sum(_twin(item) for item in found[:4])
    print(f"steps: the engine takes {1e6 * fast:.0f} us, the twin {slow / fast:.0f} times as long")


def _rows() -> float:
    """Return the rows of a dataset in memory that a second gives; its maps are made before."""
    data = facelet.create_dataset("chamber/plan_correctness", size=256, seed=1)
    begun = process_time()
    for _ in data:
        pass
    return len(data) / (process_time() - begun)


def _engine(item: Map) -> float:
    """Return the seconds of a step, tables included."""
    begun = process_time()
    for _ in range(20):
        rules = Rules(Chart(item.chamber))
        state = rules.beginning
        for step in item.plan:
            state = rules.after(state, step)
    return (process_time() - begun) / 20 / len(item.plan)


def _twin(item: Map) -> float:
    """Return the seconds of a step of the twin."""
    begun = process_time()
    twin = Twin(item.chamber)
    moment = twin.begin()
    for step in item.plan:
        moment = twin.after(moment, step)
    return (process_time() - begun) / len(item.plan)


if __name__ == "__main__":
    main()
