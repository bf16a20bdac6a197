"""Commands that are printed: each can be pasted into a shell as it stands, whatever its paths."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def format_command(verb: str, *words: str, **values: object) -> str:
    """Return a command of this program, quoted for a POSIX shell.

    Args:
        verb: its verb.
        words: words that come first, as they are.
        values: keys and their values; the value of a key is read back as it is given here.
    """
    arguments = [f"{name}={_quote_for_parser(str(value))}" for name, value in values.items()]
    return " ".join([shlex.quote(program_name()), verb, *map(shlex.quote, (*words, *arguments))])


def program_name() -> str:
    """Return how this program was called, so that a command that is shown finds it."""
    called = Path(sys.argv[0])
    if called.name != "facelet" or shutil.which("facelet") is not None:
        return "facelet"
    return os.path.relpath(called)


def _quote_for_parser(value: str) -> str:
    """Return a value in quotes if those at its ends would be dropped; see `argument_parser`."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return f'"{value}"'
    return value
