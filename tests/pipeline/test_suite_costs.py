"""`facelet list`: suites and tasks with their rows and cost."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from facelet import environment
from facelet.pipeline.cli import main
from facelet.pipeline.command.setting_keys import list_suite_names
from facelet.pipeline.rollout.row_selection import SIGNS_PER_TOKEN
from facelet.pipeline.suite_costs import estimate_costs
from facelet.pipeline.verbs import build

WORDS = {"suites": ("marble",), "tasks": ("assemble_easy", "maze"), "profile": "smoke"}


def test_every_suite_is_listed_with_its_configs_and_rows(capsys):
    assert main(["list", "profile=smoke"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line.split() for line in lines[1 : lines.index("")]]
    assert [suite for suite, _, _ in table] == list_suite_names()
    rows = {suite: (configs, count) for suite, configs, count in table}
    assert rows["marble"][0] == "9" and rows["cube_bench"][1].endswith("+")
    assert all(re.fullmatch(r"\d[\d,]*\+?", count) for _, _, count in table)
    assert main(["list", "marbel"]) == 2
    assert "unknown suite 'marbel' (did you mean 'marble'?)" in capsys.readouterr().err


def test_costs_of_configs_are_those_of_their_rows_times_their_number(tmp_path, capsys):
    """The built rows' own prompts say what a row of the lowest difficulty costs."""
    prepared = build.prepare_build(build.Settings(**WORDS, out=str(tmp_path / "made")))
    costs = {cost.config: cost for cost in estimate_costs(prepared.plan)}
    assert list(costs) == ["marble.assemble_easy", "marble.maze"]
    build.build_to_folder(replace(prepared, settings=replace(prepared.settings, quiet=True)))
    for config, cost in costs.items():
        rows = list(environment.rows(tmp_path / "made", config))
        parts = [part for message in rows[0]["messages"] for part in message["content"]]
        signs = sum(len(part["text"] or "") for part in parts)
        pictures = sum(part["type"] == "image" for part in parts)
        assert (cost.rows, cost.requests) == (len(rows), len(rows))
        assert cost.tokens == len(rows) * (signs // SIGNS_PER_TOKEN)
        assert cost.pictures == len(rows) * pictures


@pytest.mark.parametrize("suite", ["cube_bench", "evolarena"])
def test_episodes_of_many_turns_cost_a_request_a_turn(suite, capsys):
    assert main(["list", suite, "profile=smoke"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = {line.split()[0]: line.split()[1:] for line in lines[1 : lines.index("")]}
    told = {
        config: [int(n.replace(",", "")) for n in cells[-4:]] for config, cells in table.items()
    }
    config = {"cube_bench": "cube_bench.reflection", "evolarena": "evolarena.xor_breaking"}[suite]
    rows, requests, tokens, _ = told[config]
    assert requests > rows and tokens > requests
    sums = [sum(column) for column in zip(*list(told.values())[:-1], strict=True)]
    assert told["all"] == sums
    assert lines[-1].endswith(f"facelet eval openai/NAME {suite} profile=smoke")
