"""Find the scored config that fills a part of a paper's table, and list how it differs.

A config matches by its task and its params, whatever its name and suite are. Of several, the one
with the fewest differences from the paper counts; of equals the one that fills more cells, then one
of the paper's own suites. Its name decides only if no manifest records how a config was made.

A param that the paper does not name is compared with the task's default, and with the paper's value
if a deviation of the task states one: a config that sets it to something else is not comparable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.pipeline.papers.paper import (
    SUITE_ENDINGS,
    Paper,
    PaperPart,
    TableLayout,
    iterate_plain_figures,
)

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_entries import Record
    from facelet.pipeline.scoring.render.results_schema import Cell, Config

SPLIT = "test"


@dataclass(frozen=True, slots=True)
class ConfigMatch:
    """A scored config that is a part of a table.

    Attributes:
        config: full name of the config.
        reasons: what of it is otherwise than in the paper, in words.
    """

    config: str
    reasons: tuple[str, ...]


def find_best_match(
    paper: Paper,
    layout: TableLayout,
    part: PaperPart,
    scored: Mapping[str, Config],
    manifest: Record | None,
) -> ConfigMatch | None:
    """Return the config that gives a part's figures, or None.

    Args:
        paper: the paper.
        layout: the table's layout.
        part: the part.
        scored: the model's configs.
        manifest: the dataset's manifest; None where there is none.
    """
    made = manifest["configs"] if manifest else {}
    found: list[tuple[tuple[int, ...], ConfigMatch]] = []
    for order, (name, report) in enumerate(scored.items()):
        if (split := report["splits"].get(SPLIT)) is None:
            continue
        ending = paper.suite_ending(name.partition(".")[0])
        own = ending in SUITE_ENDINGS and name.partition(".")[2] == part.name
        if (about := made.get(name)) is None:
            if not own:
                continue
            reasons: tuple[str, ...] = (f"no manifest records how {name} was made",)
        elif split.get("task") == part.task and _is_part(part, about["params"]):
            reasons = tuple(_iterate_differences(layout, part, about, part.name if own else name))
        else:
            continue
        suite = len(SUITE_ENDINGS) if ending not in SUITE_ENDINGS else SUITE_ENDINGS.index(ending)
        rank = (
            len(reasons),
            _count_missing_cells(layout, part, split["cells"]),
            suite,
            not own,
            order,
        )
        found.append((rank, ConfigMatch(name, reasons)))
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _is_part(part: PaperPart, params: Mapping[str, object]) -> bool:
    """Return whether params are those that make a part."""
    return all(params.get(name) == wanted for name, wanted in part.defining_params.items())


def _count_missing_cells(layout: TableLayout, part: PaperPart, cells: Sequence[Cell]) -> int:
    """Return how many places of a part have no cell in a report."""
    there = [(cell["difficulty"], cell["by"]) for cell in cells]
    places = iterate_plain_figures(place for line in layout.lines for place in line.figures)
    return sum(
        place.part == part.name and (place.difficulty, dict(place.split_values)) not in there
        for place in places
    )


def _iterate_differences(
    layout: TableLayout, part: PaperPart, about: Record, label: str
) -> Iterator[str]:
    """Yield what of a config is otherwise than in the paper.

    Args:
        layout: the table's layout.
        part: the part that the config is.
        about: what the manifest says about the config.
        label: what the config is called.
    """
    params = about["params"]
    for name, wanted in part.conditions.items():
        if (value := params.get(name)) != wanted:
            yield f"{label}: {name} is {_format_value(value)}, {_format_value(wanted)} in the paper"
    usual = _default_values(part.task)
    for name, value in params.items():
        named = name in part.conditions or name in part.defining_params
        # A deviation has its way as it is typed: "true", where a param's value is True.
        if (
            not named
            and name in usual
            and _format_value(value).lower() not in map(str.lower, usual[name])
        ):
            yield f"{label}: {name} is {_format_value(value)}, usually {usual[name][0]}"
    yield from _iterate_count_differences(layout, part, about, label)


@cache
def _default_values(task: str) -> Mapping[str, tuple[str, ...]]:
    """Return what a task's params are usually, its difficulty aside: default, and paper's way."""
    found = task_registry.load_task(task)
    defaults = found.params()
    published = [each.paper_params for each in found.deviations]
    return {
        name: (
            _format_value(getattr(defaults, name)),
            *(way[name] for way in published if name in way),
        )
        for name, about, _ in list_params(found.params)
        if not about.axis and about.unit != "rows"  # how many rows there are changes none
    }


def _iterate_count_differences(
    layout: TableLayout, part: PaperPart, about: Record, label: str
) -> Iterator[str]:
    """Yield the difficulties that are missing, and those with another number of items.

    Args:
        layout: the table's layout.
        part: the part.
        about: what the manifest says about the config.
        label: what the config is called.
    """
    wanted, every = part.items, part.difficulties
    places = (place for line in layout.lines for place in line.figures)
    used = {place.difficulty for place in iterate_plain_figures(places) if place.part == part.name}
    split = about["splits"].get(SPLIT)
    cells = {cell["difficulty"]: cell for cell in (split["cells"] if split else ())}
    if missing := [str(level) for level in every if level not in cells]:
        yield f"{label}: {layout.axis} {', '.join(missing)} of the paper are missing"
    # What lies above the highest of them belongs to another horizon, another figure.
    more = [str(level) for level in cells if every and level < max(every) and level not in every]
    if None in used and more:
        yield f"{label}: {layout.axis} {', '.join(more)} are not in the paper"
    other = [
        cell for level, cell in cells.items() if (None in used or level in used or level in every)
    ]
    other = [cell for cell in other if wanted is not None and cell["items"] != wanted]
    for name, total in part.totals.items() if split else ():
        if (count := split.get(name, total)) != total:
            yield f"{label}: {count} {name} in all; {total} in the paper"
    if other:
        counts = ", ".join(f"{cell['items']} at {cell['label']}" for cell in other)
        yield f"{label}: the items are {counts}; {wanted} each in the paper"


def _format_value(value: object) -> str:
    """Return a param's value in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value)
