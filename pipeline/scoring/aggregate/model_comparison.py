"""Compare two models, or two looks of the same puzzles, pair by pair: accuracy, and effort.

Comparisons are always paired; intervals are never compared with each other.

Effort is how much two models need on the rows that both solved. The cost is the metric that the
tasks declare as `cost`, such as the turns of a won game. With several samples a row counts as
solved if one is, and costs the mean over the solved ones. The paper's Eff of A over B is
`first_less`, the share of the rows that both solved in which A needs less. The paper does not
define ties, so they are given too, and both means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from facelet.pipeline.json_types import JSON
from facelet.pipeline.scoring.aggregate.figure_cells import iterate_classes, row_clusters
from facelet.pipeline.scoring.aggregate.figure_table import (
    Estimand,
    FigureTable,
    PairedEstimand,
    Ratio,
)
from facelet.pipeline.scoring.aggregate.statistics import RowClusters, safe_ratio
from facelet.pipeline.scoring.array_types import Bools, Floats
from facelet.pipeline.scoring.grade.grader import GradedPredictions
from facelet.pipeline.scoring.grade.paired_configs import PairedLooks
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.ingest.prediction_reader import is_person

Couple = tuple[Population, Population]
"""The populations of two models on the same split of a config."""

MAX_PAIRED = 5
"""Up to this many models are compared all with all; more need names, and so do people."""


def pair_models(judged: GradedPredictions, wanted: Sequence[str]) -> list[list[Couple]]:
    """Return the populations of each two models to compare, on each split that both have.

    Splits of which too little arrived are left out.

    Args:
        judged: what became of the predictions.
        wanted: the models that were asked for; none asks for all, if there are few.

    Raises:
        ValueError: a wanted model has no predictions, or only one is wanted.
    """
    found = {(one.model, one.part.split_name): one for one in judged.populations}
    names = [part.split_name for part in judged.dataset.parts]
    return [
        [
            (found[first, name], found[second, name])
            for name in names
            if all(
                (model, name) in found and found[model, name].shares.suffice
                for model in (first, second)
            )
        ]
        for first, second in _select_pairs(judged.models, wanted)
    ]


def _select_pairs(models: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of models to compare.

    Args:
        models: the models that have predictions.
        wanted: the models that were asked for; none asks for all, if there are few.

    Raises:
        ValueError: a wanted model has no predictions, or only one is wanted.
    """
    if not wanted:
        own = [name for name in models if not is_person(name)]
        return list(combinations(own, 2)) if len(own) <= MAX_PAIRED else []
    for name in wanted:
        if name not in models:
            raise ValueError(f"compare={name}: no predictions of it; there are {', '.join(models)}")
    if len(set(wanted)) < 2:
        raise ValueError("compare needs at least two different models, such as compare=a,b")
    return list(combinations(dict.fromkeys(wanted), 2))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two models on one split.

    Attributes:
        config: the config.
        split: the split.
        models: their names.
        items: number of rows that both were asked.
    """

    config: str
    split: str
    models: tuple[str, str]
    items: int


@dataclass(frozen=True, slots=True, eq=False)
class LooksDifference:
    """What a change of looks costs a model in one figure: `value` less `clean_value`.

    Attributes:
        model: name of the model.
        config: the config with other looks.
        clean: the config with the default ones.
        split: the split of both.
        looks: the params that differ, with their values in `config`.
        figure: the figure.
        difficulty: the difficulty of the items; None for all.
        items: number of pairs of rows.
        clean_value: mean of the figure over the clean rows; None without a row.
        value: mean of the figure over the others; None without a row.
    """

    model: str
    config: str
    clean: str
    split: str
    looks: Mapping[str, JSON]
    figure: str
    difficulty: int | None
    items: int
    clean_value: float | None
    value: float | None


def iterate_comparisons(chosen: Iterable[Couple]) -> Iterator[PairedEstimand[Comparison]]:
    """Yield the differences of the accuracies of two models, the first's less the second's.

    Args:
        chosen: the populations of two models on the same split.
    """
    for first, second in chosen:
        rows = np.flatnonzero(first.has_gold & first.counted & second.counted)
        shares = [one.correct_counts[rows] / one.samples for one in (first, second)]
        yield PairedEstimand(
            Comparison(
                *first.part.split_name,
                (first.model, second.model),
                len(rows),
            ),
            shares[0] - shares[1],
            first.row_cluster[rows],
            ("facelet-score", "compare", *first.part.split_name, first.model, second.model),
            first.samples == second.samples == 1,
        )


def iterate_look_differences(
    every: Iterable[PairedLooks],
) -> Iterator[PairedEstimand[LooksDifference]]:
    """Yield what changes of looks cost, figure by figure: over all difficulties, and at each.

    Args:
        every: the models and configs to compare with clean looks.
    """
    for twins in every:
        first, second = twins.clean, twins.changed
        difficulty, alone = second.row_difficulty[twins.rows], first.samples == second.samples == 1
        for figure, (before, after) in twins.shares.items():
            for level in (None, *np.unique(difficulty).tolist()):
                every_one = np.ones(len(twins.rows), dtype=bool)
                inside = np.flatnonzero(every_one if level is None else difficulty == level)
                name = (
                    first.part.split_name[0],
                    *second.part.split_name,
                    second.model,
                    figure,
                    level,
                )
                about = LooksDifference(
                    second.model,
                    second.part.split_name[0],
                    first.part.split_name[0],
                    second.part.split_name[1],
                    twins.looks,
                    figure,
                    level,
                    len(inside),
                    float(before[inside].mean()) if len(inside) else None,
                    float(after[inside].mean()) if len(inside) else None,
                )
                yield PairedEstimand(
                    about,
                    after[inside] - before[inside],
                    second.row_cluster[twins.rows[inside]],
                    ("facelet-score", "looks", *map(str, name)),
                    alone and figure == "accuracy",
                )


_FORMULAS = {
    "first_less": Ratio(0, 3),
    "second_less": Ratio(1, 3),
    "equal": Ratio(2, 3),
    "first_mean": Ratio(4, 3, share=False),
    "second_mean": Ratio(5, 3, share=False),
}


@dataclass(frozen=True, slots=True, eq=False)
class Efficiency:
    """Which of two models needs less.

    Attributes:
        suite: the suite.
        split: the split.
        by: the config or the class that it is about; nothing for the whole suite.
        metric: what is needed.
        models: their names.
        items: number of rows that both solved.
    """

    suite: str
    split: str
    by: Mapping[str, str]
    metric: str
    models: tuple[str, str]
    items: int


def iterate_efficiencies(couples: Sequence[Couple]) -> Iterator[Estimand[Efficiency]]:
    """Yield what is to be estimated of two models in each suite: over all, by class, by config.

    Args:
        couples: their populations by config; those without a cost are left out.
    """
    groups: dict[tuple[str, str, str], list[Couple]] = {}
    for couple in couples:
        part = couple[0].part
        if part.load_installed_task.cost:
            groups.setdefault((*couple[0].suite_split, part.load_installed_task.cost), []).append(
                couple
            )
    for (suite, split, metric), found in groups.items():
        costs = [
            np.concatenate([_mean_costs(couple[n], metric) for couple in found]) for n in (0, 1)
        ]
        both = np.isfinite(costs[0]) & np.isfinite(costs[1])
        table = _cost_table(suite, costs[0], costs[1])
        firsts = [first for first, _ in found]
        group = row_clusters(firsts)
        for by, mask in _iterate_cells(firsts):
            chosen = np.flatnonzero(both & mask)
            models = found[0][0].model, found[0][1].model
            about = Efficiency(suite, split, by, metric, models, len(chosen))
            own = RowClusters.from_groups(group[chosen])
            yield Estimand(about, table, chosen, own, ("efficiency", suite, split))


def _mean_costs(population: Population, metric: str) -> Floats:
    """Return the mean cost of each row's solved samples; NaN in rows without one."""
    values = population.metric_values(metric)
    solved = population.is_correct & np.isfinite(values)
    sums = population.per_row(np.where(solved, values, 0.0))
    return safe_ratio(sums, population.per_row(solved))


def _cost_table(suite: str, first: Floats, second: Floats) -> FigureTable:
    """Return the counts of each row; those of rows that not both solved are not to be used."""
    with np.errstate(invalid="ignore"):
        flags = (first < second, second < first, first == second)
    columns = np.column_stack((*flags, np.ones(len(first)), first, second)).astype(np.float64)
    return FigureTable(f"efficiency {suite}", (), np.arange(len(first)), columns, _FORMULAS)


def _iterate_cells(populations: Sequence[Population]) -> Iterator[tuple[dict[str, str], Bools]]:
    """Yield what each cell is about, and which rows are in it."""
    yield from iterate_classes(populations)
    sizes = [population.row_count for population in populations]
    place = np.repeat(np.arange(len(sizes)), sizes)
    yield from (
        ({"config": population.part.split_name[0]}, place == number)
        for number, population in enumerate(populations)
    )
