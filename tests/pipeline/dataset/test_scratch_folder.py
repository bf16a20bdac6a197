"""Scratch folders go with their block, and what a killed process left goes with the next one."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from facelet.pipeline.dataset.atomic_files import open_scratch_folder

KILLED = """
import os
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
with open_scratch_folder("tried") as folder:
    (folder / "rows").write_bytes(b"1")
    print(folder, flush=True)
    os._exit(9)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_goes_with_its_block(place: Path) -> None:
    with pytest.raises(KeyError), open_scratch_folder("tried") as folder:
        (folder / "rows").mkdir()
        raise KeyError
    assert not list(place.iterdir())


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(place: Path) -> None:
    with open_scratch_folder("tried") as mine, open_scratch_folder("other") as others:
        ran = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True)
        left = Path(ran.stdout.strip())
        assert ran.returncode == 9
        assert (left / "rows").is_file()
        with open_scratch_folder("other"):
            assert left.is_dir()
        with open_scratch_folder("tried") as next_one:
            assert not left.exists()
            assert {mine, others, next_one} == {each for each in place.iterdir() if each.is_dir()}
    assert not list(place.iterdir())
