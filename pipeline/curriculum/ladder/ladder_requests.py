"""List the next questions of open climbs as a request file.

A line is {"id", "custom_id", "messages"}: the row's id, the same with characters that batch APIs
allow, and the chat in the form of chat completions, pictures as data URLs. `facelet score` and
`facelet ladder` accept answers by either id. So a ladder is climbed in batches: next, ask, add the
answers to the predictions, next again, until nothing is due.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from facelet.pipeline.curriculum.ladder.prediction_ladders import ModelLadder, build_ladder
from facelet.pipeline.rollout import open_row
from facelet.pipeline.rollout import rows as rows_of
from facelet.pipeline.rollout.transcript_file import Transcript


def iterate_one_model(found: Sequence[ModelLadder], model: str) -> Iterator[ModelLadder]:
    """Yield the ladders of one model.

    Raises:
        ValueError: it has no predictions, or no model is named and there are several.
    """
    models = sorted({one.model for one in found})
    if not model and len(models) > 1:
        raise ValueError(f"there are predictions of {len(models)} models; say model={models[0]}")
    if model and models != [""] and model not in models:
        raise ValueError(f"model={model} has no predictions; there are {', '.join(models)}")
    yield from (one for one in found if not model or one.model in (model, ""))


def iterate_requests(
    folder: Path, found: Sequence[ModelLadder], *, ids: bool = False
) -> Iterator[dict[str, object]]:
    """Yield a request for each due question.

    Args:
        folder: the dataset.
        found: ladders.
        ids: whether to leave out the messages.
    """
    for one in found:
        rows = {} if ids else _load_due_rows(folder, one)
        for identifier in one.due_ids:
            custom = re.sub(r"[^A-Za-z0-9_-]", "-", identifier)
            line: dict[str, object] = {"id": identifier, "custom_id": custom}
            if not ids:
                line["messages"] = open_row(rows[identifier]).messages
            yield line


def _load_due_rows(folder: Path, found: ModelLadder) -> dict[str, dict[str, object]]:
    """Return the due rows of a ladder, by id."""
    due = set(found.due_ids)
    every = rows_of(folder, found.rungs.config, found.rungs.split)
    return {row["id"]: row for row in every if row["id"] in due}


def climb_live(
    folder: Path,
    start: ModelLadder,
    model: Callable[[list[dict[str, object]]], str],
    name: str = "model",
) -> tuple[ModelLadder, list[Transcript]]:
    """Climb with a model that answers at once.

    Args:
        folder: the dataset.
        start: a ladder, as `iterate_ladders` yields it without predictions; its climbs start again.
        model: receives a chat in the form of chat completions, and returns the reply.
        name: the model's name in transcripts.

    Returns:
        The ladder with all climbs finished, and a transcript of each question for `facelet score`.
    """
    numbers = {identifier: row for row, identifier in enumerate(start.rungs.ids)}
    right: dict[int, bool] = {}
    told = []
    found = build_ladder(start.rungs, name, right, len(start.climbs))
    while found.due_ids:
        rows = _load_due_rows(folder, found)
        for identifier in found.due_ids:
            play = open_row(rows[identifier])
            while not play.done:
                play.reply(model(play.messages))
            outcome = play.outcome
            right[numbers[identifier]] = outcome is not None and outcome.status == "correct"
            told.append(play.transcript(name))
        found = build_ladder(start.rungs, name, right, len(start.climbs))
    return found, told
