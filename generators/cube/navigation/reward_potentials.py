"""Potentials: the progress of a cube, as CubeBench's dense rewards count it (section 3.1.4).

The reward of a move is the difference of one of these before and after it:

    sticker     stickers on their home face, centres included; 6 (the paper says 9) to 54
    face        faces whose nine stickers are all their own, 0 to 6
    heuristic   the highest of the seven steps of the layer-by-layer method (appendix J) that is
                complete, all steps before it included; 0 to 7

The bottom layer of that method is D; the centres never move:

    1   bottom cross        the four D edges are in their places, the right way round
    2   bottom corners      the four D corners too
    3   second layer        the four edges between the layers too
    4   top cross           the four U edges show U on top, in whatever order
    5   top edges           they are in their places
    6   top corners         the four U corners are in their places, twisted or not
    7   top corners turned  the cube is solved

States are facelet strings with the centres of the solved state, unchecked here, for speed.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, itemgetter
from typing import Literal

from facelet.generators.cube.engine.cubies import CORNER_FACELETS, CORNERS, EDGE_FACELETS, EDGES
from facelet.generators.cube.engine.facelets import FACES, SOLVED

Potential = Callable[[str], int]
Dense = Literal["sticker", "face", "heuristic"]


def count_home_stickers(facelets: str) -> int:
    """Return how many of the 54 stickers are on their home face, centres included."""
    return sum(map(eq, facelets, SOLVED))


def count_solved_faces(facelets: str) -> int:
    """Return how many faces are uniform in the colour of their centre."""
    return sum([facelets[start : start + 9] == own for start, own in _FACES])


_FACES = tuple((9 * place, letter * 9) for place, letter in enumerate(FACES))


def count_layer_steps(facelets: str) -> int:
    """Return the highest step of the layer-by-layer method that is complete, 0 to 7."""
    for done, (shown, wanted) in enumerate(_STEPS):
        if shown(facelets) != wanted:
            return done
    if not all([set(shown(facelets)) == wanted for shown, wanted in _TOP_CORNERS]):
        return 5
    return 7 if facelets == SOLVED else 6


_Shown = Callable[[str], tuple[str, ...]]


def _facelet_reader(places: tuple[int, ...]) -> tuple[_Shown, tuple[str, ...]]:
    """Return a function that reads some facelets, and what it returns when they are solved."""
    read = itemgetter(*places)
    return read, read(SOLVED)


def _layer_facelets(
    layer: str, names: tuple[str, ...], stickers: tuple[tuple[int, ...], ...]
) -> list[int]:
    """Return the facelets of the pieces of a layer: "D", "U", or "" for the edges of neither."""
    return [
        index
        for name, places in zip(names, stickers, strict=True)
        if (layer and layer in name) or (not layer and not set("UD") & set(name))
        for index in places
    ]


_STEPS = (
    _facelet_reader(tuple(_layer_facelets("D", EDGES, EDGE_FACELETS))),
    _facelet_reader(tuple(_layer_facelets("D", CORNERS, CORNER_FACELETS))),
    _facelet_reader(tuple(_layer_facelets("", EDGES, EDGE_FACELETS))),
    _facelet_reader(
        tuple(index for index in _layer_facelets("U", EDGES, EDGE_FACELETS) if SOLVED[index] == "U")
    ),
    _facelet_reader(tuple(_layer_facelets("U", EDGES, EDGE_FACELETS))),
)
"""Steps 1 to 5: a function that reads the facelets of the step, and what it must return."""

_TOP_CORNERS = tuple(
    (itemgetter(*places), set(name))
    for name, places in zip(CORNERS, CORNER_FACELETS, strict=True)
    if "U" in name
)
"""Step 6: the three colours that each place must show, in any order."""

POTENTIALS: dict[Dense, Potential] = {
    "sticker": count_home_stickers,
    "face": count_solved_faces,
    "heuristic": count_layer_steps,
}
"""The potentials by name."""
