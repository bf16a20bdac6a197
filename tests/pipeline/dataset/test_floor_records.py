"""Floors by level and shortcuts: what a manifest says is read, told, and kept apart if damaged."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from facelet.pipeline import dataset_info
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.scoring.aggregate.claims import find_baselines
from facelet.pipeline.scoring.render import figure_tables

SHARE = {"value": 0.3, "low": 0.2, "high": 0.4, "items": 40}
LEVEL = {**SHARE, "player": "fixed", "chance": 0.25, "difficulty": 3}
RECORD: dict[str, Any] = {
    **SHARE,
    "of": "answers",
    "player": "fixed",
    "levels": {
        "d03": LEVEL,
        "d01": {**LEVEL, "difficulty": 1, "value": 0.6, "low": 0.5, "high": 0.7, "chance": None},
    },
    "shortcuts": {
        "centres": {
            **SHARE,
            "value": 0.9,
            "looks_at": "the six centres alone",
            "levels": {"d03": {**SHARE, "value": 0.8}},
        }
    },
}


def read_record(record: object) -> Any:
    return floor_record.parse_floor({"floor": record})


def test_a_whole_record_is_read_as_it_is() -> None:
    assert read_record(RECORD) == RECORD
    assert [label for label, *_ in floor_record.list_levels(read_record(RECORD))] == ["d01", "d03"]
    assert floor_record.best_shortcut(read_record(RECORD)) == "90.0% (centres)"
    older = {name: value for name, value in RECORD.items() if name not in ("levels", "shortcuts")}
    assert read_record(older) == older and floor_record.best_shortcut(read_record(older)) == "-"


def test_points_of_a_curve_are_shown_and_are_no_baselines() -> None:
    curved = copy.deepcopy(RECORD)
    curved["shortcuts"] |= {
        f"follow_{k}": {
            **RECORD["shortcuts"]["centres"],
            "value": 1.0,
            "looks_at": f"{k} stickers",
            "levels": {"d03": {**SHARE, "value": 1.0}},
        }
        for k in (2, 12)
    }
    curved["curve"] = {"follow_12": 12, "follow_2": 2}
    floor = read_record(curved)
    assert floor == curved
    assert floor_record.best_shortcut(floor) == "90.0% (centres)"
    assert find_baselines("answers", None, floor)["shortcut"] == 0.9
    assert find_baselines("answers", None, floor, 3)["shortcut"] == 0.8
    said = "Little is enough: 100.0% is won with 2 stickers."
    assert floor_record.floor_notes(floor).startswith(said)
    assert "follow_12" in floor_record.list_levels(floor)[1][2]
    del curved["shortcuts"]["follow_2"], curved["shortcuts"]["follow_12"]
    assert floor_record.floor_notes(read_record(curved)) == ""
    curved["curve"] = {"centres": "many"}
    assert find_baselines("answers", None, read_record(curved))["shortcut"] == 0.9


def test_what_is_won_without_an_answer_is_called_planning() -> None:
    deaf = copy.deepcopy(RECORD)
    assert (
        floor_record.planning_note(None) == floor_record.planning_note(deaf) == ""
    )  # centres are no open loop
    deaf["shortcuts"][floor_record.OPEN_LOOP] = {**RECORD["shortcuts"]["centres"], "value": 0.49}
    assert floor_record.planning_note(deaf) == ""
    deaf["shortcuts"][floor_record.OPEN_LOOP]["value"] = 0.9
    said = "This measures planning: 90.0% is won by a player that hears no answer."
    assert floor_record.planning_note(deaf) == said
    assert dataset_info.format_levels(read_record(deaf))[-1] == said
    deaf["known_rule"] = "take the smallest"
    rule = "Solved by a known rule, so its levels are no difficulty: take the smallest."
    assert floor_record.known_rule_note(read_record(deaf)) == rule
    said += f" {rule}"
    assert dataset_info.format_levels(read_record(deaf))[-1] == said
    report: Any = {"floor": deaf, "cells": [], "difficulty_axis": ""}
    assert figure_tables._split_tables(report)[0] == said


@pytest.mark.parametrize(
    "path, value",
    [
        (("levels", "d03", "value"), 2),
        (("levels", "d03", "value"), "much"),
        (("levels", "d03", "difficulty"), None),
        (("levels", "d03", "chance"), -1),
        (("levels", "d03", "player"), 5),
        (("levels", "d03"), []),
        (("shortcuts", "centres", "looks_at"), None),
        (("shortcuts", "centres", "levels"), {"d03": {"value": 3}}),
        (("shortcuts", "centres"), "x"),
    ],
)
def test_a_damaged_part_is_left_out_and_nothing_else(path: tuple[str, ...], value: object) -> None:
    broken = copy.deepcopy(RECORD)
    inside = broken
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    found = read_record(broken)
    assert path[1] not in found[path[0]]
    other = "shortcuts" if path[0] == "levels" else "levels"
    assert found[other] == RECORD[other]


@pytest.mark.parametrize("levels", [None, 3, [], "d01"])
def test_levels_that_are_none_are_no_levels(levels: object) -> None:
    found = read_record({**RECORD, "levels": levels})
    assert not found.get("levels") and found["value"] == 0.3


def test_what_guessing_wins_is_the_levels_own() -> None:
    found = read_record(RECORD)
    assert floor_record.guess_share(found, 1, None) == 0.6, "no chance is known: the floor"
    assert floor_record.guess_share(found, 3, 0.25) == 0.25, "more than chance by luck alone"
    assert floor_record.guess_share(found, 9, 0.25) == 0.25, (
        "a level without a figure has the config's"
    )
    assert floor_record.guess_share({**found, "of": "elements"}, 1, None) == 0.0
    assert (
        floor_record.guess_share(None, 1, 0.5) == 0.5
        and floor_record.guess_share(None, 1, None) == 0.0
    )


def test_a_table_of_many_levels_is_short_and_has_both_ends() -> None:
    many = {**RECORD, "levels": {f"l{k:02}": {**LEVEL, "difficulty": k} for k in range(30)}}
    rows, left = floor_record.level_rows(read_record(many))
    assert len(rows) == floor_record.MAX_LEVEL_ROWS and left == 30 - floor_record.MAX_LEVEL_ROWS
    assert rows[0]["level"] == "l00" and rows[-1]["level"] == "l29"
    rows, left = floor_record.level_rows(read_record(RECORD))
    assert [row["level"] for row in rows] == ["d01", "d03"] and left == 0
    assert rows[0]["chance"] == "-" and rows[1]["centres"] == "80.0%"
