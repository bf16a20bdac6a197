"""Classify the effects of moves on the distance, and choose the four moves of an item.

The effect of a move is the sign of the change of the exact distance: DECREASE, NO_CHANGE or
INCREASE. By two of the rules an item shows each effect that its state has once, and fills the rest
by the paper's depth-aware target (Cube Bench, A.7.2; generators.options.doubled_classes). Which
item shows which effect twice follows from the pool alone.

How moves are related tells something about their effects: where a turn of a face helps, no turn of
that face leads away, so near the solved cube the moves without effect share the face of the
one that helps. Three moves of one face and one of another thus give three of four effects away. So
there are three rules for the moves of an item:

    varied  Two turns each of two faces on different axes, so that every move has the same
            relations to the others. The effects of the two turns of each face are the pattern of
            an item; of the patterns that a state has, one is drawn, with a weight of as many as it
            has different effects. So neither the number of moves of an effect nor that of one move
            gives the others away: four labels carry 2.7 bits at depth 1 and more beyond, where
            those of the next rule carry 2.
    even    Of all sets of four moves, one is drawn in which every move has the same relations
            to the others: two turns each of two faces on different axes, else any other set of that
            kind, else any set at all. An effect is shown twice only where a set of the best kind
            that the state has can do so. The relations then say nothing about which move is which.
    paper   Any set of moves that shows the effects, with any effect twice that has two moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import is_solved
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import COST
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.options.doubled_classes import (
    ClassMix,
    doublable_classes,
    draw_mixes,
    target_mix,
)

EFFECTS = ("DECREASE", "NO_CHANGE", "INCREASE")

MOVE_TEXT = r"[URFDLB][URFDLB2' ]{0,80}"
"""A regular expression for the moves of an option, which a reply may repeat before the effect."""

SLOTS = 4
"""Number of moves that an item shows."""

Rule = Literal["varied", "even", "paper"]
"""How the moves of an item are drawn; see the module."""

Pattern = tuple[tuple[str, ...], ...]
"""The effects of the two turns of each of two faces, sorted."""

_SETS = np.array(list(combinations(range(len(FACE_MOVES)), SLOTS)))
"""(3060, 4) all sets of four moves, as indices into FACE_MOVES."""


def _unevenness(chosen: Sequence[int]) -> int:
    """Return how much the relations of four moves may tell: 0 least, 2 most."""
    options = [FACE_MOVES[index] for index in chosen]
    profiles = {
        tuple(sorted(moves.turn_relation(one, two) for two in options if two != one))
        for one in options
    }
    if profiles == {("different axes", "different axes", "same face")}:
        return 0
    return 1 if len(profiles) == 1 else 2


_UNEVEN = np.array([_unevenness(chosen) for chosen in _SETS.tolist()])
"""(3060,) how much the relations in each set may tell."""


TWO_FACES = tuple(
    tuple(FACE_MOVES[k] for k in _SETS[place]) for place in np.flatnonzero(~_UNEVEN.astype(bool))
)
"""All sets of two turns each of two faces on different axes."""


def move_effects(neighbours: Sequence[int], depth: int) -> dict[str, str]:
    """Return the effect of each of the 18 face moves.

    Args:
        neighbours: exact distance after each, in the order of FACE_MOVES.
        depth: exact distance before.
    """
    return {
        move: classify_effect(after, depth)
        for move, after in zip(FACE_MOVES, neighbours, strict=True)
    }


def classify_effect(after: int, depth: int) -> str:
    """Return the effect of a move, from the exact distances after and before it."""
    return EFFECTS[1 + (after > depth) - (after < depth)]


@dataclass(frozen=True, slots=True)
class PoolEffects:
    """What follows from a whole pool for each of its items.

    Attributes:
        neighbours: for each state, the distance after each face move.
        mixes: for each item, which effects it shows; [] where that is drawn.
        target: target share of each effect, in the order of EFFECTS.
    """

    neighbours: list[tuple[int, ...]]
    mixes: list[ClassMix]
    target: tuple[float, ...]


@lru_cache(maxsize=8)
def pool_effects(pool: CertifiedStates, rule: Rule = "even", draws: int = 1) -> PoolEffects:
    """Return what follows from a pool for its items.

    Args:
        pool: the pool.
        rule: how the moves of an item are drawn.
        draws: items of each state.

    Raises:
        ValueError: the pool has no neighbour distances.
    """
    if pool.neighbours is None:
        raise ValueError("this pool has no neighbour distances; ask for them in `needs`")
    neighbours = [tuple(row) for row in pool.neighbours.tolist()]
    states = zip(neighbours, pool.states, strict=True)
    every = [move_effects(row, state.optimal_depth) for row, state in states]
    if rule == "varied":
        return PoolEffects(neighbours, [], draw_varied_mix(every))
    sizes = [{label: list(each.values()).count(label) for label in EFFECTS} for each in every]
    twice = [repeatable_effects(each, rule) for each in every]
    return PoolEffects(
        neighbours=neighbours,
        mixes=draw_mixes(sizes * draws, SLOTS, twice * draws),
        target=tuple(target_mix(sizes, twice).values()),
    )


def repeatable_effects(effect_of: Mapping[str, str], rule: Rule) -> tuple[str, ...]:
    """Return the effects that an item may show twice.

    Args:
        effect_of: face move -> effect.
        rule: how the moves of an item are drawn.
    """
    several = doublable_classes({label: list(effect_of.values()).count(label) for label in EFFECTS})
    if rule == "paper" or len(set(effect_of.values())) < len(EFFECTS):
        return several
    counts = _effect_counts(effect_of)
    least = {
        label: int(_UNEVEN[_matching_sets(counts, Counter((*EFFECTS, label)))].min())
        for label in several
    }
    return tuple(label for label in several if least[label] == min(least.values()))


def _effect_counts(effect_of: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Return how many moves of each effect each set of four has: (3060, effects)."""
    of_move = np.array([EFFECTS.index(effect_of[move]) for move in FACE_MOVES])
    return np.stack([(of_move[_SETS] == k).sum(axis=1) for k in range(len(EFFECTS))], axis=1)


def _matching_sets(
    counts: npt.NDArray[np.int64], wanted: Mapping[str, int]
) -> npt.NDArray[np.int64]:
    """Return the sets with the wanted number of moves of each effect."""
    return np.flatnonzero((counts == [wanted.get(label, 0) for label in EFFECTS]).all(axis=1))


def choose_moves(
    effect_of: Mapping[str, str], slots: Sequence[str], rng: np.random.Generator, rule: Rule
) -> tuple[str, ...]:
    """Return a move with the wanted effect for each slot, all different.

    Uniform among all choices, or among those whose relations tell least.

    Args:
        effect_of: face move -> effect.
        slots: the effect that each slot shall show.
        rng: the item's generator.
        rule: how the moves are drawn.
    """
    fitting = _matching_sets(_effect_counts(effect_of), Counter(slots))
    if rule == "even":
        fitting = fitting[_UNEVEN[fitting] == _UNEVEN[fitting].min()]
    pick = _SETS[fitting[int(rng.integers(len(fitting)))]]
    ready: dict[str, list[str]] = {label: [] for label in slots}
    for index in rng.permutation(pick):
        move = FACE_MOVES[int(index)]
        ready[effect_of[move]].append(move)
    return tuple(ready[effect].pop() for effect in slots)


def effect_patterns(effect_of: Mapping[str, str]) -> dict[Pattern, list[tuple[str, ...]]]:
    """Return the sets of two turns each of two faces on different axes, by their pattern.

    Args:
        effect_of: face move -> effect.
    """
    found: dict[Pattern, list[tuple[str, ...]]] = {}
    for chosen in TWO_FACES:
        faces = dict.fromkeys(move[0] for move in chosen)
        pairs = (
            tuple(sorted(effect_of[move] for move in chosen if move[0] == face)) for face in faces
        )
        found.setdefault(tuple(sorted(pairs)), []).append(chosen)
    return found


def draw_varied_moves(effect_of: Mapping[str, str], rng: np.random.Generator) -> tuple[str, ...]:
    """Return four moves of a pattern that is drawn, in random order.

    Args:
        effect_of: face move -> effect.
        rng: the item's generator.
    """
    sets = effect_patterns(effect_of)
    weights = _pattern_weights(sorted(sets))
    pattern = sorted(sets)[int(rng.choice(len(sets), p=weights))]
    chosen = sets[pattern][int(rng.integers(len(sets[pattern])))]
    return tuple(chosen[int(place)] for place in rng.permutation(SLOTS))


def draw_varied_mix(every: Sequence[Mapping[str, str]]) -> tuple[float, ...]:
    """Return the share of each effect that `draw_varied_moves` draws over some states."""
    total = np.zeros(len(EFFECTS))
    for effect_of in every:
        found = sorted(effect_patterns(effect_of))
        for pattern, weight in zip(found, _pattern_weights(found), strict=True):
            labels = [label for pair in pattern for label in pair]
            total += weight * np.array([labels.count(effect) for effect in EFFECTS]) / SLOTS
    return tuple((total / len(every)).tolist())


def _pattern_weights(found: Sequence[Pattern]) -> npt.NDArray[np.float64]:
    """Return the probability of each pattern: as many parts as it has different effects."""
    parts = np.array([len({label for pair in pattern for label in pair}) for pattern in found])
    shares: npt.NDArray[np.float64] = parts / parts.sum()
    return shares


def list_refuted_distances(state: CertifiedState, neighbours: Sequence[int]) -> list[str]:
    """Return which distances simulation refutes, in words; empty if none.

    Args:
        state: the state.
        neighbours: the distances claimed, in the order of FACE_MOVES.
    """
    wrong = []
    cost = dict(zip(FACE_MOVES, COST[state.metric] * 6, strict=True))
    distance = dict(zip(FACE_MOVES, neighbours, strict=True))
    for move, claimed in distance.items():
        if is_solved(moves.apply_maneuver(state.facelets, (move,))) != (claimed == 0):
            wrong.append(f"{move} is said to lead to distance {claimed}")
        if abs(claimed - state.optimal_depth) > cost[move]:
            wrong.append(f"{move} alone cannot change {state.optimal_depth} to {claimed}")
    first = state.witness_moves[0]
    if distance[first] != state.optimal_depth - cost[first]:
        wrong.append(f"the witness begins with {first}, said to lead to {distance[first]}")
    return wrong
