"""Draw four lists of rotations by design in plain Python: the twin of the cube's `_four.c`.

A state is 54 bytes; the rules are, for each rotation, from which facelet each one comes.
"""

from __future__ import annotations

from functools import lru_cache

from drawn_lists import (
    TRACKS,
    DrawnLists,
    SeededDice,
    agreement_excess,
    list_results,
)

from facelet.generators.options.deformation.world_protocol import Step

FACELETS, OPTIONS = 54, 4
LISTS, SAME, PAIRS, MANY = 40_000, 400, 24, 4000
CORNERS = (0, 2, 6, 8)
CENTRES = range(4, FACELETS, 9)

_LOW = int.from_bytes(b"\x7f" * FACELETS, "little")
_HIGH = int.from_bytes(b"\x80" * FACELETS, "little")

Lists = tuple[tuple[Step, ...], ...]


def draw_four(
    rules: bytes, packed: bytes, level: int, seed: int
) -> tuple[Lists, tuple[bytes, ...]] | None:
    """Return four lists of operations and what they lead to; None if none are found.

    Args:
        rules: the rotations, 54 sources each.
        packed: the start.
        level: number of operations.
        seed: what all choices follow from.
    """
    turns = _rotation_table(rules)
    drawn = turns.design_lists(packed, level, SeededDice(seed))
    return None if drawn is None else list_results(drawn, packed, turns.apply_turn)


def permute_state(sources: bytes, state: bytes) -> bytes:
    """Return a state with each facelet taken from its source."""
    return sources.translate(state.ljust(256))


@lru_cache(maxsize=2)
class _Turns:
    """Rotations, and what follows from them."""

    def __init__(self, rules: bytes) -> None:
        """Find out which pairs of rotations equal one, and which may replace one."""
        self.sources = [rules[at : at + FACELETS] for at in range(0, len(rules), FACELETS)]
        self.count = len(self.sources)
        every = {*self.sources, bytes(range(FACELETS))}
        self.merging = [[permute_state(b, a) in every for b in self.sources] for a in self.sources]
        self.alike: list[list[int]] = []
        self.lone: list[list[int]] = []
        odd = [_is_odd(one) for one in self.sources]
        for a, one in enumerate(self.sources):
            members = [
                b
                for b, other in enumerate(self.sources)
                if all(one[place] == other[place] for place in CENTRES)
            ]
            self.alike.append([b for b in members if a != b and odd[a] == odd[b]])
            if len(members) == OPTIONS and members[0] == a:
                self.lone.append(members)

    def apply_turn(self, state: bytes, step: Step) -> bytes:
        """Return the state after a rotation."""
        return permute_state(self.sources[step[1]], state)

    def design_lists(self, start: bytes, level: int, dice: SeededDice) -> DrawnLists | None:
        """Return lists by design, or None.

        Args:
            start: the start.
            level: number of operations.
            dice: the randomness.
        """
        if level == 1:
            return self._draw_single(start, dice)
        if any(all(row) for row in self.merging):
            return None
        apart = 1
        for number in range(LISTS):
            if number % SAME == 0:
                p, q = dice.draw_below(level), dice.draw_below(level - 1)
                apart = abs(p - (q + (q >= p)))
            if found := self._try_change(start, self._draw_list(level, dice), apart, dice):
                return found
        return None

    def _draw_single(self, start: bytes, dice: SeededDice) -> DrawnLists | None:
        if not self.lone:
            return None
        members = self.lone[dice.draw_below(len(self.lone))]
        found = [permute_state(self.sources[member], start) for member in members]
        steps = tuple((0, member) for member in members)
        return (
            DrawnLists(1, [(0, 0)], {0: steps})
            if _splits_evenly(*map(_state_to_number, found))
            else None
        )

    def _draw_list(self, level: int, dice: SeededDice) -> list[int]:
        taken: list[int] = []
        for place in range(level):
            move = dice.draw_below(self.count)
            while place and self.merging[taken[-1]][move]:
                move = dice.draw_below(self.count)
            taken.append(move)
        return taken

    def _try_change(
        self, start: bytes, taken: list[int], apart: int, dice: SeededDice
    ) -> DrawnLists | None:
        """Return a list with two places changed that is as wanted, or None."""
        level, sources, below = len(taken), self.sources, dice.draw_below
        before = [start]
        for move in taken:
            before.append(permute_state(sources[move], before[-1]))
        # after[k]: where each facelet of the result is after k rotations.
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
            if self._has_clash(taken, p, x) or self._has_clash(taken, q, y):
                continue
            if q == p + 1 and self.merging[x][y]:
                continue
            first = _state_to_number(before[level])
            second = _state_to_number(
                permute_state(after[q + 1], permute_state(sources[y], before[q]))
            )
            other = permute_state(sources[x], before[p])
            third = _state_to_number(permute_state(after[p + 1], other))
            if (
                _differing_bits(first ^ second)
                & _differing_bits(first ^ third)
                & _differing_bits(second ^ third)
            ):
                continue
            between = bytearray(FACELETS)
            for at, came in zip(after[q], after[p + 1], strict=True):
                between[at] = came
            other = permute_state(sources[y], permute_state(bytes(between), other))
            last = _state_to_number(permute_state(after[q + 1], other))
            if not _splits_evenly(first, second, third, last):
                continue
            drawn = DrawnLists(
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

    def _has_clash(self, taken: list[int], place: int, other: int) -> bool:
        if place and self.merging[taken[place - 1]][other]:
            return True
        return place + 1 < len(taken) and self.merging[other][taken[place + 1]]

    def _half_hidden(self, start: bytes, drawn: DrawnLists) -> bool:
        """Return whether who carries out the last half alone learns less than one place tells."""
        lists, results = list_results(drawn, start, self.apply_turn)
        agreed = []
        for steps in lists:
            state = start
            for step in steps[drawn.level // 2 :]:
                state = self.apply_turn(state, step)
            agreed.append([sum(map(int.__eq__, state, result)) for result in results])
        return agreement_excess(agreed) < 1e-9


def _rotation_table(rules: bytes) -> _Turns:
    return _Turns(rules)


def _is_odd(sources: bytes) -> bool:
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


def _state_to_number(state: bytes) -> int:
    """Return a state as a number, a byte a facelet."""
    return int.from_bytes(state, "little")


def _differing_bits(bits: int) -> int:
    """Return the highest bit of each byte that is not 0; bytes are below 128."""
    return (bits + _LOW) & _HIGH


def _splits_evenly(a: int, b: int, c: int, d: int) -> bool:
    """Return whether every sticker splits four results two and two or not, and all four differ."""
    row = _HIGH & ~(_differing_bits(a ^ b) | _differing_bits(c ^ d))
    column = _HIGH & ~(_differing_bits(a ^ c) | _differing_bits(b ^ d))
    cross = _HIGH & ~(_differing_bits(a ^ d) | _differing_bits(b ^ c))
    return row | column | cross == _HIGH and _HIGH not in (row, column, cross)
