"""Measure a dataset's fairness from its published files.

Measures balance of labels, scores of players that never look at the puzzle (the best one is the
floor of a config), duplicates, splits that share a puzzle, and labels that simulation refutes.
Prints each figure where it is closest to its limit, and exits with 1 if one is beyond it, or if a
config cannot be measured because its task is not available here; the others are measured.

Example:
  facelet audit data/out/facelet-smoke
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import can_show_progress, sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The dataset to audit."""

    dataset: Path = key(
        "The dataset to audit; only its files are read.",
        allowed="a folder with a built dataset",
        place=True,
        anywhere=True,
    )
    workers: int = key("Configs to measure at the same time.", 1, low=1)
    progress: bool | None = key(
        "Show a progress bar on stderr.", None, shown="if stderr is a terminal"
    )


def run(settings: Settings) -> int:
    """Audit a dataset; 0 if every figure holds, 1 if one does not.

    Raises:
        ValueError: the dataset is bad.
    """
    from facelet.pipeline import dataset_info
    from facelet.pipeline.audit import dataset_audit
    from facelet.pipeline.audit.figure_limits import (
        format_limit,
        list_closest_figures,
        list_excused_figures,
    )
    from facelet.pipeline.dataset import dataset_reader, floor_record
    from facelet.pipeline.dataset.content_check import check_has_answers

    out, known = settings.dataset, dataset_audit.NO_DECLARATIONS
    if (out / dataset_reader.MANIFEST).is_file():
        manifest = dataset_reader.read_manifest(out)
        check_has_answers(manifest, out)
        known = dataset_audit.read_declarations(manifest)
    shown = can_show_progress(settings.progress)
    report = dataset_audit.measure_dataset(
        out, declared=known, workers=settings.workers, progress=shown
    )
    for name, config in report.record["configs"].items():
        print(sanitize_text(name))
        if (least := report.record["floors"].get(name)) is not None:
            print(f"  floor: {floor_record.format_floor(least)}, allowed {least['limit']:.1%}")
            for line in dataset_info.format_levels(least):
                print(sanitize_text(f"    {line}"))
        for figure, where, record in list_closest_figures(config):
            note = f"  [{record['note']}]" if "note" in record else ""
            text = (
                f"  {figure:28} {record['value']:>10.4g}  {format_limit(record):18} {where}{note}"
            )
            print(sanitize_text(text))
        for figure, where, record in list_excused_figures(config):
            print(
                sanitize_text(f"  {figure:28} {record['value']:>10.4g}  {where} [{record['note']}]")
            )
    for figure, record in report.record["dataset"].items():
        print(f"{figure:30} {record['value']:>10.4g}  {format_limit(record):18} all configs")
    print(f"{report.limited} figures with a limit, {len(report.violations)} beyond it")
    for line in (*report.violations, *report.unmeasured):
        print(sanitize_text(f"  {line}"), file=sys.stderr)
    return 1 if report.violations or report.unmeasured else 0
