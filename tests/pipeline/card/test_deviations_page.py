"""Deviations: the page is the tasks', each way back works, published suites take them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typed import resolve_words

from facelet.generators.core import task_registry
from facelet.pipeline.card.deviations_page import paper_title, render_page, render_table
from facelet.pipeline.config.settings_resolver import read_params

ROOT = Path(__file__).parents[3]
SUITES = sorted(path.stem for path in (ROOT / "conf" / "suite").glob("*_as_published.yaml"))
TASKS = list(task_registry.tasks().values())


def parse_value(text: str):
    """Return a param's value as YAML would read it."""
    known = {"true": True, "false": False}
    return known[text] if text in known else int(text) if text.isdigit() else text


def test_the_page_is_up_to_date():
    text = (ROOT / "DEVIATIONS.md").read_text(encoding="utf-8")
    assert text == render_page(), "DEVIATIONS.md is stale; run `make deviations`"


def test_the_page_is_short_and_separates_differences_from_readings():
    text = render_page()
    assert len(text.encode()) <= 20_480
    head, differences, readings = re.split(r"^## (?:Differences|Readings)$", text, flags=re.M)
    assert "setting, if there is one" in head
    for task in TASKS:
        for deviation in task.deviations:
            part = differences if deviation.paper else readings
            cells = [cell for cell in deviation[:2] if cell] + [deviation.setting]
            assert f"|{'|'.join(cells)}|" in part, (task.name, deviation)


@pytest.mark.parametrize("task", [task for task in TASKS if task.deviations], ids=lambda t: t.name)
def test_every_way_back_is_a_setting_of_the_task(task):
    assert paper_title(task.name)
    for deviation in task.deviations:
        assert deviation.here and deviation.why
        chosen = {name: parse_value(text) for name, text in deviation.paper_params.items()}
        read_params(task, chosen, task.name)  # raises if it is no param, or no value of it


@pytest.mark.parametrize("suite", SUITES)
def test_a_published_suite_takes_every_way_back(suite):
    settings, _ = resolve_words([f"suites=[{suite}]"])
    for entry in settings.entries:
        for deviation in task_registry.load_task(entry.task).deviations:
            for name, text in deviation.paper_params.items():
                assert entry.params.get(name) == parse_value(text), f"{suite}.{entry.name}: {name}"


@pytest.mark.parametrize("suite", SUITES)
def test_a_published_suite_has_the_configs_of_its_suite(suite):
    own = {entry.name for entry in resolve_words([f"suites=[{suite}]"])[0].entries}
    base = resolve_words([f"suites=[{suite.removesuffix('_as_published')}]"])[0].entries
    beyond = {"step_by_step_tree"}  # the closed loop as independent rows: no paper has it
    assert {entry.name for entry in base} - beyond <= own


def test_a_task_without_deviations_has_no_table():
    assert render_table([]) == []
    assert paper_title("toy/count") == ""
