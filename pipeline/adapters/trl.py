"""TRL: rows as prompts, a reward function for GRPOTrainer, and episodes as environments.

    from facelet.pipeline.adapters import trl as facelet_trl

    folder = "data/out/training"
    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        train_dataset=facelet_trl.prompts(folder, ["SUITE.TASK"]),
        reward_funcs=facelet_trl.reward_func(folder),
    )

Episodes take `environment_factory=facelet_trl.environment_factory(folder)` in place of
`reward_funcs`: the model replies by calling the tool `reply`, and the environment owns the reward.
The tool returns a text, or a list of texts and pictures, which GRPOTrainer takes and
AsyncGRPOTrainer does not. What a tool returns is added to one chat, so an episode in which a turn
begins a new chat is refused. The reward function and the factory can be pickled, as
AsyncGRPOTrainer asks.

A `Streamed` may stand wherever a folder does: rows are then made when they are asked for, `prompts`
is a `datasets.IterableDataset`, and a sampler that learns is told each reward. With a stream a
dataset may be left out: `environment_factory(Streamed(...), group=8)` shows each row to 8 rollouts
that follow each other, and `max_steps` says when to end. Several factories stand in a dict, by the
names that `prompts(..., environment=NAME)` writes beside its rows.

The reward is that of `pipeline/rollout/rewards.py`, 0 to 1; `Weights` says what partly right
answers and the requested form are worth. Rows are those of the split train unless told otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset_folder import (
    begins_new_chat,
    find_row,
    first_prompt,
    grade_replies,
    load_rows,
)
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.adapters._stream_factory import Streamed, check_prompt_form
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Chat, Message
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play, open_row

__all__ = ["Environment", "Streamed", "environment_factory", "prompts", "reward_func"]

import_optional("trl", "trl")
_datasets = import_optional("datasets", "trl")

EPISODE_OVER = "The episode is over; say nothing more."


def prompts(
    folder: str | Streamed,
    configs: Sequence[str] = (),
    split: str = "train",
    limit: int | None = None,
    environment: str = "",
) -> object:
    """Return a `datasets.Dataset` of prompts: prompt (a chat), id, and images where there are any.

    Args:
        folder: a built or downloaded dataset; or a stream, for an `IterableDataset` without end.
        configs: names of configs or suites; for a stream none.
        split: name of the split.
        limit: most rows of each config, spread over difficulties; of a stream, most rows.
        environment: a name for all rows, in a column `environment`: that of a factory in a dict.

    Raises:
        ValueError: there is no such dataset, config or split; some rows have pictures and some
            have none; or a turn of an episode begins a new chat, which the tools of TRL cannot.
    """
    more = {"environment": environment} if environment else {}
    if isinstance(folder, Streamed):
        if configs:
            raise ValueError(f"configs={list(configs)}: a stream names its tasks itself")
        told = {"told": [folder], "pictured": check_prompt_form(folder, "TRL"), "more": more}
        endless = _datasets.IterableDataset.from_generator(_iterate_stream_prompts, gen_kwargs=told)
        return endless if limit is None else endless.take(limit)
    found: list[dict[str, object]] = []
    renewing: dict[str, bool] = {}
    for row in load_rows(Path(folder), configs, split, limit):
        if row["config"] not in renewing:
            renewing[row["config"]] = begins_new_chat(row)
        images = [{"bytes": image["bytes"], "path": None} for image in row["images"] or ()]
        chat = [_to_trl_message(message, parts=bool(images)) for message in first_prompt(row)]
        entry = {"id": row["id"], "prompt": chat, **more}
        if images:
            order = [part["image"] for one in row["messages"] for part in one["content"]]
            entry["images"] = [images[place] for place in order if place is not None]
        found.append(entry)
    if new := [config for config, says in renewing.items() if says]:
        raise ValueError(
            f"{', '.join(new)}: a turn begins a new chat, and TRL's tools add to the one there is; "
            "leave these configs out"
        )
    pictured = sum("images" in entry for entry in found)
    if 0 < pictured < len(found):
        raise ValueError("some of these rows have pictures and some have none; take them apart")
    data = _datasets.Dataset.from_list(found)
    if not pictured:
        return data
    return data.cast_column("images", _datasets.List(_datasets.Image()))


def _iterate_stream_prompts(
    told: Sequence[Streamed], pictured: bool, more: dict[str, str]
) -> Iterator[dict[str, object]]:
    """Yield prompts of a stream."""
    (stream,) = told
    for row in stream.iterate_rows():
        chat = open_row(row, "transformers").messages
        entry = {
            "id": row["id"],
            "prompt": [_to_trl_message(one, parts=pictured) for one in chat],
            **more,
        }
        if pictured:
            parts = [part for message in chat for part in message["content"]]
            entry["images"] = [part["image"] for part in parts if part["type"] == "image"]
        yield entry


def _to_trl_message(message: Message, *, parts: bool) -> Message:
    """Return a message as TRL takes it: a text, or parts whose pictures stand in `images`."""
    content = message["content"]
    if not parts:
        return {"role": message["role"], "content": "\n\n".join(part["text"] for part in content)}
    kept = [
        {"type": "text", "text": part["text"]} if part["type"] == "text" else {"type": "image"}
        for part in content
    ]
    return {"role": message["role"], "content": kept}


def _find_row(folder: str | Streamed, identifier: str) -> AnyRow:
    """Return the row of an id."""
    return (
        folder.find_row(identifier)
        if isinstance(folder, Streamed)
        else find_row(folder, identifier)
    )


def _record_reward(folder: str | Streamed, identifier: str, worth: float) -> float:
    """Tell the sampler of a stream what a rollout was worth; return it."""
    if isinstance(folder, Streamed) and folder.depends_on_rewards():
        folder.record_reward(identifier, min(1.0, max(0.0, worth)))
    return worth


@dataclass(frozen=True)
class Reward:
    """A reward function for single questions, by replay; see `reward_func`."""

    folder: str | Streamed
    weights: Weights | None = None
    __name__ = "facelet_reward"  # under which TRL logs it

    def __call__(
        self, completions: Sequence[str | Chat], id: Sequence[str], **_: object
    ) -> list[float]:
        """Return what each completion is worth, 0 to 1.

        Args:
            completions: texts, or chats that end with the reply.
            id: ids of their rows.
        """
        return [
            _record_reward(
                self.folder,
                name,
                reward(grade_replies(_find_row(self.folder, name), [said]), self.weights, [said]),
            )
            for name, said in zip(id, map(_completion_text, completions), strict=True)
        ]


def reward_func(folder: str | Streamed, weights: Weights | None = None) -> Reward:
    """Return a reward function for single questions, by replay.

    Args:
        folder: the folder that the prompts are of.
        weights: what counts besides being right.
    """
    return Reward(folder, weights)


def _completion_text(completion: str | Chat) -> str:
    """Return the reply of a completion: a text, or messages of which the last is the model's."""
    if isinstance(completion, str):
        return completion
    said = completion[-1]["content"] if completion else ""
    if isinstance(said, list):
        return "".join(part["text"] for part in said if part["type"] == "text")
    return said or ""


class Environment:
    """One rollout of an episode, as GRPOTrainer drives it: reset, calls of `reply`, get_reward."""

    def __init__(
        self, folder: str | Streamed, weights: Weights | None = None, group: int = 1
    ) -> None:
        """Take where the rows are, what the reward counts, and the rollouts of a row."""
        self._folder, self._weights, self._group = folder, weights, group
        self._play: Play | None = None

    def reset(self, id: str = "", **_: object) -> str | list[dict[str, Any]] | None:
        """Begin the episode of a row, whose prompt stands in the dataset already.

        Without an id it is the next row of the stream, and its prompt is returned.
        """
        if id:
            self._play = open_row(_find_row(self._folder, id), "transformers")
            return None
        if not isinstance(self._folder, Streamed):
            raise ValueError("rows of a folder need the dataset that `prompts` makes")
        self._play = open_row(_next_row(self._folder, self._group), "transformers")
        return _format_messages(self._play.messages)

    def reply(self, text: str) -> str | list[dict[str, Any]]:
        """Give your next reply to the task, in the form that it asks for.

        Args:
            text: The whole reply.

        Returns:
            What you are told next.
        """
        if self._play is None:
            raise ValueError("call reset before reply")
        if self._play.done or self._play.reply(text) is not None:
            return EPISODE_OVER
        return _format_messages(self._play.new_messages)

    def get_reward(self) -> float:
        """Return what the episode is worth; one that is not over is worth nothing."""
        if self._play is None:
            return 0.0
        worth = 0.0
        if self._play.outcome is not None:
            worth = reward(self._play.outcome, self._weights, self._play.replies)
        return _record_reward(self._folder, self._play.id, worth)


def _format_messages(chat: Chat) -> str | list[dict[str, Any]]:
    """Return messages as one text, or as parts where there are pictures."""
    parts = [part for message in chat for part in message["content"]]
    if any(part["type"] == "image" for part in parts):
        return parts
    return "\n\n".join(part["text"] for part in parts)


_RESETS: dict[str, int] = {}
"""By stream, how many rollouts of this process took their rows from it in order."""


def _next_row(stream: Streamed, group: int) -> AnyRow:
    """Return the row of the next rollout: each is shown to a group; ranks take turns.

    A trainer resets the rollouts of a group one after the other.
    """
    if stream.depends_on_rewards():
        stream.check_single_process()
    key = repr(stream)
    number = _RESETS.get(key, 0) // group
    _RESETS[key] = _RESETS.get(key, 0) + 1
    rank, ranks = (
        int(os.environ.get(name, told)) for name, told in (("RANK", 0), ("WORLD_SIZE", 1))
    )
    return stream.row_at(number * ranks + rank)


@dataclass(frozen=True)
class EnvironmentFactory:
    """What makes environments; see `environment_factory`."""

    folder: str | Streamed
    weights: Weights | None = None
    group: int = 1

    def __call__(self) -> Environment:
        """Return an environment for one rollout after another."""
        return Environment(self.folder, self.weights, self.group)


def environment_factory(
    folder: str | Streamed, weights: Weights | None = None, group: int = 0
) -> EnvironmentFactory:
    """Return what GRPOTrainer makes its environments with.

    Args:
        folder: the folder, or the stream, that the prompts are of.
        weights: what counts besides being right.
        group: for a stream without a dataset: the trainer's `num_generations`, so many rollouts
            that follow each other play one row. One process must generate whole groups.

    Raises:
        ValueError: a group is named for a folder, or is out of range; or a turn of the stream
            begins a new chat.
    """
    if group < 0 or (group and not isinstance(folder, Streamed)):
        raise ValueError(f"group={group}: it is for a stream, at least 1: num_generations")
    if isinstance(folder, Streamed):
        check_prompt_form(folder, "TRL")
    return EnvironmentFactory(folder, weights, max(1, group))
