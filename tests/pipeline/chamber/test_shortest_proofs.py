"""The prover of shortest plans: true claims proven, false ones refuted, too large ones open."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs, MapParams
from facelet.generators.chamber.world.chamber_records import format_chamber, parse_chamber
from facelet.generators.core.task import Claim
from facelet.pipeline.chamber import shortest
from facelet.pipeline.chamber.shortest import PROVER
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict

QUIET = ProofEffort(progress=False)


@pytest.fixture(scope="module")
def item(resource: Callable[..., Any]) -> ChamberMap:
    return min(resource(Knobs().map_need()).maps, key=lambda item: item.visited)


def judge_claim(claim: Claim, effort: ProofEffort = QUIET) -> JudgedClaim:
    (found,) = PROVER.prove([claim], effort)
    return found


def make_claim(item: ChamberMap, shift: int = 0, chamber: str = "") -> Claim:
    args = (("chamber", chamber or format_chamber(item.chamber)), ("steps", len(item.plan) + shift))
    return Claim("chamber/shortest", args)


def test_the_claim_of_a_row_is_proven(item: ChamberMap) -> None:
    own, *_ = map_columns.map_claims(map_columns.map_to_record(item, MapParams()))
    assert own == make_claim(item)
    assert judge_claim(own).verdict == ProofVerdict.PROVEN


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_another_length_is_refuted_with_the_true_one(item: ChamberMap, shift: int) -> None:
    found = judge_claim(make_claim(item, shift))
    assert found.verdict == ProofVerdict.REFUTED and f" {len(item.plan)} steps" in found.reason


def test_a_chamber_without_a_plan_is_refuted(item: ChamberMap) -> None:
    place = parse_chamber(format_chamber(item.chamber))
    walled = dataclasses.replace(
        place, fixtures=tuple(f for f in place.fixtures if f.kind != "panel")
    )
    found = judge_claim(make_claim(item, chamber=format_chamber(walled)))
    assert found.verdict == ProofVerdict.REFUTED and " 0 steps" in found.reason


@pytest.mark.parametrize("text", ["", "size 3,3,8", "no chamber at all"])
def test_what_is_no_chamber_is_refuted(item: ChamberMap, text: str) -> None:
    found = judge_claim(Claim("chamber/shortest", (("chamber", text), ("steps", 7))))
    assert found.verdict == ProofVerdict.REFUTED and "no chamber" in found.reason


def test_a_search_that_gives_up_leaves_the_claim_open_and_deep_does_not(
    item: ChamberMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortest, "LIMIT", item.visited // 2)
    for shift in (0, 1):
        assert judge_claim(make_claim(item, shift)).verdict == ProofVerdict.OPEN
    deep = dataclasses.replace(QUIET, deep=True)
    assert judge_claim(make_claim(item), deep).verdict == ProofVerdict.PROVEN
