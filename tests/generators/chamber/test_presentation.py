"""What is shown: text that names nothing, rooms by their way, views in which all is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from facelet.generators.chamber.engine.runs import rules
from facelet.generators.chamber.maps.making import disguised
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.showing import pictures, standing, wording
from facelet.generators.chamber.showing.rooms import rooms
from facelet.generators.chamber.showing.telling import told
from facelet.generators.chamber.world.chambers import write
from facelet.generators.chamber.world.kinds import device
from facelet.renderers.scenes.chamber import (
    ChamberEye,
    ChamberPlan,
    ChamberRoom,
    ChamberSight,
    ChamberTable,
)


@pytest.fixture(scope="module")
def maps(resource) -> tuple[Map, ...]:
    return resource(Knobs().need()).maps


def test_the_text_of_a_chamber_is_that_of_all_its_disguises(maps: tuple[Map, ...]) -> None:
    """Other names, turns and reflections leave it as it is: it tells no mistake from a truth."""
    for item in maps:
        for seed in range(4):
            other = disguised(item, np.random.default_rng(seed))
            assert write(other.chamber) != write(item.chamber)
            assert told(other.chamber) == told(item.chamber)
            assert not any(f.name in told(item.chamber).split() for f in item.chamber.fixtures)


def test_the_text_tells_of_every_fixture_and_of_every_wire(maps: tuple[Map, ...]) -> None:
    for item in maps:
        text = told(item.chamber)
        assert text.count("Room ") == len(item.chamber.rooms)
        kinds = {f.kind for f in item.chamber.fixtures if f.cells}
        assert all(device(kind).noun.split()[-1] in text for kind in kinds)
        wired = [f for f in item.chamber.fixtures if f.inputs and not device(f.kind).thing]
        assert text.count(" while ") + text.count(" when ") == len(wired)


@pytest.mark.parametrize(("steps", "said"), [(0, "good"), (1, "1 step"), (3, "3 steps")])
def test_the_text_says_how_long_a_switch_stays_on(
    maps: tuple[Map, ...], steps: int, said: str
) -> None:
    chamber = next(m.chamber for m in maps if any(f.kind == "switch" for f in m.chamber.fixtures))
    fixtures = tuple(
        replace(fixture, numbers=(steps,)) if fixture.kind == "switch" else fixture
        for fixture in chamber.fixtures
    )
    found = [
        line
        for line in told(replace(chamber, fixtures=fixtures)).splitlines()
        if "stays on" in line
    ]
    assert found and all(line.endswith(f" stays on for {said}.") for line in found)


def test_rooms_are_numbered_from_the_start_to_the_exit(maps: tuple[Map, ...]) -> None:
    for item in maps:
        known = rooms(item.chamber)
        assert known.of(item.chamber.of("start")[0].cell) == 0
        assert known.of(item.chamber.of("exit")[0].cell) == len(known.boxes) - 1
        assert set(known.doorways.values()) == {(n, n + 1) for n in range(len(known.boxes) - 1)}


def test_every_setting_shows_what_it_says(maps: tuple[Map, ...]) -> None:
    chamber = maps[0].chamber
    count = len(chamber.rooms)
    shown = {
        setting: [type(scene) for scene in pictures.scenes(chamber, (), setting)]
        for setting in pictures.PICTURED
    }
    assert shown == {
        "visual": [ChamberPlan, *[ChamberRoom] * count],
        "rooms": [ChamberTable, *[ChamberRoom] * count],
        "first_person": [ChamberTable, *[ChamberSight] * count],
        "all": [ChamberPlan, *[ChamberRoom] * count, *[ChamberSight] * count],
    }
    assert set(shown) == set(wording.PICTURES)
    engine = rules(chamber)
    now = {s: type(pictures.now(engine, engine.beginning, s)) for s in pictures.PICTURED}
    assert now == dict(
        zip(shown, (ChamberPlan, ChamberRoom, ChamberSight, ChamberPlan), strict=True)
    )


def test_all_that_is_named_is_in_some_view_of_its_room(maps: tuple[Map, ...]) -> None:
    seen = every = views = 0
    for item in maps:
        engine = rules(item.chamber)
        view = pictures.View(engine, engine.beginning)
        for scene in view.sights():
            rock = frozenset((*view._rock(scene.box), *view._solid()))
            marks = view._marks(scene.items, scene.box)
            found = [any(standing.sees(eye, mark, rock) for eye in scene.eyes) for mark in marks]
            seen, every, views = seen + sum(found), every + len(found), views + len(scene.eyes)
            assert 1 <= len(scene.eyes) <= standing.MOST
    assert seen >= 0.99 * every > 100


def test_what_stands_in_the_way_hides_what_is_behind_it() -> None:
    eye = ChamberEye((1, 3, 1), 0)
    panel = (8.98, 3.5, 2.5)
    assert standing.sees(eye, panel, frozenset())
    assert standing.sees(eye, panel, frozenset({(8, 3, 2)})), "it hides not itself"
    assert not standing.sees(eye, panel, frozenset({(5, 3, 2)}))


def test_every_piece_of_floor_has_its_name_in_every_room(maps: tuple[Map, ...]) -> None:
    for item in maps:
        engine = rules(item.chamber)
        view = pictures.View(engine, engine.beginning)
        for scene in view.rooms():
            names = {name for _, name in view._floor(scene.box)}
            west, south, east, north = scene.box
            shown = {
                one.name
                for one in scene.items
                if one.shape == "floor"
                and west <= one.cells[0][0] < east
                and south <= one.cells[0][1] < north
            }
            assert names == shown
