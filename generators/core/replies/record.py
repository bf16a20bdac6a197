"""Read answers that assign one label to each of several keys: lines, tables, JSON.

Rules that all readers of answers share are in `facelet.generators.core.replies.boundary`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from facelet.generators.core.compiled_parts import load_compiled
from facelet.generators.core.memoization import memoize_short
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.data_blocks import normalize_typing, record_lines, rewritten
from facelet.generators.core.replies.labels import turns_nothing
from facelet.generators.core.replies.mentions import select_given
from facelet.generators.core.replies.plain_text import plain_text

_part = load_compiled("facelet.generators.core._reading")


_LIST = 400
"""Characters that a list of all keys takes at most."""


FORM = "<{key}> {value} </{key}>"
"""The requested form of a line, as prompts show it."""


@dataclass(frozen=True, slots=True)
class _RecordPatterns:
    strict: re.Pattern[str]
    entry: re.Pattern[str]
    several: re.Pattern[str]


@cache
def _record_patterns(keys: tuple[str, ...], values: tuple[str, ...], echo: str) -> _RecordPatterns:
    exact = "|".join(values)
    line = FORM.replace(" ", r"[ \t]*") + r"[ \t]*"
    lines = (line.format(key=key, value=f"({exact})") for key in keys)
    # "No change", "no-change", "DECREASES", "decreased".
    spelled = "|".join(value.replace("_", r"\\?[ _-]?") + "[sd]?" for value in values)
    key = "|".join(keys)
    sign = r" ?[:.=|\u2013\u2014\u2192-]>? ?"
    aside = r"(?: ?\([^()\n]{1,80}\))?"
    echoed = rf"(?:{echo}{sign})?" if echo else ""
    entry = (
        rf"(?:<(?P<tag>{key})> ?|(?:^|[\n,;{{|]) ?(?:[+\u2022-] |[1-9][.)] )?"
        rf"(?:option )?[(\[]?(?P<key>{key})"
        rf"(?:{aside}{sign}|[)\]]{aside}(?:{sign}| )))"
        rf"{echoed}(?P<value>{spelled})(?!\w)"
    )
    return _RecordPatterns(
        strict=re.compile(r"\n".join(lines)),
        entry=re.compile(entry, re.IGNORECASE),
        several=re.compile(rf" ?(?:[|/,&]|or\b|and\b) ?(?:{spelled})(?!\w)|\|\w", re.IGNORECASE),
    )


def read_labelled(
    text: str, keys: Sequence[str], values: Sequence[str], *, echo: str = ""
) -> Parsed[tuple[str, ...]]:
    """Return one of `values` for each of `keys`, "" where there is none; None when all are missing.

    Strict: one line a key, in order, `<A> DECREASE </A>`. Lenient: also
    `A: decrease`, `A) R2 -> No change`, table rows, a JSON object, in any order; a key that is
    given several values at once has none.

    Args:
        text: the reply.
        keys: letters.
        values: upper-case words; an underscore also matches a blank, a hyphen or nothing.
        echo: a regular expression, of bounded length and without groups, for the text of an option
            that a reply may repeat between key and value; "" for none.
    """
    return _read_labelled(text, tuple(keys), tuple(values), echo)


@memoize_short
def _read_labelled(
    text: str, keys: tuple[str, ...], values: tuple[str, ...], echo: str
) -> Parsed[tuple[str, ...]]:
    table = _record_patterns(keys, values, echo)
    shown = visible_text(text)
    if exact := table.strict.fullmatch(shown):
        return Parsed(exact.groups(), strict=True)
    bare = plain_text(rewritten(normalize_typing(shown), record_lines(keys)))
    said: dict[str, str] = {}
    behind: dict[str, int] = {}
    for entry in select_given(bare, _list_entries(bare, table.entry, keys)):
        key = (entry["tag"] or entry["key"]).upper()
        value = _spell_value(entry["value"], values)
        if table.several.match(bare, entry.end()):
            value = ""
        elif said.get(key, value) not in ("", value) and turns_nothing(
            bare, behind[key], entry.start(), _LIST
        ):
            return Parsed(None, strict=False)
        # A reply that is cut within an element of an echoed form says nothing there.
        if entry["tag"] and entry.end() == len(bare) and len({*said, key}) < len(keys):
            value = ""
        said[key], behind[key] = value, entry.end()
    answer = tuple(said.get(key, "") for key in keys)
    return Parsed(answer if any(answer) else None, strict=False)


def _list_entries(bare: str, entry: re.Pattern[str], keys: tuple[str, ...]) -> list[re.Match[str]]:
    """Return all entries of a text, in order."""
    single = _part is not None and all(len(key) == 1 for key in keys)
    places: list[int] | None = _part.entering(bare, "".join(keys)) if _part and single else None
    if places is None:
        return list(entry.finditer(bare))
    entries: list[re.Match[str]] = []
    end = 0
    for place in places:
        if place >= end and (one := entry.match(bare, place)):
            entries.append(one)
            end = one.end()
    return entries


@lru_cache(maxsize=256)
def _spell_value(said: str, values: tuple[str, ...]) -> str:
    """Return the value of a spelling."""
    letters = _only_letters(said)
    return next(value for value in values if letters.startswith(_only_letters(value)))


def _only_letters(text: str) -> str:
    # In small letters first: an expression that minds no case takes U+0130 for an i.
    return "".join(filter(str.isalpha, text.lower())).upper()
