"""Render every figure as a Markdown table: tables.md, for looking up figures.

People read results.md first (facelet.pipeline.scoring.render.markdown).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from facelet.pipeline.dataset import floor_record
from facelet.pipeline.papers.printed_tables import load_tables
from facelet.pipeline.scoring.aggregate.claims import (
    OF_CHOSEN,
    OF_PARTS,
    Claim,
    no_baseline_reason,
    number_of,
)
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.table_frames import (
    ENDED,
    comparison_table,
    confusion_table,
    efficiency_rows,
    figure_columns,
    finish_reason_table,
    histogram_table,
    input_table,
    looks_table,
    overview_table,
    place_columns,
    render_pooled_table,
)
from facelet.pipeline.scoring.render.text_tables import (
    MISSING,
    REASON,
    Footnotes,
    escape_cell,
    figure_title,
    file_notes,
    iterate_splits,
    make_table,
    render_table,
    settings_notes,
    split_label,
    verification_note,
)


def render_tables(results: results_schema.Results) -> str:
    """Return all tables as a Markdown document."""
    dataset = results["dataset"]
    lines = [
        f"# All figures on {escape_cell(dataset['name'])}",
        "",
        f"Dataset content hash: `{dataset['content_hash'] or 'unknown (no manifest.json)'}`, "
        f"{verification_note(dataset)}. "
        f"Scored by {results['generator']} by replaying every prediction. Shares in percent, with "
        "95% intervals (Wilson where rows are independent, else cluster bootstrap by base puzzle). "
        f"{MISSING[results['options']['missing']]} Answered accuracy is the accuracy over the "
        "replies that arrived.",
        "",
        "## Inputs",
        "",
        *render_table(input_table(results)),
        *(
            f"\n{escape_cell(account['file'])}: {text}"
            for account in results["inputs"]
            for text in file_notes(account, dataset)
        ),
    ]
    if results["not_scored"]:
        names = ", ".join(map(escape_cell, results["not_scored"]))
        lines += [
            "",
            f"Not scored, because no prediction names them (all=true counts them): {names}",
        ]
    if results["unavailable"]:
        lines += ["", "Not scored, because their tasks are not available here:", ""]
        lines += [
            f"- {split_label(part['config'], part['split'])}: {escape_cell(part['reason'], REASON)}"
            for part in results["unavailable"]
        ]
    for model in results["models"]:
        lines += ["", f"## {escape_cell(model['model'])}", "", *render_table(overview_table(model))]
        if model["settings"]:
            lines += ["", "Settings, according to the transcripts:", ""]
            lines += [f"- {text}" for text in settings_notes(model)]
        lines += ["", ENDED, "", *render_table(finish_reason_table(model))]
        for part in model["pooled"]:
            name = split_label(part["suite"], part["split"])
            lines += [
                "",
                f"### All {part['tasks']} tasks of {name}",
                "",
                *render_table(render_pooled_table(part)),
            ]
        for config, split, report in iterate_splits(model):
            lines += ["", f"### {escape_cell(config)} ({escape_cell(split)})", ""]
            lines += _split_tables(report)
        if model["looks"]:
            lines += ["", "### Against clean looks, paired by puzzle", ""]
            lines += render_table(looks_table(model["looks"]))
        if model["papers"]:
            lines += ["", "### Next to the papers' tables", "", *_paper_tables(model)]
    if results["comparisons"]:
        lines += [
            "",
            "## Paired comparisons",
            "",
            *render_table(comparison_table(results["comparisons"])),
        ]
    if less := efficiency_rows(results["efficiencies"]):
        lines += [
            "",
            "## Efficiency on rows that both solved",
            "",
            *render_table(make_table(less)),
        ]
    return "\n".join(lines) + "\n"


def _split_tables(report: results_schema.Split) -> list[str]:
    """Return the tables of one split: its figures by difficulty, then split by columns."""
    lines: list[str] = []
    axis = escape_cell(report["difficulty_axis"] or "")
    shown: set[str] = set()
    groups: dict[tuple[str, ...], list[results_schema.Cell]] = {}
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
        columns = place_columns(axis, cells) | {"rows": [part["items"] for part in cells]}
        columns |= figure_columns(names, cells, report["called"])
        lines += ["", *render_table(pd.DataFrame(columns, dtype=object))]
        for part in cells:
            if part["difficulty"] is None and "confusion" in part:
                lines += ["", *render_table(confusion_table(part))]
        for metric in dict.fromkeys(name for part in cells for name in part.get("histograms", ())):
            lines += ["", *render_table(histogram_table(metric, axis, cells))]
    for reason in (OF_PARTS, OF_CHOSEN):
        if said := [figure_title(name) for name in shown if no_baseline_reason(name) == reason]:
            lines += ["", escape_cell(f"{', '.join(sorted(said))}: {reason}.", REASON)]
    planning = floor_record.floor_notes(report["floor"])
    return [*([planning, ""] if planning else []), *lines[1:]]


def _paper_tables(model: results_schema.Model) -> list[str]:
    """Return the papers' tables in their own layout, with the model's rows below."""
    lines: list[str] = []
    for part in model["papers"]:
        printed = load_tables(part["paper"])[part["table"]]
        notes = Footnotes()

        def write(value: str, ends: str, told: Sequence[str], notes: Footnotes = notes) -> str:
            return f"{value} {ends}({notes.mark(told)})"

        name = f"**{escape_cell(model['model'])}**"
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
        lines += [f"{printed.paper}, table {printed.number}; {printed.mean_columns}."]
        if printed.note:
            lines[-1] += f" {printed.note}"
        lines += ["", *render_table(pd.DataFrame(columns, dtype=object)), ""]
        lines += [f"({number}) {escape_cell(text, REASON)}  " for text, number in notes.items()]
        lines.append("")
    return lines[:-1]
