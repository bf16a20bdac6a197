"""Effects: what a move does to the distance, and which four moves an item shows.

The effect of a move is the sign of the change of the exact distance: DECREASE, NO_CHANGE or
INCREASE. An item shows each effect that its state has once, and fills the rest by the paper's
depth-aware target (Cube Bench, A.7.2; generators.options.doubling). Which item shows which effect
twice follows from the pool alone.

Near the solved cube a move without effect turns a face that a helpful move turns too, so the faces
of the options could tell the effects. Of the possible sets of four moves, an item takes one in
which every option shares its face with equally many others. Where there is none (three turns of one
face and one of another) the faces do tell something, as in the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import is_solved
from facelet.generators.cube.engine.metrics import COST
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.states.certified import CertifiedState, CertifiedStates
from facelet.generators.options.doubling import Mix, mixes, target_mix

EFFECTS = ("DECREASE", "NO_CHANGE", "INCREASE")

MOVE_TEXT = r"[URFDLB][URFDLB2' ]{0,80}"
"""A regular expression for the moves of an option, which a reply may repeat before the effect."""

SLOTS = 4
"""Number of moves that an item shows."""


def effects(neighbours: Sequence[int], depth: int) -> dict[str, str]:
    """Return the effect of each of the 18 face moves.

    Args:
        neighbours: exact distance after each, in the order of FACE_MOVES.
        depth: exact distance before.
    """
    return {
        move: EFFECTS[1 + (after > depth) - (after < depth)]
        for move, after in zip(FACE_MOVES, neighbours, strict=True)
    }


@dataclass(frozen=True, slots=True)
class PoolEffects:
    """What follows from a whole pool for each of its items.

    Attributes:
        neighbours: for each item, the distance after each face move.
        mixes: for each item, which effects it shows.
        target: target share of each effect, in the order of EFFECTS.
    """

    neighbours: list[tuple[int, ...]]
    mixes: list[Mix]
    target: tuple[float, ...]


@lru_cache(maxsize=8)
def pool_effects(pool: CertifiedStates) -> PoolEffects:
    """Return what follows from a pool for its items.

    Raises:
        ValueError: the pool has no neighbour distances.
    """
    if pool.neighbours is None:
        raise ValueError("this pool has no neighbour distances; ask for them in `needs`")
    change = np.sign(pool.neighbours.astype(np.int16) - pool.optimal_depth)
    counts = np.stack([(change == sign).sum(axis=1) for sign in (-1, 0, 1)], axis=1)
    sizes = [dict(zip(EFFECTS, row, strict=True)) for row in counts.tolist()]
    return PoolEffects(
        neighbours=[tuple(row) for row in pool.neighbours.tolist()],
        mixes=mixes(sizes, SLOTS),
        target=tuple(target_mix(sizes).values()),
    )


def choose(
    effect_of: Mapping[str, str], slots: Sequence[str], rng: np.random.Generator
) -> tuple[str, ...]:
    """Return a move with the wanted effect for each slot, all different.

    Uniform among the choices in which every move shares its face with equally many others; among
    all choices if there is none.

    Args:
        effect_of: face move -> effect.
        slots: the effect that each slot shall show.
        rng: the item's generator.
    """
    wanted = Counter(slots)
    pools = (
        combinations([move for move, effect in effect_of.items() if effect == label], size)
        for label, size in wanted.items()
    )
    choices = [tuple(move for part in parts for move in part) for parts in product(*pools)]
    even = [choice for choice in choices if len(set(_sharing(choice))) == 1]
    pick = (even or choices)[int(rng.integers(len(even or choices)))]
    ready: dict[str, list[str]] = {label: [] for label in wanted}
    for place in rng.permutation(len(pick)):
        move = pick[int(place)]
        ready[effect_of[move]].append(move)
    return tuple(ready[effect].pop() for effect in slots)


def _sharing(options: Sequence[str]) -> Iterator[int]:
    """Yield for each move how many of the moves turn its face."""
    faces = [move[0] for move in options]
    return map(faces.count, faces)


def impossible(state: CertifiedState, neighbours: Sequence[int]) -> list[str]:
    """Return which distances simulation refutes, in words; empty if none.

    Args:
        state: the state.
        neighbours: the distances claimed, in the order of FACE_MOVES.
    """
    wrong = []
    cost = dict(zip(FACE_MOVES, COST[state.metric] * 6, strict=True))
    distance = dict(zip(FACE_MOVES, neighbours, strict=True))
    for move, claimed in distance.items():
        if is_solved(moves.apply(state.facelets, (move,))) != (claimed == 0):
            wrong.append(f"{move} is said to lead to distance {claimed}")
        if abs(claimed - state.optimal_depth) > cost[move]:
            wrong.append(f"{move} alone cannot change {state.optimal_depth} to {claimed}")
    first = state.witness[0]
    if distance[first] != state.optimal_depth - cost[first]:
        wrong.append(f"the witness begins with {first}, said to lead to {distance[first]}")
    return wrong
