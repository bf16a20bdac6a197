"""An audit says which config it measures, and which part of it, where a person sees it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typed import run_verb

from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.audit import dataset_audit

NAMES = ["toys.choice", "toys.effect", "toys.reading", "toys.yesno"]


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person look at stderr."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


def test_each_part_of_each_config_is_named_and_counted(
    toys: SimpleNamespace, toy_dataset: Path, monkeypatch, capsys
) -> None:
    use_terminal(monkeypatch)
    record = dataset_audit.audit_dataset(toy_dataset, toys.lookup, progress=True)
    told = capsys.readouterr().err
    for name in NAMES:
        for part in ("rows", "figures", "floor"):
            assert f"{name}: {part}" in told
    assert "4/4" in told
    assert dataset_audit.audit_dataset(toy_dataset, toys.lookup) == record
    assert capsys.readouterr().err == "", "nobody asked for it"


@pytest.mark.slow
def test_processes_of_its_own_count_configs(
    toys: SimpleNamespace, toy_dataset: Path, monkeypatch, capsys
) -> None:
    use_terminal(monkeypatch)
    record = dataset_audit.audit_dataset(toy_dataset, toys.lookup, workers=2, progress=True)
    assert "4/4" in capsys.readouterr().err
    assert record == dataset_audit.audit_dataset(toy_dataset, toys.lookup)


def test_the_verb_shows_it_in_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[bool] = []

    def fake_measure(*_: object, progress: bool, **__: object) -> dataset_audit.AuditReport:
        shown.append(progress)
        return dataset_audit.AuditReport({"configs": {}, "dataset": {}, "floors": {}}, 0, ())

    monkeypatch.setattr(dataset_audit, "measure_dataset", fake_measure)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    for word in ([], ["progress=true"], ["progress=false"]):
        assert run_verb("audit", ["/nowhere", *word]) == 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run_verb("audit", ["/nowhere"]) == 0
    assert shown == [False, True, False, True] and can_show_progress()
