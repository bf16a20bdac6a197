"""Print the next questions of open ladders.

Prints the next questions for a model on its ladders, one JSON object a line: id, custom_id and
messages. Prints nothing when all climbs have ended. Questions of many turns are played with the
environment (facelet.environment), by the same ids.

With ladder= no dataset is needed: questions are drawn on demand from hashes of their names, up to
level 1000 or any other, and facelet ladder judges the answers by drawing them again.

Examples:
  facelet next ladder=SUITE.CONFIG > batch.jsonl
  facelet next dataset=data/out/facelet-paper > batch.jsonl
  facelet next dataset=data/out/facelet-paper predictions=answers.jsonl > batch.jsonl

Exit status: 0 done, 2 a bad argument, or a dataset or a file that cannot be used.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.curriculum.ladder.settings import LadderSelection


@dataclass(frozen=True, kw_only=True)
class Settings(LadderSelection):
    """The ladders and the model."""

    predictions: str = key(
        "The answers so far; none for a new model.",
        "",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
    )
    model: str = key("The model.", "", allowed="a name", shown="the only one")
    ids: bool = key("Print ids only, no messages.", False)


def run(settings: Settings) -> int:
    """Print the requests and return the exit status.

    Raises:
        ValueError: the dataset or a file cannot be used, or the model is ambiguous.
    """
    from facelet.pipeline.curriculum.ladder import endless_ladder
    from facelet.pipeline.scoring.ingest.file_reader import find_files

    source = endless_ladder.open_source(settings)
    files = find_files(settings.predictions) if settings.predictions else []
    found = endless_ladder.list_ladders(source, settings, files)
    chosen = list(endless_ladder.iterate_one_model(found, settings.model))
    for line in endless_ladder.iterate_requests(source, chosen, ids=settings.ids):
        print(json.dumps(line, ensure_ascii=False))
    print(f"{sum(len(one.due_ids) for one in chosen)} questions are due", file=sys.stderr)
    return 0
