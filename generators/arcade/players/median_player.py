"""Find the positions of the two middle numbers by the middle two of even groups.

Numbers 1 to n are hidden at positions 1 to n. `locate_medians` finds the positions of lo = n // 2
and hi = lo + 1, in either order: it yields groups of positions, of even size and at least 4, and is
sent the two middle numbers of each, as a pair. A number up to lo is small, any other is large.

1. If n is odd, it leaves out one position after the other, until it leaves out a large number. The
   middle two of the rest, R, are then lo and hi, or hi has been found.
2. It leaves out two positions of R. If the middle does not change, one of the two is small, one is
   large, and neither is lo or hi: they are the anchors. If it moves to one side, both are on the
   other; if one middle number disappears, it was one of the two. Known positions are paired so that
   each answer is informative.
3. Among the anchors and any two more positions, lo and hi are among the middle two if they are
   there at all; so too among the anchors and equally many known small and large positions. That
   halves the candidates.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import combinations

Group = tuple[int, ...]
Middle = tuple[int, int]
Asking = Generator[Group, Middle, tuple[int, int]]


class MedianSearch:
    """The knowledge of a play.

    Attributes:
        rest: R, the positions whose middle numbers are `low` and `high`.
        low: the lower middle number, lo.
        high: the upper one; hi, or hi + 1 once hi has been found and left out.
        small: positions that hold at most `low`.
        large: positions that hold at least `high`.
        mixed: pairs of which one is small and one large.
        lows: positions that may hold `low`.
        highs: positions that may hold `high`.
        found: the position of hi, if it was found and left out; else 0.
    """

    def __init__(self, size: int) -> None:
        """Start without knowledge."""
        self.rest = list(range(1, size + 1))
        self.low = size // 2
        self.high = self.low + 1
        self.small: list[int] = []
        self.large: list[int] = []
        self.mixed: list[int] = []
        self.lows = set(self.rest)
        self.highs = set(self.rest)
        self.found = 0

    def without_positions(self, *out: int) -> Group:
        """Return R without some positions."""
        return tuple(position for position in self.rest if position not in out)

    def drop_position(self, out: int) -> None:
        """Remove a position from R."""
        self.rest.remove(out)
        self.lows.discard(out)
        self.highs.discard(out)

    def has_known_pair(self) -> bool:
        """Return whether two positions are known to hold lo and hi, one each."""
        return not self.found and len(self.lows) == 2 and self.lows == self.highs

    def unknown_positions(self) -> list[int]:
        """Return the positions of R whose side is unknown; none once one side is complete."""
        known = {*self.small, *self.large, *self.mixed}
        left = [position for position in self.rest if position not in known]
        half = len(self.rest) // 2
        if len(self.small) + len(self.mixed) // 2 == half:
            self.mark_large(*left)
        elif len(self.large) + len(self.mixed) // 2 == half:
            self.mark_small(*left)
        else:
            return left
        return []

    def mark_small(self, *positions: int) -> None:
        """Record that positions are small."""
        self.small += [position for position in positions if position not in self.small]
        self.highs -= set(positions)

    def mark_large(self, *positions: int) -> None:
        """Record that positions are large."""
        self.large += [position for position in positions if position not in self.large]
        self.lows -= set(positions)

    def learn_pair_middle(self, a: int, b: int, middle: Middle) -> bool:
        """Record the middle of R without two positions; return whether they are anchors."""
        pair = {a, b}
        if middle[0] == self.high:
            self.mark_small(a, b)
            return False
        if middle[1] == self.low:
            self.mark_large(a, b)
            return False
        if middle[0] == self.low:
            self.lows -= pair
        else:
            self.lows &= pair
        if middle[1] == self.high:
            self.highs -= pair
        else:
            self.highs &= pair
        for one, other in ((a, b), (b, a)):
            if one in self.small:
                self.mark_large(other)
            elif one in self.large:
                self.mark_small(other)
        if not pair & {*self.small, *self.large}:
            self.mixed += [a, b]
        return middle == (self.low, self.high)

    def choose_pair(self) -> tuple[int, int]:
        """Return two positions to leave out: known ones of either side, or unknown ones."""
        left = self.unknown_positions()
        small = [position for position in self.small if self.lows != {position}]
        large = [position for position in self.large if self.highs != {position}]
        a, b = (small + left)[:1], (large + left[::-1])[:1]
        if not small and not large:
            return left[0], left[1]
        return a[0], b[0]

    def choose_halving_set(self, anchors: Iterable[int]) -> set[int]:
        """Return the positions to add to the anchors so that the answer halves the candidates."""
        pool = [position for position in self.rest if position not in anchors]
        kinds: dict[tuple[bool, bool], list[int]] = {}
        for position in pool:
            kinds.setdefault((position in self.lows, position in self.highs), []).append(position)
        some = [position for kind in kinds.values() for position in kind[:2]]
        tried = [set(two) for two in combinations(some, 2)]
        small = [position for position in self.small if position in self.lows]
        large = [position for position in self.large if position in self.highs]
        tried.extend(
            {*small[:count], *large[:count]} for count in range(2, min(len(small), len(large)) + 1)
        )
        return min(tried, key=self._worst_case_size)

    def learn_middle(self, added: set[int], middle: Middle) -> None:
        """Record the middle numbers of the anchors and the added positions."""
        self.lows = self.lows & added if self.low in middle else self.lows - added
        self.highs = self.highs & added if self.high in middle else self.highs - added

    def _worst_case_size(self, added: set[int]) -> int:
        """Return the number of candidates left in the worst case."""
        return sum(
            max(len(places & added), len(places - added)) for places in (self.lows, self.highs)
        )


def locate_medians(size: int) -> Asking:
    """Find the positions of the two middle numbers.

    Args:
        size: how many positions there are, at least 6.
    """
    search = MedianSearch(size)
    if size % 2:
        for position in range(1, size + 1):
            middle = yield search.without_positions(position)
            if middle[0] > search.low:
                search.mark_small(position)
                continue
            if middle[1] > search.high:
                search.found, search.high = position, middle[1]
            search.drop_position(position)
            break
    while True:
        a, b = search.choose_pair()
        middle = yield search.without_positions(a, b)
        if search.learn_pair_middle(a, b, middle):
            break
        if search.has_known_pair():
            return a, b
    if search.found:
        search.highs = set()
    while not search.has_known_pair() and max(len(search.lows), len(search.highs)) > 1:
        added = search.choose_halving_set((a, b))
        middle = yield (a, b, *sorted(added))
        search.learn_middle(added, middle)
    if search.has_known_pair():
        low, high = sorted(search.lows)
        return low, high
    return min(search.lows), search.found or min(search.highs)
