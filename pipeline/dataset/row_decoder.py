"""Decode a published row of unknown origin into its puzzle.

A row that somebody changed may break any assumption of its task's code. What that raises becomes a
ValueError of one line that names the row, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

DECODE_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError),
    *(StopIteration, TypeError, ValueError),
)
"""What a task's code may raise on a row that is none of its own."""


class DamagedRowError(ValueError):
    """A row cannot be used by its task's code."""


@contextmanager
def catch_decode_errors(identifier: str, what: str = "be read back") -> Iterator[None]:
    """Turn what a task's code raises on a row into a ValueError that names the row.

    Args:
        identifier: id of the row.
        what: what the block does with the row, after "cannot".

    Raises:
        DamagedRowError: the block raised one of DECODE_ERRORS.
    """
    try:
        yield
    except DECODE_ERRORS as error:
        raise build_damage_error(identifier, error, what) from error


def build_damage_error(
    identifier: str, error: Exception, what: str = "be read back"
) -> DamagedRowError:
    """Return the error for a row that cannot be used.

    Args:
        identifier: id of the row.
        error: what the task's code raised.
        what: what was done with the row, after "cannot".
    """
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__} "
    return DamagedRowError(
        f"row {identifier!r} cannot {what}: {kind}{error}; run `facelet verify` on the dataset"
    )
