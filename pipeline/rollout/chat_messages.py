"""Convert the chat of a play to the message formats of model APIs, and draw its pictures.

All three forms are lists of {"role", "content"}:

- "openai": chat completions, as OpenAI, vLLM, SGLang and most gateways accept them. The content of
  a message with one text is a string; otherwise it is a list of parts with pictures as PNG data
  URLs. Plain JSON.
- "transformers": input of `apply_chat_template` of a multimodal processor: always a list of parts,
  {"type": "text", "text"} and {"type": "image", "image": a Pillow image in RGB}.
- "dataset": as in the `messages` column: parts of type, text and image, where image is an index
  into the play's `images`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.rollout.byte_cache import ByteCache
from facelet.renderers.api import Drawing, encode_png, render_scene
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.records import Scene

Form = Literal["openai", "transformers", "dataset"]
FORMS: tuple[Form, ...] = get_args(Form)

Part = dict[str, Any]
"""A part of a message, with the keys of its form."""

Message = dict[str, Any]
"""Has the keys role and content; the content is a text or a list of parts."""

Chat = list[Message]

SCENE_BYTES = 8192
"""Estimated bytes of a scene."""
CACHE_BYTES = 64 << 20
"""Bytes of pictures that a process caches as data URLs, about ten thousand each."""

_URLS: ByteCache[Scene, tuple[str, str]] = ByteCache(CACHE_BYTES)
"""Data URLs and pixel hashes of scenes, shared by all plays: rollouts of a row show the same."""


class PictureAlbum:
    """The pictures of a play, in the order of its chat.

    Each picture is drawn on first use, and checked against the row once; equal pictures are drawn
    only once. Data URLs are shared by all plays of the process, images are the play's own.
    """

    def __init__(self, name: str, hashes: Sequence[str]) -> None:
        """Create an album.

        Args:
            name: id of the row, for error messages.
            hashes: expected pixel hashes of the first pictures.
        """
        self._name = name
        self._hashes = hashes
        self._drawn: dict[Scene, Drawing] = {}
        self._checked: set[int] = set()
        self.scenes: Sequence[Scene] = ()

    def draw_image(self, index: int) -> Drawing:
        """Return a picture.

        Raises:
            ValueError: the picture differs from the published one.
        """
        scene = self.scenes[index]
        if (image := self._drawn.get(scene)) is None:
            image = self._drawn[scene] = render_scene(scene)
        if index < len(self._hashes) and index not in self._checked:
            self._check_pixels(index, pixel_hash(image))
        return image

    def image_url(self, index: int) -> str:
        """Return a picture as a data URL; see `draw_image`."""
        scene = self.scenes[index]
        if (found := _URLS.get(scene)) is None:
            image = self._drawn.get(scene) or render_scene(scene)
            url = f"data:image/png;base64,{base64.b64encode(encode_png(image)).decode('ascii')}"
            found = url, pixel_hash(image)
            _URLS.put(scene, found, len(url) + SCENE_BYTES)
        if index < len(self._hashes) and index not in self._checked:
            self._check_pixels(index, found[1])
        return found[0]

    def _check_pixels(self, index: int, pixels: str) -> None:
        if pixels != self._hashes[index]:
            raise ValueError(
                f"picture {index} of {self._name} differs from the published picture; play the "
                "row with the facelet release that made it (manifest.json names it)"
            )
        self._checked.add(index)


def check_form(form: str) -> None:
    """Raise ValueError if the form is unknown."""
    if form not in FORMS:
        raise unknown_word_error("form", form, FORMS)


def format_chat(chat: Chat, form: Form, album: PictureAlbum) -> Chat:
    """Return published messages in a form, as objects that the caller may change.

    Args:
        chat: the published messages.
        form: the form.
        album: the pictures, which the messages name by index.
    """
    if form == "dataset":
        return chat
    if form == "openai":
        return convert_chat(chat, lambda index: url_part(album.image_url(index)), plain=True)
    return convert_chat(
        chat, lambda index: {"type": "image", "image": album.draw_image(index).copy()}
    )


def convert_chat(chat: Chat, picture: Callable[[int], Part], *, plain: bool = False) -> Chat:
    """Return published messages with other parts for pictures.

    Args:
        chat: the published messages.
        picture: returns the part for the picture with an index.
        plain: whether the content of a message with one text is a string.
    """
    found = []
    for message in chat:
        content: object = [
            {"type": "text", "text": part["text"]}
            if part["type"] == "text"
            else picture(part["image"])
            for part in message["content"]
        ]
        if plain and [part["type"] for part in message["content"]] == ["text"]:
            content = message["content"][0]["text"]
        found.append({"role": message["role"], "content": content})
    return found


def url_part(url: str) -> Part:
    """Return the part of a chat completion that shows the picture at an address."""
    return {"type": "image_url", "image_url": {"url": url}}


def iterate_parts(chat: Chat) -> Iterator[Part]:
    """Yield the parts of a chat of any form in reading order."""
    for message in chat:
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def chat_text(chat: Chat, placeholder: str = "") -> str:
    """Return the texts of a chat of any form as one text.

    Args:
        chat: the chat.
        placeholder: text for a picture, where {} is its number from 1; "" leaves pictures out.
    """
    texts: list[str] = []
    pictures = 0
    for part in iterate_parts(chat):
        if part["type"] == "text":
            texts.append(part["text"])
        elif placeholder:
            pictures += 1
            texts.append(placeholder.format(pictures))
    return "\n\n".join(texts)
