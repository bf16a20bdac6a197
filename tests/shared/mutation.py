"""Change values as a stranger would: JSON values, and their bytes."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

NAMES = ("a\0b", "a\u2028b", "\ud800", "\u202egnp", "\x1b[2J", "<script>ran = 1</script>", "${x}")
"""Names that are more than names."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 127, 1 << 31, 1 << 53, (1 << 63) - 1, 1 << 63, -(1 << 64)),
    *(1 << 200, 0.5, -0.0, 1e308, float("inf"), float("nan"), "", "0", "A", "x" * 70_000),
    *([], [None], [[]], {}, {"": None}, {"id": "x"}, ["x"] * 300, [0] * 300, *NAMES),
)
"""What replaces a value."""


def nest_value(depth: int) -> Any:
    """Return a list of lists, so deep."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def list_places(value: Any, most: int = 2000) -> list[tuple[Any, Any]]:
    """Return containers and keys of the values inside a value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < most:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        found += [(one, key) for key in keys]
        waiting += [one[key] for key in keys if isinstance(one[key], dict | list) and one[key]]
    return found


def mutate_value(value: Any, chance: random.Random, times: int = 2) -> Any:
    """Return a changed copy of a JSON value; the original stays."""
    changed = copy.deepcopy(value)
    for _ in range(chance.randint(1, times)):
        places = list_places(changed)
        if not places:
            return chance.choice(VALUES)
        inside, key = chance.choice(places)
        other = chance.choice(places)
        how = chance.random()
        if how < 0.1 and isinstance(inside, dict):
            del inside[key]
        elif how < 0.15:
            inside[key] = copy.deepcopy(other[0][other[1]])
        elif how < 0.2 and isinstance(inside, dict):
            inside[chance.choice(NAMES)] = inside.pop(key)
        elif how < 0.25:
            inside[key] = [inside[key]]
        elif how < 0.3:
            inside[key] = nest_value(chance.choice((5, 60, 300)))
        elif how < 0.4 and isinstance(inside[key], int):
            inside[key] += chance.choice((-1, 1, 1000, 1 << 40, 1 << 80))
        elif how < 0.6 and isinstance(inside[key], str) and inside[key]:
            text = inside[key]
            place = chance.randrange(len(text))
            inside[key] = text[:place] + chance.choice((*NAMES, "", "9", "é")) + text[place + 1 :]
        else:
            inside[key] = copy.deepcopy(chance.choice(VALUES))
    return changed


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """Return bytes of which some are changed, left out or repeated."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        place, size = chance.randrange(len(changed) + 1), chance.randint(1, 8)
        how = chance.randrange(4)
        if how == 0:
            del changed[place : place + size]
        elif how == 1:
            changed[place:place] = chance.choice(
                (b"\\ud800", b"\\u0000", b"\xff", b"[" * 3000, b"9" * 5000, b"NaN", b"1e999", b'"')
            )
        elif how == 2:
            changed[place : place + size] = chance.randbytes(size)
        else:
            changed[place:place] = changed[place : place + size]
    return bytes(changed)


def encode_value(value: Any) -> bytes:
    """Return a value as JSON, lone surrogates escaped."""
    return json.dumps(value).encode("ascii")
