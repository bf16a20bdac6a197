"""Extract the question that a record says the model was asked, and compare it with a row.

A record may contain the chat (`messages`, a prompt as a list), a prompt as one text, or the request
of a batch that its output repeats. The users' texts are compared exactly, in the spelling of our
own request writers: line ends are one newline, blanks between texts are ignored, and a picture may
be written as `<image>`. Messages of other roles are not compared: a system message may be added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from facelet.pipeline.scoring.ingest.prediction import (
    MAX_TURNS,
    AnsweredQuestion,
    AskedQuestion,
    Form,
    Record,
    mapping_at,
)

_CARRIERS = ("messages", "prompt", "input", "contents")
_REQUESTS = frozenset({"request", "body", "params"})
_BETWEEN = re.compile(r"(?:\s|<image>)*")
_PNG = "data:image/png;base64,"
_USERS = frozenset({"user", "human"})
_PLAYERS = frozenset({"assistant", "model"})


def read_answered_question(
    content_hash: object, *questions: AskedQuestion | None
) -> AnsweredQuestion | None:
    """Return the question that a record answers, or None if it names none.

    Args:
        content_hash: a text, or any other value in its field.
        questions: the questions in it.
    """
    content_hash = content_hash if isinstance(content_hash, str) and content_hash else None
    known = tuple(question for question in questions if question is not None)
    return AnsweredQuestion(content_hash, known) if known or content_hash else None


def question_of(
    value: object, form: Form = "text", attached: Mapping[str, object] | None = None
) -> AskedQuestion | None:
    """Return the question in a value, or None if there is none.

    Args:
        value: chat messages, a text, or any other value in their field.
        form: what a text is.
        attached: long texts that a log stores separately, by their hash.
    """
    if isinstance(value, str):
        if form == "rendered" and value.startswith("[{"):
            try:
                return question_of(json.loads(value))
            except (ValueError, RecursionError):
                pass
        return AskedQuestion(form, (value,)) if value.strip() else None
    if not isinstance(value, list):
        return None
    turns: list[list[str]] = [[]]
    pixels: list[tuple[int, str]] = []
    pictures: list[tuple[int, str]] = []
    shown = 0
    for message in value[: 2 * MAX_TURNS]:
        if not isinstance(message, dict):
            continue
        if (role := message.get("role", "user" if "parts" in message else None)) in _PLAYERS:
            turns.append([])
        if role not in _USERS:
            continue
        for part in _iterate_parts(message):
            if isinstance(part, str):
                turns[-1].append(resolve_attachment(part, attached))
            elif len(turns) == 1:
                if isinstance(hashed := part.get("pixels"), str):
                    pixels.append((_picture_number(part, shown), hashed))
                elif data := _part_png(part, attached):
                    pictures.append((shown, data))
                shown += 1
    first, *later = (tuple(text for text in texts if text.strip()) for texts in turns)
    if not (first or shown or any(later)):
        return None
    return AskedQuestion("chat", first, shown, tuple(pixels), tuple(pictures), tuple(later))


def iterate_requested(record: Record) -> Iterator[AskedQuestion | None]:
    """Yield the questions of the request that a batch's output repeats."""
    for name in sorted(_REQUESTS & record.keys()):
        request = mapping_at(record, name)
        for one in (request, mapping_at(request, "body"), mapping_at(request, "params")):
            yield from map(question_of, map(one.get, _CARRIERS))


def iterate_carried(record: Record) -> Iterator[AskedQuestion | None]:
    """Yield the questions of a plain record: its chat, its prompt, its request."""
    yield question_of(record.get("messages"))
    yield question_of(record.get("prompt"))
    yield from iterate_requested(record)


def _iterate_parts(message: Mapping[str, object]) -> Iterator[str | Mapping[str, object]]:
    """Yield the texts and the pictures of a message, pictures as parts."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        content = [content]
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
        elif isinstance(part, dict) and not _PICTURES.isdisjoint(part):
            yield part


_INLINE = ("source", "inlineData", "inline_data")
_PICTURES = frozenset({"image", "image_url", "fileData", *_INLINE})
"""Keys of picture parts of messages, as the APIs and tools spell them."""


def _part_png(part: Mapping[str, object], attached: Mapping[str, object] | None) -> str:
    """Return the PNG in base 64 of a part; "" if it has none."""
    url = part.get("image_url", part.get("image"))
    url = url.get("url") if isinstance(url, Mapping) else url
    if isinstance(url, str):
        url = resolve_attachment(url, attached)
        return url.removeprefix(_PNG) if url.startswith(_PNG) else ""
    inside = next(filter(None, (mapping_at(part, name) for name in _INLINE)), {})
    kind = inside.get("media_type") or inside.get("mimeType") or inside.get("mime_type")
    data = inside.get("data")
    return data if kind == "image/png" and isinstance(data, str) else ""


def _picture_number(part: Mapping[str, object], place: int) -> int:
    """Return the number of a picture: that in its name, as transcripts have, or its place."""
    number = str(part.get("image")).rpartition("#")[2].removesuffix(".png")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else place


def resolve_attachment(text: str, attached: Mapping[str, object] | None) -> str:
    """Return a text, or the attachment of a log that it refers to."""
    if attached and text.startswith("attachment://"):
        value = attached.get(text.removeprefix("attachment://"))
        return value if isinstance(value, str) else text
    return text


def normalize_texts(texts: Iterable[str]) -> str:
    """Return texts in the one spelling in which equal questions are equal."""
    return "\n".join(filter(None, map(_trim_text, texts)))


def is_exact_question(own: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether a question is the row's to the letter.

    Args:
        own: the row's texts.
        said: those of the record; they may be joined differently, with pictures between them.
    """
    if (whole := normalize_texts(said)) == normalize_texts(own):
        return True
    place = 0
    for text in filter(None, map(_trim_text, own)):
        place = _skip_blanks(whole, place)
        if not whole.startswith(text, place):
            return False
        place += len(text)
    return _skip_blanks(whole, place) == len(whole)


def contains_question(own: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether a question contains the words of the row in order, among other words.

    Args:
        own: the row's texts.
        said: the texts of the record.
    """
    whole, place = " ".join(" ".join(said).split()), 0
    for text in own:
        words = " ".join(text.split())
        if (place := whole.find(words, place)) < 0:
            return False
        place += len(words)
    return True


def _trim_text(text: str) -> str:
    return (text.replace("\r\n", "\n") if "\r" in text else text).strip()


def _skip_blanks(text: str, place: int) -> int:
    """Return the place after blanks and pictures."""
    match = _BETWEEN.match(text, place)
    return match.end() if match else place
