"""Encode and decode states in the facelet orders and colour schemes of the papers.

A scheme says which colour each face has when solved; a codec says in which order a text lists the
54 stickers, and with which letters. Inside the engine there is only the URFDLB facelet string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from facelet.generators.cube.engine.notation import FACES, IllegalCube, check_letters, facelet_label

RGB = tuple[int, int, int]

COLOUR_RGB: Mapping[str, RGB] = MappingProxyType(
    {
        "White": (255, 255, 255),
        "Yellow": (255, 255, 0),
        "Red": (255, 0, 0),
        "Orange": (255, 128, 0),
        "Blue": (0, 0, 255),
        "Green": (0, 255, 0),
    }
)
"""The sticker colours by name (Cube Bench, appendix B.1)."""


@dataclass(frozen=True, slots=True)
class ColourScheme:
    """Colours of a solved cube, by face.

    Attributes:
        name: its key in SCHEMES.
        colours: face letter -> colour name, a key of COLOUR_RGB.
        letters: face letter -> the one letter that stands for the colour in text.
        rgb: the colours of U, R, F, D, L, B, in the order of CubeNet.colours.
    """

    name: str
    colours: Mapping[str, str] = field(hash=False)
    letters: Mapping[str, str] = field(hash=False)
    rgb: tuple[RGB, RGB, RGB, RGB, RGB, RGB]


def _colour_scheme(scheme: str, colours: str, *, lower: bool = False) -> ColourScheme:
    """Return a scheme from the colour names of U, R, F, D, L, B."""
    names = dict(zip(FACES, colours.split(), strict=True))
    initials = {face: colour[0] for face, colour in names.items()}
    if lower:
        initials = {face: initial.lower() for face, initial in initials.items()}
    u, r, f, d, l, b = (COLOUR_RGB[colour] for colour in names.values())  # noqa: E741
    return ColourScheme(scheme, names, initials, (u, r, f, d, l, b))


SCHEMES: Mapping[str, ColourScheme] = MappingProxyType(
    {
        scheme.name: scheme
        for scheme in (
            _colour_scheme("western", "White Red Green Yellow Orange Blue"),
            _colour_scheme("western_lower", "White Red Green Yellow Orange Blue", lower=True),
            _colour_scheme("cubebench", "Orange Yellow Red White Blue Green"),
            _colour_scheme("inf_bench", "Yellow Orange Green White Red Blue", lower=True),
        )
    }
)
"""Named schemes.

- "western": the usual cube, white on top and green in front (Cube Bench, standard scheme of
  appendix A; letters W R G Y O B).
- "western_lower": the same, with the tokens w r g y o b of Cube Bench's text nets (appendix B.3).
- "cubebench": orange on top and red in front, white opposite orange: the solved cube of the
  CubeBench environment (section 3.1.2 letters, faces as in appendix L).
- "inf_bench": yellow on top and green in front, the western cube turned over (Inf-Bench, appendix
  C.1.3, which lists colours y w r o g b for the faces U D L R F B).
"""

WESTERN = SCHEMES["western"]


@dataclass(frozen=True, slots=True)
class FaceletCodec:
    """A textual form of a state: 54 letters without separators.

    Attributes:
        name: its key in CODECS.
        face_order: the six faces in the order in which the text lists them.
        letters: the letters that stand for the colours of U, R, F, D, L, B.
        upside_down: faces whose stickers are listed from last to first, because the text reads them
            from a net in which they lie turned by 180 degrees.
    """

    name: str
    face_order: str
    letters: str
    upside_down: str = ""

    def __post_init__(self) -> None:
        """Refuse a codec whose text could not be read back."""
        if sorted(self.face_order) != sorted(FACES):
            raise ValueError(
                f"face_order {self.face_order!r} must hold each of U, R, F, D, L, B once"
            )
        if len(self.letters) != 6 or len(set(self.letters)) != 6:
            raise ValueError(f"letters {self.letters!r} must be six different letters")
        if not set(self.upside_down) <= set(FACES):
            raise ValueError(f"upside_down {self.upside_down!r} must name faces out of URFDLB")


@cache
def facelet_places(codec: FaceletCodec) -> tuple[int, ...]:
    """Return, for each place in a codec's text, the facelet index that it shows."""
    return tuple(
        9 * FACES.index(face) + (8 - sticker if face in codec.upside_down else sticker)
        for face in codec.face_order
        for sticker in range(9)
    )


def scheme_letters(scheme: ColourScheme) -> str:
    """Return a scheme's letters for U, R, F, D, L, B, as a codec wants them."""
    return "".join(scheme.letters[face] for face in FACES)


CODECS: Mapping[str, FaceletCodec] = MappingProxyType(
    {
        codec.name: codec
        for codec in (
            FaceletCodec("urfdlb", "URFDLB", FACES),
            FaceletCodec("urfdlb_colours", "URFDLB", scheme_letters(WESTERN)),
            FaceletCodec("fblrud", "FBLRUD", scheme_letters(SCHEMES["cubebench"]), "B"),
            FaceletCodec("fblrud_upright", "FBLRUD", scheme_letters(SCHEMES["cubebench"])),
        )
    }
)
"""Named codecs.

- "urfdlb": the engine's own string, which is also what Kociemba's solver reads (CubeBench, appendix
  K, solver format; Cube Bench, textual state).
- "urfdlb_colours": the same order in western colour letters.
- "fblrud": what the CubeBench environment shows (appendix K, initial format). Its net hangs B below
  D, so B is listed as it lies there: B9 first, the row that touches D on top. The paper's solved
  example (appendix L.8: state, rotation found for B, solution) settles this.
- "fblrud_upright": the same order with B read like the other sides, U on top.
"""


def encode_facelets(facelets: str, codec: FaceletCodec) -> str:
    """Return the codec's text of a state.

    Raises:
        IllegalCube: the state is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    written = facelets.translate(str.maketrans(FACES, codec.letters))
    return "".join([written[place] for place in facelet_places(codec)])


def decode_facelets(text: str, codec: FaceletCodec) -> str:
    """Return the facelet string of a codec's text; white space around it is ignored.

    Whether a cube can show the state is not checked; see `cubies.check_legality`.

    Raises:
        IllegalCube: reason "length", or "letters" with the place of the first wrong letter.
    """
    read = text.strip()
    if len(read) != 54:
        raise IllegalCube("length", f"{codec.name} text has 54 letters, this one has {len(read)}")
    stickers = [""] * 54
    for index, (place, letter) in enumerate(zip(facelet_places(codec), read, strict=True)):
        if (number := codec.letters.find(letter)) < 0:
            allowed = ", ".join(codec.letters)
            raise IllegalCube(
                "letters",
                f"{letter!r} at index {index} ({facelet_label(place)}) is not one of {allowed} "
                f"of {codec.name}",
            )
        stickers[place] = FACES[number]
    return "".join(stickers)
