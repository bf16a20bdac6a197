"""A headless Chromium, and what it looks at: a report, a gallery, the page for people.

`make test-browser` runs these. CHROMIUM names the browser, by default /usr/bin/chromium.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scored_site
from documents import ROOT

from facelet.pipeline.cli import main

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
CONFIGS = (
    *("face_recognition", "move_prediction", "verification", "move_effect", "learning_curve"),
    *("navigate", "xor_breaking", "forward_2d", "inverse_3d", "board_parsing"),
)
"""The tasks of ten configs: painted, chosen, clicked, typed, played."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        found = play.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield found
        found.close()


class CheckedPage:
    """A page, and what went wrong on it."""

    def __init__(self, browser: Any, width: int, height: int, scheme: str) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.loaded: list[str] = []
        self.page.on("console", lambda told: self._note_console(told))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("requestfailed", lambda asked: self.faults.append(asked.url))
        self.page.on("request", lambda asked: self.loaded.append(asked.url))

    def _note_console(self, told: Any) -> None:
        if told.type in ("error", "warning"):
            self.faults.append(told.text)

    def violations(self) -> list[str]:
        """Return what the accessibility checker finds that is serious."""
        axe = ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
        # As a script of the tester's, which no policy of the page concerns.
        self.page.evaluate(axe.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]


@pytest.fixture
def eye(browser: Any) -> Iterator[Any]:
    """Return what opens a page of some size and scheme; at the end nothing went wrong on any."""
    opened: list[CheckedPage] = []

    def open_page(width: int = 1200, height: int = 900, scheme: str = "light") -> CheckedPage:
        opened.append(CheckedPage(browser, width, height, scheme))
        return opened[-1]

    yield open_page
    for one in opened:
        one.context.close()
        assert one.faults == []


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten configs of four suites."""
    out = tmp_path_factory.mktemp("browser") / "data"
    suites = "suites=[cube_bench,cubebench,evolarena,inf_bench,marble]"
    tasks = f"tasks=[{','.join(CONFIGS)}]"
    words = ["profile=smoke", suites, tasks, "depths=1-3", "levels=1-2", "count=4"]
    assert main(["build", *words, f"out={out}"]) == 0
    return out


@pytest.fixture(scope="session")
def run(dataset: Path) -> Path:
    said = scored_site.write_predictions(
        dataset, dataset.with_name("said.jsonl"), scored_site.MODELS
    )
    return scored_site.score_predictions(dataset, said, dataset.with_name("data.score"))


@pytest.fixture(scope="session")
def site(run: Path) -> Path:
    out = run.with_name("site")
    assert main(["report", str(run), f"out={out}", 'prices={"alpha": [2, 10]}', "replays=2"]) == 0
    return out


@pytest.fixture(scope="session")
def gallery(dataset: Path) -> Path:
    out = dataset.with_name("gallery")
    assert main(["gallery", str(dataset), f"out={out}"]) == 0
    return out
