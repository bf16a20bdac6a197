"""Seeds come from names: one hash over a path of names gives one independent generator.

No arithmetic on seeds, no global generator, no dependence on order or on the number of workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Name = str | int


def digest(*names: Name) -> bytes:
    """Return 32 bytes that depend on every name, its type and its place.

    Each name is written with its type and byte length, so that ("ab", "c") and ("a", "bc"), or 1
    and "1", differ.
    """
    state = hashlib.blake2b(digest_size=32, person=b"facelet-seed-v1")
    for name in names:
        data = str(name).encode()
        kind = b"i" if isinstance(name, int) else b"s"
        state.update(kind + len(data).to_bytes(8, "little") + data)
    return state.digest()


def generator(*names: Name) -> np.random.Generator:
    """Return the random generator that belongs to a path of names."""
    entropy = int.from_bytes(digest(*names), "little")
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(entropy)))


@dataclass(frozen=True)
class Draw:
    """The randomness of one item.

    Attributes:
        path: names that identify the item's cell: root seed, task, version, split, difficulty.
        index: number of the item in its cell, from 0.
        attempt: number of rejected attempts before this one.
    """

    path: tuple[Name, ...]
    index: int
    attempt: int = 0

    @cached_property
    def rng(self) -> np.random.Generator:
        """The item's own generator; a new attempt has a new one."""
        return generator(*self.path, "item", self.index, "attempt", self.attempt)

    def deal(self, deck: str, cards: Sequence[T]) -> T:
        """Return this item's card from a balanced deck.

        Items are dealt in blocks of len(cards); inside a block each card is dealt exactly once,
        in an order that only the block's seed knows. A new attempt is dealt the same card.

        Args:
            deck: name of the deck; decks with different names are shuffled independently.
            cards: the cards, in a fixed order; repeat a card to weight it.

        Raises:
            ValueError: there are no cards.
        """
        if not cards:
            raise ValueError(f"deck {deck!r} has no cards; deal needs at least one")
        block, place = divmod(self.index, len(cards))
        order = generator(*self.path, "deck", deck, "block", block).permutation(len(cards))
        return cards[int(order[place])]
