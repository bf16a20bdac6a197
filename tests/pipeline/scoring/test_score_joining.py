"""Joining predictions with rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.scoring.dataset import open_dataset
from pipeline.scoring.joining import Joiner, Unknown, harness_task, spellings
from pipeline.scoring.predictions import Prediction, Unreadable

NOWHERE = Path("predictions.jsonl")
LM = "samples_{}_2026-11-20T10-11-12.131415.jsonl"


@pytest.fixture
def joiner(publish, letter_rows):
    rows = [{"truth": True}] * 5
    publish({"toy/yes_no": rows}, split="train")
    return Joiner(open_dataset(publish({"toy/letters": letter_rows(8), "toy/turns": [{}] * 2})))


def test_rows_are_numbered_through(joiner):
    names = [(part.name, part.start, part.count) for part in joiner.dataset.parts]
    assert names == [
        (("toy.letters", "test"), 0, 8),
        (("toy.turns", "test"), 8, 2),
        (("toy.yes_no", "train"), 10, 5),
    ]
    for identifier, row in joiner.dataset.ids.items():
        assert joiner.row(Prediction(identifier, ()), NOWHERE) == row
        part = joiner.dataset.parts[joiner.dataset.part_of(row)]
        (record,) = part.rows(np.array([row - part.start]))
        assert record["id"] == identifier


def test_ids_spelled_for_batch_apis(joiner):
    for identifier, row in joiner.dataset.ids.items():
        for spelling in spellings(identifier):
            assert set(spelling) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")
            assert joiner.row(Prediction(spelling, ()), NOWHERE) == row


@pytest.mark.parametrize("key", ["nope", "toy.letters/d01/999999", "toy-letters-d01-999999", "é"])
def test_unknown_ids(joiner, key):
    with pytest.raises(Unknown):
        joiner.row(Prediction(key, ()), NOWHERE)


def test_spellings_that_two_ids_share_join_neither(publish):
    rows = [
        {"id": "a.b", "truth": True},
        {"id": "a/b", "truth": True},
        {"id": "a.c", "truth": True},
    ]
    joiner = Joiner(open_dataset(publish({"toy/yes_no": rows})))
    with pytest.raises(Unknown):
        joiner.row(Prediction("a-b", ()), NOWHERE)
    assert joiner.row(Prediction("a-c", ()), NOWHERE) == 2
    assert joiner.row(Prediction("a/b", ()), NOWHERE) == 1


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (LM.format("toy.letters"), "toy.letters"),
        (LM.format("my_samples_x") + ".gz", "my_samples_x"),
        ("20261120_101112_samples_toy_letters.jsonl", "toy_letters"),
        ("2026-11-20T10-11-12.131415_samples_toy.jsonl", "toy"),
        ("samples.jsonl", None),
        ("predictions.jsonl", None),
    ],
)
def test_harness_names(name, task):
    assert harness_task(Path(name)) == task


@pytest.mark.parametrize(
    ("task", "number", "row"),
    [
        ("toy.letters", 3, 3),
        ("toy_letters", 3, 3),
        ("facelet_toy_letters_test", 3, 3),
        ("toy_turns", 1, 9),
        ("toy_yes_no_train", 4, 14),
    ],
)
def test_document_numbers(joiner, task, number, row):
    assert joiner.row(Prediction(number, ()), Path(LM.format(task))) == row


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("predictions.jsonl", "does not say which config"),
        (LM.format("other"), "names none of the configs"),
        (LM.format("toy_yes_no"), "names none of the configs"),  # it has no test split
    ],
)
def test_document_numbers_without_a_config(joiner, name, reason):
    with pytest.raises(Unreadable, match=reason):
        joiner.row(Prediction(0, ()), Path(name))


def test_document_numbers_are_checked(joiner):
    path = Path(LM.format("toy_letters"))
    with pytest.raises(Unknown, match=r"doc_id 8 of toy\.letters/test"):
        joiner.row(Prediction(8, ()), path)
    assert joiner.row(Prediction(1, (), target="B"), path) == 1
    # A target in another notation says nothing; one that is another row's gold says it all.
    assert joiner.row(Prediction(1, (), target="option two"), path) == 1
    with pytest.raises(Unreadable, match="another revision"):
        joiner.row(Prediction(1, (), target="C"), path)


def test_two_rows_with_one_id_are_refused(publish):
    rows = [{"id": "a", "truth": True}, {"id": "a", "truth": True}]
    dataset = open_dataset(publish({"toy/yes_no": rows}))
    with pytest.raises(ValueError, match="2 rows have 1 distinct ids"):
        Joiner(dataset).row(Prediction("a", ()), NOWHERE)
