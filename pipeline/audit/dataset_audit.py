"""Audit a finished dataset from its published rows.

`audit_dataset` measures every config, checks properties of the whole dataset (ids, splits that
share no puzzle), and rejects a dataset with a figure beyond its limit. `facelet audit` prints the
same figures for any dataset folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from facelet.pipeline.audit.audited_row import iterate_audited_rows
from facelet.pipeline.audit.fairness_figures import FALSE_ALARM
from facelet.pipeline.audit.figure_limits import (
    ConfigRecord,
    FairnessFigure,
    FigureRecord,
    Scope,
    format_limit,
)
from facelet.pipeline.audit.text_index import hash_text
from facelet.pipeline.audit.work_units import (
    ConfigAudit,
    JobRunner,
    audit_configs,
    measure_overlap,
    open_workers,
    split_key,
)
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.dataset.dataset_reader import SplitFiles, list_splits
from facelet.pipeline.dataset.floor_record import DeclaredFloor
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.family_modules import Lookup, load_task

NO_DECLARATIONS: Mapping[str, DeclaredFloor] = MappingProxyType({})
"""No declarations of tasks are known."""


class AuditError(ValueError):
    """Figures exceed their limits; the message lists each with its config, value and limit.

    Attributes:
        report: the whole audit, as `measure_dataset` returns it.
    """

    def __init__(self, report: AuditReport) -> None:
        self.report = report
        lines = "\n".join(f"  {line}" for line in report.violations)
        super().__init__(
            f"the audit found {len(report.violations)} of {report.limited} figures beyond their "
            f"limits; the dataset is not fit to publish (unfair=write writes it anyway, and its "
            f"card states the violations):\n{lines}"
        )


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of an audit.

    Attributes:
        record: all figures, for the manifest: {"false_alarm", "figures", "limited", "dataset":
            {figure: ...}, "configs": {name: {split: {"figures": ..., "cells": {label: ...}}}},
            "floors": {name: see facelet.pipeline.dataset.floor_record}, "violations"}, and where
            items may be equal "repeats": {name: why}.
        limited: number of figures with a limit.
        violations: one line for each figure beyond its limit.
        unmeasured: one line for each config whose task is not available here.
    """

    record: dict[str, Any]
    limited: int
    violations: tuple[str, ...]
    unmeasured: tuple[str, ...] = ()


def audit_dataset(
    out: Path,
    lookup: Lookup = load_task,
    *,
    declared: Mapping[str, DeclaredFloor] = NO_DECLARATIONS,
    workers: int = 1,
    each: JobRunner | None = None,
    near: bool = True,
    refuse: bool = True,
    progress: bool = False,
) -> dict[str, Any]:
    """Return the audit of a dataset folder, for its manifest.

    Args:
        out: the folder; its shards must be complete, a manifest is not needed.
        lookup: finds a task by its name; with several workers it must be importable.
        declared: by config, the declarations of its tasks about guessing.
        workers: number of jobs at the same time.
        each: runs the jobs, instead of processes of this machine.
        near: whether they run on this machine.
        refuse: whether a figure beyond its limit is an error; else it is recorded.
        progress: whether to show a bar on stderr.

    Raises:
        AuditError: a figure is beyond its limit.
        ValueError: a config cannot be measured.
    """
    report = measure_dataset(
        out, lookup, declared=declared, workers=workers, each=each, near=near, progress=progress
    )
    if report.unmeasured:
        raise ValueError("; ".join(report.unmeasured))
    if report.violations and refuse:
        raise AuditError(report)
    return report.record


def measure_dataset(
    out: Path,
    lookup: Lookup = load_task,
    *,
    declared: Mapping[str, DeclaredFloor] = NO_DECLARATIONS,
    workers: int = 1,
    each: JobRunner | None = None,
    near: bool = True,
    progress: bool = False,
) -> AuditReport:
    """Return the audit of a dataset folder, whether or not limits hold; see `audit_dataset`.

    Args:
        out: the folder.
        lookup: finds a task by its name.
        declared: by config, the declarations of its tasks about guessing; the floor of a config
            without one has no limit.
        workers: number of jobs at the same time.
        each: runs the jobs, instead of processes of this machine.
        near: whether they run on this machine.
        progress: whether to show a bar on stderr.
    """
    configs = [tuple(splits) for _, splits in groupby(list_splits(out), lambda split: split.config)]
    with (
        open_workers(workers) if each is None else nullcontext(each) as hand_out,
        open_scratch_folder("audit") as folder,
    ):
        found = audit_configs(
            configs, lookup, declared, hand_out, folder, shown=progress, near=near
        )
        measured = [part for part in found if isinstance(part, ConfigAudit)]
        had = [
            splits
            for splits, part in zip(configs, found, strict=True)
            if isinstance(part, ConfigAudit)
        ]
        dataset = measure_overlap(
            [part.identity for part in measured],
            lambda kind, both: _find_shared_key(had, lookup, kind, both),
        )
    everything = [("dataset", "", dataset)]
    everything += [
        (part.config, "/".join(filter(None, scope)), inside)
        for part in measured
        for scope, inside in part.figures.items()
    ]
    violations = tuple(
        _format_violation(name, scope, figure, value)
        for name, scope, inside in everything
        for figure, value in sorted(inside.items())
        if not value.is_within_limits()
    ) + tuple(line for part in measured if part.floor for line in part.floor.violations)
    flat = [value for _, _, inside in everything for value in inside.values()]
    limited = sum(f.at_most is not None or f.at_least is not None for f in flat)
    limited += sum(part.floor.players for part in measured if part.floor)
    record = {
        "false_alarm": FALSE_ALARM,
        "figures": len(flat),
        "limited": limited,
        "dataset": _build_figure_records(dataset),
        "configs": {part.config: _nest_by_split(part.figures) for part in measured},
        "floors": {part.config: part.floor.record for part in measured if part.floor},
        "violations": list(violations),
    }
    if repeats := {name: said.repeats for name, said in declared.items() if said.repeats}:
        record["repeats"] = repeats
    return AuditReport(record, limited, violations, tuple(p for p in found if isinstance(p, str)))


def read_declarations(manifest: Manifest) -> dict[str, DeclaredFloor]:
    """Return the declarations about guessing that a manifest records, by config."""
    found = {}
    for name, config in manifest.configs.items():
        floor_, repeats = config.floor, config.repeats
        if floor_ is not None and "declared" in floor_:
            reason, of = str(floor_.get("reason", "")), floor_["of"]
            levels = {
                cell: DeclaredFloor(
                    level.get("chance"), of, level["declared"], level.get("reason", "")
                )
                for cell, level in floor_.get("levels", {}).items()
                if "declared" in level
            }
            found[name] = DeclaredFloor(None, of, floor_["declared"], reason, repeats, levels)
        elif repeats:
            found[name] = DeclaredFloor(limit=1.0, reason="not known", repeats=repeats)
    return found


def _find_shared_key(
    configs: Sequence[Sequence[SplitFiles]], lookup: Lookup, kind: str, both: set[bytes]
) -> str:
    """Return the first, in sorted order, of the keys of a kind that two splits share."""
    splits = [split for config in configs for split in config]
    found = (
        split_key(row, kind) for split in splits for row in iterate_audited_rows((split,), lookup)
    )
    return min((key for key in found if hash_text(key) in both), default="")


def _format_violation(config: str, scope: str, name: str, figure: FairnessFigure) -> str:
    """Return one line about a figure beyond its limit."""
    record = figure.to_record()
    where = f"{config} {scope}".strip()
    note = f" ({record['note']})" if "note" in record else ""
    return f"{where}: {name} is {record['value']:.6g}, allowed {format_limit(record)}{note}"


def _build_figure_records(inside: Mapping[str, FairnessFigure]) -> dict[str, FigureRecord]:
    """Return figures by name for the manifest."""
    return {name: inside[name].to_record() for name in sorted(inside)}


def _nest_by_split(scopes: Mapping[Scope, Mapping[str, FairnessFigure]]) -> ConfigRecord:
    """Return one config's figures by split, then cell."""
    nested: ConfigRecord = {}
    for split, cell in sorted(scopes):
        inside = nested.setdefault(split, {"figures": {}, "cells": {}})
        made = _build_figure_records(scopes[split, cell])
        if cell:
            inside["cells"][cell] = made
        else:
            inside["figures"] = made
    return nested
