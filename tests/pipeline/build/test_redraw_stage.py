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
from facelet.pipeline.build import mend
from facelet.pipeline.build.compose import COMPOSE, keys
from facelet.pipeline.build.emit import EMIT, published
from facelet.pipeline.build.mend import MEND, Composed
from facelet.pipeline.build.plan import make_plan
from facelet.pipeline.build.pools import CERTIFY, MERGE
from facelet.pipeline.build.run import owned
from facelet.pipeline.build.runner import run, workers
from facelet.pipeline.build.stages import Build
from facelet.pipeline.dataset.composing import Place, compose
from facelet.pipeline.dataset.hashing import hash_sequence
from facelet.pipeline.dataset.rows import content_hash

LEVELS = (1, 2, 3)


class Chance(toy_family.ToyTask):
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
    toy_build.install()
    monkeypatch.setattr(toy_family, "TASK", Chance())
    return toy_family.TASK


def built(out, items, **changes):
    """Return the build, and the published rows in order."""
    settings = toy_build.settings(out, count=items, **changes)
    build = Build(settings, make_plan(settings))
    with owned(build), workers(settings.runner):
        for stage in (CERTIFY, MERGE, COMPOSE, MEND, EMIT):
            run(build, stage)
    (shards,) = published(build).values()
    return build, [row for shard in shards for row in pq.read_table(out / shard.path).to_pylist()]


def plainly(build, task, items):
    """Return the rows by the rule alone: one item after the other, level by level."""
    taken, found = set(), {}
    cells = build.plan.cells
    for index in range(items):
        for cell in cells:
            for attempt in count():
                draw = Draw((build.plan.seed, *cell.seed_names), index, attempt)
                try:
                    (instance,) = task.generate(cell.make_params(task), draw, None)
                except Reject:
                    continue
                where = Place(cell.config, cell.suite, cell.split, cell.difficulty, cell.label)
                row, _ = compose(task, instance, where, (index, None), draw)
                if not taken.intersection(keys(task, row)):
                    break
            taken.update(keys(task, row))
            found[row["id"]] = row
    return found


def test_equal_items_are_drawn_anew(chance, tmp_path):
    build, rows = built(tmp_path / "a", 40)
    assert [row["id"] for row in rows] == [
        f"toys.count/d{level:02d}/{number:06d}" for level in LEVELS for number in range(40)
    ]
    said = [(row["facelets"], *row["options"]) for row in rows]
    assert len(set(said)) == 120
    (record,) = build.records("mend")
    assert len(record.about["redrawn"]) > 20
    expected = plainly(build, chance, 40)
    for row in rows:
        wanted = expected[row["id"]]
        assert {name: row[name] for name in wanted} == wanted
    assert "~keys" not in rows[0]


def test_the_leader_holds_no_hash_of_a_row(chance, tmp_path):
    build, rows = built(tmp_path / "a", 24)
    records = build.records("emit")
    assert len(records) > 2 and not any(record.row_hashes for record in records)
    hashes = [content_hash(row) for row in rows]
    for record in records:
        own, hashes = hashes[: record.rows], hashes[record.rows :]
        assert record.content_hash == hash_sequence(own)


def test_an_item_is_the_same_however_many_follow(chance, tmp_path, monkeypatch):
    _, few = built(tmp_path / "few", 24)
    monkeypatch.setattr(mend, "RANGE", 7)
    changes = {"stages": dataclasses.replace(toy_build.settings("").stages, compose_items=5)}
    _, many = built(tmp_path / "many", 40, **changes)
    known = {row["id"]: row for row in many}
    assert all(known[row["id"]] == row for row in few)


def test_ranges_of_keys_find_the_same(chance, tmp_path):
    build, _ = built(tmp_path / "a", 40)
    composed = Composed(tmp_path / "a", build.made["compose"])
    whole = composed.repeated()
    assert len(whole) > 20
    assert composed.repeated(most=50) == whole


def test_what_may_repeat_is_left(chance, tmp_path, monkeypatch):
    monkeypatch.setattr(Chance, "repeats", lambda self, params: "few numbers")
    build, rows = built(tmp_path / "a", 40)
    assert not build.records("mend")
    assert len({(row["facelets"], *row["options"]) for row in rows}) < 120
