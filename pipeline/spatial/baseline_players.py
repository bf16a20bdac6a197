"""Players of spatial tests that look at a part of the puzzle, by task."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.pipeline.audit.baseline_players import PartialViewPlayer
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.spatial import paper_players, solid_players, standpoint_players, view_players

_PLAYERS: Mapping[str, Mapping[str, PartialViewPlayer]] = {
    "spatial/turned": solid_players.TURNED,
    "spatial/turned_choice": solid_players.TURNED_CHOICE,
    "spatial/punched": paper_players.PUNCHED,
    "spatial/punched_choice": paper_players.PUNCHED_CHOICE,
    "spatial/punched_plan": paper_players.PUNCHED_PLAN,
    "spatial/standpoint": standpoint_players.STANDPOINT,
    "spatial/standpoint_choice": standpoint_players.STANDPOINT_CHOICE,
    "spatial/views": view_players.VIEWS,
    "spatial/views_map": view_players.VIEWS_MAP,
    "spatial/views_choice": view_players.VIEWS_CHOICE,
}


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    return _PLAYERS.get(task.name, {})
