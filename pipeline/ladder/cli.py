"""`facelet ladder`: R of models from their prediction files, by both readings."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.ladder.ladders import RUNS, Estimate, Ladder, floor, ladders, record
from facelet.pipeline.scoring.taking.files import find
from facelet.pipeline.words import Key, expand, help_table, plain, read_words

KEYS = (
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key(
        "predictions",
        "str",
        "",
        "files, folders or patterns, separated by commas",
        "The predictions, in any format that `facelet score` takes.",
    ),
    Key("configs", "list", "[]", "names of configs; [] for all", "The ladders to climb."),
    Key("runs", "int", str(RUNS), "at least 1", "Climbs, as far as the questions allow."),
    Key(
        "vote",
        "bool",
        "false",
        "true or false",
        "Whether the answer that most samples of a row give counts; else the first sample does.",
    ),
    Key("out", "str", "none", "a file", "Where the ladders are written as JSON as well."),
)

HELP = f"""facelet ladder dataset=DIR predictions=FILES [key=value ...]

How far up the levels a model climbs. A visit to a level asks five questions: three right answers
lead up, fewer lead down; the second failure of a level ends the climb. R is given by two readings:
failed, the level that was failed twice, and below, the level below it. Beside the climbs stands
what the accuracies at all levels lead one to expect, which needs no climb, and the floor, what a
guesser reaches. A ladder whose next questions are not answered yet is open: `facelet next` lists
them.

Keys:
{help_table(KEYS)}

Examples:
  facelet ladder dataset=data/out/facelet-paper predictions=answers.jsonl
  facelet ladder dataset=data/out/facelet-paper predictions=five.jsonl vote=true

Exit status: 0 done, 2 a bad word, a dataset or a file that cannot be used.
"""


def run(words: Sequence[str]) -> int:
    """Print the ladders that the words ask for and return the exit status.

    Raises:
        ValueError: a word is bad, or the dataset or a file cannot be used.
    """
    values = read_words(words, KEYS)
    for name in ("dataset", "predictions"):
        if name not in values:
            raise ValueError(f"{name}=... is needed; `facelet ladder --help` explains the keys")
    wanted = values.get("configs", [])
    found = list(
        ladders(
            expand(str(values["dataset"])),
            find(str(values["predictions"])),
            runs=int(str(values.get("runs", RUNS))),
            vote=bool(values.get("vote", False)),
            wanted=wanted if isinstance(wanted, list) else [],
        )
    )
    for one in found:
        print(plain(told(one)))
    if values.get("out"):
        text = json.dumps([record(one) for one in found], indent=1)
        write_text(expand(str(values["out"])), f"{text}\n")
    if any(one.missing for one in found):
        print("some climbs are open; `facelet next` lists their next questions", file=sys.stderr)
    return 0


def told(found: Ladder) -> str:
    """Return a ladder in a few lines."""
    levels = found.rungs
    lines = [
        f"{found.model}  {levels.config}/{levels.split}  {levels.axis} "
        f"{levels.levels[0]} to {levels.levels[-1]}"
    ]
    ended = [r for r in found.reached() if r is not None]
    static, guess = found.static(), floor(levels)
    for reading in ("failed", "below"):
        runs = " ".join(f"{getattr(r, reading):g}" for r in ended)
        parts = [f"runs {runs}" if runs else "no climb has ended"]
        mean = found.mean(reading)
        parts.insert(0, f"R {_spelled(mean)}" if mean else "R open")
        if static:
            parts.append(f"from accuracies {_spelled(static[reading])}")
        if guess:
            parts.append(f"floor {getattr(guess, reading):.3f}")
        lines.append(f"  {reading:<7} {'; '.join(parts)}")
    tops = sum(one.end == "top" for one in found.climbs)
    if tops:
        lines.append(f"  {tops} of {len(found.climbs)} climbs passed the highest level there is")
    if found.missing:
        lines.append(f"  {len(found.missing)} questions are due")
    return "\n".join(lines)


def _spelled(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return f"{one.value:.2f}"
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
