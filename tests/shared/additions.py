"""A copy of the project with what a stranger would add laid over it, and commands run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("conf", "data", "generators", "pipeline", "renderers", "src", "tests")


def copy_project(copy: Path, *added: Path) -> Path:
    """Return a folder, now a copy of the project with files laid over it."""
    keep = shutil.ignore_patterns("__pycache__", "out", "cache", "newcomer", "newpaper", "newtask")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=keep)
    shutil.copy2(ROOT / "pyproject.toml", copy)
    for folder in added:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
    return copy


def run_python(project: Path, *words: str) -> str:
    """Return what Python prints, run with words in a copy of the project."""
    env = os.environ | {"PYTHONPATH": str(project / "src"), "FACELET_RECORD_GOLDENS": ""}
    env.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(
        [sys.executable, *words], cwd=project, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{words}:\n{done.stdout[-6000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def list_relative_files(folder: Path) -> set[str]:
    """Return the files of a folder, relative to it."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}
