"""Fairness: what attacked each config, and how it is balanced, as tables.

Floors and shortcuts stand in the results; splits and balance in the dataset's manifest, where it is
at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.dataset import chances, floors
from facelet.pipeline.report.elements import Table
from facelet.pipeline.report.figures import percent, plain
from facelet.pipeline.report.runs import Scored
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.text_tables import titled

PLAYERS = 12
"""Most players of a config that are named, the best first."""


@dataclass(frozen=True, slots=True)
class Section:
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
    tables: Sequence[Table]
    files: Sequence[str] = ()
    notes: Sequence[str] = ()


def fairness(scored: Scored) -> Iterator[Section]:
    """Yield a part a config."""
    results = scored.results
    seen: dict[str, schema.Split] = {}
    for model in results["models"]:
        for config, content in model["configs"].items():
            for split in content["splits"].values():
                seen.setdefault(config, split)
    for config, split in seen.items():
        yield Section(plain(config), list(_about(split)), list(_tables(scored, config, split)))


def _about(split: schema.Split) -> Iterator[str]:
    yield f"Chance: {chances.words(split['chance'])}. Floor: {floors.words(split['floor'])}."
    floor = split["floor"]
    if floor is None:
        return
    if "limit" in floor:
        why = f", because of {floor['reason']}" if floor.get("reason") else ""
        yield f"The build is refused above {percent(floor['limit'])}{why}."
    if none := floor.get("no_shortcut"):
        yield f"No shortcut: {none}."


def _tables(scored: Scored, config: str, split: schema.Split) -> Iterator[Table]:
    floor = split["floor"]
    if floor is not None:
        players = sorted(floor.get("players", {}).items(), key=lambda pair: -pair[1])
        if players:
            more = f" (the best {PLAYERS} of {len(players)})" if len(players) > PLAYERS else ""
            yield Table(
                f"Players that never look{more}",
                ("player", "won"),
                [[plain(name), percent(value)] for name, value in players[:PLAYERS]],
            )
        shortcuts = floor.get("shortcuts", {})
        if shortcuts:
            yield Table(
                "Players that look at a part",
                ("player", "looks at", "won"),
                [
                    [plain(name), plain(one["looks_at"], 200), floors.short(one)]
                    for name, one in shortcuts.items()
                ],
            )
        rows, left = floors.level_rows(floor)
        if rows:
            heads = list(dict.fromkeys(name for row in rows for name in row))
            yield Table(
                "By level" + (f" ({left} more levels are left out)" if left else ""),
                heads,
                [[row.get(name, "-") for name in heads] for row in rows],
            )
    about = scored.about.configs.get(config) if scored.about else None
    if about is not None:
        yield Table(
            "Splits",
            ("split", "rows"),
            [[name, f"{part.rows:,}"] for name, part in about.splits.items()],
        )
        yield from _balance(about.audit)


def _limit(figure: Mapping[str, object]) -> str:
    """Return what a figure of an audit may be, in words."""
    for name, words in (("at_most", "at most"), ("at_least", "at least")):
        value = figure.get(name)
        if isinstance(value, int | float):
            return f"{words} {value:.3g}"
    return "-"


def _balance(audit: Mapping[str, object]) -> Iterator[Table]:
    """Yield what the build's audit measured of a config."""
    rows: list[list[str]] = []
    for split, found in audit.items():
        figures = found.get("figures") if isinstance(found, Mapping) else None
        if not isinstance(figures, Mapping):
            continue
        for name, figure in figures.items():
            value = figure.get("value") if isinstance(figure, Mapping) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                rows.append([titled(str(name)), split, f"{value:.4g}", _limit(figure)])
    if rows:
        yield Table(
            "Balance, as the audit measured it", ("figure", "split", "value", "limit"), rows
        )
