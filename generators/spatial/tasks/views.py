"""Views: how few and how many cubes can a pile have that looks like this from three sides?"""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.seeding import Draw
from facelet.generators.spatial import height_maps
from facelet.generators.spatial.height_maps import Heights
from facelet.generators.spatial.pile_task import PileTask, PileViews
from facelet.generators.spatial.spatial_task import Arguments


class ViewsCount(PileTask):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/views"
    version: ClassVar[int] = 1
    form: ClassVar[CommandForm] = CommandForm(
        "counts", "My Counts: {int}, {int}", "My Counts: least, greatest"
    )

    def _draw_goal(self, greatest: Heights, least: Heights, draw: Draw) -> tuple[int, str]:
        return 0, ", ".join(str(height_maps.count_cubes(pile)) for pile in (least, greatest))

    def describe_reply(self, instance: PileViews) -> str:
        """Return the form of the answer."""
        return (
            "Several piles have exactly these views. What are the least and the greatest number of "
            f"cubes of such a pile? Write both in the last line as\n{self.form.show_form()}"
        )

    def simulate_answer(self, instance: PileViews, args: Arguments) -> str:
        """Return both numbers."""
        return ", ".join(map(str, args))

    def describe_goal(self, instance: PileViews) -> str:
        """Return the least and the greatest number."""
        views = self._read_views(instance)
        piles = (height_maps.thin_views(views), height_maps.fill_views(views))
        return ", ".join(str(height_maps.count_cubes(pile)) for pile in piles)


TASK = ViewsCount()
