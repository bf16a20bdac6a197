"""Packages: one version everywhere, a README that an index can show, a release that is checked."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from facelet import __version__
from facelet.generators.core import compiled_parts

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def load_building(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"building_{name}", ROOT / f"src/building/{name}.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Dataclasses look up their module there.
    spec.loader.exec_module(module)
    return module


def test_every_c_part_is_compiled_for_the_limited_interface() -> None:
    parts = PROJECT["tool"]["setuptools"]["ext-modules"]
    assert {part["name"] for part in parts} == set(compiled_parts.list_compiled_parts())
    for part in parts:
        assert part["define-macros"] == [["Py_LIMITED_API", "0x030b0000"]], part["name"]
        assert part["py-limited-api"] and part["optional"], part["name"]
        includes = set()
        todo = [ROOT / part["sources"][0]]
        while todo:
            source = todo.pop()
            for name in re.findall(r'#include "(.+)"', source.read_text(encoding="utf-8")):
                header = (source.parent / name).resolve()
                if header not in includes:
                    includes.add(header)
                    todo.append(header)
        told = {(ROOT / name).resolve() for name in part.get("depends", [])}
        assert told == includes, part["name"]


def test_every_extra_is_tried_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests" / "extras")
    spec = importlib.util.spec_from_file_location("extras_fresh", ROOT / "tests/extras/fresh.py")
    assert spec and spec.loader
    fresh = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, fresh)
    spec.loader.exec_module(fresh)
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert set(fresh.EXTRAS) - set(fresh.WITHOUT) == extras - set(fresh.DEVELOPING)
    assert set(fresh.DEVELOPING) < extras


def test_the_readme_of_an_index_has_whole_addresses() -> None:
    backend = load_building("backend")
    shown = backend.render_index_readme((ROOT / "README.md").read_text(encoding="utf-8"))
    pictures = re.findall(r'<img src="(.*?)"', shown)
    raw = f"https://github.com/OWNER/facelet/raw/v{__version__}/"
    assert pictures and all((ROOT / one.removeprefix(raw)).is_file() for one in pictures)
    assert all(one.startswith(raw) for one in pictures)
    for address in re.findall(r"\]\((.*?)\)", shown):
        assert address.startswith(("https://", "#")), address
        path = address.partition(f"/blob/v{__version__}/")[2]
        assert not path or (ROOT / path).exists(), address


def test_wheels_of_other_targets_are_kept_and_those_of_other_versions_are_not(
    tmp_path: Path,
) -> None:
    wheels = load_building("wheels")
    made, dist = tmp_path / "made", tmp_path / "dist"
    mac, old = "facelet-1.2.0-cp311-abi3-mac.whl", "facelet-1.1.0-py3-none-any.whl"
    new = ("facelet-1.2.0.tar.gz", "facelet-1.2.0-py3-none-any.whl", "facelet-1.2.0-cp311-l.whl")

    def fill_folder(folder: Path, said: str, *names: str) -> None:
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).write_text(said)

    fill_folder(dist, "old", mac, old, *new, "notes.txt")
    fill_folder(made, "new", *new)
    assert wheels.move_wheels(made, dist, only=True) == [dist / mac]
    assert {path.name for path in dist.iterdir()} == {mac, *new, "notes.txt"}
    assert all((dist / name).read_text() == "new" for name in new)
    fill_folder(made, "new", *new)
    assert wheels.move_wheels(made, dist, only=False) == []
    assert {path.name for path in dist.iterdir()} == {*new, "notes.txt"}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Sources that can be released as 1.2.3."""
    (tmp_path / "src/facelet").mkdir(parents=True)
    (tmp_path / "src/facelet/_version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\ndate-released: 2026-12-01\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2026-12-01)\n")
    project = '[project]\nversion = "1.2.3"\n[project.urls]\nIssues = "https://a.example/b"\n'
    (tmp_path / "pyproject.toml").write_text(project)
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@a.example")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    return tmp_path


def test_a_release_is_checked(sources: Path) -> None:
    objections = load_building("releasing").find_objections
    assert objections("1.2.3", sources) == []
    assert [line.split()[0] for line in objections("1.2.4", sources)] == [
        *("pyproject.toml", "src/facelet/_version.py", "CITATION.cff", "CHANGELOG.md"),
    ]
    assert "is not a version" in objections("v1.2", sources)[0]
    subprocess.run(["git", "tag", "v1.2.3"], cwd=sources, check=True)
    (sources / "CITATION.cff").write_text("version: 1.2.3\ndate-released: 2026-11-30\n")
    dirty, dated, tag = objections("1.2.3", sources)
    assert "not clean" in dirty and "a tag v1.2.3 already" in tag
    assert "is dated 2026-11-30, CHANGELOG.md 2026-12-01" in dated


def test_a_release_names_who_owns_the_repository(
    sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    releasing = load_building("releasing")
    assert releasing.find_missing_owner(sources) == ""
    project = sources / "pyproject.toml"
    project.write_text(project.read_text().replace("a.example", "a.example/OWNER"))
    assert (
        "write its name for OWNER in its addresses (1 in pyproject.toml)"
        in releasing.find_missing_owner(sources)
    )
    monkeypatch.setattr(releasing, "find_objections", lambda _: [])
    monkeypatch.setattr(releasing, "find_missing_owner", lambda: "nobody owns it")
    releasing.main("1.2.3")
    assert "warning: nobody owns it" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="not ready: nobody owns it"):
        releasing.main("1.2.3", "last")
    assert "git tag" not in capsys.readouterr().out
    monkeypatch.setattr(releasing, "find_missing_owner", lambda: "")
    releasing.main("1.2.3", "last")
    assert "git push origin v1.2.3" in capsys.readouterr().out


def test_the_versions_of_these_sources_are_one() -> None:
    said = load_building("releasing").find_objections(__version__)
    assert not [line for line in said if " says " in line]


def test_each_commit_is_held_to_what_lint_asks() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nlint:")[1].split("\n\n")[0]
    tools = re.findall(r"\$\(BIN\)/(\S+(?: \w+)?)", recipe)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert tools == ["ruff check", "ruff format", "mypy", "lint-imports"]
    assert re.findall(r"entry: \.venv/bin/(\S+(?: \w+)?)", hooks) == tools
    assert "pre-commit install" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
