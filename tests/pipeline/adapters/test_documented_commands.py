"""Commands of other tools run as the README prints them, against a server on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import chat_server
from documents import commands

pytestmark = pytest.mark.adapters

THEIRS = [c for c in commands() if c.words[0] in ("inspect", "lm_eval", "vf-eval")]
BEFORE = [c for c in commands() if "harness" in c.words]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of a reader who has built datasets, with the tools in its environment."""
    home = tmp_path_factory.mktemp("reader")
    (home / ".venv").symlink_to(Path(sys.prefix))
    words = ["profile=smoke", "suites=[cube_bench,marble]", "depths=1-3", "count=4"]
    for name in ("small", "facelet-paper", "training"):
        split = ["splits=train:4,test:4"] if name == "training" else []
        build = [".venv/bin/facelet", "build", *words, *split, f"out=data/out/{name}"]
        subprocess.run(build, cwd=home, check=True, capture_output=True)
    yield home


@pytest.mark.parametrize("command", THEIRS, ids=str)
def test_a_tool_runs_as_the_readme_says(command, folder, tmp_path):
    bin_ = Path(sys.prefix) / "bin"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    with chat_server() as url:
        env = kept | {"PATH": f"{bin_}{os.pathsep}{kept['PATH']}", "OPENAI_API_KEY": "none"}
        env |= {"OPENAI_BASE_URL": url, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
        env |= {"FACELET_CACHE": os.environ.get("FACELET_CACHE", ""), "INSPECT_DISPLAY": "none"}
        for line in [c.text for c in BEFORE if "lm_eval" in command.words] + [command.text]:
            line = line.replace("http://localhost:8000/v1", url).replace("URL", url)
            line = line.replace("NAME", "m")
            done = subprocess.run(
                line, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=3600
            )
            assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            assert "Traceback" not in done.stderr, done.stderr[-3000:]
