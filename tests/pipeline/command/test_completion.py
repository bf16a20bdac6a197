"""Completion, by the protocol with which the three shells ask."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.command.setting_keys import (
    PROGRAM,
    VARIABLE,
    list_conf_files,
    list_task_names,
    list_verb_keys,
)
from facelet.pipeline.command.verb_command import load_verb
from facelet.pipeline.verbs import VERBS

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def offers(monkeypatch, capsys):
    """Return a function that asks as a shell does, and gives what it is offered."""

    def ask_shell(shell: str, line: str) -> list[str]:
        words = line.split(" ")
        incomplete = words[-1]
        if shell == "bash":  # which takes an equals sign for a word
            split = line.replace("=", " = ").split()
            cursor = len(split) - (incomplete != "")
            told, place = "\n".join(split), str(cursor)
        elif shell == "zsh":
            told, place = line, str(len(words) - 1)
        else:
            told, place = line, incomplete
        monkeypatch.setenv(VARIABLE, f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", told)
        monkeypatch.setenv("COMP_CWORD", place)
        assert main([]) == 0
        shown = capsys.readouterr().out.strip("\n").splitlines()
        if shell == "zsh":
            assert set(shown[0::3]) <= {"plain"}
            return shown[1::3]
        assert all(item.startswith("plain,") for item in shown)
        return [item.removeprefix("plain,").partition("\t")[0] for item in shown]

    return ask_shell


def values_behind_key(shell: str, key: str, values: list[str]) -> list[str]:
    """Return values as a shell is to set them behind `key=`."""
    return values if shell == "bash" else [f"{key}={value}" for value in values]


@pytest.mark.parametrize("shell", SHELLS)
def test_verbs(offers, shell):
    assert offers(shell, "facelet ") == list(VERBS)
    assert offers(shell, "facelet ve") == ["verify"]
    assert offers(shell, "facelet completion z") == ["zsh"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", VERBS)
def test_keys_of_every_verb(offers, shell, name):
    known = [
        one.name
        for one in list_verb_keys(load_verb(name).load().Settings)
        if not one.about.takes_dotted_words
    ]
    assert {f"--{key}" for key in known} <= set(offers(shell, f"facelet {name} --"))
    assert {f"{key}=" for key in known} <= set(offers(shell, f"facelet {name} "))


@pytest.mark.parametrize("shell", SHELLS)
def test_values_behind_key_and_option(offers, shell):
    for line in ("facelet build profile=s", "facelet build depths=1-3 profile=s"):
        assert offers(shell, line) == values_behind_key(shell, "profile", ["smoke"])
    assert offers(shell, "facelet build --profile s") == ["smoke"]
    assert offers(shell, "facelet build --profile=s") == ["smoke"]
    assert offers(shell, "facelet build profile=") == values_behind_key(
        shell, "profile", list_conf_files("profile")
    )
    assert offers(shell, "facelet build quiet=") == values_behind_key(
        shell, "quiet", ["true", "false"]
    )
    assert offers(shell, "facelet certify metric=q") == values_behind_key(shell, "metric", ["qtm"])
    assert offers(shell, "facelet build metric=q") == values_behind_key(shell, "metric", ["qtm"])
    assert offers(shell, "facelet build runner=d") == values_behind_key(shell, "runner", ["dask"])


@pytest.mark.parametrize("shell", SHELLS)
def test_suites_and_tasks_also_inside_a_list(offers, shell):
    wanted = ["marble", "marble_as_published", "marble_variants"]
    assert offers(shell, "facelet build suites=marb") == values_behind_key(shell, "suites", wanted)
    found = [f"cubebench,{name}" for name in wanted]
    assert offers(shell, "facelet build suites=cubebench,marb") == values_behind_key(
        shell, "suites", found
    )
    assert "cube/move_effect" in list_task_names()
    asked = offers(shell, "facelet build --tasks cube/move_e")
    assert asked == ["cube/move_effect"]


@pytest.mark.parametrize("shell", SHELLS)
def test_paths(offers, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "out").mkdir(parents=True)
    (tmp_path / "dates.txt").touch()
    (tmp_path / ".hidden").touch()
    assert offers(shell, "facelet info da") == ["dataset=", "data/", "dates.txt"]
    assert offers(shell, "facelet score dataset=da") == values_behind_key(
        shell, "dataset", ["data/", "dates.txt"]
    )
    assert offers(shell, "facelet score --dataset data/") == ["data/out/"]
    assert offers(shell, "facelet score dataset=no/such/") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_a_key_that_is_set_is_not_offered_again(offers, shell):
    assert "cells=" not in offers(shell, "facelet info --cells true ")
    assert "dataset=" in offers(shell, "facelet info --cells true ")


def test_the_registry_has_the_tasks_that_completion_offers():
    from facelet.generators.core import task_registry

    assert set(task_registry.tasks()) == set(list_task_names())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_this_program(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"{VARIABLE}={shell}_complete" in script and PROGRAM in script
    assert ("-o nospace" in script) == (shell == "bash")
    assert ("-S ''" in script) == (shell == "zsh")
    assert main(["completion", f"--shell={shell}"]) == 0
    assert capsys.readouterr().out == script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_sets_what_it_is_offered(tmp_path: Path):
    program = tmp_path / "facelet"
    main_ = "from facelet.pipeline.cli import main; raise SystemExit(main())"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{main_}" "$@"\n')
    program.chmod(0o755)
    script = f"""
        PATH="{tmp_path}:$PATH"
        eval "$(facelet completion bash)"
        compopt() {{ echo "compopt $1 $2"; }}
        COMP_WORDS=(facelet build profile = s) COMP_CWORD=4
        _facelet_completion facelet; echo "${{COMPREPLY[@]}}"
        COMPREPLY=() COMP_WORDS=(facelet build prof) COMP_CWORD=2
        _facelet_completion facelet; echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["smoke", "compopt -o nospace", "profile="]
