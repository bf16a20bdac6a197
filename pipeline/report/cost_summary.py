"""Sum the seconds, tokens and money that answers took, for the page of a suite.

Seconds and tokens come from prediction records, summed over the replies of a play; answers without
them do not count. Money is tokens times the prices that the reader of a report gives: no price is
built in. These means have no interval; the figures of results.json, by config, have one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc
from markupsafe import Markup

from facelet.pipeline.report import charts
from facelet.pipeline.report.chart_renderer import render_svg
from facelet.pipeline.report.page_elements import PEOPLE, PageFigure, PageTable, list_series_names
from facelet.pipeline.report.score_runs import ScoredDataset, read_items_table
from facelet.pipeline.scoring.ingest.prediction_reader import is_person
from facelet.pipeline.scoring.ingest.token_usage import METRICS
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import printable_text

MILLION = 1_000_000

COST = "cost"
"""What is counted from tokens by prices, beside METRICS."""

_COLUMNS = ("config", "split", "model", "sample_idx", "status")

MEASURE_LABELS = {
    "seconds": "Seconds for an answer",
    "prompt_tokens": "Prompt tokens for an answer",
    "completion_tokens": "Reply tokens for an answer",
    COST: "Cost of an answer",
}
"""What is measured, and how it is called."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a million tokens cost, in any currency.

    Attributes:
        read: of the prompt.
        written: of the reply.
    """

    read: float
    written: float


@dataclass(slots=True)
class SpendingSums:
    """What the answers of one model to one suite took.

    Attributes:
        said: answers that say it, by what is measured.
        sums: the sum over these, by what is measured.
        right: right answers among those whose cost is known.
    """

    answer_counts: dict[str, int] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    right: int = 0

    def add_values(self, name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
        """Add the values of some answers; NaN for those that say none."""
        known = np.isfinite(values)
        if known.any():
            self.answer_counts[name] = self.answer_counts.get(name, 0) + int(known.sum())
            self.sums[name] = self.sums.get(name, 0.0) + float(values[known].sum())

    def compute_mean(self, name: str) -> float | None:
        """Return the mean over the answers that say it; None where none does."""
        return self.sums[name] / self.answer_counts[name] if name in self.answer_counts else None


SuiteSpending = Mapping[tuple[str, str], Mapping[str, SpendingSums]]
"""By suite and split, then by model."""


@dataclass(frozen=True, slots=True)
class SpendingView:
    """What a page shows of what a suite took.

    Attributes:
        charts: a chart of each measure that any model tells.
        table: all of them, and costs in all.
    """

    charts: Sequence[PageFigure]
    table: PageTable


def parse_prices(given: Mapping[str, object], models: Sequence[str]) -> dict[str, TokenPrice]:
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
            known = ", ".join(printable_text(name) for name in models) or "none"
            raise ValueError(f"prices: no model is called {model!r}; the models are {known}")
        pair = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
        numbers = [
            float(one) for one in pair if isinstance(one, int | float) and not isinstance(one, bool)
        ]
        if len(numbers) != len(pair) or len(numbers) != 2 or not all(0 <= n < 1e9 for n in numbers):
            raise ValueError(
                f"prices: {value!r:.80} of {model!r} is not a pair of numbers of at least 0; give "
                "[price of a million prompt tokens, price of a million reply tokens]"
            )
        found[model] = TokenPrice(*numbers)
    return found


def sum_spending(scored: ScoredDataset, known: Mapping[str, TokenPrice]) -> SuiteSpending:
    """Return what answers took, suite by suite.

    Args:
        scored: the runs of a dataset.
        known: prices by model.

    Raises:
        ValueError: a table of a run cannot be read.
    """
    drawn = list_series_names(scored.results)
    found: dict[tuple[str, str], dict[str, SpendingSums]] = {}
    for run in scored.runs:
        columns = {name: f"metric_{name}" for name in METRICS}
        table = read_items_table(run, _COLUMNS, list(columns.values()))
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
            one = found.setdefault((suite, split), {}).setdefault(called, SpendingSums())
            for name in METRICS:
                one.add_values(name, values[name][own])
            if (price := known.get(model)) is not None:
                read, written = values["prompt_tokens"][own], values["completion_tokens"][own]
                cost = (read * price.read + written * price.written) / MILLION
                one.add_values(COST, cost)
                one.right += int((right[own] & np.isfinite(cost)).sum())
    return found


def build_spending_view(
    results: results_schema.Results, suite: results_schema.Suite, known: SuiteSpending
) -> SpendingView | None:
    """Return what a page shows of what a suite took; None where no answer says it.

    Args:
        results: the results.
        suite: the suite.
        known: what answers took.
    """
    own = known.get((suite["suite"], suite["split"]), {})
    names = [name for name in list_series_names(results) if name in own and own[name].answer_counts]
    if not names:
        return None
    every = [printable_text(name) for name in list_series_names(results)]
    figures = [*_iterate_charts(own, names, every)]
    return SpendingView(figures, _build_table(own, names))


def _iterate_charts(
    own: Mapping[str, SpendingSums], names: Sequence[str], every: Sequence[str]
) -> Iterator[PageFigure]:
    """Yield a chart of each measure that any model reports."""
    for measure, title in MEASURE_LABELS.items():
        means = {printable_text(name): own[name].compute_mean(measure) for name in names}
        known = {name: mean for name, mean in means.items() if mean is not None}
        if known:
            rows = [{"series": name, "value": mean} for name, mean in known.items()]
            amounts = ", ".join(f"{name} {format_amount(mean)}" for name, mean in known.items())
            yield PageFigure(
                render_svg(charts.amount_chart(rows, every), f"{title}: {amounts}"), title
            )


def format_amount(value: float | None) -> str:
    """Return an amount with three digits or more; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _build_table(own: Mapping[str, SpendingSums], names: Sequence[str]) -> PageTable:
    """Return the means of each model, and what all of its answers cost."""
    measures = [
        name for name in MEASURE_LABELS if any(name in own[model].answer_counts for model in names)
    ]
    head = ["model", "answers with costs", *(MEASURE_LABELS[name].lower() for name in measures)]
    if COST in measures:
        head += ["total cost", "cost of a right answer"]
    rows: list[list[Markup | str]] = []
    for model in names:
        one = own[model]
        row: list[Markup | str] = [printable_text(model), f"{max(one.answer_counts.values()):,}"]
        row += [format_amount(one.compute_mean(name)) for name in measures]
        if COST in measures:
            cost = one.sums.get(COST)
            row += [
                format_amount(cost),
                format_amount(cost / one.right if cost and one.right else None),
            ]
        rows.append(row)
    return PageTable("Means over the answers whose records contain costs", head, rows)
