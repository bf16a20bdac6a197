r"""The paper kit: each paper's table with our rows, as a page, as LaTeX and as CSV; figures beside.

`tables/*.tex` need the package booktabs only; a cell of ours has its interval. `figures/*.pdf` and
`.svg` are as wide as a column.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from facelet.pipeline.papers.tables import Table as Printed
from facelet.pipeline.papers.tables import tables
from facelet.pipeline.report import charts, drawing
from facelet.pipeline.report.config_charts import curve
from facelet.pipeline.report.elements import Table, names_of, parts
from facelet.pipeline.report.fairness import Section
from facelet.pipeline.report.figures import plain
from facelet.pipeline.report.runs import Scored
from facelet.pipeline.scoring.telling import schema

Line = tuple[str, Mapping[str, str | int], Sequence[float | None], Sequence[object]]
"""A row: who played, under which conditions, the values, and their intervals."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def write_kit(site: Path, found: Sequence[Scored], *, progress: bool = False) -> list[Section]:
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
        for paper, table in _named(scored.results):
            sections.append(_section(site, scored.results, paper, table, ending))
        jobs = list(_figures(scored.results, ending))
        for name, chart in tqdm(jobs, desc="figures", disable=not progress):
            drawing.write(chart, site / "figures" / name)
    return sections


def _named(results: schema.Results) -> list[tuple[str, str]]:
    """Return the papers' tables in which any model has a row."""
    named = dict.fromkeys(
        (part["paper"], part["table"]) for model in results["models"] for part in model["papers"]
    )
    return list(named)


def _section(site: Path, results: schema.Results, paper: str, number: str, ending: str) -> Section:
    """Write a paper's table, and return it as a part of a page."""
    printed = tables(paper)[number]
    blank = [None] * len(printed.columns)
    rows: list[Line] = [(row.model, row.setting, row.values, blank) for row in printed.rows]
    ours: list[Line] = []
    about = [f"{printed.averaged}.", *([printed.note] if printed.note else [])]
    verdicts: dict[str, list[str]] = {}
    for model in results["models"]:
        for part in model["papers"]:
            if (part["paper"], part["table"]) != (paper, number):
                continue
            name = plain(model["model"])
            ours += [
                (name, row["setting"], row["values"], row["intervals"]) for row in part["rows"]
            ]
            verdict = "may be compared with the others"
            if not part["comparable"]:
                verdict = f"cannot be compared: {'; '.join(part['reasons'])}"
            verdicts.setdefault(verdict, []).append(name)
    about += [f"{', '.join(who)} {verdict}." for verdict, who in verdicts.items()]
    settings = list(dict.fromkeys(key for _, setting, *_ in [*rows, *ours] for key in setting))
    heads = ["model", *settings, *(_head(printed, place) for place in range(len(blank)))]
    folder = site / "tables"
    folder.mkdir(exist_ok=True)
    name = f"{paper}-{number}{ending}"
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([_csv_heads(heads, len(settings)), *_csv(rows, ours, settings)])
    (folder / f"{name}.tex").write_text(
        latex(printed, heads, settings, rows, ours), encoding="utf-8"
    )
    body = [
        _cells(line, settings, own=own) for own, lines in ((0, rows), (1, ours)) for line in lines
    ]
    title = f"{printed.paper}, table {printed.number}"
    files = [f"tables/{name}.tex", f"tables/{name}.csv"]
    return Section(title, about, [Table(title, heads, body)], files)


def _head(printed: Printed, place: int) -> str:
    column = printed.columns[place]
    where = ", ".join(f"{key} {value}" for key, value in column.setting.items())
    return f"{column.metric} ({column.unit}){f' {where}' if where else ''}"


def number_of(value: float | None) -> str:
    """Return a number of a paper's table; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:g}" if 0 < abs(value) < 0.005 else f"{value:.2f}"


def _cells(line: Line, settings: Sequence[str], *, own: int) -> list[Markup | str]:
    """Return a row for a page; ours are marked, and have their intervals."""
    who, setting, values, intervals = line
    name: Markup | str = Markup("<strong>{}</strong>").format(who) if own else who
    row: list[Markup | str] = [name, *(str(setting.get(key, "")) for key in settings)]
    for value, ends in zip(values, intervals, strict=True):
        text = number_of(value)
        if isinstance(ends, Sequence) and len(ends) == 2:
            small = f"[{number_of(ends[0])}, {number_of(ends[1])}]"
            row.append(Markup("{} <small>{}</small>").format(text, small))
        else:
            row.append(text)
    return row


def _csv_heads(heads: Sequence[str], settings: int) -> list[str]:
    first, rest = heads[: 1 + settings], heads[1 + settings :]
    return ["whose", *first, *(f"{name}{end}" for name in rest for end in ("", " low", " high"))]


def _csv(
    rows: Sequence[Line], ours: Sequence[Line], settings: Sequence[str]
) -> Iterator[list[object]]:
    """Yield the rows of a CSV file, each value with the ends of its interval."""
    for whose, lines in (("paper", rows), ("scored", ours)):
        for who, setting, values, intervals in lines:
            told: list[object] = [
                whose,
                _harmless(who),
                *(setting.get(key, "") for key in settings),
            ]
            for value, ends in zip(values, intervals, strict=True):
                known = ends if isinstance(ends, Sequence) else ("", "")
                told += ["" if value is None else value, *known]
            yield told


def _harmless(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in "=+-@\t\r" else name


def tex(text: str) -> str:
    """Return a text as LaTeX sets it, whatever signs it holds."""
    said = "".join(_SPECIAL.get(sign, sign) for sign in text)
    return re.sub(r"[^\x20-\x7e]", "?", said)


def latex(
    printed: Printed,
    heads: Sequence[str],
    settings: Sequence[str],
    rows: Sequence[Line],
    ours: Sequence[Line],
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
    lines = [
        f"% {tex(printed.paper)}, table {tex(printed.number)}. Needs: \\usepackage{{booktabs}}",
        "% Intervals are 95%.",
        f"\\begin{{tabular}}{{{form}}}",
        "\\toprule",
        " & ".join(map(tex, heads)) + r" \\",
        "\\midrule",
        *(_latex_row(line, settings) for line in rows),
        "\\midrule",
        *(_latex_row(line, settings) for line in ours),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(line: Line, settings: Sequence[str]) -> str:
    who, setting, values, intervals = line
    cells = [tex(who), *(tex(str(setting.get(key, ""))) for key in settings)]
    for value, ends in zip(values, intervals, strict=True):
        text = "--" if value is None else number_of(value)
        if isinstance(ends, Sequence) and len(ends) == 2:
            text += f" {{\\scriptsize [{number_of(ends[0])}, {number_of(ends[1])}]}}"
        cells.append(text)
    return " & ".join(cells) + r" \\"


def _figures(results: schema.Results, ending: str) -> Iterator[tuple[str, object]]:
    """Yield name and chart of each figure: standings of suites, and accuracy against levels."""
    names = names_of(results)
    for suite in results["suites"]:
        split = "" if suite["split"] == "test" else f"-{suite['split']}"
        name = f"{suite['suite']}{split}{ending}"
        yield f"{name}-standings", charts.leaderboard(suite, names, drawing.COLUMN - 90)
        for config, found in parts(results, suite["suite"], suite["split"]):
            levels = {
                part["difficulty"]
                for part in found[0][2]["cells"]
                if part["difficulty"] is not None
            }
            size = {"width": drawing.COLUMN - 50, "height": 110}
            if len(levels) > 1 and (chart := curve(config, found, names, legend=True, **size)):
                yield f"{config}{split}{ending}", chart
