"""The registry: every module in a family's `tasks` folder exports one TASK and is found here."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

import generators
from generators.core.task import Task


@cache
def tasks() -> dict[str, Task[Any, Any]]:
    """Return all tasks by name, sorted.

    Raises:
        TypeError: a module in a `tasks` folder exports no TASK.
        ValueError: two modules export the same name.
    """
    found: dict[str, Task[Any, Any]] = {}
    for family in pkgutil.iter_modules(generators.__path__, "generators."):
        if not family.ispkg:
            continue
        package = importlib.import_module(family.name)
        if not any(module.name == "tasks" for module in pkgutil.iter_modules(package.__path__)):
            continue
        folder = importlib.import_module(f"{family.name}.tasks")
        for module in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}."):
            task = getattr(importlib.import_module(module.name), "TASK", None)
            if task is None:
                raise TypeError(
                    f"{module.name} exports no TASK; every module in a tasks folder must"
                )
            if task.name in found:
                raise ValueError(f"two modules export the task {task.name!r}")
            found[task.name] = task
    return dict(sorted(found.items()))


def task(name: str) -> Task[Any, Any]:
    """Return a task by its name.

    Raises:
        ValueError: there is no such task; the message lists those there are.
    """
    try:
        return tasks()[name]
    except KeyError:
        known = ", ".join(tasks())
        raise ValueError(f"unknown task {name!r}; known tasks: {known}") from None
