"""Audit: is a finished dataset fair? Measured from its published rows alone.

`audit` measures every config, checks what only the whole dataset can show (ids, splits that share
no puzzle), and refuses a dataset with a figure beyond its limit. `facelet audit` prints the same
for a dataset that lies somewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from joblib import Parallel, delayed

from facelet.pipeline import families
from facelet.pipeline.audit.figures import FALSE_ALARM, figures
from facelet.pipeline.audit.floors import Floor, floor
from facelet.pipeline.audit.limits import ConfigRecord, Figure, FigureRecord, Scope, bound
from facelet.pipeline.audit.observed import Observed, observe
from facelet.pipeline.audit.progress import Bar, Say, silent
from facelet.pipeline.audit.sharing import apart, shared
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.floors import Declared
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.dataset.rows import MAX_ID
from facelet.pipeline.families import Lookup, Unavailable
from facelet.pipeline.leader import local_workers

NOTHING: Mapping[str, Declared] = MappingProxyType({})
"""Nothing is known of what tasks declare."""


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
            f"limits; the dataset is not fit to be published (unfair=write writes it all the same, "
            f"and its card says so):\n{lines}"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit found.

    Attributes:
        record: all figures, for the manifest: {"false_alarm", "figures", "limited", "dataset":
            {figure: ...}, "configs": {name: {split: {"figures": ..., "cells": {label: ...}}}},
            "floors": {name: see facelet.pipeline.dataset.floors}, "violations"}, and where items
            may be equal "repeats": {name: why}.
        limited: number of figures that have a limit.
        violations: one line for each figure beyond its limit.
        unmeasured: one line for each config whose task cannot be had here.
    """

    record: dict[str, Any]
    limited: int
    violations: tuple[str, ...]
    unmeasured: tuple[str, ...] = ()


def audit(
    out: Path,
    lookup: Lookup = families.task,
    *,
    declared: Mapping[str, Declared] = NOTHING,
    workers: int = 1,
    refuse: bool = True,
    progress: bool = False,
) -> dict[str, Any]:
    """Return the audit of a dataset folder, for its manifest.

    Args:
        out: the folder; its shards must be complete, a manifest is not needed.
        lookup: finds a task by its name; with several workers it must be importable.
        declared: by config, what its tasks declare of guessing.
        workers: how many configs are measured at the same time.
        refuse: whether a figure beyond its limit is an error; else it stands in the record.
        progress: whether a bar on stderr says what is being measured.

    Raises:
        AuditError: a figure is beyond its limit.
        ValueError: a config cannot be measured.
    """
    report = measure(out, lookup, declared=declared, workers=workers, progress=progress)
    if report.unmeasured:
        raise ValueError("; ".join(report.unmeasured))
    if report.violations and refuse:
        raise AuditError(report)
    return report.record


def measure(
    out: Path,
    lookup: Lookup = families.task,
    *,
    declared: Mapping[str, Declared] = NOTHING,
    workers: int = 1,
    progress: bool = False,
) -> Report:
    """Return the audit of a dataset folder, limits kept or not; see `audit`.

    Args:
        out: the folder.
        lookup: finds a task by its name.
        declared: by config, what its tasks declare of guessing; of one that is not there nothing
            is known, and its floor is measured without a limit.
        workers: how many configs are measured at the same time.
        progress: whether a bar on stderr says what is being measured.
    """
    configs = [
        tuple(splits) for _, splits in groupby(reading.splits(out), lambda split: split.config)
    ]
    budget = FALSE_ALARM / len(configs)
    jobs = [(splits, lookup, declared.get(splits[0].config), budget) for splits in configs]
    found: list[_Part | str] = []
    with Bar(len(jobs), shown=progress) as bar:
        if workers > 1 and len(jobs) > 1:
            with local_workers(min(workers, len(jobs))):
                made = Parallel(return_as="generator")(delayed(_measure)(*job) for job in jobs)
                for splits, part in zip(configs, made, strict=True):
                    found.append(part)
                    bar.done(splits[0].config)
        else:
            for job in jobs:
                found.append(_measure(*job, say=bar.part))
                bar.done(job[0][0].config)
    parts = [part for part in found if isinstance(part, _Part)]
    dataset = _whole([part.identity for part in parts])
    everything = [("dataset", "", dataset)]
    everything += [
        (part.config, "/".join(filter(None, scope)), inside)
        for part in parts
        for scope, inside in part.figures.items()
    ]
    violations = tuple(
        _violation(name, scope, figure, value)
        for name, scope, inside in everything
        for figure, value in sorted(inside.items())
        if not value.holds()
    ) + tuple(part.floor.violation for part in parts if part.floor and part.floor.violation)
    flat = [value for _, _, inside in everything for value in inside.values()]
    limited = sum(f.at_most is not None or f.at_least is not None for f in flat)
    limited += sum(part.floor.players for part in parts if part.floor)
    record = {
        "false_alarm": FALSE_ALARM,
        "figures": len(flat),
        "limited": limited,
        "dataset": _records(dataset),
        "configs": {part.config: _nested(part.figures) for part in parts},
        "floors": {part.config: part.floor.record for part in parts if part.floor},
        "violations": list(violations),
    }
    if repeats := {name: said.repeats for name, said in declared.items() if said.repeats}:
        record["repeats"] = repeats
    return Report(record, limited, violations, tuple(p for p in found if isinstance(p, str)))


@dataclass(frozen=True, slots=True)
class _Identity:
    """What one config contributes to the figures of the whole dataset.

    Attributes:
        ids: the ids of its rows.
        malformed: those that are not as they should be.
        keys: for "canonical", "family", "group" and, where splits must not share what first
            prompts show, "shown", the values found in each split.
    """

    ids: list[str]
    malformed: list[str]
    keys: dict[str, dict[str, set[str]]]


@dataclass(frozen=True, slots=True)
class _Part:
    """The audit of one config."""

    config: str
    figures: dict[Scope, dict[str, Figure]]
    floor: Floor | None
    identity: _Identity


def _measure(
    splits: tuple[reading.Split, ...],
    lookup: Lookup,
    declared: Declared | None,
    budget: float,
    say: Say = silent,
) -> _Part | str:
    """Measure one config; or return in a line why its task cannot be had here.

    Args:
        splits: its splits.
        lookup: finds a task by its name.
        declared: what its tasks declare of guessing, if it is known.
        budget: probability of a false alarm that it may spend: half on figures, half on the floor.
        say: is told each part that begins.
    """
    config = splits[0].config
    say(config, "rows")
    try:
        rows = observe(splits, lookup)
    except Unavailable as error:
        return f"{config} is not measured: {error}"
    if not rows:
        raise ValueError(f"{config} has no rows; leave the config out or build some")
    name = next(row["task"] for split in splits for row in split.rows(["task"]))
    task = lookup(name)
    say(config, "figures")
    repeats = "" if declared is None else declared.repeats
    found = figures(rows, task, budget=budget / 2, repeats=repeats)
    for scope, inside in shared(rows, task).items():
        found[scope] |= inside
    say(config, "floor")
    least = floor(rows, splits, task, declared, budget=budget / 2)
    return _Part(config, found, least, _identity(config, rows, task))


def stated(manifest: Manifest) -> dict[str, Declared]:
    """Return what a manifest says that the tasks of its configs declare of guessing."""
    found = {}
    for name, config in manifest.configs.items():
        floor_, repeats = config.floor, config.repeats
        if floor_ is not None and "declared" in floor_:
            reason = str(floor_.get("reason", ""))
            found[name] = Declared(None, floor_["of"], floor_["declared"], reason, repeats)
        elif repeats:
            found[name] = Declared(limit=1.0, reason="not known", repeats=repeats)
    return found


def _identity(config: str, rows: Sequence[Observed], task: families.AnyTask) -> _Identity:
    """Return what a config's rows contribute to the figures of the whole dataset."""
    keys: dict[str, dict[str, set[str]]] = {}
    for kind, name in (("canonical",) * 2, ("family",) * 2, ("group",) * 2, ("shown", "first")):
        if kind == "shown" and not apart(task):
            continue
        for row in rows:
            if value := getattr(row, name):
                keys.setdefault(kind, {}).setdefault(row.split, set()).add(value)
    malformed = [
        row.id
        for row in rows
        if not row.id.isascii()
        or len(row.id) > MAX_ID
        or not row.id.startswith(f"{config}/")
        or row.number < 0
    ]
    return _Identity([row.id for row in rows], malformed, keys)


def _whole(parts: Sequence[_Identity]) -> dict[str, Figure]:
    """Return the figures of the whole dataset."""
    ids = [name for part in parts for name in part.ids]
    malformed = [name for part in parts for name in part.malformed]
    made = {
        "duplicate_ids": Figure(len(ids) - len(set(ids)), at_most=0, n=len(ids)),
        "malformed_ids": Figure(
            len(malformed), at_most=0, n=len(ids), note=min(malformed, default="")
        ),
    }
    for kind in sorted({kind for part in parts for kind in part.keys}):
        splits: dict[str, set[str]] = {}
        for part in parts:
            for split, values in part.keys.get(kind, {}).items():
                splits.setdefault(split, set()).update(values)
        both: set[str] = set()
        for left, right in combinations(sorted(splits), 2):
            both |= splits[left] & splits[right]
        made[f"{kind}_in_two_splits"] = Figure(
            len(both),
            at_most=0,
            n=len(set().union(*splits.values())),
            note=min(both, default=""),
        )
    return made


def _violation(config: str, scope: str, name: str, figure: Figure) -> str:
    """Return one line about a figure beyond its limit."""
    record = figure.record()
    where = f"{config} {scope}".strip()
    note = f" ({record['note']})" if "note" in record else ""
    return f"{where}: {name} is {record['value']:.6g}, allowed {bound(record)}{note}"


def _records(inside: Mapping[str, Figure]) -> dict[str, FigureRecord]:
    """Return figures by name for the manifest."""
    return {name: inside[name].record() for name in sorted(inside)}


def _nested(scopes: Mapping[Scope, Mapping[str, Figure]]) -> ConfigRecord:
    """Return one config's figures by split, then cell."""
    nested: ConfigRecord = {}
    for split, cell in sorted(scopes):
        inside = nested.setdefault(split, {"figures": {}, "cells": {}})
        made = _records(scopes[split, cell])
        if cell:
            inside["cells"][cell] = made
        else:
            inside["figures"] = made
    return nested
