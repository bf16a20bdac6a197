"""Replay quarter and half turns of a cube as permutations of 54 stickers with coordinates.

A sticker is its cubie's position and the direction it faces, each of three coordinates; a turn is
a rotation of space for the cubies of one layer. Nothing is shared with the engine.
"""

from __future__ import annotations

Sticker = tuple[int, ...]

AXES = {"U": (1, 1), "D": (1, -1), "R": (0, 1), "L": (0, -1), "F": (2, 1), "B": (2, -1)}
"""Axis and side of each face; x is right, y up, z towards the viewer."""


def turn_vector(vector: Sticker, axis: int, side: int) -> Sticker:
    """Return a vector after a clockwise quarter turn, as seen from outside of that side.

    Args:
        vector: three coordinates.
        axis: the axis of the turn.
        side: 1 or -1, the side of the face.
    """
    after, last = (axis + 1) % 3, (axis + 2) % 3
    turned = list(vector)
    turned[after], turned[last] = side * vector[last], -side * vector[after]
    return tuple(turned)


def replay_moves(moves: str) -> dict[Sticker, Sticker]:
    """Return where each sticker of the solved cube is after the moves.

    Raises:
        ValueError: a word is no face turn.
    """
    cells = (-1, 0, 1)
    homes: list[Sticker] = [
        (*spot, *facing)
        for spot in ((x, y, z) for x in cells for y in cells for z in cells)
        for facing in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
        if sum(a * b for a, b in zip(spot, facing, strict=True)) == 1
    ]
    now = {home: home for home in homes}
    for word in moves.split():
        if word[0] not in AXES or word[1:] not in ("", "'", "2"):
            raise ValueError(f"{word!r} is no face turn")
        axis, side = AXES[word[0]]
        for _ in range({"": 1, "2": 2, "'": 3}[word[1:]]):
            for home, at in now.items():
                if at[axis] == side:
                    now[home] = turn_vector(at[:3], axis, side) + turn_vector(at[3:], axis, side)
    return now


def count_quarter_turns(moves: str) -> int:
    """Return the number of quarter turns, half turns counted twice."""
    return sum(2 if word.endswith("2") else 1 for word in moves.split())


def makes_same_state(first: str, second: str) -> bool:
    """Whether two maneuvers lead to the same state; False if one cannot be read."""
    try:
        return replay_moves(first) == replay_moves(second)
    except (ValueError, IndexError):
        return False


def is_solved_by(state: str, solution: str) -> bool:
    """Whether a solution solves the state that a maneuver makes."""
    return makes_same_state(f"{state} {solution}", "")
