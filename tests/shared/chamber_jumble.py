"""Jumbled chambers: a cramped hall in which every kind of device stands anywhere, facing anyhow.

Chambers that are composed for players make sense, so much of what the rules allow never happens in
them: beams that cross, lasers through doors that they open themselves, things that hang in the air.
Here it happens all the time. A hall has ledges and pools, low ceilings and pillars, and a wall with
doorways across.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules
from facelet.generators.chamber.world.chamber_records import (
    DOWN,
    LEVEL,
    NOWHERE,
    UP,
    Cell,
    Chamber,
    Fixture,
    opposite_direction,
    sort_fixtures,
    step_cell,
)
from facelet.generators.chamber.world.device_registry import find_device

SIZE = WIDE, DEEP, HIGH = 9, 7, 7
SOURCES = ("button", "switch", "receiver")
DRIVEN = ("door", "laser", "bridge", "beam", "lift", "stairs", "dispenser")


class JumbleHall:
    """A hall that is being filled with fixtures."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw ground and ceiling."""
        self.rng = rng
        self.wall = int(rng.integers(3, WIDE - 3))
        self.floors, self.ceilings = [HIGH] * (WIDE * DEEP), [HIGH] * (WIDE * DEEP)
        inside = [(x, y) for y in range(1, DEEP - 1) for x in range(1, WIDE - 1)]
        level, roof = dict.fromkeys(inside, 1), dict.fromkeys(inside, HIGH - self.pick_one((0, 2)))
        for heights in ((0, 0, 2), (2, 3, 4), (2, 3), (4, 5)):
            (x, y), (wide, deep), height = (
                self.pick_one(inside),
                rng.integers(1, 4, 2),
                self.pick_one(heights),
            )
            for column in inside:
                if x <= column[0] < x + wide and y <= column[1] < y + deep:
                    (roof if height == 5 else level)[column] = height
        for x, y in inside:
            if x != self.wall and rng.integers(14) and level[x, y] < roof[x, y]:
                self.floors[x + WIDE * y], self.ceilings[x + WIDE * y] = level[x, y], roof[x, y]
        self.fixtures: list[Fixture] = []
        self.count: Counter[str] = Counter()
        self.spare: list[Cell] = []
        x, y, _ = self.pick_one(self.free_cells())
        self.hub: Cell = (
            x,
            y,
            min(self.lowest_cell(x, y)[2] + self.pick_one((0, 0, 0, 1, 2)), HIGH - 4),
        )
        if self.hub not in self.free_cells():
            self.hub = self.lowest_cell(x, y)

    def pick_one(self, some):
        """Return one of some things."""
        return some[int(self.rng.integers(len(some)))]

    def lowest_cell(self, x: int, y: int) -> Cell:
        """Return the lowest free cell of a column."""
        return x, y, self.floors[x + WIDE * y]

    def has_space(self, x: int, y: int) -> bool:
        """Return whether a column has free cells."""
        return self.floors[x + WIDE * y] < self.ceilings[x + WIDE * y]

    def free_cells(self) -> list[Cell]:
        """Return all free cells."""
        columns = ((x, y) for y in range(DEEP) for x in range(WIDE))
        return [
            (x, y, z)
            for x, y in columns
            for z in range(self.floors[x + WIDE * y], self.ceilings[x + WIDE * y])
        ]

    def rock_faces(self) -> list[tuple[Cell, int]]:
        """Return all faces of rock."""
        air = set(self.free_cells())
        return [(c, w) for c in sorted(air) for w in range(6) if step_cell(c, w) not in air]

    def add_fixture(self, kind: str, cells=(), facing=NOWHERE, inputs=(), numbers=()) -> str:
        """Add a fixture, and return its name."""
        self.count[kind] += 1
        name = f"{find_device(kind).letter}{self.count[kind]}"
        self.fixtures.append(Fixture(kind, name, tuple(cells), facing, tuple(inputs), numbers))
        return name

    def last_free_cell(self, cell: Cell, way: int) -> Cell:
        """Return the last free cell in a direction."""
        air = set(self.free_cells())
        while step_cell(cell, way) in air:
            cell = step_cell(cell, way)
        return cell

    def ray_start(self, way: int) -> Cell:
        """Return where a ray begins: half of them come through the hub."""
        return self.pick_one(
            [
                self.last_free_cell(self.hub, opposite_direction(way)),
                self.pick_one(self.free_cells()),
            ]
        )

    def take_spare(self) -> Cell:
        """Return a piece of ground that nothing else has."""
        return self.spare.pop()

    def draw_inputs(self) -> tuple[str, ...]:
        """Return what drives something: mostly one source."""
        sources = [f.name for f in self.fixtures if f.kind in SOURCES]
        return tuple(
            sorted({self.pick_one(sources) for _ in range(self.pick_one((0, 1, 1, 1, 2)))})
        )


def _add_doorways(hall: JumbleHall) -> None:
    """Break doorways into the wall, each with something to pass by."""
    places = hall.rng.permutation(np.arange(1, DEEP - 1)).tolist()
    for y, kind in zip(places, ("door", hall.pick_one(("door", "shield"))), strict=False):
        x = hall.wall
        beside = [hall.floors[c + WIDE * y] for c in (x - 1, x + 1) if hall.has_space(c, y)]
        level = max(beside, default=1)
        hall.floors[x + WIDE * y], hall.ceilings[x + WIDE * y] = level, level + 2
        hall.add_fixture(kind, ((x, y, level), (x, y, level + 1)))


def _add_pools(hall: JumbleHall) -> None:
    columns = ((x, y) for y in range(1, DEEP - 1) for x in range(1, WIDE - 1))
    for x, y in columns:
        if x != hall.wall and hall.has_space(x, y):
            if hall.lowest_cell(x, y)[2] == 0 and hall.rng.integers(3):
                hall.add_fixture("liquid", (hall.lowest_cell(x, y),))
            else:
                hall.spare.append(hall.lowest_cell(x, y))
    hall.spare = [hall.spare[k] for k in hall.rng.permutation(len(hall.spare))]


def _add_sources(hall: JumbleHall) -> None:
    for _ in range(hall.pick_one((1, 2, 3))):
        hall.add_fixture("button", (hall.take_spare(),))
    for _ in range(hall.pick_one((1, 1, 2))):
        hall.add_fixture("switch", (hall.take_spare(),), numbers=(hall.pick_one((1, 2, 3)),))
    for _ in range(hall.pick_one((1, 2, 3))):
        way = hall.pick_one(LEVEL)
        hall.add_fixture(
            "receiver",
            (
                hall.last_free_cell(
                    hall.pick_one((hall.hub, hall.pick_one(hall.free_cells()))), way
                ),
            ),
            way,
        )


def _add_panels(hall: JumbleHall) -> None:
    pool = {f.first_cell for f in hall.fixtures if find_device(f.kind).is_special(f)}
    faces = [
        (cell, way)
        for cell, way in hall.rock_faces()
        if cell[0] != hall.wall and not (way == DOWN and cell in pool)
    ]
    floors = [face for face in faces if face[1] not in LEVEL]
    chosen = {hall.pick_one(faces) for _ in range(4)} | {hall.pick_one(floors) for _ in range(3)}
    for cell, way in sorted(chosen):
        hall.add_fixture("panel", (cell,), way)
        if cell in hall.spare:
            hall.spare.remove(cell)


def _add_driven(hall: JumbleHall) -> None:
    """Give doors their inputs, and put devices with rays and the like anywhere."""
    hall.fixtures = [
        Fixture(f.kind, f.name, f.cells, f.facing, hall.draw_inputs() or ("B1",), f.numbers)
        if f.kind == "door"
        else f
        for f in hall.fixtures
    ]
    for receiver in [f for f in hall.fixtures if f.kind == "receiver"]:
        if hall.rng.integers(2):
            begin = hall.last_free_cell(receiver.first_cell, opposite_direction(receiver.facing))
            hall.add_fixture("laser", (begin,), receiver.facing, hall.draw_inputs())
    for kind in ("laser", "bridge", "beam", "beam", "beam"):
        if hall.rng.integers(3):
            way = hall.pick_one(range(6 if kind == "beam" else 4))
            numbers = (int(hall.rng.integers(2)),) if kind == "beam" else ()
            hall.add_fixture(kind, (hall.ray_start(way),), way, hall.draw_inputs(), numbers)
    for _ in range(hall.pick_one((1, 3, 5))):
        numbers = (hall.pick_one((1, 2, 3, 4, 5)), hall.pick_one((1, 2, 3, 4)))
        hall.add_fixture("plate", (hall.take_spare(),), hall.pick_one(LEVEL), numbers=numbers)
    if hall.rng.integers(2):
        hall.add_fixture(
            "lift",
            (hall.take_spare(),),
            inputs=hall.draw_inputs() or ("S1",),
            numbers=(hall.pick_one((1, 2)),),
        )
    if hall.rng.integers(2):
        cell = hall.take_spare()
        beside = [c for c in (step_cell(cell, way) for way in LEVEL) if c in hall.spare]
        for other in beside[:1]:
            hall.spare.remove(other)
        hall.add_fixture("stairs", (cell, *beside[:1]), inputs=hall.draw_inputs() or ("S1",))
    if hall.rng.integers(2):
        where = hall.pick_one((hall.last_free_cell(hall.hub, UP), hall.pick_one(hall.free_cells())))
        giver = hall.add_fixture("dispenser", (where,), inputs=hall.draw_inputs() or ("S1",))
        for _ in range(hall.pick_one((1, 1, 2))):
            hall.add_fixture(hall.pick_one(("cube", "mirror")), inputs=(giver,))


def _add_things(hall: JumbleHall) -> None:
    # The exit is far away, so that a search sees much before it finds it.
    hall.spare.sort(key=lambda cell: cell[0])
    for kind, place in (("start", 0), ("exit", -1)):
        hall.add_fixture(kind, (hall.spare.pop(place),))
    hall.add_fixture("spot", (hall.lowest_cell(*hall.hub[:2]),))
    hall.add_fixture("spot", (hall.take_spare(),))
    lit = [f.first_cell for f in hall.fixtures if f.kind in ("laser", "receiver")]
    hall.add_fixture(
        "mirror", (hall.pick_one((*lit, hall.pick_one(hall.free_cells()))),), hall.pick_one(LEVEL)
    )
    hall.add_fixture("cube", (hall.pick_one((hall.hub, *lit, hall.pick_one(hall.free_cells()))),))


def _add_rare(hall: JumbleHall) -> None:
    """Put gel, pistons and turrets onto what ground is left, in rows as long as there is room."""
    for kind in ("turret", "spring", "spring", "runway", "runway", "piston", "turret"):
        if not hall.spare:
            return
        way, row = hall.pick_one(LEVEL), [hall.take_spare()]
        while kind != "spring" and len(row) < 4 and step_cell(row[-1], way) in hall.spare:
            row.append(step_cell(row[-1], way))
            hall.spare.remove(row[-1])
        faces = kind in ("turret", "runway")
        inputs = hall.draw_inputs() if kind == "turret" else ("S1",) if kind == "piston" else ()
        numbers = (hall.pick_one((1, 2)),) if kind == "piston" else ()
        hall.add_fixture(kind, row, way if faces else NOWHERE, inputs, numbers)
        if hall.rng.integers(2):
            _add_cover(hall)
        # Something to fall onto it from.
        above = hall.last_free_cell(row[0], UP)
        overhead = {f.first_cell for f in hall.fixtures if f.kind == "panel" and f.facing == UP}
        if hall.rng.integers(2) and above not in overhead:
            hall.add_fixture("panel", (above,), UP)


def _add_cover(hall: JumbleHall) -> None:
    """Put a cover before a panel in a wall, or before a piece of bare wall, above the ground."""
    panels = [(f.first_cell, f.facing) for f in hall.fixtures if f.kind == "panel"]
    high = [
        (c, w) for c, w in hall.rock_faces() if w in LEVEL and c[2] > hall.lowest_cell(*c[:2])[2]
    ]
    cell, way = hall.pick_one([face for face in high if face in panels] or high)
    hall.add_fixture("cover", (cell,), way, ("S1",))


def draw_jumble(rng: np.random.Generator, *, rare: bool = False) -> Chamber | None:
    """Return a chamber, or None where one was drawn that fits nowhere.

    Args:
        rng: its randomness.
        rare: whether it has gel, pistons, turrets and covers as well.
    """
    hall = JumbleHall(rng)
    _add_doorways(hall)
    _add_pools(hall)
    try:
        for part in (
            _add_sources,
            _add_panels,
            _add_driven,
            _add_things,
            *((_add_rare,) if rare else ()),
        ):
            part(hall)
        return _name_floors(hall)
    # Ground ran out, or two things share a cell that may have one.
    except (IndexError, ValueError):
        return None


def _name_floors(hall: JumbleHall) -> Chamber:
    """Return the chamber with a name on each piece of floor."""
    sizes = SIZE, tuple(hall.floors), tuple(hall.ceilings), ((1, 1, WIDE - 1, DEEP - 1),)
    chart = StaticTables(Chamber(*sizes, sort_fixtures(hall.fixtures)), finished=False)
    for area in chart.areas:
        hall.add_fixture("floor", (chart.number_to_cell(area[0]),))
    chamber = Chamber(*sizes, sort_fixtures(hall.fixtures))
    StepRules(StaticTables(chamber))
    return chamber


def iterate_jumbles(count: int, *seed: int, rare: bool = False) -> Iterator[Chamber]:
    """Yield so many jumbled chambers."""
    found = number = 0
    while found < count:
        number += 1
        chamber = draw_jumble(np.random.default_rng([*seed, number]), rare=rare)
        if chamber is not None:
            found += 1
            yield chamber


def draw_survivable_state(rules: StepRules, rng: np.random.Generator) -> State:
    """Return a state of a chamber in which everything is just anywhere, and which can be survived.

    Much hangs above plates and panels in the ground, so that it flies as soon as it falls.
    """
    while True:
        state = _draw_any_state(rules, rng)
        try:
            rules.pass_time(state)
        except StepRefused:
            continue
        return state


def _draw_any_state(rules: StepRules, rng: np.random.Generator) -> State:
    chart = rules.chart
    air = [cell for cell, free in enumerate(chart.free) if free]
    over = {cell % chart.layer for cell in chart.special}
    places = [air[k] for k in rng.permutation(len(air))]
    places.sort(key=lambda cell: cell % chart.layer in over and rng.integers(3) > 0)
    things = [places.pop() if rng.integers(4) else AWAY for _ in chart.things]
    if rng.integers(2):
        things[int(rng.integers(len(things)))] = CARRIED
    stands = (*chart.anchor, *places[-len(chart.anchor) :])
    panels = rng.permutation(len(chart.panels)).tolist()
    panels.sort(key=lambda panel: chart.face[panel][1] != DOWN or rng.integers(3) == 0)
    pair = panels[0], panels[int(rng.integers(1, len(panels)))]
    some = ((UNSET, UNSET), (panels[0], UNSET), *3 * (pair, pair[::-1]))
    lasting = [chart.devices[i].active_steps(chart.fixtures[i]) for i in chart.switches]
    return State(
        player=rules.anchor_cell(stands[int(rng.integers(len(stands)))]),
        things=tuple(things),
        facings=tuple(
            int(rng.integers(4)) if chart.devices[i].turns else NOWHERE for i in chart.things
        ),
        portals=some[int(rng.integers(len(some)))],
        timers=tuple(int(rng.integers(most + 1)) for most in lasting),
        given=int(rng.integers(1 << len(chart.givers))),
    )
