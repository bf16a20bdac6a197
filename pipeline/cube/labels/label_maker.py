"""Search coset by coset, and write the sampled states of each level to files.

A coset's record is written after all its files, and the card after all records. An interrupted run
keeps the cosets whose files have the hashes of their record and repeats the others; their files
get the same bytes, because they follow from the run's settings alone. A long level is saved during
the search; see `search_checkpoint`.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from tqdm import tqdm

from facelet.generators.cube.distance import coset_search
from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.compiled_cores import require_coset_search
from facelet.generators.cube.distance.coset_search import CosetLevel, CosetSearch, CosetTables
from facelet.generators.cube.distance.pruning_tables import count_processors
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import Maneuver
from facelet.pipeline.cube.frozen_memory import allocate_anonymous
from facelet.pipeline.cube.labels.coset_sampler import LevelSample, draw_cosets, draw_level
from facelet.pipeline.cube.labels.label_writer import (
    LabelFile,
    LabelShard,
    StickerStatistics,
    write_shard,
)
from facelet.pipeline.cube.labels.labels_card import CosetRecord, write_card
from facelet.pipeline.cube.labels.search_checkpoint import LevelFile
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.cube.table_cache import available_memory
from facelet.pipeline.dataset.atomic_files import create_folder, remove_file, write_text
from facelet.pipeline.dataset.content_hash import hash_file, open_record, seal_record
from facelet.pipeline.dataset.file_lock import hold_lock

WORK = ".labels"
"""The folder of plan and records, in the folder of the labels."""

_MAP = 2_450_000_000
_BESIDE = 1_500_000_000
"""Bytes that a search takes for a map, and beside its maps: tables, codes of a level, files."""


@dataclass(frozen=True, slots=True)
class LabelRun:
    """A finished run.

    Attributes:
        folder: where the labels are.
        cosets: what each coset gave, in order.
    """

    folder: Path
    cosets: list[CosetRecord]

    def format_summary(self) -> str:
        """Return what was written, in a line."""
        files = [file for coset in self.cosets for file in coset.files]
        size = sum(file.bytes for file in files) / 1e6
        return (
            f"{sum(file.rows for file in files):,} labels of {len(self.cosets)} cosets in "
            f"{len(files):,} files, {size:,.1f} MB, in {self.folder}; its README.md says what "
            "they are worth"
        )


def make_labels(settings: LabelsSettings) -> LabelRun:
    """Write the labels, or what is missing of them.

    Raises:
        ValueError: a value will not do, the folder holds something else, another process writes to
            it, or there is too little memory.
        NotCompiled: the coset search was not compiled; nothing is written.
    """
    require_coset_search()
    settings.check_feasible()
    work = settings.out / WORK
    _open_folder(settings)
    with hold_lock(work / "lock", f"another process is writing to {settings.out}"):
        made: list[CosetRecord] = []
        missing = [n for n in range(settings.cosets) if _read_recorded(work, n) is None]
        if missing:
            _demand_memory(settings)
            tables = CosetTables(allocate_anonymous)
            numbers = draw_cosets(tables, settings.seed, settings.cosets)
            search = CosetSearch(tables, allocate_anonymous, threads=settings.workers)
        for which in range(settings.cosets):
            coset = _read_recorded(work, which)
            path = work / f"coset-{which:05d}.map"
            if coset is None:
                kept = LevelFile(path, numbers[which])
                coset = make_coset(settings, search, numbers[which], which, kept)
                text = json.dumps(seal_record(coset.to_json()), indent=1) + "\n"
                write_text(work / f"coset-{which:05d}.json", text)
            remove_file(path)
            made.append(coset)
        write_text(settings.out / "README.md", write_card(settings, made))
    return LabelRun(settings.out, made)


def make_coset(
    settings: LabelsSettings, search: CosetSearch, number: int, which: int, kept: LevelFile
) -> CosetRecord:
    """Search a coset and write its files.

    Args:
        settings: what is asked for.
        search: finds the levels.
        number: the coset's.
        which: its place among the cosets of the run, from 0.
        kept: keeps a level that takes long.
    """
    base = cubies.to_facelets(cubies.invert_cubies(coset_search.coset_representative(number)))
    coset = CosetRecord(number, which, base)
    unsolved: list[tuple[LevelSample, coset_search.Codes]] = []
    with _open_progress(settings, f"coset {which + 1}/{settings.cosets}") as bar:
        for level in search.iterate_levels(
            number, settings.distance_list[-1], bar.show_progress, kept
        ):
            coset.levels.append(level.state_count)
            if level.depth not in settings.distance_list:
                continue
            drawn = draw_level(level, settings.seed, number, settings.labels_per_coset(which))
            if settings.solutions:
                unsolved.append((drawn, drawn.codes_in_pages(0, core.PAGES)))
            else:
                _write_labels(settings, search.tables, coset, drawn, None, bar)
        for drawn, codes in unsolved:
            words = (
                search.find_words(number, drawn.level.depth, codes, bar.show_progress)
                if len(codes)
                else []
            )
            solved = LevelSample(
                _level_of_codes(drawn.level.depth, codes), settings.seed, number, _pages_of(codes)
            )
            _write_labels(
                settings, search.tables, coset, solved, words, bar, of=drawn.level.state_count
            )
    return coset


def _pages_of(codes: coset_search.Codes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.bincount((codes // np.uint64(core.PAGE_BITS)).astype(np.int64), minlength=core.PAGES)


def _level_of_codes(depth: int, codes: coset_search.Codes) -> CosetLevel:
    """Return the level restricted to some codes."""
    pages = _pages_of(codes)
    ends = np.concatenate([[0], np.cumsum(pages)])
    return CosetLevel(depth, pages, lambda low, high: codes[ends[low] : ends[high]])


def _write_labels(
    settings: LabelsSettings,
    tables: CosetTables,
    coset: CosetRecord,
    drawn: LevelSample,
    words: list[Maneuver] | None,
    bar: _StageBar,
    of: int | None = None,
) -> None:
    """Write what was drawn of a level.

    `from_json` is how many the level has, if it is not whole here.
    """
    depth, total = drawn.level.depth, drawn.state_count
    weight = (of or drawn.level.state_count) / total if total else 0.0
    ranges = drawn.page_ranges(settings.shard)
    starts = np.concatenate([[0], np.cumsum(drawn.wanted)])

    def write_labels_shard(
        job: tuple[int, tuple[int, int]],
    ) -> tuple[list[LabelFile], StickerStatistics]:
        part, (low, high) = job
        own = None if words is None else words[starts[low] : starts[high]]
        shard = LabelShard(
            coset.number, coset.which, depth, part, weight, drawn.codes_in_pages(low, high), own
        )
        return write_shard(tables, shard, settings.out, settings.split_weights, settings.facelets)

    measured = StickerStatistics(0, 0, 0)
    with ThreadPoolExecutor(settings.workers or count_processors()) as pool:
        for done, (files, found) in enumerate(pool.map(write_labels_shard, enumerate(ranges)), 1):
            coset.files.extend(files)
            measured += found
            bar.show_progress(f"write {depth}", done, len(ranges))
    coset.measured[depth] = measured


def _open_folder(settings: LabelsSettings) -> None:
    """Make the folder, or see that it is that of the same run; sweep away what was being written.

    Raises:
        ValueError: it contains something else.
    """
    plan = settings.out / WORK / "plan.json"
    text = json.dumps(settings.plan_record(), indent=1) + "\n"
    if plan.is_file():
        if (found := plan.read_bytes()) != text.encode():
            differing = _describe_difference(found, settings.plan_record())
            raise ValueError(
                f"out={settings.out} was made with other settings ({differing}); give the same "
                "ones to continue, or name a new folder"
            )
    else:
        if settings.out.exists() and any(path.name != WORK for path in settings.out.iterdir()):
            raise ValueError(f"out={settings.out} is not empty; name a new folder")
        create_folder(plan.parent)
        write_text(plan, text)
    for path in settings.out.rglob(".*.tmp"):
        path.unlink()


def _describe_difference(found: bytes, plan: dict[str, object]) -> str:
    try:
        old = json.loads(found)
        names = [name for name in plan if old.get(name) != plan[name]]
        return ", ".join(f"{name}={old.get(name)}" for name in names) or "another form"
    except (ValueError, AttributeError):
        return "its plan cannot be read"


def _read_recorded(work: Path, which: int) -> CosetRecord | None:
    """Return what a coset gave, if it is finished and its files are those that were written."""
    try:
        content = json.loads((work / f"coset-{which:05d}.json").read_text(encoding="utf-8"))
        coset = CosetRecord.from_json(open_record(content))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    files = [(work.parent / file.path, file.sha256) for file in coset.files]
    return coset if all(p.is_file() and hash_file(p) == sha256 for p, sha256 in files) else None


def _demand_memory(settings: LabelsSettings) -> None:
    """Refuse to take more memory than can be had.

    Raises:
        ValueError: it is too little.
    """
    need = settings.map_count * _MAP + _BESIDE
    if (available := available_memory()) is not None and available < need:
        fix = "take depths up to 15, " if settings.map_count > 1 else ""
        raise ValueError(
            f"depths={settings.depths} takes {need / 1e9:.1f} GB of memory, and "
            f"{available / 1e9:.1f} GB are available; {fix}wait, or take another machine"
        )


class _StageBar:
    """A progress bar that shows one thing after another."""

    def __init__(self, shown: bool, about: str) -> None:
        self.about = about
        self.bar: tqdm[NoReturn] = tqdm(disable=not shown, leave=False)

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Show that so many steps of something are done."""
        if done == 1 or self.bar.total != total:
            self.bar.reset(total)
            self.bar.set_description(f"{self.about}: {what}", refresh=False)
        self.bar.update(done - self.bar.n)

    def __enter__(self) -> _StageBar:
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.close()


def _open_progress(settings: LabelsSettings, about: str) -> _StageBar:
    return _StageBar(settings.shows_progress, about)
