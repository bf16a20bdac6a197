"""Items of information probing: what is hidden stays as it is."""

from __future__ import annotations

import re
from itertools import combinations
from math import comb, isqrt

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


def _read_bit_compare(values: Values) -> PuzzleReading:
    numbers = read_permutation(values, "list", 0)
    size = len(numbers)
    pairs = list(combinations(range(size), 2))
    best = max((numbers[i] ^ numbers[j] for i, j in pairs), default=0)
    right = [[i, j] for i, j in pairs if numbers[i] ^ numbers[j] == best]
    check_answer(values, right)
    return {"size": size, "final": False, "numbers": numbers}, len(right) / comb(size, 2)


def _read_bit_query(values: Values) -> PuzzleReading:
    size = read_integer(values, "scale", 4, 64)
    array = read_integers(values, "answer")
    if len(array) != size or size % 4 or not set(array) <= set(range(size)):
        raise ValueError(
            f"answer is {format_short(list(array))}; it should be {size} numbers "
            f"0 to {size - 1}, as "
            "many as scale says, a multiple of 4"
        )
    return {"size": size, "array": array}, size**-size


def _read_circle_finding(values: Values) -> PuzzleReading:
    limit = read_integer(values, "scale", 1, 10**5)
    center = read_integers(values, "center")
    radius = read_integer(values, "radius", 1, limit)
    if len(center) != 2 or max(map(abs, center)) > limit:
        raise ValueError(
            f"center is {format_short(list(center))}; it should be two numbers to {limit}"
        )
    x, y = center
    if radius > isqrt(x * x + y * y) - 1:
        raise ValueError(f"radius is {radius}; the origin should be 1 or more outside the circle")
    return {"limit": limit, "circle": (x, y, radius)}, 1 / ((2 * limit + 1) ** 2 - 9)


def _read_guess_max(values: Values) -> PuzzleReading:
    array, said = read_integers(values, "array"), values.get("subsets")
    size = len(array)
    if min(array) < 1 or max(array) > size:
        raise ValueError(f"array is {format_short(list(array))}; its numbers should be 1 to {size}")
    if not isinstance(said, dict) or not said:
        raise ValueError(f"subsets is {format_short(said)}; it should name lists of positions")
    names = [f"S{number + 1}" for number in range(len(said))]
    if set(names) != set(said):
        raise ValueError(f"subsets is {format_short(said)}; its lists should be called S1, S2, ...")
    lists = [read_integers(said, name) for name in names]
    places = [place for inside in lists for place in inside]
    if len(set(places)) < len(places) or not set(places) <= set(range(1, size + 1)):
        raise ValueError(f"subsets hold a position twice, or one that is not 1 to {size}")
    password = [
        max((array[place - 1] for place in range(1, size + 1) if place not in inside), default=0)
        for inside in lists
    ]
    if list(read_integers(values, "answer")) != password:
        raise ValueError(
            f"answer is {format_short(values.get('answer'))}; the rules give {password}"
        )
    owners = [0] * size
    for number, inside in enumerate(lists, 1):
        for place in inside:
            owners[place - 1] = number
    luck = 2 / (size - 1) / (len(lists) + 1)
    return {"lists": len(lists), "owners": tuple(owners), "array": array}, luck


def _read_tree_discovery(values: Values) -> PuzzleReading:
    said = values.get("answer")
    told = [str(edge) for edge in said] if isinstance(said, list) else []
    if not told or not all(re.fullmatch(r"[1-9]{2}", edge) for edge in told):
        raise ValueError(
            f"answer is {format_short(said)}; it should be edges of two digits, such as 13"
        )
    size = len(told) + 1
    edges = sorted((min(edge), max(edge)) for edge in told)
    whole = {one: {one} for one in map(str, range(1, size + 1))}
    for one, other in edges:
        if not {one, other} <= whole.keys() or whole[one] is whole[other]:
            raise ValueError(f"answer is {format_short(said)}, which is no tree of 1 to {size}")
        joined = whole[one] | whole[other]
        whole.update(dict.fromkeys(joined, joined))
    columns = {"size": size, "edges": tuple(f"{one}-{other}" for one, other in edges)}
    return columns, 1 / size ** (size - 2)


def _read_linked_list(values: Values) -> PuzzleReading:
    said = values.get("list")
    size = len(said) if isinstance(said, dict) else 0
    if not isinstance(said, dict) or set(said) != set(map(str, range(1, size + 1))) or not size:
        raise ValueError(f"list is {format_short(said)}; its positions should be 1, 2, ...")
    nodes = [said[str(place)] for place in range(1, size + 1)]
    top = max(999, 10 * size)
    numbers, links = [], []
    for node in nodes:
        if not isinstance(node, dict):
            raise ValueError(f"list holds {format_short(node)}; it should be value and next")
        numbers.append(read_integer(node, "value", 1, top))
        links.append(read_integer(node, "next", -1, size))
    place, order = numbers.index(min(numbers)) + 1, []
    while place > 0 and place not in order:
        order.append(place)
        place = links[place - 1]
    course = [numbers[place - 1] for place in order]
    if len(order) < size or place != -1 or course != sorted(set(course)):
        raise ValueError("list is not one chain whose values grow from each element to the next")
    check_answer(values, (course[0], [course[0]]))
    columns = {"size": size, "top": top, "values": tuple(numbers), "links": tuple(links)}
    return columns, 1 / (top // 2)


def _read_median_query(values: Values) -> PuzzleReading:
    numbers = read_permutation(values, "list", 1)
    size = len(numbers)
    right = sorted(numbers.index(size // 2 + more) for more in (0, 1))
    check_answer(values, ([place + 1 for place in right], right))
    return {"size": size, "final": False, "numbers": numbers}, 1 / comb(size, 2)


def _read_word_guessing(values: Values) -> PuzzleReading:
    said = values.get("answer")
    if not isinstance(said, str) or not re.fullmatch(r"[A-Za-z]{2,40}", said):
        raise ValueError(f"answer is {format_short(said)}; it should be a word of letters a to z")
    word = said.lower()
    return {"length": len(word), "joined": 1, "counted": True, "word": word}, None


def _read_impostors(values: Values) -> PuzzleReading:
    said = values.get("answer")
    if not isinstance(said, str) or not re.fullmatch(r"[01]{3,30}", said):
        raise ValueError(
            f"answer is {format_short(said)}; it should be a text of 0 and 1, one a player"
        )
    size = len(said)
    impostors = tuple(player for player, role in enumerate(said, 1) if role == "0")
    allowed = range(-(-size // 3), 2 * size // 3 + 1)
    if len(impostors) not in allowed:
        raise ValueError(
            f"{len(impostors)} of {size} players are impostors (0); it should be "
            f"{allowed[0]} to {allowed[-1]}"
        )
    possible = sum(comb(size, count) for count in allowed)
    return {"players": size, "impostors": impostors}, 1 / possible


def _read_min_max(values: Values) -> PuzzleReading:
    said = values.get("answer")
    digits = [int(one) for one in said if one.isdecimal()] if isinstance(said, str) else []
    numbers = tuple(digits) or read_integers(values, "answer")
    size, kinds = len(numbers), sorted(set(numbers))
    if size < 3 or len(kinds) < max(2, size - 1):
        raise ValueError(
            f"answer is {format_short(said)}; of three elements or more two at "
            "most should be equal, as "
            "the game tells its player"
        )
    for name, right in (("min_pos", kinds[0]), ("max_pos", kinds[-1])):
        place = read_integer(values, name, 1, size)
        if numbers[place - 1] != right:
            raise ValueError(f"{name} is {place}, where {numbers[place - 1]} stands, not {right}")
    ranks = tuple(kinds.index(number) + 1 for number in numbers)
    return {"size": size, "final": False, "ranks": ranks}, 1 / (size - 1) ** 2


GAMES = {
    "bit_compare": GameReader(_read_bit_compare, "numbers", 12),
    "bit_query": GameReader(_read_bit_query, "size", 16),
    "circle_finding": GameReader(_read_circle_finding, "limit", 5000),
    "find_the_impostors": GameReader(_read_impostors, "players", 30),
    "guess_max": GameReader(_read_guess_max, "owners", 100),
    "linked_list_query": GameReader(_read_linked_list, "size", 40),
    "median_query": GameReader(_read_median_query, "numbers", 20),
    "min_max": GameReader(_read_min_max, "size", 9),
    "tree_discovery": GameReader(_read_tree_discovery, "size", 9),
    "word_guessing": GameReader(_read_word_guessing, "length", 12),
}
"""How the items of each game are read."""
