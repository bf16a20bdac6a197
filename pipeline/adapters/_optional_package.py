"""What an adapter needs: its package, or a line that says how to get it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def import_optional(name: str, extra: str) -> ModuleType:
    """Return a package that an adapter stands on.

    Args:
        name: name of the package's module.
        extra: the extra of Facelet that installs it.

    Raises:
        ImportError: it is not installed; the message says what to type.
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
