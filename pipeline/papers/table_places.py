"""Define layouts: which figure is in which cell of a paper's table, and its conditions.

A layout belongs to one table. Each of its lines gives the row of a scored model, a place for each
column; a place that is None is a figure that nothing here measures. Figures belong to parts: a task
with certain params. A config of any suite matches a part if it has the task and these params.
`conditions` are further params that the paper used, and `items` the number of items for each
difficulty: if a config has others, its row is shown but is not comparable, and the reasons are
given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from facelet.pipeline.scoring.render.results_schema import Cell as ScoredCell

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
class DerivedFigure:
    """A figure that follows from all cells of a part, in a way that the paper's own room knows.

    Attributes:
        part: name of the part.
        follows: from the part's cells to the figure; None where they do not tell.
    """

    part: str
    compute: Callable[[Sequence[ScoredCell]], float | None]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The part."""
        return (self.part,)


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """How much a derived figure is above that of another part, as tables of differences print it.

    Attributes:
        one: the figure.
        other: what it is compared with.
    """

    one: DerivedFigure
    other: DerivedFigure

    @property
    def part_names(self) -> tuple[str, ...]:
        """Both parts."""
        return (self.other.part, self.one.part)


LayoutCell = TableFigure | MeanFigure | DerivedFigure | FigureDifference


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
        difficulties: the difficulties behind a figure over all of them.
    """

    name: str
    task: str
    defining_params: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    items: int | None = None
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
    """Yield the figures behind cells, but for what is derived of all cells of a part."""
    for cell in cells:
        if isinstance(cell, TableFigure):
            yield cell
        elif isinstance(cell, MeanFigure):
            yield from cell.figures
