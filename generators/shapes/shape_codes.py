"""Encode shapes as integers and as codes such as "Su--Ry--:Wp------", and state their rules.

A shape is a whole number. A quadrant takes six bits: three for its type (0 where it is empty, else
1 to 5) and below them three for its colour. Quadrants 1 to 4 are the top right, the bottom right,
the bottom left and the top left; quadrant q of layer l, both from 0, is at bit 24 * l + 6 * q. No
layer of a shape is wholly empty, except that 0, a shape of which nothing is left, is written as one
empty layer.

The paper (Inf-Bench) is ambiguous or silent about some rules. Each entry below states what the
paper says, what applies here, and the param that restores another reading of the paper, if there is
one (`ShapeRules`).

1. Order of the two letters. The prose says colour first, every example says type first ("Su").
   Here the type comes first.
2. Order of the layers. C.1.1 says both from the top and from the bottom. Here the lowest layer
   comes first, as in the prompt's "Layer 1"; layers are joined by a colon.
3. Empty quadrant. Written "-" in C.1 and "--" in the prompts. Here "--", so that a layer has eight
   characters.
4. Types. Five are listed (C R W F S), four are in the engine (without F), and F is called a sector
   and a fan. Here all five, F is a fan: a wedge between the two sides of its quadrant;
   `types="four"` draws start shapes and pieces without it.
5. Cutting. Removes quadrants 1 and 2 of each layer. What becomes of a layer that it empties is not
   said. Here, as in the open game, that layer is gone and those above it sink by whole layers.
6. Unsupported parts. The paper demands its support rules of every shape and has no procedure for a
   step that breaks them. Here such a step is not offered; `floating=true` offers it and lets
   quadrants float, as the open game does.
7. Support. C.1.2 demands a filled quadrant below every filled one; the prompt's rules 1 to 4 demand
   less. Here the rules of the prompt: each group of neighbouring filled quadrants of a layer needs
   one filled quadrant directly below it. A layer of four counts as one group, of which the prompt
   says nothing.
8. Colouring. All quadrants, a chosen layer, or the top layer. Here, as in both prompts, the filled
   quadrants of the top layer; `coloring="all"` paints all layers, as the open game does.
9. Filling. "With another shape", "with a specified shape", "with a rectangle or circle". Here one
   piece, a type with a colour, goes into every empty quadrant, as of a shape that is a rectangle or
   a circle; `filler="shape"` fills with another shape of one layer, whose four quadrants are
   filled and written in the operation: an empty quadrant takes the piece of its own place, in each
   layer.
10. Filling of 2.5D. The text counts seven operations of 2.5D and names filling among them, one
    prompt leaves it out. Here it is the seventh and fills the empty quadrants of all layers that
    the shape has; `filling=false` leaves it out.
11. Stacking. "One shape on top of another" says neither which nor how it comes to rest. Here a
    drawn shape of one layer, written in the operation, comes down on the shape as one rigid piece
    until one of its quadrants meets a filled one below, as in the open game; it never slips under
    an overhang, and whole layers above the fourth are gone.
12. Mirroring. Quadrants 1 and 4 change places, and 2 and 3. A windmill's sail is not turned over:
    a code has no sign for that, so the picture of a mirrored windmill shows it like any other.
13. Steps that change nothing, and shapes of which nothing is left. Not mentioned; both come about
    often when operations are drawn blindly. Here neither is offered; `steps="any"` offers both, and
    rows count the idle steps of each list.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from facelet.generators.core.row_schema import column

TYPES = "CRWFS"
"""Circle, rectangle, windmill, fan, star."""
TYPE_NAMES = {"C": "circle", "R": "rectangle", "W": "windmill", "F": "fan", "S": "star"}
COLOURS = "rgbypcuw"
COLOUR_NAMES = {
    "r": "red",
    "g": "green",
    "b": "blue",
    "y": "yellow",
    "p": "purple",
    "c": "cyan",
    "u": "uncolored",
    "w": "white",
}
EMPTY = "--"
SEPARATOR = ":"
QUADRANTS, MAX_LAYERS = 4, 4

BITS = 6
"""Bits of a quadrant."""
LAYER_BITS = BITS * QUADRANTS
LAYER = (1 << LAYER_BITS) - 1
"""All bits of the lowest layer."""
WHOLE = (1 << LAYER_BITS * MAX_LAYERS) - 1
"""All bits of a shape."""


def make_piece(type_: int, colour: int) -> int:
    """Return the six bits of a filled quadrant, from places in TYPES and COLOURS."""
    return (type_ + 1) << 3 | colour


PIECES: dict[str, int] = {
    letter + shade: make_piece(t, c)
    for t, letter in enumerate(TYPES)
    for c, shade in enumerate(COLOURS)
}
"""Six bits by text, "Cr" and so on; without the empty quadrant."""
_TEXTS = [EMPTY] * (1 << BITS)
for _text, _bits in PIECES.items():
    _TEXTS[_bits] = _text
_HALVES = [low + high for high in _TEXTS for low in _TEXTS]
"""Text of two neighbouring quadrants by their twelve bits."""
_READ = {EMPTY: 0, **PIECES}
_READ_HALVES = {low + high: _READ[low] | _READ[high] << BITS for high in _READ for low in _READ}
"""Twelve bits of two neighbouring quadrants by their text."""


@lru_cache(maxsize=1 << 10)
def parse_code(code: str) -> int:
    """Return the shape that a code spells.

    Raises:
        ValueError: it is no code; the message says which layer or quadrant is not.
    """
    layers = code.split(SEPARATOR)
    if len(layers) > MAX_LAYERS:
        raise ValueError(f"{code!r:.80} has {len(layers)} layers; give 1 to {MAX_LAYERS}")
    shape = 0
    for number, layer in enumerate(layers):
        if not (bits := parse_layer(layer)) and len(layers) > 1:
            raise ValueError(f"layer {number + 1} of {code!r} is empty; leave it out")
        shape |= bits << LAYER_BITS * number
    return shape


def parse_layer(text: str) -> int:
    """Return one layer of four quadrants, empty or not.

    Raises:
        ValueError: it is none.
    """
    low, high = _READ_HALVES.get(text[:QUADRANTS]), _READ_HALVES.get(text[QUADRANTS:])
    if low is not None and high is not None:
        return low | high << 2 * BITS
    if len(text) != 2 * QUADRANTS:
        raise ValueError(f"{text!r:.80} is no layer; give four quadrants of two letters each")
    said, place = next(
        (said, place)
        for place in range(QUADRANTS)
        if (said := text[2 * place : 2 * place + 2]) not in _READ
    )
    raise ValueError(
        f"quadrant {place + 1} of {text!r} is {said!r}; give a type of {TYPES} and a "
        f"colour of {COLOURS}, or {EMPTY}"
    )


def format_code(shape: int) -> str:
    """Return the code of a shape."""
    code = format_layer(shape & LAYER)
    while shape := shape >> LAYER_BITS:
        code += SEPARATOR + format_layer(shape & LAYER)
    return code


def format_layer(layer: int) -> str:
    """Return the text of one layer."""
    return _HALVES[layer & 4095] + _HALVES[layer >> 12]


def count_layers(shape: int) -> int:
    """Return the number of layers; 1 for the shape of which nothing is left."""
    return (shape.bit_length() + LAYER_BITS - 1) // LAYER_BITS or 1


_FILLED = int("000001" * QUADRANTS * MAX_LAYERS, 2)


def select_filled_bits(shape: int) -> int:
    """Return the lowest bit of each filled quadrant: that is, bits at multiples of BITS."""
    return (shape >> 3 | shape >> 4 | shape >> 5) & _FILLED


def layer_masks(shape: int) -> list[int]:
    """Return for each layer, from the lowest, which quadrants are filled: bit q for quadrant q."""
    bits = select_filled_bits(shape)
    found = []
    for number in range(count_layers(shape)):
        layer = bits >> LAYER_BITS * number
        found.append((layer | layer >> 5 | layer >> 10 | layer >> 15) & 15)
    return found


def mask_filled_difference(one: int, other: int) -> int:
    """Return the lowest bit of each quadrant in which two shapes differ."""
    bits = one ^ other
    return (bits | bits >> 1 | bits >> 2 | bits >> 3 | bits >> 4 | bits >> 5) & _FILLED


Space = Literal["2d", "2.5d"]
Types = Literal["five", "four"]
Coloring = Literal["top", "all"]
Filler = Literal["piece", "shape"]
Steps = Literal["live", "effective", "any"]

LAYERS: dict[Space, int] = {"2d": 1, "2.5d": MAX_LAYERS}
"""Most layers of a shape."""


@dataclass(frozen=True, slots=True)
class ShapeRules:
    """The rules that are in force; see the module."""

    space: Space = column("one layer (2d) or up to four (2.5d)")
    types: Types = column("whether start shapes and pieces have five types or four, without F")
    coloring: Coloring = column("whether coloring paints the top layer or all")
    filling: bool = column("whether filling is an operation of 2.5d")
    floating: bool = column("whether steps that leave quadrants unsupported are offered")
    steps: Steps = column("live: no step can be left out; effective: each changes the shape; any")
    filler: Filler = column("whether filling puts one piece everywhere, or another shape's pieces")


def _groups_rest(upper: int, lower: int) -> bool:
    """Whether each group of neighbouring filled quadrants has a filled one directly below it.

    Args:
        upper: filled quadrants of a layer, bit q for quadrant q, from 0.
        lower: those of the layer below.
    """
    left = upper
    while left:
        group = left & -left
        while True:
            wider = group | (group << 1 | group >> 3 | group >> 1 | group << 3) & 15 & upper
            if wider == group:
                break
            group = wider
        if not group & lower:
            return False
        left &= ~group
    return True


RESTS = tuple(_groups_rest(upper, lower) for upper in range(16) for lower in range(16))
"""By 16 * upper + lower: whether a layer rests on the one below."""


_MASKS = {sum((mask >> q & 1) << BITS * q for q in range(QUADRANTS)): mask for mask in range(16)}
"""Filled quadrants of a layer, by the bits that facelet.generators.shapes.shape_codes.select_filled_bits gives."""  # noqa: E501


def is_supported(shape: int) -> bool:
    """Return whether every layer of a shape rests on the one below; the lowest on the ground."""
    if shape <= LAYER:
        return True
    return _is_supported_by_groups(select_filled_bits(shape))


@lru_cache(maxsize=1 << 14)
def _is_supported_by_groups(bits: int) -> bool:
    below = _MASKS[bits & LAYER]
    while bits := bits >> LAYER_BITS:
        mask = _MASKS[bits & LAYER]
        if not RESTS[16 * mask + below]:
            return False
        below = mask
    return True
