"""Maneuvers in Singmaster notation, and the conventions of facelet strings.

A maneuver is a tuple of move names. There are 54: the faces U R F D L B, the same two layers wide u
r f d l b, the slices M E S and the whole cube x y z, each as a quarter turn, a half turn (2) and an
inverse quarter turn ('). Maneuvers are parsed, formatted, inverted, simplified and measured here.

Lengths are counted in one of two metrics. In "htm" (half turn metric) every turn of a face is one
move; in "qtm" (quarter turn metric) a half turn is two.

Of a facelet string only the letters are checked; `cubies.check_legality` checks whether a state can
be reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal

Maneuver = tuple[str, ...]

Metric = Literal["htm", "qtm"]

COST: dict[Metric, tuple[int, int, int]] = {"htm": (1, 1, 1), "qtm": (1, 2, 1)}
"""Length of a quarter turn, a half turn and a counter-clockwise quarter turn of a face."""

DIAMETER: dict[Metric, int] = {"htm": 20, "qtm": 26}
"""The greatest distance there is (Rokicki, Kociemba, Davidson, Dethridge 2010 and 2014)."""

SUFFIXES = ("", "2", "'")
"""Suffixes of one, two and three clockwise quarter turns."""


def _move_names(letters: str) -> tuple[str, ...]:
    return tuple(letter + suffix for letter in letters for suffix in SUFFIXES)


FACE_MOVES = _move_names("URFDLB")
WIDE_MOVES = _move_names("urfdlb")
SLICE_MOVES = _move_names("MES")
ROTATIONS = _move_names("xyz")
ALL_MOVES = FACE_MOVES + WIDE_MOVES + SLICE_MOVES + ROTATIONS

UNIT_MOVES: dict[Metric, Maneuver] = {
    metric: tuple(move for index, move in enumerate(FACE_MOVES) if cost[index % 3] == 1)
    for metric, cost in COST.items()
}
"""The face moves of length one, in the order of FACE_MOVES: 18 (htm) and 12 (qtm)."""

MAX_MOVES = 10_000
"""The longest maneuver that `parse_maneuver` accepts, repetitions written out."""

MAX_NESTING = 32
"""The deepest nesting of parentheses that `parse_maneuver` accepts."""

MAX_TEXT = 100_000
"""The longest text that `parse_maneuver` accepts, in characters."""


@dataclass(frozen=True, slots=True)
class TurnedLayers:
    """What a letter turns: layers along an axis, clockwise as seen from the face `like`.

    Attributes:
        like: the face whose turning sense it shares.
        depths: layers that move, by their coordinate along that face's outward normal: 1 is the
            face's own layer, 0 the middle, -1 the opposite face's.
    """

    like: str
    depths: frozenset[int]


LAYERS: dict[str, TurnedLayers] = (
    {face: TurnedLayers(face, frozenset({1})) for face in "URFDLB"}
    | {face.lower(): TurnedLayers(face, frozenset({0, 1})) for face in "URFDLB"}
    | {
        slice_: TurnedLayers(face, frozenset({0}))
        for slice_, face in zip("MES", "LDF", strict=True)
    }
    | {
        turn: TurnedLayers(face, frozenset({-1, 0, 1}))
        for turn, face in zip("xyz", "RUF", strict=True)
    }
)

_KNOWN = frozenset(ALL_MOVES)
_PRIMES = "'`\u2019\u2018\u00b4\u2032"
"""Apostrophe, backtick, right and left single quotation mark, acute accent, prime."""
_COUNTS = "123\u00b2"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
       | (?P<letter>[URFDLB]w|[URFDLBurfdlbMESxyz])
         (?: (?P<count>[{_COUNTS}])(?P<prime>[{_PRIMES}])?
           | (?P<prime2>[{_PRIMES}])(?P<count2>[{_COUNTS}])? )?
         (?![0-9\u00b2{_PRIMES}])
       | (?P<open>\()
       | (?P<close>\)) (?P<repeat>[1-9][0-9]{{0,4}})? (?P<undo>[{_PRIMES}])? (?![0-9{_PRIMES}])
    """,
    re.VERBOSE,
)


def parse_maneuver(text: str) -> Maneuver:
    """Return the maneuver that a text in Singmaster notation spells.

    Moves may be separated by white space or by nothing. A prime is an apostrophe, a backtick, a
    single quotation mark, an acute accent or a prime; "2'", "'2" and a superscript two are "2", "1"
    is a plain turn and "3" an inverse one; "Rw" is "r". Parentheses group, may nest, and may be
    repeated and inverted: "(R U)3", "(R U R' U')2'".

    Args:
        text: at most 100,000 characters, 10,000 moves when written out, 32 nested parentheses.

    Raises:
        ValueError: names the token that is no move and its position (from 0), or the limit.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"a maneuver has at most {MAX_TEXT:,} characters, this one {len(text):,}")
    words = text.split()
    if len(words) <= MAX_MOVES and _KNOWN.issuperset(words):
        return tuple(words)
    groups: list[list[str]] = [[]]
    opened: list[int] = []
    position = 0
    while position < len(text):
        if (token := _TOKEN.match(text, position)) is None:
            raise ValueError(_syntax_complaint(text, position))
        if token["letter"]:
            groups[-1].append(_token_to_move(token))
        elif token["open"]:
            if len(opened) == MAX_NESTING:
                raise ValueError(
                    f"'(' at position {position} nests deeper than {MAX_NESTING} parentheses"
                )
            groups.append([])
            opened.append(position)
        elif token["close"]:
            if not opened:
                raise ValueError(f"')' at position {position} closes nothing")
            opened.pop()
            group = groups.pop()
            if token["undo"]:
                group = list(invert_maneuver(group))
            repeat = int(token["repeat"] or 1)
            _check_length(len(groups[-1]) + repeat * len(group), position)
            groups[-1].extend(group * repeat)
        _check_length(len(groups[-1]), position)
        position = token.end()
    if opened:
        raise ValueError(f"'(' at position {opened[-1]} is never closed")
    return tuple(groups[0])


def _token_to_move(token: re.Match[str]) -> str:
    letter = token["letter"]
    if letter.endswith("w"):
        letter = letter[0].lower()
    count = token["count"] or token["count2"] or "1"
    turns = 2 if count == "\u00b2" else int(count)
    if token["prime"] or token["prime2"]:
        turns = 4 - turns
    return str(letter) + SUFFIXES[turns - 1]


def _check_length(moves: int, position: int) -> None:
    if moves > MAX_MOVES:
        raise ValueError(
            f"a maneuver has at most {MAX_MOVES:,} moves; this one has more at position {position}"
        )


def _syntax_complaint(text: str, position: int) -> str:
    found = re.match(r"[()]?[^\s()]*", text[position : position + 24])
    word = (found[0] if found else "") or text[position]
    return (
        f"{word!r} at position {position} is not a move; a move is one of U R F D L B, u r f d l b "
        f"(or Uw ...), M E S, x y z, followed by nothing, 2 or '"
    )


def format_maneuver(maneuver: Iterable[str]) -> str:
    """Return the moves with one space between them, as in "R U2 F'".

    Raises:
        ValueError: a name is not one of ALL_MOVES.
    """
    return " ".join(_check_moves(maneuver))


def invert_maneuver(maneuver: Iterable[str]) -> Maneuver:
    """Return the maneuver that undoes this one.

    Raises:
        ValueError: a name is not one of ALL_MOVES.
    """
    return tuple(_INVERSE[move] for move in reversed(_check_moves(maneuver)))


def maneuver_length(maneuver: Iterable[str], metric: Metric) -> int:
    """Return the number of face turns it takes.

    Args:
        maneuver: the moves.
        metric: how half turns are counted. In both metrics a wide move counts like a face move, a
            slice like the two face turns it stands for, and a whole-cube turn nothing.

    Raises:
        ValueError: a name is not one of ALL_MOVES, or the metric is unknown.
    """
    if metric not in ("htm", "qtm"):
        raise ValueError(f"{metric!r} is not a metric; use 'htm' or 'qtm'")
    return sum(_move_cost(move, metric) for move in _check_moves(maneuver))


def _move_cost(move: str, metric: Metric) -> int:
    turns = 2 if metric == "qtm" and move.endswith("2") else 1
    depths = LAYERS[move[0]].depths
    if depths == {0}:
        return 2 * turns
    return 0 if len(depths) == 3 else turns


def quarter_turns(maneuver: Maneuver) -> Maneuver:
    """Return a maneuver with two quarter turns for every half turn."""
    return tuple(
        turn for move in maneuver for turn in ((move[:-1],) * 2 if move.endswith("2") else (move,))
    )


def unit_steps(maneuver: Maneuver, metric: Metric) -> Maneuver:
    """Return a maneuver in moves of length one: in qtm a half turn is two quarter turns."""
    return maneuver if metric == "htm" else quarter_turns(maneuver)


def simplify_maneuver(maneuver: Iterable[str]) -> Maneuver:
    """Return a maneuver with the same effect in which turns about one axis are merged.

    Consecutive turns about one axis commute; they are written again with the fewest turns (by HTM,
    then QTM, then number of moves), R before L, U before D, F before B. What cancels vanishes, and
    its neighbours are merged in turn. Simplifying the result again changes nothing.

    Raises:
        ValueError: a name is not one of ALL_MOVES.
    """
    stack: list[tuple[str, _Turns]] = []
    for move in _check_moves(maneuver):
        axis, turns = _move_to_turns(move)
        if stack and stack[-1][0] == axis:
            turns = _add_turns(turns, stack.pop()[1])
        if turns != (0, 0, 0):
            stack.append((axis, turns))
    return tuple(move for axis, turns in stack for move in _shortest_spellings(axis)[turns])


_Turns = tuple[int, int, int]
"""Clockwise quarter turns (mod 4), seen from U, R or F, of its layer, the middle, the far one."""

_AXIS = dict(zip("URFDLB", "URFURF", strict=True))


def _move_to_turns(move: str) -> tuple[str, _Turns]:
    layers = LAYERS[move[0]]
    axis = _AXIS[layers.like]
    sign = 1 if axis == layers.like else -1
    amount = sign * (SUFFIXES.index(move[1:]) + 1) % 4
    a, b, c = (amount if sign * depth in layers.depths else 0 for depth in (1, 0, -1))
    return axis, (a, b, c)


def _add_turns(a: _Turns, b: _Turns) -> _Turns:
    return ((a[0] + b[0]) % 4, (a[1] + b[1]) % 4, (a[2] + b[2]) % 4)


@cache
def _shortest_spellings(axis: str) -> dict[_Turns, Maneuver]:
    """Return the preferred spelling of each of the 64 turns of the three layers on an axis."""
    own = [move for move in ALL_MOVES if _move_to_turns(move)[0] == axis]
    found: dict[_Turns, tuple[tuple[int, ...], Maneuver]] = {}
    for count in range(4):
        for moves in product(own, repeat=count):
            total: _Turns = (0, 0, 0)
            for move in moves:
                total = _add_turns(total, _move_to_turns(move)[1])
            order = tuple(ALL_MOVES.index(move) for move in moves)
            cost = (maneuver_length(moves, "htm"), maneuver_length(moves, "qtm"), count, *order)
            if total not in found or cost < found[total][0]:
                found[total] = (cost, moves)
    return {total: moves for total, (_, moves) in found.items()}


def _check_moves(maneuver: Iterable[str]) -> Maneuver:
    moves = (maneuver,) if isinstance(maneuver, str) else tuple(maneuver)
    if not _KNOWN.issuperset(moves):
        wrong = next(move for move in moves if move not in _KNOWN)
        raise ValueError(f"{wrong!r} is not a move name; parse text first, or use one of ALL_MOVES")
    return moves


_INVERSE = {
    letter + suffix: letter + SUFFIXES[-1 - turns]
    for letter in LAYERS
    for turns, suffix in enumerate(SUFFIXES)
}


FACES = "URFDLB"
"""The faces in the order of the facelet string."""

SOLVED = "".join(face * 9 for face in FACES)

CENTRES = (4, 13, 22, 31, 40, 49)
"""Indices of the centres of U, R, F, D, L, B."""


class IllegalCube(ValueError):  # noqa: N818 - the name says what it is
    """A facelet string that no cube can show.

    Attributes:
        reason: "length", "letters", "counts", "centres", "corner", "edge", "twist", "flip" or
            "parity"; the message says what is wrong and where.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[IllegalCube], tuple[str, str]]:
        """Keep both arguments when pickled."""
        return (IllegalCube, (self.reason, str(self)))


def facelet_label(index: int) -> str:
    """Return the usual name of a facelet index: its face and place in the face, as in "F5"."""
    return f"{FACES[index // 9]}{index % 9 + 1}"


def check_letters(facelets: str) -> None:
    """Raise IllegalCube ("length" or "letters") unless the text is 54 letters out of URFDLB."""
    if len(facelets) != 54:
        raise IllegalCube(
            "length", f"a facelet string has 54 letters, this one has {len(facelets)}"
        )
    if not _ALLOWED.issuperset(facelets):
        index = next(i for i, letter in enumerate(facelets) if letter not in _ALLOWED)
        raise IllegalCube(
            "letters",
            f"{facelets[index]!r} at index {index} ({facelet_label(index)}) is "
            "not one of U, R, F, D, L, B",
        )


_ALLOWED = frozenset(FACES)


def is_solved(facelets: str) -> bool:
    """Return whether every face is uniform, however the whole cube is turned.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    return all(facelets[i : i + 9] == facelets[i + 4] * 9 for i in range(0, 54, 9))
