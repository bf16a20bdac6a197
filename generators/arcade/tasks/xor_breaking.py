"""XOR breaking: break numbers in turn; a side that gets only unbreakable numbers loses.

EvolArena, cases N.65 and N.66; the puzzle is Codeforces 1934 D2. To break p is to write it as the
exclusive or of two numbers, both positive and less than p. A power of two cannot be broken.

A side that breaks a number with an even number of ones can win; with an odd number it cannot force
a win. The player breaks off the highest power of two; both parts then have an odd number of ones.
However an odd number is broken, one of the parts is even in this sense: the player takes it. The
numbers fall, and so do the remaining turns: LEAST[k] is the least odd rest from which k more turns
may be needed, since the other side, given 2^j + t, can hand on an even number whose rest is any odd
s < t.

The other side may break a number in up to 2^26 ways. It considers up to WAYS of each number, which
`_list_breaks` draws from the number alone. The bound holds for all ways.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    Command,
    CommandForm,
    Deviation,
    Draw,
    Duel,
    DuelParams,
    DuelPuzzle,
    ErrorPrice,
    Opponent,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
    make_generator,
)

WAYS = 24
"""Most ways to break a number that the other side considers."""
TOPS = (10**5, 10**7, 10**8)
MOST_DIGITS = 17
"""Most digits of a number, which is a column of 64 bits."""


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The first number, and how the other side plays."""

    number: int = column("the first number", role="puzzle", type="int64")
    opponent: Opponent = column("how the other side plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The numbers to choose from, the number they were broken from, and whether the game is won."""

    offered: tuple[int, ...]
    broken: int = 0
    won: bool | None = None


class XorBreaking(Duel[DuelParams, Puzzle, State]):
    """Two sides break numbers in turn."""

    name = "arcade/xor_breaking"
    version = 3
    category = "strategic_gaming"
    forms = (
        CommandForm("break", "Breaking into: {int} {int}", "Breaking into: p1 p2"),
        CommandForm(
            "take",
            "Choosing: {int} Breaking into: {int} {int}",
            "Choosing: p Breaking into: p1 p2",
        ),
    )
    illegal = ErrorPrice("end")
    sample = Sample(
        Puzzle(blank_terms("strategic_gaming", seed="sample"), 13, "random"),
        (Command("break", (10, 7)),),
        "The first number is 13.",
    )
    deviations = (
        Deviation(
            "any first number",
            "an even number of ones, at least four, in the upper half of its range",
            "with an odd number of ones the other side can force a win",
            "published=true",
        ),
        Deviation(
            "20 moves in the text, 15 turns in appendix F",
            "15 turns of the player, or what surely suffices if more",
            "against best play numbers of 24 and 27 bits may need more",
            "published=true: 15 turns",
        ),
        Deviation(
            "",
            "only offered numbers may be taken; any in the published code",
            "the text has priority",
        ),
        Deviation(
            "a turn names the number that it takes",
            "the number is optional",
            "it is the exclusive or of the two parts",
        ),
        Deviation(
            "the other side breaks at random",
            "it loses as late as possible",
            "beating a random mover means little",
            "published=true",
        ),
        Deviation(
            "",
            "an illegal move loses; a reply without a move costs a turn",
            "the paper covers only illegal moves",
        ),
    )

    def make(self, params: DuelParams, draw: Draw) -> Puzzle:
        top = min(TOPS[min(params.level, 3) - 1] * 10 ** max(0, params.level - 3), 10**MOST_DIGITS)
        if params.published:
            number = 3 + draw.unique_number("number", top - 2, self.capacity(params))
        else:
            # The last bit makes the number of ones even: two neighbours are one number.
            half = top // 4
            number = 2 * (half + draw.unique_number("number", half, self.capacity(params)))
            number += _has_odd_parity(number)
        if number.bit_count() < 3:
            raise Reject("the first move wins, or there is none")
        return Puzzle(self.terms(params, draw), number, params.opponent_kind)

    def capacity(self, params: DuelParams) -> int:
        return 10_000

    def rules(self, puzzle: Puzzle) -> str:
        return (
            "XOR breaking. You and I break numbers in turn, you first. To break a number p is to "
            "name two numbers p1 and p2, both at least 1 and less than p, whose exclusive or is p "
            "(p1 XOR p2 = p, bit by bit in binary). A number may have no such parts.\n"
            "In your first turn you break the number that I give you. From then on, who is to move "
            "takes one of the two numbers that the other has just made, and breaks it. Who cannot "
            "break a number that it can take loses.\n"
            "After each of your moves I say which of your numbers I take and what I break it into. "
            "If I say that I cannot break it, you have won. If neither of my numbers can be "
            "broken, you have lost.\n"
            "The words `Choosing: p` may be left out; in your first turn p is the first number."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The first number is {puzzle.number}. Your move."

    def start(self, puzzle: Puzzle) -> State:
        return State((puzzle.number,))

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        *taken, one, other = command.args
        number = taken[0] if taken else one ^ other if min(one, other) > 0 else state.offered[0]
        if number not in state.offered:
            return f"{number} is not offered"
        if one ^ other != number:
            return f"{one} XOR {other} is {one ^ other}, not {number}"
        if not 0 < min(one, other) or not max(one, other) < number:
            return f"both parts must be at least 1 and less than {number}"
        return ""

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        one, other = command.args[-2:]
        return State((one, other), one ^ other)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        found = []
        for number in dict.fromkeys(state.offered):
            parts = _list_breaks(number)
            found += [State(pair, number, _is_lost(pair)) for pair in parts]
            if not parts:
                found.append(State((), number, True))
        return found

    def observe(self, puzzle: Puzzle, state: State) -> str:
        if not state.offered:
            return f"Choosing: {state.broken} Cannot break further"
        one, other = state.offered
        return f"Choosing: {state.broken} Breaking into: {one} {other}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.won

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        able = [number for number in state.offered if number & (number - 1)]
        number = able[below(rng, len(able))]
        one, other = _draw_break(number, rng)
        return Command("take", (number, one, other))

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return the most for a win, then for the smallest of the numbers that it hands on."""
        if state.won is not None:
            return -1.0 if state.won else 2.0
        return 1 / (1 + max(state.offered))

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        even = [number for number in state.offered if not _has_odd_parity(number)]
        return min(map(_sufficient_turns, even), default=None)

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        number = min(
            (number for number in state.offered if number & (number - 1)),
            key=lambda number: (_has_odd_parity(number), _sufficient_turns(number)),
        )
        top = 1 << (number.bit_length() - 1)
        parts = (top, number ^ top)
        return Command("take", (number, *parts)) if state.broken else Command("break", parts)


TASK = XorBreaking()


def _has_odd_parity(number: int) -> bool:
    """Return whether a number has an odd number of ones."""
    return number.bit_count() % 2 == 1


def _is_lost(pair: Sequence[int]) -> bool | None:
    """Return False if the player gets only powers of two, else None."""
    return None if any(number & (number - 1) for number in pair) else False


def _least_odd_rests() -> tuple[int, ...]:
    """Return the least odd rests from which 1, 2, ... more turns may be needed."""
    found = [7]
    while found[-1] < 1 << 64:
        rest = found[-1] + 1
        while _has_odd_parity(rest):
            rest += 1
        found.append((1 << rest.bit_length()) + rest)
    return tuple(found)


LEAST = _least_odd_rests()


def _sufficient_turns(number: int) -> int:
    """Return the turns that suffice for the side that breaks a number with an even number of ones.

    The rest is the number without its highest power of two. If it is 2^j + t, t > 0, the other side
    may hand on any number whose rest is an odd number below t.
    """
    rest = number ^ (1 << (number.bit_length() - 1))
    below = rest ^ (1 << (rest.bit_length() - 1)) if rest else 0
    return 2 + bisect_left(LEAST, below) if below else 1


def _draw_break(number: int, rng: np.random.Generator) -> tuple[int, int]:
    """Draw a way to break a number, which must not be a power of two.

    One of the parts is below the highest power of two, and its highest one is a one of the number.
    """
    ones = number ^ (1 << (number.bit_length() - 1))
    place = below(rng, ones) if ones < 1 << 31 else int(rng.integers(ones))
    while place >= (size := 1 << (ones.bit_length() - 1)):
        place -= size
        ones -= size
    part = size + place
    return (part, part ^ number) if below(rng, 2) else (part ^ number, part)


@lru_cache(maxsize=1 << 14)
def _list_breaks(number: int) -> tuple[tuple[int, int], ...]:
    """Return ways to break a number: all, or WAYS of them with the one that lasts longest."""
    top = 1 << (number.bit_length() - 1)
    if not (rest := number - top):
        return ()
    if rest <= WAYS:
        # The highest one of a part is a one of the rest, or the other part would not be less.
        bits = (1 << bit for bit in range(rest.bit_length()) if rest >> bit & 1)
        return tuple((part, part ^ number) for bit in bits for part in range(bit, 2 * bit))
    rng = make_generator("xor breaks", number)
    drawn = [_draw_break(number, rng) for _ in range(WAYS - 1)]
    last = max((least for least in LEAST if least < rest), default=1)
    return tuple(dict.fromkeys(((top | last, rest ^ last), *drawn)))
