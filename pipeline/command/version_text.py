"""What `facelet --version` prints: the version, and which parts are compiled in this install."""

from __future__ import annotations

import platform

from facelet import __version__
from facelet.generators.core import compiled

_PREFIXES = ("facelet.generators.", "facelet.")


def version() -> str:
    """Return the version, then a line each on compiled parts, missing ones, and how to get them."""
    compiled_ones = [name for name in compiled.parts() if compiled.found(name) is not None]
    plain = [name for name in compiled.parts() if name not in compiled_ones]
    lines = [f"facelet {__version__}"]
    lines.append(f"python {platform.python_version()}, {platform.system()} {platform.machine()}")
    lines.append(f"compiled: {_listed(compiled_ones)}")
    if plain:
        lines.append(f"not compiled: {_listed(plain)}")
        if compiled.switched_off():
            lines.append("FACELET_PLAIN is set: plain Python is used; unset it")
        else:
            lines.append(f"what needs them stops with one line; {compiled.FIX}")
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    for prefix in _PREFIXES:
        names = [name.removeprefix(prefix) for name in names]
    return ", ".join(names) or "nothing"
