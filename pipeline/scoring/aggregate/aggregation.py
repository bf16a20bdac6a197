"""Count: all figures of what was judged, by model, and of pairs of models.

First it is said what is to be estimated, of which rows; then all of it is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from facelet.pipeline.scoring.counting.cells import Cell, estimands
from facelet.pipeline.scoring.counting.comparing import (
    Comparison,
    LooksDifference,
    comparisons,
    couples,
    invariance,
)
from facelet.pipeline.scoring.counting.counters import figure_tables
from facelet.pipeline.scoring.counting.efficiency import Efficiency, efficiencies
from facelet.pipeline.scoring.counting.estimates import Figured, Tested, by_family, figured, tested
from facelet.pipeline.scoring.counting.pooling import PooledCell, pooled
from facelet.pipeline.scoring.counting.standings import (
    People,
    Standings,
    accuracies,
    duels,
    people,
    ranked,
    rivals,
)
from facelet.pipeline.scoring.judging.judge import Judged


@dataclass(frozen=True, slots=True)
class Counted:
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

    cells: tuple[Figured[Cell], ...]
    pooled: tuple[Figured[PooledCell], ...]
    looks: tuple[Tested[LooksDifference], ...]
    comparisons: tuple[Tested[Comparison], ...]
    efficiencies: tuple[Figured[Efficiency], ...]
    standings: tuple[Standings, ...]
    people: tuple[Figured[People], ...]


def count(judged: Judged, resamples: int, wanted: Sequence[str] = (), threads: int = 1) -> Counted:
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
    chosen = couples(judged, wanted)
    # Nothing of these is counted before it is estimated, one table at a time.
    compared = comparisons(chain.from_iterable(chosen))
    looks = invariance(judged.twins)
    cells = chain.from_iterable(estimands(one, figure_tables(one)) for one in judged.populations)
    pools = pooled(judged.populations)
    needed = chain.from_iterable(efficiencies(found) for found in chosen)
    models = rivals(judged.populations)
    shares, differences, crowds = accuracies(models), duels(models), people(judged.populations)
    by_cell = figured(cells, resamples, threads)
    by_pool = figured(pools, resamples, threads)
    by_need = figured(needed, resamples, threads)
    stand, together = figured(shares, resamples, threads), figured(crowds, resamples, threads)
    tests = tested(looks, resamples, threads), tested(compared, resamples, threads)
    duelled = tested(differences, resamples, threads)
    # A model's differences over all levels are one family of tests, those at levels another.
    by_looks = by_family(tests[0], lambda one: (one.model, one.difficulty is None))
    by_models = by_family(tests[1], lambda _: "all")
    by_suites = by_family(duelled, lambda about: about[0])
    return Counted(
        cells=by_cell,
        pooled=by_pool,
        looks=by_looks,
        comparisons=by_models,
        efficiencies=by_need,
        standings=tuple(ranked(models, stand, by_suites)),
        people=together,
    )
