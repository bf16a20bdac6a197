"""Names and size of the product, measured: shares that may fall and never rise.

A function is a verb with its object, a module a noun. Private names count, since the next engineer
reads them most. Size is counted in statements without docstrings, as clear names make longer lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("pipeline", "generators", "renderers", "src")
MAX_STATEMENTS = 57_000
MAX_ONE_WORD = 0.30
MAX_PARTICIPLE = 0.01
MAX_GERUND_MODULES = 20
WEAK_VERBS = frozenset({"do", "get", "make", "handle"})
"""Verbs that add no meaning to a name."""

IRREGULAR = frozenset(
    "told held shown drawn known given taken made written said kept found won seen done led left"
    " spoken born begun chosen fallen gone grown heard laid met run sent sought stood thrown".split()  # noqa: E501
) - {"found", "left", "run"}
"""Participles without -ed; words that are also nouns, verbs or directions are left out."""

ED_WORDS = frozenset({"seed", "need", "speed", "embed", "feed", "red", "bed", "shed", "exceed"})
"""Words in -ed that are no participles."""


def product_files() -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.is_symlink() and not any(part.is_symlink() for part in path.parents):
                yield path, ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def modules() -> list[tuple[Path, ast.Module]]:
    return list(product_files())


@pytest.fixture(scope="module")
def functions(modules: list[tuple[Path, ast.Module]]) -> list[str]:
    """The names of all functions and methods, those with double underscores left out."""
    return [
        node.name.strip("_")
        for _, tree in modules
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not re.fullmatch(r"__\w+__", node.name)
    ]


def split_words(name: str) -> list[str]:
    return [word for word in name.split("_") if word]


def is_one_word(name: str) -> bool:
    words = split_words(name)
    return len([word for word in words if word not in WEAK_VERBS]) <= 1


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("ed") and word not in ED_WORDS)


def test_few_functions_are_named_by_one_word(functions: list[str]) -> None:
    share = sum(map(is_one_word, functions)) / len(functions)
    assert share <= MAX_ONE_WORD, f"{share:.1%} of {len(functions)} functions have a one-word name"


def test_hardly_a_function_begins_with_a_participle(functions: list[str]) -> None:
    found = sorted(name for name in functions if is_participle(split_words(name)[0]))
    assert len(found) / len(functions) <= MAX_PARTICIPLE, found


def test_few_modules_are_gerunds(modules: list[tuple[Path, ast.Module]]) -> None:
    """Modules of `tasks` are named by the published names of their tasks."""
    names = {
        path.stem if path.stem != "__init__" else path.parent.name
        for path, _ in modules
        if path.parent.name != "tasks"
    }
    found = sorted(name for name in names if name.endswith("ing") and name != "spring")
    assert len(found) <= MAX_GERUND_MODULES, found


def count_statements(tree: ast.Module) -> int:
    """Return the number of statements of a module without strings that stand alone."""
    return sum(
        isinstance(node, ast.stmt)
        and not (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        for node in ast.walk(tree)
    )


def test_the_product_does_not_grow(modules: list[tuple[Path, ast.Module]]) -> None:
    total = sum(count_statements(tree) for _, tree in modules)
    print(f"{total} statements")
    assert total <= MAX_STATEMENTS
