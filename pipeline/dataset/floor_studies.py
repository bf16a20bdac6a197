"""Read and write floor studies: what the best blind player of a deep search scores.

`data/floors/<family>/<task>.json` holds them, a file a task: its version, and for each set of
params the share, its interval, the effort, and the player in a form that is played again
(facelet.pipeline.audit.studies). A study of another version of a task says nothing of this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.floor_record import (
    KNOWN_RULE_SHARE,
    OBVIOUS_RULE,
    STUDIED_SHORTCUTS,
    ShareRecord,
    StudiedFloor,
)

STUDIES: Path = Path(__file__).parents[2] / "data" / "floors"
"""The records of this installation; the same place in a checkout and in an installed package."""

FLAT_FROM = 3
"""The level from which a rule must win half of the plays to solve a game at all levels."""


@dataclass(frozen=True, slots=True)
class FloorStudy:
    """What was found at one set of params.

    Attributes:
        label: label of the level.
        params: all params of the task.
        of: what the share is of.
        value: the share.
        low: lower end of its 95% interval.
        high: upper end of it.
        items: of how many independent puzzles.
        player: name of the player.
        says: the replies that it repeats; [] where it says something else to each puzzle.
        puzzles: puzzles that players were made and tried on.
        replies: replies that were tried, or steps of a game.
        players: in a game, what each baseline player won, by name
            (facelet.pipeline.audit.studies.game_study).
        rule: in a game, its obvious rule, or why it has none.
    """

    label: str
    params: Mapping[str, Any]
    of: str
    value: float
    low: float
    high: float
    items: int
    player: str
    says: tuple[str, ...]
    puzzles: int
    replies: int
    players: Mapping[str, ShareRecord] = field(default_factory=dict)
    rule: str = ""

    def to_studied_floor(self) -> StudiedFloor:
        """Return what was found, without how."""
        shortcuts = {
            name: (looks_at.format(rule=self.rule), self.players[name])
            for name, looks_at in STUDIED_SHORTCUTS.items()
            if name in self.players
            and (name != "prompt" or self.players[name]["value"] > self.value)
        }
        return StudiedFloor(self.value, self.low, self.high, self.items, self.player, shortcuts)


def find_study(task: str, version: int, params: Mapping[str, Any]) -> FloorStudy | None:
    """Return what was found of a task at some params; None where nobody studied it.

    Args:
        task: name of the task.
        version: its version.
        params: all its params.
    """
    return _studies_by_params(task, version).get(_params_key(params))


def find_known_rule(task: str, version: int, params: Mapping[str, Any], axis: str) -> str:
    """Return the rule that solves all levels of a game alike, in words; "" if there is none.

    That is its obvious rule, where it wins at least half of the plays at level 3 and at every later
    level that was studied.

    Args:
        task: name of the task.
        version: its version.
        params: all its params; those of other levels differ in the axis alone.
        axis: name of the param that is the level.
    """
    own = {
        one.params[axis]: one
        for one in _studies_by_params(task, version).values()
        if {**one.params, axis: params.get(axis)} == params and OBVIOUS_RULE in one.players
    }
    later = [one for level, one in own.items() if level >= FLAT_FROM]
    if FLAT_FROM not in own or any(
        one.players[OBVIOUS_RULE]["value"] < KNOWN_RULE_SHARE for one in later
    ):
        return ""
    return own[FLAT_FROM].rule


def has_study(
    folder: Path, task: str, version: int, params: Mapping[str, Any], *, by_player: bool = False
) -> bool:
    """Return whether a folder has a study of a task at some params.

    Args:
        folder: the folder of all families.
        task: name of the task.
        version: its version.
        params: all its params.
        by_player: whether it must state what each player of a game won.
    """
    one = _read_by_params(folder / f"{task}.json", version).get(_params_key(params))
    return one is not None and bool(one.players or not by_player)


def read_studies(file: Path) -> tuple[int, list[FloorStudy]]:
    """Return the version of the task of a file, and its studies."""
    about = json.loads(file.read_text(encoding="utf-8"))
    return about["version"], [
        FloorStudy(**{**one, "says": tuple(one["says"])}) for one in about["levels"]
    ]


def write_studies(folder: Path, task: str, version: int, found: Iterable[FloorStudy]) -> Path:
    """Write the studies of a task below a folder, beside those of other params that are there.

    Args:
        folder: the folder of all families.
        task: name of the task.
        version: its version; studies of another one are dropped.
        found: the studies; of a game, a greater floor that is recorded already stays.
    """
    path = folder / f"{task}.json"
    known = _read_by_params(path, version)
    for one in found:
        place = _params_key(one.params)
        old = known.get(place)
        if old is not None and old.players and not one.players:
            one = replace(one, players=old.players, rule=old.rule)
        elif old is not None and one.players and old.value > one.value:
            floor = {name: getattr(old, name) for name in ("value", "low", "high", "items")}
            one = replace(one, **floor, player=old.player, says=old.says)
        known[place] = one
    plain = [asdict(known[key]) for key in sorted(known)]
    about = {"task": task, "version": version, "levels": plain}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(about, indent=1, sort_keys=True) + "\n")
    return path


@lru_cache(maxsize=256)
def _studies_by_params(task: str, version: int) -> Mapping[str, FloorStudy]:
    return _read_by_params(STUDIES / f"{task}.json", version)


def _read_by_params(file: Path, version: int) -> dict[str, FloorStudy]:
    """Return the studies of a version in a file, which may not exist, by their params."""
    known, levels = read_studies(file) if file.is_file() else (version, [])
    return {_params_key(one.params): one for one in levels if known == version}


def _params_key(params: Mapping[str, Any]) -> str:
    return json.dumps(params, sort_keys=True)
