"""Count: all figures of what was judged, by model, and of pairs of models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from facelet.pipeline.scoring.counting.cells import SplitFigures, split_figures
from facelet.pipeline.scoring.counting.comparing import Comparison, Paired, compare, pairs
from facelet.pipeline.scoring.counting.efficiency import Couple, Efficiency, efficiencies
from facelet.pipeline.scoring.counting.holm import corrected
from facelet.pipeline.scoring.counting.invariance import LooksDifference, invariance
from facelet.pipeline.scoring.counting.pooling import PooledFigures, pooled
from facelet.pipeline.scoring.counting.standings import Standings, standings
from facelet.pipeline.scoring.judging.judge import Judged
from facelet.pipeline.scoring.judging.population import Missing


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """The figures of one model.

    Attributes:
        model: its name.
        splits: its figures on each split, in the order of the dataset.
        pooled: its figures over all tasks of a suite.
        looks: what changes of looks cost it.
    """

    model: str
    splits: tuple[SplitFigures, ...]
    pooled: tuple[PooledFigures, ...]
    looks: tuple[LooksDifference, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """All figures.

    Attributes:
        models: those of each model, in the order in which they came.
        comparisons: pairs of models on each split.
        efficiencies: which of two models needs less.
        standings: how the models stand to each other, suite by suite.
    """

    models: tuple[ModelFigures, ...]
    comparisons: tuple[Comparison, ...]
    efficiencies: tuple[Efficiency, ...]
    standings: tuple[Standings, ...]


def count(
    judged: Judged, resamples: int, missing: Missing = "wrong", wanted: Sequence[str] = ()
) -> Counted:
    """Return all figures.

    Args:
        judged: what became of the predictions.
        resamples: number of bootstrap replicates.
        missing: whether rows without any prediction count as wrong, or are left out.
        wanted: models to compare; none means all, if they are few.

    Raises:
        ValueError: a model to compare has no predictions, or the dataset's labels do not fit a
            measure of their task.
    """
    chosen = pairs(judged.models, wanted)
    couples = [tuple(_couples(judged, first, second)) for first, second in chosen]
    compared = [compare(*couple, resamples, missing) for found in couples for couple in found]
    tests = corrected([one.found for one in compared])
    return Counted(
        tuple(_model(judged, name, resamples, missing) for name in judged.models),
        tuple(replace(one, found=test) for one, test in zip(compared, tests, strict=True)),
        tuple(part for found in couples for part in efficiencies(found, resamples)),
        tuple(standings(judged.populations, resamples, missing)),
    )


def _model(judged: Judged, name: str, resamples: int, missing: Missing) -> ModelFigures:
    own = [population for population in judged.populations if population.model == name]
    return ModelFigures(
        name,
        tuple(split_figures(population, resamples, missing) for population in own),
        tuple(pooled(own, resamples, missing)),
        tuple(_corrected(list(invariance(own, judged.dataset.manifest, resamples, missing)))),
    )


def _corrected(found: Sequence[LooksDifference]) -> Iterator[LooksDifference]:
    """Yield a model's differences with corrected p-values: those over all levels are a family."""
    whole = [place for place, one in enumerate(found) if one.difficulty is None]
    parts = [place for place, one in enumerate(found) if one.difficulty is not None]
    tests: dict[int, Paired] = {}
    for family in (whole, parts):
        fixed = corrected([found[place].found for place in family])
        tests |= dict(zip(family, fixed, strict=True))
    yield from (replace(one, found=tests[place]) for place, one in enumerate(found))


def _couples(judged: Judged, first: str, second: str) -> Iterator[Couple]:
    """Yield the populations of two models on each split that both have."""
    found = {(one.model, one.part.name): one for one in judged.populations}
    for part in judged.dataset.parts:
        if (first, part.name) in found and (second, part.name) in found:
            yield found[first, part.name], found[second, part.name]
