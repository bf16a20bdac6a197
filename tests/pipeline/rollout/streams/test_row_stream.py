"""Streams: row n is row n everywhere, rows are playable, and show nothing that is held out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from inspect import signature
from itertools import islice
from pathlib import Path

import pytest

import facelet
from facelet import environment
from facelet.generators.core import task_registry
from facelet.generators.core.task import Status
from facelet.generators.cube.pools import slot_sources
from facelet.pipeline import family_modules
from facelet.pipeline.chamber import maps
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.streams.cell_items import EndlessItems

SMALL = {"table": "small"}
CUBE = {"seed": 3, "levels": "1-3", "told": SMALL}


def ids(rows):
    return [row["id"] for row in rows]


def reference_replies(row):
    task = family_modules.load_task(row["task"])
    return task.reference(task.decode(row))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("labyrinth/act", {"levels": "1-2"}),
        ("cube/move_prediction", CUBE),
        ("cube/step_tree", CUBE),
        ("jigsaw/perception", {}),
        ("arcade/bit_query", {"levels": [1, 3]}),
    ],
)
def test_rows_are_played_and_won_by_their_references(name, told):
    rows = list(islice(facelet.stream(name, **told), 6))
    assert len(set(ids(rows))) == 6
    for row in json.loads(json.dumps(rows)):
        play = environment.open_row(row, replies=reference_replies(row))
        assert play.outcome is not None and play.outcome.status == Status.CORRECT
        assert row["canary"] is None and row["split"] == "train"


def test_row_n_is_row_n():
    rows = list(islice(facelet.stream("cube/move_effect", **CUBE), 40))
    other = facelet.stream("cube/move_effect", **CUBE)
    assert [other[n] for n in (39, 0, 17)] == [rows[n] for n in (39, 0, 17)]
    assert next(facelet.stream("cube/move_effect", **CUBE, position=25)) == rows[25]
    assert [other.row(row["id"]) for row in rows[:9]] == rows[:9]
    assert rows != list(islice(facelet.stream("cube/move_effect", **{**CUBE, "seed": 4}), 40))
    # Every whole block of cells is balanced.
    assert sorted(row["difficulty"] for row in rows[:30]) == sorted([1, 2, 3] * 10)


@pytest.mark.parametrize("by", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_workers_ahead_change_nothing(by):
    alone = list(islice(facelet.stream("arcade/bit_query", levels="1-4"), 50))
    with facelet.stream("arcade/bit_query", levels="1-4", workers=2, by=by, ahead=12) as made:
        assert list(islice(made, 50)) == alone
        assert made.position == 50


@pytest.mark.slow
def test_the_same_under_any_hash_seed():
    code = (
        "import facelet, json; s = facelet.stream('labyrinth/plan', turns=2, setting='symbolic');"
        "print(json.dumps([next(s) for _ in range(3)], sort_keys=True))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1


def test_rounds_go_on_where_items_run_out():
    rows = list(islice(facelet.stream("cube/move_prediction", seed=1, told=SMALL, depth=1), 600))
    assert len(set(ids(rows))) == 600
    assert len({json.dumps(row["messages"]) for row in rows}) > 100
    assert facelet.stream("cube/move_prediction", seed=1, told=SMALL, depth=1)[599] == rows[599]


def test_nothing_is_shown_that_a_dataset_holds_out(tmp_path):
    words = ["profile=smoke", "suites=[cube_bench]", "tasks=[move_effect]", "depths=2-3"]
    words += ["count=20", "seed=3", "table=small", "workers=1", "quiet=true"]
    assert main(["build", *words, f"out={tmp_path}"]) == 0
    held = {
        shown
        for part in dataset_reader.list_splits(tmp_path)
        for row in part.iterate_rows(["shown"])
        for shown in row["shown"]
    }
    told = {"seed": 3, "levels": "3", "told": SMALL}
    free = list(islice(facelet.stream("cube/move_effect", **told), 80))
    assert any(held & set(row["shown"]) for row in free)
    apart = facelet.stream("cube/move_effect", apart=tmp_path, **told)
    rows = list(islice(apart, 80))
    assert not any(held & set(row["shown"]) for row in rows)
    assert len(set(ids(rows))) == 80 and apart[79] == rows[79]
    # Every class of depth 2 is held out: that is said, and not passed over.
    with pytest.raises(ValueError, match="leave it out"):
        next(facelet.stream("cube/move_effect", apart=tmp_path, levels="2", told=SMALL))


def test_suites_and_pictures():
    made = facelet.stream("marble", images=True, sampler={"marble.perception": 3, "marble.maze": 1})
    rows = list(islice(made, 4))
    assert sorted(row["task"] for row in rows) == ["jigsaw/perception"] * 3 + ["labyrinth/plan"]
    for row in rows:
        assert len(row["images"]) == len(row["image_hashes"]) > 0
        assert made.open(row).images  # drawn again, and checked against the hashes
    assert all(cell.startswith("marble.") for cell in made.cells)


def test_what_was_told_is_kept_and_restored():
    told = {"levels": "1-6", "sampler": "frontier"}
    first = facelet.stream("arcade/bit_query", workers=1, by="threads", ahead=4, **told)
    for row in islice(first, 20):
        first.tell(row, [float(row["difficulty"] < 3)] * 8)
    state = json.loads(json.dumps(first.state()))
    ahead = list(islice(first, 10))
    again = facelet.stream("arcade/bit_query", **told)
    again.restore(state)
    assert ids(islice(again, 4)) == ids(ahead[:4])
    success = first.expected()
    assert success["arcade/bit_query/train-l01"] > 0.8 > 0.2 > success["arcade/bit_query/train-l06"]
    first.close()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "seed differs"),
        ({"task": "arcade/bit_compare"}, "tasks differs"),
        ({"levels": "1-5"}, "levels"),
        ({"sampler": "pools"}, "a sampler"),
        ({"evaluation": True}, "params"),
    ],
)
def test_the_state_of_another_stream_is_refused(change, named):
    told = {"task": "arcade/bit_query", "seed": 3, "levels": "1-6", "sampler": "frontier"}
    first = facelet.stream(told.pop("task"), **told)
    next(first)
    state = json.loads(json.dumps(first.state()))
    told = {"task": "arcade/bit_query", **told, **change}
    other = facelet.stream(told.pop("task"), **told)
    with pytest.raises(ValueError, match=named):
        other.restore(state)
    state["stream"]["tasks"]["arcade/bit_query"] += 1
    with pytest.raises(ValueError, match="tasks differs"):
        first.restore(state)


def test_unfinished_rows_come_first_again():
    told = {"levels": "1-6", "sampler": "frontier"}
    first = facelet.stream("arcade/bit_query", **told)
    rows = list(islice(first, 8))
    first.tell(rows[0], [1.0] * 8)
    state = json.loads(json.dumps(first.state(ids(rows[5:]))))
    again = facelet.stream("arcade/bit_query", **told)
    again.restore(state)
    assert ids(islice(again, 6)) == ids([*rows[5:], *islice(first, 3)])


def test_a_stream_for_evaluation_has_other_rows():
    own, other = (facelet.stream("labyrinth/act", evaluation=told) for told in (False, True))
    rows, tests = list(islice(own, 20)), list(islice(other, 20))
    assert {row["id"].split("/")[2].partition("-")[0] for row in tests} == {"eval"}
    shown = [{one for row in part for one in row["shown"]} for part in (rows, tests)]
    assert all(shown) and not shown[0] & shown[1]


def test_no_param_of_a_task_is_taken_by_a_word_of_the_stream_itself():
    """`start` was the number of the first row, so a stream of solved cubes could not be had."""
    taken = set(signature(facelet.stream).parameters)
    for name, task in task_registry.tasks().items():
        assert not taken & {part.name for part in fields(task.params)}, name
    told = {"start": "solved", "level": 3, "input": "text"}
    row = facelet.stream("cube/inverse_deformation", position=2, **told)[0]
    assert row["cube_start"] == "solved"
    data = facelet.create_dataset("cube/inverse_deformation", 1, params={"size": 128})
    assert data.params.size == 128 and len(data) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task_or_suite": "labyrinth/plann"}, "labyrinth/plan"),
        ({"task_or_suite": "marbel"}, "marble"),
        ({"task_or_suite": "marble", "turns": 2}, "a stream of one task"),
        ({"task_or_suite": "marble", "levels": "999"}, "levels=999"),
        ({"task_or_suite": "labyrinth/plan", "levels": "1-2", "turns": 2}, "both set the level"),
        ({"task_or_suite": "labyrinth/plan", "sampler": "frontiers"}, "known: uniform"),
        ({"task_or_suite": "labyrinth/plan", "sampler": {"labyrinth/pla": 1}}, "labyrinth/plan"),
        ({"task_or_suite": "labyrinth/plan", "sampler": "frontier", "position": 3}, "restore"),
        ({"task_or_suite": "labyrinth/plan", "by": "magic"}, "processes"),
        ({"task_or_suite": "labyrinth/plan", "position": -1}, "position=-1"),
    ],
)
def test_what_cannot_be_is_named(words, message):
    with pytest.raises(ValueError, match=message):
        facelet.stream(words.pop("task_or_suite"), **words)


def test_rows_that_are_none_are_named():
    made = facelet.stream("labyrinth/plan", sampler="frontier")
    with pytest.raises(ValueError, match="by its id"):
        made[3]
    with pytest.raises(ValueError, match="no cell"):
        made.row("labyrinth/act/train-t02/000001")
    with pytest.raises(ValueError, match="no row"):
        made.row(f"{made.cells[0]}/abc")
    with pytest.raises(IndexError):
        facelet.stream("labyrinth/plan")[-1]
    with pytest.raises(ValueError, match="out of range"):
        made.tell(next(made), 1.5)


def test_the_guide_runs_as_it_is_printed():
    text = (Path(__file__).parents[4] / "conf" / "docs" / "streams.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if "facelet.stream(" in block)
    names: dict[str, object] = {}
    exec(compile(block, "streams.md", "exec"), names)
    assert names["state"]["position"] == 1 and names["play"].done


def count_pieces(monkeypatch, module, name):
    """Return the list that each piece of a pool is counted in."""
    made, own = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: made.append(args) or own(*args))
    return made


def test_the_first_row_costs_one_piece_of_its_pool(monkeypatch):
    """It cost 256: a stream of chambers returned nothing for minutes."""
    made = count_pieces(monkeypatch, maps, "make_map")
    stream = facelet.stream("chamber/act", seed=7, setting="symbolic")
    first = next(stream)
    assert len(made) == 1
    assert stream[2]["id"].endswith("000002") and len(made) == 2
    assert stream[0] == first and len(made) == 2


@pytest.mark.parametrize(
    ("name", "states", "told"),
    [
        ("cube/move_prediction", 1, {"depth": 7}),
        ("cube/navigate", 1, {"depth": 7}),
        ("cube/step_by_step", 1, {"depth": 7}),
        ("cube/verification", 2, {"depth": 7}),
        ("cube/move_effect", 2, {"depth": 7}),
    ],
)
def test_the_first_row_of_a_cube_costs_a_state_or_two(monkeypatch, name, states, told):
    made = count_pieces(monkeypatch, slot_sources, "draw_slot")
    stream = facelet.stream(name, seed=7, told=SMALL, **told)
    next(stream)
    assert len(made) == states


@pytest.mark.parametrize("name", ["cube/move_prediction", "cube/navigate"])
@pytest.mark.parametrize("told", [{"depth": 2}, {"depth": 6}, {"depth": 18}])
def test_pieces_are_those_of_a_whole_pool(monkeypatch, name, told):
    lazy = facelet.stream(name, seed=7, told=SMALL, **told)
    rows = [lazy[n] for n in (5, 0, 17)]
    monkeypatch.setattr(type(family_modules.load_task(name)), "whole_pool", True)
    monkeypatch.setattr(EndlessItems, "_find_round", lambda self, n, each, instead: (0, 256, n))
    whole = facelet.stream(name, seed=7, told=SMALL, **told)
    assert [whole[n] for n in (5, 0, 17)] == rows


def test_rounds_of_whole_pools_grow_and_leave_no_item_out():
    stream = facelet.stream("cube/verification", seed=1, told=SMALL, depth=6)
    rounds = EndlessItems(stream._maker.cells[0], 1, (("train", 1),), stream._maker.told)
    found = [rounds._find_round(n, 3, 0) for n in range(3 * 1300)]
    sizes = dict(part[:2] for part in found)
    assert [sizes[turn] for turn in range(10)] == [2, 4, 8, 16, 32, 64, 128, 256, 256, 256]
    places = {turn: [place for own, _, place in found if own == turn] for turn in range(10)}
    assert all(places[turn] == list(range(3 * sizes[turn])) for turn in range(10))
