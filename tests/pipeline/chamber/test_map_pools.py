"""Pools of maps: shared, resumed, none twice; and rows that are not true are refuted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet.generators.chamber.maps.making import disguised
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.world.chambers import Chamber, transformed
from facelet.generators.chamber.world.grid import SYMMETRIES
from facelet.pipeline.chamber import maps as provider
from facelet.pipeline.chamber.maps import PROVIDER, from_table, to_table
from facelet.pipeline.families import NOTHING
from facelet.pipeline.resources import Pool, Request, World
from facelet.pipeline.verify.settings import VerifySettings
from facelet.pipeline.verify.verify import verify

NEED = Knobs().need()
WORLD = World(0, (("test", 1), ("train", 1)), NOTHING)
CONFIG = "marble_variants.plan_correctness_symbolic"


def pool(count: int, split: str = "test") -> Pool:
    request = Request(NEED, split, count)
    return PROVIDER.plan([request], WORLD)[request]


def test_requests_of_equal_needs_share_a_pool_as_large_as_the_largest() -> None:
    other = Knobs(steps=12).need()
    asked = [Request(NEED, "test", 3), Request(NEED, "test", 40), Request(NEED, "train", 3)]
    asked.append(Request(other, "test", 3))
    pools = PROVIDER.plan(asked, WORLD)
    assert pools[asked[0]] is pools[asked[1]]
    assert len({found.key for found in pools.values()}) == 3
    assert [pools[request].chunks for request in asked] == [42, 42, 3, 3]


def test_a_slot_gives_the_same_map_whatever_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a smaller pool is the beginning of a larger one."""
    paths: list[Any] = []
    monkeypatch.setattr(provider, "made", lambda *args: paths.append(args) or _stop())
    for count in (3, 40):
        with pytest.raises(_Stopped):
            PROVIDER.make(pool(count), 2, NOTHING)
    assert paths[0] == paths[1]
    with pytest.raises(_Stopped):
        PROVIDER.make(pool(3, "train"), 2, NOTHING)
    assert paths[2] != paths[0]


class _Stopped(Exception):  # noqa: N818
    """A build is killed."""


def _stop() -> Map:
    raise _Stopped


def test_maps_read_back_from_their_table(maps: tuple[Map, ...]) -> None:
    assert from_table(to_table(list(enumerate(maps)))).maps == maps


def test_a_chamber_in_disguise_is_left_out(maps: tuple[Map, ...]) -> None:
    hidden = disguised(maps[0], np.random.default_rng(3))
    assert hidden.chamber != maps[0].chamber
    slots = [maps[0], hidden, maps[1], maps[2]]
    parts = [to_table([(slot, item)]) for slot, item in enumerate(slots)]
    merged = from_table(PROVIDER.merge(pool(3), parts, NOTHING))
    assert merged.maps == maps[:3]
    assert PROVIDER.shortfall(pool(3), merged) == ""
    few = from_table(PROVIDER.merge(pool(4), parts, NOTHING))
    assert few.capacity == 3 and "only 3 differ" in PROVIDER.shortfall(pool(4), few)


def test_no_two_maps_are_alike(maps: tuple[Map, ...]) -> None:
    """By trying all turnings and mirrorings, names put aside; the digest has no say in it."""
    for one, other in combinations(maps, 2):
        assert not _alike(one.chamber, other.chamber)
    for item in maps:
        assert _alike(item.chamber, disguised(item, np.random.default_rng(1)).chamber)


def _alike(one: Chamber, other: Chamber) -> bool:
    return any(_nameless(transformed(one, s)) == _nameless(other) for s in SYMMETRIES)


def _nameless(chamber: Chamber) -> Any:
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


def failures(out: Path) -> dict[str, str]:
    found = verify(VerifySettings(dataset=out, sample=1.0, workers=1, progress=False))
    return {failure.where: failure.what for failure in found.failures}


def test_every_row_is_proven(built: Path) -> None:
    assert failures(built) == {}


def longer(row: dict[str, Any]) -> None:
    """A plan that leads out as well, with a step more: only a search can tell."""
    row["plan"].insert(0, row["plan"][0])
    row["candidate"].insert(0, row["candidate"][0])


def other_answer(row: dict[str, Any]) -> None:
    row["answer"] = row["gold"] = "yes" if row["answer"] == "no" else "no"


def other_mistake(row: dict[str, Any]) -> None:
    row["mistaken"] = [1 + number % len(row["plan"]) for number in row["mistaken"]]


def no_panel(row: dict[str, Any]) -> None:
    """A chamber without one of the panels that its plan uses."""
    used = next(word for step in row["plan"] for word in step.split() if word[0] == "P")
    lines = row["chamber"].split("\n")
    row["chamber"] = "\n".join(line for line in lines if f" {used} " not in f" {line} ")


@pytest.mark.parametrize(
    ("number", "change"), [(0, longer), (5, other_answer), (5, other_mistake), (0, no_panel)]
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
    assert set(failures(copy)) == {name}
