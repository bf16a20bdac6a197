"""Decide which value wins: typed, of a suite, of a profile, or the default.

Hydra lets what is typed win over profiles and defaults key by key. Here the rest is decided, for
each entry of a suite: between what was typed for the whole build (`count=300`), what was typed for
the entry alone (`mine.guess_max.count=30`, which wins over that), and what its suite says.

- `count` wins over a suite's count; `times`, a multiple of the build's count, stays.
- `depths`, `levels` win over the values that a suite sweeps or usually makes, and over a profile's
  `max_depth`. What a suite confines a task to (`depths`, `max_depth`) stays unless it was typed for
  the entry; the plan says which values are left out.
- What a family is told (`metric`) wins over a suite's params of that name.

What is typed and concerns none of the chosen configs is refused; of what concerns some, the rest is
named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from facelet.pipeline.config.build_settings import (
    FAMILY_KEYS,
    SWEEP_PARAMS,
    ParamRange,
    Settings,
    SuiteTask,
)
from facelet.pipeline.family_modules import AnyTask, family_name

_MAX_NAMES = 3
"""So many configs of a list are named."""


@dataclass(frozen=True, slots=True)
class ResolvedEntry:
    """An entry of a suite without what loses.

    Attributes:
        entry: the entry.
        ranges: what is asked for of the params that are swept in every task that has them.
        left_out: why nothing of it is built, in words; "" if something is.
    """

    entry: SuiteTask
    ranges: Mapping[str, ParamRange]
    skip_reason: str = ""


def resolve_entry(entry: SuiteTask, settings: Settings) -> ResolvedEntry:
    """Return what is built of an entry of a suite, once precedence is decided.

    Args:
        entry: the entry, as the suite and what was typed for it say together.
        settings: all that the build is told.

    Raises:
        ValueError: two things were typed for the entry that exclude each other.
    """
    typed, near = settings.typed_keys, entry.typed_keys
    _check_once(entry, ("count", "times"))
    count = entry.count
    if "times" in near or ("count" in typed and "count" not in near):
        count = None
    params, sweep, own = dict(entry.params), dict(entry.sweep), dict(entry.ranges)
    for name in {*params, *sweep}:
        if not {f"params.{name}", f"sweep.{name}"} & near and _is_family_override(
            name, entry, typed
        ):
            params.pop(name, None)
            sweep.pop(name, None)
        elif f"params.{name}" in near:
            _check_once(entry, (f"params.{name}", f"sweep.{name}"))
            sweep.pop(name, None)
    asked = dict(settings.ranges)
    left_out: list[str] = []
    for param in settings.ranges:
        _check_once(entry, (f"{param}s", f"params.{param}"))
        _check_once(entry, (f"{param}s", f"sweep.{param}"))
        mine, build = own.get(param, ParamRange()), asked[param]
        limit = build.limit if f"max_{param}" in typed else None
        only_near = ParamRange(
            mine.values if f"{param}s" in near else None,
            mine.limit if f"max_{param}" in near else None,
            mine.default_values if f"usual_{param}s" in near else None,
        )
        if f"params.{param}" in near:
            own[param] = only_near
        elif f"sweep.{param}" in near:
            params.pop(param, None)
            own[param] = only_near
        elif only_near.values is not None:
            params.pop(param, None)
            sweep.pop(param, None)
            asked[param], own[param] = ParamRange(mine.values, limit), only_near
        elif f"{param}s" in typed:
            sweep.pop(param, None)
            asked[param] = ParamRange(build.values, limit)
            left_out += _find_conflicts(entry, param, asked[param], typed)
        elif limit is not None and param in sweep:
            asked[param], own[param] = ParamRange(tuple(sweep.pop(param)), limit), only_near
        elif limit is not None:
            left_out += _find_conflicts(entry, param, ParamRange(None, limit), typed)
        elif mine.default_values is not None:
            asked[param] = ParamRange(None, build.limit)  # the suite's wins over the profile's
    settled = replace(entry, count=count, params=params, sweep=sweep, ranges=own)
    return ResolvedEntry(settled, asked, "; ".join(left_out))


def _check_once(entry: SuiteTask, keys: tuple[str, str]) -> None:
    """Raise ValueError if both of two keys that say the same were typed for an entry."""
    if set(keys) <= entry.typed_keys:
        first, second = (f"{entry.config_name}.{key}" for key in keys)
        raise ValueError(f"{first} and {second} exclude each other; set one of them")


def _is_family_override(name: str, entry: SuiteTask, typed: Collection[str]) -> bool:
    """Whether a param of an entry's task is what its family was told on the command line."""
    return name in typed and any(
        item.name == name and item.family == family_name(entry.task) for item in FAMILY_KEYS
    )


def _find_conflicts(
    entry: SuiteTask, param: str, asked: ParamRange, typed: Mapping[str, str]
) -> Iterator[str]:
    """Yield why an entry whose suite fixes a param is left out, if another value is asked for."""
    if (value := entry.params.get(param)) is None:
        return
    beyond = asked.limit is not None and value > asked.limit
    if beyond or (asked.values is not None and value not in asked.values):
        key = f"{param}s" if f"{param}s" in typed and not beyond else f"max_{param}"
        yield (
            f"{entry.config_name}: left out by {key}={typed[key]}, as its suite has "
            f"params.{param}={value}; set {entry.config_name}.params.{param} for another"
        )


def list_unaffected_configs(settings: Settings, params: Mapping[str, Collection[str]]) -> list[str]:
    """Return which configs do not follow what was typed for all, a line a key and reason.

    Args:
        settings: all that the build is told.
        params: by config, the names of its task's params.

    Raises:
        ValueError: a key was typed that concerns none of the configs.
    """
    lines = []
    for key, value in settings.typed_keys.items():
        why = {
            entry.config_name: _explain_unaffected(key, entry, params) for entry in settings.entries
        }
        known = [config for config, reason in why.items() if not reason]
        if not known and why:
            reasons = ", and ".join(dict.fromkeys(reason for reason in why.values() if reason))
            raise ValueError(
                f"{key}={value} concerns none of the {len(why)} chosen configs: they {reasons}; "
                "leave it out, or choose other suites or tasks"
            )
        for reason in dict.fromkeys(reason for reason in why.values() if reason):
            names = [config for config, given in why.items() if given == reason]
            lines.append(
                f"{key}={value} does not concern configs that {reason}: {_shorten_names(names)}"
            )
    if "count" in settings.typed_keys:
        many = [
            f"{entry.config_name} {entry.times:g} times"
            for entry in (resolve_entry(entry, settings).entry for entry in settings.entries)
            if entry.count is None and entry.times != 1
        ]
        if many:
            lines.append(f"count={settings.count} is multiplied by suites: {_shorten_names(many)}")
    return lines


def _explain_unaffected(key: str, entry: SuiteTask, params: Mapping[str, Collection[str]]) -> str:
    """Return why a key that was typed for all does not concern an entry; "" if it does."""
    names = params[entry.config_name]
    for param in SWEEP_PARAMS:
        if key in (f"{param}s", f"max_{param}"):
            if param not in names:
                return f"have no {param}s"
            return f"sweep {next(iter(entry.sweep))}" if {*entry.sweep} - {param} else ""
    for item in FAMILY_KEYS:
        if item.name == key:
            has = key in names and item.family == family_name(entry.task)
            return "" if has or not item.param else f"have no {key}"
    return ""


def _shorten_names(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    if (rest := len(names) - _MAX_NAMES) < 2:
        return ", ".join(names)
    return f"{', '.join(names[:_MAX_NAMES])} and {rest} more"


def list_params(task: AnyTask) -> frozenset[str]:
    """Return the names of a task's params."""
    return frozenset(item.name for item in dataclasses.fields(task.params))
