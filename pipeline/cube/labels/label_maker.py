"""Making: coset by coset, what is drawn of each level becomes files.

A coset's record is written when all its files are there, and the card when all records are. A run
that was stopped keeps the cosets that have records and makes the others, whose files have the same
bytes: they follow from the words of the run alone. A level that takes long is kept meanwhile; see
`keeping`.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from tqdm import tqdm

from facelet.generators.cube.distance import cosets
from facelet.generators.cube.distance.compiled import coset as core
from facelet.generators.cube.distance.compiled import demand_cosets
from facelet.generators.cube.distance.cosets import CosetSearch, Level, Tables
from facelet.generators.cube.distance.tables import workers as processors
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import Maneuver
from facelet.pipeline.cube.labels.card import Coset, card
from facelet.pipeline.cube.labels.drawing import Drawn, draw, draw_cosets
from facelet.pipeline.cube.labels.keeping import Kept
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.cube.labels.writing import File, Measured, Shard, write_shard
from facelet.pipeline.cube.tables import available_memory
from facelet.pipeline.cube.unchanging import anonymous
from facelet.pipeline.dataset.files import make_folder, remove, write_text
from facelet.pipeline.dataset.locks import only_one

WORK = ".labels"
"""The folder of plan and records, in the folder of the labels."""

_MAP = 2_450_000_000
_BESIDE = 1_500_000_000
"""Bytes that a search takes for a map, and beside its maps: tables, codes of a level, files."""


@dataclass(frozen=True, slots=True)
class Made:
    """A finished run.

    Attributes:
        folder: where the labels are.
        cosets: what each coset gave, in order.
    """

    folder: Path
    cosets: list[Coset]

    def summary(self) -> str:
        """Return what was written, in a line."""
        files = [file for coset in self.cosets for file in coset.files]
        size = sum(file.bytes for file in files) / 1e6
        return (
            f"{sum(file.rows for file in files):,} labels of {len(self.cosets)} cosets in "
            f"{len(files):,} files, {size:,.1f} MB, in {self.folder}; its README.md says what "
            "they are worth"
        )


def make(settings: LabelsSettings) -> Made:
    """Write the labels, or what is missing of them.

    Raises:
        ValueError: a value will not do, the folder holds something else, another process writes to
            it, or there is too little memory.
        NotCompiled: the coset search was not compiled; nothing is written.
    """
    demand_cosets()
    settings.check()
    work = settings.out / WORK
    _begin(settings)
    with only_one(work / "lock", f"another process is writing to {settings.out}"):
        made: list[Coset] = []
        missing = [n for n in range(settings.cosets) if _recorded(work, n) is None]
        if missing:
            _demand_memory(settings)
            tables = Tables(anonymous)
            numbers = draw_cosets(tables, settings.seed, settings.cosets)
            search = CosetSearch(tables, anonymous, threads=settings.workers)
        for which in range(settings.cosets):
            coset = _recorded(work, which)
            path = work / f"coset-{which:05d}.map"
            if coset is None:
                kept = Kept(path, numbers[which])
                coset = make_coset(settings, search, numbers[which], which, kept)
                text = json.dumps(coset.entry(), indent=1) + "\n"
                write_text(work / f"coset-{which:05d}.json", text)
            remove(path)
            made.append(coset)
        write_text(settings.out / "README.md", card(settings, made))
    return Made(settings.out, made)


def make_coset(
    settings: LabelsSettings, search: CosetSearch, number: int, which: int, kept: Kept
) -> Coset:
    """Search a coset and write its files.

    Args:
        settings: what is asked for.
        search: finds the levels.
        number: the coset's.
        which: its place among the cosets of the run, from 0.
        kept: keeps a level that takes long.
    """
    base = cubies.to_facelets(cubies.inverse(cosets.representative(number)))
    coset = Coset(number, which, base)
    unsolved: list[tuple[Drawn, cosets.Codes]] = []
    with _progress(settings, f"coset {which + 1}/{settings.cosets}") as bar:
        for level in search.levels(number, settings.distances[-1], bar.tell, kept):
            coset.levels.append(level.count)
            if level.depth not in settings.distances:
                continue
            drawn = draw(level, settings.seed, number, settings.share(which))
            if settings.solutions:
                unsolved.append((drawn, drawn.codes(0, core.PAGES)))
            else:
                _write(settings, search.tables, coset, drawn, None, bar)
        for drawn, codes in unsolved:
            words = search.words(number, drawn.level.depth, codes, bar.tell) if len(codes) else []
            solved = Drawn(_only(drawn.level.depth, codes), settings.seed, number, _pages_of(codes))
            _write(settings, search.tables, coset, solved, words, bar, of=drawn.level.count)
    return coset


def _pages_of(codes: cosets.Codes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.bincount((codes // np.uint64(core.PAGE_BITS)).astype(np.int64), minlength=core.PAGES)


def _only(depth: int, codes: cosets.Codes) -> Level:
    """Return the level that holds some codes only."""
    pages = _pages_of(codes)
    ends = np.concatenate([[0], np.cumsum(pages)])
    return Level(depth, pages, lambda low, high: codes[ends[low] : ends[high]])


def _write(
    settings: LabelsSettings,
    tables: Tables,
    coset: Coset,
    drawn: Drawn,
    words: list[Maneuver] | None,
    bar: _Bar,
    of: int | None = None,
) -> None:
    """Write what was drawn of a level; `of` is how many the level has, if it is not whole here."""
    depth, total = drawn.level.depth, drawn.count
    weight = (of or drawn.level.count) / total if total else 0.0
    ranges = drawn.ranges(settings.shard)
    starts = np.concatenate([[0], np.cumsum(drawn.wanted)])

    def work(job: tuple[int, tuple[int, int]]) -> tuple[list[File], Measured]:
        part, (low, high) = job
        own = None if words is None else words[starts[low] : starts[high]]
        shard = Shard(coset.number, coset.which, depth, part, weight, drawn.codes(low, high), own)
        return write_shard(tables, shard, settings.out, settings.weights, settings.facelets)

    measured = Measured(0, 0, 0)
    with ThreadPoolExecutor(settings.workers or processors()) as pool:
        for done, (files, found) in enumerate(pool.map(work, enumerate(ranges)), 1):
            coset.files.extend(files)
            measured += found
            bar.tell(f"write {depth}", done, len(ranges))
    coset.measured[depth] = measured


def _begin(settings: LabelsSettings) -> None:
    """Make the folder, or see that it is that of the same run; sweep away what was being written.

    Raises:
        ValueError: it holds something else.
    """
    plan = settings.out / WORK / "plan.json"
    text = json.dumps(settings.plan(), indent=1) + "\n"
    if plan.is_file():
        if (found := plan.read_text(encoding="utf-8")) != text:
            differing = _differing(found, settings.plan())
            raise ValueError(
                f"out={settings.out} holds labels of other words ({differing}); give the same "
                "words to go on, or name a new folder"
            )
    else:
        if settings.out.exists() and any(path.name != WORK for path in settings.out.iterdir()):
            raise ValueError(f"out={settings.out} is not empty; name a new folder")
        make_folder(plan.parent)
        write_text(plan, text)
    for path in settings.out.rglob(".*.tmp"):
        path.unlink()


def _differing(found: str, plan: dict[str, object]) -> str:
    try:
        old = json.loads(found)
        names = [name for name in plan if old.get(name) != plan[name]]
        return ", ".join(f"{name}={old.get(name)}" for name in names) or "another form"
    except (ValueError, AttributeError):
        return "its plan cannot be read"


def _recorded(work: Path, which: int) -> Coset | None:
    """Return what a coset gave, if it is finished and its files are there."""
    try:
        content = json.loads((work / f"coset-{which:05d}.json").read_text(encoding="utf-8"))
        coset = Coset.of(content)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    files = [(work.parent / file.path, file.bytes) for file in coset.files]
    return coset if all(p.is_file() and p.stat().st_size == n for p, n in files) else None


def _demand_memory(settings: LabelsSettings) -> None:
    """Refuse to take more memory than can be had.

    Raises:
        ValueError: it is too little.
    """
    need = settings.maps * _MAP + _BESIDE
    available = available_memory()
    if available is not None and available < need:
        fix = "take depths up to 15, " if settings.maps > 1 else ""
        raise ValueError(
            f"depths={settings.depths} takes {need / 1e9:.1f} GB of memory, and "
            f"{available / 1e9:.1f} GB are available; {fix}wait, or take another machine"
        )


class _Bar:
    """A progress bar that shows one thing after another."""

    def __init__(self, shown: bool, about: str) -> None:
        self.about = about
        self.bar: tqdm[NoReturn] = tqdm(disable=not shown, leave=False)

    def tell(self, what: str, done: int, total: int) -> None:
        """Show that so many steps of something are done."""
        if done == 1 or self.bar.total != total:
            self.bar.reset(total)
            self.bar.set_description(f"{self.about}: {what}", refresh=False)
        self.bar.update(done - self.bar.n)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.close()


def _progress(settings: LabelsSettings, about: str) -> _Bar:
    return _Bar(settings.shows_progress, about)
