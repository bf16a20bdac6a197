"""Add a task, a game, a family and a paper to a clean clone: `make test-newcomer`.

    python newcomer.py REPOSITORY

Only what CONTRIBUTING.md names is written: modules, suites, a paper's folder. Goldens and a floor
are made by its commands, then `make test` runs. Takes as long as an installation and the tests.
It needs git and the standard library only.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1]
GAME = HERE / "shared" / "arcade_forty_first.py"
TASKS = ("jigsaw/tooth_count", "arcade/higher_or_lower", "guessing/hidden_number", "dots/count")


def run_command(*words: str, folder: Path) -> None:
    """Run a command whose output is shown.

    Raises:
        SystemExit: it failed.
    """
    print(f"$ {' '.join(words)}", flush=True)
    if subprocess.run(words, cwd=folder).returncode:
        raise SystemExit(f"failed: {' '.join(words)}")


def add_files(clone: Path) -> None:
    """Write what a contributor writes by hand into a clone."""
    made_by_commands = shutil.ignore_patterns("golden", "__pycache__")
    for name in ("newtask", "newcomer", "newpaper"):
        shutil.copytree(HERE / name, clone, dirs_exist_ok=True, ignore=made_by_commands)
    shutil.copy2(GAME, clone / "generators" / "arcade" / "tasks" / "higher_or_lower.py")


def main(repository: str) -> None:
    """Add everything to a clone and test it there."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "facelet"
        source = str(Path(repository).resolve())
        run_command("git", "clone", "--quiet", source, str(clone), folder=Path(folder))
        add_files(clone)
        for task in (*TASKS, "renders"):
            run_command("make", "golden", f"TASK={task}", folder=clone)
        run_command("make", "floors", "TASK=guessing/hidden_number", folder=clone)
        run_command("make", "test", folder=clone)


if __name__ == "__main__":
    main(sys.argv[1])
