"""Test chambers: maps an hour, the engine against the tests' cell-by-cell twin, insights.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_chamber.py [maps=8] [steps=7,12,18,24]

A map is a chamber with a proven shortest plan and five mistakes, as the suite marble asks for it in
each of its bands.
Maps are counted by processor time, for two processors: other work on the machine does not count.

A greedy planner takes up the state first from which one can walk nearest to the exit, and gives up
after 2,000 states. How often it gets out is counted by how many insights a map needs, among maps of
each band, whose plans are equally long within a few steps.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from heapq import heappop, heappush
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from chamber_twin import Twin

import facelet
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.maps.making import made
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.plans.insights import distances, nearness
from facelet.generators.chamber.plans.moves import Moves

CORES, MUST, ROWS = 2, 1000, 200
STATES = 2000


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
        _by_insights(steps, band)
    print(f"create_dataset, pictures drawn: {_rows():,.0f} rows a second (must: {ROWS})")
    fast = sum(_engine(item) for item in found[:4])
    slow = sum(_twin(item) for item in found[:4])
    print(f"steps: the engine takes {1e6 * fast:.0f} us, the twin {slow / fast:.0f} times as long")


def _by_insights(steps: int, found: list[Map]) -> None:
    """Print how often a greedy planner gets out, by the number of insights that maps need."""
    won: dict[int, list[bool]] = defaultdict(list)
    for item in found:
        won[len(item.insights)].append(_greedy(Rules(Chart(item.chamber))))
    told = (f"{count}: {sum(won[count])} of {len(won[count])}" for count in sorted(won))
    print(f"a greedy planner gets out, {steps} steps and more, by insights: {', '.join(told)}")


def _greedy(rules: Rules) -> bool:
    """Return whether the exit is reached within STATES states, the nearest to it taken first."""
    moves, far = Moves(rules), distances(rules)
    first = moves.canonical(rules.beginning)[0]
    seen, waiting = {first}, [(nearness(rules, far, first), 0, first)]
    while waiting and len(seen) < STATES:
        near, _, state = heappop(waiting)
        if not near:
            return True
        for _, after in moves.successors(state):
            kept = moves.canonical(after)[0]
            if kept not in seen:
                seen.add(kept)
                heappush(waiting, (nearness(rules, far, kept), len(seen), kept))
    return any(not near for near, _, _ in waiting)


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
