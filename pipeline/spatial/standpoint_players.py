"""Players of standpoints that follow few steps, or answer as the map or a mirror shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from facelet.generators.spatial import standpoints
from facelet.generators.spatial.tasks import standpoint
from facelet.pipeline.spatial.answer_players import build_answer_player, build_letter_player

Angle = Callable[[Any], float]
"""From a puzzle to where a player takes the object to be."""


def _measure_at(steps: int) -> Angle:
    """Return the angle after the start and so many steps."""

    def measure_early(puzzle: Any) -> float:
        return standpoints.measure_angle(
            puzzle.list_places(), puzzle.moves[: steps + 1], puzzle.target
        )

    return measure_early


def _measure_on_map(puzzle: Any) -> float:
    """Return the angle from north at the last place."""
    places = puzzle.list_places()
    (east, north), _ = standpoints.follow_steps(places, puzzle.moves)
    return standpoints.measure_angle(
        {**places, "here": (east, north), "up": (east, north + 1)},
        ("at here facing up",),
        puzzle.target,
    )


_ANGLES: dict[str, tuple[str, Angle, int]] = {
    "map": ("the map with north ahead", _measure_on_map, 0),
    "mirrored": (
        "all steps, with left and right swapped",
        lambda puzzle: -_measure_at(len(puzzle.moves))(puzzle),
        0,
    ),
    **{
        f"steps_{kept}": (f"the start and {kept} steps", _measure_at(kept), kept + 1)
        for kept in (0, 1, 2)
    },
}
"""What each player looks at, where it takes the object to be, and its place on a curve."""


def _name_hour(angle: Angle) -> Callable[[Any], tuple[int]]:
    return lambda puzzle: (round(angle(puzzle) / 30) % 12 or 12,)


def _rate_quarters(angle: Angle) -> Callable[[Any], Sequence[float]]:
    return lambda puzzle: [angle(puzzle) % 360 // 90 == quarter for quarter in range(4)]


STANDPOINT = {
    name: build_answer_player(standpoint.TASK, looks_at, _name_hour(angle), amount)
    for name, (looks_at, angle, amount) in _ANGLES.items()
}
STANDPOINT_CHOICE = {
    name: build_letter_player(looks_at, _rate_quarters(angle), amount)
    for name, (looks_at, angle, amount) in _ANGLES.items()
}
