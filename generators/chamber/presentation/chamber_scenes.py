"""Build the scenes of a chamber in a state, the wiring table, and the hint.

Viewpoints of a room are chosen so that everything named in it is visible. The first two views are
from opposite corners. Each further view is the one that shows most of the points that are still
unseen. Views are added until no viewpoint shows another unseen point.

A view is one of: the plan, with all names and the wiring table; the rooms at an angle; the rooms in
perspective. A setting without the plan shows the wiring table in a picture of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import atan2, cos, degrees, pi, radians

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRules, chamber_rules
from facelet.generators.chamber.presentation.room_order import order_rooms
from facelet.generators.chamber.world.chamber_records import (
    DIGITS,
    Cell,
    Chamber,
    Fixture,
    Room,
    Step,
)
from facelet.generators.chamber.world.device_registry import find_device
from facelet.renderers.scenes.chamber import (
    EYE,
    ChamberEye,
    ChamberItem,
    ChamberPlan,
    ChamberRay,
    ChamberRoom,
    ChamberSight,
    ChamberTable,
    sight_of,
)
from facelet.renderers.scenes.records import Scene

Point = tuple[float, float, float]

MOST = 8
"""Views of a room at most."""
HALF = 42.0
"""Degrees to either side in which a view shows something well."""
STEEP = 33.0
"""Degrees above and below the middle in which it does."""
TILTS = (-14, 26)
"""Degrees up that eyes look."""
NEAR = 1.3
"""Cells from which on it does."""
CLEAR = 0.05
"""Cells to either side of a line of sight that stay free, so that no pixel of an edge is hit."""
LAST = 0.35
"""Cells before its end from which on nothing hides what it leads to; the painter names it then."""
_STEP = 0.1
_WAYS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")


def choose_viewpoints(
    box: Room, floor: Sequence[tuple[Cell, str]], marks: Sequence[Point], rock: Sequence[Cell]
) -> tuple[ChamberEye, ...]:
    """Return the views of a room.

    Args:
        box: the room's columns.
        floor: cells of plain floor, each with the name of its floor.
        marks: points that are to be seen.
        rock: the cells that hide what is behind them; all others of the room are free.
    """
    closed = frozenset(rock)
    west, south, east, north = box
    middle = ((west + east) / 2, (south + north) / 2)
    first = [
        min(floor, key=lambda at: (abs(at[0][0] - x) + abs(at[0][1] - y), at))
        for x, y in ((west, south), (east - 1, north - 1))
    ]
    chosen = [
        _make_viewpoint(place, _yaw_to_middle(place[0], middle)) for place in dict.fromkeys(first)
    ]
    unseen = [mark for mark in marks if not any(is_in_view(eye, mark, closed) for eye in chosen)]
    every = [
        _make_viewpoint(place, yaw, up)
        for up in TILTS
        for place in floor
        for yaw in range(0, 360, 45)
    ]
    while unseen and len(chosen) < MOST:
        best = max(every, key=lambda eye: sum(is_in_view(eye, mark, closed) for mark in unseen))
        left = [mark for mark in unseen if not is_in_view(best, mark, closed)]
        if len(left) == len(unseen):
            break
        chosen.append(best)
        unseen = left
    return tuple(chosen)


def _yaw_to_middle(cell: Cell, middle: tuple[float, float]) -> int:
    """Return the direction to the middle of a room, in degrees."""
    angle = degrees(atan2(middle[1] - cell[1] - 0.5, middle[0] - cell[0] - 0.5))
    return round(angle / 5) * 5 % 360


def _make_viewpoint(place: tuple[Cell, str], yaw: int, tilt: int = TILTS[0]) -> ChamberEye:
    way = f"{'up ' if tilt > 0 else ''}{_WAYS[round(yaw / 45) % 8]}"
    return ChamberEye(place[0], yaw, f"From floor {place[1]}, looking {way}", tilt)


def is_in_view(eye: ChamberEye, mark: Point, closed: frozenset[Cell]) -> bool:
    """Return whether a point is well in view, with nothing between.

    Args:
        eye: the viewpoint.
        mark: the point.
        closed: the cells that hide what is behind them; the one with the point hides nothing.
    """
    at = (eye.cell[0] + 0.5, eye.cell[1] + 0.5, eye.cell[2] + EYE)
    away = [there - here for there, here in zip(mark, at, strict=True)]
    if (flat := (away[0] ** 2 + away[1] ** 2) ** 0.5) < NEAR:
        return False
    turn = atan2(away[1], away[0]) - radians(eye.yaw)
    turn = (turn + pi) % (2 * pi) - pi
    rise = degrees(atan2(away[2], flat * max(cos(turn), 0.01)))
    if abs(degrees(turn)) > HALF or abs(rise - eye.tilt) > STEEP:
        return False
    own = (int(mark[0]), int(mark[1]), int(mark[2]))
    across = (-away[1] / flat * CLEAR, away[0] / flat * CLEAR)
    far = (flat**2 + away[2] ** 2) ** 0.5
    parts = [_STEP * part / far for part in range(int((far - LAST) / _STEP) + 1)]
    for side in (0, -1, 1):
        east, north = away[0] + side * across[0], away[1] + side * across[1]
        for part in parts:
            x, y, z = at[0] + east * part, at[1] + north * part, at[2] + away[2] * part
            cell = (int(x), int(y), int(z))
            if cell in closed and cell != own:
                return False
    return True


SAME = {"exit": "EXIT", "start": "START"}


PICTURED = ("visual", "rooms", "first_person", "all")
"""Settings with pictures."""


_RAISED = {"lift": False, "piston": True, "cover": False}
"""Kinds that have a height, and whether they have it while they are on."""
SOLID = ("cube", "mirror", "door", "dispenser", "lift", "piston", "switch", "turret")
"""Kinds that hide what is behind them."""


@lru_cache(maxsize=64)
def chamber_scenes(
    chamber: Chamber, link: tuple[str, ...] = (), setting: str = "visual"
) -> tuple[Scene, ...]:
    """Return the scenes of a chamber at its beginning.

    Args:
        chamber: the chamber.
        link: names of two panels to join in the plan, for a hint.
        setting: "visual" (the plan, then its rooms at an angle), "rooms" (these without the plan),
            "first_person" (its rooms in perspective) or "all".
    """
    engine = chamber_rules(chamber)
    view = ChamberView(engine, engine.beginning)
    if setting == "visual":
        return (view.plan_scene(link), *view.room_scenes())
    if setting == "all":
        return (view.plan_scene(link), *view.room_scenes(), *view.sight_scenes())
    shown = view.room_scenes() if setting == "rooms" else view.sight_scenes()
    return (ChamberTable(wiring_table(chamber)), *shown)


def current_scene(engine: StepRules, state: State, setting: str) -> Scene:
    """Return the scene that shows what changed: the plan, or the room that the player is in.

    Args:
        engine: the rules of the chamber.
        state: the state.
        setting: as `chamber_scenes` takes it.
    """
    view = ChamberView(engine, state)
    if setting in ("visual", "all"):
        return view.plan_scene()
    number = view.known.room_of(engine.chart.number_to_cell(state.player)) or 0
    return view.room_scene(number) if setting == "rooms" else view.sight_scene(number)


@lru_cache(maxsize=64)
def _room_viewpoints(chamber: Chamber) -> tuple[tuple[ChamberEye, ...], ...]:
    """Return the viewpoints of each room, which stay the same while things move."""
    engine = chamber_rules(chamber)
    view = ChamberView(engine, engine.beginning)
    return tuple(view.viewpoints_of(box) for box in view.known.boxes)


class ChamberView:
    """The scenes of a chamber in a state.

    Attributes:
        known: its rooms.
    """

    def __init__(self, engine: StepRules, state: State) -> None:
        """Compute the items and rays of the state."""
        self.known = order_rooms(engine.chart.chamber)
        self._engine = engine
        self._chamber = chamber = engine.chart.chamber
        self._floors = format_heights(chamber, chamber.floors)
        self._ceilings = format_heights(chamber, chamber.ceilings)
        self._items, self._rays = _scene_items(engine, state), _scene_rays(engine, state)

    def plan_scene(self, link: tuple[str, ...] = ()) -> ChamberPlan:
        """Return the plan.

        Args:
            link: names of two panels to join.
        """
        where = (self._floors, self._ceilings, self._items, self._rays)
        return ChamberPlan(*where, wiring_table(self._chamber), link)

    def room_scenes(self) -> tuple[ChamberRoom, ...]:
        """Return each room at an angle."""
        return tuple(map(self.room_scene, range(len(self.known.boxes))))

    def room_scene(self, number: int) -> ChamberRoom:
        """Return a room at an angle.

        Args:
            number: its place, from 0.
        """
        seen = "seen from the south-west (left) and from the north-east (right)"
        box = self.known.boxes[number]
        return ChamberRoom(*self._room_contents(box), box, f"Room {number + 1}, {seen}")

    def sight_scenes(self) -> tuple[ChamberSight, ...]:
        """Return each room in perspective."""
        return tuple(map(self.sight_scene, range(len(self.known.boxes))))

    def sight_scene(self, number: int) -> ChamberSight:
        """Return a room in perspective.

        Args:
            number: its place, from 0.
        """
        box = self.known.boxes[number]
        eyes = _room_viewpoints(self._chamber)[number]
        return ChamberSight(*self._room_contents(box), box, f"Room {number + 1}", eyes)

    def viewpoints_of(self, box: Room) -> tuple[ChamberEye, ...]:
        """Return from where all that is named in a room is seen in this state."""
        marks = self._mark_points(self._room_contents(box)[2], box)
        return choose_viewpoints(
            box, self._floor_cells(box), marks, [*self._rock_cells(box), *self._opaque_cells()]
        )

    def _room_contents(
        self, box: Room
    ) -> tuple[str, str, tuple[ChamberItem, ...], tuple[ChamberRay, ...]]:
        """Return what a scene of a room has, floors that are named in another room included."""
        named = {
            item.name for item in self._items if item.shape == "floor" and _is_in_room(item, box)
        }
        more: dict[str, list[Cell]] = {}
        for cell, name in self._floor_cells(box):
            if name not in named:
                more.setdefault(name, []).append(cell)
        floors = tuple(
            ChamberItem("floor", name, (cells[len(cells) // 2],)) for name, cells in more.items()
        )
        return self._floors, self._ceilings, (*self._items, *floors), self._rays

    def _floor_cells(self, box: Room) -> list[tuple[Cell, str]]:
        """Return the cells of plain floor in a room, each with its floor's name."""
        chart, (west, south, east, north) = self._engine.chart, box
        cells = (
            (chart.number_to_cell(cell), chart.area_name[area])
            for cell, area in chart.area_of.items()
        )
        return sorted(
            (cell, name)
            for cell, name in cells
            if west <= cell[0] < east and south <= cell[1] < north
        )

    def _mark_points(self, items: Sequence[ChamberItem], box: Room) -> list[Point]:
        return [sight_of(item) for item in items if item.name and _is_in_room(item, box, 1)]

    def _opaque_cells(self) -> list[Cell]:
        """Return the cells with items that hide what is behind them."""
        return [
            (x, y, z + up)
            for item in self._items
            if item.shape in SOLID
            for x, y, z in item.cells
            for up in range(max(1, item.height))
        ]

    def _rock_cells(self, box: Room) -> list[Cell]:
        """Return the cells of rock in and around a room."""
        (west, south, east, north), (wide, _, high) = box, self._chamber.size
        found = []
        for x in range(west - 1, east + 1):
            for y in range(south - 1, north + 1):
                at = x + wide * y
                low, top = self._chamber.floors[at], self._chamber.ceilings[at]
                found += [(x, y, z) for z in range(high + 2) if not low <= z < top]
        return found


def _is_in_room(item: ChamberItem, box: Room, around: int = 0) -> bool:
    (x, y, _), (west, south, east, north) = item.cells[0], box
    return west - around <= x < east + around and south - around <= y < north + around


def format_heights(chamber: Chamber, values: Sequence[int]) -> str:
    """Return heights as a scene has them."""
    wide = chamber.size[0]
    lines = (values[first : first + wide] for first in range(0, len(values), wide))
    return "/".join("".join(DIGITS[value] for value in line) for line in lines)


def _scene_items(engine: StepRules, state: State) -> tuple[ChamberItem, ...]:
    chart = engine.chart
    now = engine.resting_situation(state)
    found = []
    for number, fixture in enumerate(chart.fixtures):
        name = SAME.get(fixture.kind, "" if fixture.kind == "liquid" else fixture.name)
        cells, facing = fixture.cells, fixture.facing
        if number in chart.things:
            thing = chart.things.index(number)
            if state.things[thing] < 0:
                continue
            cells, facing = (chart.number_to_cell(state.things[thing]),), state.facings[thing]
        raised = _RAISED.get(fixture.kind) == now.on[number]
        height = (1 if fixture.kind == "cover" else fixture.numbers[0]) if raised else 0
        found.append(ChamberItem(fixture.kind, name, cells, facing, height))
    return tuple(found)


def _scene_rays(engine: StepRules, state: State) -> tuple[ChamberRay, ...]:
    now = engine.resting_situation(state)
    chart = engine.chart
    seen = [
        ChamberRay("watch", tuple(map(chart.number_to_cell, row)))
        for i in chart.watchers
        if (
            row := [
                c for c in map(chart.cell_to_number, chart.fixtures[i].cells) if c in now.watched
            ]
        )
    ]
    paths = (
        ChamberRay(kind, tuple(map(chart.number_to_cell, path.cells)))  # type: ignore[arg-type]
        for _, kind, path in now.paths
    )
    return (*paths, *seen)


def wiring_table(chamber: Chamber) -> tuple[str, ...]:
    """Return what drives what, and the figures of devices: one line a fixture."""
    given: dict[str, list[str]] = {}
    for fixture in chamber.fixtures:
        if find_device(fixture.kind).thing:
            for name in fixture.inputs:
                given.setdefault(name, []).append(fixture.name)
    lines = [
        f"{fixture.name} {find_device(fixture.kind).noun}: {words}"
        for fixture in chamber.fixtures
        if not find_device(fixture.kind).thing and (words := _wiring_line(fixture, given))
    ]
    return tuple(lines)


def _wiring_line(fixture: Fixture, given: dict[str, list[str]]) -> str:
    parts = []
    driven = " and ".join(fixture.inputs)
    if fixture.kind == "switch":
        steps = fixture.numbers[0]
        parts.append(f"on for {steps} step{'s'[: steps > 1]}" if steps else "on for good")
    if fixture.kind == "plate":
        parts.append(f"throws {fixture.numbers[0]} far, {fixture.numbers[1]} high")
    if fixture.kind in ("lift", "piston"):
        parts.append(f"{fixture.numbers[0]} high")
    if fixture.kind == "dispenser":
        parts.append(f"gives {' and '.join(given.get(fixture.name, ['nothing']))}")
    if fixture.kind == "beam" and fixture.numbers[0] == 1:
        verb = "are" if len(fixture.inputs) > 1 else "is"
        parts.append(
            f"runs, and backwards while {driven} {verb} on" if driven else "runs backwards"
        )
    elif driven:
        state = {"cover": "drawn in", "door": "open", "turret": "off"}.get(fixture.kind, "on")
        parts.append(f"{state} while {driven} {'are' if len(fixture.inputs) > 1 else 'is'} on")
    return ", ".join(parts)


def portal_hint(plan: Sequence[Step]) -> tuple[str, ...]:
    """Return the two panels with portals when both are first used, or ()."""
    open_now: dict[str, str] = {}
    for step in plan:
        if step.verb == "both":
            return step.args[1], step.args[2]
        if step.verb == "shoot":
            open_now[step.args[1]] = step.args[2]
            if len(open_now) == 2:
                return tuple(sorted(open_now.values()))
    return ()
