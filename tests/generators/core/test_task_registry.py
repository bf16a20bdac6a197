"""The registry: tasks by name, each from its own module and no other."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from facelet.generators.core import task_registry


def test_names_are_those_of_the_tasks():
    assert (
        list(task_registry.task_names())
        == list(task_registry.tasks())
        == sorted(task_registry.tasks())
    )
    assert {task.name for task in task_registry.tasks().values()} == set(task_registry.task_names())
    assert all(
        task_registry.load_task(name) is task for name, task in task_registry.tasks().items()
    )


@pytest.mark.parametrize(
    "name",
    [
        "",
        "cube",
        "cube/move_efect",
        "nothing/move_effect",
        "cube/tasks/move_effect",
        "cube/../os",
        "core/registry",
        "cube/move_effect.os",
        "Cube/Move_Effect",
        "cube/move_effect\n",
    ],
)
def test_an_unknown_name_is_told_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"unknown task .*known tasks: .*cube/move_effect"):
        task_registry.load_task(name)


def _run_fresh(code: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_one_task_imports_no_other_family_and_no_sibling():
    code = (
        "import sys; from facelet.generators.core import task_registry as registry\n"
        "registry.task_names(); before = {n for n in sys.modules if '.tasks' in n}\n"
        "registry.load_task('jigsaw/perception')\n"
        "own = [n for n in sys.modules if n.startswith('facelet.generators.')]\n"
        "print(sorted(before), sorted(n for n in own\n"
        "    if ('.tasks.' in n or n.split('.')[2] in ('cube', 'labyrinth'))))"
    )
    assert _run_fresh(code) == "[] ['facelet.generators.jigsaw.tasks.perception']"


def test_a_broken_family_stops_its_own_tasks_alone():
    code = (
        "import sys; from facelet.generators.core import task_registry as registry\n"
        "sys.modules['facelet.generators.labyrinth'] = None\n"
        "task = registry.load_task('jigsaw/perception')\n"
        "print(task.name, 'labyrinth/plan' in registry.task_names())\n"
    )
    assert _run_fresh(code) == "jigsaw/perception True"


def test_a_package_that_a_task_lacks_is_named_and_not_taken_for_an_unknown_task():
    code = (
        "import sys; from facelet.generators.core import task_registry as registry\n"
        "sys.modules['facelet.generators.cube.engine.notation'] = None\n"
        "try: registry.load_task('cube/move_prediction')\n"
        "except ModuleNotFoundError as error: print(error.name)\n"
    )
    assert _run_fresh(code) == "facelet.generators.cube.engine.notation"


def test_a_module_without_a_task_and_one_with_another_name_are_told(monkeypatch):
    for exported, error, words in (
        (None, TypeError, "exports no TASK"),
        (SimpleNamespace(name="cube/other"), ValueError, "exports the task 'cube/other'"),
    ):
        module = SimpleNamespace(TASK=exported)
        monkeypatch.setitem(sys.modules, "facelet.generators.cube.tasks.odd", module)
        with pytest.raises(error, match=words):
            task_registry.load_task("cube/odd")
