"""Floors by level and shortcuts: what a manifest says is read, told, and kept apart if damaged."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from facelet.pipeline import info
from facelet.pipeline.dataset import floors
from facelet.pipeline.scoring.telling import tables

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


def read(record: object) -> Any:
    return floors.read({"floor": record})


def test_a_whole_record_is_read_as_it_is() -> None:
    assert read(RECORD) == RECORD
    assert [label for label, *_ in floors.by_level(read(RECORD))] == ["d01", "d03"]
    assert floors.best_shortcut(read(RECORD)) == "90.0% (centres)"
    older = {name: value for name, value in RECORD.items() if name not in ("levels", "shortcuts")}
    assert read(older) == older and floors.best_shortcut(read(older)) == "-"


def test_what_is_won_without_an_answer_is_called_planning() -> None:
    deaf = copy.deepcopy(RECORD)
    assert floors.planning(None) == floors.planning(deaf) == ""  # centres are no open loop
    deaf["shortcuts"][floors.OPEN_LOOP] = {**RECORD["shortcuts"]["centres"], "value": 0.49}
    assert floors.planning(deaf) == ""
    deaf["shortcuts"][floors.OPEN_LOOP]["value"] = 0.9
    said = "This measures planning: 90.0% is won by a player that hears no answer."
    assert floors.planning(deaf) == said
    assert info.levels(read(deaf))[-1] == said
    report: Any = {"floor": deaf, "cells": [], "difficulty_axis": ""}
    assert tables._details(report)[0] == said


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
    found = read(broken)
    assert path[1] not in found[path[0]]
    other = "shortcuts" if path[0] == "levels" else "levels"
    assert found[other] == RECORD[other]


@pytest.mark.parametrize("levels", [None, 3, [], "d01"])
def test_levels_that_are_none_are_no_levels(levels: object) -> None:
    found = read({**RECORD, "levels": levels})
    assert not found.get("levels") and found["value"] == 0.3


def test_what_guessing_wins_is_the_levels_own() -> None:
    found = read(RECORD)
    assert floors.guessed(found, 1, None) == 0.6, "no chance is known: the floor"
    assert floors.guessed(found, 3, 0.25) == 0.25, "more than chance by luck alone"
    assert floors.guessed(found, 9, 0.25) == 0.25, "a level without a figure has the config's"
    assert floors.guessed({**found, "of": "elements"}, 1, None) == 0.0
    assert floors.guessed(None, 1, 0.5) == 0.5 and floors.guessed(None, 1, None) == 0.0


def test_a_table_of_many_levels_is_short_and_has_both_ends() -> None:
    many = {**RECORD, "levels": {f"l{k:02}": {**LEVEL, "difficulty": k} for k in range(30)}}
    rows, left = floors.level_rows(read(many))
    assert len(rows) == floors.SHOWN and left == 30 - floors.SHOWN
    assert rows[0]["level"] == "l00" and rows[-1]["level"] == "l29"
    rows, left = floors.level_rows(read(RECORD))
    assert [row["level"] for row in rows] == ["d01", "d03"] and left == 0
    assert rows[0]["chance"] == "-" and rows[1]["centres"] == "80.0%"
