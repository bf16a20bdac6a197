"""Fill the slots of a pool: with states enumerated, drawn, scrambled or stored.

Each is made from seeds of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names, make_generator
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import Maneuver, Metric
from facelet.generators.cube.pools.pool_spec import (
    EXHAUSTIVE,
    PoolSpec,
    draw_descent,
    shells_to,
    split_of,
)
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState

if TYPE_CHECKING:
    from facelet.generators.cube.distance.exact_solver import Certificate

STORED = "stored/"
"""Prefix of `sampling` for states from the store."""

SCRAMBLED = "scramble"
"""`sampling` of a state that a plain scramble made."""

MAX_ATTEMPTS = 20_000
"""Draws that one slot may take; a split of one part in a thousand takes a few thousand."""

PREFERENCE = ("random_state", "random_word", "symmetric", "subword")
"""Ways of sampling, in the order in which a store's states are taken."""


Edition = Sequence[CertifiedState]
"""States that came into the store together; a pool takes all of one before any of the next."""


class StateCertifier(Protocol):
    """What a pool asks of a solver; `ExactSolver` is one."""

    def certify_state(self, facelets: str, solution: Maneuver) -> Certificate:
        """Return the proof of a state's depth, given any solution."""

    def neighbour_distances(self, facelets: str, depth: int) -> npt.NDArray[np.int8]:
        """Return the exact distance after each of the 18 face moves."""


def _make_certified_state(
    spec: PoolSpec, state: str, solution: Maneuver, how: str, family: str, proof: Certificate
) -> CertifiedState:
    """Return a state with its own witness and the proof that nothing shorter solves it."""
    return CertifiedState(
        facelets=state,
        metric=spec.metric,
        optimal_depth=spec.depth,
        solution=notation.format_maneuver(solution),
        sampling=how,
        family=family,
        canonical=symmetry.canonical_image(state)[0],
        exhausted=proof.exhausted,
        table_hash=proof.table_hash,
        nodes=proof.nodes,
    )


@lru_cache(maxsize=8)
def _list_classes(metric: Metric, depth: int) -> dict[str, str]:
    """Return all states of a shallow depth, sorted, with their canonical forms."""
    states = sorted(shells_to(metric, depth)[depth])
    forms: dict[str, str] = {}
    for state in states:
        if state not in forms:
            images = [symmetry.transform_state(state, s) for s in range(symmetry.COUNT)]
            forms |= dict.fromkeys(images, symmetry.canonical_image(state)[0])
    return {state: forms[state] for state in states}


@lru_cache(maxsize=64)
def shell_order(spec: PoolSpec) -> tuple[str, ...]:
    """Return the first `count` states of a shallow depth in the pool's order."""
    classes = _list_classes(spec.metric, spec.depth)
    families = {form: symmetry.canonical_with_inverse(form) for form in set(classes.values())}
    mine = {
        form for form, family in families.items() if split_of(family, spec.splits) == spec.split
    }
    states = [state for state, form in classes.items() if form in mine]
    first: dict[str, str] = {}
    later: list[str] = []
    for place in make_generator(*spec.seed_path, "order").permutation(len(states)):
        state = states[int(place)]
        if first.setdefault(classes[state], state) != state:
            later.append(state)
    return (*first.values(), *later)[: spec.count]


def prove_shallow(spec: PoolSpec, state: str, certifier: StateCertifier) -> CertifiedState:
    """Return an enumerated state with a random optimal solution and the certifier's proof.

    Args:
        spec: the pool.
        state: facelets of a state of its depth.
        certifier: proves the depth.
    """
    rng = make_generator(*spec.seed_path, "witness", state)
    solution = draw_descent(spec.metric, state, rng)
    proof = certifier.certify_state(state, solution)
    if proof.optimal_length != spec.depth:
        raise RuntimeError(f"{state}: {proof.optimal_length} by search, {spec.depth} by shells")
    family = symmetry.canonical_with_inverse(state)
    return _make_certified_state(spec, state, solution, "exhaustive", family, proof)


def draw_slot(spec: PoolSpec, slot: int, certifier: StateCertifier) -> CertifiedState:
    """Return the state of a slot: its first random word that is optimal and in the split.

    Args:
        spec: the pool.
        slot: its number, from 0.
        certifier: proves the depth.

    Raises:
        ValueError: none of MAX_ATTEMPTS words is.
    """
    for attempt in range(MAX_ATTEMPTS):
        rng = make_generator(*spec.seed_path, "slot", slot, "attempt", attempt)
        word = scrambles.random_word(spec.metric, spec.depth, rng)
        state = moves.apply_maneuver(notation.SOLVED, word)
        family = symmetry.canonical_with_inverse(state)
        if split_of(family, spec.splits) != spec.split:
            continue
        solution = scrambles.shuffle_commuting(notation.invert_maneuver(word), rng)
        proof = certifier.certify_state(state, solution)
        if proof.optimal_length == spec.depth:
            return _make_certified_state(spec, state, solution, "random_word", family, proof)
    raise _build_slot_error(spec)


def scramble_slot(spec: PoolSpec, slot: int, certifier: StateCertifier) -> CertifiedState:
    """Return the state of a slot: its first scramble that is in the split and not solved.

    Its distance is proven, and may be less than the scramble is long. The witness is the scramble
    undone if that is a shortest solution, else a shortest solution drawn from the state's seed.

    Args:
        spec: the pool.
        slot: its number, from 0.
        certifier: proves the distance.

    Raises:
        ValueError: none of MAX_ATTEMPTS scrambles is.
    """
    for attempt in range(MAX_ATTEMPTS):
        rng = make_generator(*spec.seed_path, "slot", slot, "attempt", attempt)
        word = scrambles.plain_scramble(spec.metric, spec.depth, rng)
        if (state := moves.apply_maneuver(notation.SOLVED, word)) == notation.SOLVED:
            continue
        family = symmetry.canonical_with_inverse(state)
        if split_of(family, spec.splits) != spec.split:
            continue
        undone = notation.invert_maneuver(word)
        proof = certifier.certify_state(state, undone)
        depth = proof.optimal_length
        if depth < spec.depth:
            shallow = depth <= EXHAUSTIVE[spec.metric]
            undone = draw_descent(spec.metric, state, rng) if shallow else proof.solution
        own = replace(spec, depth=depth)
        return _make_certified_state(own, state, undone, SCRAMBLED, family, proof)
    raise _build_slot_error(spec)


def _build_slot_error(spec: PoolSpec) -> ValueError:
    """Return the error of a slot whose draws all fell in other splits."""
    what = "scramble" if spec.scrambled else "random word"
    return ValueError(
        f"no {what} of {spec.metric} depth {spec.depth} fell in split {spec.split!r} in "
        f"{MAX_ATTEMPTS} attempts; give it a larger weight than in {dict(spec.splits)}"
    )


def from_store(spec: PoolSpec, editions: Sequence[Edition]) -> Iterator[CertifiedState]:
    """Yield the stored states of a depth in the pool's order: edition by edition, inverses last.

    Raises:
        ValueError: no edition has a state of the depth, or a stored state's witness does not hold.
    """
    found = [[s for s in edition if s.metric == spec.metric] for edition in editions]
    depths = sorted({state.optimal_depth for edition in found for state in edition})
    if spec.depth not in depths:
        raise ValueError(
            f"the store has no certified state of {spec.metric} depth {spec.depth}; "
            f"it has the depths {depths}; lesser ones are drawn and proven on the spot"
        )
    rows = [
        (inverted, row)
        for edition in found
        for inverted in (False, True)
        for row in sorted(edition, key=lambda row: _rank_stored(spec, row))
        if row.optimal_depth == spec.depth
    ]
    seen: set[str] = set()
    for inverted, row in rows:
        if split_of(row.family, spec.splits) != spec.split:
            continue
        rng = make_generator(*spec.seed_path, "stored", row.canonical, "inverse", int(inverted))
        state = certified_states.invert_certified(row) if inverted else row
        if state.canonical in seen:
            continue
        seen.add(state.canonical)
        state = certified_states.transform_certified(state, int(rng.integers(symmetry.COUNT)))
        if wrong := certified_states.find_state_faults(state):
            raise ValueError(f"stored state {row.facelets}: {'; '.join(wrong)}")
        yield replace(state, sampling=STORED + row.sampling)


def _rank_stored(spec: PoolSpec, row: CertifiedState) -> tuple[int, bytes, str]:
    """Return the sort key of a stored state: preferred sampling first, then a seeded order."""
    return (
        PREFERENCE.index(row.sampling),
        digest_names(*spec.seed_path, "stored", row.canonical),
        row.facelets,
    )
