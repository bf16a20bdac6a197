from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from facelet import __version__
from facelet.pipeline.cli import VERBS, main

ROOT = Path(__file__).parents[2]


def test_help_names_every_verb(capsys):
    assert main(["--help"]) == 0
    page = capsys.readouterr().out
    for verb in VERBS:
        assert f"  {verb}" in page
    assert main([]) == 2


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_explains_itself(verb, capsys):
    assert main([verb, "--help"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"facelet {verb}")
    assert "=" in page


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"facelet {__version__}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["biuld"], r"unknown verb 'biuld' (did you mean 'build'?); known: build, certify"),
        (["build", "depths=0"], "facelet build: depths=0: 0 is out of range"),
        (["build", "--depths", "1"], "words are written key=value"),
        (["info"], "facelet info: name a dataset folder"),
        (["info", "/no/such/folder"], "facelet info: '/no/such/folder' has no manifest.json"),
    ],
)
def test_mistakes_are_told_on_stderr(words, message, capsys):
    assert main(words) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_module_is_the_same_command():
    command = [sys.executable, "-m", "facelet", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"facelet {__version__}\n"


def test_score_and_info_load_no_hydra():
    script = (
        "import sys; from facelet.pipeline.cli import main; main(['score', '--help']); "
        "main(['info', '--help']); from facelet.pipeline.dataset import rows, reading; "
        "print([m for m in ('hydra', 'omegaconf', 'joblib', 'datasets') if m in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
