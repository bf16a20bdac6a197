"""Files are whole or absent, whoever else writes them, and nobody is led through a link."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from facelet.pipeline.dataset import atomic_files


def test_any_number_of_writers_may_write_one_file(tmp_path):
    path = tmp_path / "deep" / "file"
    texts = [str(number) * 10_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: atomic_files.write_text(path, text), texts * 10))
    assert path.read_text() in texts
    assert [item.name for item in path.parent.iterdir()] == ["file"]


def test_a_failed_write_leaves_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(OSError, match="no space"), atomic_files.write_atomically(path) as file:
        file.write(b"new")
        raise OSError("no space")
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


def test_a_failed_sync_leaves_nothing(tmp_path, monkeypatch):
    def fail_sync(path):
        raise OSError("the disk is gone")

    monkeypatch.setattr(atomic_files.disk, "sync_path", fail_sync)
    with pytest.raises(OSError, match="gone"):
        atomic_files.write_text(tmp_path / "file", "text")
    assert not list(tmp_path.iterdir())


def test_links_are_replaced_and_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "file").symlink_to(victim)
    atomic_files.write_text(tmp_path / "file", "text")
    assert victim.read_text() == "precious"
    assert (tmp_path / "file").read_text() == "text"
    monkeypatch.setattr(atomic_files, "token_hex", lambda size: "guessed")
    (tmp_path / ".other.guessed.tmp").symlink_to(victim)
    with pytest.raises(FileExistsError):
        atomic_files.write_text(tmp_path / "other", "text")
    assert victim.read_text() == "precious"


def test_remove_takes_what_is_there(tmp_path):
    atomic_files.write_text(tmp_path / "file", "text")
    atomic_files.remove_file(tmp_path / "file")
    atomic_files.remove_file(tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_folders_are_made_and_synced_one_in_the_other(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(atomic_files.disk, "sync_path", synced.append)
    atomic_files.create_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    atomic_files.create_folder(tmp_path / "a" / "b")
    assert len(synced) == 3
    atomic_files.disk.create_folder(tmp_path / "a")  # another process may have made it in between


def test_a_file_that_was_published_and_not_synced_is_told_as_such(tmp_path, monkeypatch):
    def fail_on_folders(path):
        if path.is_dir():
            raise OSError("the disk is gone")

    monkeypatch.setattr(atomic_files.disk, "sync_path", fail_on_folders)
    with pytest.raises(OSError, match="the disk is gone"):
        atomic_files.write_text(tmp_path / "file", "text")


def test_temporary_names_are_long_and_hidden(tmp_path):
    with atomic_files.write_atomically(tmp_path / "file"):
        (temporary,) = tmp_path.iterdir()
    assert re.fullmatch(r"\.file\.[0-9a-f]{16}\.tmp", temporary.name)


def test_what_is_written_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    steps = []
    disk = atomic_files.disk
    rename, sync, remove = disk.rename_file, disk.sync_path, disk.remove_file
    monkeypatch.setattr(disk, "sync_path", lambda path: (steps.append(path.suffix), sync(path)))
    monkeypatch.setattr(disk, "rename_file", lambda a, b: (steps.append("rename"), rename(a, b)))
    monkeypatch.setattr(disk, "remove_file", lambda path: (steps.append("remove"), remove(path)))
    atomic_files.write_text(tmp_path / "file", "text")
    atomic_files.remove_file(tmp_path / "file")
    assert steps == [".tmp", "rename", "", "remove", ""]
