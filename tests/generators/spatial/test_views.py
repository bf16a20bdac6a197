"""Views of piles: known counts, and labels against a twin that tries all piles."""

from __future__ import annotations

import re
from typing import Any

import pytest
import views_twin as twin
from making import make_item

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.spatial import height_maps
from facelet.generators.spatial.tasks import views, views_choice, views_map
from facelet.renderers.api import render_scene
from facelet.renderers.pixel_hash import pixel_hash


def make_rows(name: str, count: int, **params: Any) -> list[Any]:
    task = task_registry.load_task(name)
    return [make_item(task, task.params(**params), None, (3, name), k)[0] for k in range(count)]


def read_prompt(task: Any, row: Any) -> str:
    parts = (part for message in task.open(row).prompt().messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def count_ends(views: height_maps.Views) -> tuple[int, int]:
    piles = (height_maps.thin_views(views), height_maps.fill_views(views))
    assert all(height_maps.see_pile(pile) == views for pile in piles)
    least, greatest = map(height_maps.count_cubes, piles)
    return least, greatest


# --- piles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("highest", "triples"), [(2, 8985), pytest.param(3, 52612, marks=[pytest.mark.slow])]
)
def test_least_and_greatest_are_those_of_all_piles(highest: int, triples: int) -> None:
    found = twin.count_all(3, highest)
    assert len(found) == triples
    for (above, front, right), counts in found.items():
        filled = tuple(tuple(sign == "X" for sign in row) for row in above.split("/"))
        ends = count_ends(height_maps.Views(filled, front, right))
        assert ends == (min(counts), max(counts))
        assert height_maps.bound_least(height_maps.Views(filled, front, right)) <= ends[0]


# --- labels ---------------------------------------------------------------------------------------


def check_counts(row: Any) -> None:
    seen = twin.read_views(read_prompt(views.TASK, row))
    least, greatest = twin.count_some(seen)
    assert row.answer == f"{least}, {greatest}"
    for said in ((least, greatest), (least + 1, greatest), (greatest, least)):
        status = replay(views.TASK.open(row), [views.TASK.form.format_command(*said)]).status
        assert status == ("correct" if said == (least, greatest) else "wrong")


def check_map(row: Any) -> None:
    seen = twin.read_views(read_prompt(views_map.TASK, row))
    size = len(seen[1])
    heights = tuple(map(int, row.answer.split(", ")))
    pile = tuple(heights[start : start + size] for start in range(0, size * size, size))
    assert twin.look(pile) == seen and sum(heights) == row.cubes
    lower = (*heights[:-1], max(0, heights[-1] - 1))
    if lower != heights:
        reply = views_map.TASK.form.format_command(lower)
        assert replay(views_map.TASK.open(row), [reply]).status == "wrong"


def check_choice(row: Any) -> None:
    text = read_prompt(views_choice.TASK, row)
    _, front, right = twin.read_views(text)
    options = dict(re.findall(r"^([A-D]): ([\d /]+)$", text, re.M))
    piles = {
        name: tuple(tuple(map(int, line)) for line in pile.split(" / "))
        for name, pile in options.items()
    }
    assert [name for name, pile in piles.items() if twin.look(pile)[1:] == (front, right)] == [
        row.letter
    ]


def test_labels_are_those_of_the_twin() -> None:
    for size in (3, 4, 5):
        for row in make_rows("spatial/views", 12, size=size, modality="text"):
            check_counts(row)
        for row in make_rows("spatial/views_map", 20, size=size, modality="text"):
            check_map(row)
    for row in make_rows("spatial/views_choice", 30, size=4, modality="text"):
        check_choice(row)


@pytest.mark.slow
def test_thousands_of_labels_are_those_of_the_twin() -> None:
    for size in (3, 4):
        for row in make_rows("spatial/views", 1500, size=size, modality="text"):
            check_counts(row)
    for size in (3, 4, 5):
        for row in make_rows("spatial/views_map", 1000, size=size, modality="text"):
            check_map(row)
    for size in (3, 4):
        for row in make_rows("spatial/views_choice", 1000, size=size, modality="text"):
            check_choice(row)


def test_any_pile_with_the_views_is_right() -> None:
    for row in make_rows("spatial/views_map", 10, size=4):
        greatest = height_maps.parse_pile(row.greatest)
        found = [high for line in greatest for high in line]
        low = [
            high for line in height_maps.thin_views(height_maps.see_pile(greatest)) for high in line
        ]
        spare = sum(found) - row.cubes
        for place in range(len(found)):  # lowered from the first place on, not from the last one
            taken = min(spare, found[place] - low[place])
            found[place], spare = found[place] - taken, spare - taken
        reply = views_map.TASK.form.format_command(found)
        assert replay(views_map.TASK.open(row), [reply]).status == "correct"
        short = views_map.TASK.form.format_command(found[1:])
        assert replay(views_map.TASK.open(row), [short]).status == "illegal"


# --- pictures -------------------------------------------------------------------------------------


def test_piles_with_one_picture_have_the_same_views() -> None:
    """The picture is that of all piles with the views; the question asks for what they share."""
    shown: dict[str, height_maps.Views] = {}
    for row in make_rows("spatial/views", 40, size=3):
        seen = height_maps.see_pile(height_maps.parse_pile(row.greatest))
        picture = pixel_hash(render_scene(height_maps.draw_views(seen)))
        assert shown.setdefault(picture, seen) == seen
    assert len(shown) >= 35


def test_a_pile_that_is_not_the_greatest_is_refused() -> None:
    (row,) = make_rows("spatial/views", 1)
    least = height_maps.thin_views(height_maps.see_pile(height_maps.parse_pile(row.greatest)))
    changed = views.TASK.decode(
        views.TASK.encode(row) | {"greatest": height_maps.format_pile(least)}
    )
    assert views.TASK.find_faults(changed) == ["the pile is not the greatest one with its views"]
