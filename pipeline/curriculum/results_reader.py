"""Read a model's results by config and level, from results of `facelet score` and the manifest.

The manifest contains the task and params of a config; one param is the difficulty axis, and its
values are the levels. A config whose task is not available here, or whose difficulty is not the
value of one param, cannot evolve; it is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from facelet.generators.core.params import list_params
from facelet.pipeline import family_modules
from facelet.pipeline.curriculum.proposals import ConfigResult
from facelet.pipeline.curriculum.psychometric_fit import LevelResult
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.manifest_file import ConfigEntry, Manifest
from facelet.pipeline.json_validation import MappingShape, OptionalShape, Shape, check_shape
from facelet.pipeline.scoring.render.results_reader import load_results

if TYPE_CHECKING:
    from facelet.pipeline.scoring.render.results_schema import Results, Split

READABLE_VERSIONS = (1, 2, 3)
"""Versions of results.json that are read; what is used of them is the same."""

_CELL: Mapping[str, Shape] = {
    "by": {},
    "difficulty": OptionalShape(int),
    "figures": {"accuracy": OptionalShape({"value": OptionalShape(float), "units": float})},
}
_SPLIT: Mapping[str, Shape] = {
    "chance": OptionalShape({"of": str, "value": float}),
    "cells": [_CELL],
}
_MAX_GUESS = 0.99
"""Most that is taken for a guess: of a level that is always won nothing can be fitted."""
_RESULTS: Mapping[str, Shape] = {
    "dataset": {"content_hash": OptionalShape(str)},
    "models": [{"model": str, "configs": MappingShape({"splits": MappingShape(_SPLIT)})}],
}
"""What is read of a results file, which may be anybody's; see `check_shape`."""


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """How a config was made.

    Attributes:
        suite: name of its suite.
        task: name of its task.
        params: its params, without the place on the difficulty axis.
        knob: the param that is that place.
        axis: name of the axis.
    """

    suite: str
    task: str
    params: Mapping[str, object]
    knob: str
    axis: str


@dataclass(frozen=True, slots=True)
class CurriculumInput:
    """What can evolve.

    Attributes:
        model: name of the model.
        results: what it scored, by config.
        sources: how each config was made.
        left_out: configs that cannot evolve, with the reason.
    """

    model: str
    results: tuple[ConfigResult, ...]
    sources: Mapping[str, ConfigSource]
    left_out: tuple[str, ...]


def read_results_file(path: Path) -> Results:
    """Return the content of a results file, or of that in the folder of a run.

    Raises:
        ValueError: there is none, or it is not what `facelet score` writes.
    """
    content = load_results(path, READABLE_VERSIONS)
    check_shape(content, _RESULTS, f"results={path} is none that `facelet score` wrote")
    return cast("Results", content)


def read_model_results(
    results: Results,
    manifest: Manifest,
    model: str = "",
    configs: Sequence[str] = (),
) -> CurriculumInput:
    """Return a model's results at each level of each config.

    Args:
        results: the results.
        manifest: the manifest of the scored dataset.
        model: name of the model; the only one by default.
        configs: names of configs, or their last parts; all by default.

    Raises:
        ValueError: the results are of another dataset, or do not contain a model or a config.
    """
    scored = results["dataset"].get("content_hash")
    if scored != manifest.content_hash:
        raise ValueError(
            f"the results are of a dataset with content hash {scored}, "
            f"and this one has {manifest.content_hash}; name the dataset that was scored"
        )
    names = [one["model"] for one in results["models"]]
    if not model and len(names) > 1:
        raise ValueError(f"there are {len(names)} models; say model={names[0]}, or another")
    if model and model not in names:
        raise ValueError(f"model={model} is not in the results; there are {', '.join(names)}")
    chosen = next(one for one in results["models"] if model in ("", one["model"]))
    known = [*chosen["configs"]]
    for name in configs:
        if not any(name in (config, config.partition(".")[2]) for config in known):
            raise ValueError(f"config {name} is not in the results; there are {', '.join(known)}")
    found, sources, left_out = [], {}, []
    for config, content in chosen["configs"].items():
        if configs and not {config, config.partition(".")[2]} & set(configs):
            continue
        try:
            source, low, high, steps = _read_source(manifest.find_config(config))
        except ValueError as error:  # Unavailable is one
            left_out.append(f"{config}: {error}")
            continue
        if rule := floor_record.known_rule_note(manifest.find_config(config).floor):
            left_out.append(f"{config}: {rule}")
            continue
        asked = _level_results(content["splits"])
        if not asked:
            left_out.append(f"{config}: no answer was judged")
            continue
        sources[config] = source
        found.append(ConfigResult(config, asked, low, high, steps))
    return CurriculumInput(chosen["model"], tuple(found), sources, tuple(left_out))


def _read_source(config: ConfigEntry) -> tuple[ConfigSource, int, int | None, dict[str, object]]:
    """Return the source of a config, the bounds of its levels, and its steps to harder params.

    Raises:
        Unavailable: its task is not available here.
        ValueError: its levels are not the values of one param.
    """
    task = family_modules.load_task(config.task)
    knobs = [(name, about) for name, about, _ in list_params(task.params) if about.axis]
    if len(knobs) != 1 or set(config.swept) - {knobs[0][0]}:
        raise ValueError("its difficulty is not the value of one param")
    knob, about = knobs[0]
    usual = task.params()
    if strange := [name for name in config.params if not hasattr(usual, name)]:
        raise ValueError(f"{config.task} has no param {strange[0]}")
    params = {
        name: value
        for name, value in config.params.items()
        if name != knob and value != getattr(usual, name)
    }
    source = ConfigSource(config.suite, config.task, params, knob, about.axis)
    return source, about.low or 0, about.high, _next_param_values(task.params, params)


def _next_param_values(kind: type[Any], params: Mapping[str, object]) -> dict[str, object]:
    """Return the next harder value of each param that has one.

    Args:
        kind: the params of the task.
        params: the config's params that differ from the defaults.
    """
    found, usual = {}, kind()
    for name, about, _ in list_params(kind):
        now = params.get(name, getattr(usual, name))
        if now in about.harder[:-1]:
            found[name] = about.harder[about.harder.index(now) + 1]
    return found


def _level_results(splits: Mapping[str, Split]) -> tuple[LevelResult, ...]:
    """Return the results at each level, over all splits, and the share won without looking."""
    right: dict[int, float] = {}
    total: dict[int, float] = {}
    guess: dict[int, float] = {}
    for content in splits.values():
        chance = content.get("chance")
        usual = float(chance["value"]) if chance and chance["of"] == "answers" else None
        floor = floor_record.parse_floor(content)
        for cell in content["cells"]:
            level, figure = cell.get("difficulty"), cell["figures"].get("accuracy")
            if cell["by"] or level is None or not figure:
                continue
            if (value := figure.get("value")) is None:
                continue
            right[level] = right.get(level, 0.0) + value * figure["units"]
            total[level] = total.get(level, 0.0) + figure["units"]
            own = floor_record.guess_share(floor, level, usual)
            guess[level] = min(_MAX_GUESS, max(guess.get(level, 0.0), own))
    return tuple(
        LevelResult(level, right[level], total[level], guess[level]) for level in sorted(total)
    )
