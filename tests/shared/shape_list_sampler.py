"""Draw lists of shape operations in plain Python: the twin of the shapes' `_four.c`.

The comments of `_four.c` give the reasons. A list is represented by its events: the operations that
are no turns, and the two places where the four lists differ, with one of the eight symmetries of
the square before each event and one at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from drawn_lists import (
    TRACKS,
    DrawnLists,
    SeededDice,
    agreement_excess,
    list_results,
)

from facelet.generators.options.deformation.world_protocol import Step
from facelet.generators.shapes import shape_codes, shape_operations
from facelet.generators.shapes.shape_codes import (
    BITS,
    COLOURS,
    LAYER,
    LAYER_BITS,
    MAX_LAYERS,
    QUADRANTS,
)
from facelet.generators.shapes.turn_algebra import (
    CLOCKWISE,
    COUNTERCLOCKWISE,
    CUT,
    MIRROR,
    TURNS,
    apply_symmetry,
    symmetry_products,
)

COLOUR, FILL, STACK = range(4, 7)
LISTS, PAIRS, FEW = 400, 16, 180
LIMIT = (5, 7)
WITHOUT = 4
"""Number of symmetries that a run of turns can equal if one turn is left out."""
PLACES = range(0, LAYER_BITS * MAX_LAYERS, BITS)
AFTER = {
    CLOCKWISE: (CLOCKWISE, MIRROR),
    COUNTERCLOCKWISE: (COUNTERCLOCKWISE, MIRROR),
    MIRROR: (CLOCKWISE, COUNTERCLOCKWISE),
}
"""By turn, the two that do not undo it."""

_EVERY = sum(1 << place for place in PLACES)
_PIECE = (1 << BITS) - 1

Lists = tuple[tuple[Step, ...], ...]


def draw_four(
    rules: bytes, packed: bytes, level: int, seed: int
) -> tuple[Lists, tuple[int, ...]] | None:
    """Return four lists of operations and what they lead to; None if none are found.

    Args:
        rules: kinds of operations, whether filling is one, types of pieces, whether all layers are
            painted, whether parts may float, whether a shape fills.
        packed: the start, lowest byte first.
        level: number of operations.
        seed: what all choices follow from.
    """
    drawing = _ListSampler(*rules)
    start = int.from_bytes(packed, "little")
    drawn = drawing.design_lists(start, level, SeededDice(seed))
    return None if drawn is None else list_results(drawn, start, drawing.apply_step)


def is_turn(step: Step) -> bool:
    """Return whether an operation is a rotation or a mirror."""
    return CLOCKWISE <= step[0] <= MIRROR


def _is_inverse(one: Step, other: Step) -> bool:
    if not (is_turn(one) and is_turn(other)):
        return False
    return not symmetry_products()[0][TURNS[one[0]]][TURNS[other[0]]]


def _turn_between(turned: Sequence[int], start: int, end: int) -> int:
    """Return the symmetry of the turns between two places; turned[k] is that of the first k."""
    product, inverse = symmetry_products()
    return product[inverse[turned[start]]][turned[end]]


@dataclass(slots=True)
class _ListEvent:
    place: int
    steps: tuple[Step, ...]
    differs: bool = False


@dataclass(slots=True)
class _DesignedList:
    level: int
    events: list[_ListEvent] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ListSampler:
    """The rules; see `draw_four`."""

    kinds: int
    filling: int
    types: int
    paint_all: int
    floating: int
    fill_with: int

    def apply_step(self, shape: int, step: Step) -> int:
        """Return the shape after an operation."""
        kind, taken = step
        if kind == COLOUR and self.paint_all:
            return shape_operations.paint_all(shape, taken)
        if kind == FILL and self.fill_with:
            return shape_operations.fill_with(shape, taken)
        return shape_operations.APPLY[kind](shape, taken)

    # --- drawing operations -----------------------------------------------------------------------

    def _draw_piece(self, dice: SeededDice) -> int:
        kind = dice.draw_below(self.types)
        if kind == 3 and self.types == 4:  # no fan: the star takes its place
            kind = 4
        return kind + 1 << 3 | dice.draw_below(len(COLOURS))

    def _draw_quadrant(self, dice: SeededDice) -> int:
        return self._draw_piece(dice) if dice.draw_below(4) else 0

    def _draw_other_step(self, dice: SeededDice, kind: int) -> Step:
        if kind == FILL and self.fill_with:
            return kind, sum(
                self._draw_piece(dice) << place for place in range(0, LAYER_BITS, BITS)
            )
        if kind == COLOUR:
            return kind, dice.draw_below(len(COLOURS))
        if kind == FILL:
            return kind, self._draw_piece(dice)
        if kind != STACK:
            return kind, 0
        upper = 0
        while not upper:
            for place in range(0, LAYER_BITS, BITS):
                upper |= self._draw_quadrant(dice) << place
        return STACK, upper

    def _draw_kind(self, dice: SeededDice) -> int:
        kind = dice.draw_below(self.kinds)
        return STACK if kind == FILL and not self.filling else kind

    def _draw_event(self, dice: SeededDice) -> Step:
        """Return an operation that is no turn."""
        four = self.filling and self.kinds != 6
        kind = (CUT, COLOUR, FILL, STACK)[dice.draw_below(4 if four else 3)]
        return self._draw_other_step(dice, STACK if kind == FILL and not self.filling else kind)

    def _draw_alternative(self, dice: SeededDice, step: Step) -> Step:
        """Return an operation that may replace another one."""
        kind, taken = step
        if is_turn(step):
            return CLOCKWISE + (kind - CLOCKWISE + 1 + dice.draw_below(2)) % 3, taken
        if kind != STACK and not (kind == FILL and self.fill_with):
            return self._draw_other_step(dice, kind)
        drawn = self._draw_quadrant if kind == STACK else self._draw_piece
        for place in range(0, LAYER_BITS, BITS):
            if dice.draw_below(2):
                taken = taken & ~(_PIECE << place) | drawn(dice) << place
        return (kind, taken) if taken else step

    # --- lists as events --------------------------------------------------------------------------

    def _follow_track(
        self,
        held: _DesignedList,
        track: int,
        shape: int,
        first: int,
        gap: int,
        without: int = -1,
        turns: bool = False,
    ) -> int:
        """Return what a track makes of a shape, from an event on.

        Args:
            held: the list.
            track: which of the four.
            shape: the shape.
            first: the event.
            gap: the symmetry before it.
            without: an event that is left out.
            turns: whether only turns are carried out.
        """
        for at in range(first, len(held.events)):
            shape = apply_symmetry(shape, gap if at == first else held.gaps[at])
            step = held.events[at].steps[track]
            if at != without and not (turns and not is_turn(step)):
                shape = self.apply_step(shape, step)
        last = len(held.events)
        return apply_symmetry(shape, gap if first == last else held.gaps[last])

    def _all_live(
        self, held: _DesignedList, turned: Sequence[int], track: int, start: int, result: int
    ) -> bool:
        """Return whether no operation of a track can be left out."""
        product, _ = symmetry_products()
        shape, place = start, 0
        for at in range(len(held.events) + 1):
            over = at == len(held.events)
            end = held.level if over else held.events[at].place
            begin = held.events[at - 1].place + 1 if at else 0
            tried: set[int] = set()
            while place < end and len(tried) < WITHOUT:
                without = product[_turn_between(turned, begin, place)][
                    _turn_between(turned, place + 1, end)
                ]
                place += 1
                if without in tried:
                    continue
                tried.add(without)
                if self._follow_track(held, track, shape, at, without) == result:
                    return False
            if over:
                return True
            if self._follow_track(held, track, shape, at, held.gaps[at], without=at) == result:
                return False
            shape = self.apply_step(
                apply_symmetry(shape, held.gaps[at]), held.events[at].steps[track]
            )
            place = end + 1
        return True

    # --- what partial players learn ---------------------------------------------------------------

    def _information_leak(
        self, held: _DesignedList, turned: Sequence[int], start: int, results: Sequence[int]
    ) -> float:
        """Return by how much players that do a part beat one in two."""
        found = _distinct_share(shape_codes.select_filled_bits, results) + _distinct_share(
            _layer_contents, results
        )
        most = 1
        for place in PLACES:
            pieces = [result >> place & _PIECE for result in results]
            most = max(most, len(set(pieces)))
            if any(pieces.count(piece) == 1 for piece in pieces):
                found += 0.125
        if most > 2:
            found += most - 2
        middle = held.level // 2
        first = sum(event.place < middle for event in held.events)
        end = held.events[first].place if first < len(held.events) else held.level
        gap = _turn_between(turned, middle, end)
        whole, kinds, half = [], [], []
        for track in TRACKS:
            turns = self._follow_track(held, track, start, 0, held.gaps[0], turns=True)
            last = self._follow_track(held, track, start, first, gap)
            whole.append([_count_equal_quadrants(turns, result) for result in results])
            kinds.append(
                [
                    _count_equal_quadrants(_type_mask(turns), _type_mask(result))
                    for result in results
                ]
            )
            half.append([_count_equal_quadrants(last, result) for result in results])
        return found + agreement_excess(whole) + agreement_excess(kinds) + agreement_excess(half)

    # --- design -----------------------------------------------------------------------------------

    def _track_results(self, held: _DesignedList, start: int) -> list[int] | None:
        """Return what each track leads to, or None where a step or a result may not be."""
        results: list[int] = []
        for track in TRACKS:
            shape = start
            for event, gap in zip(held.events, held.gaps, strict=False):
                before = apply_symmetry(shape, gap)
                shape = self.apply_step(before, event.steps[track])
                if not shape or not (self.floating or shape_codes.is_supported(shape)):
                    return None
                if shape == before:
                    return None
            if (result := apply_symmetry(shape, held.gaps[-1])) in results:
                return None
            results.append(result)
        return results

    def _draw_single(self, start: int, dice: SeededDice) -> DrawnLists | None:
        kind, least = 0, -1.0
        best: tuple[Step, ...] = ()
        for tried in range(FEW):
            if least == 0:
                break
            if least < 0 and tried % (FEW // 6) == 0:
                kind = self._draw_kind(dice)
            steps = [
                self._draw_other_step(dice, self._draw_kind(dice) if track else kind)
                for track in TRACKS
            ]
            held = _DesignedList(1, [_ListEvent(0, tuple(steps), True)], [0, 0])
            if (results := self._track_results(held, start)) is None:
                continue
            found = self._information_leak(held, (0, 0), start, results)
            if 0 <= least <= found:
                continue
            least, best = found, tuple(steps)
        return DrawnLists(1, [(0, 0)], {0: best}) if least >= 0 else None

    def _draw_shared(self, level: int, dice: SeededDice) -> tuple[list[Step], list[int]]:
        """Return a list, and the places of its operations that are no turns."""
        limit = LIMIT[self.kinds == 7 or not self.filling]
        others: set[int] = set()
        count = 1 + dice.draw_below(min(limit, level))
        while len(others) < count:
            others.add(dice.draw_below(level))
        steps: list[Step] = []
        last, bits, left = CUT, 0, 0
        for place in range(level):
            if place in others:
                steps.append(self._draw_event(dice))
                last = CUT
                continue
            if last == CUT:
                last = CLOCKWISE + dice.draw_below(3)
            else:
                if not left:
                    bits, left = dice.draw_word(), 64
                last = AFTER[last][bits & 1]
                bits, left = bits >> 1, left - 1
            steps.append((last, 0))
        return steps, sorted(others)

    def _choose_events(
        self, shared: Sequence[Step], others: Sequence[int], turned: Sequence[int], dice: SeededDice
    ) -> _DesignedList | None:
        """Return the events of a list with two places changed; None where a turn undoes another."""
        level = len(shared)
        places = []
        for _ in range(2):
            other = len(others) == level or dice.draw_below(2)
            places.append(others[dice.draw_below(len(others))] if other else dice.draw_below(level))
        if places[0] == places[1]:
            return None
        places.sort()
        held = _DesignedList(level)
        for at in sorted({*others, *places}):
            step = shared[at]
            event = _ListEvent(at, (step,) * len(TRACKS))
            held.events.append(event)
            if at not in places:
                continue
            mine = places.index(at)
            if (other_step := self._draw_alternative(dice, step)) == step:
                return None
            bit = 1 if mine else 2
            event.steps = tuple(other_step if track & bit else step for track in TRACKS)
            event.differs = True
            beside = held.events[-2] if len(held.events) > 1 else None
            for track, own in enumerate(event.steps):
                if at:
                    near = beside is not None and beside.place == at - 1
                    before = beside.steps[track] if near and beside else shared[at - 1]
                    if _is_inverse(before, own):
                        return None
                follows = at + 1 < level and not (mine == 0 and places[1] == at + 1)
                if follows and _is_inverse(own, shared[at + 1]):
                    return None
        begins = [0, *(event.place + 1 for event in held.events)]
        ends = [*(event.place for event in held.events), level]
        held.gaps = [_turn_between(turned, *pair) for pair in zip(begins, ends, strict=True)]
        return held

    def design_lists(self, start: int, level: int, dice: SeededDice) -> DrawnLists | None:
        """Return lists by design, or None.

        Args:
            start: the start.
            level: number of operations.
            dice: the randomness.
        """
        if level == 1:
            return self._draw_single(start, dice)
        product, _ = symmetry_products()
        least, best = -1.0, None
        for _ in range(LISTS):
            if least == 0:
                break
            shared, others = self._draw_shared(level, dice)
            turned = [0]
            for step in shared:
                last = turned[-1]
                turned.append(product[last][TURNS[step[0]]] if is_turn(step) else last)
            for _ in range(PAIRS):
                if least == 0:
                    break
                held = self._choose_events(shared, others, turned, dice)
                results = None if held is None else self._track_results(held, start)
                if held is None or results is None:
                    continue
                found = self._information_leak(held, turned, start, results)
                if 0 <= least <= found:
                    continue
                if not all(
                    self._all_live(held, turned, track, start, results[track]) for track in TRACKS
                ):
                    continue
                least = found
                own = {event.place: event.steps for event in held.events if event.differs}
                best = DrawnLists(level, shared, own)
        return best


def _count_equal_quadrants(one: int, other: int) -> int:
    """Return the number of quadrants in which two shapes agree."""
    return MAX_LAYERS * QUADRANTS - shape_codes.mask_filled_difference(one, other).bit_count()


def _type_mask(shape: int) -> int:
    return shape & ~(_EVERY * 7)


def _layer_contents(shape: int) -> int:
    """Return the pieces of each layer in order, wherever they lie in it."""
    found = 0
    for place in range(0, LAYER_BITS * MAX_LAYERS, LAYER_BITS):
        layer = shape >> place & LAYER
        pieces = sorted((layer >> at & _PIECE for at in range(0, LAYER_BITS, BITS)), reverse=True)
        for at, piece in enumerate(pieces):
            found |= piece << place + BITS * at
    return found


def _distinct_share(look: Callable[[int], int], results: Sequence[int]) -> float:
    found = len({look(result) for result in results})
    return found / 4.0 - 0.5 if found > 2 else 0.0
