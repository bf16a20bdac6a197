"""A model's row beside the papers': the right cells, and every difference named."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
from typed import resolve

from facelet.generators.core import registry
from facelet.pipeline.scoring.papers import evolarena
from facelet.pipeline.scoring.papers.beside import beside
from facelet.pipeline.scoring.papers.layouts import LAYOUTS
from facelet.pipeline.scoring.papers.places import SUITES
from facelet.pipeline.scoring.papers.tables import tables

SUITE_FILES = Path(__file__).parents[4] / "conf" / "suite"


def cell(difficulty, by=(), **figures):
    parts = {name: {"value": value} for name, value in figures.items()}
    return {"difficulty": difficulty, "by": dict(by), "figures": parts}


MODALITIES = ("image_text", "image", "text")
MODEL = {
    "model": "tester",
    "configs": {
        "cube_bench.move_prediction": {
            "splits": {
                "test": {
                    "cells": [
                        cell(None, accuracy=0.9, parse_rate=0.9),
                        cell(1, accuracy=0.8, parse_rate=0.8),
                        *(
                            cell(1, {"modality": name}, accuracy=0.25 * place, parse_rate=1)
                            for place, name in enumerate(MODALITIES, 1)
                        ),
                    ]
                }
            }
        }
    },
}
MANIFEST = {
    "configs": {
        "cube_bench.move_prediction": {
            "params": {"metric": "htm", "depth": [1, 2], "variant": "clean", "modality": "matched"},
            "splits": {
                "test": {
                    "cells": [
                        {"difficulty": 1, "label": "d01", "items": 100},
                        {"difficulty": 2, "label": "d02", "items": 7},
                    ]
                }
            },
        }
    }
}


def test_a_row_stands_in_the_papers_layout():
    (part,) = beside(MODEL, MANIFEST)
    assert (part["paper"], part["table"]) == ("cube_bench", "4")
    assert part["rows"] == [{"setting": {}, "values": [25, 100, 50, 100, 75, 100]}]
    assert part["comparable"] and part["reasons"] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda about: about["params"].update(variant="dimmed"),
            "move_prediction: variant is dimmed, clean in the paper",
        ),
        (
            lambda about: about["params"].pop("metric"),
            "move_prediction: metric is not set, htm in the paper",
        ),
        (
            lambda about: about["splits"]["test"]["cells"][0].update(items=18),
            "move_prediction: the items are 18 at d01; 100 each in the paper",
        ),
    ],
)
def test_what_is_otherwise_than_in_the_paper_is_named(change, reason):
    manifest = copy.deepcopy(MANIFEST)
    change(manifest["configs"]["cube_bench.move_prediction"])
    (part,) = beside(MODEL, manifest)
    assert not part["comparable"] and part["reasons"] == [reason]


def test_without_a_manifest_nothing_is_comparable():
    (part,) = beside(MODEL, {})
    assert part["reasons"] == ["no manifest says how cube_bench.move_prediction was made"]


def test_a_dataset_of_no_paper_has_no_table():
    assert not list(beside({"model": "tester", "configs": {"own.task": {"splits": {}}}}, {}))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda part: f"{part.paper}-{part.number}")
def test_layouts_fit_their_tables_and_our_suites(layout):
    table = tables(layout.paper)[layout.number]
    printed = [dict(row.setting) for row in table.rows]
    for line in layout.lines:
        assert len(line.places) == len(table.columns)
        assert dict(line.setting) in printed
    there = {path.stem for path in SUITE_FILES.glob("*.yaml")}
    suites = [name for form in SUITES if (name := form.format(paper=layout.paper)) in there]
    settings, _ = resolve(["build", f"suites=[{','.join(suites)}]"][1:])
    entries = {entry.name: entry for entry in settings.entries}
    for config, wanted in layout.conditions.items():
        task = registry.task(entries[config].task)
        assert set(wanted) <= set(task.params.__dataclass_fields__), config


def scored(config, **accuracies):
    cells = [cell(None, accuracy=0.5)]
    cells += [
        cell(int(level[1:]), accuracy=value, turns_when_solved=4.0)
        for level, value in accuracies.items()
    ]
    return {config: {"splits": {"test": {"cells": cells}}}}


def test_a_class_is_the_mean_of_its_games_and_those_that_are_missing_are_named():
    configs = scored("evolarena.guess_max", l1=0.5, l2=0.25, l3=0.0)
    configs |= scored("evolarena.min_max", l1=1.0, l2=0.75, l3=0.5)
    found = {part["table"]: part for part in beside({"model": "m", "configs": configs}, {})}
    assert set(found) == {"2", "5", "25", "33"}
    assert found["25"]["rows"] == [{"setting": {}, "values": [50.0, 25.0, 0.0]}]
    (row,) = found["2"]["rows"]
    assert row["values"] == [75.0, 50.0, 25.0, *[None] * 9, 75.0, 50.0, 25.0]
    assert not found["2"]["comparable"]
    assert "bit_query was not scored" in found["2"]["reasons"]
    assert found["2"]["reasons"][-1].startswith("SafepathFinding is not made here")


@pytest.mark.parametrize("paper_class", evolarena.CLASSES)
def test_the_games_of_a_class_are_the_papers(paper_class):
    """The printed mean of a class is that of the printed tables of its games."""
    if paper_class == "SO":
        games = {*evolarena.CLASSES["SO"].values(), "34"}
    else:
        games = set(evolarena.CLASSES[paper_class].values())
    assert len(games) == 10
    printed = tables("evolarena")
    place = 3 * list(evolarena.CLASSES).index(paper_class)
    model = "QwQ-32B"  # of other models the printed means are not always those of the printed games

    def values(number):
        return next(row.values for row in printed[number].rows if row.model == model)

    means = np.mean([values(number) for number in games], axis=0)
    differences = np.abs(means - values("2")[place : place + 3])
    assert np.count_nonzero(differences < 0.01) >= 2 and differences.max() < 1


def test_every_game_stands_in_its_own_table():
    printed = tables("evolarena")
    for games in evolarena.CLASSES.values():
        for game, number in games.items():
            (task,) = {column.setting["task"] for column in printed[number].columns}
            assert OTHERWISE.get(task, task.lower()) == game.replace("_", "")
            assert [column.setting["level"] for column in printed[number].columns] == [
                *("easy", "medium", "hard")
            ]


OTHERWISE = {
    "BitGuessing": "binarynumberguessing",
    "DarkMaze": "darkmazeexploration",
    "FindBiggest": "findingbiggest",
    "FindHidden": "hiddennumberfinding",
    "GeoGame": "geometricdistance",
    "LegendaryTree": "treediscovery",
    "ListQuery": "linkedlistquery",
    "MagneticField": "magneticfieldexploration",
    "MimicHunt": "mimichunting",
    "VladikMaze": "mazenavigation",
    "Wordle": "wordguessing",
    "PizzaSlice": "pizzaslicing",
    "RPD": "passwordbreaking",
    "RainbowCandy": "rainbowcandyfactory",
    "RotaryLock": "rotarylaserlock",
    "PaperNumber": "papernumbering",
}


def test_r_is_what_the_accuracies_lead_one_to_expect():
    configs = scored("inf_bench.forward_2d", l1=1.0, l2=1.0, l3=0.0, l4=0.0)
    configs |= scored("inf_bench.inverse_3d_text", l1=0.25)
    first, second = beside({"model": "m", "configs": configs}, {})
    assert (first["table"], second["table"]) == ("1", "2")
    # Levels 1 and 2 are always passed and level 3 never: it is failed twice.
    assert first["rows"][0]["values"] == [3.0, *[None] * 5]
    # One level: three of five guesses are right, or the ladder falls below it.
    assert second["rows"][0]["values"][-1] == pytest.approx((90 + 15 + 1) / 1024)
    assert not first["comparable"] and "facelet ladder climbs" in first["reasons"][-1]
