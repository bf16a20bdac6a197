"""Suites of one's own: files of the layout of `conf/suite/` that lie anywhere.

`facelet build 'suites=[mine.yaml]'` builds them; suites that Facelet has may stand beside them. A
file holds one suite or more by name, and its names are none of Facelet's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import QuotedString
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from facelet.pipeline.config.schema import SuiteSchema

ENDINGS = (".yaml", ".yml")


def read_suites(paths: Sequence[Path], known: Sequence[str]) -> dict[str, DictConfig]:
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
            raise ValueError(f"suites={path} cannot be read: {_first(error)}") from error
        if not isinstance(content, DictConfig) or not content:
            raise ValueError(f"suites={path} holds no suite; write `name: {{tasks: ...}}`")
        for name, suite in content.items():
            if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]{0,31}", name):
                raise ValueError(
                    f"suites={path}: {name!r} is no name of a suite; use at most 32 letters a-z, "
                    "digits and _, a letter first"
                )
            if name in known or name in found:
                raise ValueError(f"suites={path}: there is a suite {name} already; rename it")
            try:
                merged = OmegaConf.merge(OmegaConf.structured(SuiteSchema), suite)
            except (OmegaConfBaseException, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"suites={path}: {name} is no suite: {_first(error)}") from error
            assert isinstance(merged, DictConfig)
            found[name] = merged
    return found


def with_suites(
    config: DictConfig, suites: Mapping[str, DictConfig], words: Sequence[str] = ()
) -> DictConfig:
    """Return a configuration with more suites.

    Args:
        config: the configuration.
        suites: the suites by name.
        words: what to change in them, as Hydra writes it: ++suite.name.tasks.task.count=5.

    Raises:
        ValueError: a word sets what cannot be set.
    """
    if not suites:
        return config
    try:
        opened = config.copy()
        OmegaConf.set_struct(opened, False)
        merged = OmegaConf.merge(opened, {"suite": dict(suites)})
        for path, value in map(read_override, words):
            OmegaConf.update(merged, path, value)
        OmegaConf.set_struct(merged, True)
    except OmegaConfBaseException as error:
        raise ValueError(f"the configuration cannot be read: {_first(error)}") from error
    assert isinstance(merged, DictConfig)
    return merged


def read_override(word: str) -> tuple[str, object]:
    """Return the path that an override of Hydra's names, and the plain value that it sets there.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        found = OverridesParser.create().parse_override(word)
    except HydraException as error:
        raise ValueError(f"the configuration cannot be read: {_first(error)}") from error
    return found.key_or_group, _plain(found.value())


def _plain(value: object) -> object:
    """Return what Hydra's grammar reads as plain values: quoted texts are texts."""
    if isinstance(value, QuotedString):
        return value.text
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(inside) for key, inside in value.items()}
    return [_plain(inside) for inside in value] if isinstance(value, list) else value


def _first(error: Exception) -> str:
    """Return the first line of an error."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
