"""Summarize a dataset as a table, from its manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline import family_modules
from facelet.pipeline.dataset import dataset_reader, duplicates, floor_record
from facelet.pipeline.dataset.manifest_file import Manifest

_SHORT = 12
"""Letters of a hash shown in a table; the manifest has them all."""


def summarize_columns(out: Path, manifest: Manifest) -> list[str]:
    """Return what the columns hold that tasks name for this (Task.summed), a line a split.

    Args:
        out: the dataset folder; without its shards there is nothing to tell.
        manifest: its manifest.

    Raises:
        ValueError: a shard cannot be read, or lacks a column.
    """
    if not dataset_reader.shard_paths(out):
        return []
    rows: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for split in dataset_reader.list_splits(out):
        config = manifest.configs.get(split.config)
        try:
            names = family_modules.load_task(config.task).summed if config else ()
        except family_modules.TaskUnavailable:
            continue
        if names:
            batches = list(split.iterate_batches(names))
            values = [
                [v for b in batches for v in b.column(i).to_pylist()] for i in range(len(names))
            ]
            known = rows.setdefault(names, [("config", "split", *names)])
            known.append((split.config, split.name, *map(_summarize_values, values)))
    return [
        line for found in rows.values() for line in align_table(found, left=range(len(found[0])))
    ]


def _summarize_values(values: Sequence[Any]) -> str:
    """Return the mean and the ends of numbers, or the words with their counts, most first."""
    known = [value for value in values if value is not None]
    if known and not isinstance(known[0], str):
        return f"{sum(known) / len(known):.4g} ({min(known):.4g} to {max(known):.4g})"
    counts = sorted(Counter(known).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{word} {count}" for word, count in counts) or "-"


def format_info(manifest: Manifest, sha256: str = "", *, cells: bool = False) -> str:
    """Return what a manifest says, in lines for people.

    Args:
        manifest: the manifest.
        sha256: hash of its file; "" for that of a file that this program would write.
        cells: whether each difficulty is shown.
    """
    splits = ", ".join(f"{name}:{weight}" for name, weight in manifest.splits.items())
    lines = [
        f"{manifest.name}  profile {manifest.profile}, seed {manifest.seed}, {splits}",
        f"content  {manifest.content_hash}  (from manifest.json; not recomputed here)",
        f"manifest {sha256 or manifest.sha256()}  (SHA-256)",
        f"plan     {manifest.plan_hash}",
        f"code     {manifest.code_version}",
        *(f"table    {name} {value}" for name, value in manifest.tables.items()),
        "",
    ]
    rows = [
        (
            "config",
            "split",
            "difficulty",
            "items",
            "rows",
            "effective",
            "MB",
            "bytes/row",
            "chance",
            "floor",
            "shortcut",
            "content",
        )
    ]
    for config, split, content in manifest.iterate_splits():
        count = content.rows
        rows.append(
            (
                config,
                split,
                _format_label_range([cell.label for cell in content.cells]),
                f"{content.items:,}",
                f"{count:,}",
                _format_effective(manifest, config, split),
                f"{content.bytes / 1e6:,.1f}",
                f"{content.bytes / count:,.0f}" if count else "-",
                floor_record.format_chance(content.chance),
                floor_record.format_floor(manifest.configs[config].floor),
                floor_record.best_shortcut(manifest.configs[config].floor),
                content.content_hash[:_SHORT],
            )
        )
    total_rows = sum(content.rows for _, _, content in manifest.iterate_splits())
    total_bytes = sum(content.bytes for _, _, content in manifest.iterate_splits())
    total_items = sum(content.items for _, _, content in manifest.iterate_splits())
    size = f"{total_bytes / 1e6:,.1f}"
    rows.append(
        ("all", "", "", f"{total_items:,}", f"{total_rows:,}", "", size, "", "", "", "", "")
    )
    lines += align_table(rows, left=(0, 1, 2, 8, 9, 10, 11))
    if cells:
        lines += ["", *_cell_lines(manifest)]
    notes = {name: floor_record.floor_notes(one.floor) for name, one in manifest.configs.items()}
    if any(notes.values()):
        lines += ["", *(f"{name}: {note}" for name, note in notes.items() if note)]
    if small := _list_shortfalls(manifest):
        lines += ["", "Fewer items, or puzzles for them, than requested:", *small]
    if manifest.left_out:
        lines += ["", *manifest.left_out]
    return "\n".join(lines)


def align_table(rows: Sequence[Sequence[str]], *, left: Sequence[int]) -> list[str]:
    """Return rows as aligned lines; the columns in `left` are set left, the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def format_levels(floor: floor_record.FloorRecord) -> list[str]:
    """Return the chance, floor and shortcuts of each level, aligned; of many, some."""
    rows, left = floor_record.level_rows(floor)
    names = list(dict.fromkeys(name for row in rows for name in row))
    found = []
    if rows:
        lines = [names, *([row.get(name, "-") for name in names] for row in rows)]
        found = align_table(lines, left=range(len(names)))
    if left:
        found.append(f"and {left} more levels")
    if planned := floor_record.floor_notes(floor):
        found.append(planned)
    if why := floor.get("no_shortcut"):
        found.append(f"no shortcut: {why}")
    return found


def _format_effective(manifest: Manifest, config: str, split: str) -> str:
    """Return how many independent trials the rows of a split are worth; "-" if nobody counted."""
    found = duplicates.read_effective_count(manifest.configs[config].audit, split)
    return "-" if found is None else f"{found:,.0f}"


def _format_label_range(labels: Sequence[str]) -> str:
    """Return the first and last difficulty label."""
    short = [label.rsplit("-", 1)[-1] for label in labels]
    return "".join(short) if len(short) < 2 else f"{short[0]}..{short[-1]}"


def _cell_lines(manifest: Manifest) -> list[str]:
    rows = [("cell", "items", "asked", "capacity", "chance", "floor", "shortcut")]
    for config, _, content in manifest.iterate_splits():
        floor = manifest.configs[config].floor
        levels = (
            {} if floor is None else {one[0]: one[1:] for one in floor_record.list_levels(floor)}
        )
        for cell in content.cells:
            most = cell.capacity
            capacity = "-" if most is None else f"{most:,}"
            name = f"{config}/{cell.label}"
            about = ("-", "-", "-")
            if cell.label in levels:
                level, looked = levels[cell.label]
                chance = "-" if level["chance"] is None else f"{level['chance']:.1%}"
                ranked = sorted(looked, key=lambda key: -looked[key]["value"])
                about = (
                    chance,
                    f"{floor_record.format_share_interval(level)} {level['player']}",
                    ", ".join(f"{looked[one]['value']:.1%} ({one})" for one in ranked) or "-",
                )
            rows.append((name, f"{cell.items:,}", f"{cell.asked:,}", capacity, *about))
    return align_table(rows, left=(0, 4, 5, 6))


def _list_shortfalls(manifest: Manifest) -> list[str]:
    """Return why cells have fewer items, or puzzles behind them, than asked for."""
    reasons: dict[str, list[str]] = {}
    for config, _, content in manifest.iterate_splits():
        for cell in content.cells:
            if cell.note:
                reasons.setdefault(cell.note, []).append(f"{config}/{cell.label}")
    return [
        f"  {note}: {', '.join(names[:2])}{f' and {len(names) - 2} more' if names[2:] else ''}"
        for note, names in reasons.items()
    ]
