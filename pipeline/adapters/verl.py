"""verl: a reward function, and the Parquet file that it trains from.

    from facelet.pipeline.adapters import verl

    verl.write("data/out/training", ["SUITE.TASK"], "train.parquet")

and in verl's configuration

    data.train_files=train.parquet
    reward.custom_reward_function.path=.../facelet/pipeline/adapters/verl.py
    reward.custom_reward_function.name=compute_score

Episodes are played by the tool `reply` of `verl_tools.py`; its file is named in

    actor_rollout_ref.rollout.multi_turn.enable=True
    actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml

A row has `data_source` (its config), `prompt` (a chat), `ability`, `reward_model`, `extra_info`
and, where there are pictures, `images`; in the prompt `<image>` stands for each. `agent_name` says
by which loop it is played: `tool_agent` for an episode, else `single_turn_agent`. Nothing in it is
the right answer: `ground_truth` is the row's id, and the verdict is by replay, of an episode by the
replies that its tool took. This module needs no part of verl, as verl loads it by its path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.task import Status
from facelet.pipeline.adapters._dataset_folder import (
    ReferenceCourse,
    describe_course,
    find_row,
    grade_replies,
    load_rows,
)
from facelet.pipeline.rollout.rewards import Weights, reward

MARK = "<image>"
"""Stands in a prompt where a picture does."""

TOOL = "reply"
"""Name of the tool by which an episode is played."""

REPLIES = "facelet_replies"
"""Under this name the replies of an episode come with a rollout, as its tool took them."""

TOOLS = """tools:
  - class_name: facelet.pipeline.adapters.verl_tools.ReplyTool
    config: {type: native}
"""
"""What verl reads of its tools: `write_tools` writes it."""

_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
_ROW = pa.struct([("id", pa.string()), ("dataset", pa.string())])
_TOOL_ARGUMENTS = pa.struct([(TOOL, pa.struct([("create_kwargs", _ROW)]))])
_FIELDS = {
    "data_source": pa.string(),
    "prompt": pa.list_(_MESSAGE),
    "ability": pa.string(),
    "reward_model": pa.struct([("style", pa.string()), ("ground_truth", pa.string())]),
    "extra_info": pa.struct(
        [*_ROW, ("need_tools_kwargs", pa.bool_()), ("tools_kwargs", _TOOL_ARGUMENTS)]
    ),
    "agent_name": pa.string(),
    "images": pa.list_(pa.struct([("bytes", pa.binary())])),
}


def write(
    folder: str,
    configs: Sequence[str],
    out: str | Path,
    split: str = "train",
    limit: int | None = None,
) -> int:
    """Write rows as verl reads them; return how many.

    Args:
        folder: a built or downloaded dataset; the reward function reads it again.
        configs: names of configs or suites.
        out: the Parquet file.
        split: name of the split.
        limit: most rows of each config, spread over difficulties.

    Raises:
        ValueError: there is no such dataset, config or split; a prompt has the mark of a picture
            among its words; or a turn begins a new chat or shows several pictures, which verl's
            tools cannot.
    """
    place = str(Path(folder).expanduser().absolute())
    courses: dict[str, ReferenceCourse] = {}
    found = []
    for row in load_rows(Path(place), configs, split, limit):
        if row["config"] not in courses:
            courses[row["config"]] = describe_course(row)
        found.append(_build_verl_row(row, place, courses[row["config"]].turns > 1))
    if new := [config for config, told in courses.items() if told.begins_new_chat]:
        raise ValueError(
            f"{', '.join(new)}: a turn begins a new chat, and verl's tools add to the one there "
            "is; leave these configs out"
        )
    if many := [config for config, told in courses.items() if told.most_pictures > 1]:
        raise ValueError(
            f"{', '.join(many)}: a turn shows several pictures, and verl's tools show one at a "
            "time; leave these configs out"
        )
    pictured = any(row["images"] for row in found)
    names = [name for name in _FIELDS if pictured or name != "images"]
    kind = pa.schema([(name, _FIELDS[name]) for name in names])
    pq.write_table(pa.Table.from_pylist(found, schema=kind), out)
    return len(found)


def write_tools(out: str | Path) -> None:
    """Write the file that tells verl of the tool for episodes.

    Args:
        out: the YAML file.
    """
    Path(out).write_text(TOOLS, encoding="utf-8")


def _build_verl_row(row: Mapping[str, Any], folder: str, episode: bool) -> dict[str, Any]:
    chat = [
        {"role": one["role"], "content": _join_parts(one["content"])} for one in row["messages"]
    ]
    order = [part["image"] for one in row["messages"] for part in one["content"]]
    pictures = [{"bytes": row["images"][k]["bytes"]} for k in order if k is not None]
    named = {"id": row["id"], "dataset": folder}
    tools = {TOOL: {"create_kwargs": named}} if episode else None
    return {
        "data_source": row["config"],
        "prompt": chat,
        "ability": "spatial reasoning",
        "reward_model": {"style": "rule", "ground_truth": row["id"]},
        "extra_info": {**named, "need_tools_kwargs": episode, "tools_kwargs": tools},
        "agent_name": "tool_agent" if episode else "single_turn_agent",
        "images": pictures,
    }


def _join_parts(parts: Sequence[Mapping[str, Any]]) -> str:
    """Return the parts of a message as one text, a mark for each picture."""
    said = [MARK if part["type"] == "image" else str(part["text"]) for part in parts]
    if any(part["type"] == "text" and MARK in part["text"] for part in parts):
        raise ValueError(f"a prompt has {MARK!r} among its words, which verl takes for a picture")
    return "\n\n".join(said)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **weights: Any,
) -> dict[str, float]:
    """Return what a reply is worth: `score`, and `acc`, whether it is right.

    Args:
        data_source: the row's config; not used.
        solution_str: the reply; of an episode, all that was said, which is not looked at.
        ground_truth: id of the row.
        extra_info: holds `dataset`, the folder; of an episode also `tools_kwargs`, and the replies
            that the tool took, if it took any.
        weights: what else counts: keyword arguments of `Weights` (verl's `reward_kwargs`).

    Raises:
        ValueError: there is no such row.
    """
    del data_source
    told = extra_info or {}
    folder = told.get("dataset")
    if not folder:
        raise ValueError("extra_info must hold dataset, as `write` makes it")
    replies = list(told.get(REPLIES) or ()) if told.get("tools_kwargs") else [solution_str]
    outcome = grade_replies(find_row(str(folder), ground_truth), replies)
    worth = reward(outcome, Weights(**weights), replies)
    return {"score": worth, "acc": float(outcome.status == Status.CORRECT)}
