"""The site of a report: a folder of pages that opens from disk and can be sent to somebody.

index.html is the first page and needs nothing beside it. A page a suite, one of the papers' tables,
one of fairness and one to read replies come with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet import __version__
from facelet.pipeline.report import charts, drawing
from facelet.pipeline.report.browser import Counted, write_browser
from facelet.pipeline.report.elements import Table, names_of
from facelet.pipeline.report.fairness import fairness
from facelet.pipeline.report.figures import plain
from facelet.pipeline.report.folders import site_folder
from facelet.pipeline.report.pages import SCRIPTED, beside, page
from facelet.pipeline.report.paperkit import write_kit
from facelet.pipeline.report.plays import plays
from facelet.pipeline.report.runs import Scored, read_runs
from facelet.pipeline.report.spending import Price, SpendingView, prices, spending, spent
from facelet.pipeline.report.suites import SuiteView, overview, suite_view, suites_of
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.notes import told

PATHS = {
    "circle": "M0,-5A5,5 0 1 1 0,5A5,5 0 1 1 0,-5Z",
    "square": "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "triangle-up": "M0,-5L5,4H-5Z",
    "diamond": "M0,-6L6,0L0,6L-6,0Z",
    "cross": "M-2,-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "triangle-down": "M0,5L-5,-4H5Z",
    "triangle-right": "M5,0L-4,-5V5Z",
}
"""Outlines of the shapes of series, for the key."""


@dataclass(frozen=True, slots=True)
class Link:
    """A page of the site: its name and its file."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Group:
    """What the first page shows of one dataset."""

    name: str
    number: int
    unverified: bool
    series: Sequence[tuple[str, str, str]]
    overview: Table | None
    suites: Sequence[SuiteView]
    took: Sequence[SpendingView | None]
    notes: Sequence[str]


def write_report(
    folders: Sequence[Path],
    out: Path,
    datasets: Sequence[Path] = (),
    *,
    items: bool = True,
    replays: int = 20,
    priced: Mapping[str, object] | None = None,
    progress: bool = False,
) -> Counted:
    """Write the report of some runs.

    Args:
        folders: folders of runs.
        out: the folder of the site; one that this wrote before is replaced.
        datasets: dataset folders, for prompts and pictures.
        items: whether the replies can be read.
        replays: most plays of a model and a config that are drawn turn by turn.
        priced: by model, what a million tokens of prompts and a million of replies cost.
        progress: whether progress is shown.

    Returns:
        How much the replies browser holds.

    Raises:
        ValueError: a run or a dataset cannot be used, a price is none, charts cannot be drawn here,
            or `out` holds something else.
    """
    drawing.demand()
    found = read_runs(folders, datasets)
    models = [model["model"] for scored in found for model in scored.results["models"]]
    known = prices(priced or {}, models)
    with site_folder(out) as site:
        groups = [
            _group(scored, number, known, progress=progress) for number, scored in enumerate(found)
        ]
        links = [Link("Report", "index.html")]
        links += [Link(suite.name, suite.page) for group in groups for suite in group.suites]
        kit = write_kit(site, found, progress=progress)
        if kit:
            links.append(Link("Papers' tables", "papers.html"))
        links.append(Link("Fairness", "fairness.html"))
        if items:
            links.append(Link("Replies", "items.html"))
        count = write_browser(site, found, replays=replays, progress=progress) if items else None
        common = {"links": links, "made": f"Made by facelet {__version__}; {_of(found)}"}

        def write(name: str, template: str, policy: str | None = None, **values: Any) -> None:
            values = {**common, "here": name, **values}
            text = page(template, values, policy=policy) if policy else page(template, values)
            (site / name).write_text(text, encoding="utf-8")

        write("index.html", "index", title="Scores", groups=groups)
        for group in groups:
            for suite, took in zip(group.suites, group.took, strict=True):
                write(
                    suite.page,
                    "suite",
                    title=suite.name,
                    suite=suite,
                    took=took,
                    series=group.series,
                    browsed=items,
                )
        if kit:
            lead = ["Each paper's table as it is printed, with the models of this report below."]
            write("papers.html", "tables", title="Papers' tables", lead=lead, sections=kit)
        sections = [part for scored in found for part in fairness(scored)]
        lead = ["What each config was attacked with, and what was won without a model."]
        write("fairness.html", "tables", title="Fairness", lead=lead, sections=sections)
        if items:
            lead = _lead(found, count or Counted(), replays)
            write("items.html", "items", SCRIPTED, title="Replies", lead=lead)
            (site / "items.js").write_text(beside("items.js"), encoding="utf-8")
    return count or Counted()


def _of(found: Sequence[Scored]) -> str:
    named = [
        f"{plain(one.results['dataset']['name'])}, content hash "
        f"{one.results['dataset']['content_hash'] or 'unknown'}"
        for one in found
    ]
    return "; ".join(named) or "nothing was scored"


def _lead(found: Sequence[Scored], count: Counted, replays: int) -> list[str]:
    lead = []
    if any(scored.folder is None for scored in found):
        lead.append("Prompts and pictures are not shown: dataset=FOLDER names where they are.")
    if count.plays > count.replays:
        lead.append(
            f"{count.replays:,} of {count.plays:,} plays are drawn turn by turn, {replays} of each "
            "model and config, those that failed first; of the others the replies are shown."
        )
    return lead


def _group(scored: Scored, number: int, priced: Mapping[str, Price], *, progress: bool) -> Group:
    from tqdm import tqdm

    results = scored.results
    whole = len(scored.runs) == 1
    known = plays(scored)
    paid = spent(scored, priced)
    suites = tqdm(range(len(suites_of(results))), desc="suites", disable=not progress)
    return Group(
        plain(results["dataset"]["name"]),
        number,
        results["dataset"]["verified"] == "no",
        series_of(results),
        overview(results),
        [suite_view(results, place, number, known, whole=whole) for place in suites],
        [spending(results, suite, paid) for suite in suites_of(results)],
        _notes(results),
    )


def series_of(results: schema.Results) -> list[tuple[str, str, str]]:
    """Return name, colour and outline of each model, for the key of a page."""
    names = [plain(name) for name in names_of(results)]
    return [(name, colour, PATHS[shape]) for name, colour, shape in charts.legend(names)]


def _notes(results: schema.Results) -> list[str]:
    notes = [
        f"{plain(part['config'])}/{part['split']} was not scored: {plain(part['reason'], 400)}"
        for part in results["unavailable"]
    ]
    for account in results["inputs"]:
        name = plain(account["file"])
        if account["broken"]:
            notes.append(f"{name}: {account['broken']:,} broken records.")
        if account["unknown_ids"]:
            notes.append(f"{name}: {account['unknown_ids']:,} ids that name no row.")
        notes += [f"{name}: {text}." for text in told(account, results["dataset"])]
    if results["not_scored"]:
        notes.append(f"No prediction names {len(results['not_scored'])} configs and splits.")
    return notes
