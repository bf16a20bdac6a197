"""Players of piles that use one view, or do not see which stacks serve both views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from facelet.generators.spatial import height_maps
from facelet.generators.spatial.height_maps import Views
from facelet.generators.spatial.tasks import views, views_map
from facelet.pipeline.spatial.answer_players import build_answer_player, build_letter_player


def _read_views(puzzle: Any) -> Views:
    return height_maps.see_pile(height_maps.parse_pile(puzzle.greatest))


def _use_front(puzzle: Any) -> tuple[int, int]:
    """Return the numbers of the piles with the views from above and from the front."""
    found = _read_views(puzzle)
    stacks = list(found.list_stacks())
    least = len(stacks) + sum(high - 1 for high in found.front)
    return least, sum(found.front[column] for _, column in stacks)


def _share_always(puzzle: Any) -> tuple[int, int]:
    """Return the least number as if columns and rows of one height always shared stacks."""
    found = _read_views(puzzle)
    return (
        height_maps.bound_least(found),
        height_maps.count_cubes(height_maps.fill_views(found)),
    )


def _build_least(puzzle: Any) -> tuple[tuple[int, ...]]:
    return (sum(height_maps.thin_views(_read_views(puzzle)), ()),)


def _compare_view(name: str) -> Callable[[Any], Sequence[float]]:
    """Return the function that rates the options by one of their views."""

    def rate_options(puzzle: Any) -> Sequence[float]:
        seen = [height_maps.see_pile(height_maps.parse_pile(pile)) for pile in puzzle.options]
        return [getattr(view, name) == getattr(puzzle, name) for view in seen]

    return rate_options


VIEWS = {
    "front": build_answer_player(views.TASK, "the views from above and the front", _use_front),
    "free_sharing": build_answer_player(
        views.TASK, "all views, as if stacks always served two", _share_always
    ),
}
VIEWS_MAP = {
    "least": build_answer_player(views_map.TASK, "the views, not the number", _build_least)
}
VIEWS_CHOICE = {
    name: build_letter_player(f"the view from the {name}", _compare_view(name))
    for name in ("front", "right")
}
