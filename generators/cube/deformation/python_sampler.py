"""Plain drawing of cubes' lists: the twin of `_four.c`, whose comments say why all is done so.

A state is 54 bytes; the rules are, for each rotation, from which facelet each one comes.
"""

from __future__ import annotations

from functools import lru_cache

from facelet.generators.options.deforming.plain import TRACKS, Drawn, Seeded, excess, led
from facelet.generators.options.deforming.worlds import Step

FACELETS, OPTIONS = 54, 4
LISTS, SAME, PAIRS, MANY = 40_000, 400, 24, 4000
CORNERS = (0, 2, 6, 8)
CENTRES = range(4, FACELETS, 9)

_LOW = int.from_bytes(b"\x7f" * FACELETS, "little")
_HIGH = int.from_bytes(b"\x80" * FACELETS, "little")

Lists = tuple[tuple[Step, ...], ...]


def four(
    rules: bytes, packed: bytes, level: int, seed: int
) -> tuple[Lists, tuple[bytes, ...]] | None:
    """Return four lists of operations and what they lead to; None if none are found.

    Args:
        rules: the rotations, 54 sources each.
        packed: the start.
        level: number of operations.
        seed: what all choices follow from.
    """
    turns = _turns(rules)
    drawn = turns.design(packed, level, Seeded(seed))
    return None if drawn is None else led(drawn, packed, turns.apply)


def turned(sources: bytes, state: bytes) -> bytes:
    """Return a state with each facelet taken from its source."""
    return sources.translate(state.ljust(256))


@lru_cache(maxsize=2)
class _Turns:
    """Rotations, and what follows from them."""

    def __init__(self, rules: bytes) -> None:
        """Find out which rotations come to one, and which may stand in one's place."""
        self.sources = [rules[at : at + FACELETS] for at in range(0, len(rules), FACELETS)]
        self.count = len(self.sources)
        every = {*self.sources, bytes(range(FACELETS))}
        self.merging = [[turned(b, a) in every for b in self.sources] for a in self.sources]
        self.alike: list[list[int]] = []
        self.lone: list[list[int]] = []
        odd = [_odd(one) for one in self.sources]
        for a, one in enumerate(self.sources):
            members = [
                b
                for b, other in enumerate(self.sources)
                if all(one[place] == other[place] for place in CENTRES)
            ]
            self.alike.append([b for b in members if a != b and odd[a] == odd[b]])
            if len(members) == OPTIONS and members[0] == a:
                self.lone.append(members)

    def apply(self, state: bytes, step: Step) -> bytes:
        """Return the state after a rotation."""
        return turned(self.sources[step[1]], state)

    def design(self, start: bytes, level: int, dice: Seeded) -> Drawn | None:
        """Return lists by design, or None.

        Args:
            start: the start.
            level: number of operations.
            dice: the randomness.
        """
        if level == 1:
            return self._single(start, dice)
        if any(all(row) for row in self.merging):
            return None
        apart = 1
        for number in range(LISTS):
            if number % SAME == 0:
                p, q = dice.below(level), dice.below(level - 1)
                apart = abs(p - (q + (q >= p)))
            if found := self._tried(start, self._list(level, dice), apart, dice):
                return found
        return None

    def _single(self, start: bytes, dice: Seeded) -> Drawn | None:
        if not self.lone:
            return None
        members = self.lone[dice.below(len(self.lone))]
        found = [turned(self.sources[member], start) for member in members]
        steps = tuple((0, member) for member in members)
        return Drawn(1, [(0, 0)], {0: steps}) if _even(*map(_number, found)) else None

    def _list(self, level: int, dice: Seeded) -> list[int]:
        taken: list[int] = []
        for place in range(level):
            move = dice.below(self.count)
            while place and self.merging[taken[-1]][move]:
                move = dice.below(self.count)
            taken.append(move)
        return taken

    def _tried(self, start: bytes, taken: list[int], apart: int, dice: Seeded) -> Drawn | None:
        """Return a list with two places changed that is as wanted, or None."""
        level, sources, below = len(taken), self.sources, dice.below
        before = [start]
        for move in taken:
            before.append(turned(sources[move], before[-1]))
        # after[k]: where each facelet of the result stands once k rotations are carried out.
        after = [bytes(range(FACELETS))]
        for move in reversed(taken):
            after.append(after[-1].translate(sources[move].ljust(256)))
        after.reverse()
        firsts = level - apart
        for _ in range(firsts * PAIRS if firsts < MANY // PAIRS else MANY):
            p = below(firsts)
            q = p + apart
            a, b = taken[p], taken[q]
            if not self.alike[a] or not self.alike[b]:
                continue
            x = self.alike[a][below(len(self.alike[a]))]
            y = self.alike[b][below(len(self.alike[b]))]
            if self._clashes(taken, p, x) or self._clashes(taken, q, y):
                continue
            if q == p + 1 and self.merging[x][y]:
                continue
            first = _number(before[level])
            second = _number(turned(after[q + 1], turned(sources[y], before[q])))
            other = turned(sources[x], before[p])
            third = _number(turned(after[p + 1], other))
            if _differ(first ^ second) & _differ(first ^ third) & _differ(second ^ third):
                continue
            between = bytearray(FACELETS)
            for at, came in zip(after[q], after[p + 1], strict=True):
                between[at] = came
            other = turned(sources[y], turned(bytes(between), other))
            last = _number(turned(after[q + 1], other))
            if not _even(first, second, third, last):
                continue
            drawn = Drawn(
                level,
                [(0, move) for move in taken],
                {
                    p: tuple((0, x if track & 2 else a) for track in TRACKS),
                    q: tuple((0, y if track & 1 else b) for track in TRACKS),
                },
            )
            if self._half_hidden(start, drawn):
                return drawn
        return None

    def _clashes(self, taken: list[int], place: int, other: int) -> bool:
        if place and self.merging[taken[place - 1]][other]:
            return True
        return place + 1 < len(taken) and self.merging[other][taken[place + 1]]

    def _half_hidden(self, start: bytes, drawn: Drawn) -> bool:
        """Return whether who carries out the last half alone learns less than one place tells."""
        lists, results = led(drawn, start, self.apply)
        agreed = []
        for steps in lists:
            state = start
            for step in steps[drawn.level // 2 :]:
                state = self.apply(state, step)
            agreed.append([sum(map(int.__eq__, state, result)) for result in results])
        return excess(agreed) < 1e-9


def _turns(rules: bytes) -> _Turns:
    return _Turns(rules)


def _odd(sources: bytes) -> bool:
    """Return whether a rotation is odd on the corners."""
    odd, seen = False, set()
    for first in range(FACELETS):
        if first % 9 not in CORNERS:
            continue
        at, length = first, 0
        while at not in seen:
            seen.add(at)
            at, length = sources[at], length + 1
        odd ^= bool(length) and length % 2 == 0
    return odd


def _number(state: bytes) -> int:
    """Return a state as a number, a byte a facelet."""
    return int.from_bytes(state, "little")


def _differ(bits: int) -> int:
    """Return the highest bit of each byte that is not 0; bytes are below 128."""
    return (bits + _LOW) & _HIGH


def _even(a: int, b: int, c: int, d: int) -> bool:
    """Return whether every sticker splits four results two and two or not, and all four differ."""
    row = _HIGH & ~(_differ(a ^ b) | _differ(c ^ d))
    column = _HIGH & ~(_differ(a ^ c) | _differ(b ^ d))
    cross = _HIGH & ~(_differ(a ^ d) | _differ(b ^ c))
    return row | column | cross == _HIGH and _HIGH not in (row, column, cross)
