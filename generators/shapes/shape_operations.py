"""Apply the operations to a shape, which is an integer (see shape_codes).

Where the paper contradicts itself or is silent, shape_codes states the rule.
"""

from __future__ import annotations

from collections.abc import Callable

from facelet.generators.shapes.shape_codes import (
    BITS,
    LAYER,
    LAYER_BITS,
    WHOLE,
    count_layers,
    select_filled_bits,
)


def _quadrant_bits(*places: int) -> int:
    """Return all bits of some quadrants, 0 to 3, in all layers."""
    one = sum(63 << BITS * place for place in places)
    return sum(one << LAYER_BITS * number for number in range(4))


_FIRST, _SECOND, _THIRD, _FOURTH = (_quadrant_bits(place) for place in range(4))
_LEFT = _THIRD | _FOURTH
_TO_THIRD = _FIRST | _SECOND | _THIRD
_FROM_SECOND = _SECOND | _THIRD | _FOURTH
_ONES = select_filled_bits(WHOLE)
_EACH_LAYER = sum(1 << LAYER_BITS * number for number in range(4))


def cut_half(shape: int, _: int = 0) -> int:
    """Return what is left without the right half; layers that it empties are gone."""
    left = shape & _LEFT
    if left & LAYER and left < 1 << LAYER_BITS:
        return left
    kept = place = 0
    while left:
        if layer := left & LAYER:
            kept |= layer << place
            place += LAYER_BITS
        left >>= LAYER_BITS
    return kept


def turn_clockwise(shape: int, _: int = 0) -> int:
    """Return the shape turned by 90 degrees: quadrant 1 becomes quadrant 2, and so on."""
    return (shape & _TO_THIRD) << BITS | (shape & _FOURTH) >> 3 * BITS


def turn_counterclockwise(shape: int, _: int = 0) -> int:
    """Return the shape turned the other way: quadrant 1 becomes quadrant 4, and so on."""
    return (shape & _FROM_SECOND) >> BITS | (shape & _FIRST) << 3 * BITS


def mirror_shape(shape: int, _: int = 0) -> int:
    """Return the shape with left and right swapped: quadrants 1 and 4, and 2 and 3."""
    return (
        (shape & _FIRST) << 3 * BITS
        | (shape & _SECOND) << BITS
        | (shape & _THIRD) >> BITS
        | (shape & _FOURTH) >> 3 * BITS
    )


def paint_top(shape: int, colour: int) -> int:
    """Return the shape with every filled quadrant of its top layer in a colour, 0 to 7."""
    place = (count_layers(shape) - 1) * LAYER_BITS
    ones = select_filled_bits(shape) >> place << place
    return shape & ~(ones * 7) | ones * colour


def paint_all(shape: int, colour: int) -> int:
    """Return the shape with every filled quadrant of all layers in a colour, 0 to 7."""
    ones = select_filled_bits(shape)
    return shape & ~(ones * 7) | ones * colour


def fill_empty(shape: int, piece: int) -> int:
    """Return the shape with a piece in every empty quadrant of its layers."""
    empty = _ONES & ((1 << count_layers(shape) * LAYER_BITS) - 1) & ~select_filled_bits(shape)
    return shape | empty * piece


def fill_with(shape: int, filler: int) -> int:
    """Return the shape with the piece of another one in every empty quadrant of its layers.

    Args:
        shape: the shape.
        filler: one layer whose four quadrants are filled; each gives the piece at its own place.
    """
    empty = _ONES & ((1 << count_layers(shape) * LAYER_BITS) - 1) & ~select_filled_bits(shape)
    return shape | empty * 63 & filler * _EACH_LAYER


def stack_shapes(shape: int, upper: int) -> int:
    """Return the shape with another one on top, which comes down from above in one piece.

    It stops at the first filled quadrant that one of its own meets; whole layers above the
    fourth are gone.
    """
    lower, coming = select_filled_bits(shape), select_filled_bits(upper)
    if not lower:
        return upper
    height = count_layers(shape)
    while height and not lower & coming << (height - 1) * LAYER_BITS:
        height -= 1
    return (shape | upper << height * LAYER_BITS) & WHOLE


def canonical_shape(shape: int) -> int:
    """Return the least of the eight shapes that turning and mirroring make of a shape."""
    images = []
    for image in (shape, mirror_shape(shape)):
        for _ in range(4):
            images.append(image)
            image = turn_clockwise(image)
    return min(images)


APPLY: tuple[Callable[[int, int], int], ...] = (
    cut_half,
    turn_clockwise,
    turn_counterclockwise,
    mirror_shape,
    paint_top,
    fill_empty,
    stack_shapes,
    paint_all,
    fill_with,
)
"""The operations by their kind; the last two are other readings of painting and filling."""
