"""Build pools: at most `count` states of one exact depth, in an order set by the spec alone.

A pool is a sequence of slots, each filled from seeds of its own. So chunks of slots may be
certified anywhere and merged afterwards, and a pool of ten is the beginning of a pool of a hundred.

- Shallow depths are enumerated: a seeded order of all states, one of each orbit under the 48
  symmetries first. More states of an orbit follow only when the depth has too few orbits.
- Middle depths: slot i tries random canonical words 0, 1, 2, ... until the depth of one is proven
  to be its length. So states with many optimal solutions are more likely. The witness is the word
  undone, not the solver's solution, which would be biased by its search order.
- Scrambles, where they are asked for: slot i holds the state of a plain scramble, whatever others
  hold, so states repeat, and may be nearer to solved than their scramble is long.
- Deep states come from a store of proofs: a seeded symmetric image of each, in a seeded order, then
  their inverses, edition by edition of what is taken of it. Their `sampling` starts with "stored/".
  Where the spec says how many it has (`held`), the slots after these are drawn as at middle depths.

A family (see states.certified_states) is in one split, which the hash of its key decides; a word
whose family is in another split is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.cube.engine import moves
from facelet.generators.cube.pools import slot_sources
from facelet.generators.cube.pools.pool_spec import PoolSpec
from facelet.generators.cube.pools.slot_sources import Edition, StateCertifier
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates

SLOTS_PER_STATE = 20
"""After this many slots for each state asked for, a pool stays smaller."""

DEEP_WORDS = 5
"""Slots of a chunk whose words take up to seconds each to prove."""


@dataclass(frozen=True, slots=True)
class SlotRange:
    """The slots from `start` up to but not including `stop`."""

    start: int
    stop: int


def candidate_chunks(spec: PoolSpec) -> tuple[SlotRange, ...]:
    """Return the chunks of slots that a pool is made of.

    `merge_chunks` adds slots to replace duplicates.

    Chunks are cut by depth and count only, so that each takes seconds to a minute.
    """
    if spec.state_source == "store":
        held = spec.count if spec.held is None else spec.held
        return (*_split_slots(0, held, spec.count), *_split_slots(held, spec.count, DEEP_WORDS))
    if spec.state_source == "exhaustive" or spec.depth <= 13:
        size = 200
    else:
        size = 50 if spec.depth <= 15 else DEEP_WORDS
    return _split_slots(0, spec.count, size)


def _split_slots(start: int, stop: int, size: int) -> tuple[SlotRange, ...]:
    return tuple(SlotRange(i, min(i + size, stop)) for i in range(start, stop, size))


def open_slots(
    spec: PoolSpec, certifier: StateCertifier, stored: Sequence[Edition] = ()
) -> tuple[int, Callable[[int], CertifiedState]]:
    """Return the number of slots that can be filled, and what fills the slot of a number.

    Args:
        spec: the pool.
        certifier: proves the depths of states that are not stored.
        stored: the store, its oldest edition first; other metrics and depths are passed over.

    Raises:
        ValueError: the store has no state of this depth, or a stored state's witness does not hold.
    """
    if spec.state_source == "exhaustive":
        order = slot_sources.shell_order(spec)
        return len(order), lambda slot: slot_sources.prove_shallow(spec, order[slot], certifier)
    limit = SLOTS_PER_STATE * spec.count
    if spec.state_source == "scramble":
        return limit, lambda slot: slot_sources.scramble_slot(spec, slot, certifier)
    kept: list[CertifiedState] = []
    if spec.draw_source is None or (spec.held and stored):
        kept = list(slot_sources.from_store(spec, stored))[: spec.draw_source]
    if spec.draw_source is None:
        return len(kept), kept.__getitem__
    held = spec.draw_source

    def fill_slot(slot: int) -> CertifiedState:
        # Words are numbered from 0 wherever they begin, so that a larger store moves none.
        return kept[slot] if slot < held else slot_sources.draw_slot(spec, slot - held, certifier)

    return limit, fill_slot


def certify_chunk(
    spec: PoolSpec,
    chunk: SlotRange,
    certifier: StateCertifier,
    *,
    stored: Sequence[Edition] = (),
    neighbours: bool = False,
) -> CertifiedStates:
    """Return the proven states of a chunk's slots, in slot order.

    Args:
        spec: the pool.
        chunk: its slots; those past the end of a small depth or store are left out.
        certifier: proves the depths of states that are not stored.
        stored: the store, its oldest edition first; other metrics and depths are passed over.
        neighbours: whether to compute the distances of all 18 neighbours as well.

    Raises:
        ValueError: the store has no state of this depth, a stored state's witness does not hold, or
            a split is too small to be hit.
    """
    size, fill_slot = open_slots(spec, certifier, stored)
    states = [fill_slot(n) for n in range(chunk.start, min(chunk.stop, size))]
    return _build_pool(spec, states, certifier if neighbours else None)


def merge_chunks(
    spec: PoolSpec,
    parts: Sequence[CertifiedStates],
    certifier: StateCertifier,
    *,
    neighbours: bool = False,
) -> CertifiedStates:
    """Return the pool: the chunks' states in slot order, symmetric duplicates replaced.

    Args:
        spec: the pool.
        parts: what `certify_chunk` returned for each of `candidate_chunks(spec)`, in order.
        certifier: proves the states of further slots, where there were duplicates.
        neighbours: whether the parts have neighbour distances; then the pool has them too.

    Returns:
        A pool of at most `spec.count` states; `describe_shortfall` says in words why it has fewer.
    """
    every = [state for part in parts for state in part.states]
    distances = [part.neighbours for part in parts if part.neighbours is not None]
    if spec.draw_source is None:
        return CertifiedStates(
            spec.metric,
            spec.depth,
            tuple(every),
            np.concatenate(distances) if neighbours and distances else None,
        )
    limit = SLOTS_PER_STATE * spec.count
    slot = spec.count
    keep = _distinct_indices(every)
    while len(keep) < spec.count and slot < limit:
        chunk = SlotRange(slot, min(limit, slot + spec.count - len(keep)))
        more = certify_chunk(spec, chunk, certifier, neighbours=neighbours)
        every += more.states
        if more.neighbours is not None:
            distances.append(more.neighbours)
        slot = chunk.stop
        keep = _distinct_indices(every)
    keep = keep[: spec.count]
    return CertifiedStates(
        spec.metric,
        spec.depth,
        tuple(every[i] for i in keep),
        np.concatenate(distances)[keep] if neighbours and distances else None,
    )


def describe_shortfall(spec: PoolSpec, pool: CertifiedStates) -> str:
    """Return why a pool is smaller than asked for, in words for the manifest; "" if it is not."""
    if pool.capacity >= spec.count:
        return ""
    what = f"{pool.capacity} of {spec.count} states of {spec.metric} depth {spec.depth}"
    where = "" if len(spec.splits) == 1 else f" whose families fall in split {spec.split}"
    if spec.state_source == "exhaustive":
        return f"{what}: these are all there are{where}"
    if spec.state_source == "store" and spec.held is None:
        return f"{what}: these, inverses included, are all that it takes of the store{where}"
    return f"{what}: {SLOTS_PER_STATE * spec.count} draws gave no more up to symmetry{where}"


def _build_pool(
    spec: PoolSpec, states: Sequence[CertifiedState], certifier: StateCertifier | None
) -> CertifiedStates:
    """Return a pool, with neighbour distances if there is a certifier for them."""
    table = None
    if certifier is not None:
        rows = [certifier.neighbour_distances(s.facelets, s.optimal_depth) for s in states]
        table = np.array(rows, dtype=np.int8).reshape(len(rows), len(moves.FACE_MOVES))
    return CertifiedStates(spec.metric, spec.depth, tuple(states), table)


def _distinct_indices(states: Sequence[CertifiedState]) -> list[int]:
    """Return the indices of the first state of each canonical form."""
    first: dict[str, int] = {}
    for index, state in enumerate(states):
        first.setdefault(state.canonical, index)
    return list(first.values())
