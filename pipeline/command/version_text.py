"""Render the output of `facelet --version`: the version, and the compiled parts of this install."""

from __future__ import annotations

import platform

from facelet._version import __version__
from facelet.generators.core import compiled_parts

_PREFIXES = ("facelet.generators.", "facelet.")


def render_version() -> str:
    """Return the version, then a line each on compiled parts, missing ones, and how to get them."""
    compiled_ones = [
        name
        for name in compiled_parts.list_compiled_parts()
        if compiled_parts.load_compiled(name) is not None
    ]
    plain = [name for name in compiled_parts.list_compiled_parts() if name not in compiled_ones]
    lines = [f"facelet {__version__}"]
    lines.extend(
        (
            f"python {platform.python_version()}, {platform.system()} {platform.machine()}",
            f"compiled: {_join_names(compiled_ones)}",
        )
    )
    if plain:
        lines.append(f"not compiled: {_join_names(plain)}")
        if compiled_parts.is_switched_off():
            lines.append("FACELET_PLAIN is set: plain Python is used; unset it")
        else:
            lines.append(f"commands that need them stop with one line; {compiled_parts.FIX}")
    return "\n".join(lines)


def _join_names(names: list[str]) -> str:
    for prefix in _PREFIXES:
        names = [name.removeprefix(prefix) for name in names]
    return ", ".join(names) or "nothing"
