"""Circle finding: the monitor against a twin, and the bound over small circles and thin zones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from math import isqrt
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.circle_finding import TASK, UNIT, CircleFinding, Puzzle
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.5, with 40 decimal digits: the nearest point of the ray to the centre."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.limit, self.circle = row["limit"], row["circle"]

    def answer_line(self, line: str) -> str:
        n = self.limit
        query, guess = line_numbers(line, "My Query:"), line_numbers(line, "My Answer:")
        if query is not None:
            if len(query) != 2 or max(map(abs, query)) > n or query == [0, 0]:
                return INVALID
            return self.distance(*query)
        if guess is None or len(guess) != 3 or max(map(abs, guess)) > n or guess[2] < 1:
            return INVALID
        if guess != self.circle:
            return "Incorrect"
        self.has_won = True
        return "Correct"

    def distance(self, a: int, b: int) -> str:
        with localcontext() as context:
            context.prec = 40
            x, y, r = map(Decimal, self.circle)
            along = max(Decimal(0), (a * x + b * y) / (a * a + b * b))
            apart = ((x - along * a) ** 2 + (y - along * b) ** 2).sqrt() - r
            # Forty digits may leave a rest where ray and circle touch.
            if apart < Decimal("1e-30"):
                return "0.0"
            text = str(apart.quantize(Decimal("1e-10")))
            return "0.0" if re.fullmatch(r"0E-10|0\.0+", text) else f"{Decimal(text):f}"


def test_a_fault_is_found() -> None:
    class Faulty(CircleFinding):
        """A ray behind the origin is taken for a whole line."""

        def answer_question(self, puzzle: Any, said: Any) -> int:
            back = replace(said, args=(-said.args[0], -said.args[1]))
            return min(super().answer_question(puzzle, said), super().answer_question(puzzle, back))

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def make_circle(limit: int, *parts: int) -> Puzzle:
    return Puzzle(blank_terms("information_probing", turns=99), limit, parts)


def test_distances_of_a_few_rays() -> None:
    puzzle = make_circle(20, 6, 8, 5)
    told = [Twin(TASK.encode(puzzle)).distance(*ray) for ray in ((0, -10), (1, 0), (1, 2), (-4, 3))]
    assert told == ["5.0000000000", "3.0000000000", "0.0", "5.0000000000"]


def test_the_player_finds_every_small_circle() -> None:
    limit = 12
    most = 0
    for x in range(-limit, limit + 1):
        for y in range(-limit, limit + 1):
            for r in range(1, min(limit, isqrt(x * x + y * y) - 1) + 1):
                said, won = TASK.play_reference(make_circle(limit, x, y, r))
                assert won, (x, y, r)
                most = max(most, len(said))
    assert most <= TASK.bound(make_circle(limit, 0, 2, 1))


@pytest.mark.parametrize("limit", [200, 1000, 3000, 5000])
def test_the_player_finds_circles_that_fill_the_sky(limit: int) -> None:
    """The greatest radii leave the narrowest zones."""
    rng = make_generator("sky", limit)
    bound = TASK.bound(make_circle(limit, 0, 2, 1))
    assert bound == {200: 11, 1000: 12, 3000: 13, 5000: 13}[limit]
    for number in range(150):
        x = limit if number % 3 == 0 else int(rng.integers(0, limit + 1))
        y = isqrt((limit + 1) ** 2 - x * x) + int(rng.integers(0, 3))
        y = 0 if number % 10 == 9 else min(y, limit)
        most = min(limit, isqrt(x * x + y * y) - 1)
        for a, b in ((x, y), (-y, x), (-x, -y), (y, -x)):
            if most >= 1:
                said, won = TASK.play_reference(
                    make_circle(limit, a, b, most - number % 2 * (most > 1))
                )
                assert won and len(said) <= bound, (a, b, most)


def test_one_answer_beside_the_circle_is_mostly_enough() -> None:
    """Reference plays are shorter than the bound."""
    turns = [
        puzzle.terms.reference_turns for puzzle in make_puzzles(TASK, TASK.params(level=3), 30)
    ]
    assert sum(turns) / len(turns) < 9
    assert UNIT == 10**10
