"""Standpoints: labels against a twin, even hours and quarters, and maps that show every place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import standpoint_twin as twin
from making import make_item

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.spatial import standpoints
from facelet.generators.spatial.tasks import standpoint, standpoint_choice
from facelet.renderers.api import render_scene
from facelet.renderers.pixel_hash import pixel_hash


def make_rows(name: str, count: int, **params: Any) -> list[Any]:
    task = task_registry.load_task(name)
    return [make_item(task, task.params(**params), None, (3, name), k)[0] for k in range(count)]


def read_prompt(task: Any, row: Any) -> str:
    parts = (part for message in task.open(row).prompt().messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def check_clock(row: Any) -> None:
    bearing = twin.read_bearing(read_prompt(standpoint.TASK, row))
    hours = bearing / 30
    assert abs(hours - round(hours)) <= 1 / 3 + 1e-9
    assert row.answer == str(round(hours) % 12 or 12)


def check_choice(row: Any) -> None:
    text = read_prompt(standpoint_choice.TASK, row)
    bearing = twin.read_bearing(text)
    front = "in front" if bearing < 90 or bearing > 270 else "behind"
    words = f"{front} to the {'right' if bearing < 180 else 'left'}"
    assert f"\n{row.answer}: {words}\n" in f"{text}\n"


def test_labels_are_those_of_the_twin() -> None:
    for steps in range(6):
        for row in make_rows("spatial/standpoint", 24, steps=steps, modality="text"):
            check_clock(row)
        for row in make_rows("spatial/standpoint_choice", 24, steps=steps, modality="text"):
            check_choice(row)


@pytest.mark.slow
def test_thousands_of_labels_are_those_of_the_twin() -> None:
    for steps in range(6):
        for row in make_rows("spatial/standpoint", 500, steps=steps, modality="text"):
            check_clock(row)
        for row in make_rows("spatial/standpoint_choice", 500, steps=steps, modality="text"):
            check_choice(row)


def test_hours_are_even() -> None:
    rows = make_rows("spatial/standpoint", 48)
    assert set(Counter(row.answer for row in rows).values()) == {4}


def test_replies_name_an_hour() -> None:
    (row,) = make_rows("spatial/standpoint", 1)
    statuses = [
        replay(standpoint.TASK.open(row), [f"My Clock: {said}"]).status
        for said in (row.answer, int(row.answer) % 12 + 1, 0, 13)
    ]
    assert statuses == ["correct", "wrong", "illegal", "illegal"]


def test_every_change_of_a_map_is_shown() -> None:
    (row,) = make_rows("spatial/standpoint", 1)
    places = row.list_places()
    maps = [places]
    for name, (east, north) in places.items():
        moved = (east + 1 if east < 8 else east - 1, north)
        maps.append({**places, name: moved} if moved not in places.values() else places)
    pictures = {pixel_hash(render_scene(standpoints.draw_map(one))) for one in maps}
    assert len(pictures) == len({tuple(one.items()) for one in maps})


def test_objects_that_meet_are_refused() -> None:
    (row,) = make_rows("spatial/standpoint", 1)
    changed = replace(row, objects=(*row.objects[:-1], f"F {row.objects[0][2:]}"))
    assert "two objects share a place" in standpoint.TASK.list_picture_faults(changed)
    assert "two objects share a place" in standpoint_choice.TASK.list_picture_faults(changed)
