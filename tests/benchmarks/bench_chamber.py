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

from chamber_twin import ChamberTwin

import facelet
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs
from facelet.generators.chamber.maps.map_generator import make_map
from facelet.generators.chamber.plans.insight_proofs import (
    LegalSteps,
    exit_distances,
    exit_nearness,
)

CORES, MUST, ROWS = 2, 1000, 200
STATES, PLAYS, FAR = 500, 8, 1 << 30


def main() -> None:
    """Measure and print."""
    words = dict(word.split("=") for word in sys.argv[1:])
    count = int(words.get("maps", 8))
    found: list[ChamberMap] = []
    for steps in map(int, words.get("steps", "7,12,18,24").split(",")):
        begun = process_time()
        band = [
            make_map(Knobs(steps=steps), ("bench", slot), (("test", 1),), "test")
            for slot in range(count)
        ]
        seconds = (process_time() - begun) / count
        lengths = sorted(len(item.plan) for item in band)
        print(f"maps: {count}, plans of {lengths[0]} to {lengths[-1]} steps, {seconds:.1f} s each")
        rate = 3600 * CORES / seconds
        print(f"maps an hour on {CORES} processors: {rate:,.0f} (must: {MUST:,})")
        found += band
    _print_bounded_players(
        found, [int(look) for look in words.get("looks", "30,60,240").split(",")]
    )
    print(f"create_dataset, pictures drawn: {_measure_rows():,.0f} rows a second (must: {ROWS})")
    fast = sum(_time_engine(item) for item in found[:4])
    slow = sum(_time_twin(item) for item in found[:4])
    print(f"steps: the engine takes {1e6 * fast:.0f} us, the twin {slow / fast:.0f} times as long")


class StateGraph:
    """The states of a chamber as numbers, each with those that are one step away.

    Attributes:
        near: how near to the exit one can walk in each state; 0 is out.
    """

    def __init__(self, rules: StepRules) -> None:
        """Begin with the state that a chamber begins in: number 0."""
        self._rules, self._moves, self._far = rules, LegalSteps(rules), exit_distances(rules)
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._after: dict[int, list[int]] = {}
        self.near: list[int] = []
        self._state_number(rules.beginning)

    def _state_number(self, state: State) -> int:
        kept = self._moves.canonical_state(state)[0]
        if kept not in self._numbers:
            self._numbers[kept] = len(self._states)
            self._states.append(kept)
            self.near.append(exit_nearness(self._rules, self._far, kept))
        return self._numbers[kept]

    def next_states(self, number: int) -> list[int]:
        """Return the states one step away, each once."""
        if number not in self._after:
            found = self._moves.iterate_successors(self._states[number])
            self._after[number] = list(
                dict.fromkeys(self._state_number(after) for _, after in found)
            )
        return self._after[number]


def _print_bounded_players(found: Sequence[ChamberMap], looks: Sequence[int]) -> None:
    """Print how often bounded players get out, by insights."""
    graphs = [StateGraph(StepRules(StaticTables(item.chamber))) for item in found]
    _print_insights(
        f"search, {STATES} states", found, [float(_search_reaches_exit(graph)) for graph in graphs]
    )
    for look in looks:
        rng = np.random.default_rng(look)
        won = [
            sum(_walk_reaches_exit(graph, look, 2 * len(item.plan), rng) for _ in range(PLAYS))
            / PLAYS
            for item, graph in zip(found, graphs, strict=True)
        ]
        _print_insights(f"walker, {look} states a turn", found, won)


def _print_insights(who: str, found: Sequence[ChamberMap], won: Sequence[float]) -> None:
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


def _search_reaches_exit(graph: StateGraph) -> bool:
    """Return whether the exit is reached within STATES states, the nearest to it taken first."""
    seen, waiting = {0}, [(graph.near[0], 0, 0)]
    while waiting and len(seen) < STATES:
        _, _, state = heappop(waiting)
        for after in graph.next_states(state):
            if after not in seen:
                if not graph.near[after]:
                    return True
                seen.add(after)
                heappush(waiting, (graph.near[after], len(seen), after))
    return False


def _walk_reaches_exit(graph: StateGraph, look: int, steps: int, rng: np.random.Generator) -> bool:
    """Return whether a player gets out that looks at so many states before each turn."""
    here, been = 0, {0}
    while graph.near[here]:
        queue, seen = [(here, 0)], {here}
        best: list[int] = []
        least = (FAR, 0)
        for state, depth in queue:
            if len(seen) >= look:
                break
            for after in rng.permutation(graph.next_states(state)).tolist():
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


def _measure_rows() -> float:
    """Return the rows of a dataset in memory that a second gives; its maps are made before."""
    data = facelet.create_dataset("chamber/plan_correctness", size=256, seed=1)
    begun = process_time()
    for _ in data:
        pass
    return len(data) / (process_time() - begun)


def _time_engine(item: ChamberMap) -> float:
    """Return the seconds of a step, tables included."""
    begun = process_time()
    for _ in range(20):
        rules = StepRules(StaticTables(item.chamber))
        state = rules.beginning
        for step in item.plan:
            state = rules.apply_step(state, step)
    return (process_time() - begun) / 20 / len(item.plan)


def _time_twin(item: ChamberMap) -> float:
    """Return the seconds of a step of the twin."""
    begun = process_time()
    twin = ChamberTwin(item.chamber)
    moment = twin.first_moment()
    for step in item.plan:
        moment = twin.apply_step(moment, step)
    return (process_time() - begun) / len(item.plan)


if __name__ == "__main__":
    main()
