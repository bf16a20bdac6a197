"""The 54 moves as permutations of facelets, and their application to a state."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine import notation, sticker_geometry
from facelet.generators.cube.engine.notation import ALL_MOVES as ALL_MOVES
from facelet.generators.cube.engine.notation import (
    CENTRES,
    FACES,
    SOLVED,
    IllegalCube,
    Maneuver,
    check_letters,
)
from facelet.generators.cube.engine.notation import FACE_MOVES as FACE_MOVES
from facelet.generators.cube.engine.notation import ROTATIONS as ROTATIONS
from facelet.generators.cube.engine.notation import SLICE_MOVES as SLICE_MOVES
from facelet.generators.cube.engine.notation import WIDE_MOVES as WIDE_MOVES

MOVE_INDEX = {move: index for index, move in enumerate(ALL_MOVES)}
"""The place of each move in ALL_MOVES, which is its row in PERMUTATIONS."""


def _move_permutations() -> npt.NDArray[np.uint8]:
    rows = []
    for layers in notation.LAYERS.values():
        axis = sticker_geometry.NORMALS[layers.like]
        moved = partial(_in_layers, axis, layers.depths)
        quarter = np.array(
            sticker_geometry.facelet_permutation(sticker_geometry.clockwise_turn(axis), moved),
            dtype=np.uint8,
        )
        half = quarter[quarter]
        rows += [quarter, half, half[quarter]]
    table = np.stack(rows)
    table.setflags(write=False)
    return table


def _in_layers(
    axis: sticker_geometry.Vector, depths: frozenset[int], position: sticker_geometry.Vector
) -> bool:
    return sticker_geometry.dot_product(axis, position) in depths


PERMUTATIONS = _move_permutations()
"""uint8 array (54 moves, 54), read-only: new[i] = old[PERMUTATIONS[move, i]]."""

_SOURCES = {move: PERMUTATIONS[index].tobytes() for move, index in MOVE_INDEX.items()}


def apply_maneuver(facelets: str, maneuver: Maneuver | str) -> str:
    """Return the state after a maneuver.

    The 54 characters are carried along as they are, so any labels will do: colour letters, hidden
    stickers. Only their number is checked.

    Args:
        facelets: 54 ASCII characters in the order of a facelet string.
        maneuver: move names, or text for `notation.parse`.

    Raises:
        ValueError: wrong length, a character that is not ASCII, or something that is no move.
    """
    if len(facelets) != 54 or not facelets.isascii():
        raise ValueError(f"a state is 54 ASCII characters, this is {facelets!r} ({len(facelets)})")
    moves = notation.parse_maneuver(maneuver) if isinstance(maneuver, str) else maneuver
    state = facelets.encode()
    for move in moves:
        if (source := _SOURCES.get(move)) is None:
            raise ValueError(f"{move!r} is not a move name; use one of ALL_MOVES")
        # bytes.translate maps each source index through a table: here the table is the state.
        state = source.translate(state.ljust(256))
    return state.decode()


@lru_cache(maxsize=len(FACE_MOVES) ** 2)
def turn_relation(one: str, two: str) -> str:
    """Return the relation of two face turns to each other.

    Returns:
        "same face", "opposite faces" or "different axes".
    """
    first, second = FACES.index(one[0]), FACES.index(two[0])
    if first == second:
        return "same face"
    return "opposite faces" if first % 3 == second % 3 else "different axes"


def turn_upright(facelets: str) -> tuple[str, Maneuver]:
    """Turn the whole cube until the centres show U, R, F, D, L, B.

    Returns:
        The turned state, and the whole-cube turns (at most two) that make it.

    Raises:
        IllegalCube: no whole-cube turn does it (reason "centres"), or the text is not 54
            letters out of URFDLB.
    """
    check_letters(facelets)
    centres = "".join(facelets[index] for index in CENTRES)
    if (turns := _UPRIGHT.get(centres)) is None:
        raise IllegalCube("centres", f"no whole-cube turn brings the centres {centres} to {FACES}")
    return apply_maneuver(facelets, turns), turns


def _upright_turns() -> dict[str, Maneuver]:
    """Return, for each of the 24 ways to show the centres, turns that bring them home."""
    ways: list[Maneuver] = [(), *((a,) for a in ROTATIONS)]
    ways += [(a, b) for a in ROTATIONS for b in ROTATIONS]
    found: dict[str, Maneuver] = {}
    for turns in ways:
        turned = apply_maneuver(SOLVED, notation.invert_maneuver(turns))
        found.setdefault("".join(turned[index] for index in CENTRES), turns)
    return found


_UPRIGHT = _upright_turns()
