"""Show how far up its levels a model climbs.

A visit to a level asks five questions; three right answers lead up, fewer lead down; the second
failure of a level ends the climb. R has two readings: failed, the level that failed twice, and
below, the level below it. The output also has the R expected from the accuracies at all levels,
which needs no climb, and the floor, the R of a guesser. A ladder with unanswered next questions is
open: `facelet next` prints them.

Examples:
  facelet ladder dataset=data/out/facelet-paper predictions=answers.jsonl
  facelet ladder dataset=data/out/facelet-paper predictions=five.jsonl vote=true
  facelet ladder ladder=SUITE.CONFIG predictions=answers.jsonl
  facelet ladder dataset=data/out/tools predictions=answers.jsonl vanilla=plain.json

Exit status: 0 done, 2 a bad argument, or a dataset or a file that cannot be used.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.curriculum.ladder.settings import LadderSelection


@dataclass(frozen=True, kw_only=True)
class Settings(LadderSelection):
    """The ladders to show."""

    predictions: str = key(
        "The predictions, in any format of `facelet score`.",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
    )
    vote: bool = key(
        "Count the majority answer of a row's samples instead of the first sample.",
        False,
    )
    vanilla: Path | None = key(
        "Ladders of the model without a method; their R is subtracted.",
        None,
        allowed="a file written by out=",
        shown="none",
    )
    out: Path | None = key("A JSON file for the ladders.", None, allowed="a file", shown="none")


def run(settings: Settings) -> int:
    """Print the ladders and return the exit status.

    Raises:
        ValueError: the dataset or a file cannot be used.
    """
    from facelet.pipeline.curriculum.ladder import endless_ladder
    from facelet.pipeline.curriculum.ladder.ladder_text import (
        find_baseline,
        format_ladder,
        read_baseline_ladders,
    )
    from facelet.pipeline.curriculum.ladder.prediction_ladders import ladder_to_record
    from facelet.pipeline.dataset.atomic_files import write_text
    from facelet.pipeline.scoring.ingest.file_reader import find_files

    known = read_baseline_ladders(settings.vanilla) if settings.vanilla else None
    files = find_files(settings.predictions)
    read = [path.resolve() for path in (*files, settings.vanilla) if path is not None]
    if settings.out and settings.out.resolve() in read:
        raise ValueError(
            f"out={settings.out} is a file that is read; name another, as it would be overwritten"
        )
    source = endless_ladder.open_source(settings)
    found = endless_ladder.list_ladders(source, settings, files, vote=settings.vote)
    for one in found:
        print(
            sanitize_text(
                format_ladder(one, find_baseline(one, known) if known is not None else None)
            )
        )
    if settings.out:
        write_text(
            settings.out, f"{json.dumps([ladder_to_record(one) for one in found], indent=1)}\n"
        )
    if any(one.due_ids for one in found):
        print("some climbs are open; `facelet next` prints their next questions", file=sys.stderr)
    return 0
