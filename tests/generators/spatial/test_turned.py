"""Turned solids: known counts, labels against a twin, and one solid a picture."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import turned_twin as twin
from making import make_item

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.spatial import polycubes, voxel_view
from facelet.generators.spatial.tasks import turned, turned_choice
from facelet.renderers.scenes.voxels import TOWARDS_EYE, VIEW

KNOWN = {1: 1, 2: 1, 3: 2, 4: 8, 5: 29, 6: 166, 7: 1023, 8: 6922}
"""Solids of so many cubes, mirror images counted twice (OEIS A000162)."""
FREE = {5: 23, 6: 112, 7: 607}
"""The same, mirror images counted once (OEIS A038119)."""


def make_rows(name: str, count: int, **params: Any) -> list[Any]:
    task = task_registry.load_task(name)
    return [make_item(task, task.params(**params), None, (3, name), k)[0] for k in range(count)]


def read_prompt(task: Any, row: Any) -> str:
    parts = (part for message in task.open(row).prompt().messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


# --- solids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cubes", KNOWN)
def test_there_are_as_many_solids_as_known(cubes: int) -> None:
    solids = polycubes.list_solids(cubes)
    assert len(set(solids)) == len(solids) == KNOWN[cubes]


@pytest.mark.parametrize("cubes", FREE)
def test_mirror_images_are_counted_once(cubes: int) -> None:
    hands = {
        min(solid, polycubes.canonical_solid(polycubes.rotate_solid(solid, polycubes.MIRROR)))
        for solid in polycubes.list_solids(cubes)
    }
    assert len(hands) == FREE[cubes]


def test_rotations_need_known_numbers_of_quarter_turns() -> None:
    counts = Counter(map(polycubes.count_quarter_turns, polycubes.ROTATIONS))
    assert counts == {0: 1, 1: 6, 2: 11, 3: 6}
    assert set(polycubes.fewest_counts()) == set(polycubes.ROTATIONS)


def test_mates_have_equal_statistics_and_four_forms() -> None:
    pairs = polycubes.list_mates(7)
    assert [len(polycubes.list_mates(cubes)) for cubes in (5, 6, 7)] == [0, 8, 97]
    for pair in pairs:
        forms = {*pair, *(polycubes.rotate_solid(one, polycubes.MIRROR) for one in pair)}
        assert len(set(map(polycubes.canonical_solid, forms))) == 4
        assert len(set(map(polycubes.measure_solid, forms))) == 1


# --- labels ---------------------------------------------------------------------------------------


def check_turned(row: Any) -> None:
    solids = twin.read_cells(read_prompt(turned.TASK, row))
    right = twin.list_right_counts(solids["Before"], solids["After"])
    assert right and tuple(map(int, row.answer.split(", "))) in right
    for counts in ((1, 0, 0), (0, 2, 3), (3, 3, 3)):
        reply = turned.TASK.form.format_command(*counts)
        status = replay(turned.TASK.open(row), [reply]).status
        assert status == ("correct" if counts in right else "wrong")


def check_choice(row: Any) -> None:
    solids = twin.read_cells(read_prompt(turned_choice.TASK, row))
    right = [name for name in "ABCD" if twin.list_right_counts(solids["Solid"], solids[name])]
    assert right == [row.letter]


def test_labels_are_those_of_the_twin() -> None:
    for cubes in (5, 8):
        for row in make_rows("spatial/turned", 25, cubes=cubes, modality="text"):
            check_turned(row)
    for row in make_rows("spatial/turned_choice", 25, modality="text"):
        check_choice(row)


@pytest.mark.slow
def test_thousands_of_labels_are_those_of_the_twin() -> None:
    for cubes in (5, 6, 7, 8):
        for row in make_rows("spatial/turned", 380, cubes=cubes, modality="text"):
            check_turned(row)
    for cubes in (7, 8):
        for row in make_rows("spatial/turned_choice", 1500, cubes=cubes, modality="text"):
            check_choice(row)


def test_a_wrong_turn_is_illegal() -> None:
    (row,) = make_rows("spatial/turned", 1)
    assert replay(turned.TASK.open(row), ["My Turns: 4, 0, 0"]).status == "illegal"
    assert replay(turned.TASK.open(row), ["My Turns: 1, 0"]).status == "unparsed"


# --- pictures -------------------------------------------------------------------------------------


def test_the_view_is_generic() -> None:
    """No two cells of a solid appear near each other, so the place of a cube shows its cell."""
    assert [sum(map(int.__mul__, TOWARDS_EYE, axis)) for axis in zip(*VIEW, strict=True)] == [0, 0]
    nearest = min(
        sum(sum(k * axis[side] for k, axis in zip(step, VIEW, strict=True)) ** 2 for side in (0, 1))
        for step in twin.product(range(-7, 8), repeat=3)
        if 0 < sum(map(abs, step)) <= 7
    )
    assert nearest >= (0.4 * 26) ** 2


def list_befores(count: int) -> list[twin.Cells]:
    rows = make_rows("spatial/turned", count, cubes=8)
    return [frozenset(polycubes.parse_solid(row.before)) for row in rows]


def test_no_other_solid_has_the_same_picture() -> None:
    for cells in list_befores(6):
        assert twin.find_lookalike(cells) is None and twin.list_unseen(cells) == []


def test_without_the_certificate_cubes_are_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turned, "shows_every_cube", lambda cells: True)
    assert any(twin.list_unseen(cells) for cells in list_befores(60))
    rows = make_rows("spatial/turned", 60, cubes=8)
    faults = [turned.TASK.find_faults(row) for row in rows]
    assert any("hides a cube" in fault for found in faults for fault in found)


@pytest.mark.slow
def test_all_pictures_of_six_cubes_that_show_every_cube_differ() -> None:
    shown: dict[str, twin.Cells] = {}
    hidden: dict[str, twin.Cells] = {}
    for solid in polycubes.list_solids(6):
        for form in {polycubes.rotate_solid(solid, turn) for turn in polycubes.ROTATIONS}:
            kept = shown if voxel_view.shows_every_cube(form) else hidden
            cells = frozenset(form)
            assert kept.setdefault(twin.draw_alone(cells), cells) == cells or kept is hidden
    assert not set(shown) & set(hidden)
    assert len(shown) > 2500
