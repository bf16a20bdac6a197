"""A disk that forgets what was not synced, and loses its power at a chosen step.

A file keeps its bytes only if it was synced after they were written; a name that was given, taken
or replaced holds only once its folder was synced. That is the least that a file system promises.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from facelet.pipeline.dataset import atomic_files

Cut = Callable[[int, str, Path], bool]


class PowerCut(BaseException):
    """The power is off; nothing may catch this."""


class ForgetfulDisk(atomic_files.DiskOperations):
    """The disk of one folder; `cut(number, step, path)` says before which step the power fails."""

    def __init__(self, root: Path, cut: Cut = lambda number, step, path: False) -> None:
        self.cut = cut
        self.steps = 0
        self._root = root
        self._synced = {_file_identity(path) for path in root.rglob("*") if path.is_file()}
        self._pending: list[tuple[Path, Callable[[], object]]] = []

    def _count_step(self, name: str, path: Path) -> None:
        self.steps += 1
        if self.cut(self.steps, name, path):
            raise PowerCut

    def sync_path(self, path: Path) -> None:
        self._count_step("sync", path)
        if path.is_dir():
            self._pending = [item for item in self._pending if item[0] != path]
        else:
            self._synced.add(_file_identity(path))

    def rename_file(self, old: Path, new: Path) -> None:
        self._count_step("rename", new)
        self._pending.append((new.parent, self._make_restorer(new)))
        super().rename_file(old, new)

    def remove_file(self, path: Path) -> None:
        self._count_step("remove", path)
        if path.exists():
            self._pending.append((path.parent, self._make_restorer(path)))
        super().remove_file(path)

    def create_folder(self, path: Path) -> None:
        self._count_step("make_folder", path)
        super().create_folder(path)
        self._pending.append((path.parent, lambda: shutil.rmtree(path)))

    def _make_restorer(self, path: Path) -> Callable[[], object]:
        """Return what gives a name the file back that it has now."""
        if not path.exists():
            return lambda: path.unlink(missing_ok=True)
        content, whole = path.read_bytes(), _file_identity(path) in self._synced

        def restore_file() -> None:
            path.write_bytes(content)
            if whole:
                self._synced.add(_file_identity(path))

        return restore_file

    def lose_power(self) -> None:
        """Forget what was not synced."""
        for _, undo in reversed(self._pending):
            undo()
        for path in self._root.rglob("*"):
            if path.is_file() and _file_identity(path) not in self._synced:
                os.truncate(path, path.stat().st_size // 2)


def _file_identity(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
