"""Pixels do not drift: hashes of a handful of pictures, committed in tests/golden/renders.

Each module of the folder `recorded` beside this one has a mapping SCENES, names to scenes; the
golden of its name has a line for each. To record them again after a deliberate change, look at the
pictures and then run

    FACELET_RECORD_GOLDENS=renders python -m pytest tests/renderers/test_golden_renders.py

(`make golden TASK=renders` does so as well) and read the diff.
"""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

from facelet.renderers.api import painters_by_scene, render_scene
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.records import Scene

FOLDER = Path(__file__).parents[1] / "golden" / "renders"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS") in {"renders", "all", "1"}

RECORDED: dict[str, dict[str, Scene]] = {
    path.stem: runpy.run_path(str(path))["SCENES"]
    for path in sorted(Path(__file__).with_name("recorded").glob("*.py"))
}


def test_every_kind_of_scene_has_a_recorded_picture() -> None:
    recorded = {type(scene) for scenes in RECORDED.values() for scene in scenes.values()}
    missing = sorted(kind.__name__ for kind in set(painters_by_scene()) - recorded)
    assert not missing, (
        f"no picture of {', '.join(missing)} is recorded; name one in SCENES of a module in "
        "tests/renderers/recorded, then run `make golden TASK=renders` and look at it"
    )


@pytest.mark.parametrize("name", RECORDED)
def test_pictures_are_the_recorded_ones(name: str) -> None:
    lines = []
    for title, scene in RECORDED[name].items():
        image = render_scene(scene)
        lines.append(f"{title:<22} {image.width:>4} x {image.height:<4} {pixel_hash(image)}")
    text = "\n".join(lines) + "\n"
    path = FOLDER / f"{name}.txt"
    if RECORD:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing; record it with `make golden TASK=renders`"
    assert text == path.read_text(encoding="utf-8")


def test_every_golden_has_scenes() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(RECORDED)
