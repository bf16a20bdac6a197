"""Processes of their own that talk to the loopback Hub as a person's would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from loopback_hub import TOKEN, LoopbackHub

LOAD = """
import json, sys
import datasets

datasets.disable_progress_bars()
repo, config, split, revision = sys.argv[1:]
rows = datasets.load_dataset(repo, config, split=split, revision=revision)
stream = datasets.load_dataset(repo, config, split=split, revision=revision, streaming=True)
found = list(stream)
assert [row["id"] for row in found] == rows["id"]
assert found[0]["images"][0].size == rows[0]["images"][0].size
print(json.dumps([[row["id"], row["gold"], row["messages"]] for row in rows]))
"""


def client_environment(server: LoopbackHub, home: Path) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    more = {"HF_ENDPOINT": server.url, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    return known | more | {"HF_TOKEN": TOKEN}


def run_facelet(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from facelet.pipeline.cli import main; exit(main())", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def run_python(env: dict[str, str], code: str, *words: str) -> str:
    """Return what a script prints."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
