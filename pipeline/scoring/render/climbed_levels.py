"""Climb a model's ladders for the papers' tables of R (facelet.pipeline.papers.paper_rows)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from facelet.pipeline.curriculum.ladder.climb import RUNS
from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    build_ladder,
    build_rungs,
    list_graded_rows,
)
from facelet.pipeline.papers.paper_rows import SPLIT, Climbed, Climber
from facelet.pipeline.scoring.aggregate.estimates import Estimate
from facelet.pipeline.scoring.grade.population import Population


def make_climber(populations: Iterable[Population]) -> Climber:
    """Return the function that climbs a config of a model, each once.

    Args:
        populations: all of one model.
    """
    known = {one.part.split_name[0]: one for one in populations if one.part.split_name[1] == SPLIT}

    @cache
    def climb(config: str, samples: int) -> Climbed | None:
        population = known[config]
        if samples not in (1, population.samples):
            return None
        try:
            rungs = build_rungs(population.part)
        except ValueError:  # a level has too few questions
            return None
        right = list_graded_rows(population, vote=samples > 1)
        ladder = build_ladder(rungs, population.model, right)
        mean = ladder.mean_reach("failed")
        if mean is None:
            return None
        count, top = len(ladder.climbs), rungs.levels[-1]
        reasons = []
        if count < RUNS:
            reasons.append(f"the mean is over {count} of the paper's {RUNS} climbs")
        if any(one.end == "top" for one in ladder.climbs):
            reasons.append(f"a climb passed the highest level, {top}, so R is a lower bound")
        estimate = Estimate(mean.value, mean.low, mean.high, "posterior", count)
        return Climbed(estimate, "; ".join(reasons))

    return climb
