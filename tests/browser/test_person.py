"""A whole session of a person over ten configs, in a browser, scored like the same replies."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import scored_site

from facelet.pipeline.report.people.people_server import PeopleServer
from facelet.pipeline.report.people.people_sessions import (
    SessionStep,
    StudySettings,
    choose_items,
    open_sessions,
    plan_steps,
)


@pytest.fixture
def study(dataset: Path) -> StudySettings:
    return StudySettings(choose_items(dataset, (), (), "test", 1), 0, 4, 5, "For science.", "C0DE")


@contextmanager
def serve_study(study: StudySettings, out: Path) -> Iterator[str]:
    with open_sessions(study, out) as sessions, PeopleServer(("127.0.0.1", 0), sessions) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def give_reply(page: Any, reply: str) -> str:
    """Give a reply as a person does: by the widget where there is one, else typed."""
    stickers = page.locator(".stickers button")
    if stickers.count():
        colours = re.findall(r"Row \d: \[(\w+), (\w+), (\w+)\]", reply)
        for place, colour in enumerate(name for row in colours for name in row):
            page.locator("[aria-label=Colors] button", has_text=colour).click()
            stickers.nth(place).click()
        return "painted"
    if page.get_by_role("button", name="Take back").count():
        for move in json.loads(reply)["actions"]:
            name = {"final_answer": "finish", "get_observation": "look"}.get(move, move)
            page.get_by_role("button", name=name, exact=True).click()
        return "clicked"
    groups = page.locator(".answer .choices")
    if groups.count() == 4:
        words = {"DECREASE": "nearer", "NO_CHANGE": "no change", "INCREASE": "farther"}
        for place, said in enumerate(re.findall(r"<\w> (\w+) <", reply)):
            groups.nth(place).get_by_role("button", name=words[said]).click()
        return "chosen four times"
    if groups.count() == 1:
        said = re.search(r"<ANSWER>(\w+)<|Answer: (\w+)|^([A-D])$", reply)
        if said:
            value = next(filter(None, said.groups()))
            pressed = page.locator(".answer [aria-pressed=true]")
            pictured = page.get_by_role("button", name=f"Option {value} in the picture")
            if pictured.count():
                assert page.locator(".pointed button").count() == 4
                # In the lower right corner, where neighbours would be hit if regions were not true.
                box = pictured.bounding_box()
                pictured.click(position={"x": box["width"] - 6, "y": box["height"] - 6})
                assert pictured.get_attribute("aria-pressed") == "true"
                assert page.locator(".pointed [aria-pressed=true]").count() == 1
                assert pressed.inner_text() == value
                assert page.locator("#typed").input_value() == reply
                return "on its picture"
            page.keyboard.press(value[0].lower())
            assert pressed.inner_text() == value
            return "by key"
    page.locator("#typed").fill(reply)
    return "typed"


def test_a_session_over_ten_configs(
    study: StudySettings, dataset: Path, tmp_path: Path, eye: Any
) -> None:
    assert len(study.study_items.items) == 10
    plan = plan_steps(study.study_items, "P1", 0, checks=4, pause=5)
    out, ways, said = tmp_path / "out", set(), {}
    with serve_study(study, out) as url:
        found = eye(390, 800)
        page = found.page
        page.goto(f"{url}/?PROLIFIC_PID=P1")
        page.get_by_role("button", name="I agree, begin").click()
        reloaded = False
        for step in plan:
            if step.kind == "break":
                page.get_by_role("button", name="Go on").click()
                continue
            replies = replies_to_give(study, step)
            for turn, reply in enumerate(replies):
                page.wait_for_selector(".answer")
                if step.kind == "item" and turn == 0 and not reloaded:
                    assert found.violations() == []
                    found.page.reload()  # A closed tab comes back to the same item.
                    page.wait_for_selector(".answer")
                    reloaded = True
                assert page.evaluate("document.documentElement.scrollWidth") <= 390
                way = give_reply(page, reply)
                if step.kind == "item":
                    ways.add(way)
                before = page.locator("#place").inner_text()
                page.get_by_role("button", name="Send").click()
                page.wait_for_function(
                    "(text) => document.querySelector('#place').innerText !== text", arg=before
                )
            if step.kind == "item":
                said[step.id] = replies
            if step.kind == "practice":
                assert page.locator("h2", has_text="Right").count() == 1
                page.get_by_role("button", name="Go on").click()
        page.wait_for_selector("text=Your completion code")
        assert "C0DE" in page.locator("#place").inner_text()
    assert ways == {
        *("painted", "clicked", "chosen four times", "by key", "on its picture", "typed")
    }

    file = tmp_path / "file.jsonl"
    file.write_text(
        "".join(
            json.dumps({"id": name, "model": "human/P1", "prediction": replies}) + "\n"
            for name, replies in said.items()
        )
    )
    scored = [
        scored_site.score_predictions(dataset, path, tmp_path / path.stem, "missing=ignore")
        for path in (out / "transcripts.jsonl", file)
    ]
    columns = ["id", "model", "status", "answer"]
    first, second = (pq.read_table(one / "items.parquet", columns=columns) for one in scored)
    answered = [one for one in first.to_pylist() if one["status"] != "missing"]
    assert answered == [one for one in second.to_pylist() if one["status"] != "missing"]
    assert len(answered) == 10
    statuses = {one["status"] for one in answered}
    assert "correct" in statuses and len(statuses) > 1


def replies_to_give(study: StudySettings, step: SessionStep) -> list[str]:
    """Return what is replied: what is right, but to every fifth config."""
    if step.kind == "check":
        return [step.id]
    row = study.study_items.rows[step.id]
    replies = list(row.task.reference(row.instance))
    config = list(study.study_items.items).index(step.id.partition("/")[0])
    if step.kind == "item" and config % 5 == 3 and len(replies) == 1:
        return ["I do not know."]
    return replies
