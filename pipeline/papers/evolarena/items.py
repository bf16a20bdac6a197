"""Items of EvolArena's authors, published as MTR-Bench: a JSONL for each game and level.

A line holds `question_id`, `scale` (the size), `difficulty`, and the puzzle under names of its
own; see `item_names` for how its game is known. Each reader of READERS takes what is hidden from a
line and checks it against the rules: what breaks them is kept apart, and so is what the reference
player does not win. Rows are of published=true.

Files called test, or ending in _test, are drafts of theirs; their lines are kept apart as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import comb, factorial, isqrt
from pathlib import Path
from typing import Any, TypeGuard

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline import families
from facelet.pipeline.importing.items import Broken, Found, Item
from facelet.pipeline.importing.lines import Line
from facelet.pipeline.importing.lines import read as lines_of
from facelet.pipeline.importing.puzzles import own_id
from facelet.pipeline.json_values import JSON
from facelet.pipeline.papers.evolarena.item_names import game_of, level_of
from facelet.pipeline.papers.evolarena.transcripts import answers

__all__ = ["answers", "read"]

FORM = "mtr_bench"
DRAWS = 20
"""Draws of what happens in play that an item is tried with."""

LONGEST = 1000
"""Most numbers of a list that is read."""

Values = Mapping[str, JSON]
Taken = tuple[dict[str, Any], float | None]
"""The columns of a puzzle, and the greatest chance of a first command to win at once.

None for one in as many as the level has puzzles.
"""


def read(folder: Path, seed: int) -> Found:
    """Return the items of a folder.

    Args:
        folder: the folder; files may lie at any depth.
        seed: what is drawn from where a game draws in play.

    Raises:
        ValueError: there is no such folder, or no file of this form in it.
        OSError: a file cannot be read.
    """
    paths = sorted(folder.rglob("*.jsonl"))
    if not paths:
        raise ValueError(f"{str(folder)!r} holds no *.jsonl; name the folder of the item files")
    items: list[Item] = []
    broken: list[Broken] = []
    seen: dict[tuple[str, int, str], str] = {}
    for path in paths:
        name = path.relative_to(folder).as_posix()
        for line in lines_of(path, name):
            own = own_id(line.values, "question_id")
            try:
                item = _item(line, own, seed, len(items))
                key = (item.task.name, item.params.difficulty().value, own)
                if key in seen:
                    raise ValueError(f"another line has the same question_id: {seen[key]}")
                seen[key] = line.place
                items.append(item)
            except (ValueError, Reject) as error:
                broken.append(Broken(line, str(error), own))
    return Found(FORM, items, broken)


def _item(line: Line, own: str, seed: int, number: int) -> Item:
    """Return the item of a line.

    Raises:
        ValueError: it is none, or breaks a rule of its game.
        Reject: the reference player does not win it.
    """
    stem = Path(line.file).stem.lower()
    if stem == "test" or stem.endswith("_test"):
        raise ValueError("a draft: its file is called test")
    if line.values is None:
        raise ValueError(line.wrong)
    if not own:
        raise ValueError("it has no question_id: a text or a whole number")
    game = game_of(line)
    if game not in READERS:
        raise ValueError(f"items of {game} are not read; these are: {', '.join(READERS)}")
    task: Any = families.task(f"arcade/{game}")
    params = task.params(level=level_of(line), published=True)
    columns, luck = READERS[game](line.values)
    name, most = LARGEST[game]
    size = columns[name] if isinstance(columns[name], int) else len(columns[name])
    if size > most:
        raise ValueError(f"its size ({name}) is {size}; of {game} those up to {most} are read")
    if luck is None:
        luck = 1 / task.capacity(params)
    path = (seed, task.name, task.version, FORM, params.difficulty().label, own)
    last = Reject("there was no draw")
    # What is drawn in play is ours: where the reference player loses by it, it is drawn anew.
    for attempt in range(DRAWS if task.by_luck else 1):
        draw = Draw(path, number, attempt)
        terms = task.terms(params, draw, first_luck=luck)
        puzzle = task.instance(terms=terms, **columns)
        try:
            return Item(line, own, task, params, [task.settled(params, puzzle)], draw)
        except Reject as reject:
            last = reject
    raise last


# --- what lines hold ------------------------------------------------------------------------------


def _whole(values: Values, name: str, low: int, high: int) -> int:
    """Return a whole number of a line, which may be written as a float or a text."""
    said = values.get(name)
    number = _number(said)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} is {_short(said)}; it should be a whole number {low} to {high}")
    return number


def _number(said: object) -> int | None:
    if isinstance(said, float) and said.is_integer():
        return int(said)
    if isinstance(said, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", said):
        return int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def _wholes(values: Values, name: str) -> tuple[int, ...]:
    """Return a list of whole numbers of a line; of a text, the numbers in it."""
    said = values.get(name)
    if isinstance(said, str):
        return tuple(map(int, re.findall(r"-?[0-9]{1,18}", said)[: LONGEST + 1]))
    held = said if isinstance(said, list) and len(said) <= LONGEST else [None]
    numbers = [_number(one) for one in held]
    found = tuple(number for number in numbers if number is not None)
    if len(found) < len(numbers) or not found:
        raise ValueError(f"{name} is {_short(said)}; it should be 1 to {LONGEST} whole numbers")
    return found


def _permutation(values: Values, name: str, first: int) -> tuple[int, ...]:
    """Return a list that holds each whole number from `first` on once."""
    found = _wholes(values, name)
    if sorted(found) != list(range(first, first + len(found))):
        raise ValueError(
            f"{name} is {_short(list(found))}; it should hold each of {first} to "
            f"{first + len(found) - 1} once"
        )
    return found


def _answers(values: Values, right: Sequence[object]) -> None:
    """Raise ValueError where the answer of a line is none of those that follow from the rest."""
    said = values.get("answer")
    found: object = sorted(_wholes(values, "answer")) if isinstance(said, list | str) else said
    if found not in right:
        raise ValueError(f"answer is {_short(said)}; from the rest of the line follows {right[0]}")


def _short(said: object) -> str:
    text = repr(said)
    return text if len(text) <= 60 else f"{text[:57]}..."


# --- the games ------------------------------------------------------------------------------------


def _attendance(values: Values) -> Taken:
    present = _wholes(values, "answer")
    if sorted(present) != [0, *[1] * (len(present) - 1)]:
        raise ValueError(f"answer is {_short(list(present))}; exactly one student should be 0")
    columns = {"students": len(present), "answers": 15, "absent": present.index(0) + 1}
    return columns, 1 / len(present)


def _binary(values: Values) -> Taken:
    most = _whole(values, "scale", 1, 10**6)
    number = _whole(values, "answer", 1, most)
    ones = number.bit_count()
    alike = sum(other.bit_count() == ones for other in range(1, most + 1))
    return {"most": most, "ones": ones, "number": number}, 1 / alike


def _hidden(values: Values) -> Taken:
    most = _whole(values, "scale", 1, 10**6)
    return {"most": most, "number": _whole(values, "answer", 1, most)}, 1 / most


def _discovered(values: Values) -> Taken:
    hidden, start = _permutation(values, "p", 1), _permutation(values, "q", 1)
    if len(hidden) != len(start):
        raise ValueError(f"p has {len(hidden)} numbers and q {len(start)}; they should be as many")
    return {"start": start, "hidden": hidden}, 1 / factorial(len(hidden))


def _password(values: Values) -> Taken:
    low = _whole(values, "min_value", 0, 10**9)
    high = _whole(values, "max_value", low, low + 10**4)
    columns = {
        "low": low,
        "span": high - low,
        "base": _whole(values, "k", 2, 10**6),
        "password": _whole(values, "answer", low, high),
    }
    return columns, 1 / (high - low + 1)


def _zero(values: Values) -> Taken:
    bits = _wholes(values, "list")
    if not set(bits) <= {0, 1}:
        raise ValueError(f"list is {_short(list(bits))}; it should hold 0 and 1 alone")
    zeros = [place for place, bit in enumerate(bits) if bit == 0]
    rank = _whole(values, "k", 1, len(zeros))
    place = zeros[rank - 1]
    _answers(values, (place + 1, place))
    columns = {"length": len(bits), "rank": rank, "bits": "".join(map(str, bits))}
    return columns, 1 / (len(bits) - rank + 1)


def _compared(values: Values) -> Taken:
    numbers = _permutation(values, "list", 0)
    size = len(numbers)
    pairs = list(combinations(range(size), 2))
    best = max((numbers[i] ^ numbers[j] for i, j in pairs), default=0)
    right = [[i, j] for i, j in pairs if numbers[i] ^ numbers[j] == best]
    _answers(values, right)
    return {"size": size, "final": False, "numbers": numbers}, len(right) / comb(size, 2)


def _bits(values: Values) -> Taken:
    size = _whole(values, "scale", 4, 64)
    array = _wholes(values, "answer")
    if len(array) != size or size % 4 or not set(array) <= set(range(size)):
        raise ValueError(
            f"answer is {_short(list(array))}; it should be {size} numbers 0 to {size - 1}, as "
            "many as scale says, a multiple of 4"
        )
    return {"size": size, "array": array}, size**-size


def _circle(values: Values) -> Taken:
    limit = _whole(values, "scale", 1, 10**5)
    center = _wholes(values, "center")
    radius = _whole(values, "radius", 1, limit)
    if len(center) != 2 or max(map(abs, center)) > limit:
        raise ValueError(f"center is {_short(list(center))}; it should be two numbers to {limit}")
    x, y = center
    if radius > isqrt(x * x + y * y) - 1:
        raise ValueError(f"radius is {radius}; the origin should be 1 or more outside the circle")
    return {"limit": limit, "circle": (x, y, radius)}, 1 / ((2 * limit + 1) ** 2 - 9)


def _maxima(values: Values) -> Taken:
    array, said = _wholes(values, "array"), values.get("subsets")
    size = len(array)
    if min(array) < 1 or max(array) > size:
        raise ValueError(f"array is {_short(list(array))}; its numbers should be 1 to {size}")
    if not isinstance(said, dict) or not said:
        raise ValueError(f"subsets is {_short(said)}; it should name lists of positions")
    names = [f"S{number + 1}" for number in range(len(said))]
    if set(names) != set(said):
        raise ValueError(f"subsets is {_short(said)}; its lists should be called S1, S2, ...")
    lists = [_wholes(said, name) for name in names]
    places = [place for inside in lists for place in inside]
    if len(set(places)) < len(places) or not set(places) <= set(range(1, size + 1)):
        raise ValueError(f"subsets hold a position twice, or one that is not 1 to {size}")
    password = [
        max((array[place - 1] for place in range(1, size + 1) if place not in inside), default=0)
        for inside in lists
    ]
    if list(_wholes(values, "answer")) != password:
        raise ValueError(f"answer is {_short(values.get('answer'))}; the rules give {password}")
    owners = [0] * size
    for number, inside in enumerate(lists, 1):
        for place in inside:
            owners[place - 1] = number
    luck = 2 / (size - 1) / (len(lists) + 1)
    return {"lists": len(lists), "owners": tuple(owners), "array": array}, luck


def _tree(values: Values) -> Taken:
    said = values.get("answer")
    told = [str(edge) for edge in said] if isinstance(said, list) else []
    if not told or not all(re.fullmatch(r"[1-9]{2}", edge) for edge in told):
        raise ValueError(f"answer is {_short(said)}; it should be edges of two digits, such as 13")
    size = len(told) + 1
    edges = sorted((min(edge), max(edge)) for edge in told)
    whole = {one: {one} for one in map(str, range(1, size + 1))}
    for one, other in edges:
        if not {one, other} <= whole.keys() or whole[one] is whole[other]:
            raise ValueError(f"answer is {_short(said)}, which is no tree of 1 to {size}")
        joined = whole[one] | whole[other]
        whole.update(dict.fromkeys(joined, joined))
    columns = {"size": size, "edges": tuple(f"{one}-{other}" for one, other in edges)}
    return columns, 1 / size ** (size - 2)


def _linked(values: Values) -> Taken:
    said = values.get("list")
    size = len(said) if isinstance(said, dict) else 0
    if not isinstance(said, dict) or set(said) != set(map(str, range(1, size + 1))) or not size:
        raise ValueError(f"list is {_short(said)}; its positions should be 1, 2, ...")
    nodes = [said[str(place)] for place in range(1, size + 1)]
    top = max(999, 10 * size)
    numbers, links = [], []
    for node in nodes:
        if not isinstance(node, dict):
            raise ValueError(f"list holds {_short(node)}; it should be value and next")
        numbers.append(_whole(node, "value", 1, top))
        links.append(_whole(node, "next", -1, size))
    place, order = numbers.index(min(numbers)) + 1, []
    while place > 0 and place not in order:
        order.append(place)
        place = links[place - 1]
    course = [numbers[place - 1] for place in order]
    if len(order) < size or place != -1 or course != sorted(set(course)):
        raise ValueError("list is not one chain whose values grow from each element to the next")
    _answers(values, (course[0], [course[0]]))
    columns = {"size": size, "top": top, "values": tuple(numbers), "links": tuple(links)}
    return columns, 1 / (top // 2)


def _median(values: Values) -> Taken:
    numbers = _permutation(values, "list", 1)
    size = len(numbers)
    right = sorted(numbers.index(size // 2 + more) for more in (0, 1))
    _answers(values, ([place + 1 for place in right], right))
    return {"size": size, "final": False, "numbers": numbers}, 1 / comb(size, 2)


def _word(values: Values) -> Taken:
    said = values.get("answer")
    if not isinstance(said, str) or not re.fullmatch(r"[A-Za-z]{2,40}", said):
        raise ValueError(f"answer is {_short(said)}; it should be a word of letters a to z")
    word = said.lower()
    return {"length": len(word), "joined": 1, "counted": True, "word": word}, None


def _train(values: Values) -> Taken:
    stations = _whole(values, "n", 2, 10**6)
    columns = {
        "stations": stations,
        "speed": _whole(values, "k", 0, stations - 1),
        "answers": 15,
        "station": _whole(values, "answer", 1, stations),
    }
    return columns, 1 / stations


def _xor(values: Values) -> Taken:
    number = _whole(values, "initial_number", 3, 10**9)
    if number.bit_count() < 3:
        raise ValueError(
            f"initial_number is {number}, with fewer than three ones: the first move wins or there "
            "is none"
        )
    return {"number": number, "opponent": "random"}, 0.0


def _points(values: Values) -> Taken:
    said = values.get("available_points")
    start = _wholes(values, "starting_point")
    points = [_wholes({"point": point}, "point") for point in said] if _listed(said) else []
    if {len(point) for point in (start, *points)} != {2} or not points:
        raise ValueError(f"available_points is {_short(said)}; it should be pairs of numbers")
    if len({start, *points}) <= len(points):
        raise ValueError("two of the points, the starting one among them, are the same")
    xs, ys = zip(*points, strict=True)
    return {"start": start, "xs": xs, "ys": ys, "opponent": "random"}, 0.0


def _grid(values: Values) -> Taken:
    said = values.get("initial_grid")
    shape = _wholes(values, "scale")
    cells = [(x, y) for x in range(1, shape[0] + 1) for y in range(1, shape[-1] + 1)]
    names = [f"({x}, {y})" for x, y in cells[:LONGEST]]
    if len(shape) != 2 or shape[1] != 4 or not isinstance(said, dict) or set(said) != set(names):
        raise ValueError(f"initial_grid is {_short(said)}; it should be rows of 4 cells, (1, 1) on")
    numbers = _permutation({"numbers": [said[name] for name in names]}, "numbers", 1)
    return {"rows": shape[0], "numbers": numbers, "opponent": "random"}, 0.0


def _listed(said: JSON) -> TypeGuard[list[JSON]]:
    return isinstance(said, list) and len(said) <= LONGEST


READERS: Mapping[str, Callable[[Values], Taken]] = {
    "attendance_check": _attendance,
    "binary_number_guessing": _binary,
    "bit_compare": _compared,
    "bit_query": _bits,
    "circle_finding": _circle,
    "geometric_distance": _points,
    "grid_game": _grid,
    "guess_max": _maxima,
    "hidden_number_finding": _hidden,
    "linked_list_query": _linked,
    "median_query": _median,
    "password_breaking": _password,
    "permutation_discovery": _discovered,
    "train_pursuit": _train,
    "tree_discovery": _tree,
    "word_guessing": _word,
    "xor_breaking": _xor,
    "zero_finding": _zero,
}
"""What takes a puzzle from a line, by game; ValueError says which rule the line breaks."""

LARGEST: Mapping[str, tuple[str, int]] = {
    "attendance_check": ("students", 40),
    "binary_number_guessing": ("most", 1000),
    "bit_compare": ("numbers", 12),
    "bit_query": ("size", 16),
    "circle_finding": ("limit", 5000),
    "geometric_distance": ("xs", 16),
    "grid_game": ("numbers", 40),
    "guess_max": ("owners", 100),
    "hidden_number_finding": ("most", 60),
    "linked_list_query": ("size", 40),
    "median_query": ("numbers", 20),
    "password_breaking": ("span", 60),
    "permutation_discovery": ("start", 7),
    "train_pursuit": ("stations", 60),
    "tree_discovery": ("size", 9),
    "word_guessing": ("length", 12),
    "xor_breaking": ("number", 10**9),
    "zero_finding": ("length", 200),
}
"""The column that is a game's size, and the largest that is read: beyond, proofs take too long."""
