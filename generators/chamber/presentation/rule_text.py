"""Write the rules of chambers and the description of one chamber for prompts.

A description contains the rules, the number of fixtures of each kind, and the contents of the rooms
in prose, room by room, as MARBLE describes each of its maps: what each room contains, what is
between two rooms, and what drives what. It refers to fixtures by kind and room, never by name or
direction.

So a description contains nothing that changes when two names of a kind are exchanged or the chamber
is turned: only the pictures (or the text form) show which of several fixtures is where and what
drives what. A description never distinguishes a mistake from the right step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from facelet.generators.chamber.plans.step_sentences import format_sentence
from facelet.generators.chamber.presentation.room_order import RoomOrder, order_rooms
from facelet.generators.chamber.world.chamber_records import Chamber, Fixture, Step, parse_chamber
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


SYSTEM = (
    "You examine test chambers: rooms with doors, devices and portals, and plans that lead from "
    "the start to the exit."
)

RULES = """\
Space. A chamber is made of cells; x runs east, y north, z (the height) up. A floor (F) is a \
piece of ground on which one walks freely, climbing or descending at most one cell; each has a \
name. Walking costs nothing: a step may begin with a walk to wherever it takes place. Whoever is \
on a floor stands in whichever of its cells helps.
Portals. Panels (P) take portals, nothing else does. There is a blue and an orange portal; a new \
one takes the place of the old one of its colour, and a panel takes one portal. To shoot one, \
hands must be free, and the panel must be seen in a straight line from some cell of the floor \
that is named (or from the button or lift that the player stands on); closed doors and shields \
block shots. The line runs from the middle of the cell that the feet are in, the lower one of the \
player's two, to the middle of the panel, in front of it; it may graze edges and corners. So it \
starts half a cell above the ground, one cell below the player's eye. When \
both portals are open, what goes into one comes out of the other, rays included. Two portals at \
the height of a floor can be walked through. Speed is kept: whatever has fallen v cells leaves a \
portal in a wall in an arc that has dropped d*d/(4*v) cells, rounded down, after d cells; with no \
speed it drops straight down. An arc ends in the first column in which it would be below the \
ground. Out of a ceiling it falls on; out of a floor it rises up to v cells, and the player then \
steps onto the highest floor in reach.
Things. The player carries one thing at a time. A weighted cube (C) or mirror cube (M) holds \
buttons down. A cube ends a laser, a mirror cube sends it on the way that it faces. No two things \
lie in one cell, but the player may stand where one lies.
Devices. What is driven by others is on while all of these are. A button (B) is on while a thing \
or the player is on it; who walks off it lets it go before walking on. A switch (S) is on for its \
number of steps after it was pressed, the step of pressing not counted, or, where it says so, for \
good. A receiver (R) is on \
while a laser (L) ends on it. A door (D) is open while it is on. A shield (H) lets the player \
through with empty hands, and rays, but no thing and no shot. A light bridge (G) is a deck to \
walk on along its line. A carrying beam (T) takes what is in it to its end and holds it there; a \
player walks on from there as from a floor. A player who stands on a floor is taken only by \
entering it, not when it goes on or reverses, not even at its end. A player whom it holds where \
there is no floor, and a thing anywhere in it, goes to its other end when it reverses. A \
launch plate (J) throws what comes onto it the way that it faces: level again after its distance, \
its height up in the middle. A lift (E) is raised unless it is on. Stairs (K) rise while they are \
on. A dispenser (N) drops its thing whenever it goes on; the old one is gone. Liquid (W) kills \
the player and swallows things. A spot (Q) is a place to put a thing at.
Time. A step is done, everything falls or is carried until it is at rest, then switches count \
down by one. One may jump from a floor to a lower one beside it, and so too onto a button, a lift \
or a launch plate, or into a portal in the ground: into that one from the highest floor beside it \
that can be walked to, onto the others from the nearest in height. Nobody comes to rest in a \
doorway or on stairs. A step cannot be done if something would move for ever, or if it could \
begin or end on either of two floors and does not say on which. A plan fails if one of its steps \
cannot be done or the player does not survive it. It succeeds when the player walks out through \
the exit."""

MORE = {
    "cover": """\
A moving panel (I) slides out of the wall that it faces and closes the cell before it, to shots \
and rays too, unless it is on; what is in that cell then is lifted on top, and what comes down on \
it stays there until it is drawn in. It takes no portals.""",
    "piston": """\
A piston (V) is a row of floor squares that all rise by its height (its number, in writing) while \
it is on, with what lies there; off they are floor. One may walk over them either way, but nobody \
comes to rest there.""",
    "runway": """\
Speed gel (Y) lies in a row. Whoever steps onto its first square, and whatever comes down on any \
of its squares, runs to its last square, the way that it faces, and leaves that as if out of a \
portal in a wall, with v twice the number of squares that were run over, the first and the last \
counted. Nobody walks over it otherwise.""",
    "spring": """\
Bouncing gel (Z) is a square onto which one jumps from the highest floor beside it that can be \
walked to. A player that has fallen v cells onto it rises up to v cells again and steps onto the \
highest floor in reach, but never onto the floor from which the step began; where none is in reach \
it cannot be done, and nothing can be put there. Nobody walks over it.""",
    "turret": """\
A turret (U) watches a row of floor squares, its own first, up to the first square that is closed \
or that a thing lies in; that one and those behind it are not watched. Nobody walks over a square \
that is watched, and nobody comes to rest in its row, watched or not; what flies over it or falls \
through it is not harmed. A thing can be put onto a turret, into its own square. A turret that is \
driven by others watches nothing while all of these are on.""",
}
"""Rules of devices that few chambers have, by kind."""

_PLAN = """\
a plan from above with all names, the heights of panels behind "@" ("@c" for one in the ceiling), \
and a table of what drives what"""
_ROOMS = "each room at an angle from two sides"
_SIGHTS = """\
each room in perspective, as somebody sees it who stands there, with an eye at one cell and a half \
above the floor, one cell higher than shots start, so that some panels that a view shows cannot be \
shot from there, and others can that it hides"""
_TABLE = "a table of what drives what"
_BEGIN = "The pictures show the chamber at the beginning: "
PICTURES = {
    "visual": f"{_BEGIN}first {_PLAN}; then {_ROOMS}.",
    "rooms": f"{_BEGIN}first {_TABLE}; then {_ROOMS}. A door has its name in both of its rooms.",
    "first_person": f"{_BEGIN}first {_TABLE}; then {_SIGHTS}. No view shows all of a room.",
    "all": f"{_BEGIN}first {_PLAN}; then {_ROOMS}; then {_SIGHTS}.",
}
"""What pictures there are, by setting."""
HINT = "The dashed line in the plan joins two panels that are worth a look."

WRITTEN = """\
The chamber in writing. "floors" and "ceilings" give for every column the lowest free cell and \
the first one above the free ones (base 36), rows from south to north separated by "/", columns \
from west to east; in a column of rock both are equal. Every further line is a fixture: kind, \
name, its cells as x,y,z separated by ";", the way it faces (panels and receivers: the face of \
the cell that they are on), what drives it, its numbers. Numbers: steps of a switch, 0 for one \
that stays on for good; distance and height of a launch plate; height of a lift; 1 for a carrying \
beam that always runs, and backwards while it is on, 0 for one that runs while it is on."""


def rules_text(chamber: Chamber) -> str:
    """Return the rules, with those of the devices of MORE that a chamber has."""
    more = [words for kind, words in MORE.items() if chamber.fixtures_of(kind)]
    return f"{RULES}\nMore devices. {' '.join(more)}" if more else RULES


def inventory_text(chamber: Chamber) -> str:
    """Return how many fixtures there are of each named kind."""
    count = Counter(fixture.kind for fixture in chamber.fixtures)
    parts = []
    for kind in sorted(count):
        about = find_device(kind)
        if kind not in ("start", "exit", "liquid"):
            last = f" to {about.letter}{count[kind]}" if count[kind] > 1 else ""
            parts.append(f"{about.noun} {about.letter}1{last}")
    rooms = len(chamber.rooms)
    return f"This chamber has {rooms} room{'s' if rooms > 1 else ''}; {'; '.join(parts)}."


@lru_cache(maxsize=64)
def describe_rules(text: str, setting: str) -> str:
    """Return rules and description of a chamber.

    Args:
        text: the chamber's text form.
        setting: one of PICTURES, "described" (neither pictures nor places) or "symbolic" (its text
            form stands in the description).
    """
    chamber = parse_chamber(text)
    parts = [rules_text(chamber), f"{inventory_text(chamber)}\n{describe_chamber(chamber)}"]
    if setting in PICTURES:
        parts.append(PICTURES[setting])
    if setting == "symbolic":
        parts.append(f"{WRITTEN}\n\n{text}")
    return "\n\n".join(parts)


def number_lines(lines: list[str]) -> str:
    """Return lines as numbered steps."""
    return "\n".join(f"Step {number}: {line}" for number, line in enumerate(lines, 1))


def plan_sentences(steps: tuple[Step, ...], forms: tuple[int, ...]) -> list[str]:
    """Return steps as sentences, each in its form."""
    return [format_sentence(step, form) for step, form in zip(steps, forms, strict=True)]
