"""Gymnasium: an episode as an environment whose actions are the player's replies.

    import gymnasium
    import facelet.pipeline.adapters.gymnasium
    env = gymnasium.make("facelet/labyrinth_act-v0", size=100, seed=7, params={"turns": 2})
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("MOVE(L)")

An observation is what is new to the player, whole: `text`, its words; `images`, its pictures in
their order, each an array of height, width and 3 channels in its own size; `places`, for each
picture the number of characters of the text before it. `info["messages"]` has the whole chat; after
a turn that begins a new chat, that one.

`reset(seed=s)` takes entry s of the dataset, modulo its size, so it is the same every time; without
a seed the entries follow one another. The reward comes with the last step, and with every step
where `weights=Weights(shaping=...)` pays for proven progress. Rows of a folder are played by
`gymnasium.make("facelet/rows-v0", dataset=DIR, config=NAME, split="train")`.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facelet.generators.core import task_registry
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.adapters._row_player import list_config_rows
from facelet.pipeline.rollout.chat_messages import Chat, Part
from facelet.pipeline.rollout.memory_dataset import create_dataset
from facelet.pipeline.rollout.rewards import Payer, Weights
from facelet.pipeline.rollout.row_episode import Play, open_row

gymnasium = import_optional("gymnasium", "gymnasium")

Pixels = NDArray[np.uint8]
"""A picture; shape (height, width, 3)."""

SAMPLE = 1000
"""Characters of the longest sample of a text."""
LARGEST = 64
"""Largest height and width of a sample of a picture, in pixels."""


class AnyText(gymnasium.spaces.Text):  # type: ignore[misc,name-defined]
    """Any text: every sign, any length. Samples are printable and short."""

    def __init__(self) -> None:
        """Say what samples are made of."""
        super().__init__(SAMPLE, min_length=0, charset=frozenset(string.printable))

    def contains(self, x: object) -> bool:
        """Return whether it is a text."""
        return isinstance(x, str)


class PictureSpace(gymnasium.spaces.Space):  # type: ignore[misc,name-defined]
    """A picture of any size: bytes of red, green and blue, shape (height, width, 3)."""

    def __init__(self) -> None:
        """Say that there is no one shape."""
        super().__init__(None, np.uint8)

    @property
    def is_np_flattenable(self) -> bool:
        """Return that pictures of any size make no vector of one length."""
        return False

    def contains(self, x: Any) -> bool:
        """Return whether it is a picture with a pixel at least."""
        pictured = isinstance(x, np.ndarray) and x.dtype == np.uint8 and x.ndim == 3
        return pictured and x.shape[2] == 3 and x.size > 0

    def sample(self, mask: object = None, probability: object = None) -> Pixels:
        """Return a small picture of random pixels.

        Args:
            mask: not used.
            probability: not used.
        """
        height, width = self.np_random.integers(1, LARGEST, size=2, endpoint=True)
        pixels: Pixels = self.np_random.integers(0, 256, (height, width, 3), np.uint8)
        return pixels

    def to_jsonable(self, sample_n: Sequence[Pixels]) -> list[object]:
        """Return pictures as lists of rows of pixels."""
        return [sample.tolist() for sample in sample_n]

    def from_jsonable(self, sample_n: list[object]) -> list[Pixels]:
        """Return the pictures of such lists."""
        return [np.array(sample, np.uint8) for sample in sample_n]

    def __eq__(self, other: object) -> bool:
        """Return whether it is such a space too."""
        return isinstance(other, PictureSpace)

    __hash__ = None  # type: ignore[assignment]  # as the spaces of Gymnasium


class Environment(gymnasium.Env):  # type: ignore[misc,name-defined]
    """Plays that follow one another; see the module. A subclass says which."""

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 1}  # noqa: RUF012 - its form

    def __init__(self, weights: Weights | None, render_mode: str | None) -> None:
        """Say what is seen and done."""
        spaces = gymnasium.spaces
        self.weights, self.render_mode = weights or Weights(), render_mode
        self.action_space = AnyText()
        self.observation_space = spaces.Dict(
            {
                "text": AnyText(),
                "images": spaces.Sequence(PictureSpace()),
                "places": spaces.Sequence(spaces.Discrete(np.iinfo(np.int64).max)),
            }
        )
        self._next = 0
        self._play: Play | None = None

    def _open_entry(self, number: int) -> Play:
        """Return the play of an entry; numbers begin anew after the last."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Begin an entry: the one that the seed names, else the next.

        Args:
            seed: number of the entry, modulo their number.
            options: not used.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._next = seed
        self._play = self._open_entry(self._next)
        self._payer = Payer(self._play, self.weights)
        self._next += 1
        return self._new_observation(), {"id": self._play.id, "messages": self._play.messages}

    def step(self, action: str) -> tuple[dict[str, object], float, bool, bool, dict[str, object]]:
        """Take a reply.

        Args:
            action: the reply, any text.
        """
        if self._play is None:
            raise ValueError("call reset before step")
        outcome = self._play.reply(str(action))
        info: dict[str, object] = {"id": self._play.id, "messages": self._play.messages}
        paid = self._payer.pay()
        if outcome is None:
            return self._new_observation(), paid, False, False, info
        info |= {"status": str(outcome.status), "metrics": dict(outcome.metrics)}
        return self._new_observation(), paid, True, False, info

    def render(self) -> Pixels | str | None:
        """Return the pictures of the chat, one below the other on white, or the chat as text."""
        if self.render_mode is None or self._play is None:
            return None
        chat = self._play.format_messages("transformers")
        if self.render_mode == "rgb_array":
            return _stack_pictures(
                [_decode_pixels(part) for part in _list_parts(chat) if part["type"] == "image"]
            )
        return "\n\n".join(
            f"{message['role']}: {part['text']}"
            for message in chat
            for part in message["content"]
            if part["type"] == "text"
        )

    def _new_observation(self) -> dict[str, object]:
        """Return the observation: all that is new to the player."""
        assert self._play is not None
        text, images, places = "", [], []
        for part in _list_parts(self._play.format_messages("transformers", new=True)):
            if part["type"] == "text":
                text += "\n\n" * bool(text) + part["text"]
            else:
                images.append(_decode_pixels(part))
                places.append(len(text))
        return {"text": text, "images": tuple(images), "places": tuple(places)}


class Episode(Environment):
    """Episodes of one task, made in memory."""

    def __init__(
        self,
        task: str,
        size: int = 100,
        seed: int = 0,
        params: dict[str, Any] | None = None,
        told: dict[str, str | None] | None = None,
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
        super().__init__(weights, render_mode)
        self.entries = create_dataset(task, size, seed, told=told, **(params or {}))

    def _open_entry(self, number: int) -> Play:
        return self.entries.play(self.entries[number % len(self.entries)])


class Rows(Environment):
    """Episodes of the rows of one config of a dataset."""

    def __init__(
        self,
        dataset: str,
        config: str,
        split: str | None = None,
        weights: Weights | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Hold the rows.

        Args:
            dataset: folder of a built or downloaded dataset.
            config: name of a config, such as "suite.task".
            split: name of a split; None for all.
            weights: what the reward counts besides being right.
            render_mode: "rgb_array", "ansi" (the chat as text) or None.

        Raises:
            ValueError: there is no such folder, config or split, or it has no rows.
        """
        super().__init__(weights, render_mode)
        self.rows = list_config_rows(dataset, config, split)

    def _open_entry(self, number: int) -> Play:
        return open_row(self.rows[number % len(self.rows)])


def _list_parts(chat: Chat) -> list[Part]:
    """Return the parts of a chat in reading order."""
    return [part for message in chat for part in message["content"]]


def _decode_pixels(part: Part) -> Pixels:
    """Return the pixels of a part that is a picture; shape (height, width, 3)."""
    return np.array(part["image"], np.uint8)


def _stack_pictures(pictures: list[Pixels]) -> Pixels:
    """Return pictures one below the other, at the left of a white ground."""
    width = max((picture.shape[1] for picture in pictures), default=1)
    padded = [
        np.pad(one, ((0, 0), (0, width - one.shape[1]), (0, 0)), constant_values=255)
        for one in pictures
    ]
    return np.concatenate(padded) if padded else np.full((1, 1, 3), 255, np.uint8)


def environment_id(task: str) -> str:
    """Return the name under which Gymnasium knows a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


gymnasium.register("facelet/rows-v0", entry_point=Rows)
for _name in task_registry.task_names():
    gymnasium.register(environment_id(_name), entry_point=Episode, kwargs={"task": _name})
