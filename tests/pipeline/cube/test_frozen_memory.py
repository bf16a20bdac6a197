"""Memory that nobody can write to: the seals hold, and what bears none is not taken."""

from __future__ import annotations

import fcntl
import gc
import mmap
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet.pipeline.cube import frozen_memory

SIZE = 3 * (1 << 20) + 17
LABEL = "facelet test of seals"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system cannot seal memory")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some"
    np.random.default_rng(1).integers(0, 256, SIZE, dtype=np.uint8).tofile(path)
    return path


def make_label(path: Path) -> str:
    """A label of one test: those of others may be found by it as well."""
    return f"{LABEL} {path.parent.name} {os.getpid()}"


def list_handles(text: str) -> list[str]:
    return list(frozen_memory._iterate_holders(f"/memfd:{text} (deleted)"))


def test_a_copy_is_the_file_and_read_only(path: Path) -> None:
    for memory in (
        frozen_memory.read_private(path, SIZE),
        frozen_memory.read_sealed(path, SIZE, make_label(path)),
    ):
        assert memory is not None and memory.tobytes() == path.read_bytes()
        with pytest.raises(ValueError, match="read-only"):
            memory[0] = 1


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1])
def test_a_file_of_another_size_is_none(path: Path, size: int) -> None:
    assert frozen_memory.read_private(path, size) is None
    assert frozen_memory.read_sealed(path, size, make_label(path)) is None
    assert not list_handles(make_label(path))


def test_a_file_that_is_cut_while_it_is_read_is_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen_memory, "_PIECE", 1 << 20)
    stat = Path.stat

    def stat_late(self: Path, **keys: Any) -> os.stat_result:
        found = stat(self, **keys)
        if self == path:
            os.truncate(path, 1 << 20)
        return found

    monkeypatch.setattr(Path, "stat", stat_late)
    assert frozen_memory.read_private(path, SIZE) is None


def test_nobody_writes_to_sealed_memory(path: Path) -> None:
    """Not by writing, mapping, cutting, growing, punching holes, or lifting the seals."""
    memory = frozen_memory.read_sealed(path, SIZE, make_label(path))
    assert memory is not None
    (place,) = list_handles(make_label(path))
    handle = os.open(place, os.O_RDWR)
    try:
        for attempt in (
            lambda: os.pwrite(handle, b"\x00", 0),
            lambda: mmap.mmap(handle, SIZE),
            lambda: os.ftruncate(handle, 0),
            lambda: os.ftruncate(handle, 2 * SIZE),
            lambda: os.posix_fallocate(handle, SIZE, 1),
            lambda: fcntl.fcntl(handle, fcntl.F_ADD_SEALS, 0x20),
        ):
            with pytest.raises(OSError, match="not permitted"):
                attempt()
    finally:
        os.close(handle)
    assert memory.tobytes() == path.read_bytes()


@pytest.mark.parametrize("missing", ["F_SEAL_WRITE", "F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_SEAL"])
def test_memory_without_all_seals_is_not_taken(missing: str, path: Path) -> None:
    handle = os.memfd_create(make_label(path), os.MFD_ALLOW_SEALING)
    try:
        os.write(handle, path.read_bytes())
        fcntl.fcntl(
            handle,
            fcntl.F_ADD_SEALS,
            frozen_memory._compute_required_seals() & ~getattr(fcntl, missing),
        )
        assert list_handles(make_label(path)) and not list(
            frozen_memory.iterate_sealed(SIZE, make_label(path))
        )
        if missing != "F_SEAL_SEAL":
            return
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL)
        assert len(list(frozen_memory.iterate_sealed(SIZE, make_label(path)))) == 1
        assert not list(frozen_memory.iterate_sealed(SIZE + 1, make_label(path)))
    finally:
        os.close(handle)


def test_what_nobody_holds_any_more_is_gone(path: Path) -> None:
    memory = frozen_memory.read_sealed(path, SIZE, make_label(path))
    assert len(list_handles(make_label(path))) == 1
    del memory
    gc.collect()
    assert not list_handles(make_label(path))


def _look_for_copy(text: str, queue: Any) -> None:
    (memory,) = frozen_memory.iterate_sealed(SIZE, text)
    inside = Path("/proc/self/smaps").read_text()
    queue.put((memory.tobytes()[:100], text in inside))


def test_another_process_finds_the_one_copy(path: Path) -> None:
    memory = frozen_memory.read_sealed(path, SIZE, make_label(path))
    assert memory is not None
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    run = context.Process(target=_look_for_copy, args=(make_label(path), queue))
    run.start()
    start, shared = queue.get(timeout=60)
    run.join()
    assert start == memory.tobytes()[:100] and shared


def test_a_system_without_seals_has_own_copies(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(frozen_memory.sys, "platform", "darwin")
    assert not frozen_memory.can_seal()
    assert not list(frozen_memory.iterate_sealed(SIZE, LABEL))
    with pytest.raises(OSError, match="cannot seal"):
        frozen_memory.read_sealed(path, SIZE, LABEL)
    assert frozen_memory.read_private(path, SIZE) is not None
