"""The suites of MARBLE's jigsaw cubes: the paper's counts, and the grid between its settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typed import resolve_words

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.pipeline import dataset_info
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader, floor_record


def plan_cells(*words: str):
    return compute_plan(resolve_words(words)[0]).cells_by_config()


@pytest.mark.parametrize(("profile", "factor"), [("paper", 1.0), ("large", 10.0), ("smoke", 0.08)])
def test_counts_are_the_papers_times_the_profile(profile: str, factor: float) -> None:
    found = plan_cells("suites=[marble]", f"profile={profile}")
    counts = {"assemble": 1000, "assemble_easy": 1000, "perception": 200}
    for name, count in counts.items():
        assert [cell.asked for cell in found[f"marble.{name}"]] == [round(factor * count)]
    for name in ("plan_correctness", "fill_blanks"):
        chambers = found[f"marble.{name}"]
        assert [cell.difficulty.value for cell in chambers] == [7, 12, 18, 24]
        assert [cell.asked for cell in chambers] == [round(factor * 64) if factor >= 1 else 1] * 4


def test_all_questions_about_chambers_are_about_the_same_maps() -> None:
    found = plan_cells("suites=[marble,marble_variants,marble_as_published]")
    pools = {
        (cell.difficulty.value, cell.pool)
        for grid in found.values()
        for cell in grid
        if cell.task.startswith("chamber/")
    }
    assert sorted(steps for steps, _ in pools) == [7, 12, 18, 24]


def test_a_count_of_its_own_takes_the_place_of_a_multiple() -> None:
    found = plan_cells("suites=[marble]", "marble.assemble.count=7", "marble.perception.times=3")
    assert found["marble.assemble"][0].asked == 7
    assert found["marble.perception"][0].asked == 300
    with pytest.raises(ValueError, match=r"marble.perception.times"):
        plan_cells("suites=[marble]", "marble.perception.times=0")


def test_the_grid_spans_all_conditions() -> None:
    found = plan_cells("suites=[marble_variants]")
    knobs = [
        dict(cell.params)
        for grid in found.values()
        for cell in grid
        if cell.task in ("jigsaw/assemble", "jigsaw/assemble_easy")
    ]
    assert len(knobs) == 6 * 2 * 2 + 4
    spanned = {
        (each["missing"], each["flips"], each["modality"])
        for each in knobs
        if each["feedback"] == "none"
    }
    assert len(spanned) == 6 * 2 * 2
    refined = {
        (each["missing"], each["flips"], each["feedback"], each["rounds"])
        for each in knobs
        if each["feedback"] != "none"
    }
    assert refined == {
        (missing, flips, feedback, 5)
        for missing, flips in ((6, True), (2, False))
        for feedback in ("binary", "detailed")
    }


def test_the_published_conditions_can_be_restored() -> None:
    found = plan_cells("suites=[marble,marble_as_published]")
    for name in ("assemble", "assemble_easy", "perception", "maze", "maze_easy"):
        (ours,), (theirs,) = found[f"marble.{name}"], found[f"marble_as_published.{name}"]
        assert (ours.task, ours.asked, ours.label) == (theirs.task, theirs.asked, theirs.label)
        apart = dict(set(theirs.params) - set(ours.params))
        assert apart.items() <= {
            ("budget", "unlimited"),
            ("shifted", "any"),
            ("targets", "any"),
            ("unique", False),
            ("twins", True),
            ("loose_corners", True),
        }
        assert apart


def test_planned_and_acted_mazes_of_the_suites_draw_the_same_boards() -> None:
    """Cells with one axis, value and split: their tasks draw under one name."""
    found = plan_cells("suites=[marble,marble_variants]")
    planned = {cell.difficulty.value for cell in found["marble_variants.maze_visual"]}
    acted = {cell.difficulty.value for cell in found["marble_variants.maze_act_visual"]}
    assert planned == acted == {0, 1, 2, 3, 4}
    first: dict[int, Any] = {}
    for cell in (*found["marble.maze"], *found["marble_variants.maze_act_visual"]):
        if cell.difficulty.value != 4:
            continue
        task = task_registry.load_task(cell.task)
        made = task.generate(cell.make_params(task), Draw((0, *cell.seed_names), 0), None)[0]
        assert (made.board, made.target) == first.setdefault(4, (made.board, made.target))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("marble") / "data"
    words = ["suites=[marble]", "profile=smoke", "progress=false", f"out={out}", "workers=1"]
    names = ["assemble", "assemble_easy", "perception"]
    counts = [f"marble.{name}.count=4" for name in names]
    assert main(["build", *words, f"tasks=[{','.join(names)}]", *counts]) == 0
    return out


def test_chance_is_that_of_the_search_space(built: Path) -> None:
    """Of answers that keep to the rules, not of labels that happen to be common."""
    report = dataset_info.format_info(dataset_reader.read_manifest(built))
    lines = {line.split()[0]: line for line in report.splitlines() if line.startswith("marble.")}
    card = (built / "README.md").read_text()
    for name, space in (("assemble", 188_743_680 / 48), ("assemble_easy", 32)):
        rows = pq.read_table(next((built / f"marble.{name}").glob("*.parquet"))).to_pylist()
        # A piece that is its own mirror image lies in two ways on its cells, and both are right.
        assert all(row["chance"] * space == pytest.approx(row["solutions"]) for row in rows)
        assert all(row["distinct_solutions"] == 1 for row in rows)
        share = sum(row["chance"] for row in rows) / len(rows)
        text = floor_record.format_chance({"value": share, "of": "answers"})
        assert text in lines[f"marble.{name}"] and text in card
    assert "68.0% of elements" in lines["marble.perception"]


def test_pictures_are_small(built: Path) -> None:
    rows = pq.read_table(next((built / "marble.assemble").glob("*.parquet"))).to_pylist()
    assert [len(row["images"]) for row in rows] == [1] * 4
    assert all(len(row["images"][0]["bytes"]) < 72_000 for row in rows)
