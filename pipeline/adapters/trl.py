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

The reward is that of `pipeline/environment/rewards.py`, 0 to 1; `Weights` says what partly right
answers and the requested form are worth. Rows are those of the split train unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset import chosen, first_chat, renews, row_of, verdict
from facelet.pipeline.adapters._needs import package
from facelet.pipeline.environment.chats import Chat, Message
from facelet.pipeline.environment.play import Play, open_row
from facelet.pipeline.environment.rewards import Weights, reward

package("trl", "trl")
_datasets = package("datasets", "trl")

OVER = "The episode is over; say nothing more."


def prompts(
    folder: str, configs: Sequence[str], split: str = "train", limit: int | None = None
) -> object:
    """Return a `datasets.Dataset` of prompts: prompt (a chat), id, and images where there are any.

    Args:
        folder: a built or downloaded dataset.
        configs: names of configs or suites.
        split: name of the split.
        limit: most rows of each config, spread over difficulties.

    Raises:
        ValueError: there is no such dataset, config or split; some rows have pictures and some
            have none; or a turn of an episode begins a new chat, which the tools of TRL cannot.
    """
    found: list[dict[str, object]] = []
    renewing: dict[str, bool] = {}
    for row in chosen(Path(folder), configs, split, limit):
        if row["config"] not in renewing:
            renewing[row["config"]] = renews(row)
        images = [{"bytes": image["bytes"], "path": None} for image in row["images"] or ()]
        chat = [_message(message, parts=bool(images)) for message in first_chat(row)]
        entry = {"id": row["id"], "prompt": chat}
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
    return data.cast_column("images", _datasets.List(_datasets.Image(mode="RGB")))


def _message(message: Message, *, parts: bool) -> Message:
    """Return a message as TRL takes it: a text, or parts whose pictures stand in `images`."""
    content = message["content"]
    if not parts:
        return {"role": message["role"], "content": "\n\n".join(part["text"] for part in content)}
    kept = [
        {"type": "text", "text": part["text"]} if part["type"] == "text" else {"type": "image"}
        for part in content
    ]
    return {"role": message["role"], "content": kept}


@dataclass(frozen=True)
class Reward:
    """A reward function for single questions, by replay; see `reward_func`."""

    folder: str
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
            reward(verdict(row_of(self.folder, name), [said]), self.weights, [said])
            for name, said in zip(id, map(_said, completions), strict=True)
        ]


def reward_func(folder: str, weights: Weights | None = None) -> Reward:
    """Return a reward function for single questions, by replay.

    Args:
        folder: the folder that the prompts are of.
        weights: what counts besides being right.
    """
    return Reward(folder, weights)


def _said(completion: str | Chat) -> str:
    """Return the reply of a completion: a text, or messages of which the last is the model's."""
    if isinstance(completion, str):
        return completion
    said = completion[-1]["content"] if completion else ""
    if isinstance(said, list):
        return "".join(part["text"] for part in said if part["type"] == "text")
    return said or ""


class Environment:
    """One rollout of an episode, as GRPOTrainer drives it: reset, calls of `reply`, get_reward."""

    def __init__(self, folder: str, weights: Weights | None = None) -> None:
        """Take the folder of the rows and what the reward counts."""
        self._folder, self._weights = folder, weights
        self._play: Play | None = None

    def reset(self, id: str, **_: object) -> None:
        """Begin the episode of a row; its prompt stands in the dataset already."""
        self._play = open_row(row_of(self._folder, id), "transformers")

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
            return OVER
        new = [part for message in self._play.new_messages for part in message["content"]]
        if any(part["type"] == "image" for part in new):
            return new
        return "\n\n".join(part["text"] for part in new)

    def get_reward(self) -> float:
        """Return what the episode is worth; one that is not over is worth nothing."""
        if self._play is None or self._play.outcome is None:
            return 0.0
        return reward(self._play.outcome, self._weights, self._play.replies)


@dataclass(frozen=True)
class Factory:
    """What makes environments; see `environment_factory`."""

    folder: str
    weights: Weights | None = None

    def __call__(self) -> Environment:
        """Return an environment for one rollout after another."""
        return Environment(self.folder, self.weights)


def environment_factory(folder: str, weights: Weights | None = None) -> Factory:
    """Return what GRPOTrainer makes its environments with.

    Args:
        folder: the folder that the prompts are of.
        weights: what counts besides being right.
    """
    return Factory(folder, weights)
