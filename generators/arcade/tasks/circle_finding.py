"""Circle finding: find a hidden circle by the distances of rays from it.

EvolArena, cases N.5 and N.6; the puzzle is Codeforces 1578 I. Centre and radius are whole numbers
up to n, and the origin is at least 1 outside the circle. A query names a point; the reply is the
distance of the ray from the origin through it from the circle, 0.0 if they meet.

Distances are whole numbers of units of 1e-10, rounded from exact values, so that they are the same
on every machine. Angles are in radians.

The reference player shoots along three axes. The greater reply to two opposite rays is the distance
of the origin, D. It then has a ray with reply D and, a right angle away, a ray with a smaller
reply; between them the replies fall from D to 0. They are strictly between in a zone as wide as
acos(r / c), where c is the distance of the centre; since r is at most n and c - 1, that is at least
acos(n / (n + 1)), so halving soon finds a ray in the zone. Three such rays determine the circle:
each gives a linear equation in centre and radius, and any three directions are independent. Mostly
one is enough, since the circle has whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import acos, atan2, ceil, cos, isqrt, log2, pi, sin

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    FixedQuestionGame,
    Player,
    QuestionState,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
    fewer_turns_deviation,
    number_to_digits,
    several,
)

UNIT = 10**10
"""Distances are whole numbers of 1 / UNIT."""
SPARE = 10
"""Centres that each item may try; a centre too near the origin has no circle."""

Circle = tuple[int, int, int]
Ray = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The circle."""

    limit: int = column("greatest coordinate and radius, n", role="puzzle")
    circle: tuple[int, ...] = column("x and y of the centre, and the radius", role="secret")


State = QuestionState[int, None]


class CircleFinding(FixedQuestionGame[ArcadeParams, Puzzle, int]):
    """A player finds a circle by the distances of rays."""

    name = "arcade/circle_finding"
    version = 5
    category = "information_probing"
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: xq yq"),
        CommandForm("answer", "My Answer: {int} {int} {int}", "My Answer: xc yc rc"),
    )
    spare = (3, 1, 0)
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 20, (6, 8, 5)),
        (Command("query", (0, -10)), Command("query", (1, 0)), Command("query", (1, 2))),
        "Coordinates are -20 to 20. The hidden circle has its center at (6, 8) and the radius 5.",
    )
    deviations = (
        fewer_turns_deviation(3, 1),
        Deviation(
            "coordinates up to 200, 1000 and 1500",
            "200, 1000 and 3000",
            "each level should be harder for a player that tries one radius after another",
            "published=true",
        ),
        Deviation(
            "",
            "the radius is 1 to n, and at most the centre's distance less 1",
            "the paper prints two bounds; a radius is not negative",
        ),
        Deviation(
            "",
            "distances are exact, rounded to 10 decimals; 0.0 means contact",
            "they are the same on every machine",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        limit = _coordinate_limit(params)
        side = 2 * limit + 1
        number = draw.unique_number("centre", side * side, self.capacity(params))
        x, y = (place - limit for place in number_to_digits(number, (side, side)))
        if (most := min(limit, isqrt(x * x + y * y) - 1)) < 1:
            raise Reject("the centre is too near the origin for a circle")
        # Nine centres are too near, and those at distance 2 have one radius.
        terms = self.terms(params, draw, first_luck=1 / (side * side - 9))
        return Puzzle(terms, limit, (x, y, int(draw.rng.integers(1, most + 1))))

    def capacity(self, params: ArcadeParams) -> int:
        return (2 * _coordinate_limit(params) + 1) ** 2 // SPARE

    def rules(self, puzzle: Puzzle) -> str:
        limit = puzzle.limit
        return (
            "Find the circle. A circle is hidden in the plane. Its center (xc, yc) and its radius "
            f"rc are whole numbers; xc and yc are from -{limit} to {limit}, rc is from 1 to "
            f"{limit}. The radius is also at most sqrt(xc^2 + yc^2) - 1, so the origin (0, 0) is "
            "outside the circle.\n"
            "In each turn you either ask or answer.\n"
            f"- Query: name a point (xq, yq) with whole numbers from -{limit} to {limit}, not both "
            "0. A ray goes from the origin through this point and on without end. I say how far "
            "the ray is from the circle at the nearest, rounded to 10 decimals. I say 0.0 if "
            "they meet.\n"
            "- Answer: give xc, yc and rc. If all three are right, you win. If not, I say "
            "Incorrect and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"Coordinates are -{puzzle.limit} to {puzzle.limit}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        limit = puzzle.limit
        if not all(-limit <= value <= limit for value in command.args[:2]):
            return f"coordinates are -{limit} to {limit}"
        if command.form == "query":
            return "" if any(command.args) else "a ray needs a point other than the origin"
        return "" if 1 <= command.args[2] <= limit else f"the radius is 1 to {limit}"

    def answer_question(self, puzzle: Puzzle, command: Command) -> int:
        x, y, radius = puzzle.circle
        return _measure_distance((x, y, radius), command.args)

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return command.args == puzzle.circle

    def winning_answer(self, puzzle: Puzzle) -> Circle:
        x, y, radius = puzzle.circle
        return x, y, radius

    def format_reply(self, heard: int) -> str:
        return f"{heard // UNIT}.{heard % UNIT:010}" if heard else "0.0"

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        limit = puzzle.limit
        x, y = (value - limit for value in several(rng, 2 * limit + 1, 2))
        if rng.random() < 0.5:
            return Command("query", (x, y) if x or y else (1, 0))
        most = max(1, min(limit, isqrt(x * x + y * y) - 1))
        return Command("answer", (x, y, 1 + below(rng, most)))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        limit = puzzle.limit
        found: list[Puzzle] = []
        while len(found) < count:
            x, y = (value - limit for value in several(rng, 2 * limit + 1, 2))
            if (most := min(limit, isqrt(x * x + y * y) - 1)) >= 1:
                found.append(replace(puzzle, circle=(x, y, 1 + below(rng, most))))
        return found

    def bound(self, shown: Puzzle) -> int:
        """Return the turns: three axes, halving, two more rays and the answer.

        A ray through whole numbers may miss the intended direction by 1 / n.
        """
        narrow = _narrowest_zone(shown.limit) - 4 / shown.limit
        return 3 + max(1, ceil(log2(pi / 2 / narrow))) + 2 + 1

    def player(self, shown: Puzzle) -> Player:
        limit = shown.limit
        heard: dict[Ray, int] = {}
        for ray in ((1, 0), (-1, 0), (0, 1)):
            heard[ray] = yield Command("query", ray)
        far = max(heard[1, 0], heard[-1, 0])
        # From `behind`, with reply `far`, replies fall as the ray turns towards `facing`.
        if heard[0, 1] < far:
            ray, facing = (0, 1), pi / 2
            behind = 0.0 if heard[1, 0] == far else pi
        elif heard[1, 0] < far:
            ray, facing, behind = (1, 0), 0.0, pi / 2
        elif heard[-1, 0] < far:
            ray, facing, behind = (-1, 0), pi, pi / 2
        else:  # the centre is straight below
            ray, facing, behind = (0, -1), -pi / 2, 0.0
        side = 1 if facing > behind else -1
        angle = facing
        while not 0 < heard.get(ray, 0) < far:
            angle = (behind + facing) / 2
            ray = _ray_at_angle(angle, limit)
            heard[ray] = yield Command("query", ray)
            if heard[ray]:
                behind = angle
            else:
                facing = angle
        found = _list_circles(ray, side, heard, limit)
        # Two more rays in the zone, towards its wider part.
        near = (far - heard[ray]) / far < 1 / 4
        nudge = _narrowest_zone(limit) / 8 * (side if near else -side)
        for times in (1, 2):
            if len(found) > 1:
                aside = _ray_at_angle(angle + nudge * times, limit)
                heard[aside] = yield Command("query", aside)
                found = [
                    circle for circle in found if _measure_distance(circle, aside) == heard[aside]
                ]
        yield from (Command("answer", circle) for circle in found)


TASK = CircleFinding()


def _coordinate_limit(params: ArcadeParams) -> int:
    """Return the greatest coordinate and radius."""
    return params.level_size(200, 1000, 3000, 500, paper=(200, 1000, 1500))


def _measure_distance(circle: Circle, ray: Ray) -> int:
    """Return the distance of a ray from a circle, in units, rounded."""
    x, y, radius = circle
    across, square = ray[0] * y - ray[1] * x, ray[0] ** 2 + ray[1] ** 2
    if ray[0] * x + ray[1] * y <= 0:  # the ray's nearest point is the origin
        across = square = x * x + y * y
    if across * across <= radius * radius * square:
        return 0
    return (isqrt(4 * UNIT * UNIT * across * across // square) + 1) // 2 - radius * UNIT


def _narrowest_zone(limit: int) -> float:
    """Return the least width of the zone in which replies reveal the direction."""
    return acos(limit / (limit + 1))


def _ray_at_angle(angle: float, limit: int) -> Ray:
    """Return the point on the square's rim that is nearest to a direction."""
    scale = limit / max(abs(cos(angle)), abs(sin(angle)))
    return round(scale * cos(angle)), round(scale * sin(angle))


def _list_circles(ray: Ray, side: int, heard: Mapping[Ray, int], limit: int) -> list[Circle]:
    """Return the circles that fit all replies.

    Args:
        ray: a ray whose reply is between 0 and the origin's distance.
        side: 1 if the centre is on its left, -1 if it is on its right.
        heard: replies in units, by ray; the greatest is the origin's distance.
        limit: greatest coordinate and radius.
    """
    far, near = max(heard.values()) / UNIT, heard[ray] / UNIT
    radius = np.arange(1, limit + 1)
    angle = atan2(ray[1], ray[0]) + side * np.arcsin((near + radius) / (far + radius))
    x, y = (far + radius) * np.cos(angle), (far + radius) * np.sin(angle)
    whole = (np.abs(x - np.rint(x)) < 0.02) & (np.abs(y - np.rint(y)) < 0.02)
    fit = zip(np.rint(x[whole]), np.rint(y[whole]), radius[whole], strict=True)
    found = [(int(a), int(b), int(r)) for a, b, r in fit if max(abs(a), abs(b)) <= limit]
    return [
        c for c in found if all(_measure_distance(c, ray) == told for ray, told in heard.items())
    ]
