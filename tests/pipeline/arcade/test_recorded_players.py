"""Every game has a record of its baseline players, and the guides print what the records state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.arcade.obvious_rules.rule_registry import NO_RULE, RULES
from facelet.generators.core import task_registry
from facelet.pipeline.dataset import floor_studies
from facelet.pipeline.dataset.floor_record import OBVIOUS_RULE
from facelet.pipeline.dataset.floor_studies import FloorStudy

GUIDES = Path(__file__).parents[3] / "conf" / "docs"
LEVELS = (1, 2, 3)
BLIND = {"legal", "script", "prompt", "last_reply"}
GAMES = sorted(n for n, one in task_registry.tasks().items() if isinstance(one, ArcadeGame))


@cache
def read_records(name: str) -> Mapping[int, FloorStudy]:
    """Return the studies of a game's default params, by level."""
    game = task_registry.tasks()[name]
    found = {
        level: floor_studies.find_study(name, game.version, asdict(game.params(level=level)))
        for level in LEVELS
    }
    return {level: one for level, one in found.items() if one is not None}


@pytest.mark.parametrize("name", GAMES)
def test_all_players_of_a_game_are_recorded_at_levels_1_to_3(name: str) -> None:
    records = read_records(name)
    assert tuple(records) == LEVELS, f"make floors TASK={name}"
    for one in records.values():
        assert {*one.players} == BLIND | ({OBVIOUS_RULE} if name in RULES else set())
        assert all(share["items"] >= 200 for share in one.players.values())
        assert one.value >= one.players["legal"]["value"]


def format_row(name: str) -> str:
    """Return the row of a game in the table of recorded players."""
    cells = [f"`{name.partition('/')[2]}`"]
    for player in ("floor", "prompt", OBVIOUS_RULE):
        for one in read_records(name).values():
            known = {"floor": one.value} | {k: share["value"] for k, share in one.players.items()}
            cells.append(f"{known[player]:.0%}" if player in known else "")
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def test_the_table_prints_the_records() -> None:
    text = (GUIDES / "figures.md").read_text(encoding="utf-8")
    assert not [row for name in GAMES if (row := format_row(name)) not in text]


def test_the_guide_counts_games_as_recorded() -> None:
    text = " ".join((GUIDES / "baselines.md").read_text(encoding="utf-8").split())
    (below, nobody, declared, above, others) = re.findall(
        r"in (\d+) of the 40 games, counting (\d+) without a known rule; (\d+) are declared "
        r"solved\. .*? at one of these levels in (\d+) games, (\d+) of them not declared",
        text,
    )[0]
    tasks = task_registry.tasks()
    params = {name: asdict(tasks[name].params(level=3)) for name in GAMES}
    known = {
        name
        for name in GAMES
        if floor_studies.find_known_rule(name, tasks[name].version, params[name], "level")
    }
    prompts = {
        name
        for name in GAMES
        if any(one.players["prompt"]["value"] > 0.2 for one in read_records(name).values())
    }
    planned = {name for name in GAMES if getattr(tasks[name], "planning", False)}
    assert len(GAMES) == 40
    assert (int(below), int(nobody)) == (40 - len(known), len(NO_RULE))
    assert int(declared) == len(known)
    assert (int(above), int(others)) == (len(prompts), len(prompts - known - planned))
