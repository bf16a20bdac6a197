"""Small datasets of toy tasks; toy_tasks.py makes their items, toy_publishing.py writes them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import toy_publishing
import toy_tasks

from facelet import generators


@pytest.fixture(scope="session")
def toys() -> SimpleNamespace:
    return SimpleNamespace(
        tasks=toy_tasks.TASKS,
        lookup=toy_tasks.TASKS.__getitem__,
        fair_cells=toy_tasks.make_fair_cells,
        write_config=toy_publishing.write_toy_config,
        write_manifest=toy_publishing.write_manifest,
        write_shard=toy_publishing.write_toy_shard,
        words=toy_tasks.WORDS,
        letters=toy_tasks.LETTERS,
        classes=toy_tasks.CLASSES,
        replace=replace,
    )


@pytest.fixture(scope="session")
def toy_dataset(toys: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fair dataset of all toys, with its manifest. Tests copy it before they change it."""
    return toy_publishing.build_dataset(tmp_path_factory.mktemp("toys"), items=64, per_shard=37)


@pytest.fixture(scope="session")
def small_dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an eighth of the items, in shards of 7 rows."""
    return toy_publishing.build_dataset(tmp_path_factory.mktemp("small"), items=8, per_shard=7)


@pytest.fixture(scope="session")
def tamper() -> Callable[..., None]:
    """Return a function that changes one row of a dataset on disk."""
    return toy_publishing.tamper_row


@pytest.fixture
def toy(monkeypatch):
    """The toy family, installed for one test; the module toy_build builds it."""
    import toy_build

    from facelet.pipeline.build import manifest_writer

    monkeypatch.setitem(sys.modules, "facelet.generators.toy.tasks.count", None)
    monkeypatch.setattr(manifest_writer, "code_version", manifest_writer.code_version)
    monkeypatch.setitem(sys.modules, "facelet.pipeline.toy.numbers", None)
    toy_build.install_toys()
    return toy_build


@pytest.fixture(scope="session")
def published():
    """A function: the hashes of all published files of a dataset folder, by path."""

    def hash_files(out):
        return {
            path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(Path(out).rglob("*"))
            if path.is_file() and ".facelet" not in path.relative_to(out).parts
        }

    return hash_files


class TwoFamilies:
    """The toy task twice, as the families apple and pear in folders of their own."""

    NAMES = ("apple", "pear")
    TASK = """
import toy_family
from facelet.generators.{name} import helping


class Task(toy_family.ToyTask):
    name = "{name}/count"

    def needs(self, params):
        return None

    def generate(self, params, draw, resource):
        return super().generate(params, draw, toy_family.ToyNumbers(helping.NUMBERS))


TASK = Task()
"""

    def __init__(self, root: Path, entry: Callable[..., Any]) -> None:
        self.root = root
        self.entries = tuple(entry("toys", name, f"{name}/count") for name in self.NAMES)
        for name in self.NAMES:
            (root / name / "tasks").mkdir(parents=True)
            (root / name / "__init__.py").write_text("")
            (root / name / "helping.py").write_text("NUMBERS = tuple(range(1, 30)) * 6\n")
            (root / name / "tasks" / "count.py").write_text(self.TASK.format(name=name))

    def add(self, name: str, text: str) -> None:
        """Add a text to a family, whose modules are as if they had never been imported."""
        with (self.root / name / "helping.py").open("a") as file:
            file.write(text)
        self.forget(name)

    @staticmethod
    def forget(*names: str) -> None:
        for module in list(sys.modules):
            if any(f"{module}.".startswith(f"facelet.generators.{name}.") for name in names):
                del sys.modules[module]
        for name in names:
            if name in vars(generators):
                delattr(generators, name)


@pytest.fixture
def two_families(toy, tmp_path, monkeypatch):
    """The families apple and pear, of one toy task each; `add` changes one of them."""
    made = TwoFamilies(tmp_path / "families", toy.SuiteTask)
    monkeypatch.setattr(generators, "__path__", [*generators.__path__, str(made.root)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield made
    made.forget(*made.NAMES)
