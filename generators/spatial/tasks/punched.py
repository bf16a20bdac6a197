"""Punched: where are the holes of a sheet that was folded, punched and unfolded?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.spatial import paper, paper_panels
from facelet.generators.spatial.spatial_task import Arguments, Shown, SpatialParams, WrittenTask


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    folds: int = param(3, "folds of the sheet", low=2, high=4, axis="folds", tried=(2, 4))


@dataclass(frozen=True, slots=True)
class PunchedSheet:
    """A folded and punched sheet."""

    creases: tuple[str, ...] = column("the folds, each as two squares a-b", role="puzzle")
    punch: int = column("the square that is punched", type="int8", role="puzzle")
    modality: str = column("how the folds are shown: picture or text")
    answer: str = column("the squares with a hole, ascending", role="answer")


class Punched(WrittenTask[Params, PunchedSheet]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/punched"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[PunchedSheet]] = PunchedSheet
    form: ClassVar[CommandForm] = CommandForm("holes", "My Holes: {ints}")

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[PunchedSheet]:
        """Return folds and a punch; each fold has moved some of the holes."""
        creases, pairs = paper.list_creases(), paper.list_pairs()
        pair, shown = pairs[draw.unique_number("pair", len(pairs))]
        folds, sheets = [*pair], [*shown]
        for place in draw.rng.integers(len(creases), size=24 * (params.folds - 2)).tolist():
            if len(folds) < params.folds:
                with suppress(ValueError):
                    sheets.append(paper.fold_sheet(sheets[-1], creases[place][0]))
                    folds.append(creases[place][1])
        moved = [
            {
                number
                for number, places in enumerate(zip(one.places, other.places, strict=True), 1)
                if places[0] != places[1]
            }
            for one, other in pairwise(sheets)
        ]
        patterns = [
            (holes, punch)
            for holes, punch in sorted(paper.list_patterns(sheets[-1]).items())
            if not any(numbers.isdisjoint(holes) for numbers in moved)
        ]
        if len(folds) < params.folds or not patterns:
            raise Reject("no punch needs every fold")
        holes, punch = patterns[int(draw.rng.integers(len(patterns)))]
        answer = ", ".join(map(str, holes))
        return (PunchedSheet(paper.format_folds(folds), punch, params.modality, answer),)

    def describe_puzzle(self, instance: PunchedSheet) -> Shown:
        """Return the folds and the punch."""
        if instance.modality == "text":
            lines = paper_panels.list_steps(instance.creases, instance.punch)
            rules = paper_panels.RULES + paper_panels.FOLDS + paper_panels.PUNCH
            return ("\n".join((rules + "\n", *lines)),)
        folds = paper.parse_folds(instance.creases)
        steps = paper_panels.draw_folds(folds)
        punched = paper_panels.draw_punch(steps[-1], instance.punch)
        panels = (paper_panels.draw_holes((), numbered=True), *steps, punched)
        names = [f"Fold {number}" for number in range(1, len(folds) + 1)]
        rules = paper_panels.RULES + paper_panels.PICTURES + paper_panels.PUNCH
        return (paper_panels.build_sheet(panels, ("Sheet", *names, "Punch")), rules)

    def describe_reply(self, instance: PunchedSheet) -> str:
        """Return the form of the answer."""
        return (
            "Which squares of the open sheet have a hole? Write all their numbers in the last line "
            f"as\n{self.form.show_form()}"
        )

    def simulate_answer(self, instance: PunchedSheet, args: Arguments) -> str:
        """Return the squares in order."""
        (said,) = args
        assert isinstance(said, tuple)
        return ", ".join(map(str, sorted(set(map(int, said)))))

    def describe_goal(self, instance: PunchedSheet) -> str:
        """Return the squares with a hole."""
        sheet = paper.fold_in_order(paper.parse_folds(instance.creases))
        return ", ".join(map(str, paper.punch_sheet(sheet, instance.punch)))

    def list_picture_faults(self, instance: PunchedSheet) -> list[str]:
        """Return which pictures of folds fit another fold of the same sheet."""
        return paper_panels.list_fold_faults(paper.parse_folds(instance.creases))


TASK = Punched()
