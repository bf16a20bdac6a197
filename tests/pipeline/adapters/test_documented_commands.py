"""Commands of other tools run as the README prints them, against a server on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import chat_server
from documents import readme_commands

pytestmark = pytest.mark.adapters


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of a reader who has built datasets, with the tools in its environment."""
    home = tmp_path_factory.mktemp("reader")
    (home / ".venv").symlink_to(Path(sys.prefix))
    words = ["profile=smoke", "suites=[cube_bench]", "depths=1-3", "splits=train:4,test:4"]
    for name in ("small", "training"):
        build = [".venv/bin/facelet", "build", *words, f"out=data/out/{name}"]
        subprocess.run(build, cwd=home, check=True, capture_output=True)
    yield home


# inspect_ai wants a newer client than the other tools allow: `make test-extras` types its commands.
@pytest.mark.parametrize("tool", ["lm_eval", "vf-eval"])
def test_a_tool_runs_as_the_readme_says(tool, folder, tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    with chat_server() as url:
        env = kept | {"PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{kept['PATH']}"}
        env |= {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
        lines = readme_commands(tool, url)
        assert lines
        for line in lines:
            done = subprocess.run(
                line, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=3600
            )
            assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
