"""A model's row beside the papers': the right cells, and every difference named."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from facelet.generators.core import registry
from facelet.pipeline.config.compose import resolve
from facelet.pipeline.scoring.papers.beside import beside
from facelet.pipeline.scoring.papers.layouts import LAYOUTS, SUITES
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
