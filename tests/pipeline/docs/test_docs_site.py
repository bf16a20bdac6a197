"""The documentation's sources: every page is made, and every link in it leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from omegaconf import OmegaConf

import facelet
from facelet import environment
from facelet.generators.core import task_registry
from facelet.generators.core.measures import Called
from facelet.pipeline.cli import main
from facelet.pipeline.docs.docs_site import (
    GUIDES,
    render_code_block,
    render_table,
    write_site_sources,
)

pytestmark = pytest.mark.slow

LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    words = ["build", "profile=smoke", "depths=1", "suites=[cube_bench,marble]", "progress=false"]
    # The shortest chambers alone: they are made in seconds.
    words += [f"marble.{name}.sweep.steps=[7]" for name in ("plan_correctness", "fill_blanks")]
    assert main([*words, f"out={folder / 'rows'}", "workers=1"]) == 0
    return write_site_sources(folder / "rows", folder / "site").parent


def broken_links(pages: Path) -> list[tuple[str, str]]:
    """Return the links of pages that lead to no file."""
    found = []
    for page in sorted(pages.rglob("*.md")):
        text = re.sub(r"(?s)(```+)(?:text|python)\n.*?\1", "", page.read_text(encoding="utf-8"))
        for target, _ in LINK.findall(text):
            if "://" not in target and not (page.parent / target).exists():
                found.append((page.name, target))
    return found


def test_every_link_leads_somewhere(site):
    assert not broken_links(site / "pages")
    page = site / "pages" / "tasks" / "marble" / "maze.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text + "\n[gone](gone.md)\n", encoding="utf-8")
    assert broken_links(site / "pages") == [("maze.md", "gone.md")]
    page.write_text(text, encoding="utf-8")


def test_every_page_of_the_contents_is_there_and_none_is_left_out(site):
    def list_paths(part):
        if isinstance(part, str):
            return [part]
        values = part.values() if isinstance(part, dict) else part
        return [path for value in values for path in list_paths(value)]

    listed = list_paths(OmegaConf.to_container(OmegaConf.load(site / "mkdocs.yml"))["nav"])
    there = {str(path.relative_to(site / "pages")) for path in (site / "pages").rglob("*.md")}
    assert len(listed) == len(set(listed)) and set(listed) == there


def test_a_page_shows_what_a_model_reads_and_what_is_right(site):
    text = (site / "pages" / "tasks" / "cube_bench" / "move_prediction.md").read_text()
    assert "Reply with exactly one line" in text and "<ANSWER>" in text
    assert "![Picture 1](move_prediction-1.png)" in text
    picture = site / "pages" / "tasks" / "cube_bench" / "move_prediction-1.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "25.0% of answers" in text and "| `modality` |" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| test |")]
    assert re.search(r"% of answers \([\d.]+% to [\d.]+%, \w+\) \|$", row)  # the floor


def test_the_pages_load_what_stands_beside_them(site):
    settings = OmegaConf.load(site / "mkdocs.yml")
    loaded = [*settings.extra_css, *settings.extra.polyfills]
    assert all((site / "pages" / name).is_file() for name in loaded)
    # The plugin that makes the site readable without a server adds this one from the network.
    assert "offline" in settings.plugins and "iframe-worker.js" in loaded


def test_a_warning_fails_the_build():
    """With --quiet mkdocs counts no warnings, so that --strict lets broken links pass."""
    (line,) = [
        line
        for line in (GUIDES.parents[1] / "Makefile").read_text(encoding="utf-8").splitlines()
        if "mkdocs build" in line
    ]
    assert "--strict" in line and "--quiet" not in line and " -q" not in line


def test_the_python_page_has_every_public_name():
    page = (GUIDES / "api.md").read_text(encoding="utf-8")
    names = {*facelet.__all__, *environment.__all__} - {"__version__", "FORMS", "Form"}
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", page)] == []


def test_the_names_of_papers_are_all_listed(site):
    text = (site / "pages" / "names.md").read_text()
    for task in task_registry.tasks().values():
        for measure in task.measures:
            for name, other in measure.names if isinstance(measure, Called) else ():
                assert f"| {other.replace('<', '&lt;')} | `{name}` |" in text


def test_example_programs_stand_there_whole(site):
    page = (site / "pages" / "examples.md").read_text(encoding="utf-8")
    programs = sorted((GUIDES / "examples").glob("*.py"))
    assert programs
    for path in programs:
        assert (
            "\n".join(render_code_block(path.read_text(encoding="utf-8").rstrip(), "python"))
            in page
        )


def test_guides_have_a_heading():
    assert all(path.read_text().startswith("# ") for path in GUIDES.glob("*.md"))


def test_any_text_fits_into_a_fence_and_a_cell():
    assert render_code_block("a ```` b")[0] == "`````text"
    assert render_table([{"a": "x|y\n<z>"}])[-1] == "| x\\|y &lt;z> |"
    assert render_table([]) == []
