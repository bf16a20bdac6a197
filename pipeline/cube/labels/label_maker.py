"""Search coset by coset, and write the sampled states of each level to files.

Cosets, and states of a coset's level, are drawn from seeds alone. A level is sampled page by page:
each page contributes its part of the request, rounded so that every state of the level has the same
probability.

A coset's record is written after all its files, and the card after all records. An interrupted run
keeps the cosets whose files have the hashes of their record and repeats the others; their files get
the same bytes, because they follow from the run's settings alone.

A long level is saved during its search, so that a kill costs minutes. The file (`LevelFile`)
contains the map without its empty pieces, and a last line with the level, the coset, the number of
finished beginnings and the hash of its pieces. It replaces its predecessor atomically. A damaged
file, or one of another level, is ignored.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import coset_search
from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.compiled_cores import require_coset_search
from facelet.generators.cube.distance.coset_search import (
    COSETS,
    Codes,
    CosetLevel,
    CosetSearch,
    CosetTables,
)
from facelet.generators.cube.distance.pruning_tables import Memory, count_processors
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import Maneuver
from facelet.pipeline.cube.frozen_memory import allocate_anonymous
from facelet.pipeline.cube.labels.label_writer import (
    CosetRecord,
    LabelFile,
    LabelShard,
    StickerStatistics,
    write_card,
    write_shard,
)
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.cube.table_cache import available_memory
from facelet.pipeline.dataset.atomic_files import (
    create_folder,
    hold_lock,
    remove_file,
    write_atomically,
    write_text,
)
from facelet.pipeline.dataset.row_hashes import hash_file, open_record, seal_record

EVERY = 600.0
"""Seconds between two times that a level is kept."""

FORM = 1
"""Raise it with any change of what is kept, or of what beginnings a search has in which order."""

_PIECE = 1 << 20


class LevelFile:
    """A file for the level at hand of a coset; see `LevelCheckpoint`.

    Args:
        path: the file.
        coset: number of the coset.
        every: seconds between two times that a level is kept.
    """

    def __init__(self, path: Path, coset: int, every: float = EVERY) -> None:
        self._path, self._coset, self._every = path, coset, every
        self._last = time.monotonic()

    def resume_level(self, depth: int, bits: Memory) -> int:
        """Fill the map from the checkpoint of a level; return how many beginnings it contains.

        Args:
            depth: the level.
            bits: the map; it stays as it is where nothing was kept.
        """
        self._last = time.monotonic()
        level = self._read_level(depth, bits, fill=False)
        return self._read_level(depth, bits, fill=True) if level else 0

    def save_level(self, depth: int, bits: Memory, done: int) -> None:
        """Keep a level in which so many beginnings are searched, if it is time.

        A file of a deeper level stays: a search that goes on comes by the levels before it again.
        A disk that has no room for it costs the safety, not the run: that is told on stderr.

        Args:
            depth: the level.
            bits: its map, of which threads set bits meanwhile.
            done: how many of the first beginnings are searched.
        """
        if time.monotonic() - self._last < self._every:
            return
        try:
            if not self._is_deeper(depth):
                self._write_level(depth, bits, done)
        except OSError as error:
            print(f"level {depth} is not kept: {error}; a kill would cost it", file=sys.stderr)
        self._last = time.monotonic()

    def _write_level(self, depth: int, bits: Memory, done: int) -> None:
        pieces: list[int] = []
        found = blake2b(digest_size=16)
        with write_atomically(self._path) as file:
            for place in range(0, len(bits), _PIECE):
                piece = bits[place : place + _PIECE].tobytes()  # others are setting bits
                if piece.count(0) < len(piece):
                    found.update(piece)
                    file.write(piece)
                    pieces.append(place // _PIECE)
            said = {**self._level_identity(depth), "done": done, "hash": found.hexdigest()}
            line = json.dumps({**said, "pieces": pieces}).encode()
            file.write(line + len(line).to_bytes(8, "little"))

    def _level_identity(self, depth: int) -> dict[str, int]:
        return {"form": FORM, "coset": self._coset, "depth": depth}

    def _is_deeper(self, depth: int) -> bool:
        """Whether the file is of a deeper level of the same coset."""
        try:
            with self._path.open("rb") as file:
                said = _read_trailer(file)
                return said["depth"] > depth and self._matches_level(said, said["depth"])
        except _NO_FILE:
            return False

    def _matches_level(self, said: Mapping[str, Any], depth: int) -> bool:
        whose = self._level_identity(depth)
        return {name: said[name] for name in whose} == whose

    def _read_level(self, depth: int, bits: Memory, *, fill: bool) -> int:
        """Return how many beginnings the file contains, 0 without one; fill the map if asked."""
        try:
            with self._path.open("rb") as file:
                said = _read_trailer(file)
                if not self._matches_level(said, depth):
                    return 0
                file.seek(0)
                found = blake2b(digest_size=16)
                if fill:
                    bits[:] = 0
                for number in said["pieces"]:
                    here = bits[number * _PIECE : (number + 1) * _PIECE]
                    piece = file.read(len(here))
                    found.update(piece)
                    if fill:
                        here[:] = np.frombuffer(piece, dtype=np.uint8)
                return int(said["done"]) if found.hexdigest() == said["hash"] else 0
        except _NO_FILE:
            return 0


_NO_FILE = (OSError, ValueError, TypeError, KeyError, OverflowError)
"""What reading raises where there is no file, or a damaged one."""


def _read_trailer(file: BinaryIO) -> dict[str, Any]:
    """Return what the line behind the map says."""
    file.seek(-8, 2)
    end = file.tell()
    size = int.from_bytes(file.read(8), "little")
    file.seek(end - size)
    said: dict[str, Any] = json.loads(file.read(size))
    return said


def draw_cosets(tables: CosetTables, seed: int, count: int) -> list[int]:
    """Return the numbers of different cosets, no two of them images of one another.

    More are drawn of the same seed by going on: the first ones stay.

    Args:
        tables: those of the search.
        seed: the root of all seeds.
        count: how many.
    """
    rng = make_generator("cube", "labels", seed, "cosets")
    drawn: dict[int, int] = {}
    while len(drawn) < count:
        number = int(rng.integers(COSETS))
        drawn.setdefault(tables.least_image(number), number)
    return list(drawn.values())


@dataclass(frozen=True, slots=True)
class LevelSample:
    """What is taken of a level.

    Attributes:
        level: the level.
        seed: the root of all seeds.
        coset: number of the coset.
        wanted: int64 (pages,), how many of each page.
    """

    level: CosetLevel
    seed: int
    coset: int
    wanted: npt.NDArray[np.int64]

    @property
    def state_count(self) -> int:
        """How many states are taken."""
        return int(self.wanted.sum())

    def page_ranges(self, size: int) -> list[tuple[int, int]]:
        """Return ranges of pages that together give all, each about `size` states or one page."""
        ends = np.cumsum(self.wanted)
        cuts = [0]
        while cuts[-1] < len(ends) and ends[-1]:
            before = int(ends[cuts[-1] - 1]) if cuts[-1] else 0
            if before == ends[-1]:
                break
            following = int(np.searchsorted(ends, before + size, side="left")) + 1
            cuts.append(min(max(following, cuts[-1] + 1), len(ends)))
        return list(pairwise(cuts))

    def codes_in_pages(self, low: int, high: int) -> Codes:
        """Return the codes that are taken of pages low to high - 1, rising."""
        if np.array_equal(self.level.pages[low:high], self.wanted[low:high]):
            return self.level.codes(low, high)
        return np.concatenate([np.empty(0, dtype=np.uint64), *self._iterate_codes(low, high)])

    def _iterate_codes(self, low: int, high: int) -> Iterator[Codes]:
        # Page by page: at 17 the codes of a whole level are 48 GB.
        for page in range(low, high):
            have, want = int(self.level.pages[page]), int(self.wanted[page])
            if want:
                rng = make_generator(
                    "cube", "labels", self.seed, self.coset, self.level.depth, page
                )
                which = np.sort(rng.choice(have, want, replace=False, shuffle=False))
                yield self.level.codes(page, page + 1)[which]


def draw_level(level: CosetLevel, seed: int, coset: int, share: int | None) -> LevelSample:
    """Draw states of a level, evenly.

    Args:
        level: where they are drawn from.
        seed: the root of all seeds.
        coset: number of the coset.
        share: how many; all if that is None, or if the level has no more.
    """
    total = level.state_count
    if share is None or share >= total:
        return LevelSample(level, seed, coset, level.pages)
    offset = int(make_generator("cube", "labels", seed, coset, level.depth).integers(total))
    # In numbers without an end: states times share can pass 64 bits.
    steps = [(states * share + offset) // total for states in np.cumsum(level.pages).tolist()]
    ends = np.array([0, *steps], dtype=np.int64)
    return LevelSample(level, seed, coset, ends[1:] - ends[:-1])


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
