"""Every figure as a table of Markdown: tables.md, for whoever looks something up.

What a person reads first is results.md (facelet.pipeline.scoring.telling.markdown).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.pipeline.dataset import floors
from facelet.pipeline.papers.tables import tables
from facelet.pipeline.scoring.counting.claims import Claim, number_of
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.ending_tables import ENDED, endings
from facelet.pipeline.scoring.telling.footnotes import Footnotes
from facelet.pipeline.scoring.telling.frames import (
    confusion,
    efficiencies,
    figure_columns,
    histogram,
    inputs,
    overview,
    places,
    pooled,
)
from facelet.pipeline.scoring.telling.notes import MISSING, asked, told, verification
from facelet.pipeline.scoring.telling.paired_tables import comparisons, looks
from facelet.pipeline.scoring.telling.text_tables import (
    REASON,
    Frame,
    escape,
    named,
    splits,
    table,
)


def document(results: schema.Results) -> str:
    """Return all tables as a Markdown document."""
    dataset = results["dataset"]
    lines = [
        f"# All figures on {escape(dataset['name'])}",
        "",
        f"Dataset content hash: `{dataset['content_hash'] or 'unknown (no manifest.json)'}`, "
        f"{verification(dataset)}. "
        f"Scored by {results['generator']} by replaying every prediction. Shares in percent, with "
        "95% intervals (Wilson where rows are independent, else cluster bootstrap by base puzzle). "
        f"{MISSING[results['options']['missing']]} Answered accuracy is that over the replies "
        "that arrived.",
        "",
        "## Inputs",
        "",
        *table(inputs(results)),
        *(
            f"\n{escape(account['file'])}: {text}"
            for account in results["inputs"]
            for text in told(account, dataset)
        ),
    ]
    if results["not_scored"]:
        names = ", ".join(map(escape, results["not_scored"]))
        lines += [
            "",
            f"Not scored, because no prediction names them (all=true counts them): {names}",
        ]
    if results["unavailable"]:
        lines += ["", "Not scored, because their tasks cannot be had here:", ""]
        lines += [
            f"- {named(part['config'], part['split'])}: {escape(part['reason'], REASON)}"
            for part in results["unavailable"]
        ]
    for model in results["models"]:
        lines += ["", f"## {escape(model['model'])}", "", *table(overview(model))]
        if model["settings"]:
            lines += ["", "Asked with, as the transcripts say:", ""]
            lines += [f"- {text}" for text in asked(model)]
        lines += ["", ENDED, "", *table(endings(model))]
        for part in model["pooled"]:
            name = named(part["suite"], part["split"])
            lines += ["", f"### All {part['tasks']} tasks of {name}", "", *table(pooled(part))]
        for config, split, report in splits(model):
            lines += ["", f"### {escape(config)} ({escape(split)})", ""]
            lines += _details(report)
        if model["looks"]:
            lines += ["", "### Against clean looks, paired by puzzle", ""]
            lines += table(looks(model["looks"]))
        if model["papers"]:
            lines += ["", "### Beside the papers' tables", "", *_papers(model)]
    if results["comparisons"]:
        lines += ["", "## Paired comparisons", "", *table(comparisons(results["comparisons"]))]
    if less := efficiencies(results["efficiencies"]):
        lines += ["", "## Efficiency on rows that both solved", "", *table(Frame.of(less))]
    return "\n".join(lines) + "\n"


def _details(report: schema.Split) -> list[str]:
    """Return the tables of one split: its figures by difficulty, then split by columns."""
    lines: list[str] = []
    axis = escape(report["difficulty_axis"] or "")
    shown: set[str] = set()
    groups: dict[tuple[str, ...], list[schema.Cell]] = {}
    for part in report["cells"]:
        groups.setdefault(tuple(part["by"]), []).append(part)
    for cells in groups.values():
        # What no row of a cell is about, such as the accuracy of reflections, is left out.
        cells = [part for part in cells if any(f["units"] for f in part["figures"].values())]
        names = dict.fromkeys(
            name for part in cells for name, f in part["figures"].items() if f["units"]
        )
        if names.keys() <= shown and len({tuple(part["by"].values()) for part in cells}) < 2:
            continue  # Split by what has one value only: the table before says it all.
        shown |= names.keys()
        columns = places(axis, cells) | {"rows": [part["items"] for part in cells]}
        columns |= figure_columns(names, cells, report["called"])
        lines += ["", *table(Frame(columns))]
        for part in cells:
            if part["difficulty"] is None and "confusion" in part:
                lines += ["", *table(confusion(part))]
        for metric in dict.fromkeys(name for part in cells for name in part.get("histograms", ())):
            lines += ["", *table(histogram(metric, axis, cells))]
    planning = floors.planning(report["floor"])
    return [*([planning, ""] if planning else []), *lines[1:]]


def _papers(model: schema.Model) -> list[str]:
    """Return the papers' tables in their own layout, with the model's rows below."""
    lines: list[str] = []
    for part in model["papers"]:
        printed = tables(part["paper"])[part["table"]]
        notes = Footnotes()

        def write(value: str, ends: str, told: Sequence[str], notes: Footnotes = notes) -> str:
            return f"{value} {ends}({notes.mark(told)})"

        name = f"**{escape(model['model'])}**"
        rows: list[tuple[str, Mapping[str, str | int], list[str]]] = [
            (row.model, row.setting, list(map(number_of, row.values))) for row in printed.rows
        ]
        for row in part["rows"]:
            claims = [one and Claim.read("", one).render(write) for one in row.get("claims", ())]
            rows.append((name, row["setting"], [one or "-" for one in claims]))
        settings = dict.fromkeys(key for _, setting, _ in rows for key in setting)
        columns: dict[str, list[str | int]] = {"model": [who for who, _, _ in rows]}
        columns |= {key: [setting.get(key, "") for _, setting, _ in rows] for key in settings}
        for place, column in enumerate(printed.columns):
            columns[column.head] = [values[place] for _, _, values in rows]
        lines += [f"{printed.paper}, table {printed.number}; {printed.averaged}."]
        if printed.note:
            lines[-1] += f" {printed.note}"
        lines += ["", *table(Frame(columns)), ""]
        lines += [f"({number}) {escape(text, REASON)}  " for text, number in notes.items()]
        lines.append("")
    return lines[:-1]
