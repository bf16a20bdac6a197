"""Write the sources of the documentation site and its navigation.

The guides are in conf/docs, with their pictures, and complete programs in its folder examples;
conf/docs/mkdocs.yml groups them into tutorials, how-to guides, reference and explanation. README,
CONTRIBUTING, CHANGELOG and DEVIATIONS are pages unchanged. The pages of tasks, columns, commands
and names in papers are generated here. `make docs` builds the site.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from facelet.generators.core import task_registry
from facelet.generators.core.measures import Called
from facelet.pipeline.command.verb_group import load_verb
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS
from facelet.pipeline.docs import config_pages
from facelet.pipeline.docs.page_markdown import render_code_block, render_table
from facelet.pipeline.verbs import VERBS

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ROOT / "conf" / "docs"
SITE_ASSETS = ("site.css", "iframe-worker.js")
"""What the pages load."""
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "DEVIATIONS.md": "deviations.md",
}
"""Files of the project that are pages; those that are not there are left out."""


def write_site_sources(dataset: Path, out: Path) -> Path:
    """Write the sources of the site and return the path of its configuration.

    Args:
        dataset: a dataset folder with a row of every config that gets a page.
        out: the folder to write; it is emptied first.
    """
    shutil.rmtree(out, ignore_errors=True)
    pages = out / "pages"
    pages.mkdir(parents=True)
    there = [name for name in PAGES if (ROOT / name).is_file()]
    for name in there:
        text = (ROOT / name).read_text(encoding="utf-8")
        (pages / PAGES[name]).write_text(_rewrite_links(text), encoding="utf-8")
    shutil.copytree(ROOT / "data" / "examples", pages / "data" / "examples")
    shutil.copytree(GUIDES / "pictures", pages / "pictures")
    for guide in sorted(GUIDES.glob("*.md")):
        text = guide.read_text(encoding="utf-8")
        (pages / guide.name).write_text(_rewrite_links(text), encoding="utf-8")
    for name in SITE_ASSETS:
        shutil.copy(GUIDES / name, pages / name)
    (pages / "examples.md").write_text("\n".join(_iterate_example_lines()) + "\n", encoding="utf-8")
    made = config_pages.write_config_pages(dataset, pages / "tasks")
    for suite in dict.fromkeys(name.partition(".")[0] for name, _ in made):
        names = [name for name, _ in made if name.partition(".")[0] == suite]
        config_pages.write_suite_page(suite, names, pages / "tasks")
    (pages / "columns.md").write_text("\n".join(_iterate_column_lines()) + "\n", encoding="utf-8")
    (pages / "commands.md").write_text("\n".join(_iterate_command_lines()) + "\n", encoding="utf-8")
    (pages / "names.md").write_text(
        "\n".join(_iterate_metric_name_lines()) + "\n", encoding="utf-8"
    )
    settings = OmegaConf.load(GUIDES / "mkdocs.yml")
    own = {"docs_dir": "pages", "site_dir": "site", "nav": _build_navigation(there, made)}
    path = out / "mkdocs.yml"
    OmegaConf.save(OmegaConf.merge(settings, own), path)
    return path


def _rewrite_links(text: str) -> str:
    """Return a page of the project, or a guide, whose links name the site's pages."""
    for name, page in PAGES.items():
        text = text.replace(f"]({name})", f"]({page})").replace(f"](../../{name})", f"]({page})")
    return text.replace("](conf/docs/", "](").replace('src="conf/docs/', 'src="')


def _build_navigation(there: list[str], made: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the site's contents: the guides by purpose, the pages of tasks, the project.

    Args:
        there: the project's files that are pages.
        made: title and path of the pages of configs.
    """
    nav: list[dict[str, Any]] = yaml.safe_load((GUIDES / "mkdocs.yml").read_text("utf-8"))["nav"]
    suites: dict[str, list[dict[str, str]]] = {}
    for name, path in made:
        suite, _, short = name.partition(".")
        pages = suites.setdefault(suite, [{"Overview": f"tasks/{suite}/index.md"}])
        pages.append({short: f"tasks/{path}"})
    project = [PAGES[name] for name in there if name != "README.md"]
    (reference,) = (part["Reference"] for part in nav if "Reference" in part)
    reference.append({"Tasks": [{suite: pages} for suite, pages in suites.items()]})
    return [*nav, {"Project": project}]


def _iterate_example_lines() -> Iterator[str]:
    """Yield the page of the example programs, each as it stands."""
    yield "# Example programs"
    for path in sorted((GUIDES / "examples").glob("*.py")):
        yield from ("", f"## {path.relative_to(ROOT)}", "")
        yield from render_code_block(path.read_text(encoding="utf-8").rstrip(), "python")


def _iterate_column_lines() -> Iterator[str]:
    """Yield the page of the columns that all rows have."""
    yield "# Columns of every row"
    yield ""
    yield "A task adds columns of its own; its page lists them."
    yield ""
    yield from render_table(
        [
            {"column": f"`{name}`", "type": str(kind), "holds": doc}
            for name, kind, doc in COMMON_COLUMNS
        ]
    )


def _iterate_command_lines() -> Iterator[str]:
    """Yield the page of the command line: each verb's own help."""
    # Lines of a help are 100 columns wide: the table leads to them instead of a second contents.
    yield from ("---", "hide: [toc]", "---", "# Commands", "")
    rows = [
        {"verb": f"[`{name}`](#facelet-{name})", "does": str(load_verb(name).short_help)}
        for name in VERBS
    ]
    yield from render_table(rows)
    for name in VERBS:
        yield from ("", f"## facelet {name}", "")
        yield from render_code_block(load_verb(name).render_help())


def _iterate_metric_name_lines() -> Iterator[str]:
    """Yield the page of what papers call the figures of reports."""
    names: dict[tuple[str, str], list[str]] = {}
    for task in task_registry.tasks().values():
        for measure in task.measures:
            if isinstance(measure, Called):
                for pair in measure.names:
                    names.setdefault(pair, []).append(task.name)
    yield "# Names in the papers"
    yield ""
    yield "A report shows a figure under its own name, with the paper's name beside it."
    yield ""
    yield from render_table(
        [
            {"in a paper": other, "in a report": f"`{name}`", "tasks": ", ".join(who)}
            for (name, other), who in sorted(names.items(), key=lambda pair: pair[0][1].lower())
        ]
    )
