"""`facelet gallery`: items as a model sees them, with answers folded away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import SitePage

from facelet.pipeline.cli import main
from facelet.pipeline.rollout.row_opener import rows


@pytest.fixture(scope="module")
def gallery(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gallery") / "site"
    assert main(["gallery", str(dataset), f"out={out}", "items=2"]) == 0
    return out


def test_items_are_those_of_the_rows_each_with_an_address(dataset: Path, gallery: Path) -> None:
    page = SitePage((gallery / "inf_bench.forward_2d.html").read_text())
    anchors = {told["id"] for tag, told in page.tags if tag == "article"}
    links = {told["href"] for tag, told in page.tags if tag == "a"}
    every = list(rows(dataset, "inf_bench.forward_2d"))
    assert len(anchors) == 4 and anchors <= {row["id"] for row in every}
    assert {f"#{name}" for name in anchors} <= links
    for row in every:
        if row["id"] in anchors:
            for message in row["messages"]:
                for part in message["content"]:
                    assert part["text"] is None or part["text"].split()[0] in page.text
            for digest in row["image_hashes"]:
                assert (gallery / "pictures" / digest[:2] / f"{digest}.png").is_file()


def test_the_answer_is_folded_and_a_play_is_shown_whole(gallery: Path) -> None:
    text = (gallery / "inf_bench.forward_2d.html").read_text()
    assert re.search(r"<details><summary>The right answer</summary><pre>[A-D]</pre>", text)
    assert "A whole play that succeeds" not in text
    assert "A whole play that succeeds" in (gallery / "evolarena.xor_breaking.html").read_text()


def test_the_first_page_leads_to_all_and_no_page_needs_a_script(gallery: Path) -> None:
    page = SitePage((gallery / "index.html").read_text())
    links = {told["href"] for tag, told in page.tags if tag == "a" and told["href"] != "#main"}
    assert links - {"index.html"} == {"evolarena.xor_breaking.html", "inf_bench.forward_2d.html"}
    for path in gallery.glob("*.html"):
        found = SitePage(path.read_text())
        assert not [tag for tag, _ in found.tags if tag == "script"]
        assert all("//" not in (told.get("src") or "") for _, told in found.tags)
