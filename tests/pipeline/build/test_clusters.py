"""Real clusters of this machine: equal bytes, though a worker is killed in the middle.

Needs the extra `cluster`; `make test-slow` installs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_cluster_that_loses_a_worker_makes_the_same_bytes(backend, toy, tmp_path, published):
    toy.run(toy.settings(tmp_path / "local"))
    mark, out = tmp_path / "killed", tmp_path / backend
    env = {**os.environ, "TOY_KILL_ONCE": str(mark)}
    paths = [str(ROOT), str(HERE), str(SHARED), os.environ.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    done = subprocess.run(
        [*command, f"runner={json.dumps(backend)}"], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert mark.exists(), "no worker was killed"
    assert published(out) == published(tmp_path / "local")
