"""Gymnasium: an episode as an environment whose actions are the player's replies.

    import gymnasium
    import facelet.pipeline.adapters.gymnasium
    env = gymnasium.make("facelet/labyrinth_act-v0", size=100, seed=7, params={"turns": 2})
    observation, info = env.reset(seed=0)       # {"text": ..., "image": ...}
    observation, reward, terminated, truncated, info = env.step("MOVE(L)")

`reset(seed=s)` takes entry s of the dataset, modulo its size, so it is the same every time; without
a seed the entries follow one another. The reward comes with the last step. `info["messages"]` has
the whole chat.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from facelet.generators.core import registry
from facelet.pipeline.adapters._needs import package
from facelet.pipeline.environment.memory import create_dataset
from facelet.pipeline.environment.play import Play
from facelet.pipeline.environment.rewards import Weights, reward

gymnasium = package("gymnasium", "gymnasium")

LONGEST = 100_000
"""Characters of an observation or a reply."""
CHARSET = frozenset(string.printable + "".join(map(chr, range(0xA0, 0x2600))))
PICTURE = (512, 512, 3)
"""Height, width and channels of the picture; smaller ones stand at its top left, on white."""


class Episode(gymnasium.Env):  # type: ignore[misc,name-defined]
    """Episodes of one task; see the module."""

    metadata = {"render_modes": ["rgb_array", "ansi"]}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        task: str,
        size: int = 100,
        seed: int = 0,
        params: dict[str, Any] | None = None,
        told: dict[str, Any] | None = None,
        weights: Weights | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Hold the entries of a task.

        Args:
            task: name of the task.
            size: number of entries.
            seed: root of all seeds.
            params: params of the task.
            told: keys of its family.
            weights: what the reward counts besides being right.
            render_mode: "rgb_array", "ansi" (the chat as text) or None.
        """
        self.entries = create_dataset(task, size, seed, told=told, **(params or {}))
        self.weights, self.render_mode = weights or Weights(), render_mode
        text = gymnasium.spaces.Text(LONGEST, min_length=0, charset=CHARSET)
        picture = gymnasium.spaces.Box(0, 255, PICTURE, np.uint8)
        self.action_space = gymnasium.spaces.Text(LONGEST, min_length=0, charset=CHARSET)
        self.observation_space = gymnasium.spaces.Dict({"text": text, "image": picture})
        self._next = 0
        self._play: Play | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an entry: the one that the seed names, else the next.

        Args:
            seed: number of the entry, modulo their number.
            options: not used.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._next = seed
        entry = self.entries[self._next % len(self.entries)]
        self._next += 1
        self._play = self.entries.play(entry)
        return self._seen(), {"id": self._play.id, "messages": self._play.messages}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take a reply.

        Args:
            action: the reply, any text.
        """
        if self._play is None:
            raise ValueError("call reset before step")
        outcome = self._play.reply(str(action))
        info: dict[str, Any] = {"id": self._play.id, "messages": self._play.messages}
        if outcome is None:
            return self._seen(), 0.0, False, False, info
        info |= {"status": str(outcome.status), "metrics": dict(outcome.metrics)}
        return self._seen(), reward(outcome, self.weights), True, False, info

    def render(self) -> Any:
        """Return the picture that is shown, or the chat as text."""
        if self.render_mode == "rgb_array":
            return self._seen()["image"]
        return None if self.render_mode is None or self._play is None else self._chat()

    def _seen(self) -> dict[str, Any]:
        """Return the observation: what is new to the player, and the last picture."""
        assert self._play is not None
        new = [part for message in self._play.new_messages for part in _parts(message)]
        canvas = np.full(PICTURE, 255, np.uint8)
        if self._play.images:
            pixels = np.asarray(self._play.images[-1].convert("RGB"))[: PICTURE[0], : PICTURE[1]]
            canvas[: pixels.shape[0], : pixels.shape[1]] = pixels
        return {"text": _plain("\n\n".join(new)), "image": canvas}

    def _chat(self) -> str:
        """Return the whole chat as text."""
        assert self._play is not None
        chat = self._play.messages
        return "\n\n".join(
            f"{message['role']}: {part}" for message in chat for part in _parts(message)
        )


def _parts(message: dict[str, Any]) -> list[str]:
    """Return the texts of a message."""
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def _plain(text: str) -> str:
    """Return a text within the observation's space."""
    return "".join(sign if sign in CHARSET else "?" for sign in text[:LONGEST])


def environment_id(task: str) -> str:
    """Return the name under which Gymnasium knows a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


for _name in registry.names():
    gymnasium.register(environment_id(_name), entry_point=Episode, kwargs={"task": _name})
