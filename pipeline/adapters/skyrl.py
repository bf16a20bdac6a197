"""Play single questions and episodes as SkyRL text environments (`skyrl-gym`), with pictures.

    import skyrl_gym
    from facelet.pipeline.adapters import skyrl  # registers "facelet"

    rows = skyrl.prompts("data/out/training", ["SUITE.TASK"])
    env = skyrl_gym.make("facelet", env_config={}, extras=rows[0])
    chat, about = env.init(rows[0]["prompt"])
    result = env.step("the model's reply")  # observations, reward, done, metadata

`prompts` returns rows of SkyRL's dataset: `prompt`, `env_class`, and the extras of the environment.
Messages are chat completions, with pictures as `image_url` parts of data URLs. The reward comes at
the last step; `weights` in `env_config` are keyword arguments of `Weights`. Configs in which a turn
begins a new chat are refused, because SkyRL continues the existing chat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset_folder import (
    describe_courses,
    find_row,
    first_prompt,
    load_rows,
)
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import Chat
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
        limit: maximum number of rows of each config, spread over difficulties.

    Raises:
        ValueError: the dataset, a config or the split does not exist; or a turn of an episode
            begins a new chat, which SkyRL does not support.
    """
    rows = list(load_rows(Path(folder), configs, split, limit))
    describe_courses(rows, "SkyRL")
    return [
        {
            "prompt": first_prompt(row),
            "env_class": NAME,
            "extra_info": {"id": row["id"], "dataset": folder},
        }
        for row in rows
    ]


class Environment(_base.BaseTextEnv):  # type: ignore[misc,name-defined]
    """One rollout of one row."""

    def __init__(
        self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None
    ) -> None:
        """Find the row.

        Args:
            env_config: may contain `weights`, keyword arguments of `Weights`.
            extras: a row of `prompts`.

        Raises:
            ValueError: the extras name no row.
        """
        super().__init__()
        about = (extras or {}).get("extra_info") or {}
        if not {"id", "dataset"} <= set(about):
            raise ValueError(
                "extras must contain extra_info with id and dataset, as in rows of `prompts`"
            )
        self._weights = Weights(**((env_config or {}).get("weights") or {}))
        self._row = find_row(about["dataset"], about["id"])
        self._open_play()

    def _open_play(self) -> Play:
        self._play = open_row(self._row)
        self._payer = Payer(self._play, self._weights)
        self.turns = 0
        return self._play

    def init(self, prompt: Chat) -> tuple[Chat, dict[str, Any]]:
        """Start the episode; return its first prompt and the id of the row.

        Args:
            prompt: the prompt of the row of `prompts`, returned as it is.
        """
        play = self._open_play()
        return prompt or play.messages, {"id": play.id}

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
