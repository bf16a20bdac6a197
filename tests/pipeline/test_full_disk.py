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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import atomic_files, dataset_reader
from facelet.pipeline.rollout.transcript_file import open_transcripts

SUITE = """
mine:
  tasks:
    password_breaking: {task: arcade/password_breaking, sweep: {level: [1]}, count: 3}
    board_parsing: {task: labyrinth/board_parsing, count: 2}
"""
FEW = 6
"""Most sizes that are tried of a verb; spread over all."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset, predictions for it, and puzzles, two of which are broken."""
    root = tmp_path_factory.mktemp("given")
    (root / "mine.yaml").write_text(SUITE)
    words = [f"suites=[{root}/mine.yaml]", "unfair=write", f"out={root}/d", "workers=1"]
    assert main(["build", "profile=smoke", "progress=false", *words]) == 0
    ids = [
        row["id"]
        for split in dataset_reader.list_splits(root / "d")
        for row in split.iterate_rows(["id"])
    ]
    lines = [json.dumps({"id": name, "prediction": ["1234"]}) for name in ids]
    (root / "p.jsonl").write_text("\n".join(lines))
    puzzles = [{"id": f"a{k}", "scramble": "R U F2"[: 2 + k % 4]} for k in range(4)]
    broken = [{"id": "b"}, {"id": "c", "scramble": "R hello"}]
    (root / "theirs.jsonl").write_text("\n".join(json.dumps(one) for one in puzzles + broken))
    return root


VERBS: dict[str, Callable[[Path, Path], list[str]]] = {
    "import": lambda given, out: [
        *("format=puzzles", "task=cube/move_prediction", "table=small"),
        *(f"file={given}/theirs.jsonl", f"out={out}"),
    ],
    "repack": lambda given, out: [f"dataset={given}/d", f"out={out}", "form=webdataset"],
    "gallery": lambda given, out: [f"dataset={given}/d", f"out={out}"],
    "requests": lambda given, out: ["model=m", f"dataset={given}/d", f"out={out}"],
    "harness": lambda given, out: [f"dataset={given}/d", f"out={out}", "tool=lm-eval"],
    "finetune": lambda given, out: ["task=shapes/forward_deformation", "count=4", f"out={out}"],
    "score": lambda given, out: [
        *(f"dataset={given}/d", f"predictions={given}/p.jsonl", "resamples=100", f"out={out}"),
    ],
}


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size in the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def read_tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }


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
