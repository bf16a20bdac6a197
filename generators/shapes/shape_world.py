"""Shapes as a world that questions are drawn about: starts, operations in words, their rules.

An operation is a pair of its kind and what it takes: the place of a colour in COLOURS, the six bits
of a piece, or a shape of one layer to be stacked or to fill with; else 0. In text it is one word,
such as "rotate_cw", "color(r)", "fill(Cu)", "fill(CuRrSgWb)" or "stack(Su--Ry--)"; a list has ", "
between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from facelet.generators.core.columns import column
from facelet.generators.core.replies.written import Grammar
from facelet.generators.options.deforming.drawing import Four, designed
from facelet.generators.options.deforming.worlds import Dice, Direction, Step
from facelet.generators.shapes import codes, decisions, engine, wording
from facelet.generators.shapes.codes import BITS, COLOURS, LAYER_BITS, SEPARATOR
from facelet.generators.shapes.decisions import LAYERS, Space
from facelet.generators.shapes.turning import CLOCKWISE, MIRROR, SYMMETRIES, Leaving, seen
from facelet.renderers.scenes.shapes import ShapeSheet

COLOUR, FILL, STACK, COLOUR_ALL, FILL_WITH = range(4, 9)
"""Kinds of operations that take something; the last two are COLOUR where all layers are painted,
and FILL where another shape fills."""

NAMES = ("cut", "rotate_cw", "rotate_ccw", "mirror", "color", "fill", "stack")
PLAIN = 4
"""The first so many kinds take nothing."""

_APPLY: tuple[Callable[[int, int], int], ...] = (
    engine.cut,
    engine.clockwise,
    engine.counterclockwise,
    engine.mirror,
    engine.paint_top,
    engine.fill,
    engine.stack,
    engine.paint_all,
    engine.fill_with,
)
_KNOWN = {
    **{name: (kind, 0) for kind, name in enumerate(NAMES[:PLAIN])},
    **{f"color({letter})": (COLOUR, place) for place, letter in enumerate(COLOURS)},
}
"""The operations of every world by their words."""

_SHADES = len(COLOURS)
_KINDS = {
    "five": tuple(codes.piece(kind, 0) for kind in range(5)),
    # Without the fan, the fourth of TYPES, the star takes its place.
    "four": tuple(codes.piece(kind, 0) for kind in (0, 1, 2, 4)),
}
"""Pieces of the first colour by which types there are."""

_BYTES = LAYER_BITS * codes.MAX_LAYERS // 8
"""Bytes of a shape."""

_PIECE = (1 << BITS) - 1
_PLACES = range(0, LAYER_BITS * codes.MAX_LAYERS, BITS)

CELL = 224
SMALL = 120
"""Edges of the cells of pictures in pixels: of questions, and of pictures that explain."""

Types = Literal["five", "four"]
Coloring = Literal["top", "all"]
Filler = Literal["piece", "shape"]
Steps = Literal["live", "effective", "any"]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The rules that hold; see facelet.generators.shapes.decisions."""

    space: Space = column("one layer (2d) or up to four (2.5d)")
    types: Types = column("whether start shapes and pieces have five types or four, without F")
    coloring: Coloring = column("whether coloring paints the top layer or all")
    filling: bool = column("whether filling is an operation of 2.5d")
    floating: bool = column("whether steps that leave quadrants unsupported are offered")
    steps: Steps = column("live: no step can be left out; effective: each changes the shape; any")
    filler: Filler = column("whether filling puts one piece everywhere, or another shape's pieces")

    def start(self, dice: Dice) -> int:
        """Return a shape of one layer, or of one to four that rest on each other.

        Each quadrant is empty with probability 1/4; a layer is drawn again until it is not empty
        and rests on the one below.
        """
        shape, below = 0, 15
        for number in range(1 + dice.below(LAYERS[self.space])):
            while True:
                layer = self._layer(dice)
                mask = codes.masks(layer)[0]
                if mask and (number == 0 or decisions.RESTS[16 * mask + below]):
                    break
            shape |= layer << LAYER_BITS * number
            below = mask
        return shape

    def _layer(self, dice: Dice) -> int:
        below, kinds = dice.below, _KINDS[self.types]
        most, layer = len(kinds), 0
        for place in range(0, LAYER_BITS, BITS):
            if below(4):
                layer |= (kinds[below(most)] | below(_SHADES)) << place
        return layer

    def _piece(self, dice: Dice) -> int:
        kinds = _KINDS[self.types]
        return kinds[dice.below(len(kinds))] | dice.below(_SHADES)

    def _filler(self, dice: Dice) -> int:
        return sum(self._piece(dice) << place for place in range(0, LAYER_BITS, BITS))

    def step(self, dice: Dice) -> Step:
        """Return an operation: a kind, each as likely, then what it takes."""
        if self.space == "2d":
            kind = dice.below(6)
        else:
            kind = dice.below(7 if self.filling else 6)
            kind = STACK if kind == FILL and not self.filling else kind
        if kind < PLAIN:
            return kind, 0
        if kind == COLOUR:
            return COLOUR, dice.below(len(COLOURS))
        if kind == FILL:
            return FILL, self._piece(dice) if self.filler == "piece" else self._filler(dice)
        while True:
            if upper := self._layer(dice):
                return STACK, upper

    def apply(self, state: int, step: Step) -> int:
        """Return the shape after an operation."""
        kind, taken = step
        if kind < PLAIN:
            return _APPLY[kind](state, 0)
        if kind == COLOUR and self.coloring == "all":
            kind = COLOUR_ALL
        elif kind == FILL and self.filler == "shape":
            kind = FILL_WITH
        return _APPLY[kind](state, taken)

    def offered(self, before: int, after: int) -> bool:
        """Return whether a step may be asked about; see decisions 6 and 13."""
        if self.steps != "any" and (before == after or not after):
            return False
        return self.floating or after <= codes.LAYER or decisions.supported(after)

    def follow(self, start: int, steps: Sequence[Step]) -> list[int]:
        """Return the shapes from a start to what operations lead to, one more than there are."""
        states, state = [start], start
        # A list is turns for the most part, and turns make eight shapes of one.
        turned: tuple[dict[int, int], ...] = ({}, {}, {}, {})
        for step in steps:
            kind = step[0]
            if CLOCKWISE <= kind <= MIRROR:
                known = turned[kind]
                if state in known:
                    state = known[state]
                else:
                    before, state = state, _APPLY[kind](state, 0)
                    known[before] = state
            else:
                state = self.apply(state, step)
            states.append(state)
        return states

    def live(self, states: Sequence[int], steps: Sequence[Step]) -> tuple[bool, ...]:
        """Return of each operation whether the list would lead elsewhere without it."""
        return Leaving(self.apply, states, steps).live()

    def four(self, level: int, dice: Dice, start: int) -> Four[int]:
        """Return four lists of operations by design; all of them live, whatever `steps` is.

        Args:
            level: number of operations.
            dice: the randomness.
            start: the start.

        Raises:
            Reject: none were found.
        """
        flat = self.space == "2d"
        rules = (
            6 if flat or not self.filling else 7,
            flat or self.filling,
            5 if self.types == "five" else 4,
            self.coloring == "all",
            self.floating,
            self.filler == "shape",
        )
        return designed(
            level,
            dice,
            start,
            package=__package__,
            rules=bytes(rules),
            packed=start.to_bytes(_BYTES, "little"),
        )

    def write(self, state: int) -> str:
        """Return the code."""
        return codes.format(state)

    def read(self, code: str) -> int:
        """Return the shape of a code; raise ValueError if it is none of this space."""
        shape = codes.parse(_joined(code) if " " in code or not code.isascii() else code)
        if codes.layers(shape) > LAYERS[self.space]:
            raise ValueError(f"{code!r} has several layers; shapes of {self.space} have one")
        return shape

    def lawful(self, state: int) -> None:
        """Raise ValueError if the shape breaks the support rules, where they hold."""
        if not self.floating and not decisions.supported(state):
            raise ValueError(f"a layer of {codes.format(state)!r} does not rest on the one below")

    def write_steps(self, steps: Sequence[Step]) -> str:
        """Return operations as text."""
        # Most operations of a long list take nothing; those cost no call.
        return ", ".join(
            [NAMES[kind] if kind < PLAIN else _write(kind, taken) for kind, taken in steps]
        )

    def read_steps(self, text: str) -> list[Step]:
        """Return the operations of a text; raise ValueError if one is none."""
        known = _KNOWN.get
        return [known(word) or self._read(word) for word in text.split(", ")]

    def _read(self, word: str) -> Step:
        if (known := _KNOWN.get(word)) is not None:
            return known
        name, bracket, rest = word.partition("(")
        taken = rest[:-1]
        if bracket and rest.endswith(")"):
            if name == "fill" and (filler := self._filling(taken)):
                return FILL, filler
            if name == "stack" and self.space == "2.5d" and (upper := codes.parse_layer(taken)):
                return STACK, upper
        raise ValueError(f"{word!r:.80} is no operation; {wording.operations(self)}")

    def _filling(self, text: str) -> int:
        """Return what a text says to fill with, 0 if that is none of this world."""
        if self.space == "2.5d" and not self.filling:
            return 0
        if self.filler == "piece":
            return codes.PIECES.get(text, 0)
        layer = codes.parse_layer(text)
        return layer if codes.EMPTY not in codes.format(layer) else 0

    def canonical(self, state: int) -> str:
        """Return the code of the least shape that turning and mirroring make of this one."""
        return codes.format(engine.canonical(state))

    def align_states(self, states: Sequence[int]) -> list[list[int]]:
        """Return the states, turned and mirrored alike, wherever that makes the first the least."""
        least = engine.canonical(states[0])
        best = [number for number in SYMMETRIES if seen(states[0], number) == least]
        return [[seen(state, number) for state in states] for number in best]

    def differing(self, one: int, other: int) -> int:
        """Return the number of quadrants in which two shapes differ."""
        return codes.filled_difference(one, other).bit_count()

    def places(self, one: int, other: int) -> int:
        """Return the number of quadrants filled in one shape or the other."""
        return (codes.filled(one) | codes.filled(other)).bit_count()

    def parts(self, state: int) -> Sequence[int]:
        """Return the piece of each quadrant, layer by layer; 0 where there is none."""
        return [state >> place & _PIECE for place in _PLACES]

    def shown(self, state: int) -> str:
        """Return the code, and with several layers a line for each (appendix C.1.2)."""
        return wording.shown(self, codes.format(state))

    def scene(
        self, states: Sequence[int], labels: Sequence[str], *, letters: bool, size: int = 0
    ) -> ShapeSheet:
        """Return a picture of shapes.

        Args:
            states: the shapes.
            labels: what stands beside each.
            letters: whether each quadrant carries the letter of its colour.
            size: edge of a shape in pixels, where at most four are shown; 0 for the usual.
        """
        several = len(states) > 4
        return ShapeSheet(
            tuple(map(codes.format, states)),
            tuple(labels),
            letters=letters,
            columns=4 if several else 2,
            cell=SMALL if several else size or CELL,
        )

    def rules(self, level: int) -> str:
        """Return what the prompts say of shapes and operations."""
        return wording.rules(self, level)

    def lesson(self) -> list[tuple[int, Step, str]]:
        """Return an example of each operation."""
        return [
            (codes.parse(code), self._read(word), word) for code, word in wording.examples(self)
        ]

    def lone(self) -> str:
        """Return "shape"."""
        return "shape"

    def coding(self) -> str:
        """Return how a code is written."""
        return wording.CODING

    def grammar(self, direction: Direction) -> Grammar:
        """Return how a code or a list of operations is written in a reply."""
        if direction == "forward":
            return Grammar(_CODED, self._spell, sure=_PART, loose=rf"(?:{_TITLED})?{_PART}")
        return Grammar(_WORD, self._list, sure=_SURE, loose=f"{_SURE}|{_WORD}", several=True)

    def _spell(self, text: str) -> str:
        return self.write(self.read(text))

    def _list(self, lines: str) -> str:
        """Return the list of operations, one a line, however each is spelled."""
        return self.write_steps([self._read(_spelled(line)) for line in lines.split("\n")])

    def reading(self, *, pictures: bool) -> str:
        """Return how shapes are to be read."""
        return wording.PICTURES[self.space] if pictures else wording.CODES[self.space]

    def why(self, before: int, step: Step, after: int) -> str:
        """Return one line of a chain of reasoning."""
        return f"{_write(*step)}: {codes.format(before)} becomes {codes.format(after)}"


_QUADRANT = f"(?:[{codes.TYPES}][{COLOURS}]|--|[\u2013\u2014]{{1,2}})"
_LAYER = f"{_QUADRANT}(?: ?{_QUADRANT}){{3}}"
_TITLED = r"[Ll]ayer[ _]?[1-4][^\w\n\u2013\u2014-]{0,4}"
_LAYERED = _TITLED + _LAYER
_NAMED = re.compile(f"{_TITLED.replace('[1-4]', '([1-4])')}({_LAYER})")
_END = rf"(?![\w\u2013\u2014-]| ?: ?(?:[{codes.TYPES}][{COLOURS}](?![a-z])|[\u2013\u2014-]))"
_CODED = (
    rf"(?:(?<![\w\u2013\u2014-])(?<!-:)(?<![rgbypcuw]:)(?<!stack\()(?<!fill\()"
    rf"{_LAYER}(?: ?: ?{_LAYER}){{0,3}}(?: ?\({_LAYERED}(?:, ?{_LAYERED}){{0,3}}\))?"
    rf"|(?<!\w){_LAYERED}(?:[\s,;\u2022-]{{1,6}}{_LAYERED}){{0,3}}){_END}"
)
_ECHO = re.compile(rf" ?\(?{_LAYERED}(?:[\s,;\u2022-]{{1,6}}{_LAYERED}){{0,3}}\)?")
_PART = f"(?:{_QUADRANT} ?){{2}}"
_TURNS = r"rotate[_ -]?(?:c?cw|(?:counter-?)?clockwise)"
_SURE = rf"(?i:{_TURNS}|(?:colou?r|fill|stack) ?\()|{_PART}"
_WORD = (
    rf"(?<!\w)(?<!\w\()(?<!\w \()(?:(?i:cut|mirror|{_TURNS})(?: ?\( ?\))?"
    rf"|(?i:colou?r ?\( ?[{COLOURS}] ?\))"
    rf"|(?i:fill) ?\( ?(?:{_LAYER}|{_QUADRANT}) ?\)|(?i:stack) ?\( ?{_LAYER} ?\))(?![\w(])"
)
_LONG_DASH = re.compile("[\u2013\u2014]")
_SPELLINGS = {
    "rotatecw": "rotate_cw",
    "rotateccw": "rotate_ccw",
    "rotateclockwise": "rotate_cw",
    "rotatecounterclockwise": "rotate_ccw",
    "colour": "color",
}


def _joined(text: str) -> str:
    """Return the code that a text spells: layers with blanks, numbered layers, or both."""
    code = SEPARATOR.join(map(_dashed, _ECHO.sub("", text).split(SEPARATOR)))
    named = sorted(_NAMED.findall(text))
    joined = SEPARATOR.join(_dashed(layer) for _, layer in named)
    numbers = [int(number) for number, _ in named]
    if numbers != list(range(1, len(named) + 1)) or (named and code not in ("", joined)):
        raise ValueError(f"{text!r:.120} has layers that do not fit; number them from 1")
    return joined or code


def _dashed(layer: str) -> str:
    """Return a layer of which dashes may have been made longer ones, for two or for one each."""
    text = _LONG_DASH.sub("-", layer.replace(" ", ""))
    return text if len(text) == 8 else _LONG_DASH.sub("--", layer.replace(" ", ""))


def _spelled(text: str) -> str:
    """Return an operation as prompts write it."""
    name, _, rest = text.partition("(")
    plain = re.sub("[ _-]", "", name.lower())
    plain, taken = _SPELLINGS.get(plain, plain), _dashed(rest.strip(" )"))
    if taken:
        return f"{plain}({taken.lower() if plain == 'color' else taken})"
    return plain


def _write(kind: int, taken: int) -> str:
    if kind < PLAIN:
        return NAMES[kind]
    if kind == COLOUR:
        return f"color({COLOURS[taken]})"
    if kind == FILL:
        code = codes.format_layer(taken)
        return f"fill({code if taken > _PIECE else code[:2]})"
    return f"stack({codes.format_layer(taken)})"
