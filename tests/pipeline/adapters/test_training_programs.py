"""The training programs of the guide, as it prints them, with tiny models for large ones."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_models
from documents import ROOT

pytestmark = pytest.mark.adapters

SHORT = {"train_trl.py": ["--steps", "10", "--group", "2", "--length", "8"], "train_verl.py": []}
LOOP = [*SHORT["train_trl.py"], "--rate", "0.01"]
"""Options that make a program short; the guide's own lines train for days."""
MODELS = {"Qwen/Qwen3-0.6B": "reading", "Qwen/Qwen3-VL-2B-Instruct": "seeing"}


def lines():
    """The commands of the guide."""
    text = (ROOT / "conf" / "docs" / "train.md").read_text()
    blocks = re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if "examples/train_" in line]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a small dataset and the models."""
    home = tmp_path_factory.mktemp("training")
    words = ["profile=smoke", "suites=[cube_bench]", "depths=1-2", "splits=train:4,test:4"]
    build = [Path(sys.executable).with_name("facelet"), "build", *words, "out=data/out/training"]
    subprocess.run(build, cwd=home, check=True, capture_output=True)
    for name, kind in MODELS.items():
        model, processor = getattr(tiny_models, f"{kind}_model")()
        model.save_pretrained(home / name)
        processor.save_pretrained(home / name)
    return home


def test_the_guide_has_programs_for_all():
    assert len(lines()) >= 8
    assert {"train_trl.py", "train_loop.py", "train_verl.py"} <= {
        Path(shlex.split(line)[1]).name for line in lines()
    }


@pytest.mark.parametrize("line", lines())
def test_a_program_trains(line, home):
    words = shlex.split(line)
    program = ROOT / words[1]
    more = SHORT.get(program.name, LOOP)
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, program, *words[2:], *more],
        cwd=home,
        env=env,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    if program.name == "train_verl.py":
        assert "main_ppo" in done.stdout and (home / "verl" / "tools.yaml").is_file()
        return
    assert (home / "trained" / "config.json").is_file()
    steps = re.findall(r"^step (\d+): reward", done.stdout, re.MULTILINE)
    told = re.findall(r"'reward': ", done.stdout)
    assert len(steps) == 10 or len(told) == 10
