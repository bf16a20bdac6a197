"""Find the paper of each package here, and the paper of a suite or a task."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module

from facelet.pipeline import papers as house
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers.paper import Paper, ReplyRule


@cache
def load_papers() -> Mapping[str, Paper]:
    """Return all papers by name, in the order of lists.

    Raises:
        TypeError: a folder exports no PAPER.
        ValueError: a folder exports a paper of another name.
    """
    found = [_load_paper(part.name) for part in pkgutil.iter_modules(house.__path__) if part.ispkg]
    return {
        paper.name: paper for paper in sorted(found, key=lambda one: (one.sort_order, one.name))
    }


def _load_paper(name: str) -> Paper:
    path = f"{house.__name__}.{name}"
    found = getattr(import_module(path), "PAPER", None)
    if not isinstance(found, Paper):
        raise TypeError(f"{path} exports no PAPER; every folder of {house.__name__} must")
    if found.name != name:
        raise ValueError(
            f"{path} exports the paper {found.name!r}; name it {name!r}, or rename the folder"
        )
    return found


def find_suite_paper(suite: str) -> Paper | None:
    """Return the paper whose suite this is, or None: the one whose name goes on least behind."""
    found = [
        (len(ending), paper)
        for paper in load_papers().values()
        if (ending := paper.suite_ending(suite)) is not None
    ]
    return min(found, key=lambda entry: entry[0])[1] if found else None


@cache
def find_task_paper(task: str) -> Paper | None:
    """Return the paper that a task is from, or None."""
    found = [
        (len(start), paper)
        for paper in load_papers().values()
        for start in paper.tasks
        if task.startswith(start)
    ]
    return max(found, key=lambda entry: entry[0])[1] if found else None


def find_reply_rule(task: AnyTask, instance: object) -> ReplyRule | None:
    """Return how the paper of a task parses the replies to an instance; None if it does not say."""
    return _find_bound_rule(task, task.reply_form(instance))


@lru_cache(maxsize=1024)
def _find_bound_rule(task: AnyTask, form: str) -> ReplyRule | None:
    paper = find_task_paper(task.name)
    rule = paper.reply_rules.get(form) if paper else None
    return None if rule is None else rule.bind_task(task)
