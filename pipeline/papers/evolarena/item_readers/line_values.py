"""Read values from an item line strictly.

Every function raises ValueError with the key, the value and what is expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from facelet.generators.core.seeding import Draw
from facelet.pipeline.importing.imported_items import RuleError, UnprovenError
from facelet.pipeline.json_types import JSON

LONGEST = 1000
"""Most values of a list that is read."""

Values = Mapping[str, JSON]
Columns = dict[str, Any]
Pair = tuple[int, int]
PuzzleReading = tuple[Columns, float | None]
"""The columns of a puzzle, and the greatest chance of a first command to win at once.

None means one divided by the number of puzzles of the level.
"""


@dataclass(frozen=True, slots=True)
class GameReader:
    """How the items of a game are read.

    Attributes:
        authors_name: the authors' name of the game.
        read: reads the columns of a puzzle from a line; RuleError names the rule that the line
            breaks, ValueError what cannot be read.
        size: the column that is the game's size: a number, or a sequence of that length.
        max_size: the largest size that is read; proofs of larger ones take too long.
        draw_hidden: draws the columns that the authors' monitor draws in play; None where the line
            contains all columns.
    """

    authors_name: str
    read: Callable[[Values], PuzzleReading]
    size: str
    max_size: int
    draw_hidden: Callable[[Columns, Draw], Columns] | None = None


def require_form(fits: object, name: str, said: object, expected: str) -> None:
    """Raise ValueError if a value cannot be read.

    Args:
        fits: whether it can.
        name: its key in the line.
        said: the value.
        expected: what it should be.
    """
    if not fits:
        raise ValueError(f"{name} is {format_short(said)}; it should be {expected}")


def require_rule(kept: object, witness: str) -> None:
    """Raise RuleError with a witness if a rule of the game is not kept."""
    if not kept:
        raise RuleError(witness)


def require_provable(kept: object, limit: str) -> None:
    """Raise UnprovenError if an item keeps the authors' rules but not our game's stricter ones."""
    if not kept:
        raise UnprovenError(f"{limit}; the authors' prompt does not require it, our game does")


def read_integer(values: Values, name: str, low: int, high: int, *, rule: bool = False) -> int:
    """Return a whole number of a line, which may be written as a float or a text.

    Args:
        values: the line.
        name: its key.
        low: the least allowed value.
        high: the greatest.
        rule: whether the range is a rule of the game, so that another number refutes the item.
    """
    said = values.get(name)
    number = to_integer(said)
    expected = f"a whole number {low} to {high}"
    inside = number is not None and low <= number <= high
    if rule and number is not None:
        require_rule(inside, f"{name} is {number}; it should be {expected}")
    require_form(inside, name, said, expected)
    assert number is not None
    return number


def to_integer(said: object) -> int | None:
    """Return a value in any spelling as a whole number; None if it is none."""
    if isinstance(said, float) and said.is_integer():
        return int(said)
    if isinstance(said, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", said):
        return int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def read_text(values: Values, name: str, pattern: str, expected: str) -> str:
    """Return a text of a line.

    Args:
        values: the line.
        name: its key.
        pattern: the regular expression that it must match.
        expected: what it should be, for the message.
    """
    said = values.get(name)
    require_form(isinstance(said, str) and re.fullmatch(pattern, said), name, said, expected)
    return str(said)


def read_list(values: Values, name: str, expected: str) -> list[JSON]:
    """Return a list of a line with 1 to LONGEST values.

    Args:
        values: the values of the line.
        name: the name of the list.
        expected: what it should be, for the message.
    """
    said = values.get(name)
    require_form(isinstance(said, list) and 0 < len(said) <= LONGEST, name, said, expected)
    assert isinstance(said, list)
    return said


def read_integers(values: Values, name: str) -> tuple[int, ...]:
    """Return a list of whole numbers of a line; of a text, the numbers in it."""
    said = values.get(name)
    if isinstance(said, str):
        return tuple(map(int, re.findall(r"-?[0-9]{1,18}", said)[: LONGEST + 1]))
    expected = f"1 to {LONGEST} whole numbers"
    numbers = [to_integer(one) for one in read_list(values, name, expected)]
    require_form(None not in numbers, name, said, expected)
    return tuple(number for number in numbers if number is not None)


def read_permutation(values: Values, name: str, first: int) -> tuple[int, ...]:
    """Return a list that contains each whole number from `first` on once.

    Args:
        values: the line.
        name: its key.
        first: the least number.
    """
    found = read_integers(values, name)
    last = first + len(found) - 1
    require_rule(
        sorted(found) == list(range(first, last + 1)),
        f"{name} is {format_short(list(found))}; it should contain each of {first} to {last} once",
    )
    return found


def check_answer(values: Values, right: Sequence[object]) -> None:
    """Raise RuleError if the answer of a line does not follow from the rest of it."""
    said = values.get("answer")
    found: object = (
        sorted(read_integers(values, "answer")) if isinstance(said, list | str) else said
    )
    require_rule(
        found in right,
        f"answer is {format_short(said)}; from the rest of the line follows {right[0]}",
    )


def format_short(said: object) -> str:
    """Return the first 60 characters of a value for messages."""
    text = repr(said)
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_object(values: Values, name: str) -> Values:
    """Return an object of a line."""
    said = values.get(name)
    require_form(isinstance(said, dict) and len(said) <= LONGEST, name, said, "an object")
    assert isinstance(said, dict)
    return said


def read_pairs(values: Values, name: str) -> list[Pair]:
    """Return a list of pairs of whole numbers."""
    expected = "a list of pairs of numbers"
    found = [read_integers({name: one}, name) for one in read_list(values, name, expected)]
    require_form({len(one) for one in found} == {2}, name, values[name], expected)
    return [(one[0], one[-1]) for one in found]


def read_grid_rows(values: Values, name: str, signs: str) -> tuple[str, ...]:
    """Return the rows of a grid, equally long.

    Args:
        values: the line.
        name: its key.
        signs: the characters that cells may have.
    """
    expected = f"rows of equal length of {signs}"
    said = read_list(values, name, expected)
    lines = [one if isinstance(one, list) and len(one) <= LONGEST else [one] for one in said]
    found = tuple("".join(map(str, line)) for line in lines)
    equal = {len(row) for row in found} == {len(found[0])}
    require_form(equal and set("".join(found)) <= set(signs), name, said, expected)
    return found


def read_square_grid(values: Values, name: str, signs: str) -> tuple[str, ...]:
    """Return the rows of a grid with as many rows as columns.

    Args:
        values: the line.
        name: its key.
        signs: the characters that cells may have.
    """
    found = read_grid_rows(values, name, signs)
    require_form(len(found) == len(found[0]), name, list(found), "a square")
    return found


def parse_cell(said: object) -> Pair:
    """Return the cell that a key such as (1, 2) or 1,2 names."""
    found = re.fullmatch(r"\(?\s*([0-9]{1,6})\s*,\s*([0-9]{1,6})\s*\)?", str(said))
    require_form(found, "a cell", said, "such as (1, 2)")
    assert found is not None
    return int(found[1]), int(found[2])


def read_edges(values: Values, name: str) -> list[Pair]:
    """Return the edges of a graph in their order: none twice, none from a vertex to itself."""
    found = read_pairs(values, name)
    simple = all(a != b for a, b in found) and len(set(map(frozenset, found))) == len(found)
    require_rule(simple, f"{name} has an edge twice, or one from a vertex to itself")
    return found


def list_neighbors(joined: Sequence[Pair], size: int) -> dict[int, list[int]]:
    """Return the neighbors of the vertices 1 to size, in the order of the edges.

    Raises:
        RuleError: an edge has another vertex, or the graph is not connected.
    """
    near: dict[int, list[int]] = {vertex: [] for vertex in range(1, size + 1)}
    for one, other in joined:
        require_rule(
            {one, other} <= near.keys(),
            f"there is an edge {one}-{other}; vertices should be 1 to {size}",
        )
        near[one].append(other)
        near[other].append(one)
    reached, waiting = {1}, [1]
    while waiting:
        fresh = set(near[waiting.pop()]) - reached
        reached |= fresh
        waiting += fresh
    require_rule(
        len(reached) == size,
        f"only {len(reached)} of {size} vertices can be reached from vertex 1",
    )
    return near
