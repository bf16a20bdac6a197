"""Items of dynamic adaptation: what is hidden changes, or its answers do."""

from __future__ import annotations

from itertools import product
from math import comb, factorial

from facelet.pipeline.papers.evolarena.reading.values import (
    Game,
    Taken,
    Values,
    answers_with,
    permutation,
    short,
    whole,
    wholes,
)

TYPES = 9
"""Types of objects among which a mimic hides."""

FEW = 3
"""Values of tiles of which a hand may be named at once."""


def _attendance(values: Values) -> Taken:
    present = wholes(values, "answer")
    if sorted(present) != [0, *[1] * (len(present) - 1)]:
        raise ValueError(f"answer is {short(list(present))}; exactly one student should be 0")
    columns = {"students": len(present), "answers": 15, "absent": present.index(0) + 1}
    return columns, 1 / len(present)


def _binary(values: Values) -> Taken:
    most = whole(values, "scale", 1, 10**6)
    number = whole(values, "answer", 1, most)
    ones = number.bit_count()
    alike = sum(other.bit_count() == ones for other in range(1, most + 1))
    return {"most": most, "ones": ones, "number": number}, 1 / alike


def _hidden(values: Values) -> Taken:
    most = whole(values, "scale", 1, 10**6)
    columns = {"most": most, "guesses": 0, "number": whole(values, "answer", 1, most)}
    return columns, 1 / most


def _discovered(values: Values) -> Taken:
    hidden, start = permutation(values, "p", 1), permutation(values, "q", 1)
    if len(hidden) != len(start):
        raise ValueError(f"p has {len(hidden)} numbers and q {len(start)}; they should be as many")
    return {"start": start, "hidden": hidden}, 1 / factorial(len(hidden))


def _password(values: Values) -> Taken:
    low = whole(values, "min_value", 0, 10**9)
    high = whole(values, "max_value", low, low + 10**4)
    columns = {
        "low": low,
        "span": high - low,
        "base": whole(values, "k", 2, 10**6),
        "password": whole(values, "answer", low, high),
    }
    return columns, 1 / (high - low + 1)


def _zero(values: Values) -> Taken:
    bits = wholes(values, "list")
    if not set(bits) <= {0, 1}:
        raise ValueError(f"list is {short(list(bits))}; it should hold 0 and 1 alone")
    zeros = [place for place, bit in enumerate(bits) if bit == 0]
    rank = whole(values, "k", 1, len(zeros))
    place = zeros[rank - 1]
    answers_with(values, (place + 1, place))
    columns = {"length": len(bits), "rank": rank, "bits": "".join(map(str, bits))}
    return columns, 1 / (len(bits) - rank + 1)


def _train(values: Values) -> Taken:
    stations = whole(values, "n", 2, 10**6)
    columns = {
        "stations": stations,
        "speed": whole(values, "k", 0, stations - 1),
        "answers": 15,
        "station": whole(values, "answer", 1, stations),
    }
    return columns, 1 / stations


def _mahjong(values: Values) -> Taken:
    """Take the tiles as the authors' monitor reads them: one number is one tile, 0 is of no use."""
    size = whole(values, "scale", 3, 100)
    drawn = wholes(values, "answer")
    if len(drawn) != size or not set(drawn) <= set(range(size + 1)):
        raise ValueError(
            f"answer is {short(list(drawn))}; it should be {size} numbers 0 to {size}, as many as "
            "scale says"
        )
    tiles = tuple(drawn.count(value) for value in range(1, size + 1))
    display = _combinations(tiles)
    alike = 0
    if size <= FEW:
        hands = product(range(size + 1), repeat=size)
        alike = sum(_combinations(hand) == display for hand in hands)
    columns = {"values": size, "triplets": display[0], "straights": display[1], "tiles": tiles}
    return columns, 1 / alike if alike else 0.0


def _combinations(tiles: tuple[int, ...]) -> tuple[int, int]:
    """Return the triplets and the straights of tiles."""
    runs = zip(tiles, tiles[1:], tiles[2:], strict=False)
    return sum(comb(count, 3) for count in tiles), sum(a * b * c for a, b, c in runs)


def _mimic(values: Values) -> Taken:
    objects = wholes(values, "list")
    if len(objects) < 3 or not set(objects) <= set(range(1, TYPES + 1)):
        raise ValueError(
            f"list is {short(list(objects))}; it should be types 1 to {TYPES} of three objects or "
            "more"
        )
    mimic = whole(values, "answer", 1, len(objects))
    return {"objects": objects, "lethal": False, "mimic": mimic}, 1 / len(objects)


def _rotary(values: Values) -> Taken:
    rings, arc = whole(values, "n", 2, 5), whole(values, "m", 1, 6)
    sections = rings * arc
    places = wholes(values, "answer")
    if len(places) != rings or not set(places) <= set(range(sections)):
        raise ValueError(
            f"answer is {short(list(places))}; it should be the places of {rings} rings, 0 to "
            f"{sections - 1}"
        )
    offsets = tuple((place - places[0]) % sections for place in places[1:])
    return {"rings": rings, "arc": arc, "offsets": offsets}, 0.0


GAMES = {
    "attendance_check": Game(_attendance, "students", 40),
    "binary_number_guessing": Game(_binary, "most", 1000),
    "hidden_number_finding": Game(_hidden, "most", 60),
    "mahjong_detective": Game(_mahjong, "values", 12),
    "mimic_hunting": Game(_mimic, "objects", 60),
    "password_breaking": Game(_password, "span", 60),
    "permutation_discovery": Game(_discovered, "start", 7),
    "rotary_laser_lock": Game(_rotary, "rings", 5),
    "train_pursuit": Game(_train, "stations", 60),
    "zero_finding": Game(_zero, "length", 200),
}
"""How the items of each game are read."""
