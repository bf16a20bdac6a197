"""Describe a plan before a build starts (`--show`), and summarize the finished dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from facelet.pipeline.build.build_plan import BuildPlan, count_rows
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.shell_commands import format_command


def describe_plan(plan: BuildPlan) -> str:
    """Return a plan in a few lines, as comments of the configuration above it."""
    lines = [f"# plan {plan.plan_hash}"]
    for config, cells in plan.cells_by_config().items():
        labels = [cell.label for cell in cells]
        items, rows = sum(cell.asked for cell in cells), count_rows(cells)
        lines.append(
            f"# {config}: {_summarize_cells(labels)}, at most {items:,} items in "
            f"{'any number of' if rows is None else f'{rows:,}'} rows"
        )
    return "\n".join(lines + [f"# {note}" for note in plan.left_out])


def _summarize_cells(labels: Sequence[str]) -> str:
    """Return how many cells there are, and from where to where they go."""
    if len(labels) == 1:
        return f"1 cell, {labels[0]}"
    return f"{len(labels)} cells, {labels[0]} to {labels[-1]}"


def summarize_build(out: Path, manifest: Manifest, seconds: Mapping[str, float]) -> str:
    """Return what a finished build says.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        seconds: how long each part of the build took.
    """
    splits = [split for _, _, split in manifest.iterate_splits()]
    rows = sum(split.rows for split in splits)
    size = sum(split.bytes for split in splits)
    smaller = [
        f"  {name}/{cell.label}: {cell.items} of {cell.asked} items"
        for name, _, split in manifest.iterate_splits()
        for cell in split.cells
        if cell.items < cell.asked
    ]
    first, config = next(iter(manifest.configs.items()))
    split = next(iter(config.splits))
    lines = [
        f"{manifest.name}: {rows:,} rows in {len(manifest.configs)} configs, "
        f"{size / 1e6:,.1f} MB, in {out}",
        f"content hash {manifest.content_hash}",
        f"SHA-256 of {dataset_reader.MANIFEST} {manifest.sha256()}",
        "seconds: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in seconds.items()),
        *manifest.left_out,
    ]
    if smaller:
        lines.append(f"{len(smaller)} cells have fewer items than requested; see the manifest:")
        lines += smaller[:3] + (["  ..."] if len(smaller) > 3 else [])
    return "\n".join(
        [
            *lines,
            "",
            "Next:",
            f"  {format_command('info', dataset=out)}",
            f"  {format_command('verify', dataset=out)}",
            f"  {format_command('score', dataset=out, predictions='FILE.jsonl')}",
            f"  datasets.load_dataset({str(out)!r}, {first!r}, split={split!r})  # in Python",
        ]
    )
