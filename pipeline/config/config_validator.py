"""Check a composed configuration, and convert it to settings.

Knows nothing of Hydra: a composed configuration is plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from facelet.pipeline.argument_text import (
    can_show_progress,
    check_range,
    expand_home,
    parse_numbers,
    parse_splits,
    unknown_word_error,
)
from facelet.pipeline.card.citations import check_address, check_author
from facelet.pipeline.command.setting_keys import list_verb_keys
from facelet.pipeline.config.build_keys import SWEEP_PARAMS, BuildArguments, check_family_settings
from facelet.pipeline.config.build_settings import (
    UNFAIR_POLICIES,
    Citation,
    ParamRange,
    RunnerSettings,
    Settings,
    StageSizes,
    SuiteTask,
)
from facelet.pipeline.config.config_schema import ComposedConfig

_BOUNDS = {
    one.name: one.about for one in list_verb_keys(BuildArguments) if one.about.low is not None
}
"""Plain keys whose numbers have bounds; a file may say what nobody typed."""


def settings_from_config(composed: ComposedConfig, typed: Mapping[str, str]) -> Settings:
    """Return the settings that a composed configuration means.

    Args:
        composed: the configuration.
        typed: the plain keys that were typed, with their values as text.

    Raises:
        ValueError: a value is out of its range.
    """
    config = composed.config
    suites = _list_suite_entries(config, composed.typed_keys)
    family_settings = check_family_settings(config["family"])
    for key, about in _BOUNDS.items():
        if about.low is not None and config.get(key) is not None:
            check_range(key, config[key], about.low, about.high)
    if config["unfair"] not in UNFAIR_POLICIES:
        raise unknown_word_error("unfair", config["unfair"], UNFAIR_POLICIES)
    compose, emit = config["stage"]["compose"], config["stage"]["emit"]
    stages = StageSizes(
        compose_items=check_range("stage.compose.items", compose["items"], 1),
        compose_attempts=check_range("stage.compose.attempts", compose["attempts"], 1),
        emit_rows=check_range("stage.emit.rows", emit["rows"], 1),
        emit_group=check_range("stage.emit.group", emit["group"], 1, 256),
    )
    name = config["name"] or f"facelet-{config['profile']}"
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ValueError(f"name={name} may contain letters, digits, - and _ only")
    for word in config["tasks"]:
        if not any(word in (entry.name, entry.task, entry.config_name) for entry, _ in suites):
            raise unknown_word_error("task", word, [entry.name for entry, _ in suites])
    ranges: dict[str, dict[str, ParamRange]] = {}
    for place, content in [("", config), *((f"{one.config_name}.", said) for one, said in suites)]:
        ranges[place] = {}
        for param in SWEEP_PARAMS:
            if (limit := content[f"max_{param}"]) is not None:
                check_range(f"{place}max_{param}", limit, 1)
            values, usual = (
                None if content.get(key) is None else parse_numbers(content[key], f"{place}{key}")
                for key in (f"{param}s", f"usual_{param}s")
            )
            ranges[place][param] = ParamRange(values, limit, usual)
    wanted = set(config["tasks"])
    return Settings(
        name=name,
        profile=config["profile"],
        entries=tuple(
            replace(entry, ranges=ranges[f"{entry.config_name}."])
            for entry, _ in suites
            if not wanted or wanted & {entry.name, entry.task, entry.config_name}
        ),
        ranges=ranges[""],
        count=config["count"],
        splits=parse_splits(config["splits"]),
        seed=config["seed"],
        out=expand_home(config["out"] or f"data/out/{name}"),
        family_settings=family_settings,
        stages=stages,
        runner=RunnerSettings(
            config["runner"]["backend"], config["runner"]["address"], config["workers"]
        ),
        progress=not config["quiet"] and can_show_progress(config["progress"]),
        quiet=config["quiet"],
        replace=config["replace"],
        unfair=config["unfair"],
        citation=Citation(
            check_author(config["author"]) if config["author"] else "",
            config["year"] or 0,
            check_address(config["address"]) if config["address"] else "",
        ),
        typed_keys=dict(typed),
    )


def _list_suite_entries(
    config: Mapping[str, Any], paths: Set[str]
) -> list[tuple[SuiteTask, Mapping[str, Any]]]:
    """Return the entries of the chosen suites, without their ranges, and what says them.

    Args:
        config: the configuration.
        paths: the paths of the configuration that were typed.
    """
    found = []
    for suite, part in config["suite"].items():
        for name, said in part["tasks"].items():
            place = f"suite.{suite}.tasks.{name}."
            entry = SuiteTask(
                suite=suite,
                name=str(name),
                task=said["task"],
                params=said["params"],
                sweep={key: tuple(values) for key, values in said["sweep"].items()},
                count=said["count"],
                times=said["times"],
                few=said["few"],
                typed_keys=frozenset(p.removeprefix(place) for p in paths if p.startswith(place)),
            )
            found.append((entry, said))
    return found
