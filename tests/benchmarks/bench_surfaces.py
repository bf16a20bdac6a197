"""What a player scores that carries nothing out, but matches operations with what is to be seen.

    python tests/benchmarks/bench_surfaces.py [questions a figure, default 400]

The player sees, for each option, how much of the operations is visible in the result: colors,
pieces, stacked pieces, how many quadrants and layers are filled, how much is as at the start. It
weighs these by a conditional logit learned on the first 75% of the questions and is tried on the
rest. A second one sees the options alone. What they score above 25% is what near-miss options
leave to matching; figures are by track and level, with a 95% interval.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

import numpy as np
from bench_shapes import TRACKS

from facelet.generators.core import registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.placing import LETTERS

LEVELS = (1, 2, 3, 5, 15)
FAR = 8
EPOCHS = 8
Features = dict[tuple[Any, ...], float]


def question(task: Any, params: Any, index: int) -> Any:
    """Return one question."""
    for attempt in range(100):
        try:
            draw = Draw((0, "surfaces", params.level), index, attempt)
            return task.generate(params, draw, None)[0].question
        except Reject:
            continue
    raise AssertionError("rejected 100 times")


def matched(asked: Any, option: int, *, forward: bool, cube: bool) -> Features:
    """Return what is seen of an option beside what is given."""
    right = LETTERS.index(asked.answer)
    result = asked.results[option if forward else right]
    words = asked.lists[right if forward else option].split(" " if cube else ", ")
    counted = [
        (number, word) for number, word in enumerate(words, 1) if forward or number in asked.edits
    ]
    same = sum(a == b for a, b in zip(result, asked.start, strict=False)) / len(asked.start)
    seen: Counter[tuple[Any, ...]] = Counter()
    if cube:
        centers = [place for place in range(6, len(result), 14)]
        moved = sum(result[place] != asked.start[place] for place in centers)
        seen["moved", moved] += 1
        for _, word in counted:
            seen["turn", word[0], moved] += 1
        return {**seen, ("same",): same}
    pieces = re.findall("..", result.replace(":", ""))
    filled = [piece for piece in pieces if piece != "--"]
    layers = result.count(":") + 1
    top = set(result.split(":")[-1][1::2]) - {"-"}
    for number, word in counted:
        kind, _, taken = word.rstrip(")").partition("(")
        far = min(asked.level - number, FAR)
        seen["kind", kind, len(filled), layers] += 1
        if kind == "color":
            seen["color", taken in result, far] += 1
            seen["top", top == {taken}, far] += 1
        if kind == "fill":
            seen["piece", taken in pieces, far] += 1
        if kind == "stack":
            put = [piece for piece in re.findall("..", taken) if piece != "--"]
            seen["put", round(3 * sum(piece in pieces for piece in put) / len(put)), far] += 1
    known = sum(piece in asked.start for piece in filled) / len(filled)
    return {**seen, ("known",): known, ("same",): same}


def alone(asked: Any, option: int, *, forward: bool) -> Features:
    """Return what is seen of an option by itself."""
    text = asked.results[option] if forward else asked.lists[option]
    return dict(Counter(("word", word) for word in re.findall(r"\w+'?|[:-]+", text)))


def learned(rows: list[tuple[list[Features], int]]) -> tuple[float, int]:
    """Return the share that a learner is right on the last quarter, and how many those are."""
    names: dict[tuple[Any, ...], int] = {}
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
    return hits / (len(known) - cut), len(known) - cut


def main(count: int) -> None:
    """Print the figures."""
    print("track          level   matching          options alone")
    for name, task_name, more in TRACKS:
        task = registry.task(task_name)
        forward, cube = task.direction == "forward", "cube" in task_name
        for level in LEVELS:
            params = task.params(level=level, input="text", **more)
            asked = [question(task, params, index) for index in range(count)]
            golds = [LETTERS.index(one.answer) for one in asked]
            figures = []
            for look in (
                [[matched(q, k, forward=forward, cube=cube) for k in range(4)] for q in asked],
                [[alone(q, k, forward=forward) for k in range(4)] for q in asked],
            ):
                share, tried = learned(list(zip(look, golds, strict=True)))
                figures.append(f"{share:.3f} +- {1.96 * (share * (1 - share) / tried) ** 0.5:.3f}")
            print(f"{name:13} {level:5}   {figures[0]:17} {figures[1]}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
