"""Print the questions that open ladders are asked next.

Prints the questions that a model is asked next on its ladders, one JSON object a line: id,
custom_id and messages. Nothing is printed when all climbs have ended. Questions of many turns are
played with the environment (facelet.environment), which these ids name as well.

Examples:
  facelet next dataset=data/out/facelet-paper > batch.jsonl
  facelet next dataset=data/out/facelet-paper predictions=answers.jsonl > batch.jsonl

Exit status: 0 done, 2 a bad word, a dataset or a file that cannot be used.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.keys import key
from facelet.pipeline.ladder.climbing import RUNS


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Whose ladders are climbed."""

    dataset: Path = key("The dataset.", allowed="a folder that holds a built or downloaded dataset")
    predictions: str = key(
        "The answers so far; none for a model that has not begun.",
        "",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
    )
    model: str = key("Whose ladders are climbed.", "", allowed="a name", shown="the only one")
    configs: tuple[str, ...] = key(
        "The ladders to climb.", (), allowed="names of configs; [] for all"
    )
    runs: int = key("Climbs, as far as the questions allow.", RUNS, allowed="at least 1")
    ids: bool = key("Whether lines hold ids only, no messages.", False)


def run(settings: Settings) -> int:
    """Print the requests and return the exit status.

    Raises:
        ValueError: the dataset or a file cannot be used, or no model is meant.
    """
    from facelet.pipeline.ladder.asking import of_one, requests
    from facelet.pipeline.ladder.ladders import ladders
    from facelet.pipeline.scoring.taking.files import find

    files = find(settings.predictions) if settings.predictions else []
    found = ladders(settings.dataset, files, runs=settings.runs, wanted=settings.configs)
    chosen = list(of_one(list(found), settings.model))
    for line in requests(settings.dataset, chosen, ids=settings.ids):
        print(json.dumps(line, ensure_ascii=False))
    print(f"{sum(len(one.missing) for one in chosen)} questions are due", file=sys.stderr)
    return 0
