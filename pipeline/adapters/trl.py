"""Train with TRL: rows as prompts, a reward function for GRPOTrainer, and episodes as environments.

    from facelet.pipeline.adapters import trl as facelet_trl

    folder = "data/out/training"
    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        train_dataset=facelet_trl.prompts(folder, ["SUITE.TASK"]),
        reward_funcs=facelet_trl.reward_func(folder),
    )

For episodes, pass `environment_factory=facelet_trl.environment_factory(folder)` instead of
`reward_funcs`: the model replies by calling the tool `reply`, and the environment computes the
reward. The tool returns a text, or a list of texts and pictures, which GRPOTrainer accepts and
AsyncGRPOTrainer does not. Tool results extend a single chat, so episodes in which a turn begins a
new chat are refused. The reward function and the factory can be pickled, as AsyncGRPOTrainer
requires.

A `Streamed` can replace the folder: rows are then generated on demand, `prompts` returns a
`datasets.IterableDataset`, and a sampler that learns receives each reward. With a stream you can
leave out the dataset: all rollouts of a group play the next row, and `max_steps` ends training.
`callbacks=[TrainingCallback(rows)]` saves the position of the stream and what its sampler learned
in checkpoints, gives the size of groups, and checks that the processor can read pictures. To use
several factories, pass a dict; `prompts(..., environment=NAME)` names the factory of each row.

Rewards are those of `pipeline/rollout/rewards.py`, 0 to 1, with `Weights` for partial answers and
the requested form. The default split is train.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset_folder import (
    describe_courses,
    find_row,
    first_prompt,
    grade_replies,
    list_pictures,
    load_rows,
)
from facelet.pipeline.adapters._stream_factory import (
    Streamed,
    check_prompt_form,
    check_same_form,
)
from facelet.pipeline.adapters._trl_callback import TrainingCallback
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import Chat, chat_text, iterate_parts
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play, open_row

__all__ = [
    "Environment",
    "Streamed",
    "TrainingCallback",
    "environment_factory",
    "prompts",
    "reward_func",
]

import_optional("trl", "trl")
_datasets = import_optional("datasets", "trl")

EPISODE_OVER = "The episode is over; say nothing more."


class StreamDataset(_datasets.IterableDataset):  # type: ignore[misc,name-defined]
    """The prompts of a stream in its own order."""

    def shuffle(self, *_: object, **__: object) -> StreamDataset:
        """Return itself: a buffer of shuffled rows would be drawn long before their rewards.

        The rows of a stream are in random order already.
        """
        return self


def prompts(
    folder: str | Streamed,
    configs: Sequence[str] = (),
    split: str = "train",
    limit: int | None = None,
    environment: str = "",
    pictures: bool | None = None,
) -> object:
    """Return a `datasets.Dataset` with the columns prompt (a chat), id and, if needed, images.

    Args:
        folder: a built or downloaded dataset; or a stream, for an endless `IterableDataset`.
        configs: names of configs or suites; none for a stream.
        split: name of the split.
        limit: maximum number of rows of each config, spread over difficulties; of a stream, of all
            rows.
        environment: name of a factory in a dict, for the column `environment` of all rows.
        pictures: True for rows with pictures only, False for rows without, None for all. A stream
            has its own `pictures`.

    Raises:
        ValueError: the dataset, a config or the split does not exist; only some rows have pictures,
            or none is of the kind that `pictures` selects; or a turn of an episode begins a new
            chat, which TRL's tools do not support.
    """
    more = {"environment": environment} if environment else {}
    if isinstance(folder, Streamed):
        if configs or pictures is not None:
            raise ValueError(
                f"configs={list(configs)}, pictures={pictures}: a stream names its tasks itself, "
                "as in Streamed(tasks, pictures=False)"
            )
        shown = check_prompt_form(folder, "TRL")
        options = {"streams": [folder], "pictured": shown, "more": more, "limit": limit}
        made = _datasets.IterableDataset.from_generator(_iterate_stream_prompts, gen_kwargs=options)
        return StreamDataset(made._ex_iterable, made.info)
    rows = list(load_rows(Path(folder), configs, split, limit))
    if pictures is not None:
        rows = [row for row in rows if bool(row["images"]) == pictures]
        if not rows:
            raise ValueError(f"pictures={pictures}: no row of {list(configs)} is of this kind")
    describe_courses(rows, "TRL")
    pictured = check_same_form([bool(row["images"]) for row in rows])
    data = _datasets.Dataset.from_list(
        [
            _build_prompt(
                row["id"],
                first_prompt(row),
                [{"bytes": image["bytes"], "path": None} for image in list_pictures(row)],
                pictured,
                more,
            )
            for row in rows
        ]
    )
    if not pictured:
        return data
    return data.cast_column("images", _datasets.List(_datasets.Image()))


def _iterate_stream_prompts(
    streams: Sequence[Streamed], pictured: bool, more: dict[str, str], limit: int | None
) -> Iterator[dict[str, object]]:
    """Yield the prompts of a stream."""
    for row in streams[0].iterate_rows(limit):
        chat = open_row(row, "transformers").messages
        pictures = [part["image"] for part in iterate_parts(chat) if part["type"] == "image"]
        yield _build_prompt(str(row["id"]), chat, pictures, pictured, more)


def _build_prompt(
    identifier: str, chat: Chat, pictures: Sequence[object], pictured: bool, more: dict[str, str]
) -> dict[str, object]:
    """Return a row of prompts: message contents are texts, or parts with the pictures apart."""
    prompt = [
        {
            "role": message["role"],
            "content": [
                {"type": "text", "text": part["text"]}
                if part["type"] == "text"
                else {"type": "image"}
                for part in iterate_parts([message])
            ]
            if pictured
            else chat_text([message]),
        }
        for message in chat
    ]
    images = {"images": pictures} if pictured else {}
    return {"id": identifier, "prompt": prompt, **more, **images}


def _find_row(folder: str | Streamed, identifier: str) -> AnyRow:
    """Return the row of an id."""
    if isinstance(folder, Streamed):
        return folder.progress.select_stream(identifier).row(identifier)
    return find_row(folder, identifier)


def _record_reward(folder: str | Streamed, identifier: str, worth: float) -> float:
    """Report the reward of a rollout to the sampler of a stream; return the reward."""
    if isinstance(folder, Streamed):
        folder.progress.select_stream(identifier).record_reward(identifier, worth)
    return worth


@dataclass(frozen=True)
class Reward:
    """A reward function for single questions; see `reward_func`."""

    folder: str | Streamed
    weights: Weights | None = None
    __name__ = "facelet_reward"  # its name in the logs of TRL

    def __call__(
        self, completions: Sequence[str | Chat], id: Sequence[str], **_: object
    ) -> list[float]:
        """Return the reward of each completion, 0 to 1.

        Args:
            completions: texts, or chats whose last message is the reply.
            id: ids of the rows.
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
    """Return a reward function for single questions, which grades by replay.

    Args:
        folder: folder or stream of the prompts.
        weights: weights of the reward.
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
    """One rollout of an episode: GRPOTrainer calls reset, the tool `reply`, and get_reward."""

    def __init__(
        self, folder: str | Streamed, weights: Weights | None = None, group: int = 0
    ) -> None:
        """Store the source of the rows, the weights, and the number of rollouts of a row."""
        self._folder, self._weights, self._group = folder, weights, group
        self._play: Play | None = None

    def reset(self, id: str = "", **_: object) -> str | list[dict[str, Any]] | None:
        """Start the episode of a row, whose prompt is in the dataset.

        Without an id, start the next row of the stream and return its prompt.
        """
        if isinstance(self._folder, Streamed):
            self._folder.check_single_process()
            row = self._folder.progress.select_stream(id).start_rollout(id, self._group)
        elif id:
            row = find_row(self._folder, id)
        else:
            raise ValueError("rows of a folder need the dataset that `prompts` makes")
        self._play = open_row(row, "transformers")
        return None if id else _format_messages(self._play.messages)

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
        """Return the reward of the episode; 0 for an unfinished one."""
        if self._play is None:
            return 0.0
        worth = 0.0
        if self._play.outcome is not None:
            worth = reward(self._play.outcome, self._weights, self._play.replies)
        return _record_reward(self._folder, self._play.id, worth)


def _format_messages(chat: Chat) -> str | list[dict[str, Any]]:
    """Return messages as one text, or as parts if there are pictures."""
    parts = list(iterate_parts(chat))
    return parts if any(part["type"] == "image" for part in parts) else chat_text(chat)


@dataclass(frozen=True)
class EnvironmentFactory:
    """Creates environments; see `environment_factory`."""

    folder: str | Streamed
    weights: Weights | None = None
    group: int = 0

    def __call__(self) -> Environment:
        """Return an environment, which plays one rollout after another."""
        return Environment(self.folder, self.weights, self.group)


def environment_factory(
    folder: str | Streamed, weights: Weights | None = None, group: int = 0
) -> EnvironmentFactory:
    """Return the environment factory for GRPOTrainer.

    Args:
        folder: folder or stream of the prompts.
        weights: weights of the reward.
        group: rollouts of a row, for a stream without a dataset and without a `TrainingCallback`:
            the trainer's `num_generations`. Each process must generate whole groups.

    Raises:
        ValueError: a group is given for a folder or is out of range; or a turn of the stream begins
            a new chat.
    """
    if group < 0 or (group and not isinstance(folder, Streamed)):
        raise ValueError(f"group={group}: use num_generations, at least 1, and only with a stream")
    if isinstance(folder, Streamed):
        check_prompt_form(folder, "TRL")
    return EnvironmentFactory(folder, weights, group)
