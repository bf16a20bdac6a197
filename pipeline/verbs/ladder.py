"""Measure how far a model climbs a ladder of levels.

A visit to a level asks five questions. Three right answers lead up, fewer lead down, and the second
failure of a level ends the climb. R is given by two readings: failed, the level that was failed
twice, and below, the level below it. Beside the climbs are the R expected from the accuracies at
all levels, which needs no climb, and the floor, which a guesser reaches. A ladder whose next
questions are not answered yet is open: `facelet next` lists them.

Examples:
  facelet ladder dataset=data/out/facelet-paper predictions=answers.jsonl
  facelet ladder dataset=data/out/facelet-paper predictions=five.jsonl vote=true
  facelet ladder ladder=SUITE.CONFIG predictions=answers.jsonl
  facelet ladder dataset=data/out/tools predictions=answers.jsonl vanilla=plain.json

Exit status: 0 done, 2 a bad word, a dataset or a file that cannot be used.
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
    """Whose ladders are told, and how."""

    predictions: str = key(
        "The predictions, in any format that `facelet score` takes.",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
    )
    vote: bool = key(
        "Whether the answer that most samples of a row give counts; else the first sample does.",
        False,
    )
    vanilla: Path | None = key(
        "Ladders without a method, whose R is taken off that of these.",
        None,
        allowed="a file that out= wrote",
        shown="none",
    )
    out: Path | None = key(
        "Where the ladders are written as JSON as well.", None, allowed="a file", shown="none"
    )


def run(settings: Settings) -> int:
    """Print the ladders and return the exit status.

    Raises:
        ValueError: the dataset or a file cannot be used.
    """
    from facelet.pipeline.curriculum.ladder.ladder_difference import (
        find_baseline,
        read_baseline_ladders,
    )
    from facelet.pipeline.curriculum.ladder.ladder_text import format_ladder
    from facelet.pipeline.curriculum.ladder.prediction_ladders import (
        iterate_ladders,
        ladder_to_record,
    )
    from facelet.pipeline.dataset.atomic_files import write_text
    from facelet.pipeline.scoring.ingest.file_reader import find_files

    known = read_baseline_ladders(settings.vanilla) if settings.vanilla else None
    files = find_files(settings.predictions)
    if settings.dataset is None:
        from facelet.pipeline.curriculum.ladder import endless_ladder

        ladder = endless_ladder.build_endless_ladder(
            settings.ladder, settings.top, settings.seed, settings.runs
        )
        found = endless_ladder.list_endless_ladders(ladder, files, settings.duplicates)
    else:
        found = list(
            iterate_ladders(
                settings.dataset,
                files,
                runs=settings.runs,
                vote=settings.vote,
                wanted=settings.configs,
                duplicates=settings.duplicates,
            )
        )
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
        print("some climbs are open; `facelet next` lists the next questions", file=sys.stderr)
    return 0
