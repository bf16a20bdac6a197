"""Invariance: what a change of looks costs a model, puzzle by puzzle.

Two configs of a dataset are compared where their task, version and params are the same but for the
params that say how a puzzle is shown (`Param.look`), and those are at their defaults in one of the
two, the clean one. Rows are paired by what stands behind the config's name in their ids, and only
where both have the same base puzzle. So a difference is due to the looks alone, and its interval is
that of a paired sample: a cluster bootstrap by base puzzle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass

import numpy as np

from facelet.generators.core.measures import Looks
from facelet.generators.core.params import described
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.families import AnyTask
from facelet.pipeline.json_values import JSON
from facelet.pipeline.scoring.arrays import Floats, Ints
from facelet.pipeline.scoring.counting.comparing import Paired, paired
from facelet.pipeline.scoring.judging.population import Missing, Population


@dataclass(frozen=True, slots=True)
class LooksDifference:
    """What a change of looks costs a model in one figure.

    Attributes:
        config: the config with other looks.
        clean: the config with the default ones.
        split: the split of both.
        looks: the params that differ, with their values in `config`.
        figure: the figure.
        difficulty: the difficulty of the items; None for all.
        items: number of pairs of rows.
        clean_value: mean of the figure over the clean rows; None without a row.
        value: mean of the figure over the others; None without a row.
        found: the mean difference, `value` less `clean_value`.
        vouched: whether the dataset was checked at all.
    """

    config: str
    clean: str
    split: str
    looks: Mapping[str, JSON]
    figure: str
    difficulty: int | None
    items: int
    clean_value: float | None
    value: float | None
    found: Paired
    vouched: bool


def invariance(
    populations: Sequence[Population],
    manifest: Manifest | None,
    resamples: int,
    missing: Missing = "wrong",
) -> Iterator[LooksDifference]:
    """Yield the differences to clean looks.

    Args:
        populations: the entries of one model.
        manifest: the dataset's manifest; None where there is none, and then nothing is known.
        resamples: number of bootstrap replicates.
        missing: whether rows count without any prediction in one of the two configs.
    """
    by_split = {population.part.name: population for population in populations}
    for (config, split), changed in by_split.items():
        for clean, looks in _clean(config, changed.part.task, manifest):
            if (clean, split) in by_split:
                first = by_split[clean, split]
                pairs = _pairs(first, changed, missing)
                yield from _differences(first, changed, looks, pairs, resamples)


def _clean(
    config: str, task: AnyTask, manifest: Manifest | None
) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield the configs that differ in looks only and have the default ones, with what differs."""
    configs = manifest.configs if manifest else {}
    about = configs.get(config)
    if about is None or not is_dataclass(task.params):
        return
    known = described(task.params)
    looks = {name: getattr(task.params(), name) for name, said, _ in known if said.look}
    axes = {name for name, said, _ in known if said.axis}

    def rest(params: Mapping[str, JSON]) -> dict[str, JSON]:
        return {k: value for k, value in params.items() if k not in looks and k not in axes}

    own = about.params
    for name, other in configs.items():
        same = (other.task, other.task_version) == (about.task, about.task_version)
        if name == config or not same or rest(other.params) != rest(own):
            continue
        differing = {
            look: own.get(look)
            for look, usual in looks.items()
            if own.get(look) != other.params.get(look)
        }
        usual = all(other.params.get(look) == value for look, value in looks.items())
        if differing and usual:
            yield name, differing


def _pairs(first: Population, second: Population, missing: Missing) -> tuple[Ints, Ints]:
    """Return the rows of both that are the same row of the same puzzle, and are counted."""
    keys = [_keys(population) for population in (first, second)]
    place = {key: row for row, key in enumerate(keys[0])}
    rows = [(place[key], row) for row, key in enumerate(keys[1]) if key in place]
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    counted = np.ones(len(pairs), dtype=bool)
    for column, population in enumerate((first, second)):
        asked = population.graded & population.counted(missing)
        counted &= asked[pairs[:, column]]
    return pairs[counted, 0], pairs[counted, 1]


def _keys(population: Population) -> Iterable[tuple[str, str]]:
    """Return of each row what stands behind the config in its id, and its base puzzle."""
    cut = len(population.part.name[0])
    ids = population.part.column("id").to_pylist()
    groups = population.part.column("group").to_pylist()
    return [(name[cut:], group) for name, group in zip(ids, groups, strict=True)]


def _differences(
    first: Population,
    second: Population,
    looks: Mapping[str, JSON],
    pairs: tuple[Ints, Ints],
    resamples: int,
) -> Iterator[LooksDifference]:
    """Yield the figures' differences over all difficulties, and at each.

    Args:
        first: the entries with clean looks.
        second: those with others.
        looks: the params that differ.
        pairs: the rows of both, in one order.
        resamples: number of bootstrap replicates.
    """
    clean, changed = pairs
    difficulty = second.difficulty[changed]
    metrics = [
        m
        for measure in second.part.task.measures
        if isinstance(measure, Looks)
        for m in measure.metrics
    ]
    for figure in ("accuracy", *metrics):
        before = _per_row(first, figure)[clean]
        after = _per_row(second, figure)[changed]
        for level in (None, *np.unique(difficulty).tolist()):
            inside = np.flatnonzero(np.ones(len(changed)) if level is None else difficulty == level)
            alone = first.samples == second.samples == 1
            name = (first.part.name[0], *second.part.name, second.model, figure, level)
            found = paired(
                after[inside] - before[inside],
                second.group[changed[inside]],
                ("facelet-score", "looks", *map(str, name)),
                resamples,
                exact=alone and figure == "accuracy",
            )
            yield LooksDifference(
                second.part.name[0],
                first.part.name[0],
                second.part.name[1],
                looks,
                figure,
                level,
                len(inside),
                float(before[inside].mean()) if len(inside) else None,
                float(after[inside].mean()) if len(inside) else None,
                found,
                second.part.vouched,
            )


def _per_row(population: Population, figure: str) -> Floats:
    """Return a figure of each row, the mean over its samples; what is missing counts 0."""
    if figure == "accuracy":
        values = population.correct.astype(np.float64)
    else:
        values = np.nan_to_num(population.metric(figure))
    return population.per_row(values) / population.samples
