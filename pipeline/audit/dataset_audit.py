"""Audit: is a finished dataset fair? Measured from its published rows alone.

`audit` measures every config, checks what only the whole dataset can show (ids, splits that share
no puzzle), and refuses a dataset with a figure beyond its limit. `facelet audit` prints the same
for a dataset that lies somewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from facelet.pipeline import families
from facelet.pipeline.audit.figures import FALSE_ALARM
from facelet.pipeline.audit.hashed import hash_of
from facelet.pipeline.audit.limits import ConfigRecord, Figure, FigureRecord, Scope, bound
from facelet.pipeline.audit.observed import observing
from facelet.pipeline.audit.parts import Each, Part, key_of, parts, whole, working
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.floors import Declared
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.dataset.scratch import scratch
from facelet.pipeline.families import Lookup

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
    each: Each | None = None,
    near: bool = True,
    refuse: bool = True,
    progress: bool = False,
) -> dict[str, Any]:
    """Return the audit of a dataset folder, for its manifest.

    Args:
        out: the folder; its shards must be complete, a manifest is not needed.
        lookup: finds a task by its name; with several workers it must be importable.
        declared: by config, what its tasks declare of guessing.
        workers: how many parts are measured at the same time.
        each: who does the parts, instead of so many processes of this machine.
        near: whether they are done on this machine.
        refuse: whether a figure beyond its limit is an error; else it stands in the record.
        progress: whether a bar on stderr says what is being measured.

    Raises:
        AuditError: a figure is beyond its limit.
        ValueError: a config cannot be measured.
    """
    report = measure(
        out, lookup, declared=declared, workers=workers, each=each, near=near, progress=progress
    )
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
    each: Each | None = None,
    near: bool = True,
    progress: bool = False,
) -> Report:
    """Return the audit of a dataset folder, limits kept or not; see `audit`.

    Args:
        out: the folder.
        lookup: finds a task by its name.
        declared: by config, what its tasks declare of guessing; of one that is not there nothing
            is known, and its floor is measured without a limit.
        workers: how many parts are measured at the same time.
        each: who does the parts, instead of so many processes of this machine.
        near: whether they are done on this machine.
        progress: whether a bar on stderr says what is being measured.
    """
    configs = [
        tuple(splits) for _, splits in groupby(reading.splits(out), lambda split: split.config)
    ]
    with (
        working(workers) if each is None else nullcontext(each) as hand_out,
        scratch("audit") as folder,
    ):
        found = parts(configs, lookup, declared, hand_out, folder, shown=progress, near=near)
        measured = [part for part in found if isinstance(part, Part)]
        had = [
            splits for splits, part in zip(configs, found, strict=True) if isinstance(part, Part)
        ]
        dataset = whole(
            [part.identity for part in measured],
            lambda kind, both: _shared(had, lookup, kind, both),
        )
    everything = [("dataset", "", dataset)]
    everything += [
        (part.config, "/".join(filter(None, scope)), inside)
        for part in measured
        for scope, inside in part.figures.items()
    ]
    violations = tuple(
        _violation(name, scope, figure, value)
        for name, scope, inside in everything
        for figure, value in sorted(inside.items())
        if not value.holds()
    ) + tuple(line for part in measured if part.floor for line in part.floor.violations)
    flat = [value for _, _, inside in everything for value in inside.values()]
    limited = sum(f.at_most is not None or f.at_least is not None for f in flat)
    limited += sum(part.floor.players for part in measured if part.floor)
    record = {
        "false_alarm": FALSE_ALARM,
        "figures": len(flat),
        "limited": limited,
        "dataset": _records(dataset),
        "configs": {part.config: _nested(part.figures) for part in measured},
        "floors": {part.config: part.floor.record for part in measured if part.floor},
        "violations": list(violations),
    }
    if repeats := {name: said.repeats for name, said in declared.items() if said.repeats}:
        record["repeats"] = repeats
    return Report(record, limited, violations, tuple(p for p in found if isinstance(p, str)))


def stated(manifest: Manifest) -> dict[str, Declared]:
    """Return what a manifest says that the tasks of its configs declare of guessing."""
    found = {}
    for name, config in manifest.configs.items():
        floor_, repeats = config.floor, config.repeats
        if floor_ is not None and "declared" in floor_:
            reason, of = str(floor_.get("reason", "")), floor_["of"]
            levels = {
                cell: Declared(level.get("chance"), of, level["declared"], level.get("reason", ""))
                for cell, level in floor_.get("levels", {}).items()
                if "declared" in level
            }
            found[name] = Declared(None, of, floor_["declared"], reason, repeats, levels)
        elif repeats:
            found[name] = Declared(limit=1.0, reason="not known", repeats=repeats)
    return found


def _shared(configs: Sequence[Sequence[Split]], lookup: Lookup, kind: str, both: set[bytes]) -> str:
    """Return the first in order of the keys of a kind that two splits have, by their hashes."""
    splits = [split for config in configs for split in config]
    found = (key_of(row, kind) for split in splits for row in observing((split,), lookup))
    return min((key for key in found if hash_of(key) in both), default="")


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
