"""What is shown: text that names nothing, rooms by their way, views in which all is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from facelet.generators.chamber.engine.step_rules import chamber_rules
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs
from facelet.generators.chamber.maps.map_generator import disguise_map
from facelet.generators.chamber.presentation import chamber_scenes, rule_text
from facelet.generators.chamber.presentation.room_order import order_rooms
from facelet.generators.chamber.presentation.rule_text import describe_chamber
from facelet.generators.chamber.world.chamber_records import format_chamber
from facelet.generators.chamber.world.device_registry import find_device
from facelet.renderers.scenes.chamber import (
    ChamberEye,
    ChamberPlan,
    ChamberRoom,
    ChamberSight,
    ChamberTable,
)


@pytest.fixture(scope="module")
def maps(resource) -> tuple[ChamberMap, ...]:
    return resource(Knobs().map_need()).maps


def test_the_text_of_a_chamber_is_that_of_all_its_disguises(maps: tuple[ChamberMap, ...]) -> None:
    """Other names, turns and reflections leave it as it is: it tells no mistake from a truth."""
    for item in maps:
        for seed in range(4):
            other = disguise_map(item, np.random.default_rng(seed))
            assert format_chamber(other.chamber) != format_chamber(item.chamber)
            assert describe_chamber(other.chamber) == describe_chamber(item.chamber)
            assert not any(
                f.name in describe_chamber(item.chamber).split() for f in item.chamber.fixtures
            )


def test_the_text_tells_of_every_fixture_and_of_every_wire(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps:
        text = describe_chamber(item.chamber)
        assert text.count("Room ") == len(item.chamber.rooms)
        kinds = {f.kind for f in item.chamber.fixtures if f.cells}
        assert all(find_device(kind).noun.split()[-1] in text for kind in kinds)
        wired = [f for f in item.chamber.fixtures if f.inputs and not find_device(f.kind).thing]
        assert text.count(" while ") + text.count(" when ") == len(wired)


@pytest.mark.parametrize(("steps", "said"), [(0, "good"), (1, "1 step"), (3, "3 steps")])
def test_the_text_says_how_long_a_switch_stays_on(
    maps: tuple[ChamberMap, ...], steps: int, said: str
) -> None:
    chamber = next(m.chamber for m in maps if any(f.kind == "switch" for f in m.chamber.fixtures))
    fixtures = tuple(
        replace(fixture, numbers=(steps,)) if fixture.kind == "switch" else fixture
        for fixture in chamber.fixtures
    )
    found = [
        line
        for line in describe_chamber(replace(chamber, fixtures=fixtures)).splitlines()
        if "stays on" in line
    ]
    assert found and all(line.endswith(f" stays on for {said}.") for line in found)


def test_rooms_are_numbered_from_the_start_to_the_exit(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps:
        known = order_rooms(item.chamber)
        assert known.room_of(item.chamber.fixtures_of("start")[0].first_cell) == 0
        assert known.room_of(item.chamber.fixtures_of("exit")[0].first_cell) == len(known.boxes) - 1
        assert set(known.doorways.values()) == {(n, n + 1) for n in range(len(known.boxes) - 1)}


def test_every_setting_shows_what_it_says(maps: tuple[ChamberMap, ...]) -> None:
    chamber = maps[0].chamber
    count = len(chamber.rooms)
    shown = {
        setting: [type(scene) for scene in chamber_scenes.chamber_scenes(chamber, (), setting)]
        for setting in chamber_scenes.PICTURED
    }
    assert shown == {
        "visual": [ChamberPlan, *[ChamberRoom] * count],
        "rooms": [ChamberTable, *[ChamberRoom] * count],
        "first_person": [ChamberTable, *[ChamberSight] * count],
        "all": [ChamberPlan, *[ChamberRoom] * count, *[ChamberSight] * count],
    }
    assert set(shown) == set(rule_text.PICTURES)
    engine = chamber_rules(chamber)
    now = {
        s: type(chamber_scenes.current_scene(engine, engine.beginning, s))
        for s in chamber_scenes.PICTURED
    }
    assert now == dict(
        zip(shown, (ChamberPlan, ChamberRoom, ChamberSight, ChamberPlan), strict=True)
    )


def test_all_that_is_named_is_in_some_view_of_its_room(maps: tuple[ChamberMap, ...]) -> None:
    seen = every = views = 0
    for item in maps:
        engine = chamber_rules(item.chamber)
        view = chamber_scenes.ChamberView(engine, engine.beginning)
        for scene in view.sight_scenes():
            rock = frozenset((*view._rock_cells(scene.box), *view._opaque_cells()))
            marks = view._mark_points(scene.items, scene.box)
            found = [
                any(chamber_scenes.is_in_view(eye, mark, rock) for eye in scene.eyes)
                for mark in marks
            ]
            seen, every, views = seen + sum(found), every + len(found), views + len(scene.eyes)
            assert 1 <= len(scene.eyes) <= chamber_scenes.MOST
    assert seen >= 0.99 * every > 100


def test_what_stands_in_the_way_hides_what_is_behind_it() -> None:
    eye = ChamberEye((1, 3, 1), 0)
    panel = (8.98, 3.5, 2.5)
    assert chamber_scenes.is_in_view(eye, panel, frozenset())
    assert chamber_scenes.is_in_view(eye, panel, frozenset({(8, 3, 2)})), "it hides not itself"
    assert not chamber_scenes.is_in_view(eye, panel, frozenset({(5, 3, 2)}))


def test_every_piece_of_floor_has_its_name_in_every_room(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps:
        engine = chamber_rules(item.chamber)
        view = chamber_scenes.ChamberView(engine, engine.beginning)
        for scene in view.room_scenes():
            names = {name for _, name in view._floor_cells(scene.box)}
            west, south, east, north = scene.box
            shown = {
                one.name
                for one in scene.items
                if one.shape == "floor"
                and west <= one.cells[0][0] < east
                and south <= one.cells[0][1] < north
            }
            assert names == shown
