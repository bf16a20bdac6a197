"""Chance is declared, recorded and shown; nothing is inferred, and nothing is made up."""

from __future__ import annotations

import pytest
from describing import read_manifest

from facelet.generators.core.chance_level import ChanceFromRows, ExactChance, SimulatedChance
from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset import dataset_reader, floor_record
from facelet.pipeline.dataset.manifest_file import manifest_from_json
from facelet.pipeline.dataset_info import format_info

HALF = {"value": 0.5, "of": "answers", "kind": "exact"}
PLAYED = SimulatedChance(0.3, 0.25, 0.35, 400)


@pytest.mark.parametrize(
    ("chance", "mean", "expected", "words"),
    [
        (None, 0.5, None, "not stated"),
        (
            ExactChance(1 / 6, "elements"),
            None,
            (0.166666667, "elements", "exact"),
            "16.7% of elements",
        ),
        (ExactChance(0.0), None, (0.0, "answers", "exact"), "0.0% of answers"),
        (
            ChanceFromRows(),
            1 / 3_928_000,
            (2.54582485e-07, "answers", "mean"),
            "1 in 3,930,000 answers",
        ),
        (
            PLAYED,
            None,
            (0.3, "answers", "simulated", 0.25, 0.35, 400),
            "30.0% of answers (25.00% to 35.00% in 400 plays)",
        ),
    ],
)
def test_records_and_words(chance, mean, expected, words):
    found = floor_record.build_record(chance, mean)
    assert (found and tuple(found.values())) == expected
    assert floor_record.format_chance(found) == words
    assert floor_record.parse_chance({"chance": found}) == found


@pytest.mark.parametrize(
    "made",
    [
        lambda: ExactChance(1.5),
        lambda: ExactChance(-0.1),
        lambda: ExactChance(float("nan")),
        lambda: SimulatedChance(0.3, 0.4, 0.5, 10),
        lambda: SimulatedChance(0.3, 0.2, 0.5, 0),
    ],
)
def test_chances_that_are_none_are_refused(made):
    with pytest.raises(ValueError, match=r"chance|plays"):
        made()


def test_rows_that_should_say_their_chance_must():
    with pytest.raises(ValueError, match='give a column the role "chance"'):
        floor_record.build_record(ChanceFromRows(), None)


def test_difficulties_are_averaged_over_rows():
    quarter = HALF | {"value": 0.25}
    assert floor_record.combine_records([(HALF, 3), (HALF, 5)]) == HALF
    assert floor_record.combine_records([(HALF, 30), (quarter, 10)]) == HALF | {
        "value": 0.4375,
        "kind": "mean",
    }
    assert floor_record.combine_records([(HALF, 3), (None, 0)]) == HALF
    assert floor_record.combine_records([(HALF, 3), (None, 1)]) is None
    assert floor_record.combine_records([(HALF, 3), (HALF | {"of": "labels"}, 1)]) is None
    assert floor_record.combine_records([]) is None
    played = floor_record.build_record(PLAYED, None)
    both = floor_record.combine_records([(played, 10), (quarter, 10)])
    assert both == {
        "value": 0.275,
        "of": "answers",
        "kind": "simulated",
        "low": 0.25,
        "high": 0.3,
        "plays": 400,
    }


@pytest.mark.parametrize("kind", ["declared", "absent"])
def test_a_build_states_it_or_says_that_it_does_not(toy, tmp_path, monkeypatch, kind):
    if kind == "absent":
        monkeypatch.delattr(toy.toy_family.ToyTask, "chance_level")
    manifest = toy.run(toy.settings(tmp_path / "out", ranges=toy.depths(1)))
    split = manifest.configs["toys.count"].splits["test"]
    words = "25.0% of answers" if kind == "declared" else "not stated"
    assert floor_record.format_chance(split.chance) == words
    assert split.cells[0].chance == split.chance
    assert words in format_info(dataset_reader.read_manifest(tmp_path / "out"))
    assert f"| {words} |" in dataset_card.render_readme(tmp_path / "out", manifest)


def test_an_older_manifest_states_none(toy, tmp_path):
    toy.run(toy.settings(tmp_path / "out", ranges=toy.depths(1)))
    manifest = read_manifest(tmp_path / "out")
    del manifest["configs"]["toys.count"]["splits"]["test"]["chance"]
    assert "not stated" in format_info(manifest_from_json(manifest))
