"""Count how deep the states of each symmetric class are, from the findings.

States that symmetry or inversion makes equal have the same depth, so one search decides them all,
and a proof counts in every class that contains the state: C_4h's proofs decide all of D_4h. Depths
are in face turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import search_findings
import symmetric_classes
from search_findings import COMMAND, WORK, Finding

from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.engine.notation import DIAMETER
from facelet.pipeline.cube import store

NAMES: tuple[str, ...] = tuple(name for name in symmetric_classes.GENERATORS if name != "C_3")
"""The classes that are counted; C_3, with 3,779,136 states, is beyond what can be searched."""

Bounds = dict[str, tuple[int, int]]
"""From `canonical_with_inverse` to the least and the greatest depth that a state may have."""

_EVERY = (0, DIAMETER["htm"])


@dataclass(frozen=True, slots=True)
class Distribution:
    """The depths of a symmetric class, as far as they are known.

    Attributes:
        name: the group (Schoenflies).
        order: symmetries in the group.
        states: members of the class.
        distinct: members up to symmetry and inversion: the searches that the class takes.
        at: for each depth from 0 to 20, how many members are proven to be exactly there.
        at_most: how many members are known to be at that depth or less, likewise.
        undecided: members whose depth is not proven.
        open: searches that are left, up to symmetry and inversion.
    """

    name: str
    order: int
    states: int
    distinct: int
    at: tuple[int, ...]
    at_most: tuple[int, ...]
    undecided: int
    open: int

    @property
    def is_complete(self) -> bool:
        """Whether every member's depth is proven."""
        return not self.undecided


def depth_bounds(found: Iterable[Finding]) -> Bounds:
    """Return what findings in face turns say about states, up to symmetry and inversion.

    Raises:
        ValueError: two findings contradict each other.
    """
    known: Bounds = {}
    for finding in found:
        if finding.metric != "htm":
            continue
        key = symmetry.canonical_with_inverse(finding.facelets)
        low, high = known.get(key, _EVERY)
        low, high = max(low, finding.exhausted + 1), min(high, finding.solution_length)
        if low > high:
            raise ValueError(
                f"the findings contradict each other: {key} would be at {low} or more and at "
                f"{high} or less; prove it again with `facelet certify`"
            )
        known[key] = low, high
    return known


def class_distribution(name: str, known: Bounds) -> Distribution:
    """Return how deep the states of a class are, as far as is known.

    Raises:
        ValueError: no class has the name.
    """
    members_of_class = symmetric_classes.symmetric_class(name)
    keys = Counter(map(symmetry.canonical_with_inverse, members_of_class))
    exact: Counter[int] = Counter()
    highest: Counter[int] = Counter()
    undecided = still_open = 0
    for key, members in keys.items():
        low, high = known.get(key, _EVERY)
        highest[high] += members
        if low == high:
            exact[low] += members
        else:
            undecided += members
            still_open += 1
    depths = range(DIAMETER["htm"] + 1)
    return Distribution(
        name=name,
        order=len(symmetric_classes.group_symmetries(name)),
        states=sum(keys.values()),
        distinct=len(keys),
        at=tuple(exact[depth] for depth in depths),
        at_most=tuple(sum(highest[d] for d in range(depth + 1)) for depth in depths),
        undecided=undecided,
        open=still_open,
    )


def format_table(rows: Sequence[Distribution]) -> str:
    """Return distributions as an aligned text table, with a summary sentence per class below."""
    depths = [d for d in range(DIAMETER["htm"] + 1) if any(row.at[d] for row in rows)]
    lines = [
        ["class", "order", "states", "distinct", *map(str, depths), "undecided"],
        *(
            [row.name, *map(str, (row.order, row.states, row.distinct))]
            + [str(row.at[d]) if row.at[d] else "." for d in depths]
            + [str(row.undecided) if row.undecided else "complete"]
            for row in rows
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    return "\n".join([*shown, "", *(_describe_left(row) for row in rows)])


def _describe_left(row: Distribution) -> str:
    """Return one sentence about what is known of a class."""
    if row.is_complete:
        deepest = max(depth for depth, count in enumerate(row.at) if count)
        return (
            f"{row.name}: complete, {row.at[deepest]:,} of {row.states:,} at {deepest}, none deeper"
        )
    shorter = row.at_most[DIAMETER["htm"] - 1]
    return (
        f"{row.name}: {row.at[20]:,} proven to be at 20, {shorter:,} at 19 or less, "
        f"{row.states - row.at[20] - shorter:,} at 20 or less; {row.undecided:,} undecided, "
        f"{row.open:,} searches left"
    )


HELP = f"""Count how deep the states of each symmetric class are, from the findings.

  {COMMAND} classes [names=A,B] [work=FOLDER] [out=FOLDER]

names    {", ".join(NAMES)};
         all of them by default
work     folder of the logs, {WORK} by default
out      the store with the committed findings, data/certified by default

A row gives a class, the order of its group, its states, those that neither symmetry nor inversion
makes equal, and how many of all its states are proven to be at each depth in face turns."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; see HELP.

    Returns:
        0, or 2 after a bad argument.
    """
    options = {"names": ",".join(NAMES), "work": str(WORK), "out": str(store.STORE)}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in options:
            print(HELP)
            return 0 if argument in ("--help", "-h", "help") else 2
        options[key] = value
    names = [name for name in options["names"].split(",") if name]
    if unknown := [name for name in names if name not in NAMES]:
        print(f"unknown class {unknown[0]!r}; known: {', '.join(NAMES)}")
        return 2
    known = depth_bounds(search_findings.read_all(Path(options["work"]), Path(options["out"])))
    print(format_table([class_distribution(name, known) for name in names]))
    return 0
