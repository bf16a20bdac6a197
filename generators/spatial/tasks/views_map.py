"""Views, built: any pile with these three views and so many cubes."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.seeding import Draw
from facelet.generators.spatial import height_maps
from facelet.generators.spatial.height_maps import Heights
from facelet.generators.spatial.pile_task import PileTask, PileViews
from facelet.generators.spatial.spatial_task import Arguments


class ViewsMap(PileTask):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/views_map"
    version: ClassVar[int] = 1
    form: ClassVar[CommandForm] = CommandForm("map", "My Map: {ints}")

    def _draw_goal(self, greatest: Heights, least: Heights, draw: Draw) -> tuple[int, str]:
        low, high = map(height_maps.count_cubes, (least, greatest))
        cubes = int(draw.rng.integers(low, high))
        spare, found = cubes - low, []
        for few, many in zip(sum(least, ()), sum(greatest, ()), strict=True):
            found.append(few + min(spare, many - few))
            spare -= found[-1] - few
        return cubes, ", ".join(map(str, found))

    def describe_reply(self, instance: PileViews) -> str:
        """Return the form of the answer."""
        size = len(self._read_views(instance).front)
        return (
            f"Find a pile with exactly these views and exactly {instance.cubes} cubes; any such "
            f"pile counts. Write its {size * size} heights, 0 for no stack, row by row from the "
            f"back and from left to right, in the last line as\n{self.form.show_form()}"
        )

    def simulate_answer(self, instance: PileViews, args: Arguments) -> str:
        """Return the views and the number of cubes of a pile."""
        (said,) = args
        size = len(self._read_views(instance).front)
        heights = [int(number) for number in said]  # type: ignore[union-attr]
        if len(heights) != size * size or not set(heights) <= set(range(size + 1)):
            raise ValueError(f"give {size * size} heights from 0 to {size}")
        pile = tuple(tuple(heights[start : start + size]) for start in range(0, size**2, size))
        return _describe_pile(pile, height_maps.count_cubes(pile))

    def describe_goal(self, instance: PileViews) -> str:
        """Return the views and the number of cubes."""
        return _describe_pile(height_maps.parse_pile(instance.greatest), instance.cubes)


def _describe_pile(pile: Heights, cubes: int) -> str:
    return f"{height_maps.format_views(height_maps.see_pile(pile))}\nCubes: {cubes}"


TASK = ViewsMap()
