"""An audit says which config it measures, and which part of it, where a person sees it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typed import run

from facelet.pipeline.audit import audit
from facelet.pipeline.words import shows_progress

NAMES = ["toys.choice", "toys.effect", "toys.reading", "toys.yesno"]


def look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person look at stderr."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


def test_each_part_of_each_config_is_named_and_counted(
    toys: SimpleNamespace, toy_dataset: Path, monkeypatch, capsys
) -> None:
    look(monkeypatch)
    record = audit.audit(toy_dataset, toys.lookup, progress=True)
    told = capsys.readouterr().err
    for name in NAMES:
        for part in ("rows", "figures", "floor"):
            assert f"{name}: {part}" in told
    assert "4/4" in told
    assert audit.audit(toy_dataset, toys.lookup) == record
    assert capsys.readouterr().err == "", "nobody asked for it"


@pytest.mark.slow
def test_processes_of_its_own_count_configs(
    toys: SimpleNamespace, toy_dataset: Path, monkeypatch, capsys
) -> None:
    look(monkeypatch)
    record = audit.audit(toy_dataset, toys.lookup, workers=2, progress=True)
    assert "4/4" in capsys.readouterr().err
    assert record == audit.audit(toy_dataset, toys.lookup)


def test_the_verb_shows_it_in_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[bool] = []

    def measure(*_: object, progress: bool, **__: object) -> audit.Report:
        shown.append(progress)
        return audit.Report({"configs": {}, "dataset": {}, "floors": {}}, 0, ())

    monkeypatch.setattr(audit, "measure", measure)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    for word in ([], ["progress=true"], ["progress=false"]):
        assert run("audit", ["/nowhere", *word]) == 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run("audit", ["/nowhere"]) == 0
    assert shown == [False, True, False, True] and shows_progress()
