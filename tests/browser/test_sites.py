"""Reports and galleries in a browser, from disk: no fault, nothing serious, none too wide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LOOKS = [(1200, "light"), (1200, "dark"), (360, "light"), (360, "dark")]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_is_whole_and_can_be_used_by_all(
    site: Path, gallery: Path, eye: Any, width: int, scheme: str
) -> None:
    found = eye(width, 900, scheme)
    pages = [*sorted(site.glob("*.html")), gallery / "index.html"]
    pages += sorted(gallery.glob("inf_bench.*.html"))[:1]
    serious = {}
    for path in pages:
        found.page.goto(path.as_uri())
        found.page.wait_for_timeout(200)
        found.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        if violations := found.violations():
            serious[path.name] = violations
    assert serious == {}
    assert all(url.startswith("file:") for url in found.loaded)


def test_a_page_alone_needs_nothing_beside_it(site: Path, eye: Any, tmp_path: Path) -> None:
    alone = tmp_path / "sent.html"
    alone.write_bytes((site / "index.html").read_bytes())
    found = eye()
    found.page.goto(alone.as_uri())
    assert found.page.locator("svg[role=img]").count() >= 5
    assert found.loaded == [alone.as_uri()]


def visible_text(page: Any) -> str:
    page.wait_for_selector("#item h2")
    return str(page.locator("#item").inner_text())


def test_replies_are_found_and_never_run(site: Path, run: Path, eye: Any) -> None:
    found = eye()
    page = found.page
    page.goto((site / "items.html").as_uri())
    page.wait_for_selector("#hits button")
    page.select_option("#status", label="all")
    everything = page.locator("#count").inner_text()
    page.select_option("#config", label="inf_bench.forward_2d")
    page.select_option("#model", label="=gamma")
    page.select_option("#level", label="2")
    assert page.locator("#count").inner_text() != everything
    page.select_option("#status", label="unparsed")
    page.locator("#hits button").first.click()
    text = visible_text(page)
    assert "<script>window.ran = 1</script>" in text, "markup is shown as it was said"
    assert page.evaluate("window.ran") is None
    assert page.locator("#item script").count() == 0
    assert page.locator("#item img").count() >= 1
    page.wait_for_function("[...document.querySelectorAll('#item img')].every((i) => i.complete)")
    assert page.evaluate("[...document.querySelectorAll('#item img')].every((i) => i.naturalWidth)")


def test_pairs_links_and_keys(site: Path, run: Path, eye: Any) -> None:
    found = eye()
    page = found.page
    page.goto((site / "items.html").as_uri() + "#config=inf_bench.forward_2d")
    page.wait_for_selector("#hits button")
    page.select_option("#right", label="alpha")
    page.select_option("#wrong", label="=gamma")
    page.select_option("#model", label="=gamma")
    assert page.locator("#count").inner_text() not in ("0 replies", "")
    page.locator("#hits button").first.click()
    first = visible_text(page)
    page.keyboard.press("j")
    page.wait_for_function(
        "(text) => document.querySelector('#item h2') && "
        "document.querySelector('#item').innerText !== text",
        arg=first,
    )
    second = page.locator("#item h2").inner_text()
    link = page.locator("#item a").first.get_attribute("href")
    other = eye()
    other.page.goto((site / "items.html").as_uri() + link)
    other.page.wait_for_selector("#item h2")
    assert other.page.locator("#item h2").inner_text() == second
    page.keyboard.press("k")
    page.wait_for_function(
        "(text) => document.querySelector('#item').innerText === text", arg=first
    )


def test_the_figures_that_a_person_sees_are_those_of_the_results(
    site: Path, run: Path, eye: Any
) -> None:
    results = json.loads((run / "results.json").read_text())
    found = eye()
    found.page.goto((site / "index.html").as_uri())
    seen = found.page.locator("data[data-at]").evaluate_all(
        "(all) => all.map((one) => [one.dataset.at, one.innerText])"
    )
    assert len(seen) == sum(len(suite["models"]) for suite in results["suites"])
    for pointer, text in seen:
        content: Any = results
        for step in pointer.split("/")[1:]:
            content = content[int(step)] if isinstance(content, list) else content[step]
        assert text == f"{100 * content['value']:.1f}"
