"""Write the Parquet file that verl trains from, and compute its rewards.

    from facelet.pipeline.adapters import verl

    verl.write("data/out/training", ["SUITE.TASK"], "train.parquet")

and in verl's configuration

    data.train_files=train.parquet
    reward.custom_reward_function.path=.../facelet/pipeline/adapters/verl.py
    reward.custom_reward_function.name=compute_score

Episodes use the tool `reply` of `verl_tools.py`, which this configuration names:

    actor_rollout_ref.rollout.multi_turn.enable=True
    actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml

A row has `data_source` (its config), `prompt` (a chat), `ability`, `reward_model`, `extra_info`,
and `images` if there are pictures; `<image>` marks each picture in the prompt. `agent_name` selects
the agent loop: `tool_agent` for an episode, else `single_turn_agent`. A row contains no answer:
`ground_truth` is the row's id, and replies are graded by replay, those of an episode as its tool
received them. verl loads this module by its path; the module does not import verl.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.task import Status
from facelet.pipeline.adapters._dataset_folder import (
    describe_courses,
    find_row,
    grade_replies,
    list_pictures,
    load_rows,
)
from facelet.pipeline.rollout.chat_messages import Message, chat_text
from facelet.pipeline.rollout.rewards import Weights, reward

MARK = "<image>"
"""Marks a picture in a prompt."""

TOOL = "reply"
"""Name of the tool that takes the replies of an episode."""

REPLIES = "facelet_replies"
"""Key of a rollout for the replies of an episode that its tool received."""

TOOLS = """tools:
  - class_name: facelet.pipeline.adapters.verl_tools.ReplyTool
    config: {type: native}
"""
"""The tool configuration that `write_tools` writes."""

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
    """Write rows in the format of verl; return their number.

    Args:
        folder: a built or downloaded dataset; the reward function reads it as well.
        configs: names of configs or suites.
        out: the Parquet file.
        split: name of the split.
        limit: maximum number of rows of each config, spread over difficulties.

    Raises:
        ValueError: the dataset, a config or the split does not exist; the text of a prompt contains
            the mark of a picture; or a turn begins a new chat or shows several pictures, which
            verl's tools do not support.
    """
    place = str(Path(folder).expanduser().absolute())
    rows = list(load_rows(Path(place), configs, split, limit))
    courses = describe_courses(rows, "verl")
    if many := [config for config, course in courses.items() if course.most_pictures > 1]:
        raise ValueError(
            f"{', '.join(many)}: a turn shows several pictures, and verl's tools show one at a "
            "time; leave these configs out"
        )
    found = [_build_verl_row(row, place, courses[row["config"]].turns > 1) for row in rows]
    pictured = any(row["images"] for row in found)
    names = [name for name in _FIELDS if pictured or name != "images"]
    kind = pa.schema([(name, _FIELDS[name]) for name in names])
    pq.write_table(pa.Table.from_pylist(found, schema=kind), out)
    return len(found)


def write_tools(out: str | Path) -> None:
    """Write the configuration of the tool for episodes.

    Args:
        out: the YAML file.
    """
    Path(out).write_text(TOOLS, encoding="utf-8")


def _build_verl_row(row: Mapping[str, Any], folder: str, episode: bool) -> dict[str, Any]:
    chat = [{"role": one["role"], "content": _join_parts(one)} for one in row["messages"]]
    named = {"id": row["id"], "dataset": folder}
    tools = {TOOL: {"create_kwargs": named}} if episode else None
    return {
        "data_source": row["config"],
        "prompt": chat,
        "ability": "spatial reasoning",
        "reward_model": {"style": "rule", "ground_truth": row["id"]},
        "extra_info": {**named, "need_tools_kwargs": episode, "tools_kwargs": tools},
        "agent_name": "tool_agent" if episode else "single_turn_agent",
        "images": [{"bytes": image["bytes"]} for image in list_pictures(row)],
    }


def _join_parts(message: Message) -> str:
    """Return a message as one text with a mark for each picture."""
    if MARK in chat_text([message]):
        raise ValueError(f"a prompt contains the text {MARK!r}, which verl reads as a picture")
    return chat_text([message], MARK)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **weights: Any,
) -> dict[str, float]:
    """Return the reward of a reply as `score`, and whether it is correct as `acc`.

    Args:
        data_source: the row's config; not used.
        solution_str: the reply; not used for an episode.
        ground_truth: id of the row.
        extra_info: contains `dataset`, the folder; for an episode also `tools_kwargs` and the
            replies that the tool received.
        weights: keyword arguments of `Weights` (verl's `reward_kwargs`).

    Raises:
        ValueError: the dataset has no such row.
    """
    del data_source
    extra = extra_info or {}
    folder = extra.get("dataset")
    if not folder:
        raise ValueError("extra_info must contain dataset, as rows of `write` do")
    replies = list(extra.get(REPLIES) or ()) if extra.get("tools_kwargs") else [solution_str]
    outcome = grade_replies(find_row(str(folder), ground_truth), replies)
    worth = reward(outcome, Weights(**weights), replies)
    return {"score": worth, "acc": float(outcome.status == Status.CORRECT)}
