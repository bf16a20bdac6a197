"""Tasks whose items have any number of rows: ids, plan, rows and audit."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from facelet.pipeline.audit.audited_row import (
    count_misnumbered,
    group_by_place,
    infer_rows_per_item,
    is_first_of_item,
)
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.build.build_summary import describe_plan
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import id_numbers, row_id
from facelet.pipeline.scoring.row_index import build_index


@pytest.fixture
def varying(toy, monkeypatch):
    """The toy task, whose items have one, two or three rows."""
    real = toy.toy_family.TASK.generate

    def generate_rows(params, draw, resource):
        made = real(params, draw, resource)
        if draw.index % 3 == 2:
            # A third row asks anew, of a net in which other stickers have moved.
            turned = made[0].facelets[::-1]
            made.append(toy.toy_family.Toy(turned, made[0].options, made[0].gold, "text"))
        return made[: 1 + draw.index % 3]

    monkeypatch.setattr(toy.toy_family.TASK, "generate", generate_rows, raising=False)
    monkeypatch.setattr(
        toy.toy_family.TASK, "group_key", lambda i: min(i.facelets, i.facelets[::-1])
    )
    monkeypatch.setattr(toy.toy_family.TASK, "rows_per_item", lambda params: None, raising=False)
    return toy


def test_a_dataset_numbers_items_and_rows_in_them(varying, tmp_path):
    manifest = varying.run(varying.settings(tmp_path / "out", ranges=varying.depths(1, 2)))
    names = [
        row["id"]
        for split in dataset_reader.list_splits(tmp_path / "out")
        for row in split.iterate_rows(["id"])
    ]
    expected = [
        f"toys.count/{cell}/{item:06d}-{place:02d}"
        for cell in ("d01", "d02")
        for item in range(24)
        for place in range(1 + item % 3)
    ]
    assert names == expected
    counts = manifest.configs["toys.count"].splits["test"]
    assert (counts.items, counts.rows) == (48, 96)
    figures = manifest.configs["toys.count"].audit["test"]["cells"]["d01"]
    # Letters are dealt to items: the first rows come out even, 24 of them.
    assert figures["gold_deviation"] == {"value": 0.0, "at_most": 0.0, "n": 24}


def test_a_plan_leaves_room_for_any_number_of_rows(varying, tmp_path):
    plan = compute_plan(varying.settings(tmp_path / "out"))
    assert {cell.rows_per_item for cell in plan.cells} == {None}
    assert "at most 72 items in any number of rows" in describe_plan(plan)


def test_an_item_needs_at_least_one_row(varying, tmp_path, monkeypatch):
    nothing = lambda params, draw, resource: []  # noqa: E731
    monkeypatch.setattr(varying.toy_family.TASK, "generate", nothing, raising=False)
    with pytest.raises(ValueError, match=r"made 0 rows of an item; .* says any number from 1"):
        varying.run(varying.settings(tmp_path / "out"))


@pytest.mark.parametrize(
    ("numbers", "identifier"),
    [
        ((42, 7), "s.t/d01/000042-07"),
        ((42, 123), "s.t/d01/000042-123"),
        ((42, None), "s.t/d01/000042"),
        ((1_234_567, 0), "s.t/d01/1234567-00"),
    ],
)
def test_ids_say_both_numbers(numbers, identifier):
    assert row_id("s.t", "d01", *numbers) == identifier
    assert id_numbers(identifier) == numbers


@pytest.mark.parametrize(
    "identifier", ["", "000042", "s/0042", "s/000042-7", "s/000042-x", "s/-07"]
)
def test_ids_of_another_form_have_no_numbers(identifier):
    expected = (42, None) if identifier == "000042" else (-1, None)
    assert id_numbers(identifier) == expected


def test_the_index_finds_rows_of_trees_in_any_spelling():
    names = [row_id("s.t", "d01", item, place) for item in range(3) for place in range(2)]
    found = build_index([pa.array(names)])
    assert [found.find_row(name) for name in names] == list(range(6))
    assert found.find_row("s.t/d01/000001-02") is None
    assert found.get_spelled("s_t-d01-000001-01") == 3


def number_items(*pairs):
    return [SimpleNamespace(number=number, place=place) for number, place in pairs]


def test_gaps_in_the_numbers_are_counted():
    whole = number_items((0, 0), (0, 1), (1, 0), (2, 0), (2, 1))
    assert infer_rows_per_item(whole) is None
    assert count_misnumbered(whole, None) == 0
    assert count_misnumbered(number_items((0, 0), (0, 2), (1, 0)), None) == 1
    assert count_misnumbered(number_items((0, 1), (1, 0)), None) > 0
    assert count_misnumbered(number_items((0, 0), (2, 0)), None) == 1
    assert count_misnumbered(number_items((0, None), (1, None), (3, None)), 1) == 1


def test_first_rows_stand_apart_from_the_rest():
    rows = number_items((0, 0), (0, 1), (0, 2), (1, 0))
    (dealt, first), (free, rest) = group_by_place(rows, None)
    assert (dealt, free) == (True, False)
    assert [row.number for row in first] == [0, 1] and [row.place for row in rest] == [1, 2]
    assert [is_first_of_item(row, None) for row in rows] == [True, False, False, True]
    assert [flag for flag, _ in group_by_place(first, None)] == [True]
    pairs = number_items((0, None), (1, None), (2, None), (3, None))
    groups = [(flag, [row.number for row in chosen]) for flag, chosen in group_by_place(pairs, 2)]
    assert groups == [(True, [0, 2]), (True, [1, 3])]
