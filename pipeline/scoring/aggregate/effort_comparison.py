"""Compare how much two models need on the rows that both solved.

The cost is the metric that the tasks declare as `cost`, such as the turns of a won game. With
several samples a row counts as solved if one is, and costs the mean over the solved ones. The
paper's Eff of A over B is `first_less`, the share of the rows that both solved in which A needs
less. The paper does not define ties, so they are given too, and both means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.pipeline.scoring.aggregate.figure_table import Estimand, FigureTable, Ratio
from facelet.pipeline.scoring.aggregate.model_comparison import Couple
from facelet.pipeline.scoring.aggregate.pooled_figures import iterate_classes, row_clusters
from facelet.pipeline.scoring.aggregate.statistics import RowClusters, safe_ratio
from facelet.pipeline.scoring.array_types import Bools, Floats
from facelet.pipeline.scoring.grade.population import Population

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
