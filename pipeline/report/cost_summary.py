"""Spending: the seconds, tokens and money that answers took, for the page of a suite.

Seconds and tokens are those that prediction records say, summed over the replies of a play; answers
that do not say them do not count. Money is tokens times prices, which the reader of a report gives:
no price is known here. These are means of what was spent, so they have no interval; the figures of
results.json, a config each, have one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc
from markupsafe import Markup

from facelet.pipeline.report import charts
from facelet.pipeline.report.drawing import svg
from facelet.pipeline.report.elements import PEOPLE, Figure, Table, names_of
from facelet.pipeline.report.figures import plain
from facelet.pipeline.report.runs import Scored, items_of
from facelet.pipeline.scoring.taking.intake import is_person
from facelet.pipeline.scoring.taking.spending import METRICS
from facelet.pipeline.scoring.telling import schema

MILLION = 1_000_000

COST = "cost"
"""What is counted from tokens by prices, beside METRICS."""

_COLUMNS = ("config", "split", "model", "sample_idx", "status")

SHOWN = {
    "seconds": "Seconds an answer",
    "prompt_tokens": "Tokens read an answer",
    "completion_tokens": "Tokens written an answer",
    COST: "Cost an answer",
}
"""What is measured, and how it is called."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in any currency.

    Attributes:
        read: of the prompt.
        written: of the reply.
    """

    read: float
    written: float


@dataclass(slots=True)
class Spent:
    """What the answers of one model to one suite took.

    Attributes:
        said: answers that say it, by what is measured.
        sums: the sum over these, by what is measured.
        right: right answers among those whose cost is known.
    """

    said: dict[str, int] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    right: int = 0

    def add(self, name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
        """Add the values of some answers; NaN for those that say none."""
        known = np.isfinite(values)
        if known.any():
            self.said[name] = self.said.get(name, 0) + int(known.sum())
            self.sums[name] = self.sums.get(name, 0.0) + float(values[known].sum())

    def mean(self, name: str) -> float | None:
        """Return the mean over the answers that say it; None where none does."""
        return self.sums[name] / self.said[name] if name in self.said else None


Suites = Mapping[tuple[str, str], Mapping[str, Spent]]
"""By suite and split, then by model."""


@dataclass(frozen=True, slots=True)
class SpendingView:
    """What a page shows of what a suite took.

    Attributes:
        charts: a chart of each measure that any model tells.
        table: all of them, and costs in all.
    """

    charts: Sequence[Figure]
    table: Table


def prices(given: Mapping[str, object], models: Sequence[str]) -> dict[str, Price]:
    """Return prices by model.

    Args:
        given: [price of a million prompt tokens, of a million reply tokens] by model.
        models: the models of the report.

    Raises:
        ValueError: a price is none, or no model has that name.
    """
    found = {}
    for model, value in given.items():
        if model not in models:
            known = ", ".join(plain(name) for name in models) or "none"
            raise ValueError(f"prices: no model is called {model!r}; the models are {known}")
        pair = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
        numbers = [
            float(one) for one in pair if isinstance(one, int | float) and not isinstance(one, bool)
        ]
        if len(numbers) != len(pair) or len(numbers) != 2 or not all(0 <= n < 1e9 for n in numbers):
            raise ValueError(
                f"prices: {value!r:.80} of {model!r} is no pair of numbers from 0 on; give "
                "[price of a million prompt tokens, price of a million reply tokens]"
            )
        found[model] = Price(*numbers)
    return found


def spent(scored: Scored, known: Mapping[str, Price]) -> Suites:
    """Return what answers took, suite by suite.

    Args:
        scored: the runs of a dataset.
        known: prices by model.

    Raises:
        ValueError: a table of a run cannot be read.
    """
    drawn = names_of(scored.results)
    found: dict[tuple[str, str], dict[str, Spent]] = {}
    for run in scored.runs:
        columns = {name: f"metric_{name}" for name in METRICS}
        table = items_of(run, _COLUMNS, list(columns.values()))
        if not set(columns.values()) & set(table.column_names):
            continue
        table = table.filter(pc.is_valid(table["sample_idx"]))
        nothing = np.full(len(table), np.nan)
        values = {
            name: table[column].to_numpy().astype(np.float64)
            if column in table.column_names
            else nothing
            for name, column in columns.items()
        }
        right = np.array(pc.equal(table["status"], "correct").to_pylist(), dtype=np.bool_)
        places: dict[tuple[str, str, str], list[int]] = {}
        keys = (table[name].to_pylist() for name in ("config", "split", "model"))
        for place, (config, split, model) in enumerate(zip(*keys, strict=True)):
            places.setdefault((config.partition(".")[0], split, model), []).append(place)
        for (suite, split, model), own in places.items():
            called = PEOPLE if is_person(model) and PEOPLE in drawn else model
            one = found.setdefault((suite, split), {}).setdefault(called, Spent())
            for name in METRICS:
                one.add(name, values[name][own])
            if (price := known.get(model)) is not None:
                read, written = values["prompt_tokens"][own], values["completion_tokens"][own]
                cost = (read * price.read + written * price.written) / MILLION
                one.add(COST, cost)
                one.right += int((right[own] & np.isfinite(cost)).sum())
    return found


def spending(results: schema.Results, suite: schema.Suite, known: Suites) -> SpendingView | None:
    """Return what a page shows of what a suite took; None where no answer says it.

    Args:
        results: the results.
        suite: the suite.
        known: what answers took.
    """
    own = known.get((suite["suite"], suite["split"]), {})
    names = [name for name in names_of(results) if name in own and own[name].said]
    if not names:
        return None
    every = [plain(name) for name in names_of(results)]
    figures = [*_figures(own, names, every)]
    return SpendingView(figures, _table(own, names))


def _figures(
    own: Mapping[str, Spent], names: Sequence[str], every: Sequence[str]
) -> Iterator[Figure]:
    """Yield a chart of each measure that any model tells."""
    for measure, title in SHOWN.items():
        means = {plain(name): own[name].mean(measure) for name in names}
        known = {name: mean for name, mean in means.items() if mean is not None}
        if known:
            rows = [{"series": name, "value": mean} for name, mean in known.items()]
            told = ", ".join(f"{name} {number(mean)}" for name, mean in known.items())
            yield Figure(svg(charts.amounts(rows, every), f"{title}: {told}"), title)


def number(value: float | None) -> str:
    """Return an amount with three digits or more; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _table(own: Mapping[str, Spent], names: Sequence[str]) -> Table:
    """Return the means of each model, and what all of its answers cost."""
    measures = [name for name in SHOWN if any(name in own[model].said for model in names)]
    head = ["model", "answers that say it", *(SHOWN[name].lower() for name in measures)]
    if COST in measures:
        head += ["cost in all", "cost a right answer"]
    rows: list[list[Markup | str]] = []
    for model in names:
        one = own[model]
        row: list[Markup | str] = [plain(model), f"{max(one.said.values()):,}"]
        row += [number(one.mean(name)) for name in measures]
        if COST in measures:
            cost = one.sums.get(COST)
            row += [number(cost), number(cost / one.right if cost and one.right else None)]
        rows.append(row)
    return Table("Means over the answers whose records say what they took", head, rows)
