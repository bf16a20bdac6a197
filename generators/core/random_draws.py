"""Draw small numbers as a numpy generator does, in a fraction of the time.

Each function draws what the call of numpy that it names draws, and leaves the generator where that
call would; it costs a fraction, and returns plain numbers. `spanned` makes such calls one by one.
Compiled where that can be had. Numbers are below 2**32 - 1; lists, and what they are chosen from,
have at most 10,000, and trees 2,048 places.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

from facelet.generators.core.compiled_parts import load_compiled


def _draw_below(rng: Generator, count: int) -> int:
    return int(rng.integers(count))


def _draw_several(rng: Generator, count: int, size: int) -> list[int]:
    return [int(number) for number in rng.integers(count, size=size)]


def _draw_shuffled(rng: Generator, count: int) -> list[int]:
    return [int(number) for number in rng.permutation(count)]


def _draw_chosen(rng: Generator, count: int, size: int) -> list[int]:
    return [int(number) for number in rng.choice(count, size, replace=False)] if size else []


def _draw_spanning_tree(rng: Generator, around: tuple[tuple[int, ...], ...]) -> list[int]:
    tree = [-1] * len(around)
    joined = [True] + [False] * (len(around) - 1)
    for place in range(1, len(around)):
        here = place
        while not joined[here]:
            tree[here] = here = around[here][_draw_below(rng, len(around[here]))]
        here = place
        while not joined[here]:
            joined[here] = True
            here = tree[here]
    return tree


_part = load_compiled("facelet.generators.core._drawing")

below: Callable[[Generator, int], int] = _part.below if _part else _draw_below
"""`integers(count)`: a number from 0 to count - 1."""
several: Callable[[Generator, int, int], list[int]] = _part.several if _part else _draw_several
"""`integers(count, size=size)`: so many numbers from 0 to count - 1."""
shuffled: Callable[[Generator, int], list[int]] = _part.shuffled if _part else _draw_shuffled
"""`permutation(count)`: the numbers from 0 to count - 1 in any order."""
chosen: Callable[[Generator, int, int], list[int]] = _part.chosen if _part else _draw_chosen
"""`choice(count, size, replace=False)`: so many different numbers from 0 to count - 1."""
spanned: Callable[[Generator, tuple[tuple[int, ...], ...]], list[int]] = (
    _part.spanned if _part else _draw_spanning_tree
)
"""A spanning tree of places, drawn evenly: the next place on the way to place 0, whose own is -1.

Walks from each place to the tree, loops cut out (Wilson 1996). It takes the places around each, up
to 8 and at least one, of places that are all connected.
"""
