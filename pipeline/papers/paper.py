"""Define papers: the record that a package exports as PAPER, and the layouts of its tables.

A layout belongs to one table. Each of its lines gives the row of a scored model, a cell for each
column; a cell that is None is a figure that nothing here measures. Figures belong to parts: a task
with certain params. A config of any suite matches a part if it has the task and these params.
`conditions` are further params that the paper used, and `items` the number of items for each
difficulty: if a config has others, its row is shown but is not comparable, and the reasons are
given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from facelet.pipeline.papers.reply_rules import ReplyRule

SUITE_ENDINGS = ("as_published", "", "variants", "methods")
"""How a paper's suites end, those first whose configs are taken where several fit as well."""


@dataclass(frozen=True, slots=True)
class TableFigure:
    """A figure of a report.

    Attributes:
        part: name of the part.
        figure: name of the figure.
        difficulty: the place on the config's axis; None for all of them together.
        by: values of the columns that the report is split by.
    """

    part: str
    figure: str
    difficulty: int | None = None
    split_values: Mapping[str, object] = field(default_factory=dict)

    @property
    def part_names(self) -> tuple[str, ...]:
        """The part."""
        return (self.part,)


@dataclass(frozen=True, slots=True)
class MeanFigure:
    """The mean of figures of several parts, each counted once.

    Attributes:
        places: the figures.
    """

    figures: tuple[TableFigure, ...]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts, each once."""
        return tuple(dict.fromkeys(place.part for place in self.figures))


@dataclass(frozen=True, slots=True)
class LadderFigure:
    """The mean R of climbs through a part, or R expected from the accuracies at its levels.

    Attributes:
        part: name of the part.
        samples: samples of a question of which the majority decides; 1: the first one counts.
    """

    part: str
    samples: int = 1

    @property
    def part_names(self) -> tuple[str, ...]:
        """The part."""
        return (self.part,)


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """How much the R of a part is above that of another, as tables of differences print it.

    Attributes:
        one: the figure.
        other: what it is compared with.
    """

    one: LadderFigure
    other: LadderFigure

    @property
    def part_names(self) -> tuple[str, ...]:
        """Both parts."""
        return (self.other.part, self.one.part)


@dataclass(frozen=True, slots=True)
class IntervalFigure:
    """An end of the 95% interval of a figure, or half its width.

    Attributes:
        figure: the figure.
        measure: what of the interval.
    """

    figure: TableFigure | MeanFigure
    measure: Literal["low", "high", "half width"]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of the figure."""
        return self.figure.part_names


LayoutCell = TableFigure | MeanFigure | LadderFigure | FigureDifference | IntervalFigure


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """The row that a model gets.

    Attributes:
        places: one a column of the table.
        setting: conditions of this row, in the table's own terms.
    """

    figures: tuple[LayoutCell | None, ...]
    setting: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PaperPart:
    """Items whose figures stand in a table: a task under some params.

    Attributes:
        name: what places and reasons call it; the name of its config in the paper's own suites.
        task: name of the task.
        told: params that make it this part and no other.
        conditions: further params that the paper used; what it leaves open is not named.
        items: number of items a difficulty in the paper; None where it does not say.
        totals: number of "items" (maps, states) and of "rows" of all difficulties in the paper.
        difficulties: the difficulties behind a figure over all of them.
    """

    name: str
    task: str
    defining_params: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    items: int | None = None
    totals: Mapping[str, int] = field(default_factory=dict)
    difficulties: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Our rows of one table.

    Attributes:
        number: number of the table.
        lines: the rows that a model gets.
        parts: what their figures are of, in the order in which places first name them.
        axis: what difficulties are called.
        remark: what differs even so, in words; "" if nothing.
    """

    number: str
    lines: tuple[LayoutRow, ...]
    parts: tuple[PaperPart, ...]
    axis: str = "depths"
    remark: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if places and parts do not name the same, in the same order."""
        cells = (cell for line in self.lines for cell in line.figures if cell is not None)
        named = tuple(dict.fromkeys(part for cell in cells for part in cell.part_names))
        if named != (parts := tuple(part.name for part in self.parts)):
            raise ValueError(f"table {self.number}: places name {named}, and the parts are {parts}")


def iterate_plain_figures(cells: Iterable[LayoutCell | None]) -> Iterator[TableFigure]:
    """Yield the figures behind cells, but for R, which all levels of a part give."""
    for cell in cells:
        if isinstance(cell, TableFigure):
            yield cell
        elif isinstance(cell, IntervalFigure):
            yield from iterate_plain_figures((cell.figure,))
        elif isinstance(cell, MeanFigure):
            yield from cell.figures


@dataclass(frozen=True, slots=True)
class PaperSource:
    """What a paper is, for citations.

    Attributes:
        name: what it is called for short.
        title: of the paper.
        authors: of it, with commas; "and others" at the end for more.
        state: what else is known of it, such as "under review"; "" for nothing.
        people: what it says of how people do, in a sentence; "" if it measured none.
    """

    name: str
    title: str
    authors: str
    state: str = ""
    people: str = ""

    @property
    def byline(self) -> str:
        """Its authors and state, in words."""
        return ", ".join(filter(None, (self.authors, self.state)))


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Attributes:
        name: name of its folder.
        source: how it is cited, and what its deviations stand under.
        tasks: how the names of its tasks begin; of several papers the longest beginning decides.
        suites: names of its suites, which further ones begin with, and a "_"; by default its own.
        layouts: our rows of its tables; the tables themselves stand in `tables.json` of its folder.
        reply_rules: how it parses replies, by what a task asks for (`Task.reply_form`).
        place: where it stands in lists of papers; those of one place stand by name.
        left_out: by table or figure that rests on model play and has no layout, the reason in a
            sentence.
        items: name of the form of its authors' own item files, which the module `items` of its
            folder reads (`facelet import`); "" for none.
    """

    name: str
    source: PaperSource
    tasks: tuple[str, ...]
    suites: tuple[str, ...] = ()
    layouts: tuple[TableLayout, ...] = ()
    reply_rules: Mapping[str, ReplyRule] = field(default_factory=dict)
    sort_order: int = 100
    left_out: Mapping[str, str] = field(default_factory=dict)
    items: str = ""

    def suite_ending(self, suite: str) -> str | None:
        """Return how a suite's name goes on behind the paper's; None if it is no suite of it."""
        found = [name for name in self.suites or (self.name,) if f"{suite}_".startswith(f"{name}_")]
        return suite[len(max(found, key=len)) :].removeprefix("_") if found else None
