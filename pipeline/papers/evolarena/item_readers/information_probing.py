"""Read items of information probing: hidden values that stay the same during play."""

from __future__ import annotations

from itertools import combinations
from math import comb, isqrt

from facelet.pipeline.papers.evolarena.item_readers.line_values import (
    PuzzleReading,
    Values,
    check_answer,
    format_short,
    list_neighbors,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_permutation,
    read_text,
    require_form,
    require_provable,
    require_rule,
)


def read_bit_compare(values: Values) -> PuzzleReading:
    """Read the numbers; the answer is a pair with the greatest XOR."""
    numbers = read_permutation(values, "list", 0)
    size = len(numbers)
    pairs = list(combinations(range(size), 2))
    best = max((numbers[i] ^ numbers[j] for i, j in pairs), default=0)
    right = [[i, j] for i, j in pairs if numbers[i] ^ numbers[j] == best]
    check_answer(values, right)
    return {"size": size, "final": False, "numbers": numbers}, len(right) / comb(size, 2)


def read_bit_query(values: Values) -> PuzzleReading:
    """Read the array: one digit a number, without separators, or numbers with separators."""
    size, said = read_integer(values, "scale", 4, 64), values.get("answer")
    digits = isinstance(said, str) and len(said) == size and said.isdecimal()
    array = tuple(map(int, str(said))) if digits else read_integers(values, "answer")
    require_form(
        len(array) == size and size % 4 == 0,
        "answer",
        said,
        f"{size} numbers, as many as scale, a multiple of 4",
    )
    require_rule(
        set(array) <= set(range(size)),
        f"answer is {format_short(said)}; the prompt allows 0 to {size - 1}, and it contains "
        f"{max(array)}",
    )
    return {"size": size, "array": array}, size**-size


def read_circle_finding(values: Values) -> PuzzleReading:
    """Read the circle."""
    limit = read_integer(values, "scale", 1, 10**5)
    center = read_integers(values, "center")
    radius = read_integer(values, "radius", 1, limit, rule=True)
    require_form(len(center) == 2, "center", list(center), "two numbers")
    require_rule(
        max(map(abs, center)) <= limit,
        f"center is {format_short(list(center))}; it should be two numbers to {limit}",
    )
    x, y = center
    require_rule(
        radius <= isqrt(x * x + y * y) - 1,
        f"radius is {radius}; the origin should be 1 or more outside the circle",
    )
    return {"limit": limit, "circle": (x, y, radius)}, 1 / ((2 * limit + 1) ** 2 - 9)


def read_guess_max(values: Values) -> PuzzleReading:
    """Read the array and its subsets; the answer is the maximum outside each of them."""
    array, said = read_integers(values, "array"), read_object(values, "subsets")
    size = len(array)
    require_rule(
        min(array) >= 1 and max(array) <= size,
        f"array is {format_short(list(array))}; its numbers should be 1 to {size}",
    )
    names = [f"S{number + 1}" for number in range(len(said))]
    require_form(names and set(names) == set(said), "subsets", said, "lists called S1, S2, ...")
    lists = [read_integers(said, name) for name in names]
    places = [place for inside in lists for place in inside]
    require_rule(
        set(places) <= set(range(1, size + 1)), f"subsets have a position outside 1 to {size}"
    )
    require_provable(len(set(places)) == len(places), "no position should be in two subsets")
    password = [
        max((array[place - 1] for place in range(1, size + 1) if place not in inside), default=0)
        for inside in lists
    ]
    require_rule(
        list(read_integers(values, "answer")) == password,
        f"answer is {format_short(values.get('answer'))}; the rules give {password}",
    )
    owners = [0] * size
    for number, inside in enumerate(lists, 1):
        for place in inside:
            owners[place - 1] = number
    luck = 2 / (size - 1) / (len(lists) + 1)
    return {"lists": len(lists), "owners": tuple(owners), "array": array}, luck


def read_tree_discovery(values: Values) -> PuzzleReading:
    """Read the edges of the tree."""
    expected = "edges of two digits, such as 13"
    edges = [
        read_text({"answer": edge}, "answer", "[1-9]{2}", expected)
        for edge in map(str, read_list(values, "answer", expected))
    ]
    size = len(edges) + 1
    # As many edges as vertices less one, and connected: a tree.
    list_neighbors([(int(edge[0]), int(edge[1])) for edge in edges], size)
    ordered = sorted((min(edge), max(edge)) for edge in edges)
    columns = {"size": size, "edges": tuple(f"{one}-{other}" for one, other in ordered)}
    return columns, 1 / size ** (size - 2)


def read_linked_list(values: Values) -> PuzzleReading:
    """Read the list, whose values grow from each element to the next."""
    said = read_object(values, "list")
    size = len(said)
    positions = [str(place) for place in range(1, size + 1)]
    require_form(said and set(said) == set(positions), "list", said, "positions 1, 2, ...")
    top = max(999, 10 * size)
    nodes = [read_object(said, place) for place in positions]
    numbers = [read_integer(node, "value", 1, top) for node in nodes]
    links = [read_integer(node, "next", -1, size) for node in nodes]
    place, order = numbers.index(min(numbers)) + 1, list[int]()
    while place > 0 and place not in order:
        order.append(place)
        place = links[place - 1]
    course = [numbers[place - 1] for place in order]
    require_rule(
        len(order) == size and place == -1 and course == sorted(set(course)),
        "list is not one chain whose values grow from each element to the next",
    )
    check_answer(values, (course[0], [course[0]]))
    columns = {"size": size, "top": top, "values": tuple(numbers), "links": tuple(links)}
    return columns, 1 / (top // 2)


def read_median_query(values: Values) -> PuzzleReading:
    """Read the numbers; the answer is where the two middle ones are."""
    numbers = read_permutation(values, "list", 1)
    size = len(numbers)
    right = sorted(numbers.index(size // 2 + more) for more in (0, 1))
    check_answer(values, ([place + 1 for place in right], right))
    return {"size": size, "final": False, "numbers": numbers}, 1 / comb(size, 2)


def read_word_guessing(values: Values) -> PuzzleReading:
    """Read the word."""
    word = read_text(values, "answer", "[A-Za-z]{2,40}", "a word of letters a to z").lower()
    return {"length": len(word), "joined": 1, "counted": True, "word": word}, None


def read_impostors(values: Values) -> PuzzleReading:
    """Read the roles, one character a player."""
    roles = read_text(values, "answer", "[01]{3,30}", "a text of 0 and 1, one a player")
    size = len(roles)
    impostors = tuple(player for player, role in enumerate(roles, 1) if role == "0")
    allowed = range(-(-size // 3), 2 * size // 3 + 1)
    require_rule(
        len(impostors) in allowed,
        f"{len(impostors)} of {size} players are impostors (0); it should be {allowed[0]} to "
        f"{allowed[-1]}",
    )
    possible = sum(comb(size, count) for count in allowed)
    return {"players": size, "impostors": impostors}, 1 / possible


def read_min_max(values: Values) -> PuzzleReading:
    """Read the elements, of which at most two are equal."""
    said = values.get("answer")
    digits = [int(one) for one in said if one.isdecimal()] if isinstance(said, str) else []
    numbers = tuple(digits) or read_integers(values, "answer")
    size, kinds = len(numbers), sorted(set(numbers))
    require_provable(
        size >= 3 and len(kinds) >= max(2, size - 1),
        f"answer is {format_short(said)}; of three elements or more at most two should be equal",
    )
    for name, right in (("min_pos", kinds[0]), ("max_pos", kinds[-1])):
        place = read_integer(values, name, 1, size, rule=True)
        require_rule(
            numbers[place - 1] == right,
            f"{name} is {place}, where {numbers[place - 1]} is, not {right}",
        )
    ranks = tuple(kinds.index(number) + 1 for number in numbers)
    return {"size": size, "final": False, "ranks": ranks}, 1 / (size - 1) ** 2
