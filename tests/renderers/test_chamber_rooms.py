"""Rooms at an angle: labels tell what is seen from a side from what a higher floor hides."""

from collections import Counter

import numpy as np
import pytest
from painting import paint
from PIL import ImageDraw

from facelet.renderers.painters.chamber_ink import CODE, make_canvas
from facelet.renderers.painters.chamber_room import WIDTH, _RoomView
from facelet.renderers.scenes.chamber import HEIGHTS, ChamberItem, ChamberRoom

LEDGE = ("888888/811118/844448/811118/888888", "/".join(["888888"] * 5))
"""A ledge from west to east, with low floors on both sides."""


class MarkedView(_RoomView):
    """A view in which the floor of one column has a colour of its own."""

    column = (0, 0)

    def _column(self, x: int, y: int) -> None:
        super()._column(x, y)
        if (x, y) == self.column:
            ground = self.rock.floors[y][x]
            ImageDraw.Draw(self.image).polygon(self.tile_corners(x, y, ground), fill=CODE["hint"])


def make_view(scene: ChamberRoom, half: int) -> MarkedView:
    return MarkedView(
        make_canvas(WIDTH, 500), scene, half, 24.0, (half * 450, 22, half * 450 + 450, 500)
    )


@pytest.mark.parametrize("half", [0, 1])
def test_a_ring_stands_for_what_no_pixel_shows(half: int) -> None:
    """The line of sight against the painting: floors of random rooms, seen or painted over."""
    rng = np.random.default_rng(7)
    found = Counter[bool]()
    for _ in range(12):
        inside = rng.choice([1, 1, 2, 4, 5], (5, 5))
        heights = np.pad(inside, 1, constant_values=8)
        floors = "/".join("".join(HEIGHTS[h] for h in row) for row in heights.tolist())
        scene = ChamberRoom(floors, "/".join(["8" * 7] * 7), (), (), (1, 1, 6, 6))
        for x, y in np.ndindex(5, 5):
            drawn = make_view(scene, half)
            drawn.column = (x + 1, y + 1)
            middle = (x + 1.5, y + 1.5, int(inside[y, x]))
            drawn.draw_all()
            across, down = (round(place) for place in drawn.project_point(*middle))
            around = np.asarray(drawn.image)[down - 1 : down + 2, across - 1 : across + 2]
            seen = (around == CODE["hint"]).mean()
            if seen in (0, 1):  # else the edge of something passes there
                assert drawn.is_hidden(*middle) == (seen == 0), (floors, middle)
                found[bool(seen)] += 1
    assert min(found[True], found[False]) > 50, found


def test_a_floor_behind_a_ledge_has_a_ring_from_one_side_and_a_dot_from_the_other() -> None:
    items = tuple(
        ChamberItem("floor", name, (cell,))
        for name, cell in (("F1", (2, 1, 1)), ("F2", (2, 2, 4)), ("F3", (3, 3, 1)))
    )
    scene = ChamberRoom(*LEDGE, items, (), (1, 1, 5, 4))
    rings = []
    for half in (0, 1):
        drawn = make_view(scene, half)
        drawn.draw_all()
        rings.append({label.text for label in drawn.labels if label.hidden})
    assert rings == [{"F3"}, {"F1"}]


def test_a_lift_hides_while_it_is_raised() -> None:
    flat = ("88888/81118/81118/81118/88888", "/".join(["88888"] * 5))
    for height in (0, 3):
        lift = ChamberItem("lift", "E1", ((2, 2, 1),), height=height)
        scene = ChamberRoom(*flat, (lift,), (), (1, 1, 4, 4))
        assert make_view(scene, 0).is_hidden(3.5, 3.5, 1) == bool(height)
        assert not make_view(scene, 1).is_hidden(3.5, 3.5, 1)


def test_a_hidden_cube_is_an_outline_and_the_picture_says_what_a_ring_is() -> None:
    def draw_row(row: int) -> np.ndarray:
        cube = ChamberItem("cube", "C1", ((3, row, 1),))
        return np.asarray(paint(ChamberRoom(*LEDGE, (cube,), (), (1, 1, 5, 4))))

    def count_coloured(image: np.ndarray) -> int:
        return int((image[:, : WIDTH // 2] == CODE["cube"]).sum())

    assert count_coloured(draw_row(3)) == 0 < count_coloured(draw_row(1))
    flat = (LEDGE[0].replace("4", "1"), LEDGE[1])
    cube = ChamberItem("cube", "C1", ((3, 3, 1),))
    plain = np.asarray(paint(ChamberRoom(*flat, (cube,), (), (1, 1, 5, 4))))
    assert (plain[:20, WIDTH // 2 :] == CODE["ink"]).sum() == 0
    assert (draw_row(3)[:20, WIDTH // 2 :] == CODE["ink"]).sum() > 0
