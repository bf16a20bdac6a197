"""Resolve the typed arguments of a build to its settings: compose, parse params, check.

Typed arguments (`resolve_settings`) become Hydra's configuration (`compose_config`), which becomes
settings (`settings_from_config`).

The plain keys of `facelet build` are fields of `BuildArguments`, which describes them; dotted keys
set a param of a suite's task (`mine.move_effect.max_depth=20`) or the sizes of the pieces of work
(`stage.emit.rows=512`).

Your own suites are files with the layout of `conf/suite/`, anywhere: `facelet build
'suites=[mine.yaml]'` builds them, alone or beside Facelet's suites. A file contains one suite or
more by name, and none of its names is one of Facelet's. Hydra's own folders and logs are never
written.

A task's params are parsed from plain values of YAML and the command line. Types are checked against
the record's annotations, ranges by its own `validate`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from facelet.generators.core.memoization import once_per_class
from facelet.generators.core.task import Params
from facelet.pipeline.argument_text import (
    can_show_progress,
    check_range,
    expand_home,
    parse_numbers,
    parse_splits,
    split_key_value,
    unknown_word_error,
)
from facelet.pipeline.card.citations import check_address, check_author
from facelet.pipeline.command.setting_keys import list_conf_files, list_verb_keys
from facelet.pipeline.config.build_settings import (
    FAMILY_KEYS,
    SWEEP_PARAMS,
    UNFAIR_POLICIES,
    BuildArguments,
    BuildSchema,
    Citation,
    ComposedConfig,
    ParamRange,
    RunnerSettings,
    Settings,
    StageSizes,
    SuiteSchema,
    SuiteTask,
    check_family_settings,
)
from facelet.pipeline.family_modules import AnyTask

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


_NUMBERS = frozenset(f"{usual}{param}s" for param in SWEEP_PARAMS for usual in ("", "usual_"))
"""Keys of an entry that hold numbers as a text, such as 1,2,5-8."""


class UnknownConfigPath(Exception):  # noqa: N818 - told in words by whoever reads what is typed
    """A dotted key that leads nowhere.

    Attributes:
        what: what its part should have been.
        part: the part.
        known: those there are.
    """

    def __init__(self, what: str, part: str, known: Sequence[str]) -> None:
        """Take what is to be told."""
        self.what, self.part, self.known = what, part, known


def compose_config(
    overrides: Sequence[str], files: Sequence[Path], dotted: Sequence[tuple[str, str]]
) -> ComposedConfig:
    """Return the configuration that plain keys, suites of one's own, and dotted keys make.

    Args:
        overrides: the plain keys, as Hydra writes them.
        files: files of suites.
        dotted: the dotted keys and their values, as typed.

    Raises:
        ValueError: a file or a value cannot be read, or may not stand there.
        NoSuchPart: a dotted key leads nowhere.
    """
    own = _read_suites(files, list_conf_files("suite"))
    config = _add_suites(_compose_with_hydra(overrides), own)
    places = [(_resolve_path(name, config), name, text) for name, text in dotted]
    told = [
        (path, f"{name}={text}", _parse_dotted_value(path, name, text))
        for path, name, text in places
    ]
    for path, word, value in told:
        try:
            OmegaConf.update(config, path, value)
        except OmegaConfBaseException as error:
            raise ValueError(f"{word} cannot be read: {_first_line(error)}") from error
    OmegaConf.set_struct(config, True)
    try:
        content = OmegaConf.to_container(config, resolve=True)
    except OmegaConfBaseException as error:
        raise ValueError(f"the configuration cannot be read: {_first_line(error)}") from error
    assert isinstance(content, dict)
    return ComposedConfig(
        {str(name): value for name, value in content.items()},
        OmegaConf.to_yaml(config),
        frozenset(leaf for path, _, value in told for leaf in _iterate_leaf_paths(path, value)),
    )


def _read_suites(paths: Sequence[Path], known: Sequence[str]) -> dict[str, DictConfig]:
    """Return the suites of some files, checked against the schema, by name.

    Args:
        paths: the files.
        known: names that are taken.

    Raises:
        ValueError: a file cannot be read, or a name is taken or bad.
    """
    found: dict[str, DictConfig] = {}
    for path in paths:
        try:
            content = OmegaConf.load(path)
        except (OSError, YAMLError, OmegaConfBaseException, UnicodeDecodeError) as error:
            raise ValueError(f"suites={path} cannot be read: {_first_line(error)}") from error
        if not isinstance(content, DictConfig) or not content:
            raise ValueError(f"suites={path} contains no suite; write `name: {{tasks: ...}}`")
        for name, suite in content.items():
            if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]{0,31}", name):
                raise ValueError(
                    f"suites={path}: {name!r} is not a valid suite name; use at most 32 letters "
                    "a-z, digits and _, a letter first"
                )
            if name in known or name in found:
                raise ValueError(f"suites={path}: there is a suite {name} already; rename it")
            try:
                merged = OmegaConf.merge(OmegaConf.structured(SuiteSchema), suite)
            except (OmegaConfBaseException, TypeError, ValueError, AttributeError) as error:
                raise ValueError(
                    f"suites={path}: {name} is no suite: {_first_line(error)}"
                ) from error
            assert isinstance(merged, DictConfig)
            found[name] = merged
    return found


def _compose_with_hydra(overrides: Sequence[str]) -> DictConfig:
    """Return the configuration that Hydra composes."""
    ConfigStore.instance().store(name="schema", node=BuildSchema)
    try:
        with initialize_config_module("facelet.conf", version_base="1.3"):
            return hydra_compose("config", overrides=list(overrides))
    except (HydraException, OmegaConfBaseException) as error:
        causes = [str(item).strip() for item in (error, error.__cause__) if item is not None]
        reason = "; ".join(cause.splitlines()[0] for cause in causes if cause)
        raise ValueError(f"the configuration cannot be read: {reason}") from error


def _add_suites(config: DictConfig, suites: Mapping[str, DictConfig]) -> DictConfig:
    """Return a configuration with more suites, open to further keys."""
    opened = config.copy()
    OmegaConf.set_struct(opened, False)
    try:
        merged = OmegaConf.merge(opened, {"suite": dict(suites)}) if suites else opened
    except OmegaConfBaseException as error:
        raise ValueError(f"the configuration cannot be read: {_first_line(error)}") from error
    assert isinstance(merged, DictConfig)
    return merged


def _resolve_path(name: str, config: DictConfig) -> str:
    """Return the path of the configuration that a dotted key names.

    Raises:
        NoSuchPart: a part of it is not there.
    """
    parts = name.split(".")
    if parts[0] in config.suite:
        parts = ["suite", parts[0], "tasks", *parts[1:]]
    elif parts[0] not in ("stage", "runner"):
        raise UnknownConfigPath("key", parts[0], [*map(str, config.suite), "stage", "runner"])
    node: object = config
    for place, part in enumerate(parts):
        if parts[0] == "suite" and place == 5 and parts[4] in ("params", "sweep"):
            break  # the names of params are the task's, and checked when the plan is made
        if not isinstance(node, DictConfig) or part not in node:
            known = [str(key) for key in node] if isinstance(node, DictConfig) else []
            raise UnknownConfigPath(f"part of the key {name!r}:", part, known)
        node = node[part]
    return ".".join(parts)


def _parse_dotted_value(path: str, name: str, text: str) -> object:
    """Return the plain value that the text of a dotted key means at its path.

    Raises:
        ValueError: it cannot be read.
    """
    # A comma outside quotes would be a sweep to Hydra.
    if path.startswith("suite.") and path.rpartition(".")[2] in _NUMBERS and text != "null":
        return text.replace("${", r"\${")
    try:
        found = OverridesParser.create().parse_override(f"++{path}={text}")
    except HydraException as error:
        raise ValueError(f"{name}={text} cannot be read: {_first_line(error)}") from error
    if found.is_sweep_override():
        raise ValueError(f"{name}={text} has several values; write them as a list: [{text}]")
    value: object = found.value()
    return value


def _iterate_leaf_paths(path: str, value: object) -> Iterator[str]:
    """Yield the paths of what a value holds, or the path itself if it holds no keys."""
    if isinstance(value, Mapping) and value:
        for key, inside in value.items():
            yield from _iterate_leaf_paths(f"{path}.{key}", inside)
    else:
        yield path


def _first_line(error: Exception) -> str:
    """Return the first line of an error."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


Value = str | int | bool | tuple[str, ...]
"""What a plain key may hold."""

_GROUPS = {"profile": "profile", "suites": "suite", "runner": "runner"}
"""Keys that choose files of a folder of `conf`."""

_PLACES = {item.name: f"family.{item.family}.{item.name}" for item in FAMILY_KEYS}
"""Where the configuration holds what families are told."""

_OWN = (".yaml", ".yml")
"""Endings of files of suites that lie anywhere."""


def resolve_settings(typed: BuildArguments) -> tuple[Settings, str]:
    """Return the settings that what was typed asks for, and the whole configuration as YAML.

    Raises:
        ValueError: a key is unknown, or a value is not allowed.
    """
    said: dict[str, Value | None] = {item.name: getattr(typed, item.name) for item in fields(typed)}
    values = {
        name: value
        for name, value in said.items()
        if value is not None and name not in ("show", "dotted")
    }
    texts = {name: _format_value(value) for name, value in values.items()}
    own = [name for name in typed.suites or () if name.endswith(_OWN)]
    if own:
        values["suites"] = tuple(name for name in typed.suites or () if name not in own)
    overrides = [_format_override(name, value) for name, value in values.items()]
    for key, group in _GROUPS.items():
        chosen = values.get(key, ())
        for name in chosen if isinstance(chosen, tuple) else [str(chosen)]:
            if name not in list_conf_files(group):
                raise unknown_word_error(key.removesuffix("s"), name, list_conf_files(group))
    if values.get("suites") == () and not own:
        raise ValueError(
            f"suites=[] builds nothing; name one of {', '.join(list_conf_files('suite'))}"
        )
    files, dotted = (
        [expand_home(name) for name in own],
        [split_key_value(word) for word in typed.dotted],
    )
    try:
        composed = compose_config(overrides, files, dotted)
    except UnknownConfigPath as error:
        raise unknown_word_error(error.what, error.part, error.known) from None
    return settings_from_config(composed, texts), composed.text


def _format_value(value: Value) -> str:
    """Return a value as it is typed."""
    if isinstance(value, tuple):
        return f"[{','.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _format_override(name: str, value: Value) -> str:
    """Return a plain key as a Hydra override, quoted so that Hydra reads it as it stands."""
    target = _GROUPS.get(name, _PLACES.get(name, name))
    if isinstance(value, tuple):
        return f"{target}=[{','.join(_quote_text(item) for item in value)}]"
    if isinstance(value, bool | int):
        return f"{target}={str(value).lower()}"
    return f"{target}={value if name in _GROUPS else _quote_text(value)}"


def _quote_text(text: str) -> str:
    """Return a text as a quoted value of Hydra: backslashes count only in front of a quote."""
    inner = re.sub(r'(\\*)("|$)', lambda m: m[1] * 2 + (r"\"" if m[2] else ""), text)
    return '"' + inner.replace("${", r"\${") + '"'


def read_params(task: AnyTask, values: Mapping[str, object], where: str) -> Params:
    """Return a task's params record from plain values, validated.

    Args:
        task: the task.
        values: plain values by name; the others keep their defaults.
        where: the config that they are for, for errors.

    Raises:
        ValueError: a param is unknown, or its value has the wrong type or is out of range.
    """
    hints = _read_hints(task.params)
    names = [item.name for item in dataclasses.fields(task.params)]
    given: dict[str, object] = {}
    for name, value in values.items():
        if name not in names:
            raise unknown_word_error(f"param of {task.name} in {where}:", name, names)
        value = tuple(value) if isinstance(value, list | tuple) else value
        if not _is_of_type(value, hints[name]):
            raise ValueError(
                f"{where}.params.{name}={value!r} has the wrong type; {task.name} wants "
                f"{_format_type(hints[name])}"
            )
        given[name] = value
    params: Params = task.params(**given)
    try:
        params.validate()
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return params


@once_per_class
def _read_hints(record: type[Any]) -> Mapping[str, Any]:
    """Return the annotations of a record; to make them takes milliseconds."""
    return get_type_hints(record)


def _format_type(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _is_of_type(value: object, hint: Any) -> bool:
    """Whether a plain value is of an annotated type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is_of_type(value, option) for option in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(_is_of_type(item, args[0]) for item in value)
        return len(value) == len(args) and all(map(_is_of_type, value, args))
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
