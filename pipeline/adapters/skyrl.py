"""SkyRL (`skyrl-gym`): single questions and episodes as text environments, pictures as parts.

    import skyrl_gym
    from facelet.pipeline.adapters import skyrl  # registers "facelet"

    rows = skyrl.prompts("data/out/training", ["SUITE.TASK"])
    env = skyrl_gym.make("facelet", env_config={}, extras=rows[0])
    chat, about = env.init(rows[0]["prompt"])
    told = env.step("the model's reply")  # observations, reward, done, metadata

A row of `prompts` is one of SkyRL's dataset: `prompt`, `env_class`, and what its environment is
handed as extras. Messages are those of chat completions; pictures are `image_url` parts with data
URLs. The reward comes with the last step; `weights` in `env_config` says what else counts, as
keyword arguments of `Weights`. A config in which a turn begins a new chat is refused, as SkyRL adds
to the one there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset_folder import (
    begins_new_chat,
    find_row,
    first_prompt,
    load_rows,
)
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.rollout.chat_messages import Chat, Message
from facelet.pipeline.rollout.rewards import Payer, Weights
from facelet.pipeline.rollout.row_episode import Play, open_row

skyrl_gym = import_optional("skyrl_gym", "skyrl")
_base = import_optional("skyrl_gym.envs.base_text_env", "skyrl")

NAME = "facelet"


def prompts(
    folder: str, configs: Sequence[str], split: str = "train", limit: int | None = None
) -> list[dict[str, Any]]:
    """Return rows of SkyRL's dataset.

    Args:
        folder: a built or downloaded dataset.
        configs: names of configs or suites.
        split: name of the split.
        limit: most rows of each config, spread over difficulties.

    Raises:
        ValueError: there is no such dataset, config or split; or a turn of an episode begins a new
            chat, which SkyRL cannot.
    """
    found: list[dict[str, Any]] = []
    renewing: dict[str, bool] = {}
    for row in load_rows(Path(folder), configs, split, limit):
        if row["config"] not in renewing:
            renewing[row["config"]] = begins_new_chat(row)
        prompt = [_to_skyrl_message(message) for message in first_prompt(row)]
        extra = {"id": row["id"], "dataset": folder}
        found.append({"prompt": prompt, "env_class": NAME, "extra_info": extra})
    if new := [config for config, says in renewing.items() if says]:
        raise ValueError(
            f"{', '.join(new)}: a turn begins a new chat, and SkyRL adds to the one there is; "
            "leave these configs out"
        )
    return found


def _to_skyrl_message(message: Message) -> Message:
    """Return a message whose content is a text where it has no pictures."""
    parts = message["content"]
    alone = len(parts) == 1 and parts[0]["type"] == "text"
    return {**message, "content": parts[0]["text"]} if alone else message


class Environment(_base.BaseTextEnv):  # type: ignore[misc,name-defined]
    """One rollout of one row."""

    def __init__(
        self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None
    ) -> None:
        """Take the row.

        Args:
            env_config: may hold `weights`, keyword arguments of `Weights`.
            extras: a row of `prompts`.

        Raises:
            ValueError: the extras name no row.
        """
        super().__init__()
        about = (extras or {}).get("extra_info") or {}
        if not {"id", "dataset"} <= set(about):
            raise ValueError("extras must hold extra_info with id and dataset, as `prompts` makes")
        told = env_config.get("weights") if env_config else None
        self._weights = Weights(**(told or {}))
        self._row = find_row(about["dataset"], about["id"])
        self._open_play()

    def _open_play(self) -> Play:
        self._play = open_row(self._row)
        self._payer = Payer(self._play, self._weights)
        self.turns = 0
        return self._play

    def init(self, prompt: Chat) -> tuple[Chat, dict[str, Any]]:
        """Begin the episode; return its first prompt, and the row's id.

        Args:
            prompt: the prompt of the row of `prompts`, which stays as it is.
        """
        return prompt or self._open_play().messages, {"id": self._open_play().id}

    def step(self, action: str) -> Any:
        """Take a reply of the model.

        Args:
            action: the reply.
        """
        outcome = self._play.reply(action)
        self.turns += 1
        about: dict[str, Any] = {"id": self._play.id}
        if outcome is not None:
            about |= {"status": str(outcome.status), "metrics": dict(outcome.metrics)}
        return _base.BaseTextEnvStepOutput(
            observations=[] if self._play.done else self._play.new_messages,
            reward=self._payer.pay(),
            done=self._play.done,
            metadata=about,
        )


skyrl_gym.register(id=NAME, entry_point=f"{__name__}:Environment")
