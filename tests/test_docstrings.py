"""Docstrings: a public function of three or more arguments says what each of them is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import facelet

ROOT = Path(facelet.__file__).parent
PACKAGES = ("pipeline", "renderers")
FEW = 2
"""Up to so many arguments may be told in the sentence that says what a function does."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(body: list[ast.stmt]) -> Iterator[Function]:
    """Yield the public functions of a module, and the public methods of its public classes."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from public_functions(node.body)
            else:
                yield node


def argument_names(node: Function) -> list[str]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [argument.arg for argument in every if argument.arg not in ("self", "cls")]


def find_faults(source: str) -> list[str]:
    """Return what is missing from the docstrings of a module, a line each."""
    found = []
    for node in public_functions(ast.parse(source).body):
        names = argument_names(node)
        if len(names) <= FEW:
            continue
        told = re.search(
            r"^Args:\n((?:^(?: +.*)?\n?)+)", ast.get_docstring(node) or "", re.MULTILINE
        )
        described = re.findall(r"^ {4}\*{0,2}(\w+):", told[1], re.MULTILINE) if told else []
        if missing := [name for name in names if name not in described]:
            found.append(f"{node.name}, line {node.lineno}: {', '.join(missing)}")
    return found


MODULES = sorted(
    path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob("*.py")
)


@pytest.mark.parametrize("path", MODULES)
def test_arguments_are_described(path: str) -> None:
    assert find_faults((ROOT / path).read_text(encoding="utf-8")) == []


GOOD = '''
class Folder:
    def move(self, source, target, *, replace):
        """Move a file.

        Args:
            source: where it is.
            target: where it goes,
                in this folder.
            replace: whether a file there gives way.

        Raises:
            OSError: it cannot.
        """

    def _hidden(self, a, b, c): ...

def two(a, b):
    """Both are told here."""

def _private(a, b, c): ...
'''


def test_the_check_can_fail() -> None:
    assert find_faults(GOOD) == []
    assert find_faults(GOOD.replace("            source: where it is.\n", "")) == [
        "move, line 3: source"
    ]
    assert find_faults(GOOD.replace("Args:", "Arguments:")) == [
        "move, line 3: source, target, replace"
    ]
    assert find_faults(GOOD.replace("def two(a, b)", "def two(a, b, *, c=0)")) == [
        "two, line 18: a, b, c"
    ]
