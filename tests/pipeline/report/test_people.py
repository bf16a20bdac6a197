"""`facelet human`: sessions over HTTP, as the page holds them."""

from __future__ import annotations

import errno
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import scored_site
from pages import SitePage

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import atomic_files
from facelet.pipeline.report.people.people_server import HEADER, PeopleServer
from facelet.pipeline.report.people.people_sessions import (
    StudySettings,
    choose_items,
    open_sessions,
    plan_steps,
)
from facelet.pipeline.rollout.row_opener import find_row, read_row

SAID = {"token", "done", "total", "phase", "purpose", "code", "chat", "widget", "config", "turn"}
"""All that a browser may be told before a reply is judged."""


class PagePerson:
    """Somebody at the page."""

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.name = name

    def ask_server(
        self, path: str, body: dict[str, Any] | None = None, header: str = HEADER
    ) -> Any:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, data, {header: "1"} if data else {})
        with urllib.request.urlopen(asked, timeout=20) as found:
            return json.load(found)

    def fetch_view(self) -> Any:
        return self.ask_server(f"/state?person={self.name}")

    def give_consent(self) -> Any:
        return self.ask_server("/agree", {"person": self.name})

    def send_reply(self, view: Any, text: str) -> Any:
        told = {"person": self.name, "token": view["token"], "text": text, "seconds": 1.5}
        return self.ask_server("/reply", told)


def make_study(dataset: Path, limit: int = 2, **more: Any) -> StudySettings:
    found = choose_items(dataset, (), (), "test", limit)
    return StudySettings(
        found, **{"seed": 0, "checks": 2, "pause": 3, "purpose": "Why", "code": "", **more}
    )


@contextmanager
def serve_study(about: StudySettings, out: Path) -> Iterator[str]:
    with open_sessions(about, out) as sessions, PeopleServer(("127.0.0.1", 0), sessions) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def right_replies(about: StudySettings, identifier: str) -> list[str]:
    row = about.study_items.rows[identifier]
    return list(row.task.reference(row.instance))


def answer_items(
    person: PagePerson, about: StudySettings, view: Any, known: int, stop: int = 10_000
) -> Any:
    """Answer until the end, or until so many replies; every `known`-th item is wrong."""
    plan = plan_steps(
        about.study_items, person.name, about.seed, checks=about.checks, pause=about.pause
    )
    for _ in range(stop):
        if view["phase"] == "end":
            return view
        assert set(view) - {"feedback"} <= SAID
        step = plan[int(view["token"].partition(".")[0])]
        assert view["phase"] == step.kind
        if step.kind in ("break", "check"):
            view = person.send_reply(view, step.id)
            continue
        turn = view["turn"] - 1
        wrong = step.kind == "item" and int(step.id[-1]) % known == 0
        text = "nothing" if wrong else right_replies(about, step.id)[turn]
        view = person.send_reply(view, text)
        if step.kind == "practice" and view["token"].endswith(".0"):
            assert view["feedback"]["status"] == "correct"
        else:
            assert "feedback" not in view
    return view


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_two_people_at_once_a_restart_and_the_scores(dataset: Path, tmp_path: Path) -> None:
    about = make_study(dataset)
    assert len(about.study_items.practice) == 2
    assert not set(about.study_items.practice) & {
        x for own in about.study_items.items.values() for x in own
    }
    out = tmp_path / "study"
    with serve_study(about, out) as url:
        ann, ben = PagePerson(url, "ann"), PagePerson(url, "ben")
        first = ann.fetch_view()
        assert first["phase"] == "consent" and first["purpose"] == "Why"
        answer_items(ann, about, ann.give_consent(), 2, stop=5)
        answer_items(ben, about, ben.give_consent(), 99, stop=4)
        before = ann.fetch_view()
    # What a kill leaves: half a line, and no transcript of the last play.
    with (out / "people.jsonl").open("ab") as log:
        log.write(b'{"person": "ann", "event"')
    kept = (out / "transcripts.jsonl").read_text().splitlines()
    (out / "transcripts.jsonl").write_text("".join(f"{line}\n" for line in kept[:-1]))
    with serve_study(about, out) as url:
        ann, ben = PagePerson(url, "ann"), PagePerson(url, "ben")
        assert ann.fetch_view() == before
        ends = [
            answer_items(one, about, one.fetch_view(), known)
            for one, known in ((ann, 2), (ben, 99))
        ]
    assert ends[0]["phase"] == "end" and ends[0]["code"] != ends[1]["code"]
    records = lines(out / "transcripts.jsonl")
    assert len(records) == 8 == len({(one["id"], one["model"]) for one in records})
    assert {one["model"] for one in records} == {"human/ann", "human/ben"}
    for one in records:
        replies = sum(message["role"] == "assistant" for message in one["messages"])
        assert len(one["seconds"]) == replies

    run = scored_site.score_predictions(
        dataset, out / "transcripts.jsonl", tmp_path / "run", "missing=ignore"
    )
    results = json.loads((run / "results.json").read_text())
    assert results["suites"] == [] and results["comparisons"] == []
    every = {one["config"]: one for one in results["people"] if one["suite"] == "inf_bench"}
    assert every[""]["people"] == 2 and every[""]["answers"] == 4
    expected = [one["outcome"]["status"] == "correct" for one in records if "inf_" in one["id"]]
    assert every[""]["accuracy"]["value"] == pytest.approx(sum(expected) / len(expected))
    assert every[""]["accuracy"]["method"] == "wilson_clusters", "two people are two trials"


def test_people_stand_beside_models_in_a_report(dataset: Path, tmp_path: Path) -> None:
    said = scored_site.write_predictions(
        dataset, tmp_path / "said.jsonl", {"machine": 3, "human/a": 4, "human/b": 2}
    )
    run = scored_site.score_predictions(dataset, said, tmp_path / "run")
    results = json.loads((run / "results.json").read_text())
    assert [one["model"] for one in results["suites"][0]["models"]] == ["machine"]
    out = tmp_path / "site"
    assert main(["report", str(run), f"out={out}", "items=false"]) == 0
    page = SitePage((out / "index.html").read_text())
    assert "2 people (interval over people)" in page.text
    places = [pointer for pointer, _ in page.figures]
    assert "/people/0/accuracy" in places
    (suite,) = out.glob("suite-0-inf_bench-*.html")
    detail = SitePage(suite.read_text())
    number = [one["config"] for one in results["people"]].index("inf_bench.forward_2d")
    assert [at for at, _ in detail.figures if at.startswith("/people/") and "levels" in at] == [
        f"/people/{number}/levels/{place}/accuracy" for place in range(2)
    ]
    levels = results["people"][number]["levels"]
    assert [one["difficulty"] for one in levels] == [1, 2]
    assert sum(one["answers"] for one in levels) == results["people"][number]["answers"]
    for pointer, value in page.figures + detail.figures:
        content: Any = results
        for step in pointer.split("/")[1:]:
            content = content[int(step)] if isinstance(content, list) else content[step]
        assert content["value"] == value


def test_a_reply_counts_once(dataset: Path, tmp_path: Path) -> None:
    about = make_study(dataset, checks=0, pause=0)
    with serve_study(about, tmp_path / "out") as url:
        ann = PagePerson(url, "ann")
        view = ann.give_consent()
        said = right_replies(about, about.study_items.practice[0])[0]
        after = ann.send_reply(view, said)
        again = ann.send_reply(view, said)
        assert again["token"] == after["token"] != view["token"]
    assert len(lines(tmp_path / "out" / "people.jsonl")) == 2


def test_no_right_answer_is_told_before_a_reply(dataset: Path, tmp_path: Path) -> None:
    about = make_study(dataset, checks=0, pause=0)
    with serve_study(about, tmp_path / "out") as url:
        ann = PagePerson(url, "ann")
        view = ann.give_consent()
        widgets = set()
        while view["phase"] != "end":
            told = {name: value for name, value in view.items() if name != "feedback"}
            widgets.add(json.dumps([told["config"], told["widget"]]))
            plan = plan_steps(about.study_items, "ann", 0, checks=0, pause=0)
            step = plan[int(view["token"].partition(".")[0])]
            parts = [part for one in told["chat"] for part in one["parts"]]
            shown = [part["text"] for part in parts if "text" in part]
            row = find_row(dataset, step.id)
            public = [
                part["text"] or ""
                for message in row["messages"]
                for part in message["content"]
                if part["type"] == "text"
            ]
            assert view["turn"] > 1 or shown == public
            view = ann.send_reply(view, "nothing at all")
        assert len(widgets) == len({json.loads(one)[0] for one in widgets}), "same for all rows"


def test_requests_that_are_none_are_refused(dataset: Path, tmp_path: Path) -> None:
    with serve_study(make_study(dataset), tmp_path / "out") as url:
        ann = PagePerson(url, "ann")
        for path, body, header in (
            ("/state?person=a/b", None, HEADER),
            ("/agree", {"person": ""}, HEADER),
            ("/agree", {"person": "ann"}, "X-Other"),
            ("/reply", {"person": "ann", "token": "0.0", "text": 5, "seconds": 1}, HEADER),
            ("/reply", {"person": "ann", "token": "0.0", "text": "", "seconds": -1}, HEADER),
            ("/picture/../people.jsonl", None, HEADER),
            ("/data", None, HEADER),
        ):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ann.ask_server(path, body, header)
            assert refused.value.code in (400, 404)


def test_pages_of_other_sites_are_refused(dataset: Path, tmp_path: Path) -> None:
    with serve_study(make_study(dataset), tmp_path / "out") as url:
        own = url.removeprefix("http://")
        for host, origin, code in (
            (own, url, 200),
            (own, None, 200),
            ("localhost", None, 200),
            (own, "http://evil.example", 403),
            (own, "null", 403),
            ("evil.example", None, 403),
            ("evil.example", "http://evil.example", 403),
        ):
            told = {"Host": host, HEADER: "1"} | ({} if origin is None else {"Origin": origin})
            for path, data in (("/state?person=ann", None), ("/agree", b'{"person": "ann"}')):
                asked = urllib.request.Request(url + path, data, told)
                try:
                    with urllib.request.urlopen(asked, timeout=20) as found:
                        assert found.status == code, (host, origin)
                except urllib.error.HTTPError as error:
                    assert error.code == code, (host, origin)


def test_the_order_is_each_persons_own_and_the_items_are_all_of_theirs(dataset: Path) -> None:
    about = make_study(dataset, limit=4)
    plans = [plan_steps(about.study_items, f"p{k}", 0, checks=3, pause=4) for k in range(6)]
    assert plan_steps(about.study_items, "p0", 0, checks=3, pause=4) == plans[0]
    items = [[step.id for step in plan if step.kind == "item"] for plan in plans]
    assert len(set(map(tuple, items))) > 1
    assert all(sorted(one) == sorted(items[0]) for one in items)
    levels = {name.split("/")[1] for name in items[0]}
    assert levels == {"l01", "l02"}, "items are of all levels"
    assert [step.kind for step in plans[0]].count("check") == 2
    assert [step.kind for step in plans[0]].count("break") == 1


def test_a_study_of_other_items_is_refused(dataset: Path, tmp_path: Path) -> None:
    with serve_study(make_study(dataset), tmp_path / "out") as url:
        ann = PagePerson(url, "ann")
        ann.send_reply(ann.give_consent(), "x")
    other = make_study(dataset)
    other = StudySettings(
        choose_items(dataset, ("inf_bench",), (), "test", 1), 0, 0, 0, other.purpose, other.code
    )
    with (
        pytest.raises(ValueError, match="name another folder"),
        open_sessions(other, tmp_path / "out"),
    ):
        pass


def test_widgets_make_replies_that_are_read(dataset: Path) -> None:
    from facelet.pipeline.report.people.people_page_widgets import build_widget

    raw = find_row(dataset, "inf_bench.forward_2d/l01/000000")
    row = read_row(raw)
    found = build_widget(row)
    assert found["kind"] == "choice"
    said = [found["form"].replace("{}", value) for value, _ in found["options"]]
    statuses = [str(row.task.open(row.instance).reply(text).status) for text in said]
    assert sorted(statuses) == ["correct", "wrong", "wrong", "wrong"]


def test_the_picture_of_the_options_says_where_each_stands(dataset: Path, tmp_path: Path) -> None:
    about = make_study(dataset, checks=0, pause=0)
    with serve_study(about, tmp_path / "out") as url:
        ann = PagePerson(url, "ann")
        view, seen = ann.give_consent(), 0
        while view["phase"] != "end":
            parts = [part for one in view["chat"] for part in one["parts"]]
            pictures = [part for part in parts if "picture" in part]
            said = [part for part in pictures if "regions" in part]
            if view["widget"]["kind"] == "choice":
                seen += 1
                assert said == pictures[-1:] and len(pictures) > 1
                regions = said[0]["regions"]
                assert list(regions) == [value for value, _ in view["widget"]["options"]]
                assert sum(wide * high for _, _, wide, high in regions.values()) == 1
            else:
                assert said == []
            view = ann.send_reply(view, "nothing at all")
        assert seen


class FullDisk(atomic_files.DiskOperations):
    """Has no room for the n-th line, of which it writes a part."""

    def __init__(self, left: int) -> None:
        self.left = left

    def append_bytes(self, handle: int, data: memoryview) -> int:
        self.left -= 1
        if self.left == 0:
            super().append_bytes(handle, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().append_bytes(handle, data)


def test_a_full_disk_loses_and_doubles_no_reply(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = make_study(dataset)

    def answer_all(out: Path, full_at: int) -> int:
        """Answer everything, sending again what was refused; return how often that was."""
        monkeypatch.setattr(atomic_files, "disk", FullDisk(full_at))
        refused = 0
        with serve_study(about, out) as url:
            person = PagePerson(url, "p1")

            class Stubborn:
                name = person.name

                @staticmethod
                def send_reply(view: Any, text: str) -> Any:
                    nonlocal refused
                    try:
                        return person.send_reply(view, text)
                    except urllib.error.HTTPError as error:
                        assert error.code == 507 and b"nothing was recorded" in error.read()
                        refused += 1
                        return person.send_reply(view, text)

            try:
                view = person.give_consent()
            except urllib.error.HTTPError:
                refused += 1
                view = person.give_consent()
            answer_items(Stubborn, about, view, 2)  # type: ignore[arg-type]
        return refused

    assert answer_all(tmp_path / "whole", 0) == 0
    files = ("people.jsonl", "transcripts.jsonl")
    whole = [lines(tmp_path / "whole" / name) for name in files]
    total = sum(map(len, whole))
    for full_at in range(1, total + 1):
        out = tmp_path / str(full_at)
        assert answer_all(out, full_at) == 1
        assert [lines(out / name) for name in files] == whole, full_at
        with open_sessions(about, out):
            pass
