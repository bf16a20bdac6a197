"""The world of shapes for deformation questions: starts, operations, and their texts.

An operation is a pair of its kind and what it takes: the place of a colour in COLOURS, the six bits
of a piece, or a shape of one layer to be stacked or to fill with; else 0. In text it is one word,
such as "rotate_cw", "color(r)", "fill(Cu)", "fill(CuRrSgWb)" or "stack(Su--Ry--)"; a list has ", "
between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.core.replies.written import Grammar
from facelet.generators.options.deformation.question_sampler import draw_designed
from facelet.generators.options.deformation.world_protocol import Dice, Direction, FourLists, Step
from facelet.generators.shapes import prompt_text, shape_codes, shape_operations
from facelet.generators.shapes.shape_codes import (
    BITS,
    COLOURS,
    LAYER_BITS,
    LAYERS,
    SEPARATOR,
    ShapeRules,
)
from facelet.generators.shapes.turn_algebra import (
    CLOCKWISE,
    MIRROR,
    SYMMETRIES,
    LeaveOneOut,
    apply_symmetry,
)
from facelet.renderers.scenes.shapes import ShapeSheet

COLOUR, FILL, STACK, COLOUR_ALL, FILL_WITH = range(4, 9)
"""Kinds of operations that take something; the last two are COLOUR where all layers are painted,
and FILL where another shape fills."""

NAMES = ("cut", "rotate_cw", "rotate_ccw", "mirror", "color", "fill", "stack")
PLAIN = 4
"""Number of kinds, the first ones, that take no argument."""

_KNOWN = {
    **{name: (kind, 0) for kind, name in enumerate(NAMES[:PLAIN])},
    **{f"color({letter})": (COLOUR, place) for place, letter in enumerate(COLOURS)},
}
"""The operations of every world by their words."""

_SHADES = len(COLOURS)
_KINDS = {
    "five": tuple(shape_codes.make_piece(kind, 0) for kind in range(5)),
    # Without the fan, the fourth of TYPES, the star takes its place.
    "four": tuple(shape_codes.make_piece(kind, 0) for kind in (0, 1, 2, 4)),
}
"""Pieces of the first colour by which types there are."""

_BYTES = LAYER_BITS * shape_codes.MAX_LAYERS // 8
"""Bytes of a shape."""

_PIECE = (1 << BITS) - 1
_PLACES = range(0, LAYER_BITS * shape_codes.MAX_LAYERS, BITS)

CELL = 224
SMALL = 120
"""Edges of the cells of pictures in pixels: of questions, and of pictures that explain."""


@dataclass(frozen=True, slots=True)
class Shapes(ShapeRules):
    """The world of shapes under a set of rules."""

    item_noun: ClassVar[str] = "shape"
    code_description: ClassVar[str] = prompt_text.CODING

    def draw_start(self, dice: Dice) -> int:
        """Return a shape of one layer, or of one to four that rest on each other.

        Each quadrant is empty with probability 1/4; a layer is drawn again until it is not empty
        and rests on the one below.
        """
        shape, below = 0, 15
        for number in range(1 + dice.below(LAYERS[self.space])):
            while True:
                layer = self._draw_layer(dice)
                mask = shape_codes.layer_masks(layer)[0]
                if mask and (number == 0 or shape_codes.RESTS[16 * mask + below]):
                    break
            shape |= layer << LAYER_BITS * number
            below = mask
        return shape

    def _draw_layer(self, dice: Dice) -> int:
        below, kinds = dice.below, _KINDS[self.types]
        most, layer = len(kinds), 0
        for place in range(0, LAYER_BITS, BITS):
            if below(4):
                layer |= (kinds[below(most)] | below(_SHADES)) << place
        return layer

    def _draw_piece(self, dice: Dice) -> int:
        kinds = _KINDS[self.types]
        return kinds[dice.below(len(kinds))] | dice.below(_SHADES)

    def _draw_filler(self, dice: Dice) -> int:
        return sum(self._draw_piece(dice) << place for place in range(0, LAYER_BITS, BITS))

    def draw_step(self, dice: Dice) -> Step:
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
            return FILL, self._draw_piece(dice) if self.filler == "piece" else self._draw_filler(
                dice
            )
        while True:
            if upper := self._draw_layer(dice):
                return STACK, upper

    def apply_step(self, state: int, step: Step) -> int:
        """Return the shape after an operation."""
        kind, taken = step
        if kind < PLAIN:
            return shape_operations.APPLY[kind](state, 0)
        if kind == COLOUR and self.coloring == "all":
            kind = COLOUR_ALL
        elif kind == FILL and self.filler == "shape":
            kind = FILL_WITH
        return shape_operations.APPLY[kind](state, taken)

    def is_offered(self, before: int, after: int) -> bool:
        """Return whether a step may be asked about; see rules 6 and 13 of shape_codes."""
        if self.steps != "any" and (before == after or not after):
            return False
        return self.floating or after <= shape_codes.LAYER or shape_codes.is_supported(after)

    def follow_steps(self, start: int, steps: Sequence[Step]) -> list[int]:
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
                    before, state = state, shape_operations.APPLY[kind](state, 0)
                    known[before] = state
            else:
                state = self.apply_step(state, step)
            states.append(state)
        return states

    def live_steps(self, states: Sequence[int], steps: Sequence[Step]) -> tuple[bool, ...]:
        """Return of each operation whether the list would lead elsewhere without it."""
        return LeaveOneOut(self.apply_step, states, steps).live_steps()

    def draw_four(self, level: int, dice: Dice, start: int) -> FourLists[int]:
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
        return draw_designed(
            level,
            dice,
            start,
            package=__package__,
            rules=bytes(rules),
            packed=start.to_bytes(_BYTES, "little"),
        )

    def write_state(self, state: int) -> str:
        """Return the code."""
        return shape_codes.format_code(state)

    def read(self, code: str) -> int:
        """Return the shape of a code; raise ValueError if it is none of this space."""
        shape = shape_codes.parse_code(
            _join_layers(code) if " " in code or not code.isascii() else code
        )
        if shape_codes.count_layers(shape) > LAYERS[self.space]:
            raise ValueError(f"{code!r} has several layers; shapes of {self.space} have one")
        return shape

    def check_lawful(self, state: int) -> None:
        """Raise ValueError if the shape breaks the support rules, where they apply."""
        if not self.floating and not shape_codes.is_supported(state):
            raise ValueError(
                f"a layer of {shape_codes.format_code(state)!r} does not rest on the one below"
            )

    def write_steps(self, steps: Sequence[Step]) -> str:
        """Return operations as text."""
        # Most operations of a long list take nothing; those cost no call.
        return ", ".join(
            [
                NAMES[kind] if kind < PLAIN else _format_operation(kind, taken)
                for kind, taken in steps
            ]
        )

    def read_steps(self, text: str) -> list[Step]:
        """Return the operations of a text; raise ValueError if one is none."""
        known = _KNOWN.get
        return [known(word) or self._parse_operation(word) for word in text.split(", ")]

    def _parse_operation(self, word: str) -> Step:
        if (known := _KNOWN.get(word)) is not None:
            return known
        name, bracket, rest = word.partition("(")
        taken = rest[:-1]
        if bracket and rest.endswith(")"):
            if name == "fill" and (filler := self._parse_filling(taken)):
                return FILL, filler
            if (
                name == "stack"
                and self.space == "2.5d"
                and (upper := shape_codes.parse_layer(taken))
            ):
                return STACK, upper
        raise ValueError(f"{word!r:.80} is no operation; {prompt_text.list_operations(self)}")

    def _parse_filling(self, text: str) -> int:
        """Return the filler of a text, 0 if this world does not have it."""
        if self.space == "2.5d" and not self.filling:
            return 0
        if self.filler == "piece":
            return shape_codes.PIECES.get(text, 0)
        layer = shape_codes.parse_layer(text)
        return layer if shape_codes.EMPTY not in shape_codes.format_code(layer) else 0

    def canonical_code(self, state: int) -> str:
        """Return the code of the least shape that turning and mirroring make of this one."""
        return shape_codes.format_code(shape_operations.canonical_shape(state))

    def align_states(self, states: Sequence[int]) -> list[list[int]]:
        """Return the states, turned and mirrored alike, wherever that makes the first the least."""
        least = shape_operations.canonical_shape(states[0])
        best = [number for number in SYMMETRIES if apply_symmetry(states[0], number) == least]
        return [[apply_symmetry(state, number) for state in states] for number in best]

    def count_differences(self, one: int, other: int) -> int:
        """Return the number of quadrants in which two shapes differ."""
        return shape_codes.mask_filled_difference(one, other).bit_count()

    def place_count(self, one: int, other: int) -> int:
        """Return the number of quadrants filled in one shape or the other."""
        return (
            shape_codes.select_filled_bits(one) | shape_codes.select_filled_bits(other)
        ).bit_count()

    def state_parts(self, state: int) -> Sequence[int]:
        """Return the piece of each quadrant, layer by layer; 0 where there is none."""
        return [state >> place & _PIECE for place in _PLACES]

    def format_state(self, state: int) -> str:
        """Return the code, and with several layers a line for each (appendix C.1.2)."""
        return prompt_text.format_shown_code(self, shape_codes.format_code(state))

    def build_scene(
        self, states: Sequence[int], labels: Sequence[str], *, letters: bool, size: int = 0
    ) -> ShapeSheet:
        """Return a picture of shapes.

        Args:
            states: the shapes.
            labels: the label of each.
            letters: whether each quadrant carries the letter of its colour.
            size: edge of a shape in pixels, where at most four are shown; 0 for the usual.
        """
        several = len(states) > 4
        return ShapeSheet(
            tuple(map(shape_codes.format_code, states)),
            tuple(labels),
            letters=letters,
            columns=4 if several else 2,
            cell=SMALL if several else size or CELL,
        )

    def rules_text(self, level: int) -> str:
        """Return the rules of shapes and operations for prompts."""
        return prompt_text.rules_text(self, level)

    def lesson_steps(self) -> list[tuple[int, Step, str]]:
        """Return an example of each operation."""
        return [
            (shape_codes.parse_code(code), self._parse_operation(word), word)
            for code, word in prompt_text.operation_examples(self)
        ]

    def grammar(self, direction: Direction) -> Grammar:
        """Return how a code or a list of operations is written in a reply."""
        if direction == "forward":
            return Grammar(
                _CODED, self._spell, _PART, rf"(?:{_TITLED})?{_PART}", opening=_CODE_OPENING
            )
        return Grammar(
            _WORD, self._list, _SURE, f"{_SURE}|{_WORD}", opening=_WORD_OPENING, several=True
        )

    def _spell(self, text: str) -> str:
        return self.write_state(self.read(text))

    def _list(self, lines: str) -> str:
        """Return the list of operations, one a line, however each is spelled."""
        return self.write_steps(
            [self._parse_operation(_normalize_operation(line)) for line in lines.split("\n")]
        )

    def reading_description(self, *, pictures: bool) -> str:
        """Return how shapes are to be read."""
        return prompt_text.PICTURES[self.space] if pictures else prompt_text.CODES[self.space]

    def explain_step(self, before: int, step: Step, after: int) -> str:
        """Return one line of a chain of reasoning."""
        return (
            f"{_format_operation(*step)}: {shape_codes.format_code(before)} becomes "
            f"{shape_codes.format_code(after)}"
        )


_QUADRANT = f"(?:[{shape_codes.TYPES}][{COLOURS}]|--|[\u2013\u2014]{{1,2}})"
_LAYER = f"{_QUADRANT}(?: ?{_QUADRANT}){{3}}"
_TITLED = r"[Ll]ayer[ _]?[1-4][^\w\n\u2013\u2014-]{0,4}"
_LAYERED = _TITLED + _LAYER
_NAMED = re.compile(f"{_TITLED.replace('[1-4]', '([1-4])')}({_LAYER})")
_END = rf"(?![\w\u2013\u2014-]| ?: ?(?:[{shape_codes.TYPES}][{COLOURS}](?![a-z])|[\u2013\u2014-]))"
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
_CODE_OPENING = (
    rf"[{shape_codes.TYPES}Ll\u2013\u2014-](?:(?<=[{shape_codes.TYPES}])(?=[{COLOURS}])"
    r"|(?<=[Ll])(?=ayer)|(?<=-)(?=-)|(?<=[\u2013\u2014]))"
)
_WORD_OPENING = r"[CcMmRrFfSs](?i:(?=ut|irror|otate|olou?r|ill|tack))"
_LONG_DASH = re.compile("[\u2013\u2014]")
_SPELLINGS = {
    "rotatecw": "rotate_cw",
    "rotateccw": "rotate_ccw",
    "rotateclockwise": "rotate_cw",
    "rotatecounterclockwise": "rotate_ccw",
    "colour": "color",
}


def _join_layers(text: str) -> str:
    """Return the code that a text spells: layers with blanks, numbered layers, or both."""
    code = SEPARATOR.join(map(_normalize_dashes, _ECHO.sub("", text).split(SEPARATOR)))
    named = sorted(_NAMED.findall(text))
    joined = SEPARATOR.join(_normalize_dashes(layer) for _, layer in named)
    numbers = [int(number) for number, _ in named]
    if numbers != list(range(1, len(named) + 1)) or (named and code not in ("", joined)):
        raise ValueError(f"{text!r:.120} has layers that do not fit; number them from 1")
    return joined or code


def _normalize_dashes(layer: str) -> str:
    """Return a layer of which dashes may have been made longer ones, for two or for one each."""
    text = _LONG_DASH.sub("-", layer.replace(" ", ""))
    return text if len(text) == 8 else _LONG_DASH.sub("--", layer.replace(" ", ""))


def _normalize_operation(text: str) -> str:
    """Return an operation as prompts write it."""
    name, _, rest = text.partition("(")
    plain = re.sub("[ _-]", "", name.lower())
    plain, taken = _SPELLINGS.get(plain, plain), _normalize_dashes(rest.strip(" )"))
    return f"{plain}({taken.lower() if plain == 'color' else taken})" if taken else plain


def _format_operation(kind: int, taken: int) -> str:
    if kind < PLAIN:
        return NAMES[kind]
    if kind == COLOUR:
        return f"color({COLOURS[taken]})"
    if kind == FILL:
        code = shape_codes.format_layer(taken)
        return f"fill({code if taken > _PIECE else code[:2]})"
    return f"stack({shape_codes.format_layer(taken)})"
