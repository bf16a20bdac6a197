"""Encode shapes as integers and as codes such as "Su--Ry--:Wp------", lowest layer first.

A shape is a whole number. A quadrant takes six bits: three for its type (0 where it is empty, else
1 to 5) and below them three for its colour. Quadrants 1 to 4 are the top right, the bottom right,
the bottom left and the top left; quadrant q of layer l, both from 0, stands at bit 24 * l + 6 * q.
No layer of a shape is wholly empty, except that 0, a shape of which nothing is left, is written as
one empty layer.
"""

from __future__ import annotations

from functools import lru_cache

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
