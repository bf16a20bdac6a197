"""The solver tools of CubeBench: state text in, a short solution or an error out.

Two tools with one solver (CubeBench, section 4.3 and appendices I.2 and K). `solve_standard` reads
Kociemba's format, so that a player has to convert what it sees; `solve_ideal` reads the
environment's own text. Both answer in Kociemba's way: "U3 F2 R1 (3f)" is U three quarters, F two, R
one, all clockwise, and the number of turns; "(0f)" says that the cube is solved. A text that no
cube can show is answered by "Error: " and the reason, in the letters and places of that text.

Facelets are named by their face and place, as in "F5"; letters of a text are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.engine import cubies, facelet_codecs
from facelet.generators.cube.engine.facelet_codecs import CODECS, FaceletCodec
from facelet.generators.cube.engine.notation import (
    CENTRES,
    FACES,
    SUFFIXES,
    IllegalCube,
    Maneuver,
    facelet_label,
)

ERROR = "Error: "
"""Every answer about a wrong text begins with this, and no solution does."""

STANDARD = CODECS["urfdlb"]
"""The format of the standard tool."""

NAMED = 3
"""At most this many wrong letters are named one by one."""


def solve_standard(text: str) -> str:
    """Answer a state in Kociemba's format: 54 letters U, R, F, D, L, B, faces in that order.

    Any text has an answer; white space around it is ignored.
    """
    return solve_ideal(text, STANDARD)


def solve_ideal(text: str, codec: FaceletCodec) -> str:
    """Answer a state in the environment's own format.

    Any text has an answer; white space around it is ignored.

    Args:
        text: what the player sent.
        codec: order and letters of the environment, such as CODECS["fblrud"].
    """
    read = text.strip()
    if complaint := _complaint_about_letters(read, codec):
        return ERROR + complaint
    facelets = facelet_codecs.decode_facelets(read, codec)
    try:
        return format_solution(_find_solution(facelets))
    except IllegalCube as illegal:
        return ERROR + _find_complaint(facelets, illegal.reason, codec)


def format_solution(solution: Maneuver) -> str:
    """Return a solution, turns of single faces, as the tools write it."""
    words = [f"{move[0]}{SUFFIXES.index(move[1:]) + 1}" for move in solution]
    return " ".join([*words, f"({len(words)}f)"])


def standard_format() -> str:
    """Return what a prompt says about the text that the standard tool reads."""
    return _FORMAT.format(
        order=", ".join(STANDARD.face_order),
        letters="A letter names the face whose center has the sticker's color.",
        reading=_READING,
    )


def ideal_format(codec: FaceletCodec) -> str:
    """Return what a prompt says about the text that the ideal tool reads."""
    letters = ", ".join(f"{_face_letter(face, codec)} that of {face}" for face in codec.face_order)
    turned = "".join(
        f" The letters of {face} come in reverse, from its last sticker to its first."
        for face in codec.upside_down
    )
    return _FORMAT.format(
        order=", ".join(codec.face_order),
        letters=f"A letter stands for the color of a face's center: {letters}.",
        reading=_READING + turned,
    )


_FORMAT = """\
It takes 54 letters without blanks, nine for each face, the faces in the order {order}. {letters} \
{reading}"""

_READING = """\
The nine stickers of a face are read row by row, from left to right and from top to bottom, as \
someone sees them who looks straight at the face: U with B at its top, D with F at its top, the \
other four with U at their top."""

ANSWER_FORMAT = """\
It answers with the turns that solve the cube and their number, as in U3 F2 R1 (3f). A letter is \
a face, the digit after it how many quarter turns clockwise to give it: 1 is a quarter turn, 2 a \
half turn, 3 a quarter turn counterclockwise. A solved cube is answered by (0f), and a text that \
no cube can have by a line that begins with Error and says what is wrong."""
"""What a prompt says about the answers of both tools."""


@lru_cache(maxsize=4096)
def _find_solution(facelets: str) -> Maneuver:
    """Solve with the default number of nodes, so that replays always give the same answer."""
    return two_phase_solver.find_solution(facelets)


def _face_letter(face: str, codec: FaceletCodec) -> str:
    return codec.letters[FACES.index(face)]


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _describe_facelets(indices: Sequence[int], codec: FaceletCodec) -> str:
    """Return where facelets are: "U9, R1 and F3 (letters 9, 10 and 21)"."""
    places = [str(facelet_codecs.facelet_places(codec).index(index) + 1) for index in indices]
    letters = "letters" if len(places) > 1 else "letter"
    return (
        f"{_join_words([facelet_label(index) for index in indices])} ({letters} "
        f"{_join_words(places)})"
    )


def _complaint_about_letters(text: str, codec: FaceletCodec) -> str:
    """Return what is wrong with length, letters and their numbers; "" if nothing is."""
    if len(text) != 54:
        blanks = " (blanks count as well)" if re.search(r"\s", text[:200]) else ""
        return (
            f"a cube has 54 stickers, nine on each face; the text has {len(text)} letters{blanks}"
        )
    wrong = [place for place, letter in enumerate(text) if letter not in codec.letters]
    if wrong:
        shown = [
            f"letter {place + 1} "
            f"({facelet_label(facelet_codecs.facelet_places(codec)[place])}) is {text[place]!r}"
            for place in wrong[:NAMED]
        ]
        more = [f"{len(wrong) - NAMED} more are wrong"] if len(wrong) > NAMED else []
        allowed = [_face_letter(face, codec) for face in codec.face_order]
        return f"only {_join_words(allowed)} may be used, but {_join_words(shown + more)}"
    counts = {
        _face_letter(face, codec): text.count(_face_letter(face, codec))
        for face in codec.face_order
    }
    odd = [f"{count} {letter}" for letter, count in counts.items() if count != 9]
    return f"each letter must occur nine times, but there are {_join_words(odd)}" if odd else ""


def _find_complaint(facelets: str, reason: str, codec: FaceletCodec) -> str:
    """Return why no cube can show a state of nine stickers of each colour."""
    if reason == "centres":
        return _about_centres(facelets, codec)
    if reason == "corner":
        return _about_pieces(facelets, reason, cubies.CORNERS, cubies.CORNER_FACELETS, codec)
    if reason == "edge":
        return _about_pieces(facelets, reason, cubies.EDGES, cubies.EDGE_FACELETS, codec)
    return _UNREACHABLE[reason]


_UNREACHABLE = {
    "twist": "all pieces are there, but a corner is twisted in its place: the twists of the "
    "corners do not add up to whole turns, so no moves solve this cube",
    "flip": "all pieces are there, but an edge is flipped in its place: an odd number of edges is "
    "flipped, so no moves solve this cube",
    "parity": "all pieces are there, but two of them are exchanged: the parity of the corners and "
    "that of the edges differ, so no moves solve this cube",
}


def _about_centres(facelets: str, codec: FaceletCodec) -> str:
    wrong = [
        f"{_describe_facelets([index], codec)} is "
        f"{_face_letter(facelets[index], codec)} and should be "
        f"{_face_letter(face, codec)}"
        for index, face in zip(CENTRES, FACES, strict=True)
        if facelets[index] != face
    ]
    return f"the centers never move, but {_join_words(wrong)}"


def _about_pieces(
    facelets: str,
    kind: str,
    pieces: Sequence[str],
    places: Sequence[tuple[int, ...]],
    codec: FaceletCodec,
) -> str:
    """Return which corner or edge does not exist, or is there twice."""
    found: dict[str, tuple[int, ...]] = {}
    twice = ""
    for place in places:
        shown = "".join(facelets[index] for index in place)
        turns = {shown[turn:] + shown[:turn] for turn in range(len(shown))}
        piece = next((piece for piece in pieces if piece in turns), None)
        letters = _join_words([_face_letter(letter, codec) for letter in shown])
        if piece is None:
            mirrored = any(set(piece) == set(shown) for piece in pieces)
            why = (
                f"the {kind} of these colors has them the other way round"
                if mirrored
                else f"no {kind} has these colors"
            )
            return f"the {kind} at {_describe_facelets(place, codec)} shows {letters}: {why}"
        if piece in found and not twice:
            twice = (
                f"the {kind} of {letters} is there twice, at "
                f"{_describe_facelets(found[piece], codec)} and at "
                f"{_describe_facelets(place, codec)}"
            )
        found[piece] = place
    missing = [piece for piece in pieces if piece not in found]
    lost = _join_words([_face_letter(letter, codec) for letter in missing[0]])
    return f"{twice}, and the {kind} of {lost} is missing"
