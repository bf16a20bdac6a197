"""Import the package that an adapter needs, or raise an error that names its extra."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def import_optional(name: str, extra: str) -> ModuleType:
    """Return a module of an optional package.

    Args:
        name: name of the module.
        extra: extra of Facelet that installs the package.

    Raises:
        ImportError: the package is not installed; the message contains the command that installs
            it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        root = name.partition(".")[0]
        if (error.name or "").partition(".")[0] != root:
            raise
        raise ImportError(
            f"this adapter needs the package {root!r}; install it, or a newer one, with "
            f"`pip install --upgrade 'facelet[{extra}]'`"
        ) from None
