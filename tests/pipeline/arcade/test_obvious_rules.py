"""Obvious rules of games: each game has one or a reason; those that win always do."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from facelet.generators.arcade.obvious_rules import rule_registry
from facelet.generators.arcade.obvious_rules.rule_registry import NO_RULE, RULES
from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

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
    for module in (rule_registry, *modules):
        source = inspect.getsource(module)
        used = set(re.findall(r"from facelet\.generators\.arcade\.(\w+)", source))
        assert used <= {"obvious_rules"}, module


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
    wins = [game.wins_by_player(one, RULES[name]) for one in fresh_puzzles(game, 1, 6)]
    if name.removeprefix("arcade/") in ALWAYS:
        assert all(wins)


BEATEN = [name for name in sorted(RULES) if getattr(task_registry.load_task(name), "beats_rule", 0)]


@pytest.mark.parametrize("name", BEATEN)
def test_puzzles_that_a_rule_wins_are_skipped(name: str) -> None:
    game: Any = task_registry.load_task(name)
    wins = [game.wins_by_player(one, RULES[name]) for one in fresh_puzzles(game, 3, 12)]
    assert sum(wins) <= 3, "the selection gives up after 40 puzzles of an item"
    assert not game.selects_puzzles(game.params(level=3, published=True))
