"""Compose the files in `conf/` and the typed overrides with Hydra.

Suites of one's own are files of the layout of `conf/suite/` that lie anywhere: `facelet build
'suites=[mine.yaml]'` builds them; suites that Facelet has may stand beside them. A file holds one
suite or more by name, and its names are none of Facelet's. Hydra's own folders and logs are never
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from facelet.pipeline.command.shell_completion import list_conf_files
from facelet.pipeline.config.build_keys import SWEEP_PARAMS
from facelet.pipeline.config.config_schema import BuildSchema, ComposedConfig, SuiteSchema

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
