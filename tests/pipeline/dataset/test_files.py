"""Files are whole or absent, whoever else writes them, and nobody is led through a link."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from facelet.pipeline.dataset import files


def test_any_number_of_writers_may_write_one_file(tmp_path):
    path = tmp_path / "deep" / "file"
    texts = [str(number) * 10_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: files.write_text(path, text), texts * 10))
    assert path.read_text() in texts
    assert [item.name for item in path.parent.iterdir()] == ["file"]


def test_a_failed_write_leaves_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(OSError, match="no space"), files.whole(path) as file:
        file.write(b"new")
        raise OSError("no space")
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


def test_a_failed_sync_leaves_nothing(tmp_path, monkeypatch):
    def fail(path):
        raise OSError("the disk is gone")

    monkeypatch.setattr(files.disk, "sync", fail)
    with pytest.raises(OSError, match="gone"):
        files.write_text(tmp_path / "file", "text")
    assert not list(tmp_path.iterdir())


def test_links_are_replaced_and_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "file").symlink_to(victim)
    files.write_text(tmp_path / "file", "text")
    assert victim.read_text() == "precious"
    assert (tmp_path / "file").read_text() == "text"
    monkeypatch.setattr(files, "token_hex", lambda size: "guessed")
    (tmp_path / ".other.guessed.tmp").symlink_to(victim)
    with pytest.raises(FileExistsError):
        files.write_text(tmp_path / "other", "text")
    assert victim.read_text() == "precious"


def test_remove_takes_what_is_there(tmp_path):
    files.write_text(tmp_path / "file", "text")
    files.remove(tmp_path / "file")
    files.remove(tmp_path / "file")
    assert not list(tmp_path.iterdir())
