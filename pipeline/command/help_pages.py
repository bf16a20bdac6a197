"""Pages: the help of a verb: how it is called, what it does, its keys in groups, an example.

What a verb does is the docstring of its module; all about keys follows from its settings. A verb
with a function `facts` has values in its docstring, as `{name}`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from facelet.pipeline.command.keys import Field

WIDTH = 100

_END = ("\nExample:", "\nExamples:")


def page(verb: str, text: str, keys: Sequence[Field]) -> str:
    """Return the help of a verb.

    Args:
        verb: the verb.
        text: what it does; examples, if any, are its last part.
        keys: its keys.
    """
    place = max(text.find(mark) for mark in _END)
    head, tail = (text, "") if place < 0 else (text[:place], text[place:])
    parts = [usage(verb, keys), "", head.strip()]
    for group in dict.fromkeys(one.about.group for one in keys):
        parts += ["", f"{group or 'Keys'}:"]
        parts += [line for one in keys if one.about.group == group for line in explained(one)]
    parts += [
        "",
        "Keys stand with their defaults. key=value, --key=value and --key value are the same.",
    ]
    return "\n".join([*parts, *([tail.rstrip()] if tail else [])])


def usage(verb: str, keys: Sequence[Field]) -> str:
    """Return how a verb is called, in a line."""
    words = ["facelet", verb]
    for one in keys:
        if one.about.place:
            words.append(one.name.upper() if one.needed else f"[{one.name.upper()}]")
        elif one.needed:
            words.append(f"{one.name}=...")
    return " ".join([*words, "[key=value ...]"])


def explained(one: Field) -> Iterator[str]:
    """Yield the lines of a help page that explain a key: default, meaning, allowed values."""
    if one.about.free:
        yield f"  {one.about.shown}"
    elif one.needed:
        yield f"  {one.name}=... (needed)"
    else:
        yield f"  {one.name}={one.shown() or '...'}"
    text = one.about.doc
    if not one.about.free:
        text += f" Allowed: {one.allowed().removesuffix('.')}."
    yield from textwrap.wrap(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
