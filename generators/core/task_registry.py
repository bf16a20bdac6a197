"""Find the tasks: every module in a family's `tasks` folder exports one TASK.

The task "family/name" is in generators/family/tasks/name.py. So asking for one task imports its
family alone, and names are listed without importing any: a broken family stops only itself.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import Any

from facelet import generators
from facelet.generators.core.task import Task

_NAME = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")


def task_names() -> tuple[str, ...]:
    """Return the names of all tasks, sorted; imports none of them."""
    return tuple(
        sorted(
            f"{family.name}/{module.name}"
            for family in pkgutil.iter_modules(generators.__path__)
            if family.ispkg
            for module in pkgutil.iter_modules(
                [str(Path(root, family.name, "tasks")) for root in generators.__path__]
            )
        )
    )


@cache
def tasks() -> dict[str, Task[Any, Any]]:
    """Return all tasks by name, sorted; imports every family.

    Raises:
        TypeError: a module in a `tasks` folder exports no TASK.
        ValueError: a module exports a task of another name than its place says.
    """
    return {name: load_task(name) for name in task_names()}


def load_task(name: str) -> Task[Any, Any]:
    """Return a task by its name; imports its module alone.

    Args:
        name: "family/task". A dataset may say anything here: no other module is ever imported.

    Raises:
        TypeError: its module exports no TASK.
        ValueError: there is no such task, and the message lists those there are; or its module
            exports a task of another name.
    """
    if not _NAME.fullmatch(name):
        raise _unknown_task_error(name)
    family, module = name.split("/")
    path = f"{generators.__name__}.{family}.tasks.{module}"
    try:
        found = getattr(importlib.import_module(path), "TASK", None)
    except ModuleNotFoundError as error:
        # A package that the task's own module imports and that is missing is another error.
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise
        raise _unknown_task_error(name) from None
    if found is None:
        raise TypeError(f"{path} exports no TASK; every module in a tasks folder must")
    if found.name != name:
        raise ValueError(
            f"{path} exports the task {found.name!r}; name it {name!r}, or move the module"
        )
    task: Task[Any, Any] = found
    return task


def _unknown_task_error(name: str) -> ValueError:
    return ValueError(f"unknown task {name!r}; known tasks: {', '.join(task_names())}")
