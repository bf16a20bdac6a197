"""Read items of dynamic adaptation: hidden values or answers that change during play."""

from __future__ import annotations

from itertools import product
from math import comb, factorial

from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    PuzzleReading,
    Values,
    check_answer,
    format_short,
    read_integer,
    read_integers,
    read_permutation,
    require_form,
    require_rule,
)

TYPES = 9
"""Types of objects among which a mimic hides."""

FEW = 3
"""Values of tiles up to which one answer may name a whole hand."""

BIT_GUESSING_SIZES = {1: 50, 2: 150, 3: 500}
"""The greatest number of BitGuessing by level; its lines have no `scale`."""


def read_attendance_check(values: Values) -> PuzzleReading:
    """Read who is absent."""
    present = read_integers(values, "answer")
    require_rule(
        sorted(present) == [0, *[1] * (len(present) - 1)],
        f"answer is {format_short(list(present))}; exactly one student should be 0",
    )
    columns = {"students": len(present), "answers": 15, "absent": present.index(0) + 1}
    return columns, 1 / len(present)


def read_binary_guessing(values: Values) -> PuzzleReading:
    """Read the number; the greatest one follows from the level."""
    most = BIT_GUESSING_SIZES[read_integer(values, "level", 1, 3)]
    number = read_integer(values, "answer", 1, most, rule=True)
    ones = number.bit_count()
    alike = sum(other.bit_count() == ones for other in range(1, most + 1))
    return {"most": most, "ones": ones, "number": number}, 1 / alike


def read_hidden_number(values: Values) -> PuzzleReading:
    """Read the number."""
    most = read_integer(values, "scale", 1, 10**6)
    number = read_integer(values, "answer", 1, most, rule=True)
    return {"most": most, "guesses": 0, "number": number}, 1 / most


def read_permutation_discovery(values: Values) -> PuzzleReading:
    """Read both permutations."""
    hidden, start = read_permutation(values, "p", 1), read_permutation(values, "q", 1)
    require_rule(
        len(hidden) == len(start),
        f"p has {len(hidden)} numbers and q {len(start)}; they should be equally long",
    )
    return {"start": start, "hidden": hidden}, 1 / factorial(len(hidden))


def read_password_breaking(values: Values) -> PuzzleReading:
    """Read the password, its range and its base."""
    low = read_integer(values, "min_value", 0, 10**9)
    high = read_integer(values, "max_value", low, low + 10**4)
    columns = {
        "low": low,
        "span": high - low,
        "base": read_integer(values, "k", 2, 10**6),
        "password": read_integer(values, "answer", low, high, rule=True),
    }
    return columns, 1 / (high - low + 1)


def read_zero_finding(values: Values) -> PuzzleReading:
    """Read the bits and which zero is asked for."""
    bits = read_integers(values, "list")
    require_form(set(bits) <= {0, 1}, "list", list(bits), "a list of 0 and 1")
    zeros = [place for place, bit in enumerate(bits) if bit == 0]
    rank = read_integer(values, "k", 1, len(zeros), rule=True)
    place = zeros[rank - 1]
    check_answer(values, (place + 1, place))
    columns = {"length": len(bits), "rank": rank, "bits": "".join(map(str, bits))}
    return columns, 1 / (len(bits) - rank + 1)


def read_train_pursuit(values: Values) -> PuzzleReading:
    """Read the stations, the speed and where the train is."""
    stations = read_integer(values, "n", 2, 10**6)
    columns = {
        "stations": stations,
        "speed": read_integer(values, "k", 0, stations - 1, rule=True),
        "answers": 15,
        "station": read_integer(values, "answer", 1, stations, rule=True),
    }
    return columns, 1 / stations


def read_mahjong(values: Values) -> PuzzleReading:
    """Read the tiles as the authors' monitor does: one number is one tile, 0 is of no use."""
    size = read_integer(values, "scale", 3, 100)
    drawn = read_integers(values, "answer")
    require_rule(
        len(drawn) == size and set(drawn) <= set(range(size + 1)),
        f"answer is {format_short(list(drawn))}; it should be {size} numbers 0 to {size}, as many "
        "as scale",
    )
    tiles = tuple(drawn.count(value) for value in range(1, size + 1))
    display = _count_combinations(tiles)
    alike = 0
    if size <= FEW:
        hands = product(range(size + 1), repeat=size)
        alike = sum(_count_combinations(hand) == display for hand in hands)
    columns = {"values": size, "triplets": display[0], "straights": display[1], "tiles": tiles}
    return columns, 1 / alike if alike else 0.0


def _count_combinations(tiles: tuple[int, ...]) -> tuple[int, int]:
    """Return the triplets and the straights of tiles."""
    runs = zip(tiles, tiles[1:], tiles[2:], strict=False)
    return sum(comb(count, 3) for count in tiles), sum(a * b * c for a, b, c in runs)


def read_mimic_hunting(values: Values) -> PuzzleReading:
    """Read the types of the objects and which one is the mimic."""
    objects = read_integers(values, "list")
    require_rule(
        len(objects) >= 3 and set(objects) <= set(range(1, TYPES + 1)),
        f"list is {format_short(list(objects))}; it should be types 1 to {TYPES} of three objects "
        "or more",
    )
    mimic = read_integer(values, "answer", 1, len(objects), rule=True)
    return {"objects": objects, "lethal": False, "mimic": mimic}, 1 / len(objects)


def read_rotary_lock(values: Values) -> PuzzleReading:
    """Read the places of the rings."""
    rings, arc = read_integer(values, "n", 2, 5), read_integer(values, "m", 1, 6)
    sections = rings * arc
    places = read_integers(values, "answer")
    require_rule(
        len(places) == rings and set(places) <= set(range(sections)),
        f"answer is {format_short(list(places))}; it should be the places of {rings} rings, 0 to "
        f"{sections - 1}",
    )
    offsets = tuple((place - places[0]) % sections for place in places[1:])
    return {"rings": rings, "arc": arc, "offsets": offsets}, 0.0
