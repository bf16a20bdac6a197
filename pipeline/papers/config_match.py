"""Matching: which scored config is a part of a paper's table, and what of it is otherwise there.

A config is a part by its task and its params, whatever its name and suite are. Of several, the one
counts of which least is otherwise than in the paper; of equals one that fills more cells, then one
of the paper's own suites. Only where no manifest says how a config was made, its name decides.

A param that the paper does not name is compared with the task's default, and with the paper's way
where a deviation of the task states one: a config that sets it to something else is no comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from facelet.generators.core import registry
from facelet.generators.core.params import described
from facelet.pipeline.papers.paper import Paper
from facelet.pipeline.papers.places import USUAL, Layout, Part, plain

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_form import ConfigRecord, ManifestRecord
    from facelet.pipeline.scoring.telling.schema import Cell, Config

SPLIT = "test"


@dataclass(frozen=True, slots=True)
class Match:
    """A scored config that is a part of a table.

    Attributes:
        config: full name of the config.
        reasons: what of it is otherwise than in the paper, in words.
    """

    config: str
    reasons: tuple[str, ...]


def best(
    paper: Paper,
    layout: Layout,
    part: Part,
    scored: Mapping[str, Config],
    manifest: ManifestRecord | None,
) -> Match | None:
    """Return the config that gives a part's figures, or None.

    Args:
        paper: the paper.
        layout: the table's layout.
        part: the part.
        scored: the model's configs.
        manifest: the dataset's manifest; None where there is none.
    """
    made = manifest["configs"] if manifest else {}
    found: list[tuple[tuple[int, ...], Match]] = []
    for order, (name, report) in enumerate(scored.items()):
        split = report["splits"].get(SPLIT)
        if split is None:
            continue
        ending = paper.ending(name.partition(".")[0])
        own = ending in USUAL and name.partition(".")[2] == part.name
        about = made.get(name)
        if about is None:
            if not own:
                continue
            reasons: tuple[str, ...] = (f"no manifest says how {name} was made",)
        elif split.get("task") == part.task and _is(part, about["params"]):
            reasons = tuple(_differences(layout, part, about, part.name if own else name))
        else:
            continue
        suite = len(USUAL) if ending not in USUAL else USUAL.index(ending)
        rank = (len(reasons), _empty(layout, part, split["cells"]), suite, not own, order)
        found.append((rank, Match(name, reasons)))
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _is(part: Part, params: Mapping[str, object]) -> bool:
    """Return whether params are those that make a part."""
    return all(params.get(name) == wanted for name, wanted in part.told.items())


def _empty(layout: Layout, part: Part, cells: Sequence[Cell]) -> int:
    """Return how many places of a part have no cell in a report."""
    there = [(cell["difficulty"], cell["by"]) for cell in cells]
    places = plain(place for line in layout.lines for place in line.places)
    return sum(
        place.part == part.name and (place.difficulty, dict(place.by)) not in there
        for place in places
    )


def _differences(layout: Layout, part: Part, about: ConfigRecord, label: str) -> Iterator[str]:
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
            yield f"{label}: {name} is {_said(value)}, {_said(wanted)} in the paper"
    usual = _usual(part.task)
    for name, value in params.items():
        named = name in part.conditions or name in part.told
        # A deviation has its way as it is typed: "true", where a param's value is True.
        if not named and name in usual and _said(value).lower() not in map(str.lower, usual[name]):
            yield f"{label}: {name} is {_said(value)}, {usual[name][0]} usually"
    yield from _counts(layout, part, about, label)


@cache
def _usual(task: str) -> Mapping[str, tuple[str, ...]]:
    """Return what a task's params are usually, its difficulty aside: default, and paper's way."""
    found = registry.task(task)
    defaults = found.params()
    told = [each.params for each in found.deviations]
    return {
        name: (_said(getattr(defaults, name)), *(way[name] for way in told if name in way))
        for name, about, _ in described(found.params)
        if not about.axis and about.unit != "rows"  # how many rows there are changes none
    }


def _counts(layout: Layout, part: Part, about: ConfigRecord, label: str) -> Iterator[str]:
    """Yield the difficulties that are missing, and those with another number of items.

    Args:
        layout: the table's layout.
        part: the part.
        about: what the manifest says about the config.
        label: what the config is called.
    """
    wanted, every = part.items, part.difficulties
    places = (place for line in layout.lines for place in line.places)
    used = {place.difficulty for place in plain(places) if place.part == part.name}
    split = about["splits"].get(SPLIT)
    cells = {cell["difficulty"]: cell for cell in (split["cells"] if split else ())}
    if missing := [str(level) for level in every if level not in cells]:
        yield f"{label}: {layout.axis} {', '.join(missing)} of the paper are not there"
    # What lies above the highest of them belongs to another horizon, another figure.
    more = [str(level) for level in cells if every and level < max(every) and level not in every]
    if None in used and more:
        yield f"{label}: {layout.axis} {', '.join(more)} are not in the paper"
    other = [
        cell for level, cell in cells.items() if (None in used or level in used or level in every)
    ]
    other = [cell for cell in other if wanted is not None and cell["items"] != wanted]
    if other:
        counts = ", ".join(f"{cell['items']} at {cell['label']}" for cell in other)
        yield f"{label}: the items are {counts}; {wanted} each in the paper"


def _said(value: object) -> str:
    """Return a param's value in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value)
