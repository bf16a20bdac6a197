"""The records of layouts: which figure stands in which cell of a paper's table, and how it was set.

A layout belongs to one table. Each of its lines gives the row that a scored model gets there, a
place a column; a place that is None is a figure that nothing here measures. `conditions` are the
params that the paper used, by config, and `items` the number of items a difficulty: where a dataset
has others, its row stands in the table but is no comparison, and the reasons are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SUITES = ("{paper}_as_published", "{paper}", "{paper}_variants")
"""Where a config is looked for, in this order."""


@dataclass(frozen=True, slots=True)
class Place:
    """A figure of a report.

    Attributes:
        config: name of the config in its suite.
        figure: name of the figure.
        difficulty: the place on the config's axis; None for all of them together.
        by: values of the columns that the report is split by.
    """

    config: str
    figure: str
    difficulty: int | None = None
    by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def configs(self) -> tuple[str, ...]:
        """The config."""
        return (self.config,)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of figures of several configs, each counted once.

    Attributes:
        places: the figures.
    """

    places: tuple[Place, ...]

    @property
    def configs(self) -> tuple[str, ...]:
        """The configs, each once."""
        return tuple(dict.fromkeys(place.config for place in self.places))


@dataclass(frozen=True, slots=True)
class Ladder:
    """R as the accuracies at all levels of a config lead one to expect it.

    Attributes:
        config: name of the config in its suite.
    """

    config: str

    @property
    def configs(self) -> tuple[str, ...]:
        """The config."""
        return (self.config,)


Cell = Place | Mean | Ladder


@dataclass(frozen=True, slots=True)
class Line:
    """The row that a model gets.

    Attributes:
        places: one a column of the table.
        setting: conditions of this row, in the table's own terms.
    """

    places: tuple[Cell | None, ...]
    setting: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """Our rows of one table.

    Attributes:
        paper: name of the paper, as its suites begin.
        number: number of the table.
        lines: the rows that a model gets.
        conditions: the paper's params, by config; params that it leaves open are not named.
        items: number of items a difficulty in the paper, by config.
        difficulties: the difficulties behind a figure over all of them, by config.
        axis: what difficulties are called.
        remark: what differs even so, in words; "" if nothing.
    """

    paper: str
    number: str
    lines: tuple[Line, ...]
    conditions: Mapping[str, Mapping[str, Any]]
    items: Mapping[str, int]
    difficulties: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    axis: str = "depths"
    remark: str = ""


def plain(cells: Iterable[Cell | None]) -> Iterator[Place]:
    """Yield the figures behind cells, R aside."""
    for cell in cells:
        if isinstance(cell, Place):
            yield cell
        elif isinstance(cell, Mean):
            yield from cell.places
