"""Write the Parquet files of labels.

A file is complete or absent, and its bytes depend only on its content.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.cube.distance.coset_search import Codes, CosetTables
from facelet.generators.cube.distance.coset_states import codes_to_facelets, codes_to_marks
from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.notation import SOLVED, Maneuver
from facelet.pipeline.dataset.atomic_files import write_atomically
from facelet.pipeline.dataset.content_hash import hash_file

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
        columns["solution"] = [notation.format_maneuver(shard.words[int(i)]) for i in which]
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
