"""Floors at each level: hidden by no average, with legal moves, shortcuts and recorded studies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.prompts import Prompt
from facelet.pipeline.audit import dataset_audit, level_plays
from facelet.pipeline.audit.baseline_players import FamilyPlayers, PartialViewPlayer
from facelet.pipeline.audit.player_results import AnsweredRows, PlayerResult, cross_chosen_share
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.floor_record import DeclaredFloor, StudiedFloor


def audit_choice(
    toys: SimpleNamespace, out: Path, declared: DeclaredFloor, leaking: str = ""
) -> tuple[dict[str, Any], dataset_audit.AuditReport]:
    """Audit `toy/choice`; at one level the right option comes first in the list, if asked for."""
    task = toys.tasks["toy/choice"]
    cells = toys.fair_cells(task)

    def leak_level(rows: list[Any]) -> list[Any]:
        found = []
        for row in rows:
            place = toys.letters.index(row.answer[0])
            options = list(row.options)
            options[0], options[place] = options[place], options[0]
            found.append(dataclasses.replace(row, options=tuple(options), answer=("A",)))
        return found

    for key, items in cells.items():
        if leaking and leaking in str(key):
            cells[key] = [leak_level(rows) for rows in items]
    toys.write_config(out, task, cells)
    report = dataset_audit.measure_dataset(out, toys.lookup, declared={"toys.choice": declared})
    return report.record["floors"]["toys.choice"], report


def test_each_level_has_a_floor_of_its_own(toys: SimpleNamespace, tmp_path: Path) -> None:
    found, report = audit_choice(toys, tmp_path, DeclaredFloor(0.25))
    assert not report.violations and len(found["levels"]) > 1
    for level in found["levels"].values():
        assert level["chance"] == 0.25 and level["low"] <= level["value"] <= level["high"]
    assert floor_record.parse_floor({"floor": found}) == found
    assert [
        place for _, one, _ in floor_record.list_levels(found) for place in [one["difficulty"]]
    ] == sorted(one["difficulty"] for one in found["levels"].values())


def test_a_leak_at_one_level_is_averaged_away_by_nothing(
    toys: SimpleNamespace, tmp_path: Path
) -> None:
    loose = DeclaredFloor(0.25, limit=0.8, reason="a loose limit over all")
    strict = dataclasses.replace(loose, levels={"d02": DeclaredFloor(0.25)})
    found, report = audit_choice(toys, tmp_path / "loose", loose, "d02")
    assert found["levels"]["d02"]["value"] > 0.9 > 0.5 > found["levels"]["d01"]["value"]
    assert not [line for line in report.violations if "never looks" in line and "d01" in line]
    _, report = audit_choice(toys, tmp_path / "strict", strict, "d02")
    assert any(line.startswith("toys.choice d02: a player") for line in report.violations)


def test_a_study_that_found_more_is_what_is_printed(toys: SimpleNamespace, tmp_path: Path) -> None:
    study = StudiedFloor(0.61, 0.58, 0.64, 1000, "boosted")
    told = DeclaredFloor(
        0.25, levels={"d01": DeclaredFloor(0.25, limit=0.7, reason="r", studied=study)}
    )
    found, report = audit_choice(toys, tmp_path, told)
    assert not report.violations
    level = found["levels"]["d01"]
    assert (level["value"], level["player"], level["studied"]) == (0.61, "boosted", True)
    assert "studied" not in found["levels"]["d02"]


def test_a_build_that_finds_more_than_a_study_is_refused(
    toys: SimpleNamespace, tmp_path: Path
) -> None:
    study = StudiedFloor(0.25, 0.22, 0.28, 1000, "always:A")
    level = DeclaredFloor(0.25, limit=1.0, reason="anything", studied=study)
    told = DeclaredFloor(0.25, limit=1.0, reason="anything", levels={"d02": level})
    found, report = audit_choice(toys, tmp_path, told, "d02")
    assert any(
        "repeat the study: make floors TASK=toy/choice" in line for line in report.violations
    )
    assert "studied" not in found["levels"]["d02"]


def test_legal_moves_are_chance_and_lookers_are_shortcuts(
    toys: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_knowing_player(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
        return lambda prompt: instance.answer[0]

    def make_random_player(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
        return lambda prompt: "ABCD"[int(rng.integers(4))]

    family = FamilyPlayers(
        shortcuts=lambda task: {"all": PartialViewPlayer("everything", make_knowing_player)},
        legal=lambda task: PartialViewPlayer("any letter", make_random_player),
    )
    monkeypatch.setattr(level_plays, "load_family_players", lambda task: family)
    found, report = audit_choice(toys, tmp_path, DeclaredFloor(None, limit=0.5, reason="why"))
    assert not report.violations
    shortcut = found["shortcuts"]["all"]
    assert shortcut["value"] == 1.0 and shortcut["looks_at"] == "everything"
    assert shortcut["levels"].keys() == found["levels"].keys()
    for level in found["levels"].values():
        assert level["chance"] == level["legal"]["value"]
        assert level["legal"]["low"] < 0.4 and level["legal"]["high"] > 0.1


def test_the_best_of_many_is_judged_where_it_was_not_chosen() -> None:
    """Of a hundred players that draw letters the best looks like 40%, and is worth 25%."""
    rng = np.random.default_rng(4)
    rows = AnsweredRows.from_rows(("d01", f"cluster {k}") for k in range(100))
    players = [
        PlayerResult.from_wins(f"p{n}", rows, (rng.random(100) < 0.25).astype(float), np.ones(100))
        for n in range(100)
    ]
    best = max(player.overall_share().value for player in players)
    judged = cross_chosen_share(players, "d01")
    assert judged is not None and best > 0.34 and judged.value < 0.34
    assert cross_chosen_share(players, "d02") is None
