"""Mending: what comes out the same as another item is drawn anew, and nothing else is touched."""

from __future__ import annotations

import dataclasses
from itertools import count

import pyarrow.parquet as pq
import pytest
import toy_build
import toy_family

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.build import redraw_stage
from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.build.build_plan import compute_plan, fill_cells
from facelet.pipeline.build.compose_stage import compose_cells, row_keys
from facelet.pipeline.build.emit_stage import emit_shards
from facelet.pipeline.build.folder_ownership import own_folder
from facelet.pipeline.build.job_runner import StageRunner, open_workers
from facelet.pipeline.build.redraw_stage import ComposedRows, redraw_repeats
from facelet.pipeline.dataset.row_columns import content_hash
from facelet.pipeline.dataset.row_composer import RowPlace, compose_row
from facelet.pipeline.dataset.row_hashes import hash_sequence

LEVELS = (1, 2, 3)


class ChanceTask(toy_family.ToyTask):
    """Draws one of 160 questions for each item of each level, whatever the others drew."""

    def needs(self, params):
        return None

    def rows_per_item(self, params):
        return 1

    def generate(self, params, draw, resource):
        if draw.rng.random() < 0.2:
            raise Reject("bad luck")
        number = int(draw.rng.integers(1, 41))
        facelets = "U" * number + "R" * (54 - number)
        gold = "ABCD"[int(draw.rng.integers(4))]
        wrong = ["50", "51", "52", "53"]
        wrong["ABCD".index(gold)] = str(number)
        return [toy_family.Toy(facelets, tuple(wrong), gold, "text")]


@pytest.fixture
def chance(monkeypatch):
    toy_build.install_toys()
    monkeypatch.setattr(toy_family, "TASK", ChanceTask())
    return toy_family.TASK


def build_rows(out, items, **changes):
    """Return the composed split, the published one, and the published rows in order."""
    settings = toy_build.settings(out, count=items, **changes)
    plan, folder = compute_plan(settings), BuildFolder(settings.out)
    stages = StageRunner(folder, settings.runner, settings.progress, settings.family_settings_of)
    with (
        own_folder(folder, plan.to_mark(), settings.runner, replace=False),
        open_workers(settings.runner),
    ):
        composed = compose_cells(stages, plan, {}, fill_cells(plan.cells, {}))
        (split,) = redraw_repeats(stages, composed)
        (published,) = emit_shards(stages, [split], plan.emit_rows, plan.emit_group)
    tables = (pq.read_table(out / shard.path) for shard in published.shards)
    return split, published, [row for table in tables for row in table.to_pylist()]


def mend_plainly(split, task, items):
    """Return the rows by the rule alone: one item after the other, level by level."""
    taken, found = set(), {}
    cells = list(dict.fromkeys(job.cell for job, _ in split.parts))
    seed = split.parts[0][0].seed
    for index in range(items):
        for cell in cells:
            for attempt in count():
                draw = Draw((seed, *cell.seed_names), index, attempt)
                try:
                    (instance,) = task.generate(cell.make_params(task), draw, None)
                except Reject:
                    continue
                where = RowPlace(cell.config, cell.suite, cell.split, cell.difficulty, cell.label)
                row, _ = compose_row(task, instance, where, (index, None), draw)
                if not taken.intersection(row_keys(task, row)):
                    break
            taken.update(row_keys(task, row))
            found[row["id"]] = row
    return found


def test_equal_items_are_drawn_anew(chance, tmp_path):
    split, _, rows = build_rows(tmp_path / "a", 40)
    assert [row["id"] for row in rows] == [
        f"toys.count/d{level:02d}/{number:06d}" for level in LEVELS for number in range(40)
    ]
    said = [(row["facelets"], *row["options"]) for row in rows]
    assert len(set(said)) == 120
    assert len(split.redrawn.about["redrawn"]) > 20
    expected = mend_plainly(split, chance, 40)
    for row in rows:
        wanted = expected[row["id"]]
        assert {name: row[name] for name in wanted} == wanted
    assert "~keys" not in rows[0]


def test_the_leader_holds_no_hash_of_a_row(chance, tmp_path):
    _, published, rows = build_rows(tmp_path / "a", 24)
    records = published.shards
    assert len(records) > 2 and not any(record.row_hashes for record in records)
    hashes = [content_hash(row) for row in rows]
    assert published.rows_hash == hash_sequence(hashes)
    for record in records:
        own, hashes = hashes[: record.rows], hashes[record.rows :]
        assert record.content_hash == hash_sequence(own)


def test_an_item_is_the_same_however_many_follow(chance, tmp_path, monkeypatch):
    *_, few = build_rows(tmp_path / "few", 24)
    monkeypatch.setattr(redraw_stage, "RANGE", 7)
    changes = {"stages": dataclasses.replace(toy_build.settings("").stages, compose_items=5)}
    *_, many = build_rows(tmp_path / "many", 40, **changes)
    known = {row["id"]: row for row in many}
    assert all(known[row["id"]] == row for row in few)


def test_ranges_of_keys_find_the_same(chance, tmp_path):
    split, *_ = build_rows(tmp_path / "a", 40)
    composed = ComposedRows(tmp_path / "a", split.parts)
    whole = composed.find_shared_keys()
    assert len(whole) > 20
    assert composed.find_shared_keys(most=50) == whole


def test_what_may_repeat_is_left(chance, tmp_path, monkeypatch):
    monkeypatch.setattr(ChanceTask, "repeat_reason", lambda self, params: "few numbers")
    split, _, rows = build_rows(tmp_path / "a", 40)
    assert split.redrawn is None
    assert len({(row["facelets"], *row["options"]) for row in rows}) < 120
