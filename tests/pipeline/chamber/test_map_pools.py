"""Pools of maps: shared, resumed, none twice; and rows that are not true are refuted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs
from facelet.generators.chamber.maps.map_generator import disguise_map
from facelet.generators.chamber.world.chamber_records import SYMMETRIES, Chamber, transform_chamber
from facelet.pipeline.chamber import maps as provider
from facelet.pipeline.chamber.maps import PROVIDER, from_table, to_table
from facelet.pipeline.family_modules import NO_SETTINGS
from facelet.pipeline.resource_providers import PoolContext, PoolRequest, ResourcePool
from facelet.pipeline.verify.dataset_verifier import verify_dataset
from facelet.pipeline.verify.settings import VerifySettings

NEED = Knobs().map_need()
WORLD = PoolContext(0, (("test", 1), ("train", 1)), NO_SETTINGS)
CONFIG = "marble_variants.plan_correctness_symbolic"


def make_map_pool(count: int, split: str = "test") -> ResourcePool:
    request = PoolRequest(NEED, split, count)
    return PROVIDER.plan([request], WORLD)[request]


def test_requests_of_equal_needs_share_a_pool_as_large_as_the_largest() -> None:
    other = Knobs(steps=12).map_need()
    asked = [
        PoolRequest(NEED, "test", 3),
        PoolRequest(NEED, "test", 40),
        PoolRequest(NEED, "train", 3),
    ]
    asked.append(PoolRequest(other, "test", 3))
    pools = PROVIDER.plan(asked, WORLD)
    assert pools[asked[0]] is pools[asked[1]]
    assert len({found.key for found in pools.values()}) == 3
    assert [pools[request].chunks for request in asked] == [42, 42, 3, 3]


def test_a_slot_gives_the_same_map_whatever_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a smaller pool is the beginning of a larger one."""
    paths: list[Any] = []
    monkeypatch.setattr(provider, "make_map", lambda *args: paths.append(args) or _stop_build())
    for count in (3, 40):
        with pytest.raises(_BuildStoppedError):
            PROVIDER.make(make_map_pool(count), 2, NO_SETTINGS)
    assert paths[0] == paths[1]
    with pytest.raises(_BuildStoppedError):
        PROVIDER.make(make_map_pool(3, "train"), 2, NO_SETTINGS)
    assert paths[2] != paths[0]


class _BuildStoppedError(Exception):
    """A build is killed."""


def _stop_build() -> ChamberMap:
    raise _BuildStoppedError


def test_maps_read_back_from_their_table(maps: tuple[ChamberMap, ...]) -> None:
    assert from_table(to_table(list(enumerate(maps)))).maps == maps


def test_a_chamber_in_disguise_is_left_out(maps: tuple[ChamberMap, ...]) -> None:
    hidden = disguise_map(maps[0], np.random.default_rng(3))
    assert hidden.chamber != maps[0].chamber
    slots = [maps[0], hidden, maps[1], maps[2]]
    parts = [to_table([(slot, item)]) for slot, item in enumerate(slots)]
    merged = from_table(PROVIDER.merge(make_map_pool(3), parts, NO_SETTINGS))
    assert merged.maps == maps[:3]
    assert PROVIDER.shortfall(make_map_pool(3), merged) == ""
    few = from_table(PROVIDER.merge(make_map_pool(4), parts, NO_SETTINGS))
    assert few.capacity == 3 and "only 3 differ" in PROVIDER.shortfall(make_map_pool(4), few)


def test_no_two_maps_are_alike(maps: tuple[ChamberMap, ...]) -> None:
    """By trying all turnings and mirrorings, names put aside; the digest has no say in it."""
    for one, other in combinations(maps, 2):
        assert not _are_alike(one.chamber, other.chamber)
    for item in maps:
        assert _are_alike(item.chamber, disguise_map(item, np.random.default_rng(1)).chamber)


def _are_alike(one: Chamber, other: Chamber) -> bool:
    return any(_remove_names(transform_chamber(one, s)) == _remove_names(other) for s in SYMMETRIES)


def _remove_names(chamber: Chamber) -> Any:
    place = {f.name: (f.kind, f.cells, f.facing, f.numbers) for f in chamber.fixtures}
    return (
        chamber.size,
        chamber.floors,
        chamber.ceilings,
        sorted((place[f.name], sorted(place[i] for i in f.inputs)) for f in chamber.fixtures),
    )


def test_a_build_that_was_stopped_makes_no_map_twice(built: Path, calls: list[list[int]]) -> None:
    before, after, again = calls
    assert before and 18 not in before
    assert not set(before) & set(after) and sorted({*before, *after}) == [7, 12, 18, 24]
    assert again == [] and (built / "manifest.json").is_file()


def failures_by_row(out: Path) -> dict[str, str]:
    found = verify_dataset(VerifySettings(dataset=out, sample=1.0, workers=1, progress=False))
    return {failure.where: failure.what for failure in found.failures}


def test_every_row_is_proven(built: Path) -> None:
    assert failures_by_row(built) == {}


def lengthen_plan(row: dict[str, Any]) -> None:
    """A plan that leads out as well, with a step more: only a search can tell."""
    row["plan"].insert(0, row["plan"][0])
    row["candidate"].insert(0, row["candidate"][0])


def change_answer(row: dict[str, Any]) -> None:
    row["answer"] = row["gold"] = "yes" if row["answer"] == "no" else "no"


def change_mistake(row: dict[str, Any]) -> None:
    row["mistaken"] = [1 + number % len(row["plan"]) for number in row["mistaken"]]


def remove_panel(row: dict[str, Any]) -> None:
    """A chamber without one of the panels that its plan uses."""
    used = next(word for step in row["plan"] for word in step.split() if word[0] == "P")
    lines = row["chamber"].split("\n")
    row["chamber"] = "\n".join(line for line in lines if f" {used} " not in f" {line} ")


@pytest.mark.parametrize(
    ("number", "change"),
    [(0, lengthen_plan), (5, change_answer), (5, change_mistake), (0, remove_panel)],
)
@pytest.mark.some(3)
def test_a_false_row_is_found_though_all_hashes_fit(
    built: Path,
    tamper: Callable[..., None],
    tmp_path: Path,
    number: int,
    change: Callable[[dict[str, Any]], None],
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(built, copy, ignore=shutil.ignore_patterns(".facelet"))
    name = f"{CONFIG}/s07/{number:06d}"
    tamper(copy, name, change, rehash=True)
    assert set(failures_by_row(copy)) == {name}
