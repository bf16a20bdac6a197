"""Punched paper: known counts, labels against a twin, and one fold a picture."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import punched_twin as twin
import pytest
from making import make_item

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.spatial import paper, paper_panels
from facelet.generators.spatial.tasks import punched, punched_choice, punched_plan
from facelet.renderers.api import render_scene
from facelet.renderers.pixel_hash import pixel_hash

KNOWN = (36, 254, 1225, 5411)
"""Patterns of up to so many folds of a sheet of 6 by 6, punches on creases included."""


def make_rows(name: str, count: int, **params: Any) -> list[Any]:
    task = task_registry.load_task(name)
    return [make_item(task, task.params(**params), None, (3, name), k)[0] for k in range(count)]


def read_prompt(task: Any, row: Any) -> str:
    parts = (part for message in task.open(row).prompt().messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


# --- paper ----------------------------------------------------------------------------------------


def test_there_are_as_many_patterns_as_known() -> None:
    sheets = {paper.FoldedSheet()}
    found: set[tuple[int, ...]] = set()
    for count in KNOWN:
        for sheet in sheets:
            layers: defaultdict[paper.Place, list[int]] = defaultdict(list)
            for number, place in enumerate(sheet.places, 1):
                layers[place].append(number)
            found |= {tuple(numbers) for numbers in layers.values()}
        assert len(found) == count
        if count != KNOWN[-1]:
            sheets = {after for sheet in sheets for after in paper.list_folds(sheet).values()}


def test_folds_and_punches_are_those_of_the_twin() -> None:
    squares = range(1, paper.SIZE**2 + 1)
    for fold in itertools.product(squares, repeat=2):
        try:
            patterns = paper.list_patterns(paper.fold_in_order([fold]))
        except ValueError:
            patterns = {}
        holes = {punch: set(pattern) for pattern, punch in patterns.items()}
        assert {n: found for n in squares if (found := twin.list_holes([fold], n))} == holes


def test_fewest_folds_are_those_of_a_search_by_the_twin() -> None:
    squares = range(1, paper.SIZE**2 + 1)
    ones = [fold for _, fold in paper.list_creases()]
    single = {
        frozenset(holes) for fold in ones for n in squares if (holes := twin.list_holes([fold], n))
    }
    made = paper.list_fewest_folds()
    assert {frozenset(holes) for holes, (folds, _) in made.items() if len(folds) <= 1} == single


# --- labels ---------------------------------------------------------------------------------------


def check_punched(row: Any) -> None:
    holes = twin.list_holes(*twin.read_steps(read_prompt(punched.TASK, row)))
    assert holes is not None and row.answer == ", ".join(map(str, sorted(holes)))
    backwards = punched.TASK.form.format_command(tuple(sorted(holes, reverse=True)))
    assert replay(punched.TASK.open(row), [backwards]).status == "correct"
    fewer = punched.TASK.form.format_command(tuple(sorted(holes)[1:]))
    assert replay(punched.TASK.open(row), [fewer]).status == "wrong"


def check_choice(row: Any) -> None:
    text = read_prompt(punched_choice.TASK, row)
    holes = twin.list_holes(*twin.read_steps(text))
    lines = dict(line.split(": ") for line in text.splitlines() if line[1:3] == ": ")
    options = {name: {int(n) for n in lines[name].split(", ")} for name in "ABCD"}
    assert [name for name, option in options.items() if option == holes] == [row.letter]


def check_plan(row: Any) -> None:
    folds, punch = row.answer.split("; punch ")
    pairs = [tuple(map(int, fold.split("-"))) for fold in folds.split(", ")]
    assert len(pairs) == row.folds
    assert twin.list_holes(pairs, int(punch)) == set(row.holes)  # type: ignore[arg-type]


def test_labels_are_those_of_the_twin() -> None:
    for folds in (2, 4):
        for row in make_rows("spatial/punched", 30, folds=folds, modality="text"):
            check_punched(row)
    for row in make_rows("spatial/punched_choice", 30, folds=3, modality="text"):
        check_choice(row)
    for row in make_rows("spatial/punched_plan", 30, folds=3):
        check_plan(row)


@pytest.mark.slow
def test_thousands_of_labels_are_those_of_the_twin() -> None:
    for folds in (2, 3, 4):
        for row in make_rows("spatial/punched", 1500, folds=folds, modality="text"):
            check_punched(row)
    for folds in (2, 3):
        for row in make_rows("spatial/punched_choice", 1000, folds=folds, modality="text"):
            check_choice(row)
    for row in make_rows("spatial/punched_plan", 1500, folds=3):
        check_plan(row)


def test_another_plan_is_right_as_well() -> None:
    puzzle = punched_plan.HolePattern((1, 6), 1, "text", "6-1; punch 1")
    said = ["My Plan: 6-1; punch 1", "My Plan: 31-36; punch 6", "My Plan: 1-6; punch 1"]
    status = [replay(punched_plan.TASK.open(puzzle), [reply]).status for reply in said]
    assert status == ["correct", "correct", "illegal"]
    assert replay(punched_plan.TASK.open(puzzle), ["My Plan: 1-3; punch 1"]).status == "illegal"
    assert punched_plan.TASK.find_faults(puzzle) == []


# --- pictures -------------------------------------------------------------------------------------


def test_each_picture_shows_one_fold() -> None:
    for row in make_rows("spatial/punched", 4, folds=3):
        folds = paper.parse_folds(row.creases)
        for place, fold in enumerate(folds):
            shown: dict[str, Any] = {}
            for other in paper.list_folds(paper.fold_in_order(folds[:place])):
                panel = paper_panels.draw_folds([*folds[:place], other])[-1]
                picture = render_scene(paper_panels.build_sheet((panel,), ("",)))
                shown.setdefault(pixel_hash(picture), []).append(paper.find_crease(other))
            assert max(map(len, shown.values())) == 1
            assert paper.find_crease(fold) in itertools.chain(*shown.values())


def test_a_picture_without_the_flap_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = make_rows("spatial/punched", 1)
    assert punched.TASK.find_faults(row) == []
    monkeypatch.setattr(paper_panels, "draw_folds", lambda folds: ((),) * len(folds))
    assert "shows" in punched.TASK.find_faults(row)[0]
