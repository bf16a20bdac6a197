"""What a player of a dataset is due to see, turn by turn, when it replies as the reference does.

The first prompt is read from the published row, its pictures from their bytes; later turns are
those of the task itself. Nothing of the environment or of an adapter takes part. A picture is its
size and the hash of its pixels.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.row_opener import read_row
from facelet.pipeline.rollout.row_selection import sample_ids
from facelet.renderers.api import render_scene


@dataclass(frozen=True)
class ShownPicture:
    """A picture: its height and width in pixels, and the hash of its RGB bytes."""

    size: tuple[int, int]
    pixels: str


Part = str | ShownPicture
Message = tuple[str, tuple[Part, ...]]
Chat = tuple[Message, ...]


@dataclass(frozen=True)
class ExpectedPlay:
    """What is due to a player of one row.

    Attributes:
        id: id of the row.
        config: its config.
        new: what is new at each turn.
        begins: whether a chat begins with it.
        replies: the reply to each turn.
    """

    id: str
    config: str
    new_messages: tuple[Chat, ...]
    chat_begins: tuple[bool, ...]
    replies: tuple[str, ...]

    @property
    def whole_chats(self) -> list[Chat]:
        """The whole chat at each turn."""
        found: list[Chat] = []
        for turn, (new, begins) in enumerate(zip(self.new_messages, self.chat_begins, strict=True)):
            said = ("assistant", (self.replies[turn - 1],))
            found.append(new if begins else (*found[-1], said, *new))
        return found

    @property
    def has_pictures(self) -> bool:
        """Whether any turn shows a picture."""
        return any(
            isinstance(part, ShownPicture) for new in self.new_messages for part in chat_parts(new)
        )


def chat_parts(chat: Chat) -> list[Part]:
    """Return the parts of a chat in reading order."""
    return [part for _, inside in chat for part in inside]


def chat_text(chat: Chat, sign: str = "") -> str:
    """Return the text of a chat; a sign, if any, stands for each picture."""
    told = [part if isinstance(part, str) else sign for part in chat_parts(chat)]
    return "\n\n".join(part for part in told if part)


def chat_pictures(chat: Chat) -> tuple[ShownPicture, ...]:
    """Return the pictures of a chat."""
    return tuple(part for part in chat_parts(chat) if isinstance(part, ShownPicture))


def image_shown(image: Any) -> ShownPicture:
    """Return what an RGB image of Pillow, or an array of height, width and 3 channels, shows."""
    array = np.asarray(image)
    assert array.dtype == np.uint8 and array.ndim == 3 and array.shape[2] == 3, array.shape
    return ShownPicture(array.shape[:2], sha256(array.tobytes()).hexdigest())


def png_shown(data: bytes) -> ShownPicture:
    """Return what a PNG file shows."""
    return image_shown(Image.open(io.BytesIO(data)))


@lru_cache(maxsize=4096)
def _picture_at(url: str) -> ShownPicture:
    if url.startswith("file://"):
        return png_shown(Path(url.removeprefix("file://")).read_bytes())
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64", head
    return png_shown(base64.b64decode(data, validate=True))


def messages_to_chat(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """Return a chat in the form of chat completions; pictures at data or file URLs."""
    return tuple(
        (
            message["role"],
            (message["content"],)
            if isinstance(message["content"], str)
            else tuple(
                part["text"] if part["type"] == "text" else _picture_at(part["image_url"]["url"])
                for part in message["content"]
            ),
        )
        for message in messages
    )


def _row_to_chat(row: Mapping[str, Any]) -> Chat:
    images = [png_shown(image["bytes"]) for image in row["images"] or ()]
    return tuple(
        (
            message["role"],
            tuple(
                part["text"] if part["type"] == "text" else images[part["image"]]
                for part in message["content"]
            ),
        )
        for message in row["messages"]
    )


def _render_prompt(prompt: Prompt) -> Chat:
    return tuple(
        (
            message.role,
            tuple(
                part.text if isinstance(part, TextPart) else image_shown(render_scene(part.scene))
                for part in message.parts
            ),
        )
        for message in prompt.messages
    )


def expect_row(row: Mapping[str, Any], config: str) -> ExpectedPlay:
    """Return what is due to a player of a row.

    Args:
        row: a published row with the bytes of its pictures.
        config: its config.
    """
    read = read_row(row)
    episode, replies = read.task.open(read.instance), read.task.reference(read.instance)
    new, begins = [_row_to_chat(row)], [True]
    episode.prompt()
    for said in replies:
        result = episode.reply(said)
        if not isinstance(result, Prompt):
            break
        new.append(_render_prompt(result))
        begins.append(result.fresh)
    assert len(new) == len(replies), config
    return ExpectedPlay(row["id"], config, tuple(new), tuple(begins), tuple(replies))


def expect_rows(folder: Path, first: bool = False) -> list[ExpectedPlay]:
    """Return what is due to a player of one row of each config.

    Args:
        folder: the dataset.
        first: take the first row of a config; else that which `limit=1` takes.
    """
    return [
        expect_row(row, part.config)
        for part in dataset_reader.list_splits(folder)
        for row in _select_rows(part, None if first else sample_ids(part, 1))
    ]


def _select_rows(part: dataset_reader.SplitFiles, ids: set[str] | None) -> Iterator[dict[str, Any]]:
    """Yield the row with an id, or the first."""
    for row in part.iterate_rows(images=True):
        if ids is None or row["id"] in ids:
            yield row
            return
