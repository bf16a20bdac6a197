"""A checkout: every package is mapped, a broken one is refused in a line, and none needs links."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = "cube_bench.move_prediction"


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location("backend", ROOT / "src/building/backend.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_folder_with_code_is_a_package(backend: ModuleType) -> None:
    found = set(backend.list_packages())
    for folder in ("conf", "generators", "pipeline", "renderers"):
        for path in (ROOT / folder).rglob("*.py"):
            inside = path.parent.relative_to(ROOT)
            if inside.is_relative_to("conf/docs"):
                continue  # Examples to read; packed as files.
            assert ".".join(("facelet", *inside.parts)) in found, path
    assert not [name for name in found if "__pycache__" in name or "lock" in name]


def test_every_package_is_a_folder(backend: ModuleType) -> None:
    for name in backend.list_packages():
        home = max((p for p in backend.FOLDERS if f"{name}.".startswith(f"{p}.")), key=len)
        rest = name.removeprefix(home).strip(".").split(".") if name != home else []
        assert (ROOT / backend.FOLDERS[home]).joinpath(*rest).is_dir(), name


def test_no_link_is_committed() -> None:
    words = ["git", "ls-files", "--stage"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    assert not [line for line in done.stdout.splitlines() if line.startswith("120000")]


def test_a_checkout_without_a_folder_is_refused_in_one_line(
    backend: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in backend.FOLDERS.values():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(backend, "ROOT", tmp_path)
    backend.list_packages()
    (tmp_path / "renderers").rmdir()
    (tmp_path / "renderers").write_text("../../renderers")  # what a link is without links
    with pytest.raises(SystemExit, match="the folder renderers is missing") as refused:
        backend.list_packages()
    assert "\n" not in str(refused.value)


def run_here(folder: Path, *words: object, **more: str) -> str:
    """Return what a command prints in a folder, far from these sources."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=kept | more, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{words}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def clone_and_install(clone: Path, home: Path, **more: str) -> Path:
    """Clone these sources without links, install the clone, and return the Python that has it."""
    folder = home.parent
    run_here(folder, "git", "-c", "core.symlinks=false", "clone", "--quiet", ROOT, clone)
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    (site,) = run_here(folder, python, "-c", "import site; print(*site.getsitepackages())").split()
    Path(site, "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--ignore-installed")
    run_here(folder, *pip, *options, "-e", clone, **more)
    return python


IMPORTS = """
import facelet.generators.core.task
from facelet import environment
print(environment.__file__)
"""


@pytest.mark.parametrize("links", [True, False])
def test_a_clone_in_the_working_folder_does_not_hide_the_package(
    tmp_path: Path, links: bool
) -> None:
    clone = tmp_path / "facelet"
    python = clone_and_install(clone, tmp_path / "env", FACELET_COMPILE="none")
    if links:
        for name in ("conf", "generators", "pipeline", "renderers"):
            (clone / "src" / "facelet" / name).symlink_to(clone / name)
    for words in (("-c", IMPORTS), ("-c", "import sys; sys.path.pop(0)\n" + IMPORTS)):
        place = run_here(tmp_path, python, *words, LC_ALL="C").strip()
        assert Path(place).resolve() == clone / "pipeline" / "rollout" / "__init__.py"


@pytest.mark.slow
def test_a_clone_without_links_installs_builds_and_scores(tmp_path: Path) -> None:
    clone, home = tmp_path / "clone", tmp_path / "env"
    run_command = partial(run_here, tmp_path)
    python = clone_and_install(clone, home)
    assert not [path for path in clone.rglob("*") if path.is_symlink()]
    where = run_command(python, "-c", "import facelet.pipeline as p; print(p.__file__)").strip()
    assert Path(where) == clone / "pipeline" / "__init__.py"
    facelet = (home / "bin" / "facelet",)
    words = ("profile=smoke", "depths=1,20", "max_depth=20", f"tasks=[{CONFIG.split('.')[1]}]")
    run_command(*facelet, "build", *words, "workers=1", "progress=false", "out=made")
    (tmp_path / "said.jsonl").write_text(
        f'{{"id": "{CONFIG}/d20/000000", "prediction": "<ANSWER>A</ANSWER>"}}\n'
    )
    run_command(
        *facelet, "score", "dataset=made", "predictions=said.jsonl", "missing=ignore", "out=scores"
    )
    assert (tmp_path / "scores" / "results.json").is_file()
    shutil.rmtree(clone)
