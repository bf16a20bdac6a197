"""Play episodes as Gymnasium environments whose actions are the player's replies.

    import gymnasium
    import facelet.pipeline.adapters.gymnasium
    env = gymnasium.make("facelet/labyrinth_act-v0", size=100, seed=7, params={"turns": 2})
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("MOVE(L)")

An observation contains what is new to the player: `text`; `images`, its pictures in order, each an
array of height, width and 3 channels in its own size; and `places`, the number of characters of the
text before each picture. `info["messages"]` has the whole chat, or the latest one after a turn that
begins a new chat.

`reset(seed=s)` selects entry s of the dataset, modulo its size; without a seed the entries follow
one another. `env.unwrapped.state_dict()` and `load_state_dict(state)` keep the position in
checkpoints. The reward comes with the last step, or with every step where
`weights=Weights(shaping=...)` rewards proven progress. `gymnasium.make("facelet/rows-v0",
dataset=DIR, config=NAME, split="train")` plays rows of a folder.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facelet.generators.core import task_registry
from facelet.pipeline.adapters._play_source import FolderPlays, PlaySource, TaskPlays
from facelet.pipeline.json_types import JSON
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import Part, iterate_parts
from facelet.pipeline.rollout.rewards import Payer, Weights
from facelet.pipeline.rollout.row_episode import Play

gymnasium = import_optional("gymnasium", "gymnasium")

Pixels = NDArray[np.uint8]
"""A picture; shape (height, width, 3)."""

SAMPLE = 1000
"""Maximum length of a sampled text in characters."""
LARGEST = 64
"""Maximum height and width of a sampled picture in pixels."""


class AnyText(gymnasium.spaces.Text):  # type: ignore[misc,name-defined]
    """Any text of any length. Samples are short and printable."""

    def __init__(self) -> None:
        """Describe the samples."""
        super().__init__(SAMPLE, min_length=0, charset=frozenset(string.printable))

    def contains(self, x: object) -> bool:
        """Return whether an object is a text."""
        return isinstance(x, str)


class PictureSpace(gymnasium.spaces.Space):  # type: ignore[misc,name-defined]
    """An RGB picture of any size: an array of bytes, shape (height, width, 3)."""

    def __init__(self) -> None:
        """Declare a variable shape."""
        super().__init__(None, np.uint8)

    @property
    def is_np_flattenable(self) -> bool:
        """Return False: pictures differ in size, so their vectors differ in length."""
        return False

    def contains(self, x: Any) -> bool:
        """Return whether an object is a picture of at least one pixel."""
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
        """Return the pictures that `to_jsonable` converted."""
        return [np.array(sample, np.uint8) for sample in sample_n]

    def __eq__(self, other: object) -> bool:
        """Return whether another space is a picture space."""
        return isinstance(other, PictureSpace)

    __hash__ = None  # type: ignore[assignment]  # like other spaces


class Environment(gymnasium.Env):  # type: ignore[misc,name-defined]
    """Plays of a source, one after another; see the module."""

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 1}  # noqa: RUF012 - its declared form

    def __init__(
        self, source: PlaySource, weights: Weights | None, render_mode: str | None
    ) -> None:
        """Declare the spaces.

        Args:
            source: opens the plays.
            weights: weights of the reward.
            render_mode: "rgb_array", "ansi" (the chat as text) or None.
        """
        spaces = gymnasium.spaces
        self.source, self.render_mode = source, render_mode
        self.weights = weights or Weights()
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

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Start the next entry, or the entry that the seed selects.

        Args:
            seed: number of the entry, modulo the number of entries.
            options: not used.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._next = seed
        self._play = self.source.open_play(self._next)
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

    def state_dict(self) -> dict[str, JSON]:
        """Return the position as plain JSON; an unfinished play starts again."""
        playing = self._play is not None and not self._play.done
        return {"next": self._next - playing, "entries": self.source.identity}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state that `state_dict` returned, with the next `reset`.

        Raises:
            ValueError: the state belongs to other entries: another task, version, seed or dataset.
        """
        if state["entries"] != self.source.identity:
            raise ValueError(
                f"the state belongs to the entries {state['entries']}, and this environment has "
                f"{self.source.identity}"
            )
        self._next, self._play = int(state["next"]), None

    def render(self) -> Pixels | str | None:
        """Return the pictures of the chat as one image, or the chat as text."""
        if self.render_mode is None or self._play is None:
            return None
        chat = self._play.format_messages("transformers")
        if self.render_mode == "rgb_array":
            parts = iterate_parts(chat)
            return _stack_pictures([_decode_pixels(one) for one in parts if one["type"] == "image"])
        return "\n\n".join(
            f"{message['role']}: {part['text']}"
            for message in chat
            for part in message["content"]
            if part["type"] == "text"
        )

    def _new_observation(self) -> dict[str, object]:
        """Return what is new to the player as an observation."""
        assert self._play is not None
        text, images, places = "", [], []
        for part in iterate_parts(self._play.format_messages("transformers", new=True)):
            if part["type"] == "text":
                text += "\n\n" * bool(text) + part["text"]
            else:
                images.append(_decode_pixels(part))
                places.append(len(text))
        return {"text": text, "images": tuple(images), "places": tuple(places)}


class Episode(Environment):
    """Episodes of one task, generated in memory."""

    def __init__(
        self,
        task: str,
        size: int | None = None,
        seed: int = 0,
        params: dict[str, Any] | None = None,
        told: dict[str, str | None] | None = None,
        weights: Weights | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Generate the entries of a task.

        Args:
            task: name of the task.
            size: number of entries; by default 100, or all of a task that has fewer.
            seed: root of all seeds.
            params: params of the task.
            told: keys of its family.
            weights: weights of the reward.
            render_mode: "rgb_array", "ansi" (the chat as text) or None.
        """
        super().__init__(TaskPlays(task, size, seed, params, told), weights, render_mode)


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
        """Read the rows.

        Args:
            dataset: folder of a built or downloaded dataset.
            config: name of a config, such as "suite.task".
            split: name of a split; None for all.
            weights: weights of the reward.
            render_mode: "rgb_array", "ansi" (the chat as text) or None.

        Raises:
            ValueError: the dataset, the config or the split does not exist or has no rows.
        """
        super().__init__(FolderPlays(dataset, config, split), weights, render_mode)


def _decode_pixels(part: Part) -> Pixels:
    """Return the pixels of a picture part; shape (height, width, 3)."""
    return np.array(part["image"], np.uint8)


def _stack_pictures(pictures: list[Pixels]) -> Pixels:
    """Return pictures stacked from top to bottom, left-aligned on white."""
    width = max((picture.shape[1] for picture in pictures), default=1)
    padded = [
        np.pad(one, ((0, 0), (0, width - one.shape[1]), (0, 0)), constant_values=255)
        for one in pictures
    ]
    return np.concatenate(padded) if padded else np.full((1, 1, 3), 255, np.uint8)


def environment_id(task: str) -> str:
    """Return the Gymnasium id of a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


gymnasium.register("facelet/rows-v0", entry_point=Rows)
for _name in task_registry.task_names():
    gymnasium.register(environment_id(_name), entry_point=Episode, kwargs={"task": _name})
