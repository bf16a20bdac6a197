"""Checks of knobs that any task may have, and the errors that explain them."""

from __future__ import annotations

from collections.abc import Iterable


def check_choice(name: str, value: str, allowed: Iterable[str]) -> None:
    """Raise ValueError unless a knob has one of the allowed values."""
    known = tuple(allowed)
    if value not in known:
        raise ValueError(f"{name}={value!r} is unknown; use one of {', '.join(known)}")


def check_range(name: str, value: int, low: int, high: int) -> None:
    """Raise ValueError unless a knob is a whole number from `low` to `high`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name}={value!r} is out of range; use a whole number {low} to {high}")


def check_flag(name: str, value: bool) -> None:
    """Raise ValueError unless a knob is true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is neither true nor false; use one of the two")
