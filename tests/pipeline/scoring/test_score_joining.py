"""Joining predictions with rows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.scoring.ingest.id_match import IdMatcher, UnknownRow, harness_task
from facelet.pipeline.scoring.ingest.prediction import Prediction, UnreadableRecord
from facelet.pipeline.scoring.row_index import build_index, fold_id
from facelet.pipeline.scoring.scored_dataset import open_dataset

NOWHERE = Path("predictions.jsonl")
LM = "samples_{}_2026-11-20T10-11-12.131415.jsonl"


@pytest.fixture
def joiner(publish, letter_rows):
    rows = [{"truth": True}] * 5
    publish({"toy/yes_no": rows}, split="train")
    return IdMatcher(open_dataset(publish({"toy/letters": letter_rows(8), "toy/turns": [{}] * 2})))


def list_ids(dataset):
    return [key for part in dataset.parts for key in part.read_column("id").to_pylist()]


def test_rows_are_numbered_through(joiner):
    names = [(part.split_name, part.first_number, part.count) for part in joiner.dataset.parts]
    assert names == [
        (("toy.letters", "test"), 0, 8),
        (("toy.turns", "test"), 8, 2),
        (("toy.yes_no", "train"), 10, 5),
    ]
    for row, identifier in enumerate(list_ids(joiner.dataset)):
        assert joiner.find_row(Prediction(identifier, ()), NOWHERE) == row
        part = joiner.dataset.parts[joiner.dataset.part_of(row)]
        (record,) = part.iterate_rows(np.array([row - part.first_number]))
        assert record["id"] == identifier


def test_ids_spelled_for_batch_apis(joiner):
    for row, identifier in enumerate(list_ids(joiner.dataset)):
        allowed = re.sub("[^A-Za-z0-9_-]", "{}", identifier)
        for sign in "-_":
            spelling = allowed.replace("{}", sign)
            assert joiner.find_row(Prediction(spelling, ()), NOWHERE) == row


@pytest.mark.parametrize(
    "key", ["nope", "toy.letters/d01/999999", "toy-letters-d01-999999", "é", "", "-"]
)
def test_unknown_ids(joiner, key):
    with pytest.raises(UnknownRow):
        joiner.find_row(Prediction(key, ()), NOWHERE)


def split_batches(ids: list[str]) -> list[pa.Array]:
    """The ids as two batches, as columns come out of files."""
    return [pa.array(part, pa.string()) for part in (ids[:2], ids[2:])]


@given(
    st.lists(
        st.one_of(
            st.text("ab/-_.09", max_size=6),
            st.builds(
                "{}/{:06d}".format,
                st.sampled_from(["a", "a/b", "a-b", "", "a_b"]),
                st.integers(0, 12) | st.integers(10**5, 10**9),
            ),
        ),
        unique=True,
        max_size=30,
    ),
    st.lists(st.text("ab/-_.0123456789\u0663", max_size=9)),
)
def test_the_index_is_the_dictionary_of_ids(ids, others):
    found = build_index(split_batches(ids))
    expected = {identifier: row for row, identifier in enumerate(ids)}
    for key in [*ids, *others, *(f"{key}0" for key in ids), *(f"0{key}" for key in ids)]:
        assert found.find_row(key) == expected.get(key)
    for key in [*others, *ids, *map(fold_id, ids)]:
        rows = [row for identifier, row in expected.items() if fold_id(identifier) == fold_id(key)]
        assert found.get_spelled(key) == (rows[0] if len(rows) == 1 else None)


def test_ids_that_leave_wide_gaps_cost_no_memory():
    found = build_index(split_batches(["a/000001", "a/999999999999"]))
    assert found.find_row("a/999999999999") == 1 and found.find_row("a/000001") == 0
    assert not found.cells


@pytest.mark.parametrize("ids", [["a/000001"] * 2, ["a"] * 2, ["a/999999999999", "a/000001"] * 2])
def test_ids_that_occur_twice_are_refused(ids):
    with pytest.raises(ValueError, match="two rows have the id"):
        build_index(split_batches(ids))


def test_spellings_that_two_ids_share_join_neither(publish):
    rows = [
        {"id": "a.b", "truth": True},
        {"id": "a/b", "truth": True},
        {"id": "a.c", "truth": True},
    ]
    joiner = IdMatcher(open_dataset(publish({"toy/yes_no": rows})))
    with pytest.raises(UnknownRow):
        joiner.find_row(Prediction("a-b", ()), NOWHERE)
    assert joiner.find_row(Prediction("a_c", ()), NOWHERE) == 2
    assert joiner.find_row(Prediction("a/b", ()), NOWHERE) == 1


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
        ("toy_yes_no_train", 3, 13),
        ("toy_yes_no_train", 4, 14),
    ],
)
def test_document_numbers(joiner, task, number, row):
    assert joiner.find_row(Prediction(number, ()), Path(LM.format(task))) == row


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt_toy.letters.xlsx", "gpt"),
        ("a_b_Toy-Letters.tsv", "a_b"),
        ("_toy_turns.csv", ""),
        ("gpttoy.letters.xlsx", None),
        ("toy.letters.xlsx", None),
        ("letters.xlsx", None),
        ("_.xlsx", None),
        (".xlsx", None),
        ("gpt_toy.letters_more.xlsx", None),
        ("gpt_toy.lettera.xlsx", None),
        ("gpt_zzz.zzzzzzz.xlsx", None),
    ],
)
def test_names_of_files_that_end_in_a_config(joiner, name, model):
    assert joiner.config_prefix(Path(name)) == model


def test_a_config_behind_a_name_numbers_its_rows(joiner):
    for number, row in ((0, 8), (1, 9)):
        assert joiner.find_row(Prediction(number, ()), Path("gpt_toy.turns.xlsx")) == row


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("predictions.jsonl", "does not say which config"),
        (LM.format("other"), "names none of the configs"),
        (LM.format("toy_yes_no"), "names none of the configs"),  # it has no test split
    ],
)
def test_document_numbers_without_a_config(joiner, name, reason):
    with pytest.raises(UnreadableRecord, match=reason):
        joiner.find_row(Prediction(0, ()), Path(name))


def test_document_numbers_are_checked(joiner):
    path = Path(LM.format("toy_letters"))
    for number in (8, 9, 1000):
        with pytest.raises(UnknownRow, match=rf"doc_id {number} of toy\.letters/test \(8 rows\)"):
            joiner.find_row(Prediction(number, ()), path)
    assert joiner.find_row(Prediction(1, ()), path) == 1


def test_only_the_test_split_goes_without_its_name(publish, letter_rows):
    joiner = IdMatcher(open_dataset(publish({"toy/letters": letter_rows(8)}, split="dev")))
    with pytest.raises(UnreadableRecord, match="names none of the configs"):
        joiner.find_row(Prediction(0, ()), Path(LM.format("toy_letters")))
    assert joiner.find_row(Prediction(5, ()), Path(LM.format("toy_letters_dev"))) == 5
    assert joiner.find_row(Prediction(5, ()), Path(LM.format("my_toy_letters_dev"))) == 5


def test_a_name_that_two_configs_have_joins_neither(publish, letter_rows):
    root = publish({"toy/letters": letter_rows(2)})
    shutil.copytree(root / "toy.letters", root / "toy-letters")
    (root / "manifest.json").unlink()
    joiner = IdMatcher(open_dataset(root, verify="no"))
    with pytest.raises(
        UnreadableRecord, match=r"names 2 of the configs; .* toy-letters, toy\.letters,"
    ):
        joiner.find_row(Prediction(0, ()), Path(LM.format("toy_letters")))


def test_two_rows_with_one_id_are_refused(publish):
    rows = [{"id": "a", "truth": True}, {"id": "a", "truth": True}]
    dataset = open_dataset(publish({"toy/yes_no": rows}))
    with pytest.raises(ValueError, match="two rows have the id 'a'"):
        IdMatcher(dataset).find_row(Prediction("a", ()), NOWHERE)
