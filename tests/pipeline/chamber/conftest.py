"""A small dataset of recorded maps, built in the way of all datasets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs
from facelet.pipeline.chamber import maps as provider
from facelet.pipeline.cli import main

BANDS = (7, 12, 18, 24)


class BuildStoppedError(Exception):
    """A build is stopped."""


@pytest.fixture(scope="session")
def maps(resource: Callable[..., Any]) -> tuple[ChamberMap, ...]:
    return resource(Knobs().map_need()).maps


@pytest.fixture(scope="session")
def calls() -> list[list[int]]:
    """The steps asked for, map by map: before the build was stopped, after it, and once more."""
    return []


@pytest.fixture(scope="session")
def built(
    maps: tuple[ChamberMap, ...], calls: list[list[int]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A build of one recorded map a band that was stopped at a band, resumed, and run again."""
    out = tmp_path_factory.mktemp("chambers") / "out"

    def take_recorded(knobs: Knobs, *args: Any) -> ChamberMap:
        if knobs.steps == BANDS[2] and len(calls) == 1:
            raise BuildStoppedError
        calls[-1].append(knobs.steps)
        return maps[BANDS.index(knobs.steps)]

    words = ["build", "suites=[marble_variants]", "tasks=[plan_correctness_symbolic]"]
    words += ["profile=smoke", "count=8", f"out={out}", "workers=1", "progress=false"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "make_map", take_recorded)
        calls.append([])
        with pytest.raises(BuildStoppedError):
            main(words)
        for _ in range(2):
            calls.append([])
            assert main(words) == 0
    return out
