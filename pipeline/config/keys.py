"""The keys of `facelet build`: those of every build, and those that a family can be told.

What a family can be told stands in `conf/family/<family>.yaml`, a key each: its `default`,
`allowed` (or the `choices`), `doc`, `shown`, how the help page shows the default, and `param`,
whether tasks have a param of that name.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from facelet.pipeline.config.settings import UNFAIR
from facelet.pipeline.families import Told
from facelet.pipeline.words import Key, unknown

SWEPT = ("depth", "level")
"""Params that a key sweeps: a task that has one makes a cell of each value asked for.

The key of `depth` is `depths`, and `max_depth` bounds it; an entry of a suite has both as well.
"""


def choices(group: str) -> list[str]:
    """Return the names of the files in a folder of `conf`."""
    names = (Path(item.name) for item in (files("facelet.conf") / group).iterdir())
    return sorted(name.stem for name in names if name.suffix == ".yaml")


def _usual(group: str) -> str:
    """Return what `conf/config.yaml` takes from a folder of `conf`, as the help page shows it."""
    content: Any = OmegaConf.load(str(files("facelet.conf") / "config.yaml"))
    (chosen,) = (part[group] for part in content.defaults if group in part)
    return f"[{', '.join(chosen)}]"


@dataclass(frozen=True, slots=True)
class FamilyKey:
    """Something that a family can be told.

    Attributes:
        family: the family.
        key: the key of the command line.
        default: its value unless somebody sets another.
        choices: the values it may have; none for any text.
        param: whether it is a param of tasks, which a suite can set as well.
    """

    family: str
    key: Key
    default: str | None
    choices: tuple[str, ...]
    param: bool


def _family_keys() -> tuple[FamilyKey, ...]:
    """Return what all families can be told, by family."""
    return tuple(
        _family_key(family, str(name), content)
        for family in choices("family")
        for name, content in _content(family).items()
    )


def _content(family: str) -> dict[Any, Any]:
    """Return what a family's file says."""
    text = (files("facelet.conf") / "family" / f"{family}.yaml").read_text(encoding="utf-8")
    return dict(OmegaConf.create(text))


def _family_key(family: str, name: str, content: dict[str, Any]) -> FamilyKey:
    """Return one key of a family."""
    default, allowed = content.get("default"), tuple(content.get("choices", ()))
    shown = str(content.get("shown", default or ""))
    key = Key(name, "str", shown, content.get("allowed", ", ".join(allowed)), content["doc"])
    return FamilyKey(family, key, default, allowed, bool(content.get("param", False)))


FAMILY_KEYS = _family_keys()
"""What families can be told."""

KEYS: tuple[Key, ...] = (
    Key("profile", "str", "paper", ", ".join(choices("profile")), "How many items, how deep."),
    Key(
        "suites",
        "list",
        _usual("suite"),
        f"{', '.join(choices('suite'))}, or files of suites that end in .yaml",
        "Suites to build.",
    ),
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
        "26 (smoke: 5), or none with depths=...",
        "at least 1",
        "Depths beyond it are left out; a task of a suite may have a lower one of its own.",
    ),
    Key(
        "levels",
        "str",
        "what the suites say",
        "whole numbers from 1 on, as 1-3 or 1,2,5-8",
        "Levels of the tasks that have levels, instead of those that a suite names; a task of a "
        "suite may be confined to some.",
    ),
    Key("max_level", "int", "none", "at least 1", "Levels beyond it are left out."),
    Key(
        "count",
        "int",
        "100 (smoke: 8, large: 1000)",
        "at least 1",
        "Items per condition and depth, over all splits; fewer where a depth has fewer states. "
        "Wins over a count that a suite has; some tasks of suites make a multiple of it (times).",
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
    Key(
        "author",
        "str",
        "The Facelet authors",
        "names as BibTeX writes them: A. Person and B. Person",
        "Who made the dataset, for the citation in its card.",
    ),
    Key("year", "int", "that of this release", "1900 to 2999", "Its year, for the citation."),
    Key(
        "address",
        "str",
        "that of the repository, once published",
        "https://...",
        "Where the dataset is found, for the citation.",
    ),
    Key("out", "str", "data/out/<name>", "a folder", "Where the dataset goes; rerun to resume."),
    Key(
        "replace",
        "bool",
        "false",
        "true, false",
        "Replace a dataset of another configuration that stands in `out`.",
    ),
    Key(
        "unfair",
        "str",
        "refuse",
        ", ".join(UNFAIR),
        "A dataset that its audit finds unfair: no dataset, or one whose card says so.",
    ),
    Key("workers", "int", "all cores", "at least 1", "Processes. Never changes the output."),
    Key(
        "runner",
        "str",
        "local",
        ", ".join(choices("runner")),
        "Where the work is done; runner.address=... names a Dask or Ray scheduler.",
    ),
    Key(
        "progress",
        "bool",
        "if stderr is a terminal",
        "true, false",
        "Progress bars on stderr.",
    ),
    Key("quiet", "bool", "false", "true, false", "Say nothing but errors, on stderr."),
    *(item.key for item in FAMILY_KEYS),
)
"""The plain keys of `facelet build`."""


def family_defaults() -> dict[str, dict[str, str | None]]:
    """Return what each family is told by default."""
    found: dict[str, dict[str, str | None]] = {}
    for item in FAMILY_KEYS:
        found.setdefault(item.family, {})[item.key.name] = item.default
    return found


def check_told(told: dict[str, dict[str, Any]]) -> dict[str, Told]:
    """Return what each family is told, if it can be.

    Args:
        told: by family and key.

    Raises:
        ValueError: a family or key is unknown, or a value is not one of the key's choices.
    """
    for family, values in told.items():
        known = {item.key.name: item for item in FAMILY_KEYS if item.family == family}
        for name, value in values.items():
            if name not in known:
                raise unknown(f"key of the family {family!r}:", name, list(known))
            allowed = known[name].choices
            if allowed and value not in allowed:
                raise unknown(name, str(value), list(allowed))
            if not isinstance(value, str | None):
                raise ValueError(f"family.{family}.{name}={value!r} must be a text")
    return {family: dict(values) for family, values in told.items()}
