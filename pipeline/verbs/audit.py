"""Measure a dataset's fairness from its published files.

Measures from the published rows how fair a dataset is: balance of labels, what players score that
never look at the puzzle (the best of them is the floor of a config), duplicates, splits that share
a puzzle, labels that simulation refutes. Prints each figure where it comes closest to its limit,
and exits with 1 when one is beyond it, or when a config cannot be measured because its task cannot
be had here; the others are measured.

Example:
  facelet audit data/out/facelet-smoke
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.keys import key
from facelet.pipeline.words import plain, shows_progress


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is audited, and how."""

    dataset: Path = key(
        "What to audit, from its files alone.",
        allowed="a folder with a built dataset",
        place=True,
        anywhere=True,
    )
    workers: int = key("Configs measured at the same time.", 1, low=1)
    progress: bool | None = key(
        "Show a progress bar on stderr.", None, shown="if stderr is a terminal"
    )


def run(settings: Settings) -> int:
    """Audit a dataset; 0 when every figure holds, 1 when one does not.

    Raises:
        ValueError: the dataset is bad.
    """
    from facelet.pipeline import info
    from facelet.pipeline.audit import audit
    from facelet.pipeline.audit.limits import bound, closest, excused
    from facelet.pipeline.dataset import floors, reading
    from facelet.pipeline.dataset.sealing import demand_answers

    out, known = settings.dataset, audit.NOTHING
    if (out / reading.MANIFEST).is_file():
        manifest = reading.manifest(out)
        demand_answers(manifest, out)
        known = audit.stated(manifest)
    shown = shows_progress(settings.progress)
    report = audit.measure(out, declared=known, workers=settings.workers, progress=shown)
    for name, config in report.record["configs"].items():
        print(plain(name))
        least = report.record["floors"].get(name)
        if least is not None:
            print(f"  floor: {floors.words(least)}, allowed {least['limit']:.1%}")
            for line in info.levels(least):
                print(plain(f"    {line}"))
        for figure, where, record in closest(config):
            note = f"  [{record['note']}]" if "note" in record else ""
            text = f"  {figure:28} {record['value']:>10.4g}  {bound(record):18} {where}{note}"
            print(plain(text))
        for figure, where, record in excused(config):
            print(plain(f"  {figure:28} {record['value']:>10.4g}  {where} [{record['note']}]"))
    for figure, record in report.record["dataset"].items():
        print(f"{figure:30} {record['value']:>10.4g}  {bound(record):18} all configs")
    print(f"{report.limited} figures with a limit, {len(report.violations)} beyond it")
    for line in (*report.violations, *report.unmeasured):
        print(plain(f"  {line}"), file=sys.stderr)
    return 1 if report.violations or report.unmeasured else 0
