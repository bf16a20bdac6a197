"""Telling: a chamber in free text, room by room, as MARBLE tells of each of its maps.

It says what each room holds, what lies between two, and what drives what: by kind and by room,
never by name, and by no direction. So an exchange of two names of a kind, or a turn of the
chamber, leaves it as it is, and it tells no mistake from the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from facelet.generators.chamber.showing.rooms import Rooms, rooms
from facelet.generators.chamber.world.chambers import Chamber, Fixture
from facelet.generators.chamber.world.kinds import device

_SILENT = frozenset({"floor", "liquid", "start", "exit"})
"""Kinds that a room's list leaves out: they are told otherwise."""
_LETTERS = "aeiou"


def told(chamber: Chamber) -> str:
    """Return a paragraph on each room, and one on what drives what."""
    known = rooms(chamber)
    lines = [_room(chamber, known, number) for number in range(len(known.boxes))]
    between = sorted(
        sentence for pair in set(known.doorways.values()) for sentence in _between(chamber, pair)
    )
    driven = sorted(_driven(chamber, known))
    return "\n".join([*lines, *([" ".join(between)] if between else []), *driven])


def _room(chamber: Chamber, known: Rooms, number: int) -> str:
    inside = [f for f in chamber.fixtures if f.cells and known.of(f.cell) == number]
    kinds = Counter(f.kind for f in inside if f.kind not in _SILENT)
    has = [f"{_many(count, kind)}" for kind, count in sorted(kinds.items())]
    heights = sorted({f.cell[2] for f in inside if f.kind == "floor"})
    plural = "s" if len(heights) > 1 else ""
    ground = f"floor at height{plural} {_listed(list(map(str, heights)))}" if heights else ""
    liquid = "liquid" if any(f.kind == "liquid" for f in inside) else ""
    marks = [f"the {f.kind}" for f in inside if f.kind in ("start", "exit")]
    parts = [part for part in (*sorted(marks, reverse=True), ground, liquid, *has) if part]
    return f"Room {number + 1} has {_listed(parts or ['nothing'])}."


def _between(chamber: Chamber, pair: Sequence[int]) -> Iterable[str]:
    """Yield what lies between two rooms."""
    known = rooms(chamber)
    there = [
        f.kind
        for f in chamber.fixtures
        if f.kind in ("door", "shield") and known.doorways.get(f.cell[:2]) == tuple(pair)
    ]
    things = Counter(there) or Counter({"open doorway": 1})
    names = [_many(count, kind) for kind, count in sorted(things.items())]
    numbers = " and ".join(str(room + 1) for room in pair)
    verb = "are" if sum(things.values()) > 1 else "is"
    yield f"Between rooms {numbers} {verb} {_listed(names)}."


def _driven(chamber: Chamber, known: Rooms) -> Iterable[str]:
    """Yield what drives each device, and the figures of devices."""
    by_name = {f.name: f for f in chamber.fixtures}
    given: dict[str, list[str]] = {}
    for fixture in chamber.fixtures:
        if device(fixture.kind).thing:
            for name in fixture.inputs:
                given.setdefault(name, []).append(fixture.kind)
    for fixture in chamber.fixtures:
        if device(fixture.kind).thing:
            continue
        sources = sorted(_where(by_name[name], known) for name in fixture.inputs)
        verb = "are" if len(sources) > 1 else "is"
        here = _capital(_where(fixture, known))
        if fixture.kind == "door" and sources:
            yield f"{here} is open while {_listed(sources)} {verb} on."
        elif fixture.kind == "dispenser":
            things = _listed([_many(1, kind) for kind in sorted(given.get(fixture.name, ()))])
            yield f"{here} drops {things or 'nothing'} when {_listed(sources)} {_goes(sources)} on."
        elif fixture.kind == "beam" and fixture.numbers[0] == 1:
            back = (
                f", and backwards while {_listed(sources)} {verb} on" if sources else " backwards"
            )
            yield f"{here} runs{back}."
        elif fixture.kind == "lift":
            yield (
                f"{here} stands {fixture.numbers[0]} high, and comes down while {_listed(sources)} "
                f"{verb} on."
            )
        elif fixture.kind == "turret" and sources:
            yield f"{here} watches nothing while {_listed(sources)} {verb} on."
        elif fixture.kind == "cover" and sources:
            yield f"{here} is drawn in while {_listed(sources)} {verb} on."
        elif sources:
            yield f"{here} is on while {_listed(sources)} {verb} on."
        if fixture.kind == "switch":
            count = fixture.numbers[0]
            lasts = f"{count} step{'s'[: count > 1]}" if count else "good"
            yield f"{here} stays on for {lasts}."
        if fixture.kind == "piston":
            yield f"{here} rises {fixture.numbers[0]} high."
        if fixture.kind == "plate":
            far, high = fixture.numbers[:2]
            yield f"{here} throws {far} far and {high} high."


def _where(fixture: Fixture, known: Rooms) -> str:
    """Return a fixture by its kind and its room."""
    noun = _many(1, fixture.kind)
    if (room := known.of(fixture.cell)) is not None:
        return f"{noun} in room {room + 1}"
    pair = known.doorways.get(fixture.cell[:2], ())
    return f"{noun} between rooms {' and '.join(str(room + 1) for room in pair)}"


def _many(count: int, kind: str) -> str:
    noun = kind if kind == "open doorway" else device(kind).noun
    if count > 1 and noun.endswith("gel"):
        return f"{count} patches of {noun}"
    if count > 1:
        plural = "" if noun.endswith("s") else "es" if noun.endswith("ch") else "s"
        return f"{count} {noun}{plural}"
    if noun.endswith("s"):
        return noun
    if noun.endswith("gel"):
        return f"a patch of {noun}"
    return f"a{'n' if noun[0] in _LETTERS else ''} {noun}"


def _goes(sources: Sequence[str]) -> str:
    return "go" if len(sources) > 1 else "goes"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + "".join(parts[-1:])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
