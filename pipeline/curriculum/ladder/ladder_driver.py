"""Open the ladders that the settings select, and list the next questions of their open climbs.

A source of ladders is a dataset folder or an `EndlessLadder`. A request is {"id", "custom_id",
"messages"}: the question's id, the same with characters that batch APIs allow, and the chat in the
form of chat completions, pictures as data URLs. `facelet score` and `facelet ladder` accept answers
by either id. So a ladder is climbed in batches: next, ask, add the answers to the predictions, next
again, until nothing is due.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from facelet.pipeline.curriculum.ladder.endless_ladder import (
    EndlessLadder,
    build_endless_ladder,
    list_endless_ladders,
)
from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    ModelLadder,
    iterate_ladders,
)
from facelet.pipeline.curriculum.ladder.settings import LadderSelection
from facelet.pipeline.rollout import open_row
from facelet.pipeline.rollout import rows as rows_of
from facelet.pipeline.rollout.row_episode import Play

LadderSource = Path | EndlessLadder
"""A dataset folder, or a ladder without a dataset."""


def open_source(chosen: LadderSelection) -> LadderSource:
    """Return the source that the settings select.

    Raises:
        ValueError: neither a dataset nor a usable ladder is named.
    """
    if chosen.dataset is not None:
        return chosen.dataset
    return build_endless_ladder(chosen.ladder, chosen.top, chosen.seed, chosen.runs)


def list_ladders(
    source: LadderSource, chosen: LadderSelection, files: Sequence[Path], *, vote: bool = False
) -> list[ModelLadder]:
    """Return the ladders of all models.

    Args:
        source: the source.
        chosen: the settings.
        files: prediction files; none for a model that has not begun.
        vote: whether the majority of a row's samples decides; only in a dataset.

    Raises:
        ValueError: the dataset or a prediction cannot be used.
    """
    if isinstance(source, EndlessLadder):
        return list_endless_ladders(source, files, chosen.duplicates)
    found = iterate_ladders(
        *(source, files),
        runs=chosen.runs,
        vote=vote,
        wanted=chosen.configs,
        duplicates=chosen.duplicates,
    )
    return list(found)


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
    source: LadderSource, found: Sequence[ModelLadder], *, ids: bool = False
) -> Iterator[dict[str, object]]:
    """Yield a request for each due question.

    Args:
        source: the source of the ladders.
        found: the ladders.
        ids: whether to leave out the messages.
    """
    for one in found:
        open_play = None if ids else _due_opener(source, one)
        for identifier in one.due_ids:
            custom = re.sub(r"[^A-Za-z0-9_-]", "-", identifier)
            line: dict[str, object] = {"id": identifier, "custom_id": custom}
            if open_play is not None:
                line["messages"] = open_play(identifier).messages
            yield line


def _due_opener(source: LadderSource, found: ModelLadder) -> Callable[[str], Play]:
    """Return the function that opens a due question by its id."""
    if isinstance(source, EndlessLadder):
        return source.open_play
    due = set(found.due_ids)
    every = rows_of(source, found.rungs.config, found.rungs.split)
    rows = {row["id"]: row for row in every if row["id"] in due}
    return lambda identifier: open_row(rows[identifier])
