"""Looks: which configs show the same puzzles in another way, and their rows in pairs.

Two configs of a dataset are compared where their task, version and params are the same but for the
params that say how a puzzle is shown (`Param.look`), and those are at their defaults in one of the
two, the clean one. Rows are paired by what stands behind the config's name in their ids, and only
where both have the same base puzzle. So a difference is due to the looks alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass

import numpy as np

from facelet.generators.core.measures import Looks
from facelet.generators.core.params import described
from facelet.pipeline.families import AnyTask
from facelet.pipeline.json_values import JSON
from facelet.pipeline.scoring.arrays import Floats, Ints
from facelet.pipeline.scoring.dataset import Part
from facelet.pipeline.scoring.judging.population import Population


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """One model on the same puzzles of two configs, which show them in two ways.

    Attributes:
        clean: the entries with the default looks.
        changed: those with others.
        looks: the params that differ, with their values in `changed`.
        rows: (pairs,) rows of `changed`, in order.
        shares: by figure what each pair is worth, clean and changed: the mean over the samples of
            its row; what is missing counts 0.
    """

    clean: Population
    changed: Population
    looks: Mapping[str, JSON]
    rows: Ints
    shares: Mapping[str, tuple[Floats, Floats]]


def twins(populations: Sequence[Population]) -> Iterator[Twins]:
    """Yield what is compared with clean looks, model by model, where enough replies arrived.

    Without a manifest nothing is.

    Args:
        populations: the entries of all models.
    """
    known = {(population.model, *population.part.name): population for population in populations}
    for changed in populations:
        for name, looks in _clean(changed.part):
            clean = known.get((changed.model, name, changed.part.name[1]))
            if clean and clean.shares.suffice and changed.shares.suffice:
                before, after = _pairs(clean, changed)
                shares = {
                    figure: (_shares(clean, figure)[before], _shares(changed, figure)[after])
                    for figure in _figures(changed.part.task)
                }
                yield Twins(clean, changed, looks, after, shares)


def _figures(task: AnyTask) -> list[str]:
    """Return the figures that are compared: accuracy, and the metrics that a task names."""
    looks = (measure for measure in task.measures if isinstance(measure, Looks))
    return ["accuracy", *(metric for measure in looks for metric in measure.metrics)]


def _shares(population: Population, figure: str) -> Floats:
    """Return a figure of each row, the mean over its samples."""
    if figure == "accuracy":
        return population.right / population.samples
    return population.per_row(np.nan_to_num(population.metric(figure))) / population.samples


def _clean(part: Part) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield the configs that differ in looks only and have the default ones, with what differs."""
    manifest, task, config = part.voucher.manifest, part.task, part.name[0]
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


def _pairs(first: Population, second: Population) -> tuple[Ints, Ints]:
    """Return the rows of both that are the same row of the same puzzle, and are counted."""
    keys = [_keys(population) for population in (first, second)]
    place = {key: row for row, key in enumerate(keys[0])}
    rows = [(place[key], row) for row, key in enumerate(keys[1]) if key in place]
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    counted = np.ones(len(pairs), dtype=bool)
    for column, population in enumerate((first, second)):
        asked = population.graded & population.counted
        counted &= asked[pairs[:, column]]
    return pairs[counted, 0], pairs[counted, 1]


def _keys(population: Population) -> Iterable[tuple[str, str]]:
    """Return of each row what stands behind the config in its id, and its base puzzle."""
    cut = len(population.part.name[0])
    ids = population.part.column("id").to_pylist()
    groups = population.part.column("group").to_pylist()
    return [(name[cut:], group) for name, group in zip(ids, groups, strict=True)]
