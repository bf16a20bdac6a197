"""Scenes refuse what cannot be drawn, and are free of Pillow."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from facelet.renderers.scenes.records import CELLS, CUBE_BENCH, CubeNet

SOLVED = "".join(face * 9 for face in "URFDLB")
GREYISH = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (190, 180, 170), (0, 0, 255))
TWINS = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (255, 20, 0), (0, 0, 255))
BLACKISH = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (255, 128, 0), (0, 0, 20))

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"facelets": SOLVED[:-1]}, "53 letters; give 54"),
    ({"facelets": ""}, "0 letters; give 54"),
    ({"facelets": SOLVED[:-1] + "X"}, "'X' at index 53"),
    ({"facelets": SOLVED.lower()}, "one of URFDLB"),
    ({"colours": CUBE_BENCH[:5]}, "give a tuple of six"),
    ({"colours": list(CUBE_BENCH)}, "give a tuple of six"),
    ({"colours": (*CUBE_BENCH[:5], (0, 0, 256))}, "the colour of B is (0, 0, 256)"),
    ({"colours": (*CUBE_BENCH[:5], (0, 0.5, 9))}, "three whole numbers"),
    ({"colours": (*CUBE_BENCH[:5], (0, 0))}, "three whole numbers"),
    ({"colours": (*CUBE_BENCH[:5], CUBE_BENCH[0])}, "U and B"),
    ({"colours": TWINS}, "R and L are (255, 0, 0) and (255, 20, 0) at brightness 1.0, 20 levels"),
    ({"colours": BLACKISH}, "B and the gaps"),
    ({"colours": GREYISH}, "L and the hatch of hidden stickers"),
    ({"brightness": 0.1}, "raise the brightness"),
    ({"hidden": (54,)}, "hidden holds 54; allowed are 0 to 53"),
    ({"hidden": (-1, 3)}, "hidden holds -1"),
    ({"hidden": (3, 1)}, "ascending order"),
    ({"hidden": (3, 3)}, "without repeats"),
    ({"hidden": [1, 3]}, "give a tuple"),
    ({"brightness": 0.0}, "brightness is 0.0"),
    ({"brightness": 1.01}, "brightness is 1.01"),
    ({"brightness": float("nan")}, "brightness is nan"),
    ({"cell": CELLS[0] - 1}, "allowed are whole pixels from 16 to 128"),
    ({"cell": CELLS[1] + 1}, "cell is 129"),
    ({"cell": 40.5}, "cell is 40.5"),
    ({"cell": 40.0}, "cell is 40.0"),
    ({"cell": True}, "cell is True"),
    ({"background": (255, 255)}, "background is (255, 255)"),
    ({"layout": "star"}, "layout is 'star'; allowed are cross, tower"),
]


@pytest.mark.parametrize(("fields", "reason"), REFUSED)
def test_refuses_what_cannot_be_drawn(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        CubeNet(**{"facelets": SOLVED, **fields})


def test_takes_the_ends_of_every_range() -> None:
    for cell in CELLS:
        assert CubeNet(SOLVED, cell=cell).cell == cell
    assert CubeNet(SOLVED, hidden=tuple(range(54))).hidden[-1] == 53
    assert CubeNet("U" * 54, background=(0, 0, 0)).brightness == 1.0


def test_equal_scenes_are_one_key() -> None:
    scene = CubeNet(SOLVED, hidden=(1, 2))
    assert len({scene, CubeNet(SOLVED, hidden=(1, 2)), replace(scene, labels=False)}) == 2


def test_scenes_and_palettes_load_no_pillow() -> None:
    code = (
        "import sys; from facelet.renderers.scenes import cube, palettes; "
        "print('PIL' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
