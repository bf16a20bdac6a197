"""Draw cosets, and states of a coset's level, from seeds alone.

A level is sampled page by page: each page contributes its part of the request, rounded so that
every state of the level has the same probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance.coset_search import COSETS, Codes, CosetLevel, CosetTables


def draw_cosets(tables: CosetTables, seed: int, count: int) -> list[int]:
    """Return the numbers of different cosets, no two of them images of one another.

    More are drawn of the same seed by going on: the first ones stay.

    Args:
        tables: those of the search.
        seed: the root of all seeds.
        count: how many.
    """
    rng = make_generator("cube", "labels", seed, "cosets")
    drawn: dict[int, int] = {}
    while len(drawn) < count:
        number = int(rng.integers(COSETS))
        drawn.setdefault(tables.least_image(number), number)
    return list(drawn.values())


@dataclass(frozen=True, slots=True)
class LevelSample:
    """What is taken of a level.

    Attributes:
        level: the level.
        seed: the root of all seeds.
        coset: number of the coset.
        wanted: int64 (pages,), how many of each page.
    """

    level: CosetLevel
    seed: int
    coset: int
    wanted: npt.NDArray[np.int64]

    @property
    def state_count(self) -> int:
        """How many states are taken."""
        return int(self.wanted.sum())

    def page_ranges(self, size: int) -> list[tuple[int, int]]:
        """Return ranges of pages that together give all, each about `size` states or one page."""
        ends = np.cumsum(self.wanted)
        cuts = [0]
        while cuts[-1] < len(ends) and ends[-1]:
            before = int(ends[cuts[-1] - 1]) if cuts[-1] else 0
            if before == ends[-1]:
                break
            following = int(np.searchsorted(ends, before + size, side="left")) + 1
            cuts.append(min(max(following, cuts[-1] + 1), len(ends)))
        return list(pairwise(cuts))

    def codes_in_pages(self, low: int, high: int) -> Codes:
        """Return the codes that are taken of pages low to high - 1, rising."""
        if np.array_equal(self.level.pages[low:high], self.wanted[low:high]):
            return self.level.codes(low, high)
        return np.concatenate([np.empty(0, dtype=np.uint64), *self._iterate_codes(low, high)])

    def _iterate_codes(self, low: int, high: int) -> Iterator[Codes]:
        # Page by page: at 17 the codes of a whole level are 48 GB.
        for page in range(low, high):
            have, want = int(self.level.pages[page]), int(self.wanted[page])
            if want:
                rng = make_generator(
                    "cube", "labels", self.seed, self.coset, self.level.depth, page
                )
                which = np.sort(rng.choice(have, want, replace=False, shuffle=False))
                yield self.level.codes(page, page + 1)[which]


def draw_level(level: CosetLevel, seed: int, coset: int, share: int | None) -> LevelSample:
    """Draw states of a level, evenly.

    Args:
        level: where they are drawn from.
        seed: the root of all seeds.
        coset: number of the coset.
        share: how many; all if that is None, or if the level has no more.
    """
    total = level.state_count
    if share is None or share >= total:
        return LevelSample(level, seed, coset, level.pages)
    offset = int(make_generator("cube", "labels", seed, coset, level.depth).integers(total))
    # In numbers without an end: states times share can pass 64 bits.
    steps = [(states * share + offset) // total for states in np.cumsum(level.pages).tolist()]
    ends = np.array([0, *steps], dtype=np.int64)
    return LevelSample(level, seed, coset, ends[1:] - ends[:-1])
