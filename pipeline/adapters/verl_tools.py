"""Define the verl tool that takes the replies of an episode; needs verl.

    actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml   # verl.write_tools writes it

verl creates and releases a tool instance for every call, and keeps one record per rollout,
`agent_data`. The tool stores the replies there as plain texts under `verl.REPLIES`, and
`compute_score` receives them with the rollout. A play is cached between calls and replayed from the
replies after a cache miss. Without that record a play lasts from `create` to `release`. The reward
of a step is that of `rewards.Payer`; `weights` in the tool's config are keyword arguments of
`Weights`. Nothing that is returned reveals the answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from facelet.pipeline.adapters._dataset_folder import find_row
from facelet.pipeline.adapters.verl import REPLIES, TOOL
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import chat_text, iterate_parts
from facelet.pipeline.rollout.rewards import Payer, Weights, reward
from facelet.pipeline.rollout.row_episode import Play, open_row

_base = import_optional("verl.tools.base_tool", "verl")
_schemas = import_optional("verl.tools.schemas", "verl")

MAX_OPEN_EPISODES = 4096
"""Plays that a process caches between calls."""

EPISODE_OVER = "The episode is over; say nothing more."

SCHEMA = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Give your next reply to the task, in the form that it asks for.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string", "description": "The whole reply."}},
            "required": ["text"],
        },
    },
}
"""The tool's schema for the model."""


@dataclass(slots=True)
class _OpenEpisode:
    play: Play
    reward_payer: Payer


class ReplyTool(_base.BaseTool):  # type: ignore[misc,name-defined]
    """Takes the replies of episodes; see the module."""

    def __init__(self, config: Mapping[str, Any], tool_schema: Any = None) -> None:
        """Store the weights.

        Args:
            config: may contain `weights`, keyword arguments of `Weights`.
            tool_schema: the tool's schema for the model; by default `SCHEMA`.
        """
        super().__init__(dict(config), tool_schema)
        self._weights = Weights(**(config.get("weights") or {}))
        self._rows: dict[str, Mapping[str, str]] = {}
        self._held: OrderedDict[str, _OpenEpisode] = OrderedDict()

    def get_openai_tool_schema(self) -> Any:
        """Return the tool's schema for the model."""
        return _schemas.OpenAIFunctionToolSchema.model_validate(SCHEMA)

    async def create(
        self,
        instance_id: str | None = None,
        create_kwargs: Mapping[str, str] | None = None,
        **_: Any,
    ) -> Any:
        """Create an instance for a row.

        Args:
            instance_id: name of the instance; None for a new one.
            create_kwargs: id and dataset, as rows of `verl.write` contain them.

        Raises:
            ValueError: id or dataset is missing.
        """
        if not {"id", "dataset"} <= set(create_kwargs or {}):
            raise ValueError(
                "create_kwargs must contain id and dataset, as rows of `verl.write` do"
            )
        assert create_kwargs is not None
        name = instance_id or str(uuid4())
        self._rows[name] = create_kwargs
        return name, _schemas.ToolResponse()

    async def execute(
        self, instance_id: str, parameters: Mapping[str, Any], agent_data: Any = None, **_: Any
    ) -> Any:
        """Take a reply; return the next prompt, the reward of the step, and metrics.

        Args:
            instance_id: the instance.
            parameters: contains `text`, the reply.
            agent_data: verl's record of the rollout.
        """
        key, said = instance_id, None
        if agent_data is not None:
            key, said = str(agent_data.request_id), agent_data.extra_fields.setdefault(REPLIES, [])
        held = self._open_episode(key, self._rows[instance_id], said or [])
        if held.play.done:
            return _schemas.ToolResponse(text=EPISODE_OVER), 0.0, {}
        text = str(parameters.get("text", ""))
        outcome = held.play.reply(text)
        if said is not None:
            said.append(text)
        if outcome is None:
            return _build_response(held.play), held.reward_payer.pay(), {}
        return (
            _schemas.ToolResponse(text=EPISODE_OVER),
            held.reward_payer.pay(),
            dict(outcome.metrics),
        )

    async def calc_reward(self, instance_id: str, **_: Any) -> float:
        """Return the reward of a finished episode; 0 for any other.

        Args:
            instance_id: the instance.
        """
        held = self._held.get(instance_id)
        if held is None or held.play.outcome is None:
            return 0.0
        return reward(held.play.outcome, self._weights, held.play.replies)

    async def release(self, instance_id: str, **_: Any) -> None:
        """Remove an instance.

        Args:
            instance_id: the instance.
        """
        self._rows.pop(instance_id, None)
        self._held.pop(instance_id, None)

    def _open_episode(
        self, key: str, named: Mapping[str, str], said: Sequence[str]
    ) -> _OpenEpisode:
        """Return the play after some replies."""
        held = self._held.pop(key, None)
        if held is None or (said and held.play.replies != list(said)):
            play = open_row(find_row(named["dataset"], named["id"]), "transformers")
            held = _OpenEpisode(play, Payer(play, self._weights))
            for text in said:
                play.reply(text)
                held.reward_payer.pay()
        self._held[key] = held
        while len(self._held) > MAX_OPEN_EPISODES:
            self._held.popitem(last=False)
        return held


def _build_response(play: Play) -> Any:
    """Return what is new to the player: a text, and a picture if there is one."""
    chat = play.new_messages
    pictures = [part["image"] for part in iterate_parts(chat) if part["type"] == "image"]
    return _schemas.ToolResponse(text=chat_text(chat), **({"image": pictures} if pictures else {}))
