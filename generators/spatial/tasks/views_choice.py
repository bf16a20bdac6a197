"""Views, a choice: which of four piles looks like this from the front and from the right?

The options are a pile, the same with two rows swapped, with two columns swapped, and with both, so
they have equal stacks, and either view alone leaves two. Any of the four may be the right one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from facelet.generators.core.params import param
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.letter_placement import LETTERS, place_options
from facelet.generators.spatial import height_maps
from facelet.generators.spatial.spatial_task import ChoiceTask, Shown, SpatialParams


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    size: int = param(3, "rows, columns, and greatest height", low=3, high=4, axis="size")


@dataclass(frozen=True, slots=True)
class PileOptions:
    """Two views, and four piles, one of which has both."""

    front: tuple[int, ...] = column("heights seen from the front", type="list<int8>", role="puzzle")
    right: tuple[int, ...] = column("heights of the rows seen from the right", role="puzzle")
    options: tuple[str, ...] = column("the four piles, rows of heights", role="options")
    modality: str = column("how the piles are shown: picture or text")
    letter: str = column("the letter of the pile with both views", role="answer")


class ViewsChoice(ChoiceTask[Params, PileOptions]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/views_choice"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[PileOptions]] = PileOptions

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[PileOptions]:
        """Return a pile whose swapped rows and columns are told apart by the views."""
        pile = draw.rng.integers(1, params.size + 1, (params.size, params.size))
        rows, columns = (draw.rng.permutation(params.size) for _ in range(2))
        swapped = np.arange(params.size)
        rows, columns = (_swap_two(swapped, order[:2]) for order in (rows, columns))
        orbit = [pile, pile[rows], pile[:, columns], pile[rows][:, columns]]
        piles = [tuple(map(tuple, one.tolist())) for one in orbit]
        views = [height_maps.see_pile(one) for one in piles]
        if len(set(views)) < 4 or views[0].right == views[1].right:
            raise Reject("a swap leaves the views as they are")
        order = draw.rng.permutation(len(LETTERS)).tolist()
        right, *wrong = (height_maps.format_pile(piles[place]) for place in order)
        options, letter = place_options(right, wrong, draw)
        shown = views[order[0]]
        return (PileOptions(shown.front, shown.right, options, params.modality, letter),)

    def describe_puzzle(self, instance: PileOptions) -> Shown:
        """Return the views and the piles."""
        size = len(instance.front)
        above = ((True,) * size,) * size
        views = height_maps.Views(above, instance.front, instance.right)
        rules = f"{height_maps.describe_rules(size)} {_QUESTION}"
        named = dict(zip(LETTERS, instance.options, strict=True))
        if instance.modality == "text":
            lines = (f"{letter}: {pile.replace('/', ' / ')}" for letter, pile in named.items())
            return ("\n".join((f"{rules} {_TEXT}\n", height_maps.format_views(views), *lines)),)
        piles = {name: height_maps.parse_pile(pile) for name, pile in named.items()}
        return (
            height_maps.draw_views(views, plan=False),
            height_maps.draw_plans(piles),
            f"{rules} {_PICTURE}",
        )

    def list_right_letters(self, instance: PileOptions) -> str:
        """Return the letters of the piles with both views."""
        found = ""
        for letter, option in zip(LETTERS, instance.options, strict=True):
            views = height_maps.see_pile(height_maps.parse_pile(option))
            if (views.front, views.right) == (instance.front, instance.right):
                found += letter
        return found


def _swap_two(order: Any, places: Any) -> Any:
    found = order.copy()
    found[places] = order[places[::-1]]
    return found


_QUESTION = "Every place has a stack. Exactly one of the piles A to D has both views. Which one?"
_PICTURE = "The piles are seen from above; each number is the height of a stack."
_TEXT = "Heights of the piles are given row by row, the back row first."

TASK = ViewsChoice()
