"""Figures over all games of a suite, and which of two models needs less on what both solved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arcade_published import iterate_rows, publish_games, write_transcripts

from facelet.generators.core import task_registry
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval
from facelet.pipeline.scoring.render import figure_tables
from facelet.pipeline.scoring.scorer import ScoreSettings, score

GAMES = ("min_max", "zero_finding", "maze_navigation")
COUNT = 10


def row_number(row: Any) -> int:
    return int(row["id"][-6:])


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Scores of a model that wins level 1 and half of level 2, and of one that wins every third.

    The second wastes a turn in rows of an even number; the first one in row 3 of each cell.
    """
    root = publish_games(tmp_path_factory.mktemp("games") / "data", GAMES, (1, 2), COUNT)
    folder = root.parent
    files = [
        write_transcripts(
            root,
            folder / "first.jsonl",
            "first",
            lambda row: row["difficulty"] == 1 or row_number(row) % 2 == 0,
            lambda row: int(row_number(row) == 3),
        ),
        write_transcripts(
            root,
            folder / "second.jsonl",
            "second",
            lambda row: row_number(row) % 3 == 0,
            lambda row: int(row_number(row) % 2 == 0),
        ),
    ]
    results = score(root, files, ScoreSettings(resamples=200)).results
    return {"root": root, "results": results}


def find_cell(part: dict[str, Any], level: int | None, **by: str) -> dict[str, Any]:
    (found,) = (c for c in part["cells"] if c["difficulty"] == level and c["by"] == by)
    return dict(found)


def test_rows_of_all_games_are_pooled_by_class_and_level(scored: dict[str, Any]) -> None:
    (part,) = scored["results"]["models"][0]["pooled"]
    assert (part["suite"], part["split"], part["tasks"]) == ("evolarena", "test", 3)
    assert part["items"] == 3 * 2 * COUNT
    for by, tasks in (({}, 3), ({"category": "information_probing"}, 1)):
        every = find_cell(part, None, **by)
        assert every["items"] == tasks * 2 * COUNT
        accuracy = every["figures"]["accuracy"]
        assert accuracy["value"] == pytest.approx(0.75)
        assert (accuracy["low"], accuracy["high"]) == pytest.approx(
            wilson_interval(0.75 * every["items"], every["items"])
        )
        assert find_cell(part, 1, **by)["figures"]["accuracy"]["value"] == 1
        assert find_cell(part, 2, **by)["figures"]["accuracy"]["value"] == 0.5
    assert {c["by"].get("category") for c in part["cells"]} == {
        *(None, "information_probing", "dynamic_adaptation", "state_operation"),
    }


def test_turns_are_pooled_over_the_rows_that_were_solved(scored: dict[str, Any]) -> None:
    (part,) = scored["results"]["models"][0]["pooled"]
    turns = []
    for row in iterate_rows(scored["root"]):
        if row["difficulty"] == 1:
            task = task_registry.load_task(row["task"])
            turns.append(len(task.reference(task.decode(row))) + (row_number(row) == 3))
    found = find_cell(part, 1)["figures"]["turns_when_solved"]
    assert found["value"] == pytest.approx(sum(turns) / len(turns))
    assert found["units"] == len(turns)


def test_efficiency_is_of_the_rows_that_both_solved(scored: dict[str, Any]) -> None:
    """Rows 0, 3, 6, 9 of level 1, 0 and 6 of level 2: the second wastes in 0 and 6, else not."""
    found = scored["results"]["efficiencies"]
    whole = next(part for part in found if not part["by"])
    assert whole["models"] == ["first", "second"] and whole["metric"] == "turns_when_solved"
    assert whole["items"] == 3 * 6
    values = {name: figure["value"] for name, figure in whole["figures"].items()}
    assert values["first_less"] == pytest.approx(4 / 6)  # 0 and 6 of both levels
    assert values["second_less"] == pytest.approx(1 / 6)  # 3 of level 1
    assert values["equal"] == pytest.approx(1 / 6)  # 9 of level 1
    assert values["second_mean"] - values["first_mean"] == pytest.approx((4 - 1) / 6)
    assert {tuple(part["by"]) for part in found} == {(), ("category",), ("config",)}
    assert sum(part["items"] for part in found if "config" in part["by"]) == whole["items"]


def test_the_report_shows_both(scored: dict[str, Any]) -> None:
    text = figure_tables.render_tables(scored["results"])
    assert "### All 3 tasks of evolarena" in text
    assert "## Efficiency on rows that both solved" in text
    assert "| information_probing | all   | 20" in text.replace("\\", "")


def test_what_some_games_alone_tell_is_not_pooled(scored: dict[str, Any], tmp_path: Path) -> None:
    """The seconds of one game's plays, whichever game it is, are none of the suite's figures."""
    root = scored["root"]
    said = write_transcripts(root, tmp_path / "said.jsonl", "model", lambda row: True)
    lines = [json.loads(line) for line in said.read_text().splitlines()]
    for told in (GAMES[:1], GAMES[1:2], GAMES[2:], GAMES):
        for line in lines:
            line.pop("seconds", None)
            if line["id"].split("/")[0].removeprefix("evolarena.") in told:
                line["seconds"] = [2.0]
        said.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (model,) = score(root, [said], ScoreSettings(resamples=100)).results["models"]
        (part,) = model["pooled"]
        assert ("seconds" in part["cells"][0]["figures"]) == (told == GAMES)
