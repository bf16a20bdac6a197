"""Punched, a choice: which sheet comes out? The options are two first folds by two last folds.

All four lists of folds share the folds between and the square that is punched. Any of the four may
be the one that is shown, so the options alone reveal nothing, and either fold alone leaves two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.letter_placement import LETTERS, place_options
from facelet.generators.spatial import paper, paper_panels
from facelet.generators.spatial.paper import Fold, FoldedSheet
from facelet.generators.spatial.spatial_task import ChoiceTask, Shown, SpatialParams

_TRIES = 40


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    folds: int = param(2, "folds of the sheet", low=2, high=3, axis="folds", tried=(3,))


@dataclass(frozen=True, slots=True)
class PunchedOptions:
    """A folded and punched sheet, and four sheets with holes."""

    creases: tuple[str, ...] = column("the folds, each as two squares a-b", role="puzzle")
    punch: int = column("the square that is punched", type="int8", role="puzzle")
    options: tuple[str, ...] = column("the squares with a hole of each option", role="options")
    modality: str = column("how the sheets are shown: picture or text")
    letter: str = column("the letter of the sheet that comes out", role="answer")


class PunchedChoice(ChoiceTask[Params, PunchedOptions]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/punched_choice"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[PunchedOptions]] = PunchedOptions

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[PunchedOptions]:
        """Return two first and two last folds that give four different patterns."""
        for _ in range(_TRIES):
            lists = _draw_lists(params.folds, draw)
            ends = [paper.list_patterns(sheet) for _, sheet in lists]
            shared = sorted(set.intersection(*(set(patterns.values()) for patterns in ends)))
            by_punch = [{punch: holes for holes, punch in end.items()} for end in ends]
            punches = [p for p in shared if len({end[p] for end in by_punch}) == len(LETTERS)]
            if len(lists) == len(LETTERS) and punches:
                break
        else:
            raise Reject("no punch parts the four lists of folds")
        punch = punches[int(draw.rng.integers(len(punches)))]
        order = draw.rng.permutation(len(LETTERS)).tolist()
        right, *wrong = (", ".join(map(str, by_punch[place][punch])) for place in order)
        options, letter = place_options(right, wrong, draw)
        folds = paper.format_folds(lists[order[0]][0])
        return (PunchedOptions(folds, punch, options, params.modality, letter),)

    def describe_puzzle(self, instance: PunchedOptions) -> Shown:
        """Return the folds, the punch and the options."""
        options = dict(zip(LETTERS, instance.options, strict=True))
        if instance.modality == "text":
            lines = paper_panels.list_steps(instance.creases, instance.punch)
            lines += [f"{letter}: {holes}" for letter, holes in options.items()]
            rules = paper_panels.RULES + paper_panels.FOLDS + paper_panels.PUNCH
            return ("\n".join((f"{rules} {_QUESTION}\n", *lines)),)
        folds = paper.parse_folds(instance.creases)
        steps = paper_panels.draw_folds(folds)
        steps = (*steps, paper_panels.draw_punch(steps[-1], instance.punch))
        sheets = (paper_panels.draw_holes(_parse_holes(holes)) for holes in options.values())
        names = [f"Fold {number}" for number in range(1, len(folds) + 1)]
        rules = paper_panels.RULES + paper_panels.PICTURES + paper_panels.PUNCH
        return (
            paper_panels.build_sheet(steps, (*names, "Punch"), 4),
            paper_panels.build_sheet((*sheets,), (*options,), 4),
            f"{rules} {_QUESTION}",
        )

    def list_right_letters(self, instance: PunchedOptions) -> str:
        """Return the letters of the options with the holes of the unfolded sheet."""
        sheet = paper.fold_in_order(paper.parse_folds(instance.creases))
        holes = paper.punch_sheet(sheet, instance.punch)
        named = zip(LETTERS, instance.options, strict=True)
        return "".join(letter for letter, option in named if _parse_holes(option) == holes)

    def list_picture_faults(self, instance: PunchedOptions) -> list[str]:
        """Return which pictures of folds fit another fold of the same sheet."""
        return paper_panels.list_fold_faults(paper.parse_folds(instance.creases))


def _draw_lists(count: int, draw: Draw) -> list[tuple[list[Fold], FoldedSheet]]:
    """Return the lists of two first folds by two last folds, as far as they exist."""
    starts = [([fold], sheet) for fold, sheet in _draw_two(paper.list_folds(FoldedSheet()), draw)]
    for _ in range(count - 2):
        shared = _list_shared(starts)
        middle = shared[int(draw.rng.integers(len(shared)))] if shared else (1, 1)
        starts = [
            ([*folds, middle], paper.list_folds(sheet)[middle])
            for folds, sheet in starts
            if middle in paper.list_folds(sheet)
        ]
    ends = dict.fromkeys(_list_shared(starts)) if starts else {}
    lasts = [fold for fold, _ in _draw_two(ends, draw)]
    return [
        ([*folds, last], paper.list_folds(sheet)[last]) for folds, sheet in starts for last in lasts
    ]


def _list_shared(starts: list[tuple[list[Fold], FoldedSheet]]) -> list[Fold]:
    """Return the folds that all sheets allow."""
    return sorted(set.intersection(*(set(paper.list_folds(sheet)) for _, sheet in starts)))


def _draw_two(found: dict[Fold, Any], draw: Draw) -> list[tuple[Fold, Any]]:
    """Return two of some folds; fewer where there are not two."""
    items = sorted(found.items(), key=lambda item: item[0])
    return [items[place] for place in draw.rng.permutation(len(items))[:2]]


def _parse_holes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(", ")))


_QUESTION = "Exactly one of A to D shows the holes of the open sheet. Which one is it?"

TASK = PunchedChoice()
