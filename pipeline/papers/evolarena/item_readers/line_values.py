"""Values: what a line holds under a name, read strictly and told in words where it is not so.

Every reader raises ValueError with the name, what stands there, and what should.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from facelet.generators.core.seeding import Draw
from facelet.pipeline.json_types import JSON

LONGEST = 1000
"""Most values of a list that is read."""

Values = Mapping[str, JSON]
Columns = dict[str, Any]
Pair = tuple[int, int]
PuzzleReading = tuple[Columns, float | None]
"""The columns of a puzzle, and the greatest chance of a first command to win at once.

None for one in as many as the level has puzzles.
"""


@dataclass(frozen=True, slots=True)
class GameReader:
    """How the items of a game are read.

    Attributes:
        read: takes what decides a puzzle from a line; ValueError says which rule the line breaks.
        size: the column that is the game's size: a number, or as many as it holds.
        most: the largest size that is read: beyond, proofs take too long.
        drawn: draws the columns that no line holds, as the authors' monitor draws them in play;
            None where the line holds all.
    """

    read: Callable[[Values], PuzzleReading]
    size: str
    max_size: int
    draw_hidden: Callable[[Columns, Draw], Columns] | None = None


def read_integer(values: Values, name: str, low: int, high: int) -> int:
    """Return a whole number of a line, which may be written as a float or a text.

    Args:
        values: the line.
        name: what it is called there.
        low: the least that it may be.
        high: the most.
    """
    said = values.get(name)
    number = to_integer(said)
    if number is None or not low <= number <= high:
        raise ValueError(
            f"{name} is {format_short(said)}; it should be a whole number {low} to {high}"
        )
    return number


def to_integer(said: object) -> int | None:
    """Return the whole number that a value is, in any spelling; None if it is none."""
    if isinstance(said, float) and said.is_integer():
        return int(said)
    if isinstance(said, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", said):
        return int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def read_integers(values: Values, name: str) -> tuple[int, ...]:
    """Return a list of whole numbers of a line; of a text, the numbers in it."""
    said = values.get(name)
    if isinstance(said, str):
        return tuple(map(int, re.findall(r"-?[0-9]{1,18}", said)[: LONGEST + 1]))
    held = said if isinstance(said, list) and len(said) <= LONGEST else [None]
    numbers = [to_integer(one) for one in held]
    found = tuple(number for number in numbers if number is not None)
    if len(found) < len(numbers) or not found:
        raise ValueError(
            f"{name} is {format_short(said)}; it should be 1 to {LONGEST} whole numbers"
        )
    return found


def read_permutation(values: Values, name: str, first: int) -> tuple[int, ...]:
    """Return a list that holds each whole number from `first` on once.

    Args:
        values: the line.
        name: what it is called there.
        first: the least number.
    """
    found = read_integers(values, name)
    if sorted(found) != list(range(first, first + len(found))):
        raise ValueError(
            f"{name} is {format_short(list(found))}; it should hold each of {first} to "
            f"{first + len(found) - 1} once"
        )
    return found


def check_answer(values: Values, right: Sequence[object]) -> None:
    """Raise ValueError where the answer of a line is none of those that follow from the rest."""
    said = values.get("answer")
    found: object = (
        sorted(read_integers(values, "answer")) if isinstance(said, list | str) else said
    )
    if found not in right:
        raise ValueError(
            f"answer is {format_short(said)}; from the rest of the line follows {right[0]}"
        )


def format_short(said: object) -> str:
    """Return a value as messages show it: its first 60 signs."""
    text = repr(said)
    return text if len(text) <= 60 else f"{text[:57]}..."


def is_readable_list(said: JSON) -> TypeGuard[list[JSON]]:
    """Return whether a value is a list of a length that is read."""
    return isinstance(said, list) and len(said) <= LONGEST


def read_object(values: Values, name: str) -> Values:
    """Return the object that a line holds under a name."""
    said = values.get(name)
    if not isinstance(said, dict) or len(said) > LONGEST:
        raise ValueError(f"{name} is {format_short(said)}; it should be an object")
    return said


def read_pairs(values: Values, name: str) -> list[Pair]:
    """Return a list of pairs of whole numbers."""
    said = values.get(name)
    found = (
        [read_integers({name: one}, name) for one in said]
        if is_readable_list(said) and said
        else [()]
    )
    if {len(one) for one in found} != {2}:
        raise ValueError(f"{name} is {format_short(said)}; it should be a list of pairs of numbers")
    return [(one[0], one[-1]) for one in found]


def read_grid_rows(values: Values, name: str, signs: str) -> tuple[str, ...]:
    """Return the rows of a grid, equally long.

    Args:
        values: the line.
        name: what it is called there.
        signs: the signs that cells may have.
    """
    said = values.get(name)
    lines = (
        [one if is_readable_list(one) else [one] for one in said] if is_readable_list(said) else []
    )
    found = tuple("".join(map(str, line)) for line in lines)
    if (
        not found
        or {len(row) for row in found} != {len(found[0])}
        or not set("".join(found)) <= set(signs)
    ):
        raise ValueError(
            f"{name} is {format_short(said)}; it should be rows of equal length of {signs}"
        )
    return found


def read_square_grid(values: Values, name: str, signs: str) -> tuple[str, ...]:
    """Return the rows of a grid with as many rows as columns.

    Args:
        values: the line.
        name: what it is called there.
        signs: the signs that cells may have.
    """
    found = read_grid_rows(values, name, signs)
    if len(found) != len(found[0]):
        raise ValueError(f"{name} has {len(found)} rows of {len(found[0])} cells; it is no square")
    return found


def parse_cell(said: str) -> Pair:
    """Return the cell that a key such as (1, 2) or 1,2 names."""
    found = re.fullmatch(r"\(?\s*([0-9]{1,6})\s*,\s*([0-9]{1,6})\s*\)?", said)
    if found is None:
        raise ValueError(f"{format_short(said)} is no cell; it should be such as (1, 2)")
    return int(found[1]), int(found[2])


def read_edges(values: Values, name: str) -> list[Pair]:
    """Return the edges of a graph in their order: none twice, none from a vertex to itself."""
    found = read_pairs(values, name)
    if any(a == b for a, b in found) or len({frozenset(edge) for edge in found}) < len(found):
        raise ValueError(f"{name} has an edge twice, or one from a vertex to itself")
    return found


def list_neighbors(joined: Sequence[Pair], size: int) -> dict[int, list[int]]:
    """Return the neighbors of the vertices 1 to size, in the order of the edges.

    Raises:
        ValueError: an edge has another vertex, or not all vertices can be reached from each other.
    """
    near: dict[int, list[int]] = {vertex: [] for vertex in range(1, size + 1)}
    for one, other in joined:
        if not {one, other} <= near.keys():
            raise ValueError(f"there is an edge {one}-{other}; vertices should be 1 to {size}")
        near[one].append(other)
        near[other].append(one)
    reached, waiting = {1}, [1]
    while waiting:
        fresh = set(near[waiting.pop()]) - reached
        reached |= fresh
        waiting += fresh
    if len(reached) < size:
        raise ValueError(f"only {len(reached)} of {size} vertices can be reached from vertex 1")
    return near
