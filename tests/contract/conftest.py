"""What every task is tried with: all its choices, the numbers it names, and some items of each.

All of it follows from the task's params; see `make_resource` in tests/conftest.py for resources.
"""

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from making import count_items, make_item

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.generators.core.task import Need

ITEMS = 24
SEED_PATH = (0, "contract")


def iterate_params(task: Any) -> Iterator[Any]:
    """Yield params records: the default, and each that differs in a choice or a number to try."""
    default = task.params()
    yield default
    hints = get_type_hints(task.params)
    tried = {name: about.tried for name, about, _ in list_params(task.params)}
    for field in dataclasses.fields(task.params):
        hint = hints[field.name]
        choices: tuple[Any, ...] = get_args(hint) if get_origin(hint) is Literal else ()
        for value in choices or tried.get(field.name, ()):
            if value != getattr(default, field.name):
                yield dataclasses.replace(default, **{field.name: value})


def params_label(params: Any) -> str:
    """Return what is special about a params record."""
    default = type(params)()
    special = [
        f"{field.name}={getattr(params, field.name)}"
        for field in dataclasses.fields(params)
        if getattr(params, field.name) != getattr(default, field.name)
    ]
    return ",".join(special) or "default"


@dataclasses.dataclass(frozen=True)
class TaskCase:
    """A task with knobs, and the first items that it makes."""

    task: Any
    params: Any
    items: tuple[tuple[Any, ...], ...]

    @property
    def instances(self) -> list[Any]:
        return [instance for item in self.items for instance in item]


Resource = Callable[[Need | None], Any]
Generate = Callable[[Any, Any, int], tuple[Any, ...]]


@pytest.fixture(scope="session")
def generate(resource: Resource) -> Generate:
    """Return a function that makes item number `index`, as the pipeline does."""

    def make_rows_of_item(task: Any, params: Any, index: int) -> tuple[Any, ...]:
        pool = resource(task.needs(params))
        return make_item(task, params, pool, (*SEED_PATH, task.name), index)

    return make_rows_of_item


@pytest.fixture(scope="session")
def make_case(generate: Generate, resource: Resource) -> Callable[..., TaskCase]:
    """Return a function that makes a case, once."""

    @cache
    def make_once(name: str, params: Any) -> TaskCase:
        task = task_registry.load_task(name)
        count = count_items(task, params, resource(task.needs(params)), ITEMS)
        return TaskCase(
            task, params, tuple(generate(task, params, index) for index in range(count))
        )

    return make_once


CASES = [
    pytest.param(
        (name, params),
        id=f"{name}-{params_label(params)}",
        marks=[pytest.mark.slow] if number % 2 else [],
    )
    for name, task in task_registry.tasks().items()
    for number, params in enumerate(iterate_params(task))
]
"""All tasks with what they are tried with; each second of a task waits for `make test-slow`."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, make_case: Callable[..., TaskCase]) -> TaskCase:
    """A task with knobs and its first items, one after the other over the whole registry."""
    return make_case(*request.param)


@pytest.fixture(scope="session")
def knobs_of() -> Callable[[Any], list[tuple[str, Any]]]:
    """Return a function that lists what a task is tried with, by label."""
    return lambda task: [(params_label(params), params) for params in iterate_params(task)]


@pytest.fixture(scope="session")
def registered() -> frozenset[str]:
    """Return the names of all tasks."""
    return frozenset(task_registry.tasks())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each task once to tests that want a task alone."""
    if "task" in metafunc.fixturenames:
        metafunc.parametrize(
            "task", [pytest.param(t, id=n) for n, t in task_registry.tasks().items()]
        )
