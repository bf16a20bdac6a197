"""Derive random generators from names: one hash over a path of names seeds one generator.

No arithmetic on seeds, no global generator, no dependence on order or on the number of workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

from facelet.generators.core.compiled_parts import load_compiled

T = TypeVar("T")
Name = str | int


def digest_names(*names: Name) -> bytes:
    """Return 32 bytes that depend on every name, its type and its place.

    Each name is written with its type and byte length, so that ("ab", "c") and ("a", "bc"), or 1
    and "1", differ.
    """
    path = b"".join(
        [_kept(n) if isinstance(n, int) or len(n) < _LONG else _encode_name(n) for n in names]
    )
    return hashlib.blake2b(path, digest_size=32, person=b"facelet-seed-v1").digest()


def _encode_name(name: Name) -> bytes:
    data = str(name).encode()
    return (b"i" if isinstance(name, int) else b"s") + len(data).to_bytes(8, "little") + data


_kept = lru_cache(maxsize=1 << 12)(_encode_name)

_LONG = 100
"""Characters of a name that is not kept: it seldom comes again, and thousands fill memory."""


def make_generator(*names: Name) -> np.random.Generator:
    """Return the random generator that belongs to a path of names."""
    return _seed_generator(digest_names(*names))


class CompiledSeedSequence(ISeedSequence):
    """What a SeedSequence makes of a seed for a bit generator, by the compiled part."""

    def __init__(self, words: bytes) -> None:
        """Hold the 32 bytes."""
        self._words = words

    def bit_generator(self) -> np.random.BitGenerator:
        """Return the bit generator."""
        return np.random.PCG64DXSM(self)  # type: ignore[arg-type]  # Its stub knows one class only.

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        """Return them."""
        return np.frombuffer(self._words, "<u8")


_part = load_compiled("facelet.generators.core._drawing")


def _seed_generator(seed: bytes) -> np.random.Generator:
    if _part:
        return np.random.Generator(CompiledSeedSequence(_part.spread(seed)).bit_generator())
    # The words of the number that the bytes are: numpy would take it apart one word at a time.
    words = np.frombuffer(seed, "<u4")
    if not words[-1]:
        words = np.trim_zeros(words, "b")
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(words)))


@lru_cache(maxsize=1 << 12)
def _block_order(seed: bytes, count: int) -> tuple[int, ...]:
    """Return the order of the cards of a block; its items, which follow one another, share it."""
    return tuple(_seed_generator(seed).permutation(count).tolist())


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
        return make_generator(*self.path, "item", self.index, "attempt", self.attempt)

    def derive_shared_draw(self, name: Name) -> Draw:
        """Return the draw of this item under a name in place of task and version.

        Tasks that draw under one name make the same items in the same split and difficulty.

        Args:
            name: the name; it moves where a task's version would.
        """
        root, rest = self.path[:1], self.path[3:]
        return Draw((*root, "shared", name, *rest), self.index, self.attempt)

    def deal_card(self, deck: str, cards: Sequence[T]) -> T:
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
        return cards[
            _block_order(digest_names(*self.path, "deck", deck, "block", block), len(cards))[place]
        ]

    def unique_number(self, deck: str, size: int, items: int = 0) -> int:
        """Return this item's number from 0 to size - 1, which no other of `size` items shares.

        A task that numbers all its puzzles thus makes distinct ones without knowing the others.
        From item `size` on the numbers repeat. A new attempt has another number, which it shares
        with the first attempt of some later item; where `items` are told, each item has
        size // items numbers of its own, one an attempt, so that no two items share any; an item
        that is rejected more often than that uses numbers of others.

        Args:
            deck: name of the deck; decks with different names are shuffled independently.
            size: how many numbers there are.
            items: how many items there are at most, where some numbers are of no use; 0 for none.

        Raises:
            ValueError: there are none, or fewer than items.
        """
        if size < max(1, items):
            raise ValueError(f"deck {deck!r} has {size} numbers; number needs {max(1, items)}")
        place = (self.index + self.attempt * (items or _APART)) % size
        return self._permute_number(deck, place, size)

    def number_holder(self, deck: str, number: int, size: int, items: int) -> tuple[int, int]:
        """Return the index and the attempt that draw a number; the inverse of `unique_number`.

        Args:
            deck: name of the deck.
            number: the number.
            size: how many numbers there are.
            items: how many items there are at most.
        """
        attempt, index = divmod(self._permute_number(deck, number, size, back=True), items)
        return index, attempt

    def _permute_number(self, deck: str, place: int, size: int, *, back: bool = False) -> int:
        """Return a number below `size` permuted by the deck's key, or permuted back.

        It is a permutation of the numbers below 4 ** half (a Feistel network), repeated until the
        number is below `size` again, which is a permutation of those.
        """
        half = max(1, ((size - 1).bit_length() + 1) // 2)
        mask, keys = (1 << half) - 1, _round_keys(digest_names(*self.path, "deck", deck))
        while True:
            left, right = place >> half, place & mask
            if back:
                left, right = right, left
            for key in keys[:: -1 if back else 1]:
                left, right = right, left ^ (_scramble_value(right, key, half) & mask)
            if back:
                left, right = right, left
            if (place := left << half | right) < size:
                return place


_APART = 0x9E3779B1
"""Distance between the places of two attempts of one item: far, and odd."""
_ROUNDS = 6
_WORD = 0xFFFFFFFFFFFFFFFF


@lru_cache(maxsize=1 << 10)
def _round_keys(seed: bytes) -> tuple[int, ...]:
    """Return the keys of the rounds of a deck, which all items of a cell share."""
    return tuple(_seed_generator(seed).integers(0, 1 << 62, _ROUNDS).tolist())


def _scramble_value(value: int, key: int, bits: int) -> int:
    """Return at least so many bits that depend on all of a number's and on a key."""
    state = key
    for place in range(0, bits, 64):
        state = _mix_value(state ^ value >> place & _WORD)
    return state | sum(_mix_value(state ^ place) << place for place in range(64, bits, 64))


def _mix_value(value: int) -> int:
    """Return 64 bits that depend on all of a number's (the finisher of SplitMix64)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _WORD
    return value ^ value >> 31
