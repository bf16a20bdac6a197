"""Chance is declared, recorded and shown; nothing is inferred, and nothing is made up."""

from __future__ import annotations

import pytest
from describing import stored

from facelet.generators.core.chance import Exact, FromRows, Simulated
from facelet.pipeline.card import card
from facelet.pipeline.dataset import chances, reading
from facelet.pipeline.dataset.manifests import parse
from facelet.pipeline.info import report

HALF = {"value": 0.5, "of": "answers", "kind": "exact"}
PLAYED = Simulated(0.3, 0.25, 0.35, 400)


@pytest.mark.parametrize(
    ("chance", "mean", "expected", "words"),
    [
        (None, 0.5, None, "not stated"),
        (Exact(1 / 6, "elements"), None, (0.166666667, "elements", "exact"), "16.7% of elements"),
        (Exact(0.0), None, (0.0, "answers", "exact"), "0.0% of answers"),
        (FromRows(), 1 / 3_928_000, (2.54582485e-07, "answers", "mean"), "1 in 3,930,000 answers"),
        (
            PLAYED,
            None,
            (0.3, "answers", "simulated", 0.25, 0.35, 400),
            "30.0% of answers (25.00% to 35.00% in 400 plays)",
        ),
    ],
)
def test_records_and_words(chance, mean, expected, words):
    found = chances.record(chance, mean)
    assert (found and tuple(found.values())) == expected
    assert chances.words(found) == words
    assert chances.read({"chance": found}) == found


@pytest.mark.parametrize(
    "made",
    [
        lambda: Exact(1.5),
        lambda: Exact(-0.1),
        lambda: Exact(float("nan")),
        lambda: Simulated(0.3, 0.4, 0.5, 10),
        lambda: Simulated(0.3, 0.2, 0.5, 0),
    ],
)
def test_chances_that_are_none_are_refused(made):
    with pytest.raises(ValueError, match=r"chance|plays"):
        made()


def test_rows_that_should_say_their_chance_must():
    with pytest.raises(ValueError, match='give a column the role "chance"'):
        chances.record(FromRows(), None)


def test_difficulties_are_averaged_over_rows():
    quarter = HALF | {"value": 0.25}
    assert chances.combined([(HALF, 3), (HALF, 5)]) == HALF
    assert chances.combined([(HALF, 30), (quarter, 10)]) == HALF | {"value": 0.4375, "kind": "mean"}
    assert chances.combined([(HALF, 3), (None, 0)]) == HALF
    assert chances.combined([(HALF, 3), (None, 1)]) is None
    assert chances.combined([(HALF, 3), (HALF | {"of": "labels"}, 1)]) is None
    assert chances.combined([]) is None
    played = chances.record(PLAYED, None)
    both = chances.combined([(played, 10), (quarter, 10)])
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
        monkeypatch.delattr(toy.toy_family.ToyTask, "chance")
    manifest = toy.run(toy.settings(tmp_path / "out", ranges=toy.depths(1)))
    split = manifest.configs["toys.count"].splits["test"]
    words = "25.0% of answers" if kind == "declared" else "not stated"
    assert chances.words(split.chance) == words
    assert split.cells[0].chance == split.chance
    assert words in report(reading.manifest(tmp_path / "out"))
    assert f"| {words} |" in card.readme(tmp_path / "out", manifest)


def test_an_older_manifest_states_none(toy, tmp_path):
    toy.run(toy.settings(tmp_path / "out", ranges=toy.depths(1)))
    manifest = stored(tmp_path / "out")
    del manifest["configs"]["toys.count"]["splits"]["test"]["chance"]
    assert "not stated" in report(parse(manifest))
