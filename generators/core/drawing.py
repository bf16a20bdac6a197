"""Drawing: numbers that a numpy generator draws, a few at a time.

Each function draws what the call of numpy that it names draws, and leaves the generator where that
call would; it costs a fraction, and returns plain numbers. Compiled where that can be had. Numbers
are below 2**32 - 1; lists, and what they are chosen from, have at most 10,000.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

from facelet.generators.core.compiled import found


def _below(rng: Generator, count: int) -> int:
    return int(rng.integers(count))


def _several(rng: Generator, count: int, size: int) -> list[int]:
    return [int(number) for number in rng.integers(count, size=size)]


def _shuffled(rng: Generator, count: int) -> list[int]:
    return [int(number) for number in rng.permutation(count)]


def _chosen(rng: Generator, count: int, size: int) -> list[int]:
    return [int(number) for number in rng.choice(count, size, replace=False)] if size else []


_part = found("facelet.generators.core._drawing")

below: Callable[[Generator, int], int] = _part.below if _part else _below
"""`integers(count)`: a number from 0 to count - 1."""
several: Callable[[Generator, int, int], list[int]] = _part.several if _part else _several
"""`integers(count, size=size)`: so many numbers from 0 to count - 1."""
shuffled: Callable[[Generator, int], list[int]] = _part.shuffled if _part else _shuffled
"""`permutation(count)`: the numbers from 0 to count - 1 in any order."""
chosen: Callable[[Generator, int, int], list[int]] = _part.chosen if _part else _chosen
"""`choice(count, size, replace=False)`: so many different numbers from 0 to count - 1."""
