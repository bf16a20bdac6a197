"""The disk is full at every file that a verb writes: nothing is left, lost or doubled.

A process may write no file beyond a limit, which stands for the disk: each size of file that a
verb writes is the limit once, so that each file fails at its end, whoever writes it. The message
names a file, nothing stands where the result should, and the same command continues.
"""

from __future__ import annotations

import errno
import json
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from writing_verbs import VERBS, make_inputs, read_tree

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import atomic_files
from facelet.pipeline.rollout.transcript_file import open_transcripts

FEW = 6
"""Most sizes that are tried of a verb; spread over all."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_inputs(tmp_path_factory.mktemp("given"))


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size in the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_leaves_nothing_and_the_same_command_continues(
    verb: str, given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "work"
    words = [verb, *VERBS[verb](given, home / "out")]
    code = main(words)
    assert code in (0, 1), capsys.readouterr()
    whole = read_tree(home)
    shutil.rmtree(home)
    sizes = sorted({len(data) for data in whole.values() if data})
    for size in sizes[:: max(1, len(sizes) // FEW)]:
        capsys.readouterr()
        with limited_files(size - 1):
            assert main(words) in (1, 2), size
        said = capsys.readouterr().err
        assert "free space and repeat the command" in said, (size, said)
        assert str(home) in said or "/facelet-" in said, (size, said)
        left = [path.name for path in (home / "out").rglob("*.tmp")] if home.exists() else []
        assert not left and not [path for path in home.glob(".out.*") if path.is_dir()]
        assert main(words) == code, capsys.readouterr()
        assert read_tree(home) == whole
        shutil.rmtree(home)


class FullDisk(atomic_files.DiskOperations):
    """Writes the first bytes of the n-th line, and then has no room."""

    def __init__(self, left: int) -> None:
        self.left = left

    def append_bytes(self, handle: int, data: memoryview) -> int:
        self.left -= 1
        if self.left == 0:
            super().append_bytes(handle, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().append_bytes(handle, data)


def test_a_line_is_appended_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plays.jsonl"
    records: list[dict[str, Any]] = [{"id": f"a/{k}", "messages": []} for k in range(4)]
    with open_transcripts(path) as file:
        monkeypatch.setattr(atomic_files, "disk", FullDisk(3))
        for record in records:
            try:
                file.append_line(record)
            except OSError as error:
                assert error.filename == str(path)
                file.append_line(record)
    assert [json.loads(line) for line in path.read_text().splitlines()] == records
