"""`facelet next`: the questions that open climbs are asked next, as a request file.

A line is {"id", "custom_id", "messages"}: the row's id, the same with signs that batch APIs allow,
and the chat as chat completions take it, pictures as data URLs. `facelet score` and
`facelet ladder` take the answers back by either id. So a ladder is climbed in batches: next, ask,
add the answers to the predictions, next again, until nothing is due.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline.environment import open_row
from facelet.pipeline.environment import rows as rows_of
from facelet.pipeline.ladder.ladders import RUNS, Ladder, ladder_of, ladders
from facelet.pipeline.scoring.taking.files import find
from facelet.pipeline.words import Key, expand, help_table, read_words

KEYS = (
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key(
        "predictions",
        "str",
        "",
        "files, folders or patterns, separated by commas",
        "The answers so far; none for a model that has not begun.",
    ),
    Key("model", "str", "the only one", "a name", "Whose ladders are climbed."),
    Key("configs", "list", "[]", "names of configs; [] for all", "The ladders to climb."),
    Key("runs", "int", str(RUNS), "at least 1", "Climbs, as far as the questions allow."),
    Key("ids", "bool", "false", "true or false", "Whether lines hold ids only, no messages."),
)

HELP = f"""facelet next dataset=DIR [predictions=FILES] [key=value ...]

Prints the questions that a model is asked next on its ladders, one JSON object a line: id,
custom_id and messages. Nothing is printed when all climbs have ended. Questions of many turns are
played with the environment (facelet.environment), which these ids name as well.

Keys:
{help_table(KEYS)}

Examples:
  facelet next dataset=data/out/facelet-paper > batch.jsonl
  facelet next dataset=data/out/facelet-paper predictions=answers.jsonl > batch.jsonl

Exit status: 0 done, 2 a bad word, a dataset or a file that cannot be used.
"""


def run(words: Sequence[str]) -> int:
    """Print the requests and return the exit status.

    Raises:
        ValueError: a word is bad, the dataset or a file cannot be used, or no model is meant.
    """
    values = read_words(words, KEYS)
    if "dataset" not in values:
        raise ValueError("dataset=... is needed; `facelet next --help` explains the keys")
    wanted = values.get("configs", [])
    folder = expand(str(values["dataset"]))
    said = str(values.get("predictions", ""))
    found = list(
        ladders(
            folder,
            find(said) if said else [],
            runs=int(str(values.get("runs", RUNS))),
            wanted=wanted if isinstance(wanted, list) else [],
        )
    )
    chosen = list(_of_one(found, str(values.get("model", ""))))
    for line in requests(folder, chosen, ids=bool(values.get("ids", False))):
        print(json.dumps(line, ensure_ascii=False))
    print(f"{sum(len(one.missing) for one in chosen)} questions are due", file=sys.stderr)
    return 0


def _of_one(found: Sequence[Ladder], model: str) -> Iterator[Ladder]:
    """Yield the ladders of one model."""
    models = sorted({one.model for one in found})
    if not model and len(models) > 1:
        raise ValueError(f"there are predictions of {len(models)} models; say model={models[0]}")
    if model and models != [""] and model not in models:
        raise ValueError(f"model={model} has no predictions; there are {', '.join(models)}")
    yield from (one for one in found if not model or one.model in (model, ""))


def requests(
    folder: Path, found: Sequence[Ladder], *, ids: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield a request for each question that is due.

    Args:
        folder: the dataset.
        found: ladders.
        ids: whether the messages are left out.
    """
    for one in found:
        rows = {} if ids else _rows(folder, one)
        for identifier in one.missing:
            custom = re.sub(r"[^A-Za-z0-9_-]", "-", identifier)
            line: dict[str, Any] = {"id": identifier, "custom_id": custom}
            if not ids:
                line["messages"] = open_row(rows[identifier]).messages
            yield line


def _rows(folder: Path, found: Ladder) -> dict[str, dict[str, Any]]:
    """Return the rows that a ladder is asked next, by id."""
    due = set(found.missing)
    every = rows_of(folder, found.rungs.config, found.rungs.split)
    return {row["id"]: row for row in every if row["id"] in due}


def live(
    folder: Path, start: Ladder, model: Callable[[list[dict[str, Any]]], str], name: str = "model"
) -> tuple[Ladder, list[dict[str, Any]]]:
    """Climb with a model that answers at once.

    Args:
        folder: the dataset.
        start: a ladder, as `ladders` yields it without predictions; its climbs begin anew.
        model: takes a chat as chat completions do, and returns the reply.
        name: what the model is called in transcripts.

    Returns:
        The ladder with all climbs ended, and a transcript of each question, as `facelet score`
        takes them.
    """
    numbers = {identifier: row for row, identifier in enumerate(start.rungs.ids)}
    right: dict[int, bool] = {}
    told = []
    found = ladder_of(start.rungs, name, right, len(start.climbs))
    while found.missing:
        rows = _rows(folder, found)
        for identifier in found.missing:
            play = open_row(rows[identifier])
            while not play.done:
                play.reply(model(play.messages))
            outcome = play.outcome
            right[numbers[identifier]] = outcome is not None and outcome.status == "correct"
            told.append(play.transcript(name))
        found = ladder_of(start.rungs, name, right, len(start.climbs))
    return found, told
