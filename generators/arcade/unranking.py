"""Convert numbers to subsets, permutations and tuples, each exactly once.

`Draw.unique_number` gives every item of a build its own number, so distinct items become distinct
puzzles.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial


def number_to_digits(number: int, bases: Sequence[int]) -> tuple[int, ...]:
    """Return the digits of a number, the last of them least significant; digit i is below bases[i].

    Raises:
        ValueError: the number is not below the product of the bases.
    """
    found: list[int] = []
    rest = number
    for base in reversed(bases):
        rest, digit = divmod(rest, base)
        found.append(digit)
    if rest:
        raise ValueError(f"number={number} has no place in bases {tuple(bases)}; use a smaller one")
    return tuple(found[::-1])


def number_to_subset(number: int, size: int, count: int) -> tuple[int, ...]:
    """Return one of the comb(size, count) subsets of 0 to size - 1, ascending.

    Args:
        number: which, from 0.
        size: how many things there are.
        count: how many are in it.

    Raises:
        ValueError: the number is out of range.
    """
    total = comb(size, count)
    if not 0 <= number < total:
        raise ValueError(f"number={number} is out of range; use a whole number 0 to {total - 1}")
    found: list[int] = []
    for thing in range(size):
        without = comb(size - thing - 1, count - len(found) - 1) if count > len(found) else 0
        if number < without:
            found.append(thing)
        else:
            number -= without
    return tuple(found)


def subset_number(chosen: Sequence[int], size: int) -> int:
    """Return the number of a subset of 0 to size - 1, ascending.

    The inverse of `number_to_subset`.
    """
    number, left = 0, len(chosen)
    for thing in range(size):
        if not left:
            break
        if thing == chosen[-left]:
            left -= 1
        else:
            number += comb(size - thing - 1, left - 1)
    return number


def subset_sized(number: int, size: int, counts: Sequence[int]) -> tuple[int, ...]:
    """Return one of the subsets of 0 to size - 1 whose size is one of `counts`, ascending.

    Args:
        number: which, from 0; there are `subsets_sized` of them.
        size: how many things there are.
        counts: the sizes, in the order in which they are numbered.

    Raises:
        ValueError: the number is out of range.
    """
    rest = number
    for count in counts:
        if 0 <= rest < comb(size, count):
            return number_to_subset(rest, size, count)
        rest -= comb(size, count)
    raise ValueError(f"number={number} is out of range; there are {subsets_sized(size, counts)}")


def subsets_sized(size: int, counts: Sequence[int]) -> int:
    """Return the number of subsets of `size` things whose size is one of `counts`."""
    return sum(comb(size, count) for count in counts)


def number_to_permutation(number: int, size: int) -> tuple[int, ...]:
    """Return one of the size! permutations of 0 to size - 1, in lexicographic order.

    Raises:
        ValueError: the number is out of range.
    """
    if not 0 <= number < factorial(size):
        raise ValueError(f"number={number} is out of range; use 0 to {factorial(size) - 1}")
    left = list(range(size))
    found: list[int] = []
    for place in range(size):
        index, number = divmod(number, factorial(size - place - 1))
        found.append(left.pop(index))
    return tuple(found)
