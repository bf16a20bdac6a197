"""No module imports itself through others, and no import hides in a string.

Imports under `if TYPE_CHECKING` and inside functions count: a reader of a module follows them too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp
import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "pipeline": "facelet.pipeline",
    "generators": "facelet.generators",
    "renderers": "facelet.renderers",
}

KNOWN_CYCLES: tuple[frozenset[str], ...] = ()
"""Cycles that are still to be broken. Remove an entry with its cycle, and add none."""

KNOWN_STRINGS: frozenset[tuple[str, str]] = frozenset()
"""(importer, imported) by string that are still to be replaced. Remove entries, and add none."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("facelet", cache_dir=None, exclude_type_checking_imports=False)


def find_cycles(graph: grimp.ImportGraph) -> set[frozenset[str]]:
    """Return the groups of modules that import each other in a loop."""
    arrows = nx.DiGraph(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    )
    groups = nx.strongly_connected_components(arrows)
    return {frozenset(group) for group in groups if len(group) > 1}


def find_string_imports(module: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the modules of this program that a module imports by a string.

    A package may load the modules of a folder of its own whose names it finds there.
    """
    package = module.rpartition(".")[0]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else None
        called = node.func.id if isinstance(node.func, ast.Name) else called
        if called not in ("import_module", "__import__"):
            continue
        name = node.args[0]
        if isinstance(name, ast.Constant) and str(name.value).partition(".")[0] == "facelet":
            yield module, str(name.value)
        elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
            prefix = str(name.values[0].value)
            if prefix.startswith("facelet.") and not prefix.startswith(f"{package}."):
                yield module, prefix


def test_no_module_imports_itself_through_others(graph: grimp.ImportGraph) -> None:
    assert len(graph.modules) > 700
    found = find_cycles(graph)
    assert [sorted(cycle) for cycle in found - set(KNOWN_CYCLES)] == []
    broken = [sorted(cycle) for cycle in set(KNOWN_CYCLES) - found]
    assert broken == [], "these cycles are gone: remove them from KNOWN_CYCLES"


def test_nobody_imports_the_root(graph: grimp.ImportGraph) -> None:
    """The root names the public API, so all it names would import itself."""
    assert graph.find_modules_that_directly_import("facelet") <= {"facelet.__main__"}


def test_a_planted_cycle_is_found(graph: grimp.ImportGraph) -> None:
    loop = ("facelet.pipeline.dataset.row_columns", "facelet.pipeline.dataset.row_composer")
    graph.add_import(importer=loop[0], imported=loop[1])
    try:
        assert any(set(loop) <= cycle for cycle in find_cycles(graph) - set(KNOWN_CYCLES))
    finally:
        graph.remove_import(importer=loop[0], imported=loop[1])


def test_no_import_hides_in_a_string() -> None:
    found = {
        pair
        for folder, package in PACKAGES.items()
        for path in sorted((ROOT / folder).rglob("*.py"))
        for pair in find_string_imports(
            ".".join((package, *path.relative_to(ROOT / folder).with_suffix("").parts)),
            ast.parse(path.read_text(encoding="utf-8")),
        )
    }
    assert sorted(found - KNOWN_STRINGS) == []
    assert sorted(KNOWN_STRINGS - found) == [], "these are gone: remove them from KNOWN_STRINGS"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('import_module("facelet.pipeline.card")', "facelet.pipeline.card"),
        ('importlib.import_module("facelet.pipeline.build.x")', "facelet.pipeline.build.x"),
        ('__import__(f"facelet.pipeline.card.{name}")', "facelet.pipeline.card."),
        ('import_module(f"facelet.pipeline.build.forms.{name}")', None),
        ('import_module("numpy")', None),
        ("import_module(name)", None),
    ],
)
def test_a_planted_string_is_found(line: str, found: str | None) -> None:
    pairs = list(find_string_imports("facelet.pipeline.build.runner", ast.parse(line)))
    assert pairs == ([("facelet.pipeline.build.runner", found)] if found else [])
