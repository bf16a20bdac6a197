"""The five players of games: what they win where the answer is known, and where it is recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.arcade.base.puzzle_selection import wins_by_player
from facelet.generators.core import task_registry
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw, make_generator
from facelet.pipeline.audit.blind_episode_players import PlayCounts
from facelet.pipeline.audit.config_floor import measure_floor
from facelet.pipeline.audit.level_plays import LevelPlays, LookResult
from facelet.pipeline.audit.studies import game_study
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import floor_studies
from facelet.pipeline.dataset.floor_record import DeclaredFloor
from facelet.pipeline.dataset.floor_studies import FloorStudy


def study_level(name: str, level: int, count: int, replies: int) -> FloorStudy:
    params = {"level": level, "published": False, "turns": 0, "picked": "hard"}
    (found,) = game_study.study_game(name, {"l": params}, count, replies)
    return found


def test_a_list_tuned_on_the_prompt_beats_what_it_beat_from_outside() -> None:
    """Replies say nothing in password breaking: one list wins nearly all of a range."""
    found = study_level("arcade/password_breaking", 1, 40, 8_000)
    assert found.players["prompt"]["value"] > 0.85 > found.players["script"]["value"]
    assert (found.player, found.value) == ("prompt", found.players["prompt"]["value"])


def test_a_floor_is_never_below_any_legal_command() -> None:
    found = study_level("arcade/xor_breaking", 1, 20, 200)
    assert found.value >= max(found.players[name]["value"] for name in ("legal", "script"))
    assert found.players["rule"]["value"] == 1.0
    assert found.rule.startswith("take a number with an even count of ones")


def test_a_plan_is_a_shortcut_where_the_prompt_shows_everything() -> None:
    found = study_level("arcade/knight_battle", 1, 20, 2_000)
    assert found.players["prompt"]["value"] > 0.8 > found.value
    assert {"prompt", "rule"} <= found.to_studied_floor().shortcuts.keys()
    other = study_level("arcade/password_breaking", 1, 20, 2_000)
    assert "prompt" not in other.to_studied_floor().shortcuts


def test_the_last_reply_decides_some_games_of_one_question() -> None:
    found = study_level("arcade/mahjong_detective", 1, 40, 8_000)
    assert found.players["last_reply"]["value"] > found.players["script"]["value"] + 0.2


def test_a_study_repeats_and_its_players_see_nothing_that_is_hidden() -> None:
    assert study_level("arcade/linked_list_query", 1, 10, 100) == study_level(
        "arcade/linked_list_query", 1, 10, 100
    )


def test_a_refused_command_costs_what_the_rules_say() -> None:
    game: Any = task_registry.load_task("arcade/linked_list_query")
    (puzzle,) = game.generate(game.params(level=1), Draw(("refused",), 0, 0), None)
    heard = []

    def refuse_then_scan(shown: Any) -> Any:
        heard.append((yield Command("query", (99,))))
        for position in range(1, shown.size + 1):
            heard.append((yield Command("query", (position,))))
        yield Command("answer", (min(value for value, _ in heard[1:]),))

    assert wins_by_player(game, puzzle, refuse_then_scan)
    assert heard[0] is None and len(heard) == puzzle.size + 1


def test_the_search_begins_with_lists_that_win_and_stops_when_all_is_won() -> None:
    game: Any = task_registry.load_task("arcade/zero_finding")
    (puzzle,) = game.generate(game.params(level=1), Draw(("one",), 0, 3), None)
    script = game_study.tune_script(game, [puzzle], 50_000, make_generator("test"))
    assert game.wins_by(puzzle, script)


def test_it_is_recorded_by_one_command_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["floors", "tasks=[arcade/linked_list_query]", "levels=1", "count=30"]
    words += [f"out={tmp_path / 'out'}", f"work={tmp_path / 'work'}"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "rule 100.0%" in said and "last_reply" in said
    version, levels = floor_studies.read_studies(
        tmp_path / "out" / "arcade" / "linked_list_query.json"
    )
    assert version == task_registry.load_task("arcade/linked_list_query").version
    assert [one.label for one in levels] == ["l01"] and levels[0].puzzles == 30
    assert main(words) == 0
    assert "recorded already" in capsys.readouterr().out


def make_study(level: int, rule: float, floor: float = 0.1) -> FloorStudy:
    shares = {
        name: {"value": value, "low": value, "high": value, "items": 200}
        for name, value in (("rule", rule), ("last_reply", 0.3), ("legal", 0.05))
    }
    return FloorStudy(
        f"l{level:02d}",
        {"level": level, "turns": 0},
        "answers",
        floor,
        floor,
        floor,
        200,
        "prompt",
        (),
        200,
        9,
        shares,  # type: ignore[arg-type]
        "take it",
    )


def test_a_new_study_of_a_game_lowers_no_floor(tmp_path: Path) -> None:
    floor_studies.write_studies(tmp_path, "arcade/toy", 1, [make_study(1, 0.9, 0.4)])
    path = floor_studies.write_studies(tmp_path, "arcade/toy", 1, [make_study(1, 0.7, 0.2)])
    (found,) = floor_studies.read_studies(path)[1]
    assert (found.value, found.players["rule"]["value"]) == (0.4, 0.7)
    fallen = replace(make_study(1, 0.0, 0.6), players={}, rule="", player="mine")
    floor_studies.write_studies(tmp_path, "arcade/toy", 1, [fallen])
    (found,) = floor_studies.read_studies(path)[1]
    assert (found.value, found.player, found.rule) == (0.6, "mine", "take it")
    assert found.players["rule"]["value"] == 0.7, "an attack changes no other player"
    floor_studies.write_studies(tmp_path, "arcade/toy", 2, [make_study(1, 0.7, 0.2)])
    assert floor_studies.read_studies(path)[1][0].value == 0.2, "another version says nothing"


@pytest.mark.parametrize(
    "wins, known",
    [
        ({3: 0.9, 10: 0.8}, "take it"),
        ({1: 0.2, 3: 0.5, 10: 0.5}, "take it"),
        ({3: 0.9, 10: 0.4}, ""),
        ({3: 0.4, 10: 0.9}, ""),
        ({1: 1.0, 2: 1.0}, ""),
    ],
)
def test_a_game_is_flat_if_its_rule_wins_half_from_level_3_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wins: dict[int, float], known: str
) -> None:
    floor_studies.write_studies(
        tmp_path, "arcade/toy", 1, [make_study(level, won) for level, won in wins.items()]
    )
    monkeypatch.setattr(floor_studies, "STUDIES", tmp_path)
    floor_studies._studies_by_params.cache_clear()
    params = {"level": 7, "turns": 0}
    assert floor_studies.find_known_rule("arcade/toy", 1, params, "level") == known
    assert floor_studies.find_known_rule("arcade/toy", 2, params, "level") == ""
    assert floor_studies.find_known_rule("arcade/toy", 1, {"level": 7, "turns": 5}, "level") == ""
    floor_studies._studies_by_params.cache_clear()


def test_a_studied_game_publishes_its_players_at_each_level() -> None:
    task = task_registry.load_task("arcade/linked_list_query")
    levels = {
        one.label: DeclaredFloor(studied=one.to_studied_floor(), known_rule="take it")
        for one in (make_study(1, 0.9, 0.2), make_study(3, 0.8, 0.4))
    }
    played = [
        LevelPlays(cell, level, {"fixed": PlayCounts(1, 30)}, LookResult(0, 30, 30, "legal"))
        for cell, level in (("l01", 1), ("l03", 3))
    ]
    found = measure_floor("x.y", task, (), played, DeclaredFloor(levels=levels), budget=0.01)
    assert found is not None and not found.violations
    record = found.record
    assert record["known_rule"] == "take it"
    assert record["value"] == 0.3, "the config's floor is the mean of its levels' floors"
    rule = record["shortcuts"]["rule"]
    assert rule["looks_at"] == "the rule: take it" and rule["value"] == 0.85
    assert {cell: share["value"] for cell, share in rule["levels"].items()} == {
        "l01": 0.9,
        "l03": 0.8,
    }
    assert record["shortcuts"]["last_reply"]["value"] == 0.3


def test_a_floor_of_a_build_is_never_below_its_legal_commands() -> None:
    task = task_registry.load_task("arcade/linked_list_query")
    played = [
        LevelPlays("l01", 1, {"fixed": PlayCounts(3, 30)}, LookResult(12, 30, 30, "legal")),
    ]
    found = measure_floor("x.y", task, (), played, DeclaredFloor(), budget=0.01)
    assert found is not None
    for share in (found.record, found.record["levels"]["l01"]):
        assert (share["value"], share["player"]) == (0.4, "legal")  # type: ignore[typeddict-item]


def test_a_prompt_that_all_puzzles_share_is_tuned_on_other_puzzles() -> None:
    """At level 10 of this game all prompts are equal, and what they hide is not listed."""
    assert study_level("arcade/find_the_impostors", 10, 10, 100).players["prompt"]["items"] == 20
