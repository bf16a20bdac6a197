"""A dataset folder as adapters see it: rows with pictures, and verdicts by the judge of scoring.

Rows are kept in memory without pictures, once for each folder, so that a tool that hands back an id
alone can be served. A verdict is what `facelet score` would write for the same replies.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Chat, Part
from facelet.pipeline.rollout.reply_verdicts import judge_replies
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import read_row
from facelet.pipeline.rollout.row_opener import rows as rows_of
from facelet.pipeline.rollout.row_selection import sample_ids, select_splits


def build_suite(suite: str, profile: str = "smoke") -> Path:
    """Return the folder of a suite in data/out, built if it is not there yet.

    Args:
        suite: name of the suite.
        profile: size of the build: smoke, paper or large.

    Raises:
        ValueError: it cannot be built.
    """
    out = Path("data/out") / f"facelet-{profile}-{suite}"
    if not (out / dataset_reader.MANIFEST).is_file():
        # Tools that only score load no Hydra, whose own needs may not go together with theirs.
        from facelet.pipeline.config.build_keys import BuildArguments
        from facelet.pipeline.verbs.build import run as build

        if build(BuildArguments(profile=profile, suites=(suite,), out=str(out), quiet=True)):
            raise ValueError(f"{suite} was not built; see above, or name a folder with dataset=")
    return out


def load_rows(
    folder: Path, configs: Sequence[str] = (), split: str = "", limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield rows with the bytes of their pictures, in published order.

    Args:
        folder: a built or downloaded dataset.
        configs: names of configs, or of suites; none for all.
        split: name of a split; "" for all.
        limit: most rows of each config and split, spread over difficulties; None for all.

    Raises:
        ValueError: there is no such dataset, config or split, or the limit is no whole number
            from 1.
    """
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ValueError(f"limit is {limit!r}; give a whole number from 1, or none for all rows")
    suites = {part.config.partition(".")[0] for part in dataset_reader.list_splits(folder)}
    wanted = [
        part for part in select_splits(folder, [], [], split) if _is_selected(part.config, configs)
    ]
    unknown = [name for name in configs if name not in suites]
    select_splits(folder, [], unknown, split)
    for part in wanted:
        ids = sample_ids(part, limit)
        for row in part.iterate_rows(images=True):
            if row["id"] in ids:
                yield row | {"config": part.config}


def _is_selected(config: str, names: Sequence[str]) -> bool:
    return not names or config in names or config.partition(".")[0] in names


def first_prompt(row: AnyRow) -> Chat:
    """Return the first prompt of a row of `load_rows`, in the form of chat completions."""
    urls = [
        "data:image/png;base64," + base64.b64encode(image["bytes"]).decode("ascii")
        for image in row["images"] or ()
    ]
    return [
        {
            "role": message["role"],
            "content": [_to_chat_part(part, urls) for part in message["content"]],
        }
        for message in row["messages"]
    ]


def _to_chat_part(part: Part, urls: Sequence[str]) -> Part:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    return {"type": "image_url", "image_url": {"url": urls[part["image"]]}}


@dataclass(frozen=True, slots=True)
class ReferenceCourse:
    """How the episode of a row goes, played well.

    Attributes:
        turns: number of replies.
        renews: whether a turn begins a new chat.
        shown: most pictures that a later turn shows.
    """

    turns: int
    begins_new_chat: bool
    most_pictures: int


def describe_course(row: AnyRow) -> ReferenceCourse:
    """Return how a row's episode goes, played well.

    Args:
        row: a row as published; pictures may be left out.
    """
    read = read_row(row)
    replies = read.task.reference(read.instance)
    play, renewed, shown = Play(read), False, 0
    for said in replies:
        if play.reply(said) is None:
            new = play.format_messages("dataset", new=True)
            pictures = sum(part["type"] == "image" for one in new for part in one["content"])
            renewed, shown = renewed or play.begins_chat, max(shown, pictures)
    return ReferenceCourse(len(replies), renewed, shown)


def begins_new_chat(row: AnyRow) -> bool:
    """Return whether a turn of a row's episode, played well, begins a new chat.

    Args:
        row: a row as published; pictures may be left out.
    """
    return describe_course(row).begins_new_chat


@lru_cache(maxsize=4)
def _load_row_table(folder: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows_of(folder)}


def find_row(folder: str, identifier: str) -> dict[str, Any]:
    """Return a row without its pictures.

    Raises:
        ValueError: there is no such row.
    """
    found = _load_row_table(folder).get(identifier)
    if found is None:
        raise ValueError(f"no row {identifier!r} in {folder!r}; name the dataset that was asked")
    return found


def grade_replies(row: AnyRow, replies: Sequence[str], final: str | None = None) -> Outcome:
    """Return how replies to a row are judged, as `facelet score` judges them.

    Args:
        row: a row as published; pictures may be left out.
        replies: the replies in order.
        final: the answer beside them, where a tool has one; see `replaying.judged`.
    """
    return judge_replies(read_row(row), replies, final)


def score_reply(row: AnyRow, reply: object) -> dict[str, float]:
    """Return what harnesses average: whether a reply is right, and right in the requested form.

    Args:
        row: a row as published; pictures may be left out.
        reply: the reply, or a list of one.
    """
    while isinstance(reply, list | tuple) and reply:
        reply = reply[0]
    outcome = grade_replies(row, [reply if isinstance(reply, str) else ""])
    right = outcome.status == Status.CORRECT
    return {"acc": float(right), "strict_acc": float(right and outcome.strict)}
