"""Configuration of a build: Hydra composes the files in `conf/`, the command line overrides them.

The plain keys of `facelet build` are read before, by `Typed`, which describes them; dotted keys
reach into a task of a suite (`mine.move_effect.max_depth=20`) or into the sizes of the pieces
of work (`stage.emit.rows=512`). Hydra's own folders and logs are never written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from hydra import compose, initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from facelet.pipeline.card.citing import check_address, check_author
from facelet.pipeline.command.completing import choices
from facelet.pipeline.command.keys import keys_of
from facelet.pipeline.config.keys import FAMILY_KEYS, SWEPT, Typed, check_told
from facelet.pipeline.config.own_suites import ENDINGS, read_override, read_suites, with_suites
from facelet.pipeline.config.schema import BuildSchema
from facelet.pipeline.config.settings import (
    UNFAIR,
    Citation,
    Entry,
    Range,
    Runner,
    Settings,
    Stages,
)
from facelet.pipeline.words import (
    check_range,
    expand,
    parse_numbers,
    parse_splits,
    shows_progress,
    split_word,
    unknown,
)

Value = str | int | bool | tuple[str, ...]
"""What a plain key may hold."""

_GROUPS = {"profile": "profile", "suites": "suite", "runner": "runner"}
"""Keys that choose files of a folder of `conf`."""

_PLACES = {item.name: f"family.{item.family}.{item.name}" for item in FAMILY_KEYS}
"""Where the configuration holds what families are told."""


def resolve(typed: Typed) -> tuple[Settings, str]:
    """Return the settings that what was typed asks for, and the whole configuration as YAML.

    Raises:
        ValueError: a key is unknown, or a value is not allowed.
    """
    values = _plain_values(typed)
    own = [name for name in typed.suites or () if name.endswith(ENDINGS)]
    files = read_suites([expand(name) for name in own], choices("suite"))
    if own:
        values["suites"] = tuple(name for name in typed.suites or () if name not in own)
    for key, group in _GROUPS.items():
        chosen = values.get(key, ())
        for name in chosen if isinstance(chosen, tuple) else [str(chosen)]:
            if name not in choices(group):
                raise unknown(key.removesuffix("s"), name, choices(group))
    if values.get("suites") == () and not files:
        raise ValueError(f"suites=[] builds nothing; name one of {', '.join(choices('suite'))}")
    overrides = [_override(name, value) for name, value in values.items()]
    config = with_suites(_compose(overrides), files)
    told = [_dotted(word, config) for word in typed.dotted]
    if told:
        ours = [word for word in told if word.removeprefix("++suite.").split(".")[0] in files]
        config = _compose(overrides + [word for word in told if word not in ours])
        config = with_suites(config, files, ours)
    texts = {name: _text(value) for name, value in _plain_values(typed).items()}
    return _settings(config, texts, _paths(told)), OmegaConf.to_yaml(config)


def _plain_values(typed: Typed) -> dict[str, Value]:
    """Return the values of the keys of the configuration that were typed."""
    names = [one.name for one in keys_of(type(typed))]
    values = {name: getattr(typed, name) for name in names if name not in ("show", "dotted")}
    return {name: value for name, value in values.items() if value is not None}


def _text(value: Value) -> str:
    """Return a value as it is typed."""
    if isinstance(value, tuple):
        return f"[{','.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _paths(told: Sequence[str]) -> frozenset[str]:
    """Return the paths of the configuration that dotted keys set, down to what holds no keys."""
    return frozenset(
        leaf for path, value in map(read_override, told) for leaf in _leaves(path, value)
    )


def _leaves(path: str, value: object) -> Iterator[str]:
    """Yield the paths of what a value holds, or the path itself if it holds no keys."""
    if isinstance(value, Mapping) and value:
        for key, inside in value.items():
            yield from _leaves(f"{path}.{key}", inside)
    else:
        yield path


def _compose(overrides: list[str]) -> DictConfig:
    """Return the configuration that Hydra composes."""
    ConfigStore.instance().store(name="schema", node=BuildSchema)
    try:
        with initialize_config_module("facelet.conf", version_base="1.3"):
            return compose("config", overrides=overrides)
    except (HydraException, OmegaConfBaseException) as error:
        causes = [str(item).strip() for item in (error, error.__cause__) if item is not None]
        reason = "; ".join(cause.splitlines()[0] for cause in causes if cause)
        raise ValueError(f"the configuration cannot be read: {reason}") from error


def _override(name: str, value: Value) -> str:
    """Return a plain key as a Hydra override, quoted so that Hydra reads it as it stands."""
    target = _GROUPS.get(name, _PLACES.get(name, name))
    if isinstance(value, tuple):
        return f"{target}=[{','.join(_quote(item) for item in value)}]"
    if isinstance(value, bool | int):
        return f"{target}={str(value).lower()}"
    return f"{target}={value if name in _GROUPS else _quote(value)}"


def _quote(text: str) -> str:
    """Return a text as a quoted value of Hydra: backslashes count only in front of a quote."""
    inner = re.sub(r'(\\*)("|$)', lambda m: m[1] * 2 + (r"\"" if m[2] else ""), text)
    return '"' + inner.replace("${", r"\${") + '"'


def _dotted(word: str, config: DictConfig) -> str:
    """Return a dotted key as a Hydra override, after checking that its path exists.

    Raises:
        ValueError: a part of the path is unknown; the message lists those there are.
    """
    name, value = split_word(word)
    parts = name.split(".")
    if parts[0] in config.suite:
        parts = ["suite", parts[0], "tasks", *parts[1:]]
    elif parts[0] not in ("stage", "runner"):
        raise unknown("key", parts[0], [*map(str, config.suite), "stage", "runner"])
    node: object = config
    for place, part in enumerate(parts):
        if parts[0] == "suite" and place == 5 and parts[4] in ("params", "sweep"):
            break  # the names of params are the task's, and checked when the plan is made
        if not isinstance(node, DictConfig) or part not in node:
            known = [str(key) for key in node] if isinstance(node, DictConfig) else []
            raise unknown(f"part of the key {name!r}:", part, known)
        node = node[part]
    # A comma outside quotes would be a sweep to Hydra.
    numbers = [f"{usual}{param}s" for param in SWEPT for usual in ("", "usual_")]
    quoted = parts[0] == "suite" and parts[-1] in numbers and value != "null"
    written = _quote(value) if quoted else value
    return f"++{'.'.join(parts)}={written}"


def _settings(config: DictConfig, typed: Mapping[str, str], paths: Set[str]) -> Settings:
    """Return the settings that a composed configuration means.

    Args:
        config: the configuration.
        typed: the plain keys that were typed, with their values as text.
        paths: the paths of the configuration that dotted keys set.

    Raises:
        ValueError: a value is out of its range.
    """
    for one in keys_of(Typed):  # a file may say what nobody typed
        low, value = one.about.low, config.get(one.name)
        if low is not None and value is not None:
            check_range(one.name, value, low, one.about.high)
    if config.unfair not in UNFAIR:
        raise unknown("unfair", config.unfair, UNFAIR)
    stages = Stages(
        compose_items=check_range("stage.compose.items", config.stage.compose["items"], 1),
        compose_attempts=check_range("stage.compose.attempts", config.stage.compose.attempts, 1),
        emit_rows=check_range("stage.emit.rows", config.stage.emit.rows, 1),
        emit_group=check_range("stage.emit.group", config.stage.emit.group, 1, 256),
    )
    name = config.name or f"facelet-{config.profile}"
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ValueError(f"name={name} may hold letters, digits, - and _ only")
    return Settings(
        name=name,
        profile=config.profile,
        entries=_entries(config, paths),
        ranges=_ranges(config),
        count=config.count,
        splits=parse_splits(config.splits),
        seed=config.seed,
        out=expand(config.out or f"data/out/{name}"),
        told=check_told(_plain(config.family)),
        stages=stages,
        runner=Runner(config.runner.backend, config.runner.address, config.workers),
        progress=not config.quiet and shows_progress(config.progress),
        quiet=config.quiet,
        replace=config.replace,
        unfair=config.unfair,
        citation=_citation(config),
        typed=dict(typed),
    )


def _citation(config: DictConfig) -> Citation:
    """Return how the dataset is to be cited.

    Raises:
        ValueError: a value cannot be cited.
    """
    return Citation(
        check_author(config.author) if config.author else "",
        config.year or 0,
        check_address(config.address) if config.address else "",
    )


def _ranges(content: Mapping[str, Any], where: str = "") -> dict[str, Range]:
    """Return which values of the swept params a configuration or an entry of a suite asks for.

    Args:
        content: holds, for each param, its values as a text and the greatest of them.
        where: what stands before the keys in errors.

    Raises:
        ValueError: a text cannot be read, or a number is out of range.
    """
    found: dict[str, Range] = {}
    for param in SWEPT:
        text, limit = content[f"{param}s"], content[f"max_{param}"]
        values = None if text is None else parse_numbers(text, f"{where}{param}s")
        if limit is not None:
            check_range(f"{where}max_{param}", limit, 1)
        usual = content.get(f"usual_{param}s")
        found[param] = Range(
            values,
            limit,
            None if usual is None else parse_numbers(usual, f"{where}usual_{param}s"),
        )
    return found


def _below(place: str, paths: Set[str]) -> frozenset[str]:
    """Return what of some paths lies below a place, without the place."""
    return frozenset(path.removeprefix(place) for path in paths if path.startswith(place))


def _plain(config: DictConfig) -> dict[str, Any]:
    """Return a part of the configuration as plain dicts and lists."""
    content = OmegaConf.to_container(config, resolve=True)
    assert isinstance(content, dict)
    return {str(name): value for name, value in content.items()}


def _entries(config: DictConfig, paths: Set[str]) -> tuple[Entry, ...]:
    """Return the entries of the chosen suites that the key `tasks` lets through.

    Args:
        config: the configuration.
        paths: the paths of the configuration that were typed.
    """
    found = [
        Entry(
            suite=suite,
            name=str(name),
            task=entry["task"],
            params=entry["params"],
            sweep={key: tuple(values) for key, values in entry["sweep"].items()},
            ranges=_ranges(entry, f"{suite}.{name}."),
            count=entry["count"],
            times=entry["times"],
            typed=_below(f"suite.{suite}.tasks.{name}.", paths),
        )
        for suite, part in _plain(config.suite).items()
        for name, entry in part["tasks"].items()
    ]
    for word in config.tasks:
        if not any(word in (entry.name, entry.task, entry.config) for entry in found):
            raise unknown("task", word, [entry.name for entry in found])
    wanted = set(config.tasks)
    return tuple(e for e in found if not wanted or wanted & {e.name, e.task, e.config})
