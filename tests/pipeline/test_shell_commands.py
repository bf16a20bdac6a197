"""Commands that are printed work when they are pasted into a shell."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from facelet import pipeline
from facelet.pipeline.argument_text import split_key_value
from facelet.pipeline.shell_commands import format_command
from facelet.pipeline.verbs import VERBS

NAME = 'dä t\'ä "x" $HOME `id`'
MAIN = "from facelet.pipeline.cli import main; raise SystemExit(main())"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Return a function that gives a line to sh, where `facelet` is this program."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "facelet"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{MAIN}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")

    def call_shell(line: str, told: str = "", status: int = 0) -> str:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            input=told,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == status, (line, done.stdout, done.stderr)
        return done.stdout

    return call_shell


@pytest.mark.parametrize(
    "path", [NAME, "plain", "a=b", "'a'", '"', "'", "-x", "a;b|c&d(e)", "ü\\n"]
)
def test_a_shell_reads_back_what_was_meant(path, shell):
    line = format_command("info", dataset=path).replace("facelet info", "printf '%s'", 1)
    assert split_key_value(shell(line)) == ("dataset", path)


def find_unquoted(source: str) -> list[str]:
    """Return the commands in a program's f-strings whose values stand there unquoted."""
    verb = re.compile(rf"facelet (?:{'|'.join(VERBS)}) [^`\n]*\S=\W?$")
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            text = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    text += str(part.value)
                elif verb.search(text.rpartition("\n")[2]):
                    found.append(text.rpartition("\n")[2])
                else:
                    text += "VALUE"
    return found


def test_every_command_that_is_printed_is_quoted():
    root = Path(str(pipeline.__file__)).parent
    found = {
        str(path.relative_to(root)): lines
        for path in sorted(root.rglob("*.py"))
        if (lines := find_unquoted(path.read_text(encoding="utf-8")))
    }
    assert found == {}
    assert find_unquoted("print(f'score it: facelet score dataset={folder} x={y}')")
    assert find_unquoted("""print(f"next: facelet build 'suites=[{out}]'")""")


def commands_by_verb(printed: str) -> dict[str, str]:
    """Return the commands that a text shows, by verb."""
    return {found[1]: found[0] for found in re.finditer(r"facelet (\w+) \S.*", printed)}


@pytest.mark.slow
def test_what_a_build_and_a_play_print_works_in_a_shell(shell, tmp_path):
    words = "profile=smoke 'suites=[marble]' 'tasks=[perception]' count=2 workers=1"
    built = shell(format_command("build", out=NAME) + f" {words}")
    shown = commands_by_verb(built)
    assert sorted(shown) == ["info", "score", "verify"]
    assert "marble.perception" in shell(shown["info"])
    assert "no failure" in shell(shown["verify"])
    begin = commands_by_verb(shell(format_command("play", dataset=NAME)))["play"]
    out = format_command("x", out=f"{NAME}/plays").removeprefix("facelet x ")
    played = shell(f"{begin} {out} draw=no", told="anything\n\n")
    assert (
        "accuracy"
        in shell(commands_by_verb(played)["score"] + " missing=ignore out=report").lower()
    )
    (tmp_path / "FILE.jsonl").write_text((tmp_path / NAME / "plays/transcripts.jsonl").read_text())
    assert "accuracy" in shell(shown["score"]).lower()
