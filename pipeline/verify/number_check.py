"""Recompute every number that a manifest and a card show, from the rows and the tasks alone.

Counts, chance, floors, shortcuts and the audit are made again by the code that a build makes them
with, and each number of the manifest is compared. The card follows from the manifest, so its text
is rendered again. What cannot be recomputed is listed as not verified, with the reason.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.build.build_folder import CompletionRecord
from facelet.pipeline.build.build_plan import CellFill, PlanCell
from facelet.pipeline.build.emit_stage import PublishedSplit
from facelet.pipeline.build.manifest_writer import (
    BY_CONFIG,
    CellResult,
    build_config_entry,
    code_version,
    collect_declarations,
)
from facelet.pipeline.card import dataset_card
from facelet.pipeline.config.settings_resolver import read_params
from facelet.pipeline.dataset import dataset_reader, floor_record
from facelet.pipeline.dataset.file_integrity import IntegrityFailure, ShardReading
from facelet.pipeline.dataset.manifest_file import MANIFEST, MANIFEST_VERSION, ConfigEntry, Manifest
from facelet.pipeline.dataset.row_columns import DECODE_ERRORS, SCHEMA_VERSION, AnyRow, id_numbers
from facelet.pipeline.dataset.row_hashes import hash_digests
from facelet.pipeline.family_modules import AnyTask, Lookup, TaskUnavailable
from facelet.pipeline.json_types import JSON
from facelet.pipeline.publish import hub_repository
from facelet.pipeline.publish.dataset_diff import parse_version

MOST_CELLS = 10_000
"""Most combinations of swept params that are tried."""

UNSTATED_ORIGIN = "items, seed and params of rows that do not state how they were drawn"
FROM_POOL = "params, capacity and pieces of configs that draw from a pool"

SETTINGS = ("splits", "citation.year", "asked of each cell")
"""Numbers that are settings of a build and that no row shows."""

_HUB_COPY = re.compile(r"^hf download (\S+) --repo-type dataset --revision v(\S+)", re.MULTILINE)
_AUDITED = re.compile(r"(audit|configs\.[^.]+\.[^.]+\.(audit|floor)|(manifest|schema)_version)\b")


@dataclass(slots=True)
class NumberCheck:
    """What recomputing the numbers of a manifest found.

    Attributes:
        compared: how many numbers of the manifest were recomputed.
        failures: those that differ, and a card that is not the manifest's.
        unverified: for each reason, the numbers that were not recomputed.
    """

    compared: int = 0
    failures: list[IntegrityFailure] = field(default_factory=list)
    unverified: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def check_numbers(
    out: Path,
    manifest: Manifest,
    parts: Sequence[ShardReading],
    lookup: Lookup,
    *,
    workers: int = 1,
    progress: bool = False,
) -> NumberCheck:
    """Return which numbers of a dataset are not what its rows and tasks give.

    Args:
        out: the dataset folder; the hashes of its rows are those of the manifest.
        manifest: its manifest.
        parts: its shards, as they were read.
        lookup: finds a task by its name.
        workers: how many jobs of the audit run at the same time.
        progress: whether to show a bar on stderr.
    """
    found = NumberCheck()
    found.unverified["settings of the build"] += SETTINGS
    results: dict[str, list[CellResult]] = {}
    for name, config in manifest.configs.items():
        why = ""
        try:
            task = lookup(config.task)
            if any(split.cells for split in config.splits.values()):
                results[name] = _measure_config(out, name, task, manifest, found)
            else:
                why = "manifest.json lists no cells"
        except TaskUnavailable as error:
            why = str(error)
        except ValueError as error:
            found.failures.append(IntegrityFailure(f"configs.{name}", str(error)))
        if why:
            found.unverified[f"not recomputable: {why}"] += [name, "audit"]
    audit: Mapping[str, Any] = {}
    if manifest.audit or any(one.audit or one.floor for one in manifest.configs.values()):
        cells = [one for own in results.values() for one in own]
        audit = dataset_audit.measure_dataset(
            out, lookup, declared=collect_declarations(cells), workers=workers, progress=progress
        ).record
    expected = replace(
        manifest,
        manifest_version=MANIFEST_VERSION,
        schema_version=SCHEMA_VERSION,
        configs={
            name: replace(
                build_config_entry(
                    results[name],
                    _read_published(config, name, parts),
                    {part: audit.get(part, {}).get(name) for part in BY_CONFIG},
                ),
                repeats=config.repeats,
            )
            if name in results
            else config
            for name, config in manifest.configs.items()
        },
        audit={name: value for name, value in audit.items() if name not in BY_CONFIG}
        if len(results) == len(manifest.configs)
        else manifest.audit,
    )
    _compare_records(manifest, expected, found)
    _check_card(out, manifest, lookup, found)
    return found


def _measure_config(
    out: Path, name: str, task: AnyTask, manifest: Manifest, found: NumberCheck
) -> list[CellResult]:
    """Return the cells of a config as its rows show them, in the order of its manifest.

    Raises:
        ValueError: its params do not give its cells.
    """
    config = manifest.configs[name]
    chance = floor_record.find_chance_column(task)
    cells: dict[str, _CellRows] = defaultdict(_CellRows)
    for split in dataset_reader.list_splits(out):
        if split.config == name:
            for row in split.iterate_rows():
                label = row["id"].rpartition("/")[0].rpartition("/")[2]
                cells[label].add_row(row, row[chance] if chance else None)
    known = {one.difficulty().label: one for one in _list_params(config, task, name)}
    results = []
    for split_name, split_entry in config.splits.items():
        for cell in split_entry.cells:
            params = known.get(cell.label) or known.get(cell.label.removeprefix(f"{split_name}-"))
            if params is None:
                raise ValueError(f"its params give no cell {cell.label}")
            plain = tuple((one.name, getattr(params, one.name)) for one in fields(task.params))
            per_item, needs = task.rows_per_item(params), task.needs(params)
            plan_cell = PlanCell(
                *(name, config.suite, task.name, config.task_version, plain, split_name),
                *(params.difficulty(), cell.label, cell.asked, per_item, None),
            )
            rows = cells.pop(cell.label, _CellRows())
            items = len({_item_number(one, per_item) for one in rows.ids})
            if rows.first is not None and _read_seed_path(rows.first)[-4] != "item":
                items = cell.items
            capacity = cell.capacity
            if needs is not None:
                found.unverified[FROM_POOL].append(name)
            elif capacity is not None:
                capacity = task.capacity(params)
            if rows.first is not None:
                _check_origin(plan_cell, task, params, rows.first, manifest, found)
            chance_now = task.chance_level(params) if rows.ids else None
            fill = CellFill(plan_cell, task, items, capacity, cell.note, cell.pieces)
            record = floor_record.build_record(chance_now, rows.mean_chance())
            results.append(CellResult(fill, len(rows.ids), record))
    if cells:
        raise ValueError(f"rows of {next(iter(cells))} belong to no cell of the manifest")
    return results


@dataclass(slots=True)
class _CellRows:
    """The rows of a cell: their ids, the first of them, and the chances that they state."""

    ids: list[str] = field(default_factory=list)
    first: AnyRow | None = None
    chances: list[float | None] = field(default_factory=list)

    def add_row(self, row: AnyRow, chance: float | None) -> None:
        self.ids.append(row["id"])
        self.chances.append(chance)
        self.first = self.first or row

    def mean_chance(self) -> float | None:
        """Return the mean of the chances; None unless every row states one."""
        stated = [one for one in self.chances if one is not None]
        return math.fsum(stated) / len(stated) if stated and None not in self.chances else None


def _list_params(config: ConfigEntry, task: AnyTask, name: str) -> Iterator[Any]:
    """Yield the params of the cells that a config may have.

    Raises:
        ValueError: a param is none of the task's, or there are too many combinations.
    """
    swept = {one: config.params[one] for one in config.swept}
    values = [own if isinstance(own, list) else [own] for own in swept.values()]
    if math.prod(map(len, values)) > MOST_CELLS:
        raise ValueError(f"its swept params have more than {MOST_CELLS:,} combinations")
    for own in product(*values):
        yield read_params(task, {**config.params, **dict(zip(swept, own, strict=True))}, name)


def _item_number(identifier: str, per_item: int | None) -> int:
    number, _ = id_numbers(identifier)
    return number if per_item is None else number // per_item


def _check_origin(
    cell: PlanCell, task: AnyTask, params: Any, row: AnyRow, manifest: Manifest, found: NumberCheck
) -> None:
    """Check that the seed and the params of a cell are those that its first row came of.

    The row is made again, unless that needs a pool.
    """
    *names, item, index, attempt_word, attempt = _read_seed_path(row)
    if (item, attempt_word) != ("item", "attempt"):
        found.unverified[UNSTATED_ORIGIN].append(cell.config)
        return
    if manifest.seed is None or names != (said := [manifest.seed, *cell.seed_names]):
        found.failures.append(IntegrityFailure(row["id"], f"was drawn with {names}, not {said}"))
        return
    if task.needs(params) is None:
        try:
            made = task.generate(params, Draw(tuple(names), index, attempt), None)
        except Reject:
            made = ()
        if not any(_equals_row(task.encode(one), row) for one in made):
            text = f"is not what {dict(cell.params)} and seed {manifest.seed} give"
            found.failures.append(IntegrityFailure(row["id"], text))
        return


def _equals_row(encoded: Mapping[str, Any], row: AnyRow) -> bool:
    return all(
        row[name] == (list(value) if isinstance(value, tuple) else value)
        for name, value in encoded.items()
    )


def _read_seed_path(row: AnyRow) -> list[Any]:
    try:
        names = json.loads(row["provenance"]["seed_path"])
    except (*DECODE_ERRORS, RecursionError):
        names = []
    return names if isinstance(names, list) and len(names) > 4 else ["", "", "", ""]


def _read_published(
    config: ConfigEntry, name: str, parts: Sequence[ShardReading]
) -> dict[str, PublishedSplit]:
    """Return the shards of a config as they are on disk, by split."""
    found = {}
    for split, entry in config.splits.items():
        own = [p for p in parts if (p.shard.config, p.shard.split) == (name, split)]
        shards = tuple(
            CompletionRecord(
                *(part.shard.path, "", part.row_count, part.shard.bytes, part.shard.sha256),
                (),
                {},
                hash_digests(part.digests),
            )
            for part in own
        )
        found[split] = PublishedSplit(name, split, shards, entry.content_hash)
    return found


def _compare_records(manifest: Manifest, expected: Manifest, found: NumberCheck) -> None:
    """Compare a manifest with the expected one, number by number."""
    said, due = (dict(_iterate_leaves(one.to_record())) for one in (manifest, expected))
    here = code_version()
    for path in sorted({*said, *due}):
        own, computed = said.get(path), due.get(path)
        found.compared += isinstance(own, int | float)
        if own == computed:
            continue
        if manifest.code_version != here and _AUDITED.match(path):
            why = f"recorded by {manifest.code_version}, otherwise by this {here}"
            found.unverified[why].append(path)
            continue
        text = f"{path} is {own!r}; recomputed it is {computed!r}"
        found.failures.append(IntegrityFailure(MANIFEST, text))


def _iterate_leaves(value: Any, path: str = "") -> Iterator[tuple[str, JSON]]:
    """Yield the numbers and texts of a record with their paths; cells by their labels."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from _iterate_leaves(inside, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            label = inside.get("label", number) if isinstance(inside, dict) else number
            yield from _iterate_leaves(inside, f"{path}[{label}]")
    else:
        yield path, value


def _check_card(out: Path, manifest: Manifest, lookup: Lookup, found: NumberCheck) -> None:
    """Check that the card and the changelog are those that the manifest gives."""
    for name, text in dataset_card.render_texts(out, manifest, lookup).items():
        path = out / name
        if not path.is_file():
            continue
        shown = path.read_text(encoding="utf-8")
        if (copy := _HUB_COPY.search(shown)) and name == dataset_card.FILES[0]:
            home = f"https://huggingface.co/datasets/{copy[1]}"
            text = hub_repository.render_readme(text, copy[1], parse_version(copy[2]), home)
        if shown == text:
            continue
        if manifest.code_version == code_version():
            found.failures.append(IntegrityFailure(name, "is not what manifest.json gives"))
        else:
            found.unverified["files that another version of Facelet wrote"].append(name)
