"""List and load compiled parts, and build the error for a missing one.

Facelet installs without a C compiler. Play and scoring then run in plain Python, and so does
all that has a plain version; what needs a compiled search raises NotCompiled, whose one line names
the fix. Which parts there are is read from the C sources beside the Python ones, of generators and
of the packages that use them, so a new part needs no entry here.

With FACELET_PLAIN=1 in the environment no part is loaded, whether it was compiled or not.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

FIX = (
    "install a wheel for this system, or a checkout of Facelet with a C compiler (gcc or clang); "
    "`facelet --version` lists the parts"
)


PACKAGES = ("facelet.generators", "facelet.pipeline")
"""The packages that have C parts."""


class NotCompiled(ImportError):  # noqa: N818 - the name says what it is
    """Something needs a part that was not compiled; the message names the fix."""


def is_switched_off() -> bool:
    """Return whether FACELET_PLAIN forbids compiled parts."""
    return os.environ.get("FACELET_PLAIN", "") not in ("", "0")


@cache
def load_compiled(name: str) -> ModuleType | None:
    """Return a compiled part; None where it was not compiled, or is not to be used.

    Args:
        name: of its module, with the package.
    """
    if is_switched_off():
        return None
    try:
        return import_module(name)
    except ImportError:
        return None


class CompiledPart:
    """A compiled part, loaded when one of its functions is first asked for.

    So what imports it can be imported where it was not compiled. Its attributes are those of the
    compiled module.

    Attributes:
        part_name: of its module, with the package.
        part_of: what needs it, as the error says it.
    """

    def __init__(self, name: str, what: str) -> None:
        """Name a part; nothing is loaded."""
        self.part_name = name
        self.part_of = what

    def __getattr__(self, attribute: str) -> Any:
        """Return an attribute of the compiled module.

        Raises:
            NotCompiled: it is missing.
            AttributeError: it has no such attribute.
        """
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        part = load_compiled(self.part_name)
        if part is None:
            raise missing_part_error(self.part_of)
        value = getattr(part, attribute)
        self.__dict__[attribute] = value
        return value


def missing_part_error(what: str) -> NotCompiled:
    """Return the error that something cannot be had without a compiled part.

    Args:
        what: a noun, as the message begins.
    """
    if is_switched_off():
        return NotCompiled(f"{what} is not compiled here: FACELET_PLAIN is set; unset it")
    return NotCompiled(f"{what} is not compiled here: {FIX}")


def list_compiled_parts() -> tuple[str, ...]:
    """Return the names of all compiled parts, sorted, whether they were compiled or not."""
    names = {
        ".".join((package, *source.relative_to(root).with_suffix("").parts))
        for package in PACKAGES
        if (about := find_spec(package)) is not None
        for root in map(Path, about.submodule_search_locations or ())
        for source in root.glob("*/**/_*.c")
    }
    return tuple(sorted(names))
