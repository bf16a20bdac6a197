"""Read the rows of a dataset folder for adapters, with pictures, and grade replies to them.

Rows are cached in memory without pictures, once per folder, for tools that return an id alone. A
grade equals the one that `facelet score` gives to the same replies.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import AnyRow, is_training
from facelet.pipeline.rollout.chat_messages import Chat, convert_chat, iterate_parts, url_part
from facelet.pipeline.rollout.reply_verdicts import judge_replies
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import read_row
from facelet.pipeline.rollout.row_opener import rows as rows_of
from facelet.pipeline.rollout.row_selection import sample_ids, select_splits


def build_suite(suite: str, profile: str = "smoke") -> Path:
    """Return the folder of a suite in data/out; build the suite if the folder does not exist.

    Args:
        suite: name of the suite.
        profile: size of the build: smoke, paper or large.

    Raises:
        ValueError: the build failed.
    """
    out = Path("data/out") / f"facelet-{profile}-{suite}"
    if not (out / dataset_reader.MANIFEST).is_file():
        # Imported here, because Hydra's requirements can conflict with those of other tools.
        from facelet.pipeline.config.build_settings import BuildArguments
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
        configs: names of configs or suites; none for all.
        split: name of a split; "" for all.
        limit: maximum number of rows of each config and split, spread over difficulties; None for
            all.

    Raises:
        ValueError: the dataset, a config or the split does not exist, or the limit is not a whole
            number from 1.
    """
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ValueError(f"limit is {limit!r}; use a whole number from 1, or None for all rows")
    suites = {part.config.partition(".")[0] for part in dataset_reader.list_splits(folder)}
    parts = select_splits(folder, [], [], split)
    select_splits(folder, [], [name for name in configs if name not in suites], split)
    for part in parts:
        if not configs or {part.config, part.config.partition(".")[0]} & set(configs):
            ids = sample_ids(part, limit)
            for row in part.iterate_rows(images=True):
                if row["id"] in ids:
                    yield row | {"config": part.config}


def choose_split(folder: Path) -> str:
    """Return the split that trainers read by default: train, or "" where no split trains.

    Raises:
        ValueError: the folder is no dataset.
    """
    names = [part.name for part in dataset_reader.list_splits(folder)]
    return next(filter(is_training, names), "")


def first_prompt(row: AnyRow) -> Chat:
    """Return the first prompt of a row of `load_rows`, in the form of chat completions."""

    def show_picture(index: int) -> dict[str, Any]:
        data = base64.b64encode(row["images"][index]["bytes"]).decode("ascii")
        return url_part(f"data:image/png;base64,{data}")

    return convert_chat(row["messages"], show_picture, plain=True)


def list_pictures(row: AnyRow) -> list[Any]:
    """Return the pictures of a row with the column `images`, in the order of its chat."""
    parts = iterate_parts(row["messages"])
    return [row["images"][part["image"]] for part in parts if part["type"] == "image"]


@dataclass(frozen=True, slots=True)
class ReferenceCourse:
    """The course of a row's episode under the reference player.

    Attributes:
        turns: number of replies.
        begins_new_chat: whether a turn begins a new chat.
        most_pictures: maximum number of pictures of a later turn.
    """

    turns: int
    begins_new_chat: bool
    most_pictures: int


def describe_course(row: AnyRow) -> ReferenceCourse:
    """Play the episode of a row with its reference replies and describe it.

    Args:
        row: a row as published; pictures may be left out.
    """
    read = read_row(row)
    replies = read.task.reference(read.instance)
    play, renewed, shown = Play(read), False, 0
    for reply in replies:
        if play.reply(reply) is None:
            new = iterate_parts(play.format_messages("dataset", new=True))
            shown = max(shown, sum(part["type"] == "image" for part in new))
            renewed = renewed or play.begins_chat
    return ReferenceCourse(len(replies), renewed, shown)


def describe_courses(rows: Sequence[AnyRow], tool: str) -> dict[str, ReferenceCourse]:
    """Return the course of the first row of each config.

    Args:
        rows: rows of `load_rows`.
        tool: name of the tool, for the error message.

    Raises:
        ValueError: a turn begins a new chat.
    """
    first = {row["config"]: row for row in reversed(rows)}
    courses = {config: describe_course(first[config]) for config in reversed(first)}
    refuse_new_chats(courses, tool)
    return courses


def refuse_new_chats(courses: Mapping[str, ReferenceCourse], tool: str) -> None:
    """Refuse configs in which a turn begins a new chat.

    Raises:
        ValueError: there are such configs; the message names them.
    """
    if new := [config for config, course in courses.items() if course.begins_new_chat]:
        raise ValueError(
            f"{', '.join(new)}: a turn begins a new chat, and {tool} continues the existing chat; "
            "leave these configs out"
        )


@lru_cache(maxsize=4)
def _load_row_table(folder: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows_of(folder)}


def find_row(folder: str, identifier: str) -> dict[str, Any]:
    """Return a row without its pictures.

    Raises:
        ValueError: the folder has no such row.
    """
    found = _load_row_table(folder).get(identifier)
    if found is None:
        raise ValueError(f"no row {identifier!r} in {folder!r}; name the dataset of the prompts")
    return found


def grade_replies(row: AnyRow, replies: Sequence[str], final: str | None = None) -> Outcome:
    """Grade replies to a row as `facelet score` does.

    Args:
        row: a row as published; pictures may be left out.
        replies: the replies in order.
        final: the separate final answer, where a tool records one; see `judge_replies`.
    """
    return judge_replies(read_row(row), replies, final)


def score_reply(row: AnyRow, reply: object) -> dict[str, float]:
    """Return the figures that harnesses average: `acc`, and `strict_acc` for the requested form.

    Args:
        row: a row as published; pictures may be left out.
        reply: the reply, or a list of one.
    """
    while isinstance(reply, list | tuple) and reply:
        reply = reply[0]
    outcome = grade_replies(row, [reply if isinstance(reply, str) else ""])
    right = outcome.status == Status.CORRECT
    return {"acc": float(right), "strict_acc": float(right and outcome.strict)}
