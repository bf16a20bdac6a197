"""Floors: a build that a blind player wins is refused, unless its task says why or its builder."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import toy_build
import toy_games

from facelet.generators.core import task_registry
from facelet.pipeline import dataset_info, family_modules
from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.audit.dataset_audit import AuditError
from facelet.pipeline.audit.player_results import PlayerShare
from facelet.pipeline.cli import main
from facelet.pipeline.config.build_settings import ParamRange, SuiteTask
from facelet.pipeline.dataset import dataset_reader, floor_record
from facelet.pipeline.dataset.floor_record import DeclaredFloor

GUESSING = DeclaredFloor(0.25)


def audit_floor(
    toys: SimpleNamespace, out: Path, name: str, change: Any, declared: DeclaredFloor = GUESSING
) -> tuple[dict[str, Any], dataset_audit.AuditReport]:
    """Audit one toy config after a change to its items."""
    task = toys.tasks[name]
    cells = {key: [change(rows) for rows in items] for key, items in toys.fair_cells(task).items()}
    toys.write_config(out, task, cells)
    config = f"toys.{name.partition('/')[2]}"
    report = dataset_audit.measure_dataset(out, toys.lookup, declared={config: declared})
    return report.record["floors"][config], report


def build_ordered_change(toys: SimpleNamespace) -> Any:
    """Options of which the right one comes second in the alphabet, under the same letter."""

    def order_rows(rows: list[Any]) -> list[Any]:
        return [order_options(toys, row) for row in rows]

    return order_rows


def order_options(toys: SimpleNamespace, item: Any) -> Any:
    place = toys.letters.index(item.answer[0])
    right = item.options[place]
    words = sorted({*toys.words} - {right})
    before = [word for word in words if word < right] or words
    after = [word for word in words if word > right] or words
    others = [
        before[item.number % len(before)],
        *(after[(item.number + k) % len(after)] for k in (0, 1)),
    ]
    others = list(dict.fromkeys(others))
    others += [word for word in words if word not in others][: 3 - len(others)]
    others.insert(place, right)
    return toys.replace(item, options=tuple(others))


def test_a_fair_config_has_a_floor_near_chance(toys: SimpleNamespace, tmp_path: Path) -> None:
    floor, report = audit_floor(toys, tmp_path, "toy/choice", lambda rows: rows)
    assert not report.violations
    assert floor["low"] <= floor["value"] <= floor["high"]
    assert floor["value"] <= floor["limit"] and floor["declared"] == 0.25
    assert floor["value"] == max(floor["players"].values())
    assert {"relations", "relations_bayes", "learned_options", "always:A"} <= set(floor["players"])
    assert floor_record.parse_floor({"floor": floor}) == floor


def test_a_leaking_order_of_options_is_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    """Letters stay even and words say nothing alone: only comparing the options wins."""
    floor, report = audit_floor(toys, tmp_path, "toy/choice", build_ordered_change(toys))
    assert floor["player"].startswith("relations") and floor["value"] > 0.8
    line = next(line for line in report.violations if "toys.choice: a player" in line)
    assert floor["player"] in line and "allowed" in line and "chance" in line
    assert "blind_limit" in line


def test_a_declared_limit_is_kept(toys: SimpleNamespace, tmp_path: Path) -> None:
    told = DeclaredFloor(0.25, limit=0.99, reason="the order tells")
    floor, report = audit_floor(toys, tmp_path, "toy/choice", build_ordered_change(toys), told)
    assert not any("never looks" in line for line in report.violations)
    assert floor["reason"] == "the order tells" and floor["declared"] == 0.99


def test_who_was_chosen_of_many_may_be_lucky() -> None:
    """Each of ten replies wins a tenth; the best on either half of the puzzles plays the other."""
    rng = np.random.default_rng(1)
    halves = rng.multinomial(45, [0.1] * 10, size=(2, 400_000))
    one, two = np.take_along_axis(halves, halves[::-1].argmax(2)[..., None], 2)[..., 0]
    share = (one + two) / 90
    for tried, fair in ((1, False), (10, True)):
        bound = PlayerShare("fixed", 0.1, 90, player_count=tried).luck_bound(1e-3, 0.1)
        assert bool((share > bound).mean() < 1.2e-3) == fair
    # A list that wins a third of 90 games is still refused, out of 96 and among 40 games.
    assert PlayerShare("fixed", 0.33, 90, player_count=96).luck_bound(1e-3 / 40 / 2 / 3, 0.1) < 0.33
    # So is a learner that gets a third of 2,000 questions right.
    assert PlayerShare("relations", 0.33, 2000).luck_bound(1e-3 / 20 / 2 / 20, 0.25) < 0.33


def test_what_nobody_declares() -> None:
    assert DeclaredFloor().find_allowed_share()[0] == floor_record.UNSTATED
    assert DeclaredFloor(0.5).find_allowed_share() == (0.5, "chance")
    assert DeclaredFloor(0.5, limit=0.7, reason="why").find_allowed_share() == (0.7, "why")


@pytest.mark.parametrize("name", ["toy/effect", "toy/reading", "toy/yesno"])
def test_every_kind_of_question_has_a_floor(
    toys: SimpleNamespace, tmp_path: Path, name: str
) -> None:
    of = {"toy/reading": "elements", "toy/effect": "labels"}.get(name, "answers")
    floor, report = audit_floor(toys, tmp_path, name, lambda rows: rows, DeclaredFloor(0.5, of))
    assert not report.violations
    assert 0 < floor["value"] < 0.7 and floor["of"] == of
    assert ("kappa" in floor) == (name == "toy/effect")


def make_settings(out: Path, name: str, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Any:
    """Settings of a build of one toy game."""
    for game in (
        toy_games.FAIR,
        toy_games.LEAKING,
        toy_games.EXCUSED,
        toy_games.AGAIN,
        toy_games.DECLARING,
    ):
        module = ModuleType(game.name)
        module.TASK = game  # type: ignore[attr-defined]
        module.__doc__ = "A toy game."
        path = f"facelet.generators.toy.tasks.{game.name.partition('/')[2]}"
        monkeypatch.setitem(sys.modules, path, module)
    monkeypatch.setattr(type(getattr(toy_games, name.upper())), "__module__", "toy_games")
    settings = toy_build.settings(out, count=40, ranges={"level": ParamRange((1,))})
    entry = SuiteTask("toys", name, f"toy/{name}")
    return dataclasses.replace(settings, entries=(entry,), **changes)


def test_a_game_that_a_fixed_reply_wins_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = make_settings(tmp_path / "out", "leaking", monkeypatch)
    with pytest.raises(AuditError) as caught:
        toy_build.run(configured)
    (line,) = caught.value.report.violations
    assert line.startswith("toys.leaking: a player that never looks at the puzzle (fixed) gets 100")
    assert "toy/leaking" in line and "blind_limit" in line and "unfair=write" in str(caught.value)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_it_is_built_when_the_builder_asks_for_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = make_settings(tmp_path / "out", "leaking", monkeypatch, unfair="write")
    manifest = toy_build.run(configured)
    assert len(manifest.audit_violations) == 1
    assert "did not pass its audit" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(AuditError):  # what was kept for "write" is no excuse
        toy_build.run(dataclasses.replace(configured, unfair="refuse"))


def test_fair_and_excused_games_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fair = toy_build.run(make_settings(tmp_path / "fair", "fair", monkeypatch))
    floor = fair.configs["toys.fair"].floor
    assert floor["value"] < 0.15 and floor["reason"] == "chance"
    assert floor_record.format_floor(floor) in dataset_info.format_info(fair)
    excused = toy_build.run(make_settings(tmp_path / "excused", "excused", monkeypatch))
    card = (tmp_path / "excused" / "README.md").read_text()
    assert excused.configs["toys.excused"].floor["value"] == 1.0
    assert "`toys.excused` (100.0%): " in card
    assert "who says 200 three times wins" in card and "100.0% of answers" in card
    again = dataset_audit.read_declarations(dataset_reader.read_manifest(tmp_path / "excused"))
    assert again["toys.excused"].limit == 1.0
    assert family_modules.find_export("toy/baseline_players", "pieces") is None


def test_items_repeat_only_where_it_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AuditError) as caught:
        toy_build.run(make_settings(tmp_path / "again", "again", monkeypatch))
    found = [line for line in caught.value.report.violations if "duplicate" in line]
    twice = ["duplicate_prompts", "duplicate_puzzles", "duplicate_rows"]
    assert [line.split(": ")[1].split()[0] for line in found] == twice
    out = tmp_path / "declaring"
    manifest = toy_build.run(make_settings(out, "declaring", monkeypatch))
    assert manifest.audit["violations"] == [] and "repeats" not in manifest.audit
    told = manifest.configs["toys.declaring"]
    assert told.repeats == "there are ten numbers"
    figures = told.audit["test"]["figures"]
    figure = figures["duplicate_rows"]
    assert figure == {"value": 30.0, "n": 40, "note": "declared: there are ten numbers"}
    assert figures["false_labels"]["at_most"] == 0
    card = (out / "README.md").read_text()
    assert "duplicate_rows is 30 of 40 (test); declared: there are ten numbers" in card
    assert main(["audit", str(out)]) == 0  # again, from the files alone
    assert "duplicate_rows" in (said := capsys.readouterr().out)
    assert "[declared: there are ten numbers]" in said


def test_only_what_is_published_is_let_off() -> None:
    """Our own items may neither repeat nor be won blindly beyond what was declared before."""
    for name, task in task_registry.tasks().items():
        params = task.params()
        assert task.repeat_reason(params) == "", name
        limit = task.blind_limit(params)
        if name.startswith("arcade/"):
            assert limit is None or limit.value < 1 or task.lucky, name
            published = dataclasses.replace(params, published=True)
            assert task.repeat_reason(published) and task.blind_limit(published).value == 1.0, name
        elif "items" in {item.name for item in dataclasses.fields(params)}:
            assert task.repeat_reason(dataclasses.replace(params, items="as_published")), name


def test_a_damaged_floor_is_not_read() -> None:
    good = {"value": 0.5, "low": 0.4, "high": 0.6, "of": "answers", "player": "fixed"}
    assert floor_record.parse_floor({"floor": good}) == good
    assert floor_record.format_floor(good) == "50.0% of answers (40.0% to 60.0%, fixed)"
    for bad in (None, 3, {}, good | {"value": 2}, good | {"player": 1}, good | {"low": None}):
        assert floor_record.parse_floor({"floor": bad}) is None
    assert (
        floor_record.parse_floor(None) is None
        and floor_record.format_floor(None) == floor_record.NOT_MEASURED
    )
