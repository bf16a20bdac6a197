"""Readers of replies: microseconds of a processor a reply, by what is asked and how it answers.

Run from the repository's root (or `make bench-readers`):

    .venv/bin/python tests/benchmarks/bench_readers.py [replies]

What a reply says is read twice: by the careful reader, and by the rule of the paper where it has
one; what the rule reads is read and judged again. All replies differ but for the bare ones, which
were met before. Beside the compiled way stands the plain one, in the same run. Then whole
episodes are timed: the reply read and judged. Their limits are what this took before answers were
read whole, by kind of reply, times 1.2. Twice as much is enough on a busy machine.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from itertools import count
from time import process_time
from typing import Any

import bench_score
from targets import BenchTarget, heading, print_row, summary

import facelet
from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.replies import (
    array,
    boundary,
    labels,
    letter,
    mentions,
    plain_text,
    record,
    yes_no,
)
from facelet.generators.cube.states import state_texts as states
from facelet.generators.cube.tasks import move_effect
from facelet.pipeline.scoring.paper_rule_metrics import as_published

ROUNDS = 5
EPISODES: dict[str, tuple[float, ...]] = {
    "arcade/linked_list_query": (8.8, 8.5, 8.2, 9.2, 46.5, 29.1, 46.9, 10.0, 43.5),
    "arcade/maze_navigation": (7.5, 9.4, 8.4, 8.3, 43.1, 26.8, 45.4, 10.4, 38.6),
    "cube/forward_writing": (23.4, 24.4, 23.8, 42.5, 43.4, 32.5, 51.9, 5.4, 21.8),
    "cube/inverse_writing": (18.6, 20.4, 18.7, 43.1, 43.9, 31.0, 52.3, 5.6, 46.2),
    "cube/move_prediction": (1.5, 4.8, 2.4, 5.4, 5.3, 6.0, 7.0, 3.2, 8.1),
    "cube/verification": (1.3, 4.9, 2.4, 5.3, 5.8, 6.2, 7.2, 3.2, 8.4),
    "shapes/forward_writing": (7.5, 8.2, 5.6, 28.9, 29.9, 17.4, 38.0, 6.0, 27.6),
    "shapes/inverse_writing": (11.2, 10.9, 9.3, 28.1, 29.0, 18.0, 39.0, 6.7, 23.9),
}
"""Microseconds of a reply of each kind, judging included, before answers were read whole."""
SLOWER = 1.2
"""What reading whole may take of that."""
VOCABULARIES = (states.COLOUR_WORDS, states.FACE_WORDS)
READERS: dict[str, Callable[[str], Any]] = {
    "move_prediction": letter.read_choice,
    "verification": yes_no.yes_no,
    "move_effect": lambda reply: record.read_labelled(
        reply, "ABCD", move_effect.EFFECTS, echo=move_effect.MOVE_TEXT
    ),
    "face_recognition": lambda reply: array.read_matrix(reply, VOCABULARIES),
}
PROSE = (
    "The front face shows white on top and red below. Turning the right face moves the column up. "
    "If I turn it back, the column is not where it was. Option A leaves two stickers wrong; option "
    "B does not. I checked each candidate against the picture.\n"
)


def iterate_replies(right: str, said: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield kinds of replies, with one of each.

    Args:
        right: the right answer in the requested format.
        said: the answer alone.
        name: tells the replies from all others.
    """
    yield "bare", right
    yield "introduced", f"After looking at {name} from all sides:\n{right}\n"
    yield "behind thoughts", f"<think>Case {name}. {bench_score.THOUGHT}</think>\n{right}"
    yield "behind reasoning", f"Case {name}. {PROSE * 5}{right}"
    yield "own words", f"Case {name}. {PROSE * 5}So the answer is {said}."
    yield "boxed", f"Case {name}. {PROSE * 2}\nTherefore the answer is $\\boxed{{{said}}}$."
    yield "typographic", f"Case {name} \u2013 {PROSE * 2}\n**Answer: {said}** \u2705"
    yield "no answer, short", f"I am not certain which of these it is: case {name}."
    yield "no answer, long", f"Case {name}. {PROSE * 5}"


def measure_readers(name: str, size: int) -> dict[str, tuple[float, float, float]]:
    """Return characters, and microseconds of the reader and of the rule, of each kind."""
    task: Any = task_registry.load_task(f"cube/{name}")
    rows, right = bench_score.sample_rows(task)
    instances = [task.decode(one) for one in rows]
    best: dict[str, tuple[float, float, float]] = {}
    numbers = count()
    for _ in range(ROUNDS):
        kinds: dict[str, list[tuple[Any, str]]] = {}
        for place in range(size):
            which = place % len(rows)
            said = right[which].replace("ANSWER", "").replace("Answer: ", "").strip("</> ")
            ident = f"bench.{name}/d07/{next(numbers):08d}"
            for kind, reply in iterate_replies(right[which], said, ident):
                kinds.setdefault(kind, []).append((instances[which], reply))
        for kind, cases in kinds.items():
            texts = [reply for _, reply in cases]
            # The rule asks of an outcome only whether the reply is strict, which one tells of all.
            outcome = replay(task.open(cases[0][0]), (texts[0],))
            read = READERS[name]
            gc.collect()
            begun = process_time()
            for text in texts:
                read(text)
            between = process_time()
            for instance, text in cases:
                as_published(task, instance, (text,), outcome)
            spent = (between - begun) / size, (process_time() - between) / size
            old = best.get(kind, (0.0, 1.0, 1.0))
            length = sum(map(len, texts)) / size
            best[kind] = (length, min(old[1], spent[0]), min(old[2], spent[1]))
    return {kind: (size_, 1e6 * one, 1e6 * two) for kind, (size_, one, two) in best.items()}


def measure_episodes(name: str, size: int) -> dict[str, float]:
    """Return the microseconds to read and judge the first reply of an episode, by kind."""
    task: Any = task_registry.load_task(name)
    instance = task.decode(next(iter(facelet.stream(name))))
    right = task.reference(instance)[0]
    said = right.replace("ANSWER", "").replace("Answer: ", "").strip("</> ")
    best: dict[str, float] = {}
    for round_ in range(ROUNDS):
        kinds: dict[str, list[tuple[Any, str]]] = {}
        for number in range(size):
            for kind, reply in iterate_replies(right, said, f"bench/{round_}/{number:08d}"):
                kinds.setdefault(kind, []).append((task.open(instance), reply))
        for kind, cases in kinds.items():
            for episode, _ in cases:
                episode.prompt()
            gc.collect()
            begun = process_time()
            for episode, reply in cases:
                episode.reply(reply)
            spent = 1e6 * (process_time() - begun) / size
            best[kind] = min(best.get(kind, spent), spent)
    return best


def main() -> None:
    """Measure both ways of reading, and print the figures."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    bench_score.DEPTHS, bench_score.STATES = range(3, 9), 8
    gc.disable()
    targets: list[BenchTarget] = []
    for name in READERS:
        fast = measure_readers(name, size)
        modules: tuple[Any, ...] = (boundary, plain_text, labels, record, array, mentions)
        parts, near = [module._part for module in modules], labels.NEAR
        if not all(parts):
            print("reading is not compiled here: both ways are the plain one")
        for module in modules:
            module._part = None
        labels.NEAR = sys.maxsize
        plain = measure_readers(name, max(size // 5, 1))
        for module, part in zip(modules, parts, strict=True):
            module._part = part
        labels.NEAR = near
        heading(name, "characters", "reader", "paper's rule", "both", "plain", "times")
        for kind, (length, reader, rule) in fast.items():
            both, other = reader + rule, sum(plain[kind][1:])
            print_row(
                *(kind, f"{length:.0f}", f"{reader:.1f}", f"{rule:.1f}", f"{both:.1f}"),
                *(f"{other:.0f}", f"{other / both:.1f}"),
            )
    for name, limits in EPISODES.items():
        spent = measure_episodes(name, max(size // 5, 1))
        for (kind, took), limit in zip(spent.items(), limits, strict=True):
            limit *= SLOWER
            targets.append(BenchTarget(f"{name}, {kind}: us", took, 2 * limit, limit, more=False))
    summary(targets)


if __name__ == "__main__":
    main()
