"""Random numbers and lists of the plain samplers, which check the compiled ones of deformations.

The numbers and every choice that is made with them are those of the compiled samplers (`_dice.h`),
a hundred times slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from facelet.generators.options.deformation.world_protocol import S, Step

TRACKS = range(4)
"""The four lists. Track t has the step t of each place where they differ."""

_WORD = (1 << 64) - 1

Agreed = Sequence[Sequence[int]]
"""How well what a player makes of each list agrees with each result."""


class SeededDice:
    """Numbers that all follow from one seed (SplitMix64)."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Start with a seed of 64 bits."""
        self._state = seed & _WORD

    def draw_below(self, size: int) -> int:
        """Return a number from 0 to size - 1."""
        return (self.draw_word() >> 32) * size >> 32

    def draw_word(self) -> int:
        """Return 64 bits."""
        self._state = word = (self._state + 0x9E3779B97F4A7C15) & _WORD
        word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
        return word ^ word >> 31


@dataclass(slots=True)
class DrawnLists:
    """Four lists: the operations that they share, and those of the places where they differ."""

    level: int
    shared: list[Step] = field(default_factory=list)
    own: dict[int, tuple[Step, ...]] = field(default_factory=dict)

    def step_at(self, track: int, place: int) -> Step:
        """Return an operation of a list."""
        return self.own[place][track] if place in self.own else self.shared[place]

    def step_lists(self) -> tuple[tuple[Step, ...], ...]:
        """Return the lists."""
        return tuple(
            tuple(self.step_at(track, place) for place in range(self.level)) for track in TRACKS
        )


def list_results(
    drawn: DrawnLists, start: S, apply: Callable[[S, Step], S]
) -> tuple[tuple[tuple[Step, ...], ...], tuple[S, ...]]:
    """Return the lists, and what each leads to.

    Args:
        drawn: the lists.
        start: where they start.
        apply: carries an operation out.
    """
    results = []
    for steps in drawn.step_lists():
        state = start
        for step in steps:
            state = apply(state, step)
        results.append(state)
    return drawn.step_lists(), tuple(results)


def agreement_excess(agreed: Agreed) -> float:
    """Return by how much a player beats one in two that takes the option which agrees best."""
    there = _win_rate(agreed) - 0.5
    back = _win_rate(list(zip(*agreed, strict=True))) - 0.5
    return max(there, 0) + max(back, 0)


def _win_rate(agreed: Agreed) -> float:
    """Return how often the player is right that knows the list."""
    total = 0.0
    for gold in TRACKS:
        here = agreed[gold]
        most = max(here)
        if here[gold] == most:
            total += 1.0 / list(here).count(most)
    return total / len(TRACKS)
