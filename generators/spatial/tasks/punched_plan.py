"""Punched, planned: fold a sheet and punch it once so that it has the given holes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.spatial import paper, paper_panels
from facelet.generators.spatial.spatial_task import Arguments, Shown, SpatialParams, WrittenTask


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    folds: int = param(2, "fewest folds that make the holes", low=1, high=3, axis="folds")


@dataclass(frozen=True, slots=True)
class HolePattern:
    """A sheet with holes."""

    holes: tuple[int, ...] = column("the squares with a hole, ascending", role="puzzle")
    folds: int = column("fewest folds that make the holes", type="int8", role="puzzle")
    modality: str = column("how the holes are shown: picture or text")
    answer: str = column("folds that make the holes, and the punch", role="answer")


class PunchedPlan(WrittenTask[Params, HolePattern]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/punched_plan"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[HolePattern]] = HolePattern
    form: ClassVar[CommandForm] = CommandForm(
        "plan", "My Plan: {pairs}; punch {int}", "My Plan: a-b, a-b, ...; punch c"
    )

    def capacity(self, params: Params) -> int:
        """Return how many patterns need so many folds."""
        return len(_list_needing(params.folds))

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[HolePattern]:
        """Return a pattern that needs so many folds, each with the same chance."""
        patterns = _list_needing(params.folds)
        holes = patterns[draw.unique_number("pattern", len(patterns))]
        folds, punch = paper.list_fewest_folds()[holes]
        answer = f"{', '.join(paper.format_folds(folds))}; punch {punch}"
        return (HolePattern(holes, params.folds, params.modality, answer),)

    def describe_puzzle(self, instance: HolePattern) -> Shown:
        """Return the holes."""
        rules = f"{paper_panels.RULES}{paper_panels.FOLDS}{paper_panels.LEGAL}{paper_panels.PUNCH}"
        if instance.modality == "text":
            return (f"{rules}\n\nHoles: {', '.join(map(str, instance.holes))}",)
        panels = (
            paper_panels.draw_holes((), numbered=True),
            paper_panels.draw_holes(instance.holes),
        )
        return (paper_panels.build_sheet(panels, ("Sheet", "Holes"), 2), rules)

    def describe_reply(self, instance: HolePattern) -> str:
        """Return the form of the answer."""
        few = "one fold" if instance.folds == 1 else f"at most {instance.folds} folds"
        return (
            f"Make exactly these holes by {few} and one punch; any plan that does counts. Write "
            f"the folds in order and the square of the punch in the last line as\n"
            f"{self.form.show_form()}"
        )

    def simulate_answer(self, instance: HolePattern, args: Arguments) -> str:
        """Return the holes that a plan makes."""
        texts, punch = args
        assert isinstance(texts, tuple)
        if len(texts) > instance.folds:
            raise ValueError(f"there are {len(texts)} folds; use at most {instance.folds}")
        sheet = paper.fold_in_order(paper.parse_folds([str(text) for text in texts]))
        return ", ".join(map(str, paper.punch_sheet(sheet, int(str(punch)))))

    def describe_goal(self, instance: HolePattern) -> str:
        """Return the holes."""
        return ", ".join(map(str, instance.holes))

    def list_picture_faults(self, instance: HolePattern) -> list[str]:
        """Return whether fewer folds make the holes: the picture itself shows all of them."""
        fewest = len(paper.list_fewest_folds()[instance.holes][0])
        return [f"the holes need {fewest} folds"] * (fewest != instance.folds)


@lru_cache(maxsize=4)
def _list_needing(folds: int) -> list[tuple[int, ...]]:
    """Return the patterns that need so many folds."""
    found = paper.list_fewest_folds()
    return sorted(pattern for pattern, (made, _) in found.items() if len(made) == folds)


TASK = PunchedPlan()
