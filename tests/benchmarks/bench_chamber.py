"""Test chambers: maps an hour, the engine against the tests' cell-by-cell twin, insights.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_chamber.py [maps=8] [steps=7,12,18,24] [looks=30,60,240]

A map is a chamber with a proven shortest plan and five mistakes, as the suite marble asks for it in
each of its bands.
Maps are counted by processor time, for two processors: other work on the machine does not count.

Two bounded players go by how near to the exit one can walk. The searcher takes up the state first
from which that is nearest, remembers all, and gives up after STATES states. The walker plays: each
turn it looks at `looks` states, the next ones first, goes to the nearest one where it has not been,
and stays there. It never goes back, and has twice the steps of a shortest plan. How often they get
out is told by the insights that maps need, and as points for each insight among maps with plans of
one length, with the interval of 95%: below none is harder.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from chamber_twin import Twin

import facelet
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.maps.making import made
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.plans.insights import distances, nearness
from facelet.generators.chamber.plans.moves import Moves

CORES, MUST, ROWS = 2, 1000, 200
STATES, PLAYS, FAR = 500, 8, 1 << 30


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
    _bounded(found, [int(look) for look in words.get("looks", "30,60,240").split(",")])
    print(f"create_dataset, pictures drawn: {_rows():,.0f} rows a second (must: {ROWS})")
    fast = sum(_engine(item) for item in found[:4])
    slow = sum(_twin(item) for item in found[:4])
    print(f"steps: the engine takes {1e6 * fast:.0f} us, the twin {slow / fast:.0f} times as long")


class Graph:
    """The states of a chamber as numbers, each with those that are one step away.

    Attributes:
        near: how near to the exit one can walk in each state; 0 is out.
    """

    def __init__(self, rules: Rules) -> None:
        """Begin with the state that a chamber begins in: number 0."""
        self._rules, self._moves, self._far = rules, Moves(rules), distances(rules)
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._after: dict[int, list[int]] = {}
        self.near: list[int] = []
        self._number(rules.beginning)

    def _number(self, state: State) -> int:
        kept = self._moves.canonical(state)[0]
        if kept not in self._numbers:
            self._numbers[kept] = len(self._states)
            self._states.append(kept)
            self.near.append(nearness(self._rules, self._far, kept))
        return self._numbers[kept]

    def after(self, number: int) -> list[int]:
        """Return the states one step away, each once."""
        if number not in self._after:
            found = self._moves.successors(self._states[number])
            self._after[number] = list(dict.fromkeys(self._number(after) for _, after in found))
        return self._after[number]


def _bounded(found: Sequence[Map], looks: Sequence[int]) -> None:
    """Print how often bounded players get out, by insights."""
    graphs = [Graph(Rules(Chart(item.chamber))) for item in found]
    _told(f"search, {STATES} states", found, [float(_searched(graph)) for graph in graphs])
    for look in looks:
        rng = np.random.default_rng(look)
        won = [
            sum(_walked(graph, look, 2 * len(item.plan), rng) for _ in range(PLAYS)) / PLAYS
            for item, graph in zip(found, graphs, strict=True)
        ]
        _told(f"walker, {look} states a turn", found, won)


def _told(who: str, found: Sequence[Map], won: Sequence[float]) -> None:
    """Print how often a player gets out by insights, and what one more changes at equal length."""
    groups: dict[int, list[float]] = defaultdict(list)
    lengths: dict[int, list[int]] = defaultdict(list)
    for number, item in enumerate(found):
        groups[len(item.insights)].append(won[number])
        lengths[len(item.plan)].append(number)
    shares = (f"{k}: {np.mean(groups[k]):.0%} of {len(groups[k])}" for k in sorted(groups))
    x = np.array([float(len(item.insights)) for item in found])
    y = np.array(won)
    for alike in lengths.values():
        x[alike] -= x[alike].mean()
        y[alike] -= y[alike].mean()
    free, spread = len(found) - len(lengths) - 1, float((x**2).sum())
    change = ""
    if free > 0 and spread > 0:
        slope = float((x * y).sum()) / spread
        error = float((x**2 * (y - slope * x) ** 2).sum() * len(found) / free) ** 0.5 / spread
        low, high = slope - 1.96 * error, slope + 1.96 * error
        change = f"; {100 * slope:+.1f} points an insight ({100 * low:+.1f} to {100 * high:+.1f})"
    print(f"{who}, gets out, by insights: {', '.join(shares)}{change}")


def _searched(graph: Graph) -> bool:
    """Return whether the exit is reached within STATES states, the nearest to it taken first."""
    seen, waiting = {0}, [(graph.near[0], 0, 0)]
    while waiting and len(seen) < STATES:
        _, _, state = heappop(waiting)
        for after in graph.after(state):
            if after not in seen:
                if not graph.near[after]:
                    return True
                seen.add(after)
                heappush(waiting, (graph.near[after], len(seen), after))
    return False


def _walked(graph: Graph, look: int, steps: int, rng: np.random.Generator) -> bool:
    """Return whether a player gets out that looks at so many states before each turn."""
    here, been = 0, {0}
    while graph.near[here]:
        queue, seen = [(here, 0)], {here}
        best: list[int] = []
        least = (FAR, 0)
        for state, depth in queue:
            if len(seen) >= look:
                break
            for after in rng.permutation(graph.after(state)).tolist():
                if after in seen:
                    continue
                seen.add(after)
                queue.append((after, depth + 1))
                rank = (graph.near[after], depth + 1)
                if after not in been and rank <= least:
                    best = [*best, after] if rank == least else [after]
                    least = rank
        steps -= least[1]
        if not best or steps < 0:
            return False
        here = best[int(rng.integers(len(best)))]
        been.add(here)
    return True


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
