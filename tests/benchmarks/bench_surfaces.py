"""What a player scores that carries nothing out, but matches operations with what is to be seen.

    python tests/benchmarks/bench_surfaces.py [questions a figure, default 400] [yes to record]

The player sees, for each option, how much of the operations is visible in the result (what exactly,
`pipeline/shapes/visible_relations.py` and `pipeline/cube/visible_relations.py` say). It weighs that
by a conditional logit learned on the first 75% of the questions and is tried on the rest. A second
one sees the options alone. What they score above 25% is what near-miss options leave to matching;
figures are by track and level, with a 95% interval. What the first one learned is recorded in
`matching.json` beside these modules, from where it plays in audits; that takes 4,000 questions a
figure, and the second one is then left out.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from bench_shapes import TRACKS

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline import family_modules
from facelet.pipeline.audit.option_matching_players import FILE

LEVELS = (1, 2, 3, 5, 15)
EPOCHS = 8
PIPELINE = Path(__file__).parents[2] / "pipeline"
Features = dict[str, float]


def make_question(task: Any, params: Any, index: int) -> Any:
    """Return one question."""
    for attempt in range(100):
        try:
            draw = Draw((0, "surfaces", params.level), index, attempt)
            return task.generate(params, draw, None)[0].question
        except Reject:
            continue
    raise AssertionError("rejected 100 times")


def option_features(asked: Any, option: int, *, forward: bool) -> Features:
    """Return what is seen of an option by itself."""
    text = asked.results[option] if forward else asked.lists[option]
    return dict(Counter(re.findall(r"\w+'?|[:-]+", text)))


def fit_learner(rows: list[tuple[list[Features], int]]) -> tuple[float, int, Features]:
    """Return the share that a learner is right on the last quarter, how many those are, weights."""
    names: dict[str, int] = {}
    known = [
        (
            [
                (
                    np.array([names.setdefault(n, len(names)) for n in seen], dtype=np.int64),
                    np.array(list(seen.values()), dtype=np.float64),
                )
                for seen in options
            ],
            gold,
        )
        for options, gold in rows
    ]
    weights, scale = np.zeros(len(names)), np.full(len(names), 1e-6)
    cut = len(known) * 3 // 4
    rng = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for index in rng.permutation(cut):
            options, gold = known[index]
            scores = np.array([weights[places] @ values for places, values in options])
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            for number, (places, values) in enumerate(options):
                slope = (chances[number] - (number == gold)) * values
                scale[places] += slope**2
                weights[places] -= 0.15 * slope / np.sqrt(scale[places])
    hits = 0.0
    for options, gold in known[cut:]:
        scores = np.array([weights[places] @ values for places, values in options])
        best = np.flatnonzero(scores >= scores.max() - 1e-12)
        hits += (gold in best) / len(best)
    found = {name: round(float(weights[place]), 3) for name, place in sorted(names.items())}
    kept = {name: weight for name, weight in found.items() if weight}
    return hits / (len(known) - cut), len(known) - cut, kept


def format_interval(share: float, tried: int) -> str:
    """Return a share with its 95% interval."""
    return f"{share:.3f} +- {1.96 * (share * (1 - share) / tried) ** 0.5:.3f}"


def main(count: int, *, record: bool) -> None:
    """Print the figures."""
    print("track          level   matching          options alone")
    known: dict[str, dict[str, dict[str, Features]]] = {}
    for name, task_name, more in TRACKS:
        task = task_registry.load_task(task_name)
        family, forward = family_modules.family_name(task_name), task.direction == "forward"
        sights = family_modules.find_export(f"{family}/visible_relations", "sights")
        assert sights is not None
        track = f"{more.get('space', '3d')} {task.direction}"
        for level in LEVELS:
            params = task.params(level=level, input="text", **more)
            asked = [make_question(task, params, index) for index in range(count)]
            golds = [LETTERS.index(one.answer) for one in asked]
            seen = [[sights(q, k, task.direction) for k in range(4)] for q in asked]
            share, tried, weights = fit_learner(list(zip(seen, golds, strict=True)))
            known.setdefault(family, {}).setdefault(track, {})[str(level)] = weights
            line = f"{name:13} {level:5}   {format_interval(share, tried):17}"
            if not record:
                seen = [[option_features(q, k, forward=forward) for k in range(4)] for q in asked]
                line += f" {format_interval(*fit_learner(list(zip(seen, golds, strict=True)))[:2])}"
            print(line, flush=True)
    for family, tracks in known.items() if record else ():
        text = json.dumps(tracks, indent=0, sort_keys=True)
        (PIPELINE / family / FILE).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, record=sys.argv[2:] == ["yes"])
