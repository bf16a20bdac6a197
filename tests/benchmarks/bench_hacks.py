"""Rewards of players that want rewards and solve nothing, by task.

    python tests/benchmarks/bench_hacks.py [ROWS]     # or: make bench-hacks

Each row is answered by six players, with the default reward and with `format=0.1`:

    constant    the same reply to every row: the best of the right replies to other rows
    early       the first right reply again and again, so that many episodes end at once
    form        a reply in the requested form that is wrong for the row, until the play ends
    every       the right replies to six rows in one reply, the row's own among them
    twice       the right reply to another row, and then the right one: what counts is a reply that
                knows the answer, so this player is shown and has no limit
    silent      an empty reply

The target is the best constant with the default reward: no player may have more than it, plus what
`format` pays for the form of a single reply, and on episodes no player may have any.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import islice

from targets import BenchTarget, heading, print_row, summary

import facelet
from facelet.generators.core.task import Outcome
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row

SMALL = {"told": {"table": "small"}}
TASKS = (
    ("cube/move_prediction", {"levels": "1-3", **SMALL}),
    ("cube/move_effect", {"levels": "1-3", **SMALL}),
    ("cube/face_recognition", {"levels": "1", **SMALL}),
    ("labyrinth/plan", {"levels": "1-3"}),
    ("jigsaw/assemble_easy", {}),
    ("jigsaw/perception", {}),
    ("shapes/forward_deformation", {"levels": "1-3"}),
    ("cube/step_by_step", {"levels": "3-5", **SMALL}),
    ("labyrinth/act", {"levels": "1-3"}),
    ("arcade/bit_query", {"levels": "1-3"}),
    ("arcade/maze_navigation", {"levels": "1-3"}),
)
FORM = 0.1

Script = Callable[[int], str]
"""From the number of a row to the reply that is repeated until its play ends."""


def play_out(row: OpenedRow, text: str) -> Outcome:
    """Return the outcome of one reply, repeated."""
    play = Play(row, "dataset")
    while play.outcome is None:
        play.reply(text)
    return play.outcome


def mean_reward(rows: Sequence[OpenedRow], script: Script, weights: Weights) -> float:
    """Return the mean reward of a script."""
    return sum(reward(play_out(row, script(k)), weights) for k, row in enumerate(rows)) / len(rows)


def list_scripts(right: Sequence[str]) -> dict[str, list[Script]]:
    """Return the scripts of each player; the best one counts."""
    distinct = list(dict.fromkeys(right))

    def other(k: int) -> str:
        return next((text for text in distinct if text != right[k]), "")

    return {
        "constant": [lambda k, text=text: text for text in distinct[:8]],
        "early": [lambda k: right[k]],
        "form": [other],
        "every": [lambda k: "\n".join([*distinct[:5], right[k]])],
        "twice": [lambda k: f"{other(k)}\n{right[k]}"],
        "silent": [lambda k: ""],
    }


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    targets = []
    names = list(list_scripts(["a", "b"]))
    heading("task, reward", *names)
    for task, told in TASKS:
        stream = facelet.stream(task, seed=11, **told)
        rows = [read_row(row) for row in islice(stream, count)]
        references = [row.task.reference(row.instance) for row in rows]
        scripts = list_scripts([said[0] for said in references])
        single = max(map(len, references)) == 1
        if single:
            del scripts["early"]  # it would be the right answer
        limit = 0.0
        for weights in (Weights(), Weights(format=FORM)):
            found = {
                name: max(mean_reward(rows, script, weights) for script in own)
                for name, own in scripts.items()
            }
            limit = limit or found["constant"] + 0.02
            bound = limit + (weights.format if single else 0.0)
            print_row(
                f"{task}, format={weights.format:g}",
                *(f"{found[name]:.2f}" if name in found else "" for name in names),
            )
            worst = max(worth for name, worth in found.items() if name != "twice")
            targets.append(BenchTarget(f"{task}, {weights.format:g}", worst, bound, bound, False))
    summary(targets)


if __name__ == "__main__":
    main()
