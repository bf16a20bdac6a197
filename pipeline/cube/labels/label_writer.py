"""Write the Parquet files and the card of labels.

A file is complete or absent, and its bytes depend only on its content.

The card describes sampling, counts, and how many independent labels they are worth. States of one
coset resemble each other, so labels of few cosets are worth fewer independent ones. Two figures
measure that. What a coset's states share, such as which pieces are twisted, has as many values as
there are cosets. What differs among them, here the number of stickers with their own face's colour,
is measured: the error of its mean over cosets against that over states.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.cube.distance.coset_search import COSETS, ELEMENTS, Codes, CosetTables
from facelet.generators.cube.distance.coset_states import codes_to_facelets, codes_to_marks
from facelet.generators.cube.engine.notation import SOLVED, Maneuver, format_maneuver
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.dataset.atomic_files import write_atomically
from facelet.pipeline.dataset.row_hashes import hash_file

_GROUP = 1 << 18
"""Labels of a row group, and of what is in memory at a time."""

_MEASURED = 10_000
"""Labels of a file of which stickers are counted."""

_SOLVED = np.frombuffer(SOLVED.encode(), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class LabelFile:
    """A file of labels.

    Attributes:
        path: relative to the folder of the labels.
        split: its split.
        distance: of all its labels.
        rows: how many labels.
        bytes: its size.
        sha256: hash of its bytes.
    """

    path: str
    split: str
    distance: int
    rows: int
    bytes: int
    sha256: str

    def to_json(self) -> dict[str, object]:
        """Return it as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class StickerStatistics:
    """Stickers that show their face's colour, over some labels: a measure of how alike they are.

    Attributes:
        count: labels that were measured.
        total: sum over them.
        squares: sum of squares.
    """

    count: int
    total: int
    squares: int

    def __add__(self, other: StickerStatistics) -> StickerStatistics:
        return StickerStatistics(
            self.count + other.count, self.total + other.total, self.squares + other.squares
        )


@dataclass(frozen=True, slots=True)
class LabelShard:
    """Labels of one coset and distance that become one file a split.

    Attributes:
        coset: number of the coset.
        which: its place among the cosets of the run, from 0.
        distance: half turns from solved.
        part: number among the shards of coset and distance.
        weight: states that a label stands for.
        codes: the labels, rising.
        words: their solutions; None for none.
    """

    coset: int
    which: int
    distance: int
    part: int
    weight: float
    codes: Codes
    words: list[Maneuver] | None = None

    def file_name(self) -> str:
        """Return the name of its files."""
        return f"coset-{self.which:05d}-depth-{self.distance:02d}-{self.part:05d}.parquet"


def label_schema(facelets: bool, solutions: bool) -> pa.Schema:
    """Return the columns of labels."""
    columns = [("facelets", pa.string())] if facelets else []
    columns += [
        ("distance", pa.uint8()),
        ("coset", pa.uint32()),
        ("code", pa.uint64()),
        ("weight", pa.float64()),
    ]
    return pa.schema(columns + ([("solution", pa.string())] if solutions else []))


def write_shard(
    tables: CosetTables,
    shard: LabelShard,
    folder: Path,
    splits: tuple[tuple[str, int], ...],
    facelets: bool,
) -> tuple[list[LabelFile], StickerStatistics]:
    """Write the files of a shard.

    Args:
        tables: those of the search.
        shard: the labels.
        folder: where the labels go; each split is a folder in it.
        splits: names and weights.
        facelets: whether facelets are written.

    Returns:
        The files, none for a split that no label fell into, and what was measured.
    """
    parts: list[list[pa.Table]] = [[] for _ in splits]
    measured = StickerStatistics(0, 0, 0)
    bounds = np.cumsum([weight for _, weight in splits])
    step = max(1, len(shard.codes) // _MEASURED)
    for start in range(0, len(shard.codes), _GROUP):
        codes = shard.codes[start : start + _GROUP]
        letters = codes_to_facelets(tables, shard.coset, codes[::step])
        home = (letters == _SOLVED).sum(axis=1, dtype=np.int64)
        measured += StickerStatistics(len(home), int(home.sum()), int((home * home).sum()))
        # The upper half of a mark is spread evenly; the product stays below 2^64.
        marks = codes_to_marks(tables, shard.coset, codes) >> np.uint64(32)
        place = marks * np.uint64(bounds[-1]) >> np.uint64(32)
        of = np.searchsorted(bounds, place.astype(np.int64), side="right")
        for number in range(len(splits)):
            which = np.flatnonzero(of == number)
            if len(which):
                parts[number].append(_label_table(tables, shard, start + which, facelets))
    files = []
    for (split, _), tables_of in zip(splits, parts, strict=True):
        if tables_of:
            path = Path(split) / shard.file_name()
            _write_table(folder / path, pa.concat_tables(tables_of))
            rows = sum(len(table) for table in tables_of)
            size = (folder / path).stat().st_size
            file_hash = hash_file(folder / path)
            files.append(LabelFile(path.as_posix(), split, shard.distance, rows, size, file_hash))
    return files, measured


def _label_table(
    tables: CosetTables, shard: LabelShard, which: npt.NDArray[np.intp], facelets: bool
) -> pa.Table:
    """Return some labels of a shard as a table."""
    count, codes = len(which), shard.codes[which]
    columns: dict[str, object] = {}
    if facelets:
        letters = codes_to_facelets(tables, shard.coset, codes)
        offsets = np.arange(0, 54 * (count + 1), 54, dtype=np.int32)
        columns["facelets"] = pa.StringArray.from_buffers(
            count, pa.py_buffer(offsets), pa.py_buffer(letters)
        )
    columns["distance"] = np.full(count, shard.distance, dtype=np.uint8)
    columns["coset"] = np.full(count, shard.coset, dtype=np.uint32)
    columns["code"] = codes
    columns["weight"] = np.full(count, shard.weight)
    if shard.words is not None:
        columns["solution"] = [format_maneuver(shard.words[int(i)]) for i in which]
    return pa.table(columns, schema=label_schema(facelets, shard.words is not None))


def _write_table(path: Path, table: pa.Table) -> None:
    # Codes rise, so that their differences are small; the letters have no order worth a search.
    same = [name for name in ("distance", "coset", "weight") if name in table.column_names]
    with write_atomically(path) as file:
        pq.write_table(
            table,
            file,
            row_group_size=_GROUP,
            compression="zstd",
            compression_level=1,
            use_dictionary=same,
            column_encoding={"code": "DELTA_BINARY_PACKED"},
            write_statistics=["distance", "coset", "code"],
        )


@dataclass(frozen=True, slots=True)
class CosetRecord:
    """What a coset gave.

    Attributes:
        number: the coset's.
        which: its place among the cosets of the run, from 0.
        base: facelets of the state that its elements follow: a state is this one, then the element.
        levels: how many states it has at distance 0, 1, ...
        files: what was written.
        measured: stickers of their own face's colour, by distance.
    """

    number: int
    which: int
    base: str
    levels: list[int] = field(default_factory=list)
    files: list[LabelFile] = field(default_factory=list)
    measured: dict[int, StickerStatistics] = field(default_factory=dict)

    def label_count(self, distance: int) -> int:
        """Return how many labels of a distance it gave."""
        return sum(file.rows for file in self.files if file.distance == distance)

    def to_json(self) -> dict[str, object]:
        """Return it as a JSON object."""
        return {
            "number": self.number,
            "which": self.which,
            "base": self.base,
            "levels": self.levels,
            "files": [file.to_json() for file in self.files],
            "measured": {str(depth): asdict(found) for depth, found in self.measured.items()},
        }

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> CosetRecord:
        """Return the record of a JSON object.

        Raises:
            KeyError, TypeError: it is not of this form.
        """
        return cls(
            entry["number"],
            entry["which"],
            entry["base"],
            entry["levels"],
            [LabelFile(**file) for file in entry["files"]],
            {int(depth): StickerStatistics(**found) for depth, found in entry["measured"].items()},
        )


def effective_numbers(cosets: list[CosetRecord], distance: int) -> tuple[float, float | None]:
    """Return effective numbers of the labels of a distance.

    Args:
        cosets: what each gave.
        distance: half turns from solved.

    Returns:
        That of what all states of a coset share, and that of the mean of the stickers of their own
        face's colour; None for the second where one coset alone has labels.
    """
    of = [coset for coset in cosets if coset.label_count(distance)]
    if not of:
        return 0.0, None
    sizes = np.array([coset.levels[distance] for coset in of], dtype=float)
    parts = sizes / sizes.sum()
    shared = float(1 / (parts**2).sum())
    if len(of) == 1:
        return shared, None
    found = [coset.measured[distance] for coset in of]
    means = np.array([one.total / one.count for one in found])
    squares = np.array([one.squares / one.count for one in found])
    mean = float(parts @ means)
    spread = float(parts @ squares) - mean**2
    count = sum(coset.label_count(distance) for coset in of)
    # The error of a weighted mean of clusters, with the correction for one mean that was estimated.
    error = float((parts**2 * (means - mean) ** 2).sum()) * len(of) / (len(of) - 1)
    return shared, min(float(count), spread / error) if error > 0 else float(count)


def write_card(settings: LabelsSettings, cosets: list[CosetRecord]) -> str:
    """Return the README of the labels."""
    splits = [split for split, _ in settings.split_weights]
    there = [s for s in splits if any(f.split == s for c in cosets for f in c.files)]
    names = "\n".join(f"  - split: {split}\n    path: {split}/*.parquet" for split in there)
    deepest = settings.distance_list[-1]
    rows = "\n".join(_card_row(cosets, distance) for distance in settings.distance_list)
    total = sum(file.rows for coset in cosets for file in coset.files)
    asked = "all that each holds" if not settings.count else f"{settings.count:,} of each distance"
    few = [
        d for d in settings.distance_list if sum(c.label_count(d) for c in cosets) < settings.count
    ]
    short = (
        f"\nThere are fewer than {settings.count:,} labels at {', '.join(map(str, few))}: "
        "a coset that holds fewer states than its share gave all of them.\n"
        if few
        else ""
    )
    columns = "`facelets` (54 letters in URFDLB order), " if settings.facelets else ""
    solved = "; `solution` solves the state in as many moves" if settings.solutions else ""
    return f"""---
license: cc-by-4.0
pretty_name: Cube states with exact distances
configs:
- config_name: default
  data_files:
{names}
---

# Cube states with exact distances

{total:,} states of the cube, each with its exact distance from solved in half turns.

Columns: {columns}`distance`, `coset`, `code`,
`weight`{solved}. `coset` and `code` together
name a state: it is the `base` of its coset in `.labels`, followed by the element of the group
<U, D, R2, L2, F2, B2> that the code numbers.

## How states were drawn

{settings.cosets} of {COSETS:,} cosets were drawn, each as likely as any other, no two of them
images of one another (seed {settings.seed}). A coset has {ELEMENTS:,} states. In each, every state
within {deepest} moves was found; no level is left unfinished. Of a level each coset
gave its share of the labels: {asked}, every state of the level with the same probability.
{short}
A label stands for `weight` states of its coset at its distance. With these weights the labels are a
sample of all states at that distance; without them, states of cosets with few are too frequent.

## What they are worth

States of one coset have the same pieces twisted and flipped. The effective number is how many
independent states would be worth as much: for what all states of a coset share, and for the mean of
how many stickers show the colour of their own face.

| distance | labels | cosets | states there | effective, shared | effective, stickers |
|--:|--:|--:|--:|--:|--:|
{rows}

## Why they are right

A search found all maneuvers of length 0, 1, 2, ... that make a state of the coset, so the length at
which a state is found first is its distance. `facelet certify` proves any of them again, by another
search with another table.

## Splits

{_split_table(settings, cosets)}
A state, its images under the 48 symmetries of the cube, and the inverses of them are in one split.
"""


def _card_row(cosets: list[CosetRecord], distance: int) -> str:
    of = [coset for coset in cosets if coset.label_count(distance)]
    shared, stickers = effective_numbers(cosets, distance)
    labels = sum(coset.label_count(distance) for coset in of)
    states = sum(coset.levels[distance] for coset in cosets)
    sticker_text = "unknown: one coset" if stickers is None and of else f"{stickers or 0:,.0f}"
    return f"| {distance} | {labels:,} | {len(of)} | {states:,} | {shared:.1f} | {sticker_text} |"


def _split_table(settings: LabelsSettings, cosets: list[CosetRecord]) -> str:
    lines = ["| split | labels |", "|---|--:|"]
    for split, _ in settings.split_weights:
        rows = sum(f.rows for c in cosets for f in c.files if f.split == split)
        lines.append(f"| {split} | {rows:,} |")
    return "\n".join(lines) + "\n"
