"""Import the packages of an extra, or raise an error with the command that installs them.

The command names packages, not the extra: it works for a wheel as for a checkout.
"""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from importlib.metadata import requires
from types import ModuleType


class MissingPackageError(ImportError, ValueError):
    """An optional package is not installed; the message contains the command that installs it."""


def import_optional(name: str, extra: str, user: str = "this adapter") -> ModuleType:
    """Return a module of an optional package.

    Args:
        name: name of the module.
        extra: extra of Facelet that installs the package.
        user: what needs the package.

    Raises:
        MissingPackageError: the package is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        root = name.partition(".")[0]
        if (error.name or "").partition(".")[0] != root:
            raise
        raise MissingPackageError(
            f"{user} needs the package {root!r}; run `{format_install(extra)}`"
        ) from None


def format_install(extra: str) -> str:
    """Return the command that installs the packages of an extra."""
    wanted = []
    for line in requires("facelet") or ():
        name, _, marker = line.partition(";")
        if f'extra == "{extra}"' in marker and sys.platform not in marker:
            wanted.append(name.strip())
    return shlex.join(["pip", "install", "--upgrade", *wanted])
