"""Items of dynamic adaptation: what is hidden changes, or its answers do."""

from __future__ import annotations

from itertools import product
from math import comb, factorial

from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    GameReader,
    PuzzleReading,
    Values,
    check_answer,
    format_short,
    read_integer,
    read_integers,
    read_permutation,
)

TYPES = 9
"""Types of objects among which a mimic hides."""

FEW = 3
"""Values of tiles of which a hand may be named at once."""


def _read_attendance_check(values: Values) -> PuzzleReading:
    present = read_integers(values, "answer")
    if sorted(present) != [0, *[1] * (len(present) - 1)]:
        raise ValueError(
            f"answer is {format_short(list(present))}; exactly one student should be 0"
        )
    columns = {"students": len(present), "answers": 15, "absent": present.index(0) + 1}
    return columns, 1 / len(present)


def _read_binary_guessing(values: Values) -> PuzzleReading:
    most = read_integer(values, "scale", 1, 10**6)
    number = read_integer(values, "answer", 1, most)
    ones = number.bit_count()
    alike = sum(other.bit_count() == ones for other in range(1, most + 1))
    return {"most": most, "ones": ones, "number": number}, 1 / alike


def _read_hidden_number(values: Values) -> PuzzleReading:
    most = read_integer(values, "scale", 1, 10**6)
    columns = {"most": most, "guesses": 0, "number": read_integer(values, "answer", 1, most)}
    return columns, 1 / most


def _read_permutation_discovery(values: Values) -> PuzzleReading:
    hidden, start = read_permutation(values, "p", 1), read_permutation(values, "q", 1)
    if len(hidden) != len(start):
        raise ValueError(f"p has {len(hidden)} numbers and q {len(start)}; they should be as many")
    return {"start": start, "hidden": hidden}, 1 / factorial(len(hidden))


def _read_password_breaking(values: Values) -> PuzzleReading:
    low = read_integer(values, "min_value", 0, 10**9)
    high = read_integer(values, "max_value", low, low + 10**4)
    columns = {
        "low": low,
        "span": high - low,
        "base": read_integer(values, "k", 2, 10**6),
        "password": read_integer(values, "answer", low, high),
    }
    return columns, 1 / (high - low + 1)


def _read_zero_finding(values: Values) -> PuzzleReading:
    bits = read_integers(values, "list")
    if not set(bits) <= {0, 1}:
        raise ValueError(f"list is {format_short(list(bits))}; it should hold 0 and 1 alone")
    zeros = [place for place, bit in enumerate(bits) if bit == 0]
    rank = read_integer(values, "k", 1, len(zeros))
    place = zeros[rank - 1]
    check_answer(values, (place + 1, place))
    columns = {"length": len(bits), "rank": rank, "bits": "".join(map(str, bits))}
    return columns, 1 / (len(bits) - rank + 1)


def _read_train_pursuit(values: Values) -> PuzzleReading:
    stations = read_integer(values, "n", 2, 10**6)
    columns = {
        "stations": stations,
        "speed": read_integer(values, "k", 0, stations - 1),
        "answers": 15,
        "station": read_integer(values, "answer", 1, stations),
    }
    return columns, 1 / stations


def _read_mahjong(values: Values) -> PuzzleReading:
    """Take the tiles as the authors' monitor reads them: one number is one tile, 0 is of no use."""
    size = read_integer(values, "scale", 3, 100)
    drawn = read_integers(values, "answer")
    if len(drawn) != size or not set(drawn) <= set(range(size + 1)):
        raise ValueError(
            f"answer is {format_short(list(drawn))}; it should be {size} numbers "
            f"0 to {size}, as many as "
            "scale says"
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


def _read_mimic_hunting(values: Values) -> PuzzleReading:
    objects = read_integers(values, "list")
    if len(objects) < 3 or not set(objects) <= set(range(1, TYPES + 1)):
        raise ValueError(
            f"list is {format_short(list(objects))}; it should be types 1 to "
            f"{TYPES} of three objects or "
            "more"
        )
    mimic = read_integer(values, "answer", 1, len(objects))
    return {"objects": objects, "lethal": False, "mimic": mimic}, 1 / len(objects)


def _read_rotary_lock(values: Values) -> PuzzleReading:
    rings, arc = read_integer(values, "n", 2, 5), read_integer(values, "m", 1, 6)
    sections = rings * arc
    places = read_integers(values, "answer")
    if len(places) != rings or not set(places) <= set(range(sections)):
        raise ValueError(
            f"answer is {format_short(list(places))}; it should be the places of "
            f"{rings} rings, 0 to "
            f"{sections - 1}"
        )
    offsets = tuple((place - places[0]) % sections for place in places[1:])
    return {"rings": rings, "arc": arc, "offsets": offsets}, 0.0


GAMES = {
    "attendance_check": GameReader(_read_attendance_check, "students", 40),
    "binary_number_guessing": GameReader(_read_binary_guessing, "most", 1000),
    "hidden_number_finding": GameReader(_read_hidden_number, "most", 60),
    "mahjong_detective": GameReader(_read_mahjong, "values", 12),
    "mimic_hunting": GameReader(_read_mimic_hunting, "objects", 60),
    "password_breaking": GameReader(_read_password_breaking, "span", 60),
    "permutation_discovery": GameReader(_read_permutation_discovery, "start", 7),
    "rotary_laser_lock": GameReader(_read_rotary_lock, "rings", 5),
    "train_pursuit": GameReader(_read_train_pursuit, "stations", 60),
    "zero_finding": GameReader(_read_zero_finding, "length", 200),
}
"""How the items of each game are read."""
