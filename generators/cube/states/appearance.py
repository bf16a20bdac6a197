"""The appearance of a state's picture: colours, brightness, and covered stickers.

Variants: "clean" (Cube Bench colours, all in sight), "recoloured" (other shades of the same six
colour names), "swapped" (the same six shades, each on stickers that usually have another one),
"occluded" (some stickers under patches), "dimmed" (a darker picture). A picture never hides or
distorts what its answer needs: the caller says which stickers a patch may cover, brightness stays
in a range in which every colour is still nearest to its own name, and the six centres are never
covered. A swap leaves every turn what it was; only the names of colours are others than memory, or
a text in the usual colours, says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from facelet.generators.core.params import param
from facelet.generators.core.task import Column, Reject
from facelet.generators.cube.engine.notation import CENTRES, FACES
from facelet.generators.cube.states.state_texts import COLOUR_OF
from facelet.renderers.scenes.palettes import draw_palette
from facelet.renderers.scenes.records import CUBE_BENCH, SAFE_BRIGHTNESS, CubeNet, SixColours

Variant = Literal["clean", "recoloured", "swapped", "occluded", "dimmed"]
VARIANTS: tuple[Variant, ...] = ("clean", "recoloured", "swapped", "occluded", "dimmed")

MAX_PATCHES = 24
DIM = (SAFE_BRIGHTNESS[0], 0.8)
"""Range that the brightness of a dimmed picture is drawn from, in whole hundredths."""

COLUMNS: tuple[Column, ...] = (
    Column("variant", "string", "how the picture looks: one of five variants"),
    Column("colours", "list<string>", "shades of U R F D L B before dimming, as in #ff8000"),
    Column("hidden", "list<int8>", "indices into facelets of stickers under patches, ascending"),
    Column("brightness", "float64", "factor on every pixel; 1.0 as lit by day"),
)


@dataclass(frozen=True, slots=True)
class Appearance:
    """How a state is drawn.

    Attributes:
        variant: the name of the variant.
        colours: shades of U, R, F, D, L, B.
        hidden: indices of covered stickers, ascending.
        brightness: factor on every pixel.
    """

    variant: Variant = "clean"
    colours: SixColours = CUBE_BENCH
    hidden: tuple[int, ...] = ()
    brightness: float = 1.0

    def build_scene(self, facelets: str) -> CubeNet:
        """Return the picture of a state."""
        return CubeNet(facelets, self.colours, hidden=self.hidden, brightness=self.brightness)

    def visible_letters(self, letters: str) -> str:
        """Return stickers by what is seen: as the face letters that usually have those colours."""
        return (
            letters.translate(_shade_to_letter(self.colours))
            if self.variant == "swapped"
            else letters
        )

    @property
    def shade_legend(self) -> SixColours:
        """Shades by colour name: what is white, red, green, yellow, orange and blue here."""
        return CUBE_BENCH if self.variant == "swapped" else self.colours

    @property
    def prompt_remark(self) -> str:
        """What a prompt says about the variant; empty when there is nothing to say."""
        return _REMARKS.get(self.variant, "")


@lru_cache(maxsize=1024)
def _shade_to_letter(colours: SixColours) -> dict[int, str]:
    """Return for each face letter the one that usually has the shade that it has here."""
    return str.maketrans(
        {face: FACES[CUBE_BENCH.index(shade)] for face, shade in zip(FACES, colours, strict=True)}
    )


_REMARKS = {
    "occluded": "Striped gray patches cover some stickers; those in sight are enough to answer.",
    "dimmed": "The picture was taken in dim light: every color in it is scaled towards black.",
}


def patches_param() -> Any:
    """Return the field of params that says how many patches a picture has."""
    return param(8, "most patches in an occluded picture", low=1, high=MAX_PATCHES, look=True)


def draw_appearance(
    variant: Variant,
    patches: int,
    rng: np.random.Generator,
    coverable: Sequence[int],
    needed: Callable[[frozenset[int]], bool] = lambda hidden: False,
) -> Appearance:
    """Return a random appearance.

    Args:
        variant: which.
        patches: number of patches of an occluded picture, at most; fewer if more would hide what
            the answer needs.
        rng: the item's generator.
        coverable: indices of stickers that a patch may cover; centres are never covered.
        needed: whether covering a set of stickers would hide what the answer needs. It must be
            monotone: if it is true of a set, it is true of every larger one.

    Raises:
        Reject: not even one sticker may be covered.
    """
    if variant == "recoloured":
        return Appearance(variant, colours=draw_palette(rng, tuple(COLOUR_OF[f] for f in FACES)))
    if variant == "swapped":
        return Appearance(variant, colours=_swap_shades(rng))
    if variant == "dimmed":
        low, high = (round(100 * bound) for bound in DIM)
        return Appearance(variant, brightness=int(rng.integers(low, high + 1)) / 100)
    if variant == "clean":
        return Appearance(variant)
    hidden: frozenset[int] = frozenset()
    free = [index for index in coverable if index not in CENTRES]
    for place in rng.permutation(len(free)):
        if len(hidden) == patches:
            break
        more = hidden | {free[int(place)]}
        if not needed(more):
            hidden = more
    if not hidden:
        raise Reject("every sticker that a patch could cover is needed for the answer")
    return Appearance(variant, hidden=tuple(sorted(hidden)))


def _swap_shades(rng: np.random.Generator) -> SixColours:
    """Return the usual shades in an order in which none is where it usually is, drawn evenly."""
    while True:
        order = rng.permutation(len(CUBE_BENCH)).tolist()
        if all(place != shade for place, shade in enumerate(order)):
            up, right, front, down, left, back = (CUBE_BENCH[shade] for shade in order)
            return up, right, front, down, left, back


def encode_appearance(appearance: Appearance) -> dict[str, Any]:
    """Return the appearance columns."""
    return {
        "variant": appearance.variant,
        "colours": [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in appearance.colours],
        "hidden": list(appearance.hidden),
        "brightness": appearance.brightness,
    }


def decode_appearance(row: Mapping[str, Any]) -> Appearance:
    """Return the appearance that a row holds."""
    return _build_appearance(
        row["variant"], tuple(row["colours"]), tuple(row["hidden"]), row["brightness"]
    )


@lru_cache(maxsize=1024)
def _build_appearance(
    variant: Variant, shades: tuple[str, ...], hidden: tuple[int, ...], brightness: float
) -> Appearance:
    """Return the appearance of these columns, remembered: most rows of a dataset share one."""
    up, right, front, down, left, back = map(_parse_shade, shades)
    return Appearance(variant, (up, right, front, down, left, back), hidden, brightness)


def _parse_shade(code: str) -> tuple[int, int, int]:
    number = int(code[1:], 16)
    return number >> 16, number >> 8 & 255, number & 255


def find_appearance_faults(appearance: Appearance) -> list[str]:
    """Return what is false about an appearance, in words; empty if nothing."""
    wrong = []
    if set(appearance.hidden) & set(CENTRES):
        wrong.append("a centre is covered")
    permuted = sorted(appearance.colours) == sorted(CUBE_BENCH)
    moved = all(map(tuple.__ne__, appearance.colours, CUBE_BENCH))
    expected = {
        "recoloured": not permuted,
        "swapped": permuted and moved,
        "occluded": appearance.hidden != (),
        "dimmed": appearance.brightness != 1.0,
    }
    if permuted and not moved and appearance.colours != CUBE_BENCH:
        wrong.append("some colours are swapped, and some are not")
    for variant, differs in expected.items():
        if differs != (appearance.variant == variant):
            wrong.append(f"the picture is {'' if differs else 'not '}{variant} in fact")
    if appearance.variant not in VARIANTS:
        wrong.append(f"unknown variant {appearance.variant!r}")
    return wrong
