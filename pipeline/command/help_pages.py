"""Render the help page of a verb: its usage, its description, its keys in groups, an example.

The description is the docstring of the verb's module; everything about keys follows from its
settings. A verb with a function `help_placeholders` has values in its docstring, as `{name}`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from facelet.pipeline.command.setting_keys import VerbKey

WIDTH = 100

_END = ("\nExample:", "\nExamples:")


def render_help_page(verb: str, text: str, keys: Sequence[VerbKey]) -> str:
    """Return the help of a verb.

    Args:
        verb: the verb.
        text: what it does; examples, if any, are its last part.
        keys: its keys.
    """
    place = max(text.find(mark) for mark in _END)
    head, tail = (text, "") if place < 0 else (text[:place], text[place:])
    parts = [format_usage(verb, keys), "", head.strip()]
    for group in dict.fromkeys(one.about.group for one in keys):
        parts += ["", f"{group or 'Keys'}:"]
        parts += [
            line for one in keys if one.about.group == group for line in iterate_key_lines(one)
        ]
    parts += [
        "",
        "Keys stand with their defaults. key=value, --key=value and --key value are the same.",
    ]
    return "\n".join([*parts, *([tail.rstrip()] if tail else [])])


def format_usage(verb: str, keys: Sequence[VerbKey]) -> str:
    """Return how a verb is called, in a line."""
    words = ["facelet", verb]
    for one in keys:
        if one.about.positional:
            words.append(one.name.upper() if one.is_required else f"[{one.name.upper()}]")
        elif one.is_required:
            words.append(f"{one.name}=...")
    return " ".join([*words, "[key=value ...]"])


def iterate_key_lines(one: VerbKey) -> Iterator[str]:
    """Yield the lines of a help page that explain a key: default, meaning, allowed values."""
    if one.about.takes_dotted_words:
        yield f"  {one.about.shown}"
    elif one.is_required:
        yield f"  {one.name}=... (required)"
    else:
        yield f"  {one.name}={one.describe_default() or '...'}"
    text = one.about.doc
    if not one.about.takes_dotted_words:
        text += f" Allowed: {one.describe_allowed().removesuffix('.')}."
    yield from textwrap.wrap(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
