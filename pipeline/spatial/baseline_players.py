"""Players of spatial tests that look at a part of the puzzle, by task."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.pipeline.audit.baseline_players import PartialViewPlayer
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.spatial import paper_players, solid_players

_PLAYERS: Mapping[str, Mapping[str, PartialViewPlayer]] = {
    "spatial/turned": solid_players.TURNED,
    "spatial/turned_choice": solid_players.TURNED_CHOICE,
    "spatial/punched": paper_players.PUNCHED,
    "spatial/punched_choice": paper_players.PUNCHED_CHOICE,
    "spatial/punched_plan": paper_players.PUNCHED_PLAN,
}


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    return _PLAYERS.get(task.name, {})
