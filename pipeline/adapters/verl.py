"""verl: a reward function for single questions, and the Parquet file that it trains from.

    from facelet.pipeline.adapters import verl

    verl.write("data/out/training", ["SUITE.TASK"], "train.parquet")

and in verl's configuration

    data.train_files=train.parquet
    custom_reward_function.path=.../facelet/pipeline/adapters/verl.py
    custom_reward_function.name=compute_score

A row has `data_source` (its config), `prompt` (a chat), `ability`, `reward_model`, `extra_info`
and, where there are pictures, `images`; in the prompt `<image>` stands for each. Nothing in it is
the right answer: `ground_truth` is the row's id, and the verdict is by replay. This module needs no
part of verl, as verl loads it by its path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.task import Status
from facelet.pipeline.adapters._dataset import chosen, row_of, verdict
from facelet.pipeline.environment.rewards import Weights, reward

MARK = "<image>"
"""Stands in a prompt where a picture does."""

_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
_FIELDS = {
    "data_source": pa.string(),
    "prompt": pa.list_(_MESSAGE),
    "ability": pa.string(),
    "reward_model": pa.struct([("style", pa.string()), ("ground_truth", pa.string())]),
    "extra_info": pa.struct([("id", pa.string()), ("dataset", pa.string())]),
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
        ValueError: there is no such dataset, config or split; or a prompt has the mark of a picture
            among its words.
    """
    place = str(Path(folder).expanduser().absolute())
    found = [_row(row, place) for row in chosen(Path(place), configs, split, limit)]
    pictured = any(row["images"] for row in found)
    names = [name for name in _FIELDS if pictured or name != "images"]
    kind = pa.schema([(name, _FIELDS[name]) for name in names])
    pq.write_table(pa.Table.from_pylist(found, schema=kind), out)
    return len(found)


def _row(row: Mapping[str, Any], folder: str) -> dict[str, Any]:
    chat = [{"role": one["role"], "content": _text(one["content"])} for one in row["messages"]]
    order = [part["image"] for one in row["messages"] for part in one["content"]]
    pictures = [{"bytes": row["images"][k]["bytes"]} for k in order if k is not None]
    return {
        "data_source": row["config"],
        "prompt": chat,
        "ability": "spatial reasoning",
        "reward_model": {"style": "rule", "ground_truth": row["id"]},
        "extra_info": {"id": row["id"], "dataset": folder},
        "images": pictures,
    }


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
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
        solution_str: the reply.
        ground_truth: id of the row.
        extra_info: holds `dataset`, the folder.
        weights: what else counts: keyword arguments of `Weights` (verl's `reward_kwargs`).

    Raises:
        ValueError: there is no such row.
    """
    del data_source
    folder = (extra_info or {}).get("dataset")
    if not folder:
        raise ValueError("extra_info must hold dataset, as `write` makes it")
    outcome = verdict(row_of(str(folder), ground_truth), [solution_str])
    worth = reward(outcome, Weights(**weights), [solution_str])
    return {"score": worth, "acc": float(outcome.status == Status.CORRECT)}
