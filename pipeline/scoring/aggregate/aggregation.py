"""Compute all figures of graded predictions: by model, by suite, and for pairs of models.

Each part first yields what to estimate, over which rows; then all of it is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from facelet.pipeline.scoring.aggregate.estimates import (
    EstimatedFigures,
    TestedDifference,
    by_family,
    estimate_figures,
    test_differences,
)
from facelet.pipeline.scoring.aggregate.figure_cells import (
    FigureCell,
    PooledCell,
    iterate_estimands,
    iterate_pooled,
)
from facelet.pipeline.scoring.aggregate.metric_registry import figure_tables
from facelet.pipeline.scoring.aggregate.model_comparison import (
    Comparison,
    Efficiency,
    LooksDifference,
    iterate_comparisons,
    iterate_efficiencies,
    iterate_look_differences,
    pair_models,
)
from facelet.pipeline.scoring.aggregate.standings import (
    PeopleFigures,
    SuiteStandings,
    group_rivals,
    iterate_accuracies,
    iterate_duels,
    iterate_people,
    rank_models,
)
from facelet.pipeline.scoring.grade.grader import GradedPredictions


@dataclass(frozen=True, slots=True)
class Aggregated:
    """All figures.

    Attributes:
        cells: those of each model on each split, cell by cell.
        pooled: those of each model over all tasks of a suite.
        looks: what changes of looks cost each model.
        comparisons: pairs of models on each split.
        efficiencies: which of two models needs less.
        standings: how the models stand to each other, suite by suite.
        people: the figures of all people together.
    """

    cells: tuple[EstimatedFigures[FigureCell], ...]
    pooled: tuple[EstimatedFigures[PooledCell], ...]
    looks: tuple[TestedDifference[LooksDifference], ...]
    comparisons: tuple[TestedDifference[Comparison], ...]
    efficiencies: tuple[EstimatedFigures[Efficiency], ...]
    standings: tuple[SuiteStandings, ...]
    people: tuple[EstimatedFigures[PeopleFigures], ...]


def aggregate(
    judged: GradedPredictions, resamples: int, wanted: Sequence[str] = (), threads: int = 1
) -> Aggregated:
    """Return all figures.

    Args:
        judged: what became of the predictions.
        resamples: number of bootstrap replicates.
        wanted: models to compare; none means all, if they are few.
        threads: most threads that estimate.

    Raises:
        ValueError: a model to compare has no predictions, or the dataset's labels do not fit a
            measure of their task.
    """
    chosen = pair_models(judged, wanted)
    # Nothing of these is counted before it is estimated, one table at a time.
    compared = iterate_comparisons(chain.from_iterable(chosen))
    looks = iterate_look_differences(judged.twins)
    cells = chain.from_iterable(
        iterate_estimands(one, figure_tables(one)) for one in judged.populations
    )
    pools = iterate_pooled(judged.populations)
    needed = chain.from_iterable(iterate_efficiencies(found) for found in chosen)
    models = group_rivals(judged.populations)
    shares, differences, crowds = (
        iterate_accuracies(models),
        iterate_duels(models),
        iterate_people(judged.populations),
    )
    by_cell = estimate_figures(cells, resamples, threads)
    by_pool = estimate_figures(pools, resamples, threads)
    by_need = estimate_figures(needed, resamples, threads)
    stand, together = (
        estimate_figures(shares, resamples, threads),
        estimate_figures(crowds, resamples, threads),
    )
    tests = (
        test_differences(looks, resamples, threads),
        test_differences(compared, resamples, threads),
    )
    duelled = test_differences(differences, resamples, threads)
    # A model's differences over all levels are one family of tests, those at levels another.
    by_looks = by_family(tests[0], lambda one: (one.model, one.difficulty is None))
    by_models = by_family(tests[1], lambda _: "all")
    by_suites = by_family(duelled, lambda about: about[0])
    return Aggregated(
        cells=by_cell,
        pooled=by_pool,
        looks=by_looks,
        comparisons=by_models,
        efficiencies=by_need,
        standings=tuple(rank_models(models, stand, by_suites)),
        people=together,
    )
