"""Print the next questions of open ladders.

Prints the questions that a model is asked next on its ladders, one JSON object a line: id,
custom_id and messages. Prints nothing when all climbs have ended. To play questions of many turns,
use the environment (facelet.environment), which accepts the same ids.

With ladder= no dataset is needed: questions are drawn from hashes of their names when they are due,
to level 1000 or any other, and facelet ladder grades the answers by drawing them again.

Examples:
  facelet next ladder=SUITE.CONFIG > batch.jsonl
  facelet next dataset=data/out/facelet-paper > batch.jsonl
  facelet next dataset=data/out/facelet-paper predictions=answers.jsonl > batch.jsonl

Exit status: 0 done, 2 a bad word, a dataset or a file that cannot be used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.curriculum.ladder.settings import LadderSelection


@dataclass(frozen=True, kw_only=True)
class Settings(LadderSelection):
    """Whose ladders are climbed."""

    predictions: str = key(
        "The answers so far; none for a model that has not begun.",
        "",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
    )
    model: str = key("Whose ladders are climbed.", "", allowed="a name", shown="the only one")
    ids: bool = key("Whether lines hold ids only, no messages.", False)


def run(settings: Settings) -> int:
    """Print the requests and return the exit status.

    Raises:
        ValueError: the dataset or a file cannot be used, or no model is meant.
    """
    from facelet.pipeline.curriculum.ladder import ladder_requests
    from facelet.pipeline.scoring.ingest.file_reader import find_files

    files = find_files(settings.predictions) if settings.predictions else []
    lines: Iterable[Mapping[str, object]]
    if settings.dataset is None:
        from facelet.pipeline.curriculum.ladder import endless_ladder

        one = endless_ladder.build_endless_ladder(
            settings.ladder, settings.top, settings.seed, settings.runs
        )
        chosen = list(
            ladder_requests.iterate_one_model(
                endless_ladder.list_endless_ladders(one, files, settings.duplicates),
                settings.model,
            )
        )
        lines = (
            line
            for due in chosen
            for line in endless_ladder.iterate_endless_requests(one, due, ids=settings.ids)
        )
    else:
        from facelet.pipeline.curriculum.ladder.prediction_ladders import iterate_ladders

        found = list(
            iterate_ladders(
                settings.dataset,
                files,
                runs=settings.runs,
                wanted=settings.configs,
                duplicates=settings.duplicates,
            )
        )
        chosen = list(ladder_requests.iterate_one_model(found, settings.model))
        lines = ladder_requests.iterate_requests(settings.dataset, chosen, ids=settings.ids)
    for line in lines:
        print(json.dumps(line, ensure_ascii=False))
    print(f"{sum(len(one.due_ids) for one in chosen)} questions are due", file=sys.stderr)
    return 0
