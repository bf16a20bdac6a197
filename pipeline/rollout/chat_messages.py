"""Chats: the messages of a play in the shapes that models are asked in, and its pictures.

Three forms of the same chat, all lists of {"role", "content"}:

- "openai": chat completions, as OpenAI, vLLM, SGLang and most gateways take them. A message of one
  text has it as a string; others have a list of parts, pictures as PNG data URLs. Plain JSON.
- "transformers": what `apply_chat_template` of a multimodal processor takes: always a list of
  parts, {"type": "text", "text"} and {"type": "image", "image": a Pillow image in RGB}.
- "dataset": as in the `messages` column: parts of type, text and image, where image is an index
  into the play's `images`.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

from facelet.pipeline.argument_text import unknown_word_error
from facelet.renderers.api import Drawing, encode_png, render_scene
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.records import Scene

Form = Literal["openai", "transformers", "dataset"]
FORMS: tuple[Form, ...] = get_args(Form)

Part = dict[str, Any]
"""A part of a message; its keys are those of its form."""

Message = dict[str, Any]
"""Keys role and content; the content is a text or a list of parts."""

Chat = list[Message]

KEPT = 256
"""Pictures that are kept as data URLs, some ten thousand characters each."""


class PictureAlbum:
    """The pictures of a play, in the order of its chat.

    Each is drawn and encoded when it is first asked for, and only then; equal ones once.
    """

    def __init__(self, name: str, hashes: Sequence[str]) -> None:
        """Begin an album.

        Args:
            name: id of the row, for messages.
            hashes: pixel hashes that its first pictures must have.
        """
        self._name = name
        self._hashes = hashes
        self._drawn: dict[Scene, Drawing] = {}
        self._checked: set[int] = set()
        self._urls: dict[Scene, str] = {}
        self.scenes: Sequence[Scene] = ()

    def draw_image(self, index: int) -> Drawing:
        """Return a picture.

        Raises:
            ValueError: it is not the picture that was published.
        """
        scene = self.scenes[index]
        if (image := self._drawn.get(scene)) is None:
            image = self._drawn[scene] = render_scene(scene)
        if index < len(self._hashes) and index not in self._checked:
            if pixel_hash(image) != self._hashes[index]:
                raise ValueError(
                    f"picture {index} of {self._name} is drawn otherwise than it was published; "
                    "play it with the facelet release that made it (manifest.json names it)"
                )
            self._checked.add(index)
        return image

    def image_url(self, index: int) -> str:
        """Return a picture as a data URL; see `draw_image`."""
        scene = self.scenes[index]
        if index >= len(self._hashes) and scene not in self._drawn:
            return _scene_url(scene)
        if scene not in self._urls:
            self._urls[scene] = _encode_data_url(self.draw_image(index))
        return self._urls[scene]


@lru_cache(maxsize=KEPT)
def _scene_url(scene: Scene) -> str:
    """Return a picture as a data URL; rows that ask about one puzzle share its pictures."""
    return _encode_data_url(render_scene(scene))


def _encode_data_url(image: Drawing) -> str:
    return f"data:image/png;base64,{base64.b64encode(encode_png(image)).decode('ascii')}"


def check_form(form: str) -> None:
    """Raise ValueError if there is no such form."""
    if form not in FORMS:
        raise unknown_word_error("form", form, FORMS)


def format_chat(chat: Chat, form: Form, album: PictureAlbum) -> Chat:
    """Return a chat of published messages in a form; nothing in it is shared with later calls.

    Args:
        chat: the published messages.
        form: the form.
        album: the pictures that the messages name by their index.
    """
    if form == "dataset":
        return chat
    return [
        {"role": message["role"], "content": _format_content(message["content"], form, album)}
        for message in chat
    ]


def _format_content(parts: Sequence[Part], form: Form, album: PictureAlbum) -> object:
    if form == "openai" and len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return [_format_part(part, form, album) for part in parts]


def _format_part(part: Part, form: Form, album: PictureAlbum) -> Part:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    if form == "openai":
        return {"type": "image_url", "image_url": {"url": album.image_url(part["image"])}}
    return {"type": "image", "image": album.draw_image(part["image"]).copy()}
