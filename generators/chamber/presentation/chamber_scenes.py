"""Pictures: the scenes of a chamber in a state, and the hint.

A view is the plan, which has all names and the table of what drives what; the rooms at an angle;
or the rooms in perspective, from standing points. Where the plan is withheld, the table has a
picture of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.showing import standing
from facelet.generators.chamber.showing.rooms import rooms
from facelet.generators.chamber.showing.standing import Point
from facelet.generators.chamber.world.chambers import DIGITS, Chamber, Fixture, Room
from facelet.generators.chamber.world.grid import Cell
from facelet.generators.chamber.world.kinds import device
from facelet.generators.chamber.world.steps import Step
from facelet.renderers.scenes.chamber import (
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

SAME = {"exit": "EXIT", "start": "START"}


PICTURED = ("visual", "rooms", "first_person", "all")
"""Settings with pictures."""


SOLID = ("cube", "mirror", "door", "dispenser", "lift", "piston", "switch", "turret")
"""Kinds that hide what is behind them."""


@lru_cache(maxsize=64)
def scenes(
    chamber: Chamber, link: tuple[str, ...] = (), setting: str = "visual"
) -> tuple[Scene, ...]:
    """Return the scenes of a chamber at its beginning.

    Args:
        chamber: the chamber.
        link: names of two panels to join in the plan, for a hint.
        setting: "visual" (the plan, then its rooms at an angle), "rooms" (these without the plan),
            "first_person" (its rooms in perspective) or "all".
    """
    engine = rules(chamber)
    view = View(engine, engine.beginning)
    if setting == "visual":
        return (view.plan(link), *view.rooms())
    if setting == "all":
        return (view.plan(link), *view.rooms(), *view.sights())
    shown = view.rooms() if setting == "rooms" else view.sights()
    return (ChamberTable(table(chamber)), *shown)


def now(engine: Rules, state: State, setting: str) -> Scene:
    """Return the scene that shows what changed: the plan, or the room that the player is in.

    Args:
        engine: the rules of the chamber.
        state: the state.
        setting: as `scenes` takes it.
    """
    view = View(engine, state)
    if setting in ("visual", "all"):
        return view.plan()
    number = view.known.of(engine.chart.place(state.player)) or 0
    return view.room(number) if setting == "rooms" else view.sight(number)


@lru_cache(maxsize=64)
def _eyes(chamber: Chamber) -> tuple[tuple[ChamberEye, ...], ...]:
    """Return from where each room is seen: while things move, the standing points stay."""
    engine = rules(chamber)
    view = View(engine, engine.beginning)
    return tuple(view.eyes(box) for box in view.known.boxes)


class View:
    """The scenes of a chamber in a state.

    Attributes:
        known: its rooms.
    """

    def __init__(self, engine: Rules, state: State) -> None:
        """Work out what stands where."""
        self.known = rooms(engine.chart.chamber)
        self._engine = engine
        self._chamber = chamber = engine.chart.chamber
        self._floors = heights(chamber, chamber.floors)
        self._ceilings = heights(chamber, chamber.ceilings)
        self._items, self._rays = _items(engine, state), _rays(engine, state)

    def plan(self, link: tuple[str, ...] = ()) -> ChamberPlan:
        """Return the plan.

        Args:
            link: names of two panels to join.
        """
        where = (self._floors, self._ceilings, self._items, self._rays)
        return ChamberPlan(*where, table(self._chamber), link)

    def rooms(self) -> tuple[ChamberRoom, ...]:
        """Return each room at an angle."""
        return tuple(map(self.room, range(len(self.known.boxes))))

    def room(self, number: int) -> ChamberRoom:
        """Return a room at an angle.

        Args:
            number: its place, from 0.
        """
        seen = "seen from the south-west (left) and from the north-east (right)"
        box = self.known.boxes[number]
        return ChamberRoom(*self._inside(box), box, f"Room {number + 1}, {seen}")

    def sights(self) -> tuple[ChamberSight, ...]:
        """Return each room in perspective."""
        return tuple(map(self.sight, range(len(self.known.boxes))))

    def sight(self, number: int) -> ChamberSight:
        """Return a room in perspective.

        Args:
            number: its place, from 0.
        """
        box = self.known.boxes[number]
        eyes = _eyes(self._chamber)[number]
        return ChamberSight(*self._inside(box), box, f"Room {number + 1}", eyes)

    def eyes(self, box: Room) -> tuple[ChamberEye, ...]:
        """Return from where all that is named in a room is seen in this state."""
        marks = self._marks(self._inside(box)[2], box)
        return standing.eyes(box, self._floor(box), marks, [*self._rock(box), *self._solid()])

    def _inside(
        self, box: Room
    ) -> tuple[str, str, tuple[ChamberItem, ...], tuple[ChamberRay, ...]]:
        """Return what a scene of a room has, floors that are named in another room included."""
        named = {item.name for item in self._items if item.shape == "floor" and _in(item, box)}
        more: dict[str, list[Cell]] = {}
        for cell, name in self._floor(box):
            if name not in named:
                more.setdefault(name, []).append(cell)
        floors = tuple(
            ChamberItem("floor", name, (cells[len(cells) // 2],)) for name, cells in more.items()
        )
        return self._floors, self._ceilings, (*self._items, *floors), self._rays

    def _floor(self, box: Room) -> list[tuple[Cell, str]]:
        """Return the cells of plain floor in a room, each with its floor's name."""
        chart, (west, south, east, north) = self._engine.chart, box
        cells = ((chart.place(cell), chart.area_name[area]) for cell, area in chart.area_of.items())
        return sorted(
            (cell, name)
            for cell, name in cells
            if west <= cell[0] < east and south <= cell[1] < north
        )

    def _marks(self, items: Sequence[ChamberItem], box: Room) -> list[Point]:
        return [sight_of(item) for item in items if item.name and _in(item, box, 1)]

    def _solid(self) -> list[Cell]:
        """Return the cells in which something stands that hides what is behind it."""
        return [
            (x, y, z + up)
            for item in self._items
            if item.shape in SOLID
            for x, y, z in item.cells
            for up in range(max(1, item.height))
        ]

    def _rock(self, box: Room) -> list[Cell]:
        """Return the cells of rock in and around a room."""
        (west, south, east, north), (wide, _, high) = box, self._chamber.size
        found = []
        for x in range(west - 1, east + 1):
            for y in range(south - 1, north + 1):
                at = x + wide * y
                low, top = self._chamber.floors[at], self._chamber.ceilings[at]
                found += [(x, y, z) for z in range(high + 2) if not low <= z < top]
        return found


def _in(item: ChamberItem, box: Room, around: int = 0) -> bool:
    (x, y, _), (west, south, east, north) = item.cells[0], box
    return west - around <= x < east + around and south - around <= y < north + around


def heights(chamber: Chamber, values: Sequence[int]) -> str:
    """Return heights as a scene has them."""
    wide = chamber.size[0]
    lines = (values[first : first + wide] for first in range(0, len(values), wide))
    return "/".join("".join(DIGITS[value] for value in line) for line in lines)


def _items(engine: Rules, state: State) -> tuple[ChamberItem, ...]:
    chart = engine.chart
    now = engine.situation(state)
    found = []
    for number, fixture in enumerate(chart.fixtures):
        name = SAME.get(fixture.kind, "" if fixture.kind == "liquid" else fixture.name)
        cells, facing = fixture.cells, fixture.facing
        if number in chart.things:
            thing = chart.things.index(number)
            if state.things[thing] < 0:
                continue
            cells, facing = (chart.place(state.things[thing]),), state.facings[thing]
        height = 0
        if fixture.kind == "lift" and not now.on[number]:
            height = fixture.numbers[0]
        if fixture.kind == "piston" and now.on[number]:
            height = fixture.numbers[0]
        if fixture.kind == "cover" and not now.on[number]:
            height = 1
        found.append(ChamberItem(fixture.kind, name, cells, facing, height))
    return tuple(found)


def _rays(engine: Rules, state: State) -> tuple[ChamberRay, ...]:
    now = engine.situation(state)
    chart = engine.chart
    seen = [
        ChamberRay("watch", tuple(map(chart.place, row)))
        for i in chart.watchers
        if (row := [c for c in map(chart.cell, chart.fixtures[i].cells) if c in now.watched])
    ]
    paths = (
        ChamberRay(kind, tuple(map(chart.place, path.cells)))  # type: ignore[arg-type]
        for _, kind, path in now.paths
    )
    return (*paths, *seen)


def table(chamber: Chamber) -> tuple[str, ...]:
    """Return what drives what, and the figures of devices: one line a fixture."""
    lines = []
    given: dict[str, list[str]] = {}
    for fixture in chamber.fixtures:
        if device(fixture.kind).thing:
            for name in fixture.inputs:
                given.setdefault(name, []).append(fixture.name)
    for fixture in chamber.fixtures:
        if not device(fixture.kind).thing and (words := _line(fixture, given)):
            lines.append(f"{fixture.name} {device(fixture.kind).noun}: {words}")
    return tuple(lines)


def _line(fixture: Fixture, given: dict[str, list[str]]) -> str:
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


def hint(plan: Sequence[Step]) -> tuple[str, ...]:
    """Return the pair of panels that holds the portals at the first use of both, or ()."""
    open_now: dict[str, str] = {}
    for step in plan:
        if step.verb == "both":
            return step.args[1], step.args[2]
        if step.verb == "shoot":
            open_now[step.args[1]] = step.args[2]
            if len(open_now) == 2:
                return tuple(sorted(open_now.values()))
    return ()
