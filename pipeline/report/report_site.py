"""Write the site of a report: a folder of pages that opens from disk.

index.html is the first page and needs no other file. The site also has a page for each suite, for
the papers' tables, for fairness, and for reading replies.

The page of fairness has tables of the baselines of each config and of its balance. Floors and
shortcuts come from the results; splits and balance from the dataset's manifest, if it is available.

The kit for papers contains each paper's table with our rows, as a page, as LaTeX and as CSV, and
figures. `tables/*.tex` need only the package booktabs; our cells have intervals. `figures/*.pdf`
and `.svg` are as wide as a column (240 pt), those whose names end in -wide as a page (504 pt).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from facelet._version import __version__
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.papers.printed_tables import ReferenceTable, load_tables
from facelet.pipeline.report import charts
from facelet.pipeline.report.charts import import_altair
from facelet.pipeline.report.config_charts import build_level_chart, collect_plays
from facelet.pipeline.report.page_elements import (
    PageTable,
    format_percent,
    iterate_configs,
    list_series_names,
)
from facelet.pipeline.report.page_templates import SCRIPT_POLICY, read_asset, render_page
from facelet.pipeline.report.reply_browser import BrowserCounts, write_browser
from facelet.pipeline.report.score_runs import (
    ScoredDataset,
    TokenPrice,
    build_spending_view,
    parse_prices,
    read_runs,
    sum_spending,
)
from facelet.pipeline.report.site_folder import open_site_folder
from facelet.pipeline.report.suite_views import board, build_overview, build_suite_view, list_suites
from facelet.pipeline.scoring.aggregate.claims import Claim, Figure, Form, T, number_of
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import (
    Footnotes,
    figure_title,
    file_notes,
    printable_text,
)

PLAYERS = 12
"""Most players of a config that are named, the best first."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of a page of tables.

    Attributes:
        heading: its heading.
        about: lines below it.
        tables: its tables.
        files: files of the site that hold the same.
        notes: the notes on cells, below the tables.
    """

    heading: str
    about: Sequence[str]
    tables: Sequence[PageTable]
    files: Sequence[str] = ()
    notes: Sequence[str] = ()


def iterate_fairness_sections(scored: ScoredDataset) -> Iterator[PageSection]:
    """Yield a part a config."""
    results = scored.results
    seen: dict[str, results_schema.Split] = {}
    for model in results["models"]:
        for config, content in model["configs"].items():
            for split in content["splits"].values():
                seen.setdefault(config, split)
    for config, split in seen.items():
        yield PageSection(
            printable_text(config),
            list(_iterate_remarks(split)),
            list(_iterate_tables(scored, config, split)),
        )


def _iterate_remarks(split: results_schema.Split) -> Iterator[str]:
    yield (
        f"Chance: {floor_record.format_chance(split['chance'])}. Floor: "
        f"{floor_record.format_floor(split['floor'])}."
    )
    if (floor := split["floor"]) is None:
        return
    if "limit" in floor:
        why = f": {floor['reason']}" if floor.get("reason") else ""
        yield f"The build fails above {format_percent(floor['limit'])}{why}."
    if none := floor.get("no_shortcut"):
        yield f"No shortcut: {none}."


def _iterate_tables(
    scored: ScoredDataset, config: str, split: results_schema.Split
) -> Iterator[PageTable]:
    if (floor := split["floor"]) is not None:
        if players := sorted(floor.get("players", {}).items(), key=lambda pair: -pair[1]):
            more = f" (the best {PLAYERS} of {len(players)})" if len(players) > PLAYERS else ""
            yield PageTable(
                f"Players that never look{more}",
                ("player", "won"),
                [
                    [printable_text(name), format_percent(value)]
                    for name, value in players[:PLAYERS]
                ],
            )
        if shortcuts := floor.get("shortcuts", {}):
            yield PageTable(
                "Players that see a part",
                ("player", "looks at", "won"),
                [
                    [
                        printable_text(name),
                        printable_text(one["looks_at"], 200),
                        floor_record.format_share_interval(one),
                    ]
                    for name, one in shortcuts.items()
                ],
            )
        rows, left = floor_record.level_rows(floor)
        if rows:
            heads = list(dict.fromkeys(name for row in rows for name in row))
            yield PageTable(
                "By level" + (f" ({left} more levels are omitted)" if left else ""),
                heads,
                [[row.get(name, "-") for name in heads] for row in rows],
            )
    about = scored.about.configs.get(config) if scored.about else None
    if about is not None:
        yield PageTable(
            "Splits",
            ("split", "rows"),
            [[name, f"{part.rows:,}"] for name, part in about.splits.items()],
        )
        yield from _iterate_balance_tables(about.audit)


def _format_limit(figure: Mapping[str, object]) -> str:
    """Return what a figure of an audit may be, in words."""
    for name, words in (("at_most", "at most"), ("at_least", "at least")):
        value = figure.get(name)
        if isinstance(value, int | float):
            return f"{words} {value:.3g}"
    return "-"


def _iterate_balance_tables(audit: Mapping[str, object]) -> Iterator[PageTable]:
    """Yield what the build's audit measured of a config."""
    rows: list[list[str]] = []
    for split, found in audit.items():
        figures = found.get("figures") if isinstance(found, Mapping) else None
        if not isinstance(figures, Mapping):
            continue
        for name, figure in figures.items():
            value = figure.get("value") if isinstance(figure, Mapping) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                rows.append([figure_title(str(name)), split, f"{value:.4g}", _format_limit(figure)])
    if rows:
        yield PageTable(
            "Balance, as the audit measured it", ("figure", "split", "value", "limit"), rows
        )


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A row of a table.

    Attributes:
        who: who played.
        setting: under which conditions.
        values: the printed numbers; () in a row of ours.
        claims: our values; () in a printed row.
    """

    who: str
    setting: Mapping[str, str | int]
    values: Sequence[float | None] = ()
    claims: Sequence[Figure | None] = ()

    def cells(self, form: Form[T], write: Callable[[str], T]) -> list[T]:
        """Return its values in the form of a surface.

        Args:
            form: shows a claim of ours.
            write: shows a printed number, or a dash.
        """
        claims = [
            write("-") if one is None else Claim.read("", one).render(form) for one in self.claims
        ]
        return [*(write(number_of(value)) for value in self.values), *claims]


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def write_kit(
    site: Path, found: Sequence[ScoredDataset], *, progress: bool = False
) -> list[PageSection]:
    """Write the tables and figures, and return the parts of the page of tables.

    Args:
        site: the folder of the site.
        found: what was scored.
        progress: whether progress is shown.
    """
    from tqdm import tqdm

    (site / "figures").mkdir()
    sections = []
    for number, scored in enumerate(found):
        ending = f"-{number}" if len(found) > 1 else ""
        for paper, table in _list_paper_tables(scored.results):
            sections.append(_build_section(site, scored.results, paper, table, ending))
        jobs = list(_iterate_figures(scored.results, ending))
        for name, chart in tqdm(jobs, desc="figures", disable=not progress):
            charts.write_chart(chart, site / "figures" / name)
    return sections


def _list_paper_tables(results: results_schema.Results) -> list[tuple[str, str]]:
    """Return the papers' tables in which any model has a row."""
    named = dict.fromkeys(
        (part["paper"], part["table"]) for model in results["models"] for part in model["papers"]
    )
    return list(named)


def _build_section(
    site: Path, results: results_schema.Results, paper: str, number: str, ending: str
) -> PageSection:
    """Write a paper's table, and return it as a part of a page."""
    printed = load_tables(paper)[number]
    rows = [ModelRow(row.model, row.setting, row.values) for row in printed.rows]
    ours = [
        ModelRow(printable_text(model["model"]), row["setting"], claims=row.get("claims", ()))
        for model in results["models"]
        for part in model["papers"]
        if (part["paper"], part["table"]) == (paper, number)
        for row in part["rows"]
    ]
    about = [f"{printed.mean_columns}.", *([printed.note] if printed.note else [])]
    settings = list(dict.fromkeys(key for line in [*rows, *ours] for key in line.setting))
    heads = ["model", *settings, *(column.head for column in printed.columns)]
    folder = site / "tables"
    folder.mkdir(exist_ok=True)
    name = f"{paper}-{number}{ending}"
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [_list_csv_heads(heads, len(settings)), *_iterate_csv_rows(rows, ours, settings)]
        )
    (folder / f"{name}.tex").write_text(
        render_latex_table(printed, heads, settings, rows, ours), encoding="utf-8"
    )
    notes = Footnotes()

    def write(value: str, ends: str, told: Sequence[str]) -> Markup:
        small = Markup("{} <small>{}</small> <sup>{}</sup>")
        return small.format(value, ends, notes.mark(told))

    body: list[list[Markup | str]] = [
        [
            Markup("<strong>{}</strong>").format(line.who) if line.claims else line.who,
            *(str(line.setting.get(key, "")) for key in settings),
            *line.cells(write, Markup.escape),
        ]
        for line in [*rows, *ours]
    ]
    below = [f"{place}: {text}" for text, place in notes.items()]
    title = f"{printed.paper}, table {printed.number}"
    files = [f"tables/{name}.tex", f"tables/{name}.csv"]
    return PageSection(title, about, [PageTable(title, heads, body)], files, below)


_COLUMNS = ("", " low", " high", " n", " baselines", " verdict", " caveats")
"""How the heads of the columns of a value end in a CSV file."""


def _list_csv_heads(heads: Sequence[str], settings: int) -> list[str]:
    first, rest = heads[: 1 + settings], heads[1 + settings :]
    return ["whose", *first, *(f"{name}{end}" for name in rest for end in _COLUMNS)]


def _iterate_csv_rows(
    rows: Sequence[ModelRow], ours: Sequence[ModelRow], settings: Sequence[str]
) -> Iterator[list[object]]:
    """Yield the rows of a CSV file, each value with its interval, verdict and caveats."""
    blank = [""] * len(_COLUMNS)
    for whose, lines in (("paper", rows), ("scored", ours)):
        for line in lines:
            # No spreadsheet takes a name for a formula.
            who = f"'{line.who}" if line.who[:1] in "=+-@\t\r" else line.who
            cells: list[object] = [whose, who]
            cells += [line.setting.get(key, "") for key in settings]
            for value in line.values:
                cells += ["" if value is None else value, *blank[1:]]
            for one in line.claims:
                cells += blank if one is None else _csv_cells(Claim.read("", one))
            yield cells


def _csv_cells(claim: Claim) -> list[object]:
    """Return a claim as cells of a CSV file, a column each of _COLUMNS."""
    record = claim.to_record()
    won = "; ".join(f"{name} {at:g}" for name, at in claim.baselines.items())
    ends = ["" if record[end] is None else record[end] for end in ("low", "high")]
    return [record["value"], *ends, record["units"], won, claim.verdict, "; ".join(claim.caveats)]


def escape_tex(text: str) -> str:
    """Return a text with the special characters of LaTeX escaped."""
    said = "".join(_SPECIAL.get(sign, sign) for sign in text)
    return re.sub(r"[^\x20-\x7e]", "?", said)


def render_latex_table(
    printed: ReferenceTable,
    heads: Sequence[str],
    settings: Sequence[str],
    rows: Sequence[ModelRow],
    ours: Sequence[ModelRow],
) -> str:
    """Return a paper's table with our rows, as LaTeX with the package booktabs.

    Args:
        printed: the table as it is printed.
        heads: heads of its columns.
        settings: names of the conditions of rows.
        rows: the printed rows.
        ours: our rows.
    """
    form = "l" * (1 + len(settings)) + "r" * len(printed.columns)
    notes = Footnotes()

    def write(value: str, ends: str, told: Sequence[str]) -> str:
        mark = f"\\textsuperscript{{{notes.mark(told)}}}"
        return f"{value} {{\\scriptsize {ends}}}{mark}" if ends else f"{value}{mark}"

    def row(line: ModelRow) -> str:
        cells = [
            escape_tex(line.who),
            *(escape_tex(str(line.setting.get(key, ""))) for key in settings),
        ]
        return (
            " & ".join([*cells, *line.cells(write, lambda said: "--" if said == "-" else said)])
            + r" \\"
        )

    lines = [
        f"% {escape_tex(printed.paper)}, table {escape_tex(printed.number)}. "
        f"Needs: \\usepackage{{booktabs}}",
        "% Intervals are 95%.",
        f"\\begin{{tabular}}{{{form}}}",
        "\\toprule",
        " & ".join(map(escape_tex, heads)) + r" \\",
        "\\midrule",
        *map(row, rows),
        "\\midrule",
        *map(row, ours),
        "\\bottomrule",
        "\\end{tabular}",
        "",
        *(
            f"{{\\footnotesize \\textsuperscript{{{place}}}~{escape_tex(text)}\\par}}"
            for text, place in notes.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def _iterate_figures(results: results_schema.Results, ending: str) -> Iterator[tuple[str, object]]:
    """Yield name and chart of each figure: standings of suites, and accuracy against levels."""
    names = [printable_text(name) for name in list_series_names(results)]
    sizes = (("", charts.COLUMN), ("-wide", charts.PAGE))
    for suite in results["suites"]:
        split = "" if suite["split"] == "test" else f"-{suite['split']}"
        name = f"{suite['suite']}{split}{ending}"
        for end, width in sizes:
            yield f"{name}-standings{end}", board(results, suite, width)
        for config, found in iterate_configs(results, suite["suite"], suite["split"]):
            levels = {
                part["difficulty"]
                for part in found[0][2]["cells"]
                if part["difficulty"] is not None
            }
            for end, width in sizes if len(levels) > 1 else ():
                chart = build_level_chart(config, found, names, width=width, height=110)
                if chart:
                    yield f"{config}{split}{ending}{end}", chart


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
