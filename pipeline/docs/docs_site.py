"""Write the sources of the documentation site and its navigation.

Each config of a dataset gets a page: prompt, pictures and answer of a row. All of it comes from a
row of the config, from its task and from the manifest, so a page is never out of date. The pages of
tasks, columns, commands and names in papers are generated here as well.

The guides are in conf/docs, with their pictures, and complete programs in its folder examples;
conf/docs/mkdocs.yml groups them into tutorials, how-to guides, reference and explanation. README,
CONTRIBUTING, CHANGELOG and DEVIATIONS are pages unchanged. `make docs` builds the site.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from facelet.generators.core import task_registry
from facelet.generators.core.measures import Called
from facelet.generators.core.params import explain_params
from facelet.pipeline import family_modules, rollout
from facelet.pipeline.command.verb_command import load_verb
from facelet.pipeline.dataset import dataset_reader, floor_record
from facelet.pipeline.dataset.manifest_file import ConfigEntry
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS, AnyRow
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.verbs import VERBS
from facelet.renderers.api import encode_png


def render_table(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return rows as a Markdown table; all have the columns of the first."""
    if not rows:
        return []
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", "|" + " --- |" * len(names)]
    return lines + [
        "| " + " | ".join(_escape_cell(str(row.get(name, ""))) for name in names) + " |"
        for row in rows
    ]


def render_code_block(text: str, language: str = "text") -> list[str]:
    """Return a text as a block that shows it as it is."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", text, fence]


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


LONGEST = 12_000
"""Characters of a prompt that are shown."""

TURNS = 4
"""Turns of an episode that are shown."""

_BEGINNING = 8
"""Lines of a question that stand for a config without pictures."""

_PICTURE_SEARCH_ROWS = 64
"""Rows of a config among which one with a picture is looked for."""


def write_config_pages(dataset: Path, folder: Path) -> list[tuple[str, str]]:
    """Write a page of each config, and return the title and the path of each.

    Args:
        dataset: a dataset folder that has every config.
        folder: where the pages go, as <suite>/<config>.md with pictures beside them.

    Returns:
        Pairs of the config's name and its page's path in the folder.
    """
    configs = dataset_reader.read_manifest(dataset).configs
    made = []
    for name in configs:
        suite, _, short = name.partition(".")
        path = folder / suite / f"{short}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        row = _choose_sample_row(rollout.rows(dataset, name))
        path.write_text(
            "\n".join(_iterate_page_lines(name, configs[name], row, path)) + "\n", encoding="utf-8"
        )
        made.append((name, str(path.relative_to(folder))))
    return made


def write_suite_page(suite: str, names: Iterable[str], folder: Path) -> str:
    """Write the page of a suite, and return its path: its configs, each with its first picture.

    Args:
        suite: the suite.
        names: its configs, whose pages are there.
        folder: where the pages of `write_config_pages` are.
    """
    path = folder / suite / "index.md"
    lines = [
        f"# {suite}",
        "",
        "What each config shows; its page has the prompt and the answer.",
        "",
    ]
    for name in names:
        short = name.partition(".")[2]
        lines += [f"## [{short}]({short}.md)", ""]
        page = (folder / suite / f"{short}.md").read_text(encoding="utf-8").splitlines()
        lines += [page[2], ""]
        if path.with_name(f"{short}-1.png").is_file():
            lines += [f"![A picture of {short}]({short}-1.png)", ""]
        else:
            lines += [*render_code_block(_preview_question(page)), ""]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path.relative_to(folder))


def _preview_question(page: list[str]) -> str:
    """Return how the question of a page begins that has no picture."""
    if "**user**" not in page:
        return ""
    found = page[page.index("**user**") + 3 :]
    return "\n".join(islice((line for line in found if not line.startswith("```")), _BEGINNING))


def _choose_sample_row(rows: Iterable[AnyRow]) -> AnyRow:
    """Return the row that a page shows: the first with a picture, or else the first."""
    first = list(islice(rows, _PICTURE_SEARCH_ROWS))
    return next((row for row in first if row["image_hashes"]), first[0])


def _iterate_page_lines(name: str, config: ConfigEntry, row: AnyRow, path: Path) -> Iterator[str]:
    """Yield the lines of a page.

    Args:
        name: name of the config.
        config: what the manifest says about it.
        row: the row that is shown.
        path: the page's path; pictures are written beside it.
    """
    task = family_modules.load_task(config.task)
    yield f"# {name}"
    yield ""
    yield f"Task `{task.name}`, version {task.version}. {_first_paragraph(task)}"
    yield ""
    yield from _iterate_level_lines(config)
    yield f"The row that is shown: `{row['id']}`."
    yield ""
    yield from iterate_play_lines(task, row, path)
    yield from _iterate_task_columns(task)
    yield from _iterate_param_lines(task, config)


def _first_paragraph(task: AnyTask) -> str:
    """Return the first paragraph of a task's module, in one line."""
    text = inspect.cleandoc(inspect.getmodule(type(task)).__doc__ or "")
    return " ".join(text.split("\n\n")[0].split())


def _iterate_level_lines(config: ConfigEntry) -> Iterator[str]:
    """Yield how many items there are, and what guessers and blind players score, by split."""
    rows = [
        {
            "split": split,
            "items": sum(cell.items for cell in part.cells),
            "rows": part.rows,
            "difficulties": ", ".join(cell.label for cell in part.cells),
            "chance": floor_record.format_chance(part.chance),
            "floor": floor_record.format_floor(config.floor),
        }
        for split, part in config.splits.items()
    ]
    yield "Items of this page's dataset, which is a small one:"
    yield ""
    yield from render_table(rows)
    yield ""


def iterate_play_lines(task: AnyTask, row: AnyRow, path: Path) -> Iterator[str]:
    """Yield the lines of a page that show what a player of a row reads, sees and says.

    Args:
        task: the task.
        row: the row.
        path: the page's path; pictures are written beside it.
    """
    play = rollout.open_row(row, "dataset")
    replies = iter(task.reference(task.decode(row)))
    pictures = 0
    for turn in range(1, TURNS + 1):
        yield f"## Turn {turn}: what a model is shown" if turn > 1 else "## What a model is shown"
        for message in play.new_messages:
            yield from ("", f"**{message['role']}**")
            for part in message["content"]:
                if part["type"] == "text":
                    yield from ("", *_iterate_text_lines(part["text"]))
                    continue
                pictures += 1
                file = path.with_name(f"{path.stem}-{pictures}.png")
                file.write_bytes(encode_png(play.images[part["image"]]))
                yield from ("", f"![Picture {pictures}]({file.name})")
        said = next(replies)
        heading = "## A right reply" if turn == 1 else f"## Turn {turn}: a right reply"
        yield from ("", heading, "", *_iterate_text_lines(said), "")
        play.reply(said)
        if play.done:
            break
    if not play.done:
        yield f"The episode goes on; its first {TURNS} turns are shown."
    elif row["gold"]:
        yield from (
            "## The answer, as the column `gold` has it",
            "",
            *_iterate_text_lines(row["gold"]),
        )
    yield ""


def _iterate_text_lines(text: str) -> Iterator[str]:
    """Yield a text as it is; of a very long one its beginning, and how much is missing."""
    yield from render_code_block(text[:LONGEST])
    if len(text) > LONGEST:
        yield from ("", f"({len(text) - LONGEST:,} more characters are not shown here.)")


def _iterate_task_columns(task: AnyTask) -> Iterator[str]:
    """Yield the columns that the task adds to the common ones."""
    yield "## Columns"
    yield ""
    yield from render_table(
        [
            {"column": f"`{column.name}`", "type": column.type, "holds": column.doc}
            for column in task.columns
        ]
    )
    yield ""


def _iterate_param_lines(task: AnyTask, config: ConfigEntry) -> Iterator[str]:
    """Yield the params, with the values of this config.

    Args:
        task: the task.
        config: what the manifest says about the config.
    """
    docs = {name: (values, doc) for name, _, values, doc in explain_params(task.params)}
    yield "## Params"
    yield ""
    rows = []
    for part in dataclasses.fields(task.params):
        value = config.params.get(part.name)
        allowed, doc = docs.get(part.name, ("", ""))
        here = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        rows.append({"param": f"`{part.name}`", "here": here, "takes": allowed, "means": doc})
    yield from render_table(rows)
    yield ""
    if len(docs) < len(rows):
        yield from render_code_block(inspect.cleandoc(task.params.__doc__ or ""))


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
    made = write_config_pages(dataset, pages / "tasks")
    for suite in dict.fromkeys(name.partition(".")[0] for name, _ in made):
        names = [name for name, _ in made if name.partition(".")[0] == suite]
        write_suite_page(suite, names, pages / "tasks")
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
