r"""Write each paper's table with our rows, as a page, as LaTeX and as CSV, and figures.

`tables/*.tex` need only the package booktabs; our cells have intervals. `figures/*.pdf` and `.svg`
are as wide as a column (240 pt), those whose names end in -wide as a page (504 pt).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from facelet.pipeline.papers.printed_tables import ReferenceTable, load_tables
from facelet.pipeline.report import chart_renderer
from facelet.pipeline.report.config_charts import build_level_chart
from facelet.pipeline.report.fairness_tables import PageSection
from facelet.pipeline.report.page_elements import PageTable, iterate_configs, list_series_names
from facelet.pipeline.report.score_runs import ScoredDataset
from facelet.pipeline.report.suite_views import board
from facelet.pipeline.scoring.aggregate.claims import Claim, Figure, Form, T, number_of
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import Footnotes, printable_text


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
            chart_renderer.write_chart(chart, site / "figures" / name)
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
    sizes = (("", chart_renderer.COLUMN), ("-wide", chart_renderer.PAGE))
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
