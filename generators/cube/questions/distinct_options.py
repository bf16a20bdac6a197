"""Redraw the items of one state until no two have the same options.

Near the solved cube there are fewer states than items are asked for: 18 at depth 1. So a state may
carry several items, as many as the param `draws` says. Item i is about state i modulo their number;
its options are drawn anew, and rejected where an earlier item of the state has the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from facelet.generators.core.params import param
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

T = TypeVar("T")

ATTEMPTS = 64
"""Draws of an earlier item that are tried; none of them needs nearly as many."""


def draws_param() -> Any:
    """Return the field of params that says how many items of a state there may be."""
    return param(6, "most items of one state, where states are few", low=1, high=12)


def draw_different(
    draw: Draw, states: int, make: Callable[[Draw], T], key: Callable[[T], Hashable]
) -> T:
    """Return what is made of an item's draw.

    Args:
        draw: the item's draw.
        states: number of states; item i is about state i modulo it.
        make: makes the item.
        key: what no two items of a state may share.

    Raises:
        Reject: an earlier item of the state has the same key.
    """
    made = make(draw)
    taken: set[Hashable] = set()
    for index in range(draw.index % states, draw.index, states):
        for attempt in range(ATTEMPTS):
            try:
                found = key(make(Draw(draw.path, index, attempt)))
            except Reject:
                continue
            if found not in taken:
                taken.add(found)
                break
    if key(made) in taken:
        raise Reject("an earlier item of the state has the same options")
    return made
