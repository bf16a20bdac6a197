"""verl: the tool by which a model plays an episode, reply by reply. It needs verl itself.

    actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml   # verl.write_tools writes it

verl makes and releases a tool for every call, and keeps one record of a rollout, `agent_data`. So
the replies stand there, as plain texts under `verl.REPLIES`, and come to `compute_score` with the
rollout; a play is held between calls, and played again from them where it is not. Without that
record a play lasts from `create` to `release`. The reward of a step is that of `rewards.Payer`;
`weights` in the tool's config names what else counts. Nothing that is returned tells what is right.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from facelet.pipeline.adapters._dataset_folder import find_row
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.adapters.verl import REPLIES, TOOL
from facelet.pipeline.rollout.rewards import Payer, Weights, reward
from facelet.pipeline.rollout.row_episode import Play, open_row

_base = import_optional("verl.tools.base_tool", "verl")
_schemas = import_optional("verl.tools.schemas", "verl")

MAX_OPEN_EPISODES = 4096
"""Plays that a process holds between calls."""

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
"""The tool as a model is told of it."""


@dataclass(slots=True)
class _OpenEpisode:
    play: Play
    reward_payer: Payer


class ReplyTool(_base.BaseTool):  # type: ignore[misc,name-defined]
    """Takes replies to episodes; see the module."""

    def __init__(self, config: Mapping[str, Any], tool_schema: Any = None) -> None:
        """Take the weights.

        Args:
            config: may hold `weights`, keyword arguments of `Weights`.
            tool_schema: the tool as a model is told of it; by default `SCHEMA`.
        """
        super().__init__(dict(config), tool_schema)
        self._weights = Weights(**(config.get("weights") or {}))
        self._rows: dict[str, Mapping[str, str]] = {}
        self._held: OrderedDict[str, _OpenEpisode] = OrderedDict()

    def get_openai_tool_schema(self) -> Any:
        """Return the tool as a model is told of it."""
        return _schemas.OpenAIFunctionToolSchema.model_validate(SCHEMA)

    async def create(
        self,
        instance_id: str | None = None,
        create_kwargs: Mapping[str, str] | None = None,
        **_: Any,
    ) -> Any:
        """Name a row.

        Args:
            instance_id: name of the instance; None for a new one.
            create_kwargs: id and dataset, as `verl.write` makes them.

        Raises:
            ValueError: they name no row.
        """
        if not {"id", "dataset"} <= set(create_kwargs or {}):
            raise ValueError("create_kwargs must hold id and dataset, as `verl.write` makes them")
        assert create_kwargs is not None
        name = instance_id or str(uuid4())
        self._rows[name] = create_kwargs
        return name, _schemas.ToolResponse()

    async def execute(
        self, instance_id: str, parameters: Mapping[str, Any], agent_data: Any = None, **_: Any
    ) -> Any:
        """Take a reply; return what the player is told next, the step's reward, and figures.

        Args:
            instance_id: the instance.
            parameters: holds `text`, the reply.
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
        """Return what an episode that is over was worth as a whole; 0 for any other.

        Args:
            instance_id: the instance.
        """
        held = self._held.get(instance_id)
        if held is None or held.play.outcome is None:
            return 0.0
        return reward(held.play.outcome, self._weights, held.play.replies)

    async def release(self, instance_id: str, **_: Any) -> None:
        """Forget an instance.

        Args:
            instance_id: the instance.
        """
        self._rows.pop(instance_id, None)
        self._held.pop(instance_id, None)

    def _open_episode(
        self, key: str, named: Mapping[str, str], said: Sequence[str]
    ) -> _OpenEpisode:
        """Return a play as it stands after some replies."""
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
    parts = [part for message in play.new_messages for part in message["content"]]
    text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
    pictures = [part["image"] for part in parts if part["type"] == "image"]
    told = {"image": pictures} if pictures else {}
    return _schemas.ToolResponse(text=text, **told)
