"""Forge every number of a manifest: it is found by `verify all=true`, or stated as not verified."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline import family_modules
from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import file_integrity
from facelet.pipeline.dataset.manifest_file import manifest_from_json
from facelet.pipeline.verify.number_check import FROM_POOL, SETTINGS, check_numbers

FORGED = 100
SUITE = """
mine:
  tasks:
    maze_navigation: {task: arcade/maze_navigation, sweep: {level: [1, 2]}, count: 12}
    verification: {task: cube/verification, sweep: {depth: [2]}, count: 8}
    board_parsing: {task: labyrinth/board_parsing, count: 6}
"""
Place = tuple[str | int, ...]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("numbers")
    (root / "mine.yaml").write_text(SUITE)
    words = [f"suites=[{root}/mine.yaml]", "splits=test:2,train:1", "unfair=write", f"out={root}/d"]
    assert main(["build", "profile=smoke", "workers=1", "progress=false", *words]) == 0
    return root / "d"


def run_verify(out: Path) -> int:
    return main(["verify", str(out), "all=true", "workers=1", "progress=false"])


def list_numbers(value: Any, place: Place = ()) -> Iterator[tuple[Place, float]]:
    """Yield the place and the value of every number."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inside in pairs:
        if isinstance(inside, dict | list):
            yield from list_numbers(inside, (*place, name))
        elif isinstance(inside, int | float) and not isinstance(inside, bool):
            yield (*place, name), inside


def forge_number(content: Any, place: Place) -> Any:
    """Return a copy of a manifest with another number at a place, of the same type and range."""
    forged = copy.deepcopy(content)
    inside = forged
    for name in place[:-1]:
        inside = inside[name]
    old = inside[place[-1]]
    inside[place[-1]] = old + 1 if isinstance(old, int) else (old / 2 if old else 0.02)
    return forged


def is_stated_unverified(place: Place, unverified: dict[str, list[str]]) -> bool:
    """Return whether the report states of a number that it is not verified."""
    if place[0] == "splits" or place == ("citation", "year") or place[-1] == "asked":
        return set(SETTINGS) <= set(unverified["settings of the build"])
    pooled = "params" in place or place[-1] in ("capacity", "pieces")
    return pooled and place[1] in unverified.get(FROM_POOL, ())


@pytest.fixture(scope="module")
def audit_once(built: Path) -> Iterator[None]:
    """Audit the same rows under the same declarations once."""
    measure = dataset_audit.measure_dataset
    known = cache(lambda said, out: measure(out, declared=declared[said]))
    declared: dict[str, Any] = {}

    def measure_once(out: Path, lookup: Any, **options: Any) -> Any:
        declared[said := repr(options["declared"])] = options["declared"]
        return known(said, out)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataset_audit, "measure_dataset", measure_once)
        yield


def find_missed(built: Path, places: list[Place]) -> tuple[list[Place], int]:
    """Return the forged numbers that nobody finds, and how many are stated not to be verified."""
    content = json.loads((built / "manifest.json").read_text())
    missed, stated = [], 0
    for place in places:
        try:
            manifest = manifest_from_json(forge_number(content, place))
        except ValueError:
            continue
        parts = [
            file_integrity.read_shard(built, one) for one in file_integrity.list_shards(manifest)
        ]
        wrong = [failure for part in parts for failure in part.failures]
        wrong += file_integrity.check_dataset(built, manifest, parts)
        if wrong or place[-1] == "task_version":  # refused before
            continue
        found = check_numbers(built, manifest, parts, family_modules.load_task)
        if not [one for one in found.failures if not one.where.endswith(".md")]:
            known = is_stated_unverified(place, found.unverified)
            stated += known
            missed += [] if known else [place]
    return missed, stated


def test_an_honest_dataset_has_no_false_number(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_verify(built) == 0
    text = capsys.readouterr().out
    assert "of manifest.json recomputed, and the card rendered" in text
    assert "not verified: settings of the build: splits, citation.year, asked of each cell" in text


@pytest.mark.usefixtures("audit_once")
def test_a_hundred_of_a_hundred_forged_numbers_are_found(built: Path) -> None:
    content = json.loads((built / "manifest.json").read_text())
    places = [place for place, _ in list_numbers(content)]
    chosen = random.Random(51).sample(places, FORGED)
    missed, stated = find_missed(built, chosen)
    assert not missed
    assert stated < FORGED / 5


@pytest.mark.slow
@pytest.mark.usefixtures("audit_once")
def test_every_forged_number_is_found(built: Path) -> None:
    content = json.loads((built / "manifest.json").read_text())
    places = [place for place, _ in list_numbers(content)]
    missed, _ = find_missed(built, places)
    assert not missed


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "copy")


def test_floors_of_two_percent_are_found(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((copied / "manifest.json").read_text())
    for config in content["configs"].values():
        for floor in (config["floor"], *config["floor"]["levels"].values()):
            floor["value"] = 0.02
    (copied / "manifest.json").write_text(json.dumps(content, indent=2) + "\n")
    assert run_verify(copied) == 1
    said = capsys.readouterr().err
    assert "configs.mine.maze_navigation.floor.value is 0.02; recomputed it is" in said


def test_a_card_with_another_number_is_found(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = (copied / "README.md").read_text()
    (copied / "README.md").write_text(card.replace("%", "0%", 1))
    assert run_verify(copied) == 1
    assert "README.md: is not what manifest.json gives" in capsys.readouterr().err


def test_a_sample_states_that_numbers_are_not_verified(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(built), "progress=false"]) == 0
    assert "numbers not verified: chance, floors, shortcuts" in capsys.readouterr().out
