"""Asking: the questions that open climbs are asked next, as a request file.

A line is {"id", "custom_id", "messages"}: the row's id, the same with signs that batch APIs allow,
and the chat as chat completions take it, pictures as data URLs. `facelet score` and
`facelet ladder` take the answers back by either id. So a ladder is climbed in batches: next, ask,
add the answers to the predictions, next again, until nothing is due.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from facelet.pipeline.environment import open_row
from facelet.pipeline.environment import rows as rows_of
from facelet.pipeline.environment.transcripts import Transcript
from facelet.pipeline.ladder.ladders import Ladder, ladder_of


def of_one(found: Sequence[Ladder], model: str) -> Iterator[Ladder]:
    """Yield the ladders of one model.

    Raises:
        ValueError: it has no predictions, or none is named and there are several.
    """
    models = sorted({one.model for one in found})
    if not model and len(models) > 1:
        raise ValueError(f"there are predictions of {len(models)} models; say model={models[0]}")
    if model and models != [""] and model not in models:
        raise ValueError(f"model={model} has no predictions; there are {', '.join(models)}")
    yield from (one for one in found if not model or one.model in (model, ""))


def requests(
    folder: Path, found: Sequence[Ladder], *, ids: bool = False
) -> Iterator[dict[str, object]]:
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
            line: dict[str, object] = {"id": identifier, "custom_id": custom}
            if not ids:
                line["messages"] = open_row(rows[identifier]).messages
            yield line


def _rows(folder: Path, found: Ladder) -> dict[str, dict[str, object]]:
    """Return the rows that a ladder is asked next, by id."""
    due = set(found.missing)
    every = rows_of(folder, found.rungs.config, found.rungs.split)
    return {row["id"]: row for row in every if row["id"] in due}


def live(
    folder: Path,
    start: Ladder,
    model: Callable[[list[dict[str, object]]], str],
    name: str = "model",
) -> tuple[Ladder, list[Transcript]]:
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
