"""Find tasks, and the pipeline modules of one family, by name.

- the task "cube/navigate" stands in `facelet.generators.cube.tasks.navigate`;
- what the pipeline knows of a family stands in the folder that bears its name: the kind
  "cube/states" names the module `facelet.pipeline.cube.states`, whatever it is a kind of;
- `connect` of a family's module `oracle_tables`, if it has one, readies a process for its episodes.

So a new family has no entry in any list, nothing of a family is imported before something of it is
asked for, and one that cannot be imported stops nothing but its own rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from facelet import pipeline
from facelet.generators.core import task_registry
from facelet.generators.core.task import Task

AnyTask = Task[Any, Any]
"""A task, whatever its params and its instances are."""

Lookup = Callable[[str], AnyTask]
"""Finds a task by its name; see `load_task`."""

FamilySettings = Mapping[str, str | None]
"""What a family is told by a build's configuration: values by key; see `conf/family`."""

NO_SETTINGS: FamilySettings = {}

_KIND = re.compile(r"([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)")


class TaskUnavailable(ValueError):  # noqa: N818 - a fact about the place, not a fault
    """A task that cannot be had here: there is none of that name, or its family is broken."""


def family_name(name: str) -> str:
    """Return the family of a task, or of a kind of need, claim or measure: "cube" of "cube/x"."""
    return name.partition("/")[0]


def load_task(name: str, told: FamilySettings = NO_SETTINGS) -> AnyTask:
    """Return a task, ready to be played in this process.

    Args:
        name: "family/task"; a dataset may say anything here.
        told: what its family is told; see `prepare_family`.

    Raises:
        Unavailable: there is no such task, or importing its family fails.
    """
    try:
        found = task_registry.load_task(name)
        prepare_family(found, told)
    except ValueError as error:
        raise TaskUnavailable(str(error)) from error
    # To import a family is to run its code, which may fail in any way.
    except Exception as error:
        raise TaskUnavailable(
            f"the family {family_name(name)!r} cannot be imported, so there is no {name}: "
            f"{type(error).__name__}: {error}"
        ) from error
    return found


def prepare_family(found: AnyTask, told: FamilySettings = NO_SETTINGS) -> None:
    """Ready this process for the episodes of a task, if its family asks for that.

    Args:
        found: the task.
        told: what its family is told; where it says nothing, what was told before holds.
    """
    if (connect := _find_connector(family_name(found.name))) is not None:
        connect(told)


@cache
def _find_connector(name: str) -> Callable[[FamilySettings], None] | None:
    """Return what readies a process for a family, or None if nothing needs to."""
    module = _import_module(f"{name}/oracle_tables")
    connect: Callable[[FamilySettings], None] | None = None if module is None else module.connect
    return connect


def load_export(kind: str, name: str) -> Any:
    """Return what the module that a kind names exports, such as its PROVIDER.

    Args:
        kind: "family/module", such as "cube/states".
        name: name of the export.

    Raises:
        ValueError: there is no such module, or it exports nothing of that name.
    """
    if (found := find_export(kind, name)) is None:
        place = f"{pipeline.__name__}.{kind.replace('/', '.')}"
        raise ValueError(f"{kind!r} has no {name}: {place} must export one")
    return found


def find_export(kind: str, name: str) -> Any:
    """Return what the module that a kind names exports, or None where a family has none of it.

    Args:
        kind: "family/module", such as "cube/states".
        name: name of the export.
    """
    return getattr(_import_module(kind), name, None)


def _import_module(kind: str) -> Any:
    """Return the module that a kind names, or None if there is none."""
    if (match := _KIND.fullmatch(kind)) is None:
        raise ValueError(f"{kind!r} names no module of a family; write family/module")
    path = f"{pipeline.__name__}.{match[1]}.{match[2]}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        # A package that the module asks for in vain is another matter: that one is told.
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise
        return None
