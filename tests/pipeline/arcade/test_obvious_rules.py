"""Obvious rules of games: each game has one or a reason; those that win always do."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.arcade import obvious_rules
from facelet.pipeline.arcade.obvious_rules import NO_RULE, RULES
from facelet.pipeline.audit.studies.game_study import wins_by_player

GAMES = {name for name in task_registry.task_names() if name.startswith("arcade/")}
ALWAYS = (
    "cactus_search",
    "geometric_distance",
    "grid_coloring",
    "guess_max",
    "linked_list_query",
    "maze_navigation",
    "min_max",
    "paper_numbering",
    "pizza_slicing",
    "train_pursuit",
    "xor_breaking",
)


def test_each_game_has_a_rule_or_a_reason() -> None:
    assert RULES.keys() | NO_RULE.keys() == GAMES and not RULES.keys() & NO_RULE.keys()


def test_a_rule_knows_no_solver() -> None:
    modules = {inspect.getmodule(rule) for rule in RULES.values()}
    for module in (obvious_rules, *modules):
        assert "generators.arcade" not in inspect.getsource(module), module


def fresh_puzzles(game: Any, level: int, count: int) -> list[Any]:
    found: list[Any] = []
    draws = (Draw(("rules", game.name, level), k // 50, k % 50) for k in range(50 * count))
    for draw in draws:
        if draw.index < len(found):
            continue
        try:
            found.append(game.generate(game.params(level=level), draw, None)[0])
        except Reject:
            continue
    return found


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_sees_nothing_that_is_hidden(name: str) -> None:
    game: Any = task_registry.load_task(name)
    wins = [wins_by_player(game, one, RULES[name]) for one in fresh_puzzles(game, 1, 6)]
    if name.removeprefix("arcade/") in ALWAYS:
        assert all(wins)
