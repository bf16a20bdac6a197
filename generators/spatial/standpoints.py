"""Where something is as seen by a person who stands among objects, moves and turns.

Objects are on points (east, north) of a square map. A direction is a vector; sums and products of
whole numbers decide on which side something is, and angles only name the clock hour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import atan2, degrees
from typing import ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.spatial.spatial_task import Shown, SpatialParams, SpatialTask
from facelet.renderers.scenes.diagrams import FAINT, DiagramSheet, Mark

Point = tuple[int, int]

NAMES = "ABCDEF"
SIDE = 9
"""Points along a side of the map."""
_TRIES = 400
_TURNS: dict[str, Point] = {"right": (0, -1), "left": (0, 1), "about": (-1, 0)}
"""What a turn multiplies a direction by, as a complex number."""
_STEP, _LEFT, _TOP = 6, 5, 9


@dataclass(frozen=True, slots=True)
class StandpointParams(SpatialParams):
    """The difficulty."""

    steps: int = param(2, "moves and turns after the start", low=0, high=5, axis="steps")


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Objects on a map, and what a person among them does."""

    objects: tuple[str, ...] = column("name, east and north of each object", role="puzzle")
    moves: tuple[str, ...] = column("where the person starts, and what follows", role="puzzle")
    target: str = column("the object that is asked for", role="puzzle")
    modality: str = column("how the objects are shown: picture or text")
    answer: str = column("where the object is as the person sees it", role="answer")

    def list_places(self) -> dict[str, Point]:
        """Return the place of each object."""
        words = (text.split() for text in self.objects)
        return {name: (int(east), int(north)) for name, east, north in words}


def follow_steps(places: Mapping[str, Point], steps: Sequence[str]) -> tuple[Point, Point]:
    """Return the place and the direction of a person after some steps, "at A facing B" the first.

    Args:
        places: the places of the objects.
        steps: then "turn right", "turn left", "turn about" or "go C".
    """
    here = heading = (0, 0)
    for step in steps:
        verb, *words = step.split()
        if verb == "turn":
            (east, north), (real, imaginary) = heading, _TURNS[words[0]]
            heading = (east * real - north * imaginary, east * imaginary + north * real)
        else:
            here = places[words[0]]
            heading = subtract_points(places[words[2]], here) if verb == "at" else heading
    return here, heading


def subtract_points(one: Point, other: Point) -> Point:
    """Return the vector from one point to another one."""
    return one[0] - other[0], one[1] - other[1]


def measure_angle(places: Mapping[str, Point], steps: Sequence[str], target: str) -> float:
    """Return where an object is, in degrees clockwise from straight ahead, 0 up to 360.

    Args:
        places: the places of the objects.
        steps: the steps of the person.
        target: the object.
    """
    here, (east, north) = follow_steps(places, steps)
    across, along = subtract_points(places[target], here)
    return degrees(atan2(across * north - along * east, across * east + along * north)) % 360


def draw_standpoint(params: StandpointParams, draw: Draw, low: float, high: float) -> Standpoint:
    """Return a person among objects to whom some object is between two angles.

    Args:
        params: the params.
        draw: the randomness.
        low: the least angle, in degrees clockwise from straight ahead; it may be negative.
        high: the greatest one.
    """
    points = list(product(range(SIDE), repeat=2))
    for _ in range(_TRIES):
        chosen = draw.rng.choice(len(points), len(NAMES), replace=False).tolist()
        places = dict(zip(NAMES, (points[place] for place in chosen), strict=True))
        order = [NAMES[place] for place in draw.rng.permutation(len(NAMES))]
        steps = [f"at {order[0]} facing {order[1]}"]
        for number in range(params.steps):
            way = list(_TURNS)[int(draw.rng.integers(len(_TURNS)))]
            steps.append(f"turn {way}" if number % 2 else f"go {order[2 + number // 2]}")
        here = follow_steps(places, steps)[0]
        for target in order[::-1]:
            if places[target] == here or target in steps[-1]:
                continue
            if (measure_angle(places, steps, target) - low) % 360 <= high - low:
                objects = (f"{name} {east} {north}" for name, (east, north) in places.items())
                return Standpoint((*objects,), (*steps,), target, params.modality, "")
    raise Reject("no object is in that direction")


_WORDS = {
    "at": "You stand at {0} and face {2}.",
    "turn": "Turn {0}.",
    "go": "Move to {0}, still facing the same way of the compass as before.",
}
_RULES = (
    "Objects are points on flat ground, and so are you. You see the map from above; north is up. "
    "To turn right or left is to turn by 90 degrees, clockwise or counterclockwise as seen from "
    "above; to turn about is to turn by 180 degrees."
)


def draw_map(places: Mapping[str, Point]) -> DiagramSheet:
    """Return the scene of a map."""
    end = _STEP * (SIDE - 1)
    marks = []
    for far in range(0, end + 1, _STEP):
        marks.append(Mark("line", (_LEFT, _TOP + far, _LEFT + end, _TOP + far), FAINT))
        marks.append(Mark("line", (_LEFT + far, _TOP, _LEFT + far, _TOP + end), FAINT))
    for name, (east, north) in places.items():
        x, y = _LEFT + _STEP * east, _TOP + end - _STEP * north
        marks += [Mark("disc", (x, y, 2)), Mark("text", (x + 2, y - 2), text=name)]
    arrow = Mark("arrow", (_LEFT + end + 6, _TOP + 8, _LEFT + end + 6, _TOP))
    marks += [arrow, Mark("text", (_LEFT + end + 6, _TOP + 11), text="N")]
    return DiagramSheet(((*marks,),), ("Map",), (end + 16, end + 14), 9)


class StandpointTask(SpatialTask[StandpointParams, Standpoint]):
    """Base of the questions where something is as a person sees it."""

    params: ClassVar[type[StandpointParams]] = StandpointParams
    instance: ClassVar[type[Standpoint]] = Standpoint

    def describe_puzzle(self, instance: Standpoint) -> Shown:
        """Return the map and the steps."""
        words = (step.split() for step in instance.moves)
        said = " ".join(_WORDS[verb].format(*rest) for verb, *rest in words)
        places = instance.list_places()
        if instance.modality == "text":
            lines = "; ".join(f"{name}: {x} east, {y} north" for name, (x, y) in places.items())
            return (f"{_RULES}\n\n{said}\nPlaces: {lines}",)
        return (draw_map(places), f"{_RULES}\n\n{said}")

    def list_picture_faults(self, instance: Standpoint) -> list[str]:
        """Return which objects a map does not show apart."""
        places = instance.list_places()
        return ["two objects share a place"] * (len(set(places.values())) < len(places))
