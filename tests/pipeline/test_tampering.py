"""Files that a finished run left are changed, then the run is repeated: no changed file is kept.

What a run resumes from is changed at random: a byte flipped, the end cut off, bytes appended, the
content of another file, the file removed, a number of its text raised; with the records of what
was finished, and without them. The repeated run ends with the bytes of the first one, or refuses.
FACELET_TAMPERINGS sets how often, over all kinds of runs; `make test-tampering` takes 1,000.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cube_states import coset_of
from sparse_memory import allocate_zeros

from facelet.generators.cube.distance.coset_search import CosetSearch, CosetTables
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cube.labels import label_maker
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.formats import repack_writer

TAMPERINGS = int(os.environ.get("FACELET_TAMPERINGS", "60"))
KINDS = ("labels", "build", "repack")
Run = Callable[[Path], None]


def read_tree(out: Path) -> dict[str, bytes]:
    """Return the files of a folder by path, but locks and traces of the run itself."""
    hidden = ("lock", "leader.json", ".lock")
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.endswith(hidden)
    }


def tamper_file(path: Path, other: Path, chance: random.Random) -> str:
    """Change a file, and return how."""
    data = path.read_bytes()
    how = chance.choice(("flip", "cut", "append", "swap", "remove", "number"))
    if how == "remove":
        path.unlink()
        return how
    place = chance.randrange(max(1, len(data)))
    numbers = list(re.finditer(rb"(?<=[ :\[])\d+", data))
    if how == "number" and path.suffix == ".json" and numbers:
        found = chance.choice(numbers)
        changed = data[: found.start()] + b"%d" % (int(found[0]) + 1) + data[found.end() :]
    elif how == "cut":
        changed = data[:place]
    elif how == "append":
        changed = data + b"\0"
    elif how == "swap" and other.read_bytes() != data:
        changed = other.read_bytes()
    else:
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] if data else b"x"
    path.write_bytes(changed)
    return how


def check_tamperings(whole: Path, work: Path, run: Run, records: str, seed: int) -> None:
    """Tamper with copies of a finished run, and repeat the run on each."""
    chance, due = random.Random(seed), read_tree(whole)
    names = sorted(due)
    for number in range(max(1, TAMPERINGS // len(KINDS))):
        out = work / str(number)
        shutil.copytree(whole, out)
        name = chance.choice(names)
        how = tamper_file(out / name, out / chance.choice(names), chance)
        if without := chance.random() < 0.3:
            for path in (path for path in out.rglob(records) if path.is_file()):
                path.unlink()
        try:
            run(out)
        except ValueError as error:
            assert str(out) in str(error), (how, name, error)
        else:
            assert read_tree(out) == due, (number, how, name, without)
        shutil.rmtree(out)


def test_changed_labels_are_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = CosetTables(allocate_zeros, within=8)
    number = coset_of(tables, moves.apply_maneuver(SOLVED, ("R", "F")))
    search = CosetSearch(tables, allocate_zeros, threads=2)
    monkeypatch.setattr(label_maker, "draw_cosets", lambda *_: [number])
    monkeypatch.setattr(label_maker, "CosetTables", lambda _: tables)
    monkeypatch.setattr(label_maker, "CosetSearch", lambda *_, **__: search)
    monkeypatch.setattr(label_maker, "available_memory", lambda: None)

    def run(out: Path) -> None:
        words = {"depths": "5-6", "count": 60, "cosets": 1, "shard": 20, "splits": "train:3,test:1"}
        label_maker.make_labels(LabelsSettings(out=out, progress=False, **words))  # type: ignore[arg-type]

    run(tmp_path / "whole")
    check_tamperings(tmp_path / "whole", tmp_path / "work", run, "coset-*.json", 1)


def test_changed_shards_are_built_again(toy, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    def run(out: Path) -> None:
        toy.run(toy.tiny(out))

    run(tmp_path / "whole")
    check_tamperings(tmp_path / "whole", tmp_path / "work", run, "records/**/*.json", 2)


def test_changed_packed_splits_are_packed_again(small_dataset: Path, tmp_path: Path) -> None:
    def run(out: Path) -> None:
        repack_writer.repack_dataset(small_dataset, out, "mds", 1 << 14)

    run(tmp_path / "whole")
    check_tamperings(tmp_path / "whole", tmp_path / "work", run, ".records/**/*.json", 3)
