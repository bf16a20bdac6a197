"""Base of the tasks that show three views of a pile and ask for what all such piles share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.spatial import height_maps
from facelet.generators.spatial.height_maps import Heights, Views
from facelet.generators.spatial.spatial_task import Shown, SpatialParams, WrittenTask

_EMPTY = 0.4
"""Share of places without a stack."""
_SKIPPED = 2 / 3
"""Share of views that are skipped where the least number is the one of the plain bound."""


@dataclass(frozen=True, slots=True)
class PileParams(SpatialParams):
    """The difficulty."""

    size: int = param(4, "rows, columns, and greatest height", low=3, high=5, axis="size")


@dataclass(frozen=True, slots=True)
class PileViews:
    """Three views of a pile, by the greatest pile that has them."""

    greatest: str = column("the greatest pile with the views, rows of heights", role="puzzle")
    cubes: int = column("how many cubes the pile should have; 0 for any", role="puzzle")
    modality: str = column("how the views are shown: picture or text")
    answer: str = column("a right answer", role="answer")


class PileTask(WrittenTask[PileParams, PileViews]):
    """A question about all piles with three views."""

    params: ClassVar[type[PileParams]] = PileParams
    instance: ClassVar[type[PileViews]] = PileViews

    def generate(self, params: PileParams, draw: Draw, resource: Any) -> tuple[PileViews]:
        """Return the views of a random pile that several numbers of cubes fit."""
        shape = (params.size, params.size)
        stacks = draw.rng.integers(1, params.size + 1, shape)
        heights = stacks * (draw.rng.random(shape) >= _EMPTY)
        pile: Heights = tuple(map(tuple, heights.tolist()))
        views = height_maps.see_pile(pile)
        greatest = height_maps.fill_views(views)
        least = height_maps.thin_views(views)
        low, high = map(height_maps.count_cubes, (least, greatest))
        if high - low < 2 or 0 in (*views.front, *views.right):
            raise Reject("the views leave too little open")
        if low == height_maps.bound_least(views) and draw.rng.random() < _SKIPPED:
            raise Reject("all stacks that may be shared can be")
        cubes, answer = self._draw_goal(greatest, least, draw)
        return (PileViews(height_maps.format_pile(greatest), cubes, params.modality, answer),)

    @abstractmethod
    def _draw_goal(self, greatest: Heights, least: Heights, draw: Draw) -> tuple[int, str]:
        """Return how many cubes are asked for, 0 for any, and a right answer."""

    def describe_puzzle(self, instance: PileViews) -> Shown:
        """Return the rules and the views."""
        views = self._read_views(instance)
        rules = height_maps.describe_rules(len(views.front))
        if instance.modality == "text":
            return (f"{rules}\n\n{height_maps.format_views(views)}",)
        return (height_maps.draw_views(views), rules)

    def _read_views(self, instance: PileViews) -> Views:
        return height_maps.see_pile(height_maps.parse_pile(instance.greatest))

    def list_picture_faults(self, instance: PileViews) -> list[str]:
        """Return whether the row's pile is not the greatest: the views show nothing else of it."""
        greatest = height_maps.fill_views(self._read_views(instance))
        wrong = height_maps.format_pile(greatest) != instance.greatest
        return ["the pile is not the greatest one with its views"] * wrong
