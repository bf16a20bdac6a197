"""Replace states of a pool by symmetric images, so that the front faces of a pair differ little.

Every state has 48 symmetric images, of the same distance and of the same family. A pair of a false
and a true statement is the harder the fewer stickers tell its two faces apart, and among images
there are nearer ones than among the states as they were drawn. The first of a pair stays as it is;
the other is the image of it that is nearest. No image is a state that the pool has already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.states.certified_states import CertifiedState, transform_certified

BLOCK = 256
"""States among which near ones are sought."""
IMAGES = 48
STICKERS = 9

Front = Callable[[str], str]
Signature = Callable[[str], Hashable]


def turn_states(
    states: Sequence[CertifiedState], front: Front, signature: Signature
) -> tuple[CertifiedState, ...]:
    """Return the states, in their order, some of them as images that are near to another state.

    Args:
        states: the states.
        front: from a facelet string to the nine letters that are compared.
        signature: from such letters to what must differ in a pair.
    """
    found = list(states)
    taken = {state.facelets for state in states}
    for start in range(0, len(states), BLOCK):
        block = states[start : start + BLOCK]
        found[start : start + BLOCK] = _turn_block(block, front, signature, taken)
    return tuple(found)


def _turn_block(
    states: Sequence[CertifiedState], front: Front, signature: Signature, taken: set[str]
) -> list[CertifiedState]:
    """Return the states of a block; what images are used is added to what is taken."""
    images = [
        [symmetry.transform_state(state.facelets, s) for s in range(IMAGES)] for state in states
    ]
    texts = [[front(facelets) for facelets in row] for row in images]
    letters = np.array([[list(text.encode()) for text in row] for row in texts], dtype=np.uint8)
    first_letters = letters[:, 0].copy()
    free = np.ones(len(states), dtype=np.bool_)
    chosen = [0] * len(states)
    for most in range(1, STICKERS + 1):
        for one in range(len(states)):
            if not free[one]:
                continue
            others = np.flatnonzero(free)
            others = others[others < one]
            apart = (letters[one][:, None] != first_letters[others][None]).sum(axis=2)
            for s, other in np.argwhere(apart == most):
                mine, its = texts[one][int(s)], texts[int(others[other])][0]
                if signature(mine) != signature(its) and (not s or images[one][s] not in taken):
                    chosen[one] = int(s)
                    taken.add(images[one][s])
                    first_letters[one] = letters[one, s]
                    free[[one, others[other]]] = False
                    break
    return [
        transform_certified(state, s) if s else state
        for state, s in zip(states, chosen, strict=True)
    ]
