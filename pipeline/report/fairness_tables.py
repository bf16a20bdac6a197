"""Build tables of the baselines of each config and of its balance.

Floors and shortcuts come from the results; splits and balance from the dataset's manifest, if it is
available.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.dataset import chance_record, floor_record
from facelet.pipeline.report.page_elements import PageTable, format_percent
from facelet.pipeline.report.score_runs import ScoredDataset
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import figure_title, printable_text

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
        f"Chance: {chance_record.format_chance(split['chance'])}. Floor: "
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
