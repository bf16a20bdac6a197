"""Pair the rows of configs that show the same puzzles in different ways.

Two configs of a dataset are compared if their task, version and params are equal except for the
params that decide how a puzzle is shown (`Param.look`), and these have their defaults in one of the
two, the clean one. Rows are paired by the part of their ids after the config's name, and only if
both have the same base puzzle. So a difference is due to the presentation alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass

import numpy as np

from facelet.generators.core.measures import Looks
from facelet.generators.core.params import list_params
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.json_types import JSON
from facelet.pipeline.scoring.array_types import Floats, Ints
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.scored_dataset import ScoredSplit


@dataclass(frozen=True, slots=True, eq=False)
class PairedLooks:
    """One model on the same puzzles of two configs, which show them in two ways.

    Attributes:
        clean: the entries with the default looks.
        changed: the entries with other looks.
        looks: the params that differ, with their values in `changed`.
        rows: (pairs,) rows of `changed`, in order.
        shares: by figure what each pair is worth, clean and changed: the mean over the samples of
            its row; a missing sample counts 0.
    """

    clean: Population
    changed: Population
    looks: Mapping[str, JSON]
    rows: Ints
    shares: Mapping[str, tuple[Floats, Floats]]


def pair_looks(populations: Sequence[Population]) -> Iterator[PairedLooks]:
    """Yield the pairs of clean and changed looks of each model, if enough replies arrived.

    Without a manifest nothing is.

    Args:
        populations: the entries of all models.
    """
    known = {
        (population.model, *population.part.split_name): population for population in populations
    }
    for changed in populations:
        for name, looks in _iterate_clean_configs(changed.part):
            clean = known.get((changed.model, name, changed.part.split_name[1]))
            if clean and clean.shares.suffice and changed.shares.suffice:
                before, after = _match_rows(clean, changed)
                shares = {
                    figure: (
                        _figure_by_row(clean, figure)[before],
                        _figure_by_row(changed, figure)[after],
                    )
                    for figure in _list_compared_figures(changed.part.load_installed_task)
                }
                yield PairedLooks(clean, changed, looks, after, shares)


def _list_compared_figures(task: AnyTask) -> list[str]:
    """Return the figures that are compared: accuracy, and the metrics that a task names."""
    looks = (measure for measure in task.measures if isinstance(measure, Looks))
    return ["accuracy", *(metric for measure in looks for metric in measure.metrics)]


def _figure_by_row(population: Population, figure: str) -> Floats:
    """Return a figure of each row, the mean over its samples."""
    if figure == "accuracy":
        return population.correct_counts / population.samples
    return population.per_row(np.nan_to_num(population.metric_values(figure))) / population.samples


def _iterate_clean_configs(part: ScoredSplit) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield the configs that differ in looks only and have the default ones, with what differs."""
    manifest, task, config = part.voucher.manifest, part.load_installed_task, part.split_name[0]
    configs = manifest.configs if manifest else {}
    if (about := configs.get(config)) is None or not is_dataclass(task.params):
        return
    known = list_params(task.params)
    looks = {name: getattr(task.params(), name) for name, said, _ in known if said.look}
    axes = {name for name, said, _ in known if said.axis}

    def other_params(params: Mapping[str, JSON]) -> dict[str, JSON]:
        return {k: value for k, value in params.items() if k not in looks and k not in axes}

    own = about.params
    for name, other in configs.items():
        same = (other.task, other.task_version) == (about.task, about.task_version)
        if name == config or not same or other_params(other.params) != other_params(own):
            continue
        differing = {
            look: own.get(look)
            for look, usual in looks.items()
            if own.get(look) != other.params.get(look)
        }
        usual = all(other.params.get(look) == value for look, value in looks.items())
        if differing and usual:
            yield name, differing


def _match_rows(first: Population, second: Population) -> tuple[Ints, Ints]:
    """Return the rows of both that are the same row of the same puzzle, and are counted."""
    keys = [_iterate_row_keys(population) for population in (first, second)]
    place = {key: row for row, key in enumerate(keys[0])}
    rows = [(place[key], row) for row, key in enumerate(keys[1]) if key in place]
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    counted = np.ones(len(pairs), dtype=bool)
    for column, population in enumerate((first, second)):
        asked = population.has_gold & population.counted
        counted &= asked[pairs[:, column]]
    return pairs[counted, 0], pairs[counted, 1]


def _iterate_row_keys(population: Population) -> Iterable[tuple[str, str]]:
    """Return the part of each row's id after the config, and its base puzzle."""
    cut = len(population.part.split_name[0])
    ids = population.part.read_column("id").to_pylist()
    groups = population.part.read_column("group").to_pylist()
    return [(name[cut:], group) for name, group in zip(ids, groups, strict=True)]
