"""Audit: is a finished dataset fair? Measured from its published rows alone.

`audit` measures every config, checks what only the whole dataset can show (ids, splits that share
no puzzle), and refuses a dataset with a figure beyond its limit. `facelet audit` prints the same
for a dataset that lies somewhere.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

from generators.core import registry
from pipeline import options, reading
from pipeline.fairness import FALSE_ALARM, figures
from pipeline.limits import Figure, Scope
from pipeline.observing import Lookup, Observed, observe
from pipeline.rows import MAX_ID

KEYS = (
    options.Key(
        "dataset",
        "str",
        "",
        "the folder of a built dataset",
        "What to audit, from its files alone.",
    ),
)
HELP = f"""facelet audit OUT

Measures from the published rows how fair a dataset is: balance of labels, what attacks score that
never look at the puzzle, duplicates, splits that share a puzzle, labels that simulation refutes.
Prints each figure where it comes closest to its limit, and exits with 1 when one is beyond it.

Keys:
{options.help_table(KEYS)}

Example:
  facelet audit data/out/facelet-smoke
"""


class AuditError(ValueError):
    """A figure is beyond its limit; the message names each with its config, value and limit.

    Attributes:
        report: the whole audit, as `measure` returns it.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        lines = "\n".join(f"  {line}" for line in report.violations)
        super().__init__(
            f"the audit found {len(report.violations)} of {report.limited} figures beyond their "
            f"limits; the dataset is not fit to be published:\n{lines}"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit found.

    Attributes:
        record: all figures, for the manifest: {"false_alarm", "figures", "limited", "dataset":
            {figure: ...}, "configs": {name: {split: {"figures": ..., "cells": {label: ...}}}}}.
        limited: number of figures that have a limit.
        violations: one line for each figure beyond its limit.
    """

    record: dict[str, Any]
    limited: int
    violations: tuple[str, ...]


def audit(out: Path, lookup: Lookup = registry.task) -> dict[str, Any]:
    """Return the audit of a dataset folder, for its manifest.

    Args:
        out: the folder; its shards must be complete, a manifest is not needed.
        lookup: finds a task by its name.

    Raises:
        AuditError: a figure is beyond its limit.
    """
    report = measure(out, lookup)
    if report.violations:
        raise AuditError(report)
    return report.record


def measure(out: Path, lookup: Lookup = registry.task) -> Report:
    """Return the audit of a dataset folder, limits kept or not."""
    configs = {
        name: list(group) for name, group in groupby(reading.splits(out), lambda s: s.config)
    }
    found: dict[str, dict[Scope, dict[str, Figure]]] = {}
    whole = _Whole()
    for name, splits in configs.items():
        rows = observe(splits, lookup)
        if not rows:
            raise ValueError(f"{name} has no rows; leave the config out or build some")
        first = next(splits[0].rows(["task"]))
        found[name] = figures(rows, lookup(first["task"]), budget=FALSE_ALARM / len(configs))
        whole.add(name, rows)
    dataset = whole.figures()
    everything = [("dataset", "", dataset)]
    everything += [
        (name, "/".join(filter(None, scope)), inside)
        for name, scopes in found.items()
        for scope, inside in scopes.items()
    ]
    violations = tuple(
        _violation(name, scope, figure, value)
        for name, scope, inside in everything
        for figure, value in sorted(inside.items())
        if not value.holds()
    )
    flat = [value for _, _, inside in everything for value in inside.values()]
    limited = sum(f.at_most is not None or f.at_least is not None for f in flat)
    record = {
        "false_alarm": FALSE_ALARM,
        "figures": len(flat),
        "limited": limited,
        "dataset": _records(dataset),
        "configs": {name: _nested(scopes) for name, scopes in found.items()},
    }
    return Report(record, limited, violations)


class _Whole:
    """Gathers what only the whole dataset can show."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.bad_ids: list[str] = []
        self.keys: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))

    def add(self, config: str, rows: Iterable[Observed]) -> None:
        """Take the rows of one config."""
        for row in rows:
            self.ids.append(row.id)
            if not (
                row.id.isascii()
                and len(row.id) <= MAX_ID
                and row.id.startswith(f"{config}/")
                and row.number >= 0
            ):
                self.bad_ids.append(row.id)
            for kind in ("canonical", "family", "group"):
                if value := getattr(row, kind):
                    self.keys[kind][row.split].add(value)

    def figures(self) -> dict[str, Figure]:
        """Return the figures of the whole dataset."""
        n = len(self.ids)
        made = {
            "duplicate_ids": Figure(n - len(set(self.ids)), at_most=0, n=n),
            "malformed_ids": Figure(
                len(self.bad_ids), at_most=0, n=n, note=self.bad_ids[0] if self.bad_ids else ""
            ),
        }
        for kind in sorted(self.keys):
            splits = self.keys[kind]
            shared: set[str] = set()
            for left, right in combinations(sorted(splits), 2):
                shared |= splits[left] & splits[right]
            made[f"{kind}_in_two_splits"] = Figure(
                len(shared),
                at_most=0,
                n=len(set().union(*splits.values())),
                note=min(shared, default=""),
            )
        return made


def closest(config: Mapping[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return each limited figure of one config's audit where it comes closest to its limit.

    Args:
        config: the config's part of the record.

    Returns:
        (figure, where, record of the figure), sorted by figure.
    """
    best: dict[str, tuple[str, dict[str, Any]]] = {}
    for split, inside in config.items():
        scopes = [(split, inside["figures"])]
        scopes += [(f"{split}/{label}", cell) for label, cell in inside["cells"].items()]
        for where, figures_ in scopes:
            for name, figure in figures_.items():
                if "at_most" not in figure and "at_least" not in figure:
                    continue
                if name not in best or _closeness(figure) > _closeness(best[name][1]):
                    best[name] = (where, figure)
    return [(name, *best[name]) for name in sorted(best)]


def _closeness(figure: Mapping[str, Any]) -> float:
    """Return how close a figure is to its limit; larger is closer."""
    if "at_least" in figure:
        return -float(figure["value"])
    limit = float(figure["at_most"])
    return float(figure["value"]) / limit if limit else float(figure["value"])


def bound(figure: Mapping[str, Any]) -> str:
    """Return a figure's limit in words."""
    if "at_most" in figure:
        return f"at most {figure['at_most']:.4g}"
    return f"at least {figure['at_least']:.2g}"


def _violation(config: str, scope: str, name: str, figure: Figure) -> str:
    """Return one line about a figure beyond its limit."""
    record = figure.record()
    where = f"{config} {scope}".strip()
    note = f" ({record['note']})" if "note" in record else ""
    return f"{where}: {name} is {record['value']:.6g}, allowed {bound(record)}{note}"


def _records(inside: Mapping[str, Figure]) -> dict[str, Any]:
    """Return figures by name for the manifest."""
    return {name: inside[name].record() for name in sorted(inside)}


def _nested(scopes: Mapping[Scope, Mapping[str, Figure]]) -> dict[str, Any]:
    """Return one config's figures by split, then cell."""
    nested: dict[str, Any] = {}
    for split, cell in sorted(scopes):
        inside = nested.setdefault(split, {"figures": {}, "cells": {}})
        made = _records(scopes[split, cell])
        if cell:
            inside["cells"][cell] = made
        else:
            inside["figures"] = made
    return nested


def run(overrides: Sequence[str]) -> int:
    """Audit a dataset from the command line; 0 when every figure holds, 1 when one does not.

    Raises:
        ValueError: a key or the dataset is bad.
    """
    named = [word if "=" in word else f"dataset={word}" for word in overrides]
    values = options.read_words(named, KEYS)
    if not values.get("dataset"):
        raise ValueError("dataset is not set; give the folder of a built dataset, dataset=OUT")
    report = measure(options.expand(str(values["dataset"])))
    for name, config in report.record["configs"].items():
        print(name)
        for figure, where, record in closest(config):
            note = f"  [{record['note']}]" if "note" in record else ""
            print(f"  {figure:28} {record['value']:>10.4g}  {bound(record):18} {where}{note}")
    for figure, record in report.record["dataset"].items():
        print(f"{figure:30} {record['value']:>10.4g}  {bound(record):18} all configs")
    total = f"{report.limited} figures with a limit, {len(report.violations)} beyond it"
    print(total)
    for line in report.violations:
        print(f"  {line}", file=sys.stderr)
    return 1 if report.violations else 0
