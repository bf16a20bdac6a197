"""Configuration of a build: Hydra composes the files in `conf/`, the command line overrides them.

`facelet build` takes `key=value` words. The plain keys in KEYS are read strictly here; dotted keys
reach into a task of a suite (`cube_bench.move_effect.max_depth=20`) or into the sizes of the pieces
of work (`stage.emit.rows=512`). Hydra's own folders and logs are never written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from facelet.pipeline.config.schema import BuildSchema
from facelet.pipeline.config.settings import Entry, Runner, Settings, Stages
from facelet.pipeline.options import (
    DEPTH_LIMIT,
    Key,
    check_range,
    expand,
    parse_depths,
    parse_splits,
    read_words,
    split_word,
    unknown,
)

TABLES = ("small", "default", "large")


def _choices(group: str) -> list[str]:
    """Return the names of the files in a folder of `conf`."""
    names = (Path(item.name) for item in (files("facelet.conf") / group).iterdir())
    return sorted(name.stem for name in names if name.suffix == ".yaml")


KEYS: tuple[Key, ...] = (
    Key("profile", "str", "paper", ", ".join(_choices("profile")), "How many items, how deep."),
    Key("suites", "list", "[cube_bench]", ", ".join(_choices("suite")), "Suites to build."),
    Key(
        "tasks",
        "list",
        "[]",
        "names such as move_effect or cube/move_effect; [] for all",
        "Only these tasks of the suites.",
    ),
    Key(
        "depths",
        "str",
        "1-20 (smoke: 1-5)",
        "1 to 20 (htm) or 1 to 26 (qtm), as 1-20 or 1,2,5-8",
        "Optimal depths, proven.",
    ),
    Key(
        "max_depth",
        "int",
        "26 (smoke: 5)",
        "at least 1",
        "Depths beyond it are left out; a task of a suite may have a lower one of its own.",
    ),
    Key(
        "count",
        "int",
        "100 (smoke: 8, large: 1000)",
        "at least 1",
        "Items per condition and depth, over all splits; fewer where a depth has fewer states.",
    ),
    Key(
        "metric",
        "str",
        "htm",
        "htm (half turns count 1), qtm (they count 2)",
        "What a depth counts.",
    ),
    Key(
        "splits",
        "str",
        "test:1",
        "name:weight pairs such as train:8,test:2",
        "Splits, disjoint up to the cube's symmetry, and how they share the items.",
    ),
    Key(
        "seed",
        "int",
        "0",
        "any whole number of at most 18 digits",
        "Root of all randomness. The same configuration gives the same bytes, always.",
    ),
    Key("name", "str", "facelet-<profile>", "letters, digits, - and _", "Name of the dataset."),
    Key("out", "str", "data/out/<name>", "a folder", "Where the dataset goes; rerun to resume."),
    Key(
        "replace",
        "bool",
        "false",
        "true, false",
        "Replace a dataset of another configuration that stands in `out`.",
    ),
    Key("workers", "int", "all cores", "at least 1", "Processes. Never changes the output."),
    Key(
        "runner",
        "str",
        "local",
        ", ".join(_choices("runner")),
        "Where the work is done; runner.address=... names a Dask or Ray scheduler.",
    ),
    Key(
        "table",
        "str",
        "default (smoke: small)",
        ", ".join(TABLES),
        "Pruning table of the exact solver: larger is faster on deep states, and slower to build.",
    ),
    Key(
        "cache",
        "str",
        "$FACELET_CACHE or ~/.cache/facelet",
        "a folder",
        "Where pruning tables are kept between builds.",
    ),
    Key("progress", "bool", "true", "true, false", "Progress bars on stderr."),
)
"""The plain keys of `facelet build`."""  # fmt: skip

_GROUPS = {"profile": "profile", "suites": "suite", "runner": "runner"}


def resolve(words: Sequence[str]) -> tuple[Settings, str]:
    """Return the settings that command-line words ask for, and the whole configuration as YAML.

    Raises:
        ValueError: a word is no key=value, a key is unknown, or a value is not allowed.
    """
    plain = [word for word in words if "." not in split_word(word)[0]]
    dotted = [word for word in words if "." in split_word(word)[0]]
    values = read_words(plain, KEYS)
    for key, group in _GROUPS.items():
        chosen = values.get(key, [])
        for name in chosen if isinstance(chosen, list) else [str(chosen)]:
            if name not in _choices(group):
                raise unknown(key.removesuffix("s"), name, _choices(group))
    if values.get("suites") == []:
        raise ValueError(f"suites=[] builds nothing; name one of {', '.join(_choices('suite'))}")
    overrides = [_override(name, value) for name, value in values.items()]
    config = _compose(overrides)
    if dotted:
        config = _compose(overrides + [_dotted(word, config) for word in dotted])
    return _settings(config), OmegaConf.to_yaml(config)


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


def _override(name: str, value: str | int | bool | list[str]) -> str:
    """Return a plain key as a Hydra override, quoted so that Hydra reads it as it stands."""
    target = _GROUPS.get(name, name)
    if isinstance(value, list):
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
    node: Any = config
    for place, part in enumerate(parts):
        if parts[0] == "suite" and place == 5 and parts[4] in ("params", "sweep"):
            break  # the names of knobs are the task's, and checked when the plan is made
        if not isinstance(node, DictConfig) or part not in node:
            known = [str(key) for key in node] if isinstance(node, DictConfig) else []
            raise unknown(f"part of the key {name!r}:", part, known)
        node = node[part]
    # A comma outside quotes would be a sweep to Hydra.
    written = _quote(value) if parts[0] == "suite" and parts[-1] == "depths" else value
    return f"++{'.'.join(parts)}={written}"


def _settings(config: DictConfig) -> Settings:
    """Return the settings that a composed configuration means.

    Raises:
        ValueError: a value is out of its range.
    """
    if config.metric not in DEPTH_LIMIT:
        raise unknown("metric", config.metric, list(DEPTH_LIMIT))
    if config.table not in TABLES:
        raise unknown("table", config.table, list(TABLES))
    for name in ("count", "max_depth"):
        check_range(name, config[name], 1)
    if config.workers is not None:
        check_range("workers", config.workers, 1)
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
        entries=_entries(config),
        depths=parse_depths(config.depths, config.metric),
        max_depth=config.max_depth,
        count=config.count,
        metric=config.metric,
        splits=parse_splits(config.splits),
        seed=config.seed,
        table=config.table,
        out=expand(config.out or f"data/out/{name}"),
        cache=expand(config.cache) if config.cache else None,
        stages=stages,
        runner=Runner(config.runner.backend, config.runner.address, config.workers),
        progress=config.progress,
        replace=config.replace,
    )


def _own_depths(suite: str, name: str, text: str | None, metric: str) -> tuple[int, ...] | None:
    """Return the depths that an entry of a suite is confined to, None for all."""
    return None if text is None else parse_depths(text, metric, f"{suite}.{name}.depths")


def _entries(config: DictConfig) -> tuple[Entry, ...]:
    """Return the entries of the chosen suites that the key `tasks` lets through."""
    content = OmegaConf.to_container(config.suite, resolve=True)
    assert isinstance(content, dict)
    found = [
        Entry(
            suite=str(suite),
            name=str(name),
            task=entry["task"],
            params=entry["params"],
            sweep={key: tuple(values) for key, values in entry["sweep"].items()},
            depths=_own_depths(str(suite), str(name), entry["depths"], config.metric),
            max_depth=entry["max_depth"],
            count=entry["count"],
            times=entry["times"],
        )
        for suite, part in content.items()
        for name, entry in part["tasks"].items()
    ]
    for word in config.tasks:
        if not any(word in (entry.name, entry.task, entry.config) for entry in found):
            raise unknown("task", word, [entry.name for entry in found])
    wanted = set(config.tasks)
    return tuple(e for e in found if not wanted or wanted & {e.name, e.task, e.config})
