"""A new user's folder: an environment made from a wheel, and a clone named facelet beside it.

The environment has only what the wheel needs: packages of the extras are hidden, unless it is made
with them. The system's locale is C. Nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from documents import ROOT

HIDE = """
import re, sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

from packaging.requirements import Requirement


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


kept, todo = set(), ["facelet"]
while todo:
    name = normal(todo.pop())
    if name not in kept:
        kept.add(name)
        try:
            needs = map(Requirement, requires(name) or ())
        except PackageNotFoundError:
            continue
        todo += [one.name for one in needs if not one.marker or one.marker.evaluate({"extra": ""})]
hidden = {
    top
    for top, distributions in packages_distributions().items()
    if not any(normal(one) in kept for one in distributions)
}


class PlainFinder:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *more):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, *more)


sys.meta_path[:] = [PlainFinder(one) for one in sys.meta_path if hasattr(one, "find_spec")]
for name in [one for one in sys.modules if one.partition(".")[0] in hidden]:
    del sys.modules[name]
"""
"""Hides packages that only extras install, as a plain installation lacks them."""


class NewUser:
    """Where a new user works.

    Attributes:
        folder: the folder.
        env: the variables of what runs there.
    """

    def __init__(self, folder: Path, *, extras: bool) -> None:
        """Build the wheel, install it into `.venv`, and clone the sources beside it."""
        self.folder = folder
        kept = {k: v for k, v in os.environ.items() if not re.match("MAKE|PYTEST|PYTHON|LC_", k)}
        self.env = kept | {"LC_ALL": "C"}
        venv.create(folder / ".venv", with_pip=False)
        python = folder / ".venv" / "bin" / "python"
        (site,) = (folder / ".venv" / "lib").glob("python*/site-packages")
        pip = f"{sys.executable} -m pip --python {python} install --quiet --no-index --no-deps"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), "facelet"], cwd=folder, check=True)
        told = self.env | {"FACELET_COMPILE": "none"}
        wheel = f"{sys.executable} -m pip wheel --quiet --no-index --no-deps --no-build-isolation"
        for line in (f"{wheel} -w dist ./facelet", f"{pip} --ignore-installed dist/*.whl"):
            subprocess.run(line, shell=True, cwd=folder, env=told, check=True)
        for part in ("generators", "pipeline"):  # What was compiled here is not compiled again.
            for path in (ROOT / part).rglob("_*.so"):
                shutil.copy2(path, site / "facelet" / path.relative_to(ROOT))
        (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        if not extras:
            (site / "hide_extras.pth").write_text("import hide_extras\n")
            (site / "hide_extras.py").write_text(HIDE)

    def run_line(self, line: str, *, status: int = 0, said: str = "") -> str:
        """Return what a line of the shell prints.

        Args:
            line: the line.
            status: the exit status that it must have.
            said: what is typed while it runs.
        """
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.env,
            input=said,
            text=True,
            capture_output=True,
        )
        told = f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert done.returncode == status, f"{line}\n{told}"
        assert "Traceback" not in told or "ask your model here" in told, f"{line}\n{told}"
        return done.stdout + done.stderr

    def run_python(self, code: str, document: str, before: str = "", *, status: int = 0) -> str:
        """Return what the Python blocks of a document print, run as one program.

        Args:
            code: the blocks.
            document: name of the document.
            before: what a reader has defined by then.
            status: the exit status that it must have.
        """
        program = self.folder / f"{Path(document).stem}_blocks.py"
        program.write_text(f"{before}\n{code}", encoding="utf-8")
        return self.run_line(f".venv/bin/python {program.name}", status=status)
