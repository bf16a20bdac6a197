"""Rooms in perspective: what is in sight is painted and named, what is behind something is not."""

from __future__ import annotations

import numpy as np
import pytest
from painting import paint

from facelet.renderers.painters import chamber_sight
from facelet.renderers.painters.chamber_ink import CODE, PlacedLabel
from facelet.renderers.scenes.chamber import (
    ChamberEye,
    ChamberItem,
    ChamberRay,
    ChamberSight,
    sight_of,
)

DEEP = "/".join(["8888888888", *["8111111118"] * 5, "8888888888"])
HIGH = "/".join(["8888888888"] * 7)
BOX = (1, 1, 9, 6)
EAST = ChamberEye((1, 3, 1), 0)


def make_scene(
    *items: ChamberItem, floors: str = DEEP, eye: ChamberEye = EAST, rays=()
) -> ChamberSight:
    return ChamberSight(floors, HIGH, items, rays, BOX, "Room 1", (eye,))


def render_pixels(shown: ChamberSight) -> np.ndarray:
    top = 2 * chamber_sight.TITLE
    return np.asarray(paint(shown))[top : top + chamber_sight.HIGH, : chamber_sight.WIDE]


def label_positions(
    shown: ChamberSight, monkeypatch: pytest.MonkeyPatch
) -> dict[str, tuple[float, float]]:
    """Return what has a label, and the pixel that it points to."""
    found: list[PlacedLabel] = []
    with monkeypatch.context() as patch:
        patch.setattr(
            chamber_sight, "put_labels", lambda image, labels, *more: found.extend(labels)
        )
        paint(shown)
    return {label.text: label.at for label in found}


def test_a_panel_is_painted_where_its_label_points(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = ChamberItem("panel", "P1", ((8, 3, 2),), 0)
    across, down = label_positions(make_scene(panel), monkeypatch)["P1"]
    assert abs(across - chamber_sight.WIDE / 2) < 3, "straight ahead"
    bare = render_pixels(make_scene(ChamberItem("panel", "", ((8, 3, 2),), 0)))
    assert bare[int(down) - 2 * chamber_sight.TITLE, int(across)] == CODE["panel"]
    assert not (render_pixels(make_scene()) == CODE["panel"]).any()


def test_what_is_nearer_is_larger() -> None:
    sizes = [
        (render_pixels(make_scene(ChamberItem("cube", "", ((x, 3, 1),)))) == CODE["cube"]).sum()
        for x in (7, 5, 3)
    ]
    assert 0 < 1.5 * sizes[0] < sizes[1] < sizes[2] / 1.5


def test_a_ledge_hides_what_is_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ledge = DEEP.replace("8111111118", "8111511118")
    button = ChamberItem("button", "B1", ((6, 3, 1),))
    assert "B1" in label_positions(make_scene(button), monkeypatch)
    assert "B1" not in label_positions(make_scene(button, floors=ledge), monkeypatch)
    assert not (render_pixels(make_scene(button, floors=ledge)) == CODE["button"]).any()


def test_a_door_hides_and_a_shield_and_a_ray_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    receiver = ChamberItem("receiver", "R1", ((8, 3, 2),), 0)
    walls = "/".join(
        ["8888888888", *["8111811118"] * 2, "8111111118", *["8111811118"] * 2, "8" * 10]
    )
    cells = tuple((4, 3, z) for z in range(1, 8))
    for shape, shown in (("door", False), ("shield", True)):
        front = ChamberItem(shape, "X1", cells)
        assert (
            "R1" in label_positions(make_scene(front, receiver, floors=walls), monkeypatch)
        ) == shown
    laser = ChamberRay("laser", tuple((x, 3, 2) for x in range(2, 9)))
    assert "R1" in label_positions(make_scene(receiver, rays=(laser,)), monkeypatch)
    assert (render_pixels(make_scene(rays=(laser,))) == CODE["laser"]).any()


@pytest.mark.parametrize("yaw", range(0, 360, 90))
def test_labels_point_to_what_they_name_from_any_side(
    yaw: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = tuple(
        ChamberItem("cube", f"C{n}", ((x, y, 1),))
        for n, (x, y) in enumerate(((2, 2), (7, 2), (5, 5)))
    )
    shown = make_scene(*items, eye=ChamberEye((4, 3, 1), yaw))
    image = render_pixels(
        make_scene(*(ChamberItem("cube", "", item.cells) for item in items), eye=shown.eyes[0])
    )
    for name, (across, down) in label_positions(shown, monkeypatch).items():
        x, y = int(across), int(down) - 2 * chamber_sight.TITLE
        assert (image[y : y + 6, max(0, x - 3) : x + 4] == CODE["cube"]).any(), name


def test_a_view_needs_an_eye_and_points_lie_on_faces() -> None:
    with pytest.raises(ValueError, match="eyes is empty"):
        ChamberSight(DEEP, HIGH, (), (), BOX, "Room 1", ())
    assert sight_of(ChamberItem("panel", "P1", ((8, 3, 2),), 0)) == (8.98, 3.5, 2.5)
    assert sight_of(ChamberItem("laser", "L1", ((8, 3, 2),), 2)) == (8.98, 3.5, 2.5)
