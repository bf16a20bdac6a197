"""The pictures in data/examples, which the README shows, are what the tasks draw now.

`make golden TASK=renders` draws them again; look at them before they are committed.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

import facelet
from facelet.renderers.pixel_hash import pixel_hash_png

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "data" / "examples"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS") in {"renders", "all", "1"}

EXAMPLES: dict[str, tuple[str, dict[str, Any], int]] = {
    "cube_net": ("cube/verification", {"depth": 12}, 0),
    "cube_corner": ("cube/navigate", {"depth": 12, "observation": "vertex"}, 0),
    "cube_pairs": ("cube/forward_deformation", {"level": 3}, 1),
    "shapes": ("shapes/forward_deformation", {"space": "2.5d", "level": 5}, 1),
    "jigsaw_pieces": ("jigsaw/assemble", {}, 0),
    "labyrinth_board": ("labyrinth/game_state_parsing", {}, 0),
    "chamber_plan": ("chamber/plan_correctness", {}, 0),
    "chamber_room": ("chamber/plan_correctness", {}, 1),
}
"""By name of the file: a task, its params, and which picture of its first row."""


def draw_example(task: str, params: dict[str, Any], number: int) -> bytes:
    (entry,) = facelet.create_dataset(task, size=1, seed=1, **params)
    pictures = [
        part["image_url"]["url"]
        for message in entry["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    return base64.b64decode(pictures[number].partition(",")[2])


def test_example_pictures_are_the_recorded_ones() -> None:
    for name, (task, params, number) in EXAMPLES.items():
        picture, path = draw_example(task, params, number), FOLDER / f"{name}.png"
        if RECORD:
            path.write_bytes(picture)
        assert pixel_hash_png(picture) == pixel_hash_png(path.read_bytes()), name


def test_the_readme_shows_all_examples_and_no_others() -> None:
    shown = re.findall(r'src="data/examples/(\w+)\.png"', (PROJECT / "README.md").read_text())
    assert sorted(shown) == sorted(EXAMPLES) == sorted(path.stem for path in FOLDER.glob("*.png"))
