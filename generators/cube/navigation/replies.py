"""Read the list of commands at the end of a player's reply.

The requested form of a step is one JSON object at the end, after any text:

    I turn the front face first. {"actions": ["F", "R'", "get_observation"]}

In the mode without code the key may be "moves": {"moves": ["D", "B", "B"]}. The rules of
core.replies.boundary hold: thoughts do not count, nothing is guessed or evaluated, time is linear.
Of several lists the one alone on its line counts, and of two different ones none. But replies are
read as a whole, as a step may hold 200,000 moves.

Lenient: the list in a fenced block, in a block quote or bold, with text after it, with other quotes
or none, with a comma at its end, without a key, as one string; tool calls as JSON objects, one or
several. See generators.cube.navigation.commands for its entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_answer
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.written import plain_json
from facelet.generators.cube.navigation.commands import (
    PLAIN,
    REFUSALS,
    is_canonical,
    is_known,
    merge_turns,
    parse_entry,
    too_deep,
)

Mode = Literal["code", "no_code"]
"""Whether the player may act through code, which gets the result of each action at once."""

# Not with an equals sign: "moves = [...]" is a line of a program, and programs are not run.
_KEY = re.compile(
    r"(?:\{\s{0,80})?(?P<quote>[\"']?)\b(?P<key>actions|moves)(?P=quote)\s*:\s*(?=[\[\"])"
)
_LOOSE = re.compile(
    r"\s*(?:\"(?P<double>[^\"\n]{0,300})\"|'(?P<single>[^\"\n,\]]{0,300})'(?=\s*[,\]])"
    r"|(?P<bare>(?!\.\.\.|\u2026)[^\s\"',\[\]{}][^\"\n,\[\]{}]{0,300}+))\s*+(?P<end>[,\]])"
)
CALLS = 10_000
"""At most this many tool calls, one a line, are read from the end of a reply without a list."""

LISTS = 64
"""At most this many lists, the last ones, are looked at for the one that is given."""

_CLOSED = re.compile(r"\s{0,80}\}?")
_FENCE = re.compile(r"```[a-z_]*[ \t]*\n?")
_DECODER = json.JSONDecoder()


def format_commands(commands: Iterable[str], mode: Mode = "code", *, dense: bool = False) -> str:
    """Return commands in the requested form.

    Args:
        commands: canonical commands.
        mode: which key the list has.
        dense: whether consecutive turns share one string, as a long step needs.
    """
    key = "actions" if mode == "code" else "moves"
    items = merge_turns(commands) if dense else list(commands)
    text = json.dumps({key: items}, separators=(",", ":") if dense else None)
    # A call may hold any text, and a marker of a chat template in it would end the reply.
    return text.replace("<", r"\u003c")


def read_commands(reply: str, mode: Mode = "code") -> Parsed[tuple[str, ...]]:
    """Return the commands at the end of a reply, legal or not, in order.

    Args:
        reply: any string.
        mode: "no_code" if the key may also be "moves".
    """
    shown = visible_text(reply, len(reply))
    parsed, plain = _read(shown, mode), plain_json(shown)
    return parsed if parsed.strict or plain == shown else Parsed(_read(plain, mode).value, False)


def _read(shown: str, mode: Mode) -> Parsed[tuple[str, ...]]:
    if not (keys := list(_KEY.finditer(shown))[-LISTS:]):
        items = _without_key(shown)
        return Parsed(None if items is None else _parse_entries(items)[0], strict=False)
    chosen = choose_answer(shown, [_candidate(shown, key) for key in keys])
    if chosen is None or chosen.value is None:
        return Parsed(None, strict=False)
    key = next(key for key in keys if key.start() == chosen.start)
    said, canonical = _parse_entries(chosen.value)
    strict = (
        key["quote"] == '"'
        and shown[key.end()] == "["
        and (key["key"] == "actions" or mode == "no_code")
        and key[0].startswith("{")
        and shown.endswith("}", 0, chosen.end)
        and chosen.end == len(shown)
        and isinstance(chosen.value, list)
    )
    return Parsed(said, strict and canonical)


def _candidate(shown: str, key: re.Match[str]) -> Candidate[Sequence[Any]]:
    """Return the list behind a key, and where its object ends; as a tuple if it is no JSON."""
    value, end = _decode_list(shown, key.end()) or _parse_loose_list(shown, key.end() + 1)
    closed = _CLOSED.match(shown, end)
    return Candidate(key.start(), closed.end() if closed else end, value)


def _parse_entries(items: Iterable[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the commands of entries, and whether all are written as requested.

    They end before the first step that has no known command.
    """
    found: list[str] = []
    canonical, unknown = True, 0
    for item in items:
        if type(item) is str and item in PLAIN:
            found.append(item)
            continue
        said = parse_entry(item)
        canonical = canonical and is_canonical(item, said)
        found += said
        unknown += len(said) == 1 and not is_known(said[0])
        if unknown == REFUSALS:
            return tuple(found), False
    return tuple(found), canonical


def _decode_list(text: str, start: int) -> tuple[list[Any], int] | None:
    """Return the JSON list that begins at an index, and the index after it."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    items = [value] if isinstance(value, str) else value
    return (items, end) if isinstance(items, list) and not too_deep(items) else None


def _parse_loose_list(text: str, start: int) -> tuple[tuple[str, ...] | None, int]:
    """Return the entries of a flat list that is not valid JSON, and the index after it."""
    items: list[str] = []
    while found := _LOOSE.match(text, start):
        items.append(found["double"] or found["single"] or found["bare"] or "")
        if found["end"] == "]":
            return tuple(items), found.end()
        start = found.end()
    return None, start


def _without_key(text: str) -> Sequence[Any] | None:
    """Return the tool calls or the list without a key that a text consists of or ends with."""
    fences = list(_FENCE.finditer(text))
    if len(fences) >= 2:
        start, end = fences[-2].end(), fences[-1].start()
        if is_mentioned(text, start, end):
            return None
        text = text[start:end]
    if calls := list(_calls_at_the_end(text.strip())):
        return calls[0] if isinstance(calls[0], list) else calls[::-1]
    return None


def _calls_at_the_end(text: str) -> Iterator[Any]:
    """Yield, from the last on, the JSON objects that end a text; or the list that does."""
    if (value := _parse_json(text)) is not None:
        if isinstance(value, dict):
            inner = value.get("tool_calls", value.get("calls"))
            yield inner if isinstance(inner, list) else value
        else:
            yield value
        return
    for line in text.split("\n")[: -CALLS - 1 : -1]:
        if (value := _parse_json(line.strip().rstrip(","))) is None:
            return
        yield value
        if isinstance(value, list):
            return


def _parse_json(text: str) -> list[Any] | dict[str, Any] | None:
    """Return the list or object that a text is, else None."""
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) and not too_deep(value) else None
