from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typed import parse_settings, resolve_words

from facelet import __version__
from facelet.generators.core import compiled_parts
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.cli import main
from facelet.pipeline.verbs import VERBS

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


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_of_a_verb_may_be_asked_for_either_way(verb, capsys):
    assert main([verb, "--help"]) == 0
    page = capsys.readouterr().out
    assert main(["help", verb]) == 0
    assert capsys.readouterr().out == page
    for line in page.partition("Examples:")[2].splitlines():
        bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", line.partition("  #")[0])
        assert not set("[]*?;") & set(bare), "a shell would read these otherwise"


@pytest.mark.parametrize("told", [None, True, False])
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.some(3)
def test_progress_is_for_terminals_unless_told(told, terminal, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert can_show_progress(told) is (terminal if told is None else told)
    words = [] if told is None else [f"progress={told}"]
    assert resolve_words(words)[0].progress is (terminal if told is None else told)
    assert resolve_words([*words, "quiet=true"])[0].progress is False
    typed = parse_settings("verify", ["dataset=x", *words]).progress
    assert typed is told and can_show_progress(typed) is (terminal if told is None else told)


def run_make(*words):
    return subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("word", ["DEPTS=1-3", "SUITE=marble", "tasks=x"])
def test_make_refuses_a_misspelt_variable(word):
    done = run_make("help", word)
    assert done.returncode == 2
    assert f"unknown variable {word.partition('=')[0]}; there are: PYTHON DEPTHS" in done.stderr


@pytest.mark.parametrize("profile", ["smoke", "paper"])
def test_make_dataset_makes_what_facelet_build_makes(profile):
    """The command that make would run has the same plan as the plain one."""
    commands = run_make("dataset", f"PROFILE={profile}", "-o", ".venv/.runtime").stdout
    (line,) = [x for x in commands.replace("\\\n", " ").splitlines() if "facelet build" in x]
    words = shlex.split(line.partition("facelet build")[2])
    plain = compute_plan(resolve_words([f"profile={profile}"])[0])
    assert compute_plan(resolve_words(words)[0]).plan_hash == plain.plan_hash


def test_version(capsys):
    assert main(["--version"]) == 0
    first, _, parts = capsys.readouterr().out.splitlines()
    assert first == f"facelet {__version__}"
    assert parts.startswith("compiled: chamber.plans._planner, ")
    assert {name.rpartition("._")[2] for name in parts.split(", ")} == {
        *(
            "core",
            "coset",
            "digests",
            "drawing",
            "four",
            "lines",
            "planner",
            "reading",
            "search",
            "two_phase",
        ),
    }


def test_version_names_what_is_not_compiled_and_the_fix(capsys, monkeypatch):
    compiled_parts.load_compiled.cache_clear()
    monkeypatch.setattr(
        compiled_parts, "import_module", lambda name: exec("raise ImportError(name)")
    )
    try:
        assert main(["--version"]) == 0
    finally:
        compiled_parts.load_compiled.cache_clear()
    *_, have, lack, fix = capsys.readouterr().out.splitlines()
    assert have == "compiled: nothing"
    assert lack.startswith("not compiled: chamber.plans._planner, core._drawing, ")
    assert "install a wheel for this system" in fix


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["biuld"], r"unknown verb 'biuld' (did you mean 'build'?); known: list, eval, build"),
        (["build", "depths=0"], "facelet build: depths=0: 0 is out of range"),
        (["build", "--dephts", "1"], "unknown key 'dephts' (did you mean 'depths'?)"),
        (["score", "dataset=/no", "predictions=x"], "facelet score: no dataset folder '/no'"),
        (["info"], "facelet info: dataset=... is required: a dataset folder"),
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
    assert done.stdout.splitlines()[0] == f"facelet {__version__}"


def test_score_and_info_load_no_hydra():
    script = (
        "import sys; from facelet.pipeline.cli import main; main(['score', '--help']); "
        "main(['info', '--help']); "
        "from facelet.pipeline.dataset import dataset_reader, row_columns; "
        "print([m for m in ('hydra', 'omegaconf', 'joblib', 'datasets') if m in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
