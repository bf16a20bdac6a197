"""Write the prompts of an assembly and the feedback on a wrong answer."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.core.prompts import Message, Prompt, TextPart, chat_prompt
from facelet.generators.jigsaw.assemblies.validator import LETTERS
from facelet.generators.jigsaw.assembly_task.instances import Instance
from facelet.generators.jigsaw.assembly_task.replies import OPENING, format_line, format_lines
from facelet.generators.jigsaw.geometry.cube_surface import Placement
from facelet.generators.jigsaw.geometry.pieces import piece_rows

_SYSTEM = "You are a careful assistant who solves spatial puzzles exactly."

_RULES = """\
Six flat pieces make a hollow cube of 5 x 5 x 5 cells, one piece for each face. A piece is one \
cell thick and spans 5 x 5 cells: the inner 3 x 3 are always filled, and each of the 16 cells \
along the border is either filled (a bump) or empty (a gap). The four edges of a piece are \
numbered 1 to 4.

{shown}

Put one piece on each face of the cube. {moves} At each of the cube's edges, the three inner cells \
of the two pieces must interlock: where one has a bump, the other has a gap. At each of the eight \
corners, exactly one of the three pieces that meet there must fill the corner cell.

The faces are Top, Bottom, Left, Right, Front and Back. Write (face, left edge, top edge) for \
where a piece lies: look at that face from outside and name the piece's own edges that you then \
see on the left and on the top. Look at Front, Right, Back and Left with Top up, at Top with Back \
up, at Bottom with Front up. For example, A: (Back, {left}, {top}) would say that piece A is on \
the Back face and that, with Back towards you, its edge {left} is on the left and its edge {top} \
on the top. The two edges must be neighbours on the piece. {pairs}"""

_SHOWN = {
    "images": (
        "The picture shows the pieces A to F, each lying on a mat of 5 x 5 squares and seen from a "
        "viewpoint of its own, with the numbers of its edges beside it."
    ),
    "arrays": (
        "Further down are the pieces A to F as arrays; 0 is a gap and 1 is a bump. Edge 1 is the "
        "left column, edge 2 the top row, edge 3 the right column, edge 4 the bottom row."
    ),
}
_MOVES = {
    True: (
        "Pieces may be turned, and turned over: the side that you are shown faces outwards or "
        "inwards."
    ),
    False: (
        "Pieces may be turned but not turned over: the side that you are shown faces outwards."
    ),
}
_PAIRS = {
    True: (
        "With (1, 2), (2, 3), (3, 4) and (4, 1) the piece is only turned; with (2, 1), (3, 2), "
        "(4, 3) and (1, 4) it is turned over as well."
    ),
    False: "So the pairs that are allowed are (1, 2), (2, 3), (3, 4) and (4, 1).",
}

EXAMPLE = {True: Placement("Back", 2, 1), False: Placement("Back", 2, 3)}
"""The placement that explains the notation, with and without flips."""

_CLOSING = f"""\
Any assembly that closes the cube counts. Reason as long as you need; then end with the words \
"{OPENING}" and one line for each of the six pieces, in exactly this form:
{OPENING}
A: (face, left edge, top edge)
B: (face, left edge, top edge)
C: (face, left edge, top edge)
D: (face, left edge, top edge)
E: (face, left edge, top edge)
F: (face, left edge, top edge)"""

_ROUNDS = {
    "binary": "You have {rounds} tries. After a wrong answer you are told that it is wrong.",
    "detailed": (
        "You have {rounds} tries. After a wrong answer you are told which edges and corners of the "
        "cube are in conflict."
    ),
}


def first_prompt(puzzle: Instance) -> Prompt:
    """Return the first prompt of an instance."""
    rules = _RULES.format(
        shown=_SHOWN[puzzle.modality],
        moves=_MOVES[puzzle.flips],
        pairs=_PAIRS[puzzle.flips],
        **EXAMPLE[puzzle.flips]._asdict(),
    )
    blocks: list[str] = []
    if puzzle.modality == "arrays":
        blocks += map(_piece_array, LETTERS, puzzle.pieces)
    if puzzle.given:
        given_lines = "\n".join(format_line(LETTERS[index], place) for index, place in puzzle.given)
        blocks.append(
            f"These pieces are in place already; find where the others go:\n{given_lines}"
        )
    blocks.append(_CLOSING)
    if puzzle.feedback != "none":
        blocks.append(_ROUNDS[puzzle.feedback].format(rounds=puzzle.rounds))
    if puzzle.modality == "images":
        return chat_prompt(_SYSTEM, rules, puzzle.build_scene(), "\n\n".join(blocks))
    return chat_prompt(_SYSTEM, "\n\n".join([rules, *blocks]))


def _piece_array(letter: str, piece: int) -> str:
    """Return a piece as a list of five lists, one a line."""
    body = ",\n ".join(f"[{', '.join(row)}]" for row in piece_rows(piece))
    return f"Piece {letter}:\n[{body}]"


def unreadable_prompt(puzzle: Instance, left: int) -> Prompt:
    """Return the prompt after a reply without a readable answer.

    Args:
        puzzle: the instance.
        left: number of tries that are left.
    """
    example = format_line(LETTERS[0], EXAMPLE[puzzle.flips])
    form = f'End with "{OPENING}" and six lines such as {example}, one for each piece.'
    return _feedback_prompt(f"No answer could be read. {form}", left)


def rejection_prompt(remarks: Sequence[str], left: int) -> Prompt:
    """Return the prompt after a wrong answer.

    Args:
        remarks: conflicts in words; none in binary feedback.
        left: number of tries that are left.
    """
    text = "This answer is not right."
    if remarks:
        text += "\n" + "\n".join(f"- {remark}" for remark in remarks)
    return _feedback_prompt(text, left)


def _feedback_prompt(text: str, left: int) -> Prompt:
    tries = "This is your last try." if left == 1 else f"You have {left} tries left."
    return Prompt((Message("user", (TextPart(f"{text}\n{tries} Give all six lines again."),)),))


def reference_reply(puzzle: Instance) -> str:
    """Return the reply of a player that knows the reference."""
    return f"{OPENING}\n{format_lines(puzzle.solution)}"
