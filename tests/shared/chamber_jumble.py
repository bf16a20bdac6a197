"""Jumbled chambers: a cramped hall in which every kind of device stands anywhere, facing anyhow.

Chambers that are composed for players make sense, so much of what the rules allow never happens in
them: beams that cross, lasers through doors that they open themselves, things that hang in the air.
Here it happens all the time. A hall has ledges and pools, low ceilings and pillars, and a wall with
doorways across.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.world.chambers import NOWHERE, Chamber, Fixture, arranged
from facelet.generators.chamber.world.grid import DOWN, LEVEL, UP, Cell, opposite, step
from facelet.generators.chamber.world.kinds import device

SIZE = WIDE, DEEP, HIGH = 9, 7, 7
SOURCES = ("button", "switch", "receiver")
DRIVEN = ("door", "laser", "bridge", "beam", "lift", "stairs", "dispenser")


class Hall:
    """A hall that is being filled with fixtures."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw ground and ceiling."""
        self.rng = rng
        self.wall = int(rng.integers(3, WIDE - 3))
        self.floors, self.ceilings = [HIGH] * (WIDE * DEEP), [HIGH] * (WIDE * DEEP)
        inside = [(x, y) for y in range(1, DEEP - 1) for x in range(1, WIDE - 1)]
        level, roof = dict.fromkeys(inside, 1), dict.fromkeys(inside, HIGH - self.one((0, 2)))
        for heights in ((0, 0, 2), (2, 3, 4), (2, 3), (4, 5)):
            (x, y), (wide, deep), height = (
                self.one(inside),
                rng.integers(1, 4, 2),
                self.one(heights),
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
        x, y, _ = self.one(self.air())
        self.hub: Cell = (x, y, min(self.ground(x, y)[2] + self.one((0, 0, 0, 1, 2)), HIGH - 4))
        if self.hub not in self.air():
            self.hub = self.ground(x, y)

    def one(self, some):
        """Return one of some things."""
        return some[int(self.rng.integers(len(some)))]

    def ground(self, x: int, y: int) -> Cell:
        """Return the lowest free cell of a column."""
        return x, y, self.floors[x + WIDE * y]

    def open(self, x: int, y: int) -> bool:
        """Return whether a column has free cells."""
        return self.floors[x + WIDE * y] < self.ceilings[x + WIDE * y]

    def air(self) -> list[Cell]:
        """Return all free cells."""
        columns = ((x, y) for y in range(DEEP) for x in range(WIDE))
        return [
            (x, y, z)
            for x, y in columns
            for z in range(self.floors[x + WIDE * y], self.ceilings[x + WIDE * y])
        ]

    def faces(self) -> list[tuple[Cell, int]]:
        """Return all faces of rock."""
        air = set(self.air())
        return [(c, w) for c in sorted(air) for w in range(6) if step(c, w) not in air]

    def add(self, kind: str, cells=(), facing=NOWHERE, inputs=(), numbers=()) -> str:
        """Add a fixture, and return its name."""
        self.count[kind] += 1
        name = f"{device(kind).letter}{self.count[kind]}"
        self.fixtures.append(Fixture(kind, name, tuple(cells), facing, tuple(inputs), numbers))
        return name

    def run(self, cell: Cell, way: int) -> Cell:
        """Return the last free cell in a direction."""
        air = set(self.air())
        while step(cell, way) in air:
            cell = step(cell, way)
        return cell

    def ray(self, way: int) -> Cell:
        """Return where a ray begins: half of them come through the hub."""
        return self.one([self.run(self.hub, opposite(way)), self.one(self.air())])

    def own(self) -> Cell:
        """Return a piece of ground that nothing else has."""
        return self.spare.pop()

    def inputs(self) -> tuple[str, ...]:
        """Return what drives something: mostly one source."""
        sources = [f.name for f in self.fixtures if f.kind in SOURCES]
        return tuple(sorted({self.one(sources) for _ in range(self.one((0, 1, 1, 1, 2)))}))


def _doorways(hall: Hall) -> None:
    """Break doorways into the wall, each with something to pass by."""
    places = hall.rng.permutation(np.arange(1, DEEP - 1)).tolist()
    for y, kind in zip(places, ("door", hall.one(("door", "shield"))), strict=False):
        x = hall.wall
        beside = [hall.floors[c + WIDE * y] for c in (x - 1, x + 1) if hall.open(c, y)]
        level = max(beside, default=1)
        hall.floors[x + WIDE * y], hall.ceilings[x + WIDE * y] = level, level + 2
        hall.add(kind, ((x, y, level), (x, y, level + 1)))


def _pools(hall: Hall) -> None:
    columns = ((x, y) for y in range(1, DEEP - 1) for x in range(1, WIDE - 1))
    for x, y in columns:
        if x != hall.wall and hall.open(x, y):
            if hall.ground(x, y)[2] == 0 and hall.rng.integers(3):
                hall.add("liquid", (hall.ground(x, y),))
            else:
                hall.spare.append(hall.ground(x, y))
    hall.spare = [hall.spare[k] for k in hall.rng.permutation(len(hall.spare))]


def _sources(hall: Hall) -> None:
    for _ in range(hall.one((1, 2, 3))):
        hall.add("button", (hall.own(),))
    for _ in range(hall.one((1, 1, 2))):
        hall.add("switch", (hall.own(),), numbers=(hall.one((1, 2, 3)),))
    for _ in range(hall.one((1, 2, 3))):
        way = hall.one(LEVEL)
        hall.add("receiver", (hall.run(hall.one((hall.hub, hall.one(hall.air()))), way),), way)


def _panels(hall: Hall) -> None:
    pool = {f.cell for f in hall.fixtures if device(f.kind).special(f)}
    faces = [
        (cell, way)
        for cell, way in hall.faces()
        if cell[0] != hall.wall and not (way == DOWN and cell in pool)
    ]
    floors = [face for face in faces if face[1] not in LEVEL]
    chosen = {hall.one(faces) for _ in range(4)} | {hall.one(floors) for _ in range(3)}
    for cell, way in sorted(chosen):
        hall.add("panel", (cell,), way)
        if cell in hall.spare:
            hall.spare.remove(cell)


def _driven(hall: Hall) -> None:
    """Give doors their inputs, and put devices with rays and the like anywhere."""
    hall.fixtures = [
        Fixture(f.kind, f.name, f.cells, f.facing, hall.inputs() or ("B1",), f.numbers)
        if f.kind == "door"
        else f
        for f in hall.fixtures
    ]
    for receiver in [f for f in hall.fixtures if f.kind == "receiver"]:
        if hall.rng.integers(2):
            begin = hall.run(receiver.cell, opposite(receiver.facing))
            hall.add("laser", (begin,), receiver.facing, hall.inputs())
    for kind in ("laser", "bridge", "beam", "beam", "beam"):
        if hall.rng.integers(3):
            way = hall.one(range(6 if kind == "beam" else 4))
            numbers = (int(hall.rng.integers(2)),) if kind == "beam" else ()
            hall.add(kind, (hall.ray(way),), way, hall.inputs(), numbers)
    for _ in range(hall.one((1, 3, 5))):
        numbers = (hall.one((1, 2, 3, 4, 5)), hall.one((1, 2, 3, 4)))
        hall.add("plate", (hall.own(),), hall.one(LEVEL), numbers=numbers)
    if hall.rng.integers(2):
        hall.add(
            "lift", (hall.own(),), inputs=hall.inputs() or ("S1",), numbers=(hall.one((1, 2)),)
        )
    if hall.rng.integers(2):
        cell = hall.own()
        beside = [c for c in (step(cell, way) for way in LEVEL) if c in hall.spare]
        for other in beside[:1]:
            hall.spare.remove(other)
        hall.add("stairs", (cell, *beside[:1]), inputs=hall.inputs() or ("S1",))
    if hall.rng.integers(2):
        where = hall.one((hall.run(hall.hub, UP), hall.one(hall.air())))
        giver = hall.add("dispenser", (where,), inputs=hall.inputs() or ("S1",))
        for _ in range(hall.one((1, 1, 2))):
            hall.add(hall.one(("cube", "mirror")), inputs=(giver,))


def _things(hall: Hall) -> None:
    # The exit is far away, so that a search sees much before it finds it.
    hall.spare.sort(key=lambda cell: cell[0])
    for kind, place in (("start", 0), ("exit", -1)):
        hall.add(kind, (hall.spare.pop(place),))
    hall.add("spot", (hall.ground(*hall.hub[:2]),))
    hall.add("spot", (hall.own(),))
    lit = [f.cell for f in hall.fixtures if f.kind in ("laser", "receiver")]
    hall.add("mirror", (hall.one((*lit, hall.one(hall.air()))),), hall.one(LEVEL))
    hall.add("cube", (hall.one((hall.hub, *lit, hall.one(hall.air()))),))


def _rare(hall: Hall) -> None:
    """Put gel, pistons and turrets onto what ground is left, in rows as long as there is room."""
    for kind in ("turret", "spring", "spring", "runway", "runway", "piston", "turret"):
        if not hall.spare:
            return
        way, row = hall.one(LEVEL), [hall.own()]
        while kind != "spring" and len(row) < 4 and step(row[-1], way) in hall.spare:
            row.append(step(row[-1], way))
            hall.spare.remove(row[-1])
        faces = kind in ("turret", "runway")
        inputs = hall.inputs() if kind == "turret" else ("S1",) if kind == "piston" else ()
        numbers = (hall.one((1, 2)),) if kind == "piston" else ()
        hall.add(kind, row, way if faces else NOWHERE, inputs, numbers)
        if hall.rng.integers(2):
            _cover(hall)
        # Something to fall onto it from.
        above = hall.run(row[0], UP)
        overhead = {f.cell for f in hall.fixtures if f.kind == "panel" and f.facing == UP}
        if hall.rng.integers(2) and above not in overhead:
            hall.add("panel", (above,), UP)


def _cover(hall: Hall) -> None:
    """Put a cover before a panel in a wall, or before a piece of bare wall, above the ground."""
    panels = [(f.cell, f.facing) for f in hall.fixtures if f.kind == "panel"]
    high = [(c, w) for c, w in hall.faces() if w in LEVEL and c[2] > hall.ground(*c[:2])[2]]
    cell, way = hall.one([face for face in high if face in panels] or high)
    hall.add("cover", (cell,), way, ("S1",))


def jumbled(rng: np.random.Generator, *, rare: bool = False) -> Chamber | None:
    """Return a chamber, or None where one was drawn that fits nowhere.

    Args:
        rng: its randomness.
        rare: whether it has gel, pistons, turrets and covers as well.
    """
    hall = Hall(rng)
    _doorways(hall)
    _pools(hall)
    try:
        for part in (_sources, _panels, _driven, _things, *((_rare,) if rare else ())):
            part(hall)
        return _named(hall)
    # Ground ran out, or two things share a cell that may have one.
    except (IndexError, ValueError):
        return None


def _named(hall: Hall) -> Chamber:
    """Return the chamber with a name on each piece of floor."""
    sizes = SIZE, tuple(hall.floors), tuple(hall.ceilings), ((1, 1, WIDE - 1, DEEP - 1),)
    chart = Chart(Chamber(*sizes, arranged(hall.fixtures)), finished=False)
    for area in chart.areas:
        hall.add("floor", (chart.place(area[0]),))
    chamber = Chamber(*sizes, arranged(hall.fixtures))
    Rules(Chart(chamber))
    return chamber


def jumbles(count: int, *seed: int, rare: bool = False) -> Iterator[Chamber]:
    """Yield so many jumbled chambers."""
    found = number = 0
    while found < count:
        number += 1
        chamber = jumbled(np.random.default_rng([*seed, number]), rare=rare)
        if chamber is not None:
            found += 1
            yield chamber


def anywhere(rules: Rules, rng: np.random.Generator) -> State:
    """Return a state of a chamber in which everything is just anywhere, and which can be survived.

    Much hangs above plates and panels in the ground, so that it flies as soon as it falls.
    """
    while True:
        state = _anywhere(rules, rng)
        try:
            rules.passed(state)
        except Refused:
            continue
        return state


def _anywhere(rules: Rules, rng: np.random.Generator) -> State:
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
    lasting = [chart.devices[i].lasts(chart.fixtures[i]) for i in chart.switches]
    return State(
        player=rules.home(stands[int(rng.integers(len(stands)))]),
        things=tuple(things),
        facings=tuple(
            int(rng.integers(4)) if chart.devices[i].turns else NOWHERE for i in chart.things
        ),
        portals=some[int(rng.integers(len(some)))],
        timers=tuple(int(rng.integers(most + 1)) for most in lasting),
        given=int(rng.integers(1 << len(chart.givers))),
    )
