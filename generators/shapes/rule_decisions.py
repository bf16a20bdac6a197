"""The rules of shapes where the paper (Inf-Bench) is ambiguous or silent.

Each entry states what the paper says, what applies here, and the param that restores another
reading of the paper, if there is one.

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
from facelet.generators.shapes import shape_codes

Space = Literal["2d", "2.5d"]
Types = Literal["five", "four"]
Coloring = Literal["top", "all"]
Filler = Literal["piece", "shape"]
Steps = Literal["live", "effective", "any"]

LAYERS: dict[Space, int] = {"2d": 1, "2.5d": shape_codes.MAX_LAYERS}
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


_MASKS = {
    sum((mask >> q & 1) << shape_codes.BITS * q for q in range(shape_codes.QUADRANTS)): mask
    for mask in range(16)
}
"""Filled quadrants of a layer, by the bits that facelet.generators.shapes.shape_codes.select_filled_bits gives."""  # noqa: E501


def is_supported(shape: int) -> bool:
    """Return whether every layer of a shape rests on the one below; the lowest on the ground."""
    if shape <= shape_codes.LAYER:
        return True
    return _is_supported_by_groups(shape_codes.select_filled_bits(shape))


@lru_cache(maxsize=1 << 14)
def _is_supported_by_groups(bits: int) -> bool:
    below = _MASKS[bits & shape_codes.LAYER]
    while bits := bits >> shape_codes.LAYER_BITS:
        mask = _MASKS[bits & shape_codes.LAYER]
        if not RESTS[16 * mask + below]:
            return False
        below = mask
    return True
