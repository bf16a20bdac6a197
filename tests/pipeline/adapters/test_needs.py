"""An adapter or verb whose optional package is missing names the extra that installs it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path

import pytest
from new_user import HIDE

from facelet.pipeline import adapters, verbs

ADAPTERS = {
    "gymnasium": ("gymnasium", "gymnasium"),
    "inspect_ai": ("inspect_ai", "inspect"),
    "lm_eval": ("lm_eval", "lm-eval"),
    "openenv": ("openenv", "openenv"),
    "skyrl": ("skyrl_gym", "skyrl"),
    "textarena": ("textarena", "textarena"),
    "trl": ("trl", "trl"),
    "lmms_eval": ("lmms_eval", "lmms-eval"),
    "verifiers": ("verifiers", "verifiers"),
    "verl_tools": ("verl", "verl"),
}
"""Module of the adapter: the package that it needs, and the extra."""

PLAIN = (
    HIDE
    + """
import json
from importlib import import_module

found = {}
for name in json.loads(sys.argv[1]):
    try:
        import_module(name)
    except (ImportError, ValueError) as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps([sorted(hidden), found]))
"""
)
"""Imports modules as a plain installation does: packages that only extras install are hidden."""


@pytest.mark.parametrize("name", ADAPTERS)
def test_without_the_package_it_says_what_to_install(name, monkeypatch):
    package, extra = ADAPTERS[name]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"facelet.pipeline.adapters.{name}", raising=False)
    wanted = requires("facelet")
    (needed, *_) = (one.partition(";")[0] for one in wanted if one.endswith(f'extra == "{extra}"'))
    with pytest.raises(ImportError, match=re.escape(f"`pip install --upgrade '{needed}")):
        import_module(f"facelet.pipeline.adapters.{name}")


def list_modules(package):
    return sorted(path.stem for path in Path(package.__path__[0]).glob("[!_]*.py"))


def list_imports_of_verbs():
    """Return the modules that verbs import when they run."""
    found = set()
    for path in Path(verbs.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and "pipeline" in node.module:
                found.add(node.module)
    return sorted(found)


@pytest.fixture(scope="module")
def failures(tmp_path_factory):
    """What an installation without extras cannot import, with its message."""
    names = [f"facelet.pipeline.adapters.{name}" for name in list_modules(adapters)]
    words = [sys.executable, "-c", PLAIN, json.dumps([*names, *list_imports_of_verbs()])]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, cwd=tmp_path_factory.mktemp("plain")
    )
    hidden, found = json.loads(done.stdout.splitlines()[-1])
    assert {"altair", "gymnasium", "openai", "starlette", "pytest"} <= set(hidden)
    assert not {"datasets", "hydra", "pyarrow"} & set(hidden)
    return found


def test_every_adapter_is_known_here(failures):
    own = {f"facelet.pipeline.adapters.{name}" for name in ADAPTERS}
    assert {name for name in failures if ".adapters." in name} <= own


def test_a_plain_installation_imports_every_verb_or_names_the_extra(failures):
    assert "facelet.pipeline.report.gallery" not in failures
    silent = {name: said for name, said in failures.items() if "pip install" not in said}
    assert not silent
