"""A folder is replaced as a whole, and the old one stays if its successor never comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from facelet.pipeline.dataset import atomic_files


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "old.txt").write_text("old")
    return folder


def write_new(out: Path) -> None:
    with atomic_files.write_folder(out) as folder:
        (folder / "new.txt").write_text("new")


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_replaced_as_a_whole(out: Path) -> None:
    write_new(out)
    assert list_names(out) == ["new.txt"] and list_names(out.parent) == ["site"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_the_old_folder_returns(
    out: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    def publish_nothing(*_: object) -> None:
        raise failure

    monkeypatch.setattr(atomic_files, "publish_file", publish_nothing)
    with pytest.raises(type(failure)):
        write_new(out)
    assert list_names(out) == ["old.txt"] and list_names(out.parent) == ["site"]


def test_what_a_killed_program_left_is_settled(out: Path) -> None:
    out.rename(out.with_name(".site.old"))
    (out.parent / ".site.0123456789abcdef.tmp").mkdir()
    with pytest.raises(ValueError, match="stop"), atomic_files.write_folder(out):
        raise ValueError("stop")
    assert list_names(out) == ["old.txt"] and list_names(out.parent) == ["site"]
