"""Players of turned solids that compare a part of them: silhouettes, or a few cubes.

The players of a few cubes have a bounded memory: they keep some joined cubes of the first solid and
look for them in the others. The more cubes the solids have, the less the memory decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from facelet.generators.core.replies.letter import FORM
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.spatial import polycubes
from facelet.generators.spatial.polycubes import IDENTITY, MIRROR, ROTATIONS, Solid
from facelet.generators.spatial.tasks import turned
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, Randomness

Fits = Callable[[Solid, Solid], bool]
"""Whether a player that sees a part takes the one solid, as it is placed, for the other one."""

MEMORIES = (3, 4, 5)
"""Cubes that the players of a few cubes keep."""


def build_turn_player(looks_at: str, fits: Fits, kept: int = 0) -> PartialViewPlayer:
    """Return the player that draws among the rotations after which its part fits.

    Args:
        looks_at: the part, in words.
        fits: compares the first solid after a rotation with the second one.
        kept: how many cubes of the first solid it keeps; 0 for all.
    """

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        before, after = map(polycubes.parse_solid, (puzzle.before, puzzle.after))
        part = _joined_part(before, kept or len(before))
        return [
            turned.TASK.form.format_command(*counts)
            for rotation, counts in polycubes.fewest_counts().items()
            if rotation != IDENTITY and fits(polycubes.rotate_solid(part, rotation), after)
        ]

    return replace(PartialViewPlayer.from_equal(looks_at, list_replies), amount=kept)


def build_choice_player(looks_at: str, fits: Fits, kept: int = 0) -> PartialViewPlayer:
    """Return the player that draws among the options to which its part fits in some orientation.

    Args:
        looks_at: the part, in words.
        fits: compares the solid after a rotation with an option.
        kept: how many cubes of the solid it keeps; 0 for all.
    """

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        solid, *options = map(polycubes.parse_solid, (puzzle.solid, *puzzle.options))
        part = _joined_part(solid, kept or len(solid))
        forms = {polycubes.rotate_solid(part, rotation) for rotation in ROTATIONS}
        return [
            FORM.format(letter)
            for letter, option in zip(LETTERS, options, strict=True)
            if any(fits(form, option) for form in forms)
        ]

    return replace(PartialViewPlayer.from_equal(looks_at, list_replies), amount=kept)


def _joined_part(solid: Solid, count: int) -> Solid:
    """Return the first cubes that are reached from the first one, nearest first."""
    part = [solid[0]]
    for cell in part:
        around = polycubes.neighbor_cells(cell)
        part += [near for near in around if near in solid and near not in part]
    return polycubes.shift_home(part[:count])


def _contains_part(part: Solid, solid: Solid) -> bool:
    """Return whether a part occurs in a solid, shifted."""
    cells = set(solid)
    shifts = ([a - b for a, b in zip(cell, part[0], strict=True)] for cell in solid)
    return any(all((x + i, y + j, z + k) in cells for x, y, z in part) for i, j, k in shifts)


def _has_same_top(one: Solid, other: Solid) -> bool:
    return {cell[:2] for cell in one} == {cell[:2] for cell in other}


def _has_same_silhouettes(one: Solid, other: Solid) -> bool:
    return polycubes.list_silhouettes(one) == polycubes.list_silhouettes(other)


def _is_same_or_mirrored(one: Solid, other: Solid) -> bool:
    return other in (one, polycubes.rotate_solid(one, MIRROR))


TURNED = {
    "one_silhouette": build_turn_player("the silhouettes from above", _has_same_top),
    **{
        f"cubes_{kept}": build_turn_player(
            f"{kept} joined cubes of the first solid", _contains_part, kept
        )
        for kept in MEMORIES
    },
}
TURNED_CHOICE = {
    "silhouettes": build_choice_player("all three silhouettes", _has_same_silhouettes),
    "hand_unseen": build_choice_player("the solids up to mirror images", _is_same_or_mirrored),
    **{
        f"cubes_{kept}": build_choice_player(
            f"{kept} joined cubes of the first solid", _contains_part, kept
        )
        for kept in MEMORIES
    },
}
