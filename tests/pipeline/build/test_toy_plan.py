from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.build.build_plan import compute_plan, expand_sweep
from facelet.pipeline.build.folder_ownership import describe_plan_diff
from facelet.pipeline.build.sweep_expansion import allocate_by_weight
from facelet.pipeline.config.build_settings import ParamRange, RunnerSettings, StageSizes, SuiteTask
from facelet.pipeline.config.setting_precedence import ResolvedEntry


@pytest.fixture
def settings(toy, tmp_path):
    base = toy.settings(tmp_path / "out")
    return lambda **changes: dataclasses.replace(base, **changes)


def depth_cells(*values, limit=None):
    return {"depth": ParamRange(values or None, limit)}


def make_entry(**changes):
    return dataclasses.replace(SuiteTask("toys", "count", "toy/count"), **changes)


def test_cells_and_pools(settings):
    plan = compute_plan(settings(splits=(("train", 3), ("test", 1)), count=10))
    found = [(cell.key, cell.asked, cell.pool) for cell in plan.cells]
    assert found == [
        ("toys.count/train-d01", 8, "toy/d01-train"),
        ("toys.count/d01", 2, "toy/d01-test"),
        ("toys.count/train-d02", 8, "toy/d02-train"),
        ("toys.count/d02", 2, "toy/d02-test"),
        ("toys.count/train-d03", 8, "toy/d03-train"),
        ("toys.count/d03", 2, "toy/d03-test"),
    ]
    assert [pool.key for pool in plan.pools] == sorted({key for _, _, key in found})


def test_where_and_how_fast_is_no_part_of_the_plan(settings, tmp_path):
    plan = compute_plan(settings())
    changes = {
        "out": tmp_path / "elsewhere",
        "family_settings": {"toy": {"cache": str(tmp_path / "cache")}},
        "runner": RunnerSettings("dask", "tcp://h:1", 64),
        "progress": True,
        "replace": True,
    }
    for name, value in changes.items():
        assert compute_plan(settings(**{name: value})).plan_hash == plan.plan_hash, name


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"count": 23},
        {"ranges": depth_cells(1, 2)},
        {"splits": (("test", 2),)},
        {"name": "other"},
        {"entries": (make_entry(params={"shape": "cube"}),)},
        {"stages": StageSizes(emit_rows=21)},
    ],
)
def test_whatever_moves_a_byte_moves_the_hash(settings, change):
    assert compute_plan(settings(**change)).plan_hash != compute_plan(settings()).plan_hash


def test_versions_move_the_hash(settings, toy, monkeypatch):
    before = compute_plan(settings()).plan_hash
    monkeypatch.setattr(toy.toy_family.ToyTask, "version", 2)
    assert compute_plan(settings()).plan_hash != before


def test_params_of_an_entry(settings):
    plan = compute_plan(settings(entries=(make_entry(params={"shape": "x", "weights": [3, 4]}),)))
    params = dict(plan.cells[0].params)
    assert params == {"depth": 1, "metric": "htm", "shape": "x", "weights": (3, 4)}


def test_sweep_of_another_param(settings):
    sweep = {"depth": (4, 2)}
    plan = compute_plan(
        settings(entries=(make_entry(sweep=sweep),), ranges=depth_cells(9, limit=1))
    )
    assert [cell.label for cell in plan.cells] == ["d04", "d02"]


@dataclasses.dataclass(frozen=True)
class LevelParams:
    """Params of a task that has levels."""

    level: int = 1
    depth: int = 4
    size: int = 3


LADDER = SimpleNamespace(name="toy/ladder", params=LevelParams)


def expand(entry, ranges):
    return expand_sweep(ResolvedEntry(entry, ranges), LADDER, 1, (("test", 1),))


def sweep_levels(asked, **changes):
    """The levels of the cells of an entry, and what is left out."""
    made = make_entry(task="toy/ladder", params={"depth": 4}, **changes)
    found = expand(made, {"depth": ParamRange((1, 2)), "level": asked})
    return [cell["level"] for cell in found.cells if cell], "".join(found.left_out)


def test_levels_are_swept_as_depths_are():
    levels = lambda *values, limit=None: {"level": ParamRange(values or None, limit)}  # noqa: E731
    assert sweep_levels(ParamRange((1, 2, 3))) == ([1, 2, 3], "")
    assert sweep_levels(ParamRange()) == ([], "")
    assert sweep_levels(ParamRange(), ranges=levels(4, 5)) == ([4, 5], "")
    left = "toys.count: levels 3 are left out (max_level=2)"
    assert sweep_levels(ParamRange((1, 2, 3), 2)) == ([1, 2], left)
    left = "toys.count: levels 1,3 are left out (toys.count.levels=2,7)"
    assert sweep_levels(ParamRange((1, 2, 3)), ranges=levels(2, 7)) == ([2], left)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, r"toys\.count: sweep one param, not \['depth', 'level'\]; fix the others"),
        ({"params": {"level": 2}, "ranges": {"level": ParamRange((1,))}}, "params.level fixes it"),
        (
            {"sweep": {"size": (1, 2)}, "ranges": {"level": ParamRange(None, 3)}},
            "max_level does nothing",
        ),
        (
            {"params": {"depth": 1}, "ranges": {"depth": ParamRange((1,))}},
            "depths does nothing: params",
        ),
    ],
)
def test_sweeps_that_do_nothing_or_too_much_are_refused(changes, message):
    asked = {"depth": ParamRange((1, 2)), "level": ParamRange((1, 2))}
    with pytest.raises(ValueError, match=message):
        expand(make_entry(task="toy/ladder", **changes), asked)


def test_a_task_without_levels_takes_none(settings):
    with pytest.raises(
        ValueError, match=r"toys\.count\.levels does nothing: toy/count has no level"
    ):
        compute_plan(settings(entries=(make_entry(ranges={"level": ParamRange((1,))}),)))


def test_depths_beyond_a_limit_are_named(settings):
    own = make_entry(ranges=depth_cells(limit=2))
    plan = compute_plan(settings(entries=(own,), ranges=depth_cells(1, 2, 3, 4, 7)))
    assert [cell.label for cell in plan.cells] == ["d01", "d02"]
    assert plan.left_out == ("toys.count: depths 3-4,7 are left out (toys.count.max_depth=2)",)
    plan = compute_plan(settings(ranges=depth_cells(1, 2, 3, limit=1)))
    assert plan.left_out == ("toys.count: depths 2-3 are left out (max_depth=1)",)


def test_an_entry_may_have_depths_of_its_own(settings):
    own = make_entry(ranges=depth_cells(1, 3, 9, limit=5))
    plan = compute_plan(settings(entries=(own,), ranges=depth_cells(1, 2, 3, 4, 7)))
    assert [cell.label for cell in plan.cells] == ["d01", "d03"]
    assert plan.left_out == (
        "toys.count: depths 7 are left out (toys.count.max_depth=5); "
        "depths 2,4 are left out (toys.count.depths=1,3,9)",
    )
    with pytest.raises(ValueError, match=r"nothing to build: .*depths 2 are left out"):
        compute_plan(settings(entries=(own,), ranges=depth_cells(2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"entries": (make_entry(sweep={"shape": ("a",)}, ranges=depth_cells(1)),)},
            "toys.count.depths does nothing: it sweeps another param; leave it out",
        ),
        (
            {"entries": (make_entry(task="toy/cuont"),)},
            "unknown task 'toy/cuont'; known tasks: .*cube/move_effect",
        ),
        ({"entries": (make_entry(params={"shap": "x"}),)}, r"'shap' \(did you mean 'shape'\?\)"),
        (
            {"entries": (make_entry(params={"shape": 3}),)},
            "params.shape=3 has the wrong type; .* str",
        ),
        ({"entries": (make_entry(params={"weights": [1, "x"]}),)}, "weights.* has the wrong type"),
        ({"entries": (make_entry(sweep={"depth": (True,)}),)}, "depth=True has the wrong type"),
        ({"entries": (make_entry(sweep={"depth": (1.5,)}),)}, "depth=1.5 has the wrong type"),
        ({"ranges": depth_cells(3, 12)}, "toys.count: depth=12 is out of range; allowed: 1 to 9"),
        (
            {"entries": (make_entry(ranges=depth_cells(limit=0)),)},
            "toys.count.max_depth=0 is out of range",
        ),
        ({"entries": (make_entry(count=0),)}, "toys.count.count=0 is out of range"),
        (
            {"entries": (make_entry(times=0),)},
            r"toys.count.times=0 is out of range; use more than 0",
        ),
        (
            {"entries": (make_entry(times=-1),)},
            r"toys.count.times=-1 is out of range; use more than 0",
        ),
        ({"entries": (make_entry(times=float("inf")),)}, r"toys.count.times=inf is out of range"),
        ({"entries": (make_entry(times=float("nan")),)}, r"toys.count.times=nan is out of range"),
        ({"ranges": depth_cells(2, 3, limit=1)}, "nothing to build: toys.count: depths 2-3"),
        ({"entries": (make_entry(), make_entry())}, "toys.count would have two cells 'd01'"),
        ({"entries": (make_entry(sweep={"shape": ("a", "b")}),)}, "would have two cells"),
        ({"entries": (make_entry(sweep={"shape": ("a",), "depth": (1,)}),)}, "sweep one param"),
        ({"entries": (make_entry(name="x" * 60),)}, "row id .* must have at most 64"),
        ({"entries": (make_entry(name="Größe"),)}, "row id .* of the letters a-z"),
    ],
)
def test_bad_plans_name_the_value_and_the_fix(settings, change, message):
    with pytest.raises(ValueError, match=message):
        compute_plan(settings(**change))


@pytest.mark.parametrize(
    ("times", "asked"), [(1, 24), (2, 48), (0.04, 1), (0.125, 3), (0.13, 4), (1e-12, 1)]
)
def test_multiples_of_the_count_are_rounded_up(settings, times, asked):
    """However small a multiple is, it is not rounded to no items at all."""
    plan = compute_plan(
        settings(entries=(make_entry(times=times),), ranges=depth_cells(1), count=24)
    )
    assert [cell.asked for cell in plan.cells] == [asked]


def test_differences_are_told_in_words(settings):
    old = compute_plan(settings()).to_dict()
    new = compute_plan(settings(seed=3, ranges=depth_cells(1, 2))).to_dict()
    told = describe_plan_diff(old, new)
    assert "seed was 0, is 3" in told
    assert "before toys.count/d03" in told
    assert describe_plan_diff(old, old) == "the pools differ"


@given(
    st.integers(1, 10_000),
    st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_items_are_shared_out_to_the_last(count, weights):
    splits = [(f"s{i}", weight) for i, weight in enumerate(weights)]
    parts = allocate_by_weight(count, splits)
    assert sum(parts.values()) == count
    for name, weight in splits:
        assert abs(parts[name] - count * weight / sum(weights)) < 1


def test_differences_name_configs_that_only_one_plan_has(settings):
    old = compute_plan(settings()).to_dict()
    config = old["cells"][0]["config"]
    renamed = [
        {**cell, "config": f"other.{cell['config']}"} if cell["config"] == config else cell
        for cell in old["cells"]
    ]
    told = describe_plan_diff(old, {**old, "cells": renamed})
    assert told == f"it holds {config}; asked for are other.{config}"
