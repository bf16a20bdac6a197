"""Write the site of a report: a folder of pages that opens from disk.

index.html is the first page and needs no other file. The site also has a page for each suite, for
the papers' tables, for fairness, and for reading replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from facelet._version import __version__
from facelet.pipeline.report import charts
from facelet.pipeline.report.chart_renderer import import_altair
from facelet.pipeline.report.config_charts import collect_plays
from facelet.pipeline.report.cost_summary import (
    TokenPrice,
    build_spending_view,
    parse_prices,
    sum_spending,
)
from facelet.pipeline.report.fairness_tables import iterate_fairness_sections
from facelet.pipeline.report.page_elements import list_series_names
from facelet.pipeline.report.page_templates import SCRIPT_POLICY, read_asset, render_page
from facelet.pipeline.report.paper_kit import write_kit
from facelet.pipeline.report.reply_browser import BrowserCounts, write_browser
from facelet.pipeline.report.score_runs import ScoredDataset, read_runs
from facelet.pipeline.report.site_folder import open_site_folder
from facelet.pipeline.report.suite_views import (
    build_overview,
    build_suite_view,
    list_suites,
)
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import file_notes, printable_text

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


def write_report(
    folders: Sequence[Path],
    out: Path,
    datasets: Sequence[Path] = (),
    *,
    items: bool = True,
    replays: int = 20,
    priced: Mapping[str, object] | None = None,
    progress: bool = False,
) -> BrowserCounts:
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
        Limits of the replies browser.

    Raises:
        ValueError: a run or a dataset cannot be used, a price is none, charts cannot be drawn here,
            or `out` holds something else.
    """
    import_altair()
    found = read_runs(folders, datasets)
    models = [model["model"] for scored in found for model in scored.results["models"]]
    known = parse_prices(priced or {}, models)
    with open_site_folder(out) as site:
        groups = [
            _build_group(scored, number, known, progress=progress)
            for number, scored in enumerate(found)
        ]
        links = [("Report", "index.html")]
        links += [(suite.name, suite.page) for group in groups for suite in group["suites"]]
        if kit := write_kit(site, found, progress=progress):
            links.append(("Papers' tables", "papers.html"))
        links.append(("Fairness", "fairness.html"))
        if items:
            links.append(("Replies", "items.html"))
        count = write_browser(site, found, replays=replays, progress=progress) if items else None
        named = [
            f"{printable_text(one.results['dataset']['name'])}, content hash "
            f"{one.results['dataset']['content_hash'] or 'unknown'}"
            for one in found
        ]
        said = "; ".join(named) or "nothing was scored"
        common = {"links": links, "made": f"Made by facelet {__version__}; {said}"}

        def write_page(name: str, template: str, policy: str | None = None, **values: Any) -> None:
            values = {**common, "here": name, **values}
            text = (
                render_page(template, values, policy=policy)
                if policy
                else render_page(template, values)
            )
            (site / name).write_text(text, encoding="utf-8")

        write_page("index.html", "index", title="Scores", groups=groups)
        for group in groups:
            for suite, took in zip(group["suites"], group["took"], strict=True):
                write_page(
                    suite.page,
                    "suite",
                    title=suite.name,
                    suite=suite,
                    took=took,
                    series=group["series"],
                    browsed=items,
                )
        if kit:
            lead = ["Each paper's table as printed, with the models of this report below."]
            write_page("papers.html", "tables", title="Papers' tables", lead=lead, sections=kit)
        sections = [part for scored in found for part in iterate_fairness_sections(scored)]
        lead = ["The players that were run on each config, and what they won without a model."]
        write_page("fairness.html", "tables", title="Fairness", lead=lead, sections=sections)
        if items:
            lead = _list_lead_sentences(found, count or BrowserCounts(), replays)
            write_page("items.html", "items", SCRIPT_POLICY, title="Replies", lead=lead)
            (site / "items.js").write_text(read_asset("items.js"), encoding="utf-8")
    return count or BrowserCounts()


def _list_lead_sentences(
    found: Sequence[ScoredDataset], count: BrowserCounts, replays: int
) -> list[str]:
    lead = []
    if any(scored.folder is None for scored in found):
        lead.append("Prompts and pictures are not shown: pass dataset=FOLDER to show them.")
    if count.plays > count.replays:
        lead.append(
            f"{count.replays:,} of {count.plays:,} plays are shown turn by turn, {replays} of each "
            "model and config, failed ones first; the others show their replies only."
        )
    return lead


def _build_group(
    scored: ScoredDataset, number: int, priced: Mapping[str, TokenPrice], *, progress: bool
) -> dict[str, Any]:
    """Return what the first page shows of one dataset, for its template."""
    from tqdm import tqdm

    results = scored.results
    whole = len(scored.runs) == 1
    known = collect_plays(scored)
    paid = sum_spending(scored, priced)
    suites = tqdm(range(len(list_suites(results))), desc="suites", disable=not progress)
    return {
        "name": printable_text(results["dataset"]["name"]),
        "number": number,
        "unverified": results["dataset"]["verified"] == "no",
        "series": list_series(results),
        "overview": build_overview(results),
        "suites": [
            build_suite_view(results, place, number, known, whole=whole) for place in suites
        ],
        "took": [build_spending_view(results, suite, paid) for suite in list_suites(results)],
        "notes": _list_notes(results),
    }


def list_series(results: results_schema.Results) -> list[tuple[str, str, str]]:
    """Return name, colour and outline of each model, for the key of a page."""
    names = [printable_text(name) for name in list_series_names(results)]
    return [(name, colour, PATHS[shape]) for name, colour, shape in charts.iterate_legend(names)]


def _list_notes(results: results_schema.Results) -> list[str]:
    notes = [
        f"{printable_text(part['config'])}/{part['split']} was not scored: "
        f"{printable_text(part['reason'], 400)}"
        for part in results["unavailable"]
    ]
    for account in results["inputs"]:
        name = printable_text(account["file"])
        if account["broken"]:
            notes.append(f"{name}: {account['broken']:,} broken records.")
        if account["unknown_ids"]:
            notes.append(f"{name}: {account['unknown_ids']:,} unknown ids.")
        notes += [f"{name}: {text}." for text in file_notes(account, results["dataset"])]
    if results["not_scored"]:
        notes.append(f"{len(results['not_scored'])} configs and splits have no predictions.")
    return notes
