"""The wheel: it has no package of a common name, and works beside any other, far from its sources.

The real thing is built and installed with pip into fresh environments, before and after packages
that bear the names of Facelet's folders. Their dependencies are those of the environment that runs
the tests, so nothing is downloaded.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
READ = (".parquet", ".yaml", ".json", ".jinja", ".png", ".css", ".js", ".c", ".h", ".py", ".pyi")
"""Endings of files that the packages import, read or compile."""
DECOYS = ("conf", "data", "generators", "pipeline", "renderers")
CONFIG = "cube_bench.move_prediction"


def run_command(*command: object, cwd: Path) -> str:
    """Return what a command prints; its error is the test's."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{words}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def committed_files(*folders: str) -> list[str]:
    return run_command("git", "ls-files", *folders, cwd=ROOT).splitlines()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed files, and nothing beside them."""
    copy = tmp_path_factory.mktemp("sources")
    for name in committed_files():
        if (ROOT / name).is_symlink() or (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    return copy


def build_wheel(folder: Path) -> Path:
    """Return the wheel of a folder, as pip builds it."""
    out = folder / "dist"
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", out)
    run_command(sys.executable, "-m", "pip", "wheel", "--quiet", *options, ".", cwd=folder)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(sources: Path) -> Path:
    """The wheel of the committed files."""
    return build_wheel(sources)


def wheel_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


def test_its_top_level_packages_are_named_after_it(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in wheel_names(wheel)}
    assert tops == {
        "facelet",
        "facelet_verifiers",
        f"{'-'.join(wheel.name.split('-')[:2])}.dist-info",
    }


@pytest.mark.parametrize("folder", ["pipeline", "generators", "renderers", "conf"])
def test_every_file_of_a_package_is_packed(wheel: Path, folder: str) -> None:
    wanted = {f"facelet/{path}" for path in committed_files(folder) if path.endswith(READ)}
    assert len(wanted) > 5
    assert wanted <= wheel_names(wheel)


def test_the_store_of_proofs_and_the_studies_are_packed(wheel: Path) -> None:
    wanted = {
        f"facelet/{path}"
        for part in ("certified", "floors")
        for path in committed_files(f"data/{part}")
    }
    assert len(wanted) > 5
    assert {name for name in wheel_names(wheel) if name.startswith("facelet/data/")} == wanted


def test_the_archive_of_the_sources_builds_the_same_wheel(
    sources: Path, wheel: Path, tmp_path: Path
) -> None:
    call = f"import backend; backend.build_sdist({str(tmp_path)!r})"
    run_command(
        sys.executable, "-c", f"import sys; sys.path.insert(0, 'src/building'); {call}", cwd=sources
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "unpacked", filter="data")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert wheel_names(build_wheel(folder)) == wheel_names(wheel)


def test_it_says_and_carries_every_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        (metadata,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        text = file.read(metadata).decode()
        licences = [name for name in file.namelist() if ".dist-info/licenses/" in name]
        bodies = " ".join(file.read(name).decode() for name in licences)
    assert "License-Expression: Apache-2.0 AND CC-BY-4.0 AND Bitstream-Vera" in text
    assert {"Apache License", "Attribution 4.0 International", "Bitstream Vera"} <= {
        title
        for title in ("Apache License", "Attribution 4.0 International", "Bitstream Vera")
        if title in bodies
    }


def decoy(folder: Path, name: str) -> Path:
    """Return a wheel of another project with one module in a package of this name."""
    path = folder / f"decoy_{name}-1.0-py3-none-any.whl"
    info = f"decoy_{name}-1.0.dist-info"
    files = {
        f"{name}/__init__.py": f"WHOSE = 'decoy {name}'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: decoy-{name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = f"{info}/RECORD"
    files[record] = "".join(f"{file},,\n" for file in [*files, record])
    with zipfile.ZipFile(path, "w") as file:
        for inside, text in files.items():
            file.writestr(inside, text)
    return path


@pytest.mark.parametrize("order", ["before", "after"])
def test_it_works_beside_packages_of_any_name(wheel: Path, tmp_path: Path, order: str) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    site = Path(
        run_command(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=home).strip()
    )
    # Only the folder: the .pth files inside it, that of an editable Facelet too, are not read.
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    decoys = [decoy(tmp_path, name) for name in DECOYS]
    pip = (sys.executable, "-m", "pip", "--python", python)
    install = (*pip, "install", "--quiet", "--no-deps", "--no-index", "--ignore-installed")
    for part in ([wheel], decoys) if order == "before" else (decoys, [wheel]):
        run_command(*install, *part, cwd=tmp_path)

    work = tmp_path / "work"
    for name in ("pipeline", "conf"):
        (work / name).mkdir(parents=True)
        (work / name / "__init__.py").write_text("raise SystemExit('the wrong package')\n")
    facelet = home / "bin" / "facelet"
    words = ["profile=smoke", "depths=1", f"tasks=[{CONFIG}]", "workers=1", "progress=false"]
    run_command(facelet, "build", *words, "out=made", cwd=work)
    (work / "loop.py").write_text(
        "import json\n"
        "import facelet\n"
        f"for row in facelet.environment.rows('made', {CONFIG!r}):\n"
        "    play = facelet.environment.open_row(row)\n"
        "    while not play.done:\n"
        "        play.reply('<ANSWER>' + row['gold'] + '</ANSWER>')\n"
        "    print(json.dumps(play.transcript('oracle')))\n"
        "print(facelet.__file__)\n"
    )
    *lines, where = run_command(python, "loop.py", cwd=work).splitlines()
    assert Path(where).is_relative_to(site)
    (work / "said.jsonl").write_text("\n".join(lines) + "\n")
    run_command(facelet, "score", "dataset=made", "predictions=said.jsonl", "out=scores", cwd=work)
    results = json.loads((work / "scores" / "results.json").read_text())
    (model,) = results["models"]
    assert model["model"] == "oracle"
    (cell,) = [c for c in model["configs"][CONFIG]["splits"]["test"]["cells"] if not c["by"]][:1]
    assert cell["figures"]["accuracy"]["value"] == 1

    run_command(*pip, "uninstall", "--quiet", "--yes", "facelet", cwd=tmp_path)
    for name in DECOYS:
        told = run_command(python, "-c", f"import {name}; print({name}.WHOSE)", cwd=tmp_path)
        assert told == f"decoy {name}\n"
    assert not (site / "facelet").exists()
