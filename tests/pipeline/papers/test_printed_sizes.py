"""The suite as published has the sizes that EvolArena prints (appendix N), and its turns (F)."""

from __future__ import annotations

from collections.abc import Sized
from pathlib import Path
from typing import Any

import pytest
import yaml
from arcade_twins import make_puzzles

import facelet.conf
from facelet.generators.core import task_registry

SUITE = "evolarena_as_published"
PRINTED = {
    "find_the_impostors": ("players", 6, 9, 12),
    "guess_max": ("lists", 7, 10, 16),
    "circle_finding": ("limit", 200, 1000, 1500),
    "bit_compare": ("size", 5, 7, 9),
    "tree_discovery": ("size", 5, 6, 7),
    "linked_list_query": ("size", 5, 9, 11),
    "median_query": ("size", 6, 8, 15),
    "min_max": ("size", 5, 6, 7),
    "word_guessing": ("length", 4, 8, 12),
    "bit_query": ("size", 4, 8, 12),
    "password_breaking": ("span", 10, 20, 30),
    "rotary_laser_lock": ("rings", 3, 4, 5),
    "attendance_check": ("students", (5, 9), (10, 14), (15, 20)),
    "binary_number_guessing": ("most", 50, 150, 500),
    "hidden_number_finding": ("most", (19, 20), 30, 40),
    "mahjong_detective": ("values", 3, 6, 9),
    "mimic_hunting": ("objects", 5, 10, 20),
    "permutation_discovery": ("start", 4, 5, 6),
    "train_pursuit": ("stations", (1, 5), (6, 7), (8, 9)),
    "zero_finding": ("length", 10, 50, 100),
    "maze_navigation": ("grid", 4, 5, 6),
    "treasure_hunt": ("size", 6, 7, 8),
    "safepath_finding": ("size", 5, 6, 7),
    "rainbow_candy_factory": ("grid", 3, 4, 5),
    "magnetic_field_exploration": ("grid", 3, 4, 5),
    "finding_biggest": ("size", 3, 4, 5),
    "dark_maze_exploration": ("size", 2, 3, 4),
    "color_magic": ("grid", 3, 4, 5),
    "chemical_synthesis": ("target", 4, 6, 7),
    "cactus_search": ("size", 10, 12, 15),
    "knight_battle": ("size", 6, 8, 16),
    "zigzag_graph": ("size", 5, 8, 12),
    "xor_breaking": ("number", (1, 10**5), (1, 10**7), (1, 10**8)),
    "pizza_slicing": ("xs", 6, 8, 12),
    "paper_numbering": ("size", 5, 10, 15),
    "grid_game": ("rows", 3, 5, 8),
    "grid_coloring": ("size", 10, 20, 30),
    "geometric_distance": ("xs", 4, 6, 8),
    "bee_chase": ("vertices", 10, 20, 40),
    "assiut_chess": ("size", 4, 6, 7),
}
"""Of each game the column that holds n, and n at the three levels, or its least and greatest."""

TURNS = {
    "bee_chase": (10, 15, 15),
    "grid_coloring": (10, 10, 10),
    "grid_game": (15, 15, 16),
    "paper_numbering": (15, 20, 30),
}
"""Turns of games whose text states others than the fifteen of appendix F, or that last longer."""


def configs() -> dict[str, Any]:
    path = Path(facelet.conf.__path__[0]) / "suite" / f"{SUITE}.yaml"
    tasks: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))[SUITE]["tasks"]
    return tasks


def test_every_game_is_asked_as_published() -> None:
    found = configs()
    assert found.keys() == PRINTED.keys()
    for name, config in found.items():
        assert config["params"]["published"] is True, name
        assert config["count"] == 30, name
        levels = config["sweep"]["level"]
        assert levels == ([1, 2] if name == "rotary_laser_lock" else [1, 2, 3]), name


@pytest.mark.some(4)
@pytest.mark.parametrize("name", PRINTED)
def test_sizes_are_those_printed(name: str) -> None:
    column, *sizes = PRINTED[name]
    game: Any = task_registry.load_task(f"arcade/{name}")
    config = configs()[name]
    for level in config["sweep"]["level"]:
        (puzzle,) = make_puzzles(game, game.params(level=level, **config["params"]), 1)
        value = getattr(puzzle, column)
        size = len(value) if isinstance(value, Sized) else value
        printed = sizes[level - 1]
        low, high = printed if isinstance(printed, tuple) else (printed, printed)
        assert low <= size <= high, (level, size)
        assert game.turn_budget(puzzle) == TURNS.get(name, (15, 15, 15))[level - 1], level
