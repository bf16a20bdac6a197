"""The cache of tables: whole files only, built once, checked, and never written to by readers."""

import multiprocessing
import os
import pwd
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet.generators.cube.distance import pruning_tables
from facelet.pipeline.cube import table_cache as cache_of_tables
from facelet.pipeline.cube.table_cache import cache_folder, open_table, table_path
from facelet.pipeline.dataset import atomic_files

NAME = "htm-small"


@pytest.fixture(scope="module")
def known() -> np.ndarray:
    return np.array(open_table(NAME, progress=False).memory)


@pytest.fixture
def builds(known: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let builds copy the known table, and list them."""
    done: list[str] = []

    def copy_known(spec: pruning_tables.TableSpec, out: np.ndarray, **_: Any) -> None:
        done.append(spec.name)
        out[:] = known

    monkeypatch.setattr(pruning_tables, "build_table", copy_known)
    return done


def test_a_table_is_built_once_and_read_only(tmp_path: Path, builds: list[str]) -> None:
    first = open_table(NAME, tmp_path / "new" / "folder", progress=False)
    second = open_table(NAME, tmp_path / "new" / "folder", progress=False, private=True)
    assert builds == [NAME]
    assert first is second, "one process reads it once"
    assert (
        first.memory_hash
        == pruning_tables.find_spec(NAME).digest
        == pruning_tables.hash_table(first.memory)
    )
    with pytest.raises(ValueError, match="read-only"):
        first.memory[0] = 1
    names = {path.suffix for path in (tmp_path / "new" / "folder").iterdir()}
    assert names == {".lock", ".table"}


def test_too_little_memory_is_said(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_table(NAME, tmp_path, progress=False)
    monkeypatch.setattr(cache_of_tables, "available_memory", lambda: 1 << 28)
    for private in (False, True):
        with pytest.raises(
            ValueError, match=r"takes 0\.0 GB of memory, .* choose a smaller one with table="
        ):
            open_table(NAME, tmp_path, progress=False, private=private)
    monkeypatch.setattr(cache_of_tables, "available_memory", lambda: None)
    assert (
        open_table(NAME, tmp_path, progress=False).memory_hash
        == pruning_tables.find_spec(NAME).digest
    )


def test_a_damaged_table_is_built_again(tmp_path: Path, builds: list[str]) -> None:
    open_table(NAME, tmp_path, progress=False)
    path = table_path(NAME, tmp_path)
    data = bytearray(path.read_bytes())
    data[12345] ^= 1
    path.write_bytes(data)
    assert (
        open_table(NAME, tmp_path, progress=False).memory_hash
        == pruning_tables.find_spec(NAME).digest
    )
    assert builds == [NAME] * 2
    path.write_bytes(data[:1000])
    open_table(NAME, tmp_path, progress=False)
    assert builds == [NAME] * 3


def test_a_table_overwritten_with_its_time_restored_is_seen(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table_path(NAME, tmp_path)
    open_table(NAME, tmp_path, progress=False)
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(12345)
        file.write(b"\x55\xaa")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (
        open_table(NAME, tmp_path, progress=False).memory_hash
        == pruning_tables.find_spec(NAME).digest
    )
    assert builds == [NAME] * 2


def test_a_cache_that_cannot_be_written_to_serves_its_tables(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_table(NAME, tmp_path, progress=False)

    def refuse_write(*_: object) -> None:
        raise PermissionError("read-only file system")

    monkeypatch.setattr(atomic_files.disk, "create_file", refuse_write)
    monkeypatch.setattr(cache_of_tables, "wait_for_lock", refuse_write)
    monkeypatch.setattr(os, "access", lambda *_: False)
    for private in (False, True):
        assert open_table(NAME, tmp_path, progress=False, private=private).memory_hash
    assert builds == [NAME]


def test_a_build_that_was_killed_leaves_nothing_behind(
    tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / f".{table_path(NAME).name}.99999.tmp"
    left.write_bytes(b"half a table")
    room = cache_of_tables._check_space

    def measure_growth(spec: pruning_tables.TableSpec, folder: Path) -> None:
        assert not left.exists(), "room was measured before it was made"
        room(spec, folder)

    monkeypatch.setattr(cache_of_tables, "_check_space", measure_growth)
    open_table(NAME, tmp_path, progress=False)
    assert not list(tmp_path.glob(".*"))


def test_a_wrong_table_is_never_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning_tables, "build_table", lambda spec, out, **_: None)
    with pytest.raises(pruning_tables.WrongTableError, match="the hash is"):
        open_table(NAME, tmp_path, progress=False)
    assert not list(tmp_path.glob("*.table"))


def test_too_little_room_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        pruning_tables.SPECS, "vast", replace(pruning_tables.find_spec("htm-large"), flips=26)
    )
    with pytest.raises(ValueError, match=r"needs .* GB in .*set FACELET_CACHE"):
        open_table("vast", tmp_path, progress=False)
    monkeypatch.setattr(cache_of_tables, "available_memory", lambda: 1000)
    with pytest.raises(ValueError, match="GB of memory"):
        open_table(NAME, tmp_path, progress=False)
    with pytest.raises(ValueError, match="unknown table 'htm-tiny'"):
        open_table("htm-tiny", tmp_path)


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACELET_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "x") == tmp_path / "x"
    monkeypatch.delenv("FACELET_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path.home() / ".cache" / "facelet"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "facelet"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "facelet"


def test_no_home_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FACELET_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    with pytest.raises(ValueError, match="there is no home folder; set HOME"):
        cache_folder()


def _open_table(folder: str, data: bytes, queue: "multiprocessing.Queue[tuple[int, str]]") -> None:
    count = 0

    def build_table(spec: pruning_tables.TableSpec, out: np.ndarray, **_: Any) -> None:
        nonlocal count
        count += 1
        out[:] = np.frombuffer(data, dtype=np.uint8)

    pruning_tables.build_table = build_table
    queue.put((count, open_table(NAME, Path(folder), progress=False).memory_hash))
    queue.put((count, ""))


def test_of_many_processes_one_builds(tmp_path: Path, known: np.ndarray) -> None:
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[tuple[int, str]] = context.Queue()
    data = known.tobytes()
    runs = [
        context.Process(target=_open_table, args=(str(tmp_path), data, queue)) for _ in range(4)
    ]
    for run in runs:
        run.start()
    answers = [queue.get(timeout=60) for _ in range(8)]
    for run in runs:
        run.join()
    assert {text for _, text in answers} == {pruning_tables.find_spec(NAME).digest, ""}
    assert sum(count for count, text in answers if not text) == 1


def _open_copy(folder: str, start: "multiprocessing.synchronize.Event", queue: Any) -> None:
    start.wait()
    for _ in range(3):
        queue.put(open_table(NAME, Path(folder), progress=False).memory_hash)


def test_many_processes_open_a_copied_cache(tmp_path: Path, known: np.ndarray) -> None:
    context = multiprocessing.get_context("fork")
    queue, start = context.Queue(), context.Event()
    table_path(NAME, tmp_path).write_bytes(known.tobytes())
    runs = [
        context.Process(target=_open_copy, args=(str(tmp_path), start, queue)) for _ in range(8)
    ]
    for run in runs:
        run.start()
    start.set()
    answers = [queue.get(timeout=60) for _ in range(24)]
    for run in runs:
        run.join()
    assert set(answers) == {pruning_tables.find_spec(NAME).digest}
    assert not list(tmp_path.glob(".*"))
