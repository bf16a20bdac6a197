"""Describe a chamber in prose, room by room, as MARBLE describes each of its maps.

The description lists what each room contains, what is between two rooms, and what drives what. It
refers to fixtures by kind and room, never by name or direction. So it stays the same when two names
of a kind are exchanged or the chamber is turned, and does not reveal mistakes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from facelet.generators.chamber.presentation.room_order import RoomOrder, order_rooms
from facelet.generators.chamber.world.chamber_records import Chamber, Fixture
from facelet.generators.chamber.world.device_registry import find_device

_SILENT = frozenset({"floor", "liquid", "start", "exit"})
"""Kinds that the list of a room omits, since other parts of the sentence name them."""
_LETTERS = "aeiou"
_EFFECTS = {"door": "is open", "turret": "watches nothing", "cover": "is drawn in"}
"""Phrases for kinds that are not described as "on"."""


def describe_chamber(chamber: Chamber) -> str:
    """Return a paragraph on each room, and one on what drives what."""
    known = order_rooms(chamber)
    lines = [_describe_room(chamber, known, number) for number in range(len(known.boxes))]
    between = sorted(
        sentence
        for pair in set(known.doorways.values())
        for sentence in _describe_between(chamber, pair)
    )
    driven = sorted(_describe_wiring(chamber, known))
    return "\n".join([*lines, *([" ".join(between)] if between else []), *driven])


def _describe_room(chamber: Chamber, known: RoomOrder, number: int) -> str:
    inside = [f for f in chamber.fixtures if f.cells and known.room_of(f.first_cell) == number]
    kinds = Counter(f.kind for f in inside if f.kind not in _SILENT)
    has = [f"{_count_noun(count, kind)}" for kind, count in sorted(kinds.items())]
    heights = sorted({f.first_cell[2] for f in inside if f.kind == "floor"})
    plural = "s" if len(heights) > 1 else ""
    ground = f"floor at height{plural} {_join_words(list(map(str, heights)))}" if heights else ""
    liquid = "liquid" if any(f.kind == "liquid" for f in inside) else ""
    marks = [f"the {f.kind}" for f in inside if f.kind in ("start", "exit")]
    parts = [part for part in (*sorted(marks, reverse=True), ground, liquid, *has) if part]
    return f"Room {number + 1} has {_join_words(parts or ['nothing'])}."


def _describe_between(chamber: Chamber, pair: Sequence[int]) -> Iterable[str]:
    """Yield a sentence on what is between two rooms."""
    known = order_rooms(chamber)
    there = [
        f.kind
        for f in chamber.fixtures
        if f.kind in ("door", "shield") and known.doorways.get(f.first_cell[:2]) == tuple(pair)
    ]
    things = Counter(there) or Counter({"open doorway": 1})
    names = [_count_noun(count, kind) for kind, count in sorted(things.items())]
    numbers = " and ".join(str(room + 1) for room in pair)
    verb = "are" if sum(things.values()) > 1 else "is"
    yield f"Between rooms {numbers} {verb} {_join_words(names)}."


def _describe_wiring(chamber: Chamber, known: RoomOrder) -> Iterable[str]:
    """Yield what drives each device, and the figures of devices."""
    by_name = {f.name: f for f in chamber.fixtures}
    given: dict[str, list[str]] = {}
    for fixture in chamber.fixtures:
        if find_device(fixture.kind).thing:
            for name in fixture.inputs:
                given.setdefault(name, []).append(fixture.kind)
    for fixture in chamber.fixtures:
        if find_device(fixture.kind).thing:
            continue
        sources = sorted(_locate_fixture(by_name[name], known) for name in fixture.inputs)
        verb = "are" if len(sources) > 1 else "is"
        here = _locate_fixture(fixture, known)
        here = here[:1].upper() + here[1:]
        if fixture.kind == "dispenser":
            things = _join_words(
                [_count_noun(1, kind) for kind in sorted(given.get(fixture.name, ()))]
            )
            yield (
                f"{here} drops {things or 'nothing'} when {_join_words(sources)} "
                f"{'go' if len(sources) > 1 else 'goes'} on."
            )
        elif fixture.kind == "beam" and fixture.numbers[0] == 1:
            back = (
                f", and backwards while {_join_words(sources)} {verb} on"
                if sources
                else " backwards"
            )
            yield f"{here} runs{back}."
        elif fixture.kind == "lift":
            yield (
                f"{here} stands {fixture.numbers[0]} high, and comes down while "
                f"{_join_words(sources)} "
                f"{verb} on."
            )
        elif sources:
            effect = _EFFECTS.get(fixture.kind, "is on")
            yield f"{here} {effect} while {_join_words(sources)} {verb} on."
        if fixture.kind == "switch":
            count = fixture.numbers[0]
            lasts = f"{count} step{'s'[: count > 1]}" if count else "good"
            yield f"{here} stays on for {lasts}."
        if fixture.kind == "piston":
            yield f"{here} rises {fixture.numbers[0]} high."
        if fixture.kind == "plate":
            far, high = fixture.numbers[:2]
            yield f"{here} throws {far} far and {high} high."


def _locate_fixture(fixture: Fixture, known: RoomOrder) -> str:
    """Return a fixture by its kind and its room."""
    noun = _count_noun(1, fixture.kind)
    if (room := known.room_of(fixture.first_cell)) is not None:
        return f"{noun} in room {room + 1}"
    pair = known.doorways.get(fixture.first_cell[:2], ())
    return f"{noun} between rooms {' and '.join(str(room + 1) for room in pair)}"


def _count_noun(count: int, kind: str) -> str:
    noun = kind if kind == "open doorway" else find_device(kind).noun
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


def _join_words(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + "".join(parts[-1:])
