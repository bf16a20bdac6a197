"""Closed loops: steps a second on one core, with options that nobody has drawn before.

    make bench-loops            # or: python tests/benchmarks/bench_loops.py [ITEMS]

A fresh step is a decision in a state that the process has not seen: exact distance, optimal moves,
four options with the distance after each (step by step); or four options, the move, and the next
question in full (attempts, where random letters lead the cube away). Its table is that of the
cache; without one it is built first, outside the measurement. A replayed step parses a reply and
moves on in a row as published.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from targets import BenchTarget, heading, print_row, summary

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.closed_loop import decision_graph
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.pipeline.cube.table_cache import open_table

DEPTHS = (1, 2, 3, 4, 5, 8, 10, 12)
SHALLOW = 5
"""The paper's deepest start."""

ITEMS = 200
POLICIES = ("off", "teacher_on_abstain")


def make_states(metric: Metric, depth: int, count: int) -> tuple[CertifiedState, ...]:
    """Return at most `count` states of exactly a depth, made from random words."""
    rng = make_generator("bench loops", metric, depth)
    found: dict[str, CertifiedState] = {}
    for _ in range(3 * count):
        if len(found) == count:
            break
        word = scrambles.random_word(metric, depth, rng)
        state = moves.apply_maneuver(SOLVED, notation.invert_maneuver(word))
        if distance_oracle.exact_distance(metric, state) == depth:
            found[state] = CertifiedState(
                facelets=state,
                metric=metric,
                optimal_depth=depth,
                solution=notation.format_maneuver(word),
                sampling="random_word",
                family=state,
                canonical=symmetry.canonical_image(state)[0],
                exhausted=depth - 1,
                table_hash="",
                nodes=0,
            )
    return tuple(found.values())


def clear_memory() -> None:
    """Forget all states that the oracle was asked about, and the options drawn for them."""
    distance_oracle.find_progress.cache_clear()
    rules.attempt_options.cache_clear()


def measure_stepping(items: int) -> Iterator[BenchTarget]:
    """Measure cube/step_by_step: making decisions, and replaying whole episodes."""
    task = task_registry.load_task("cube/step_by_step")
    for metric in ("htm", "qtm"):
        for policy in POLICIES:
            heading(
                f"step by step, {metric}, abstain={policy}",
                "decisions an item",
                "fresh steps a second",
                "replayed steps a second",
            )
            steps, seconds = 0, 0.0
            for depth in DEPTHS:
                pool = make_states(
                    metric, depth, items if depth <= SHALLOW else max(1, items // 10)
                )
                params = task.params(metric=metric, depth=depth, abstain=policy)
                instances, spent = make_items(task, params, pool)
                decisions = sum(len(instance.graph.nodes) for instance in instances)
                if depth <= SHALLOW:
                    steps, seconds = steps + decisions, seconds + spent
                print_row(
                    f"depth {depth}",
                    f"{decisions / len(pool):.2f}",
                    f"{decisions / spent:,.0f}",
                    f"{measure_replay(task, instances):,.0f}",
                )
            if policy == "off":
                name = f"fresh steps a second, {metric}, d <= {SHALLOW}"
                yield BenchTarget(name, steps / seconds, 2000, 4000)


def make_items(task: Any, params: Any, pool: Sequence[CertifiedState]) -> tuple[list[Any], float]:
    """Return the items of some states, and the seconds of one core that they took."""
    resource = CertifiedStates(params.metric, params.depth, tuple(pool))
    clear_memory()
    start = time.process_time()
    instances = [
        task.generate(params, Draw((0, task.name, task.version, params.depth), index), resource)[0]
        for index in range(len(pool))
    ]
    return instances, time.process_time() - start


def measure_replay(task: Any, instances: Sequence[Any]) -> float:
    """Return how many steps a second a scorer replays, rows decoded and all prompts built."""
    rows = [task.encode(instance) for instance in instances]
    replies = [task.reference(instance) for instance in instances]
    start = time.process_time()
    steps = 0
    while time.process_time() - start < 0.2:
        for published, said in zip(rows, replies, strict=True):
            assert replay(task.open(task.decode(published)), said).metrics["perfect"] == 1
            steps += len(said)
    return steps / (time.process_time() - start)


def measure_attempts(items: int) -> Iterator[BenchTarget]:
    """Measure cube/learning_curve and cube/recovery: live steps, nothing known before."""
    for metric in ("htm", "qtm"):
        heading(f"attempts, {metric}", "learning curve, steps a second", "recovery")
        steps, seconds = 0, 0.0
        for depth in range(1, SHALLOW + 2):
            found = []
            for recovery in (False, True):
                taken, spent = walk_randomly(make_states(metric, depth, items), recovery)
                found.append(f"{taken / spent:,.0f}")
                if depth <= SHALLOW:
                    steps, seconds = steps + taken, seconds + spent
            print_row(f"depth {depth}", *found)
        name = f"steps of attempts a second, {metric}, d <= {SHALLOW}"
        yield BenchTarget(name, steps / seconds, 2000, 4000)


def walk_randomly(pool: Sequence[CertifiedState], recovery: bool) -> tuple[int, float]:
    """Return the steps that random letters take from some states, and their seconds."""
    letters = make_generator("bench loops", "letters").choice(list("ABCD"), size=(len(pool), 16))
    clear_memory()
    steps = 0
    start = time.process_time()
    for number, state in enumerate(pool):
        item = Instance(state, 6, "image_text", "net", f"bench {number}", "attempt", 0.0)
        episode = AttemptEpisode(item, recovery=recovery)
        episode.prompt()
        for letter in letters[number]:
            steps += 1
            if isinstance(episode.reply(f"<ANSWER>{letter}</ANSWER>"), Outcome):
                break
    return steps, time.process_time() - start


def main() -> None:
    """Print all tables."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    distance_oracle.read_tables_from(partial(open_table, progress=False))
    for metric in decision_graph.MAX_DEPTH:
        distance_oracle.exact_distance(metric, SOLVED)
    summary([*measure_stepping(items), *measure_attempts(items)])


if __name__ == "__main__":
    main()
