"""Pictures show all that the text names, are 900 pixels wide, and hints join two used panels."""

from dataclasses import replace

import numpy as np

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.maps.map_columns import Knobs
from facelet.generators.chamber.presentation.chamber_scenes import (
    chamber_scenes,
    portal_hint,
    wiring_table,
)
from facelet.generators.chamber.world.chamber_records import opposite_direction
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Reject
from facelet.renderers.api import render_scene
from facelet.renderers.scenes.chamber import ChamberPlan, ChamberRoom


def test_everything_that_is_named_is_in_the_plan_and_in_some_room(resource) -> None:
    for item in resource(Knobs().map_need()).maps:
        plan, *rooms = chamber_scenes(item.chamber)
        steps = (*item.plan, *(mistake.step for mistake in item.mistakes))
        said = {word for step in steps for word in step.args if word[-1].isdigit()}
        given = {f.name for f in item.chamber.fixtures if f.kind in ("cube", "mirror") and f.inputs}
        labels = {i.name for i in plan.items}
        assert said <= labels | given
        # What a dispenser will give stands in the table.
        assert all(any(name in line for line in wiring_table(item.chamber)) for name in given)
        assert isinstance(plan, ChamberPlan) and len(rooms) == len(item.chamber.rooms)
        for room in rooms:
            assert isinstance(room, ChamberRoom)
        seen = {
            i.name
            for room in rooms
            for i in room.items
            for x, y, _ in i.cells
            if room.box[0] - 1 <= x <= room.box[2] and room.box[1] - 1 <= y <= room.box[3]
        }
        assert labels <= seen


def test_pictures_are_900_pixels_wide_and_hints_change_the_plan_alone(resource) -> None:
    item = resource(Knobs().map_need()).maps[0]
    link = portal_hint(item.plan)
    assert len(link) == 2
    for plain, hinted in zip(
        chamber_scenes(item.chamber), chamber_scenes(item.chamber, link), strict=True
    ):
        image = render_scene(plain)
        assert image.width == 900 and image.height < 1400
        assert (image.tobytes() != render_scene(hinted).tobytes()) == isinstance(plain, ChamberPlan)


def test_no_two_fixtures_share_a_face_or_a_place(resource) -> None:
    """Of two on one face, one would be drawn over the other, and a portal would hide a receiver."""
    composed = []
    for seed in range(60):
        try:
            composed.append(
                compose_chamber(3, 6, tuple(devices_by_kind()), np.random.default_rng(seed))
            )
        except Reject:
            continue
    chambers = [item.chamber for item in resource(Knobs().map_need()).maps] + composed
    assert len(chambers) > 20
    for chamber in chambers:
        faces = [
            # Rays begin at the face behind them; they do so even below a ceiling and in a floor.
            (
                f.first_cell,
                f.facing if f.kind in ("panel", "receiver") else opposite_direction(f.facing),
            )
            for f in chamber.fixtures
            if f.kind in ("panel", "receiver", "laser", "beam", "bridge")
        ]
        assert len(faces) == len(set(faces))


def test_bars_above_each_other_are_side_by_side_in_the_plan(resource) -> None:
    """Two panels of one column: each has its own half of the side, none hides the other."""
    found = resource(Knobs().map_need()).maps[0].chamber
    plan = chamber_scenes(found)[0]
    one = next(i for i in plan.items if i.shape == "panel" and 0 <= i.facing < 4)
    x, y, z = one.cells[0]
    over = replace(one, shape="receiver", name="R9", cells=((x, y, z + 1),))
    colours = [
        np.unique(np.asarray(render_scene(replace(plan, items=i, table=()))))
        for i in ((one,), (over,), (one, over))
    ]
    assert set(colours[2]) == set(colours[0]) | set(colours[1]) > set(colours[0])


def test_the_table_of_a_narrow_chamber_has_room_for_its_lines() -> None:
    """Two columns, each as wide as its widest line, side by side below any plan."""
    line = "D2 door: open while R2 and S1 and S3 are on"
    floors = "/".join(["888888", *["811118"] * 18, "888888"])
    high = "/".join(["888888"] * 20)
    one, two = (
        np.asarray(render_scene(ChamberPlan(floors, high, (), table=lines)).convert("L"))
        for lines in ((line,), (line, line))
    )
    ink = [int((image[-20:] < 128).any(axis=0).sum()) for image in (one, two)]
    assert ink[1] == 2 * ink[0] > 0
