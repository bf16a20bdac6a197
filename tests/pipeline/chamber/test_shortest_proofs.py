"""The prover of shortest plans: true claims proven, false ones refuted, too large ones open."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from facelet.generators.chamber.maps import ground
from facelet.generators.chamber.maps.ground import Asked
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.world.chambers import read, write
from facelet.generators.core.task import Claim
from facelet.pipeline.chamber import shortest
from facelet.pipeline.chamber.shortest import PROVER
from facelet.pipeline.verify.proving import Effort, Judged, Verdict

QUIET = Effort(progress=False)


@pytest.fixture(scope="module")
def item(resource: Callable[..., Any]) -> Map:
    return min(resource(Knobs().need()).maps, key=lambda item: item.visited)


def judged(claim: Claim, effort: Effort = QUIET) -> Judged:
    (found,) = PROVER.prove([claim], effort)
    return found


def claim(item: Map, shift: int = 0, chamber: str = "") -> Claim:
    args = (("chamber", chamber or write(item.chamber)), ("steps", len(item.plan) + shift))
    return Claim("chamber/shortest", args)


def test_the_claim_of_a_row_is_proven(item: Map) -> None:
    own, *_ = ground.claims(ground.ground(item, Asked()))
    assert own == claim(item)
    assert judged(own).verdict == Verdict.PROVEN


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_another_length_is_refuted_with_the_true_one(item: Map, shift: int) -> None:
    found = judged(claim(item, shift))
    assert found.verdict == Verdict.REFUTED and f" {len(item.plan)} steps" in found.reason


def test_a_chamber_without_a_plan_is_refuted(item: Map) -> None:
    place = read(write(item.chamber))
    walled = dataclasses.replace(
        place, fixtures=tuple(f for f in place.fixtures if f.kind != "panel")
    )
    found = judged(claim(item, chamber=write(walled)))
    assert found.verdict == Verdict.REFUTED and " 0 steps" in found.reason


@pytest.mark.parametrize("text", ["", "size 3,3,8", "no chamber at all"])
def test_what_is_no_chamber_is_refuted(item: Map, text: str) -> None:
    found = judged(Claim("chamber/shortest", (("chamber", text), ("steps", 7))))
    assert found.verdict == Verdict.REFUTED and "no chamber" in found.reason


def test_a_search_that_gives_up_leaves_the_claim_open_and_deep_does_not(
    item: Map, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortest, "LIMIT", item.visited // 2)
    for shift in (0, 1):
        assert judged(claim(item, shift)).verdict == Verdict.OPEN
    deep = dataclasses.replace(QUIET, deep=True)
    assert judged(claim(item), deep).verdict == Verdict.PROVEN
