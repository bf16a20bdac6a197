"""Read folders that `facelet score` wrote, and join those of one dataset into one report.

If several runs are of one dataset, their models appear side by side. Their standings are computed
again from items.parquet, whose rows of one base puzzle (`group`) are one cluster.

The seconds, tokens and money of answers are summed for the page of a suite. Seconds and tokens come
from prediction records, summed over the replies of a play; answers without them do not count. Money
is tokens times the prices that the reader of a report gives: no price is built in. These means have
no interval; the figures of results.json, by config, have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from markupsafe import Markup

from facelet.pipeline.dataset.manifest_file import MANIFEST, Manifest, read_manifest
from facelet.pipeline.report.charts import amount_chart, render_svg
from facelet.pipeline.report.page_elements import PEOPLE, PageFigure, PageTable, list_series_names
from facelet.pipeline.scoring.aggregate.standings import (
    ConfigAnswers,
    SuiteStandings,
    build_standings,
    find_leaks,
)
from facelet.pipeline.scoring.array_types import rank_texts
from facelet.pipeline.scoring.grade.arrival_shares import Shares
from facelet.pipeline.scoring.grade.dispositions import RecordLedger
from facelet.pipeline.scoring.ingest.prediction_reader import is_person
from facelet.pipeline.scoring.ingest.token_usage import METRICS
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.results_json import record_ledger
from facelet.pipeline.scoring.render.results_reader import read_results
from facelet.pipeline.scoring.render.suite_results import Stated, describe_suite
from facelet.pipeline.scoring.render.text_tables import iterate_splits, printable_text

ITEMS, REPLIES = "items.parquet", "replies.parquet"
"""Files of a run."""

_COLUMNS = ("id", "config", "split", "model", "sample_idx", "status", "gold", "group")


@dataclass(frozen=True, slots=True)
class ScoreRun:
    """A run of `facelet score`.

    Attributes:
        folder: its folder.
        results: the content of results.json.
        names: what its models are called in the report, by their names in the run.
    """

    folder: Path
    results: results_schema.Results
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ScoredDataset:
    """Everything that was scored on one dataset.

    Attributes:
        runs: the runs.
        results: their results as if they were one run's.
        folder: the dataset's folder; None where it is not at hand.
        about: its manifest; None where it is not at hand.
    """

    runs: tuple[ScoreRun, ...]
    results: results_schema.Results
    folder: Path | None
    about: Manifest | None


def read_runs(folders: Sequence[Path], datasets: Sequence[Path] = ()) -> list[ScoredDataset]:
    """Return what was scored, a dataset each, in the order in which they are named.

    Args:
        folders: folders of runs.
        datasets: dataset folders, to show prompts and pictures from. A run that stands in
            <dataset>.score finds its own.

    Raises:
        ValueError: a folder is no run of this version, or a dataset is none that was scored.
    """
    found = [(folder, read_results(folder)) for folder in dict.fromkeys(folders)]
    known = {_folder_hash(folder): folder for folder in datasets}
    groups: dict[str, list[tuple[Path, results_schema.Results]]] = {}
    for folder, results in found:
        key = results["dataset"]["content_hash"] or results["dataset"]["name"]
        groups.setdefault(key, []).append((folder, results))
    for content, folder in known.items():
        if content not in groups:
            raise ValueError(
                f"dataset={folder} was not scored: its content hash is {content}, and the "
                f"results are of {', '.join(sorted(groups)) or 'none'}"
            )
    return [_join_runs(content, runs, known) for content, runs in groups.items()]


def _join_runs(
    content: str, found: Sequence[tuple[Path, results_schema.Results]], known: Mapping[str, Path]
) -> ScoredDataset:
    """Return the runs of one dataset as one."""
    times: dict[str, int] = {}
    for _, results in found:
        for model in results["models"]:
            times[model["model"]] = times.get(model["model"], 0) + 1
    runs = tuple(
        ScoreRun(
            folder,
            results,
            {
                one["model"]: one["model"]
                if times[one["model"]] == 1
                else f"{one['model']} ({folder.name})"
                for one in results["models"]
            },
        )
        for folder, results in found
    )
    at = known.get(content) or next(
        filter(None, (_find_dataset_folder(run, content) for run in runs)), None
    )
    results = runs[0].results if len(runs) == 1 else _merge_results(runs)
    return ScoredDataset(runs, results, at, read_manifest(at) if at else None)


def _folder_hash(folder: Path) -> str:
    if not folder.is_dir():
        raise ValueError(f"no dataset folder {str(folder)!r}; name the one that was scored")
    return read_manifest(folder).content_hash


def _find_dataset_folder(run: ScoreRun, content: str) -> Path | None:
    """Return the dataset whose folder's name a run's folder has, if it is the one scored."""
    for place in (run.folder, run.folder.absolute().parent):
        if place.name.endswith(".score"):
            folder = place.with_name(place.name.removesuffix(".score"))
            if (folder / MANIFEST).is_file() and read_manifest(folder).content_hash == content:
                return folder
    return None


def read_items_table(
    run: ScoreRun, columns: Iterable[str] | None = _COLUMNS, where_told: Iterable[str] = ()
) -> pa.Table:
    """Return items.parquet of a run, its models under the names of the report.

    Args:
        run: the run.
        columns: the columns to read; None for all.
        where_told: more columns, which are read where they are there.

    Raises:
        ValueError: it is not there, or no table that `facelet score` wrote.
    """
    wanted = None if columns is None else [*columns, *where_told]
    return _read_table(run, ITEMS, wanted, frozenset(where_told))


def read_replies_table(run: ScoreRun) -> pa.Table | None:
    """Return replies.parquet of a run; None where there is none."""
    if not (run.folder / REPLIES).is_file():
        return None
    return _read_table(run, REPLIES, ["id", "model", "sample_idx", "replies"])


def _read_table(
    run: ScoreRun, name: str, columns: Sequence[str] | None, may_lack: frozenset[str] = frozenset()
) -> pa.Table:
    path = run.folder / name
    try:
        if columns is not None and may_lack:
            there = set(pq.read_schema(path).names)
            columns = [one for one in columns if one in there or one not in may_lack]
        table = pq.read_table(path, columns=columns, partitioning=None)
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{path} cannot be read: {reason}; score the predictions again") from None
    names = table.column("model").to_pylist()
    renamed = pa.array([run.names.get(one, one) for one in names], pa.string())
    return table.set_column(table.schema.get_field_index("model"), "model", renamed)


def _merge_results(runs: Sequence[ScoreRun]) -> results_schema.Results:
    """Return the results of several runs of one dataset as one."""
    first = runs[0].results
    models: list[results_schema.Model] = [
        {**one, "model": run.names[one["model"]]} for run in runs for one in run.results["models"]
    ]
    stated: dict[str, dict[str, Stated]] = {}
    shares: dict[tuple[str, str, str], Shares] = {}
    for model in models:
        for config, split, report in iterate_splits(model):
            shares[model["model"], config, split] = Shares.of(report["counts"])
            floor = report.get("answer_floor", report["floor"])
            about = Stated(report["chance"], floor, report.get("leaks", False))
            stated.setdefault(split, {})[config] = about
    found = [
        describe_suite(one, stated[one.split])
        for one in _compute_standings(runs, first["options"]["resamples"], stated, shares)
    ]
    scored = {
        f"{config}/{split}"
        for one in models
        for config, c in one["configs"].items()
        for split in c["splits"]
    }
    return {
        **first,
        "ledger": record_ledger(
            RecordLedger.total([RecordLedger(**run.results["ledger"]) for run in runs])
        ),
        "inputs": [one for run in runs for one in run.results["inputs"]],
        "not_scored": [name for name in first["not_scored"] if name not in scored],
        "unavailable": [one for run in runs for one in run.results["unavailable"]],
        "suites": found,
        "people": [one for run in runs for one in run.results["people"]],
        "models": models,
        "comparisons": [
            {**one, "models": [run.names[name] for name in one["models"]]}
            for run in runs
            for one in run.results["comparisons"]
        ],
        "efficiencies": [
            {**one, "models": [run.names[name] for name in one["models"]]}
            for run in runs
            for one in run.results["efficiencies"]
        ],
    }


def _compute_standings(
    runs: Sequence[ScoreRun],
    resamples: int,
    stated: Mapping[str, Mapping[str, Stated]],
    shares: Mapping[tuple[str, str, str], Shares],
) -> list[SuiteStandings]:
    """Return the standings of all models of several runs, suite by suite.

    Args:
        runs: the runs.
        resamples: number of bootstrap replicates.
        stated: what is stated of each config, by split.
        shares: what of each model, config and split arrived and was readable.
    """
    skipped = find_leaks(
        ((config.partition(".")[0], split), config, one.leaks)
        for split, own in stated.items()
        for config, one in own.items()
    )
    tables = [read_items_table(run) for run in runs]
    table = pa.concat_tables(tables)
    graded = pc.and_(pc.is_valid(table["gold"]), pc.not_equal(table["gold"], ""))
    duplicate = pc.equal(table["status"], "duplicate")
    table = table.filter(pc.and_(graded, pc.invert(duplicate)))
    frame = pa.table(
        {
            "id": table["id"],
            "group": table["group"],
            "config": table["config"],
            "split": table["split"],
            "model": table["model"],
            "right": pc.cast(pc.equal(table["status"], "correct"), pa.float64()),
        }
    )
    rows = frame.group_by(["model", "config", "split", "id", "group"], use_threads=False).aggregate(
        [("right", "sum"), ("right", "count")]
    )
    suites: dict[tuple[str, str], dict[str, list[ConfigAnswers]]] = {}
    by_part: dict[tuple[str, str, str], list[int]] = {}
    columns = {name: rows[name].to_pylist() for name in rows.column_names}
    places = zip(columns["model"], columns["config"], columns["split"], strict=True)
    for place, key in enumerate(places):
        by_part.setdefault(key, []).append(place)
    for (model, config, split), chosen in by_part.items():
        # Samples that are not there are wrong: each row has as many as the row with the most.
        samples = max(columns["right_count"][place] for place in chosen)
        suite = config.partition(".")[0]
        if is_person(model) or config in skipped[suite, split]:
            continue
        suites.setdefault((suite, split), {}).setdefault(model, []).append(
            ConfigAnswers(
                config,
                pa.array([columns["id"][place] for place in chosen]),
                *rank_texts(pa.array([columns["group"][place] for place in chosen])),
                np.array([columns["right_sum"][place] for place in chosen]) / samples,
                shares[model, config, split],
            )
        )
    return [
        build_standings(name, by_model, resamples, skipped[name])
        for name, by_model in sorted(suites.items())
    ]


MILLION = 1_000_000

COST = "cost"
"""What is counted from tokens by prices, beside METRICS."""

_COST_COLUMNS = ("config", "split", "model", "sample_idx", "status")

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
        table = read_items_table(run, _COST_COLUMNS, list(columns.values()))
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
            yield PageFigure(render_svg(amount_chart(rows, every), f"{title}: {amounts}"), title)


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
