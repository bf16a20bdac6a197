"""Standpoints from the words of the prompts alone: compass bearings in degrees."""

from __future__ import annotations

import math
import re


def read_bearing(text: str) -> float:
    """Return where the object is that a prompt in words asks for, clockwise from straight ahead."""
    places = {
        name: (int(east), int(north))
        for name, east, north in re.findall(r"([A-F]): (\d) east, (\d) north", text)
    }
    start = re.search(r"You stand at (\w) and face (\w)\.", text)
    target = re.search(r"In which direction is (\w) from you now\?", text)
    assert start and target
    here = start[1]
    facing = find_bearing(places[here], places[start[2]])
    for goal, way in re.findall(r"Move to (\w),|Turn (right|left|about)\.", text):
        here = goal or here
        facing += {"": 0, "right": 90, "left": -90, "about": 180}[way]
    return (find_bearing(places[here], places[target[1]]) - facing) % 360


def find_bearing(here: tuple[int, int], there: tuple[int, int]) -> float:
    """Return the compass bearing: 0 is north, 90 is east."""
    return 90 - math.degrees(math.atan2(there[1] - here[1], there[0] - here[0]))
