"""No valid record is lost, whatever the form, packing and damage of a prediction file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import prediction_files
import pytest

from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

SEED = 2111


def check_file(made: prediction_files.MadeFile, path: Path, limit: int = 32) -> None:
    path.write_bytes(made.data)
    found = list(read_records(path, IngestLimits(limit)))
    values = [one.value for one in found if not isinstance(one.value, UnreadableRecord)]
    names = [
        value.get("id") or value.get("custom_id") for value in values if isinstance(value, dict)
    ]
    rest = iter(names)  # A flipped bit may make another record's id.
    assert all(name in rest for name in made.owed_records), (
        f"{made.name}: {names}, not {made.owed_records}"
    )
    part = any(isinstance(one.value, ReadStopped) for one in found)
    assert made.part is None or part == made.part, f"{made.name}: {found[-1]}"


@pytest.mark.parametrize("start", range(0, 400, 100))
@pytest.mark.some(2)
def test_no_valid_record_is_lost(tmp_path: Path, start: int) -> None:
    for number in range(start, start + 98):  # the larger ones are the slow test's
        check_file(prediction_files.make_file(SEED, number), tmp_path / "predictions")


CHILD = """
import re, sys
from pathlib import Path
import prediction_files
from facelet.pipeline.scoring.ingest.file_reader import read
from facelet.pipeline.scoring.ingest.ingest_limits import Limits, MEBI

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

path, number, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
small = path.with_name("small")
small.write_bytes(prediction_files.made(1, 0).data)
for one in read(small, Limits(limit)):
    pass
before = peak()
for one in read(path, Limits(limit)):
    del one
print((peak() - before) / (limit * MEBI))
"""


def peak_memory(path: Path, number: int, limit: int) -> float:
    """Return the peak of reading a file over that of a small one, in largest records."""
    shared = str(Path(prediction_files.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {shared!r})\n{CHILD}",
         str(path), str(number), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    return float(done.stdout)


@pytest.mark.slow
def test_the_whole_corpus(tmp_path: Path) -> None:
    worst = 0.0
    for number in range(10_000):
        made = prediction_files.make_file(SEED, number)
        check_file(made, tmp_path / "predictions")
        if len(made.data) > 8 << 20 or number % 500 == 499:
            worst = max(worst, peak_memory(tmp_path / "predictions", number, 32))
    assert 0 < worst < 8, worst
