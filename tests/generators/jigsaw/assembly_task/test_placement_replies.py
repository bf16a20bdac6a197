"""What replies are read as: placements of six pieces, and the array of one piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.replies.boundary import TAIL
from facelet.generators.jigsaw.assembly_task import replies
from facelet.generators.jigsaw.geometry.cube_surface import FACES, Placement
from facelet.generators.jigsaw.tasks import perception

PAPER = (
    Placement("Back", 2, 1),
    Placement("Bottom", 1, 2),
    Placement("Top", 1, 2),
    Placement("Right", 3, 2),
    Placement("Left", 3, 2),
    Placement("Front", 4, 3),
)
LINES = """\
A: (Back, 2, 1)
B: (Bottom, 1, 2)
C: (Top, 1, 2)
D: (Right, 3, 2)
E: (Left, 3, 2)
F: (Front, 4, 3)"""
OTHER = LINES.replace("Back, 2, 1", "Back, 1, 2")

STRICT = {
    "bare": f"The final solution is\n{LINES}",
    "after reasoning": f"Piece B must be on the Bottom.\nThe final solution is\n{LINES}\n",
    "after thoughts": f"<think>{OTHER}</think>The final solution is\n{LINES}",
    "colon": f"The final solution is:\n\n{LINES}",
    "commas, as the paper prints it": "The final solution is\n" + LINES.replace(")\n", "),\n"),
    "the last of two": f"The final solution is\n{OTHER}\nNo.\nThe final solution is\n{LINES}",
}
LENIENT = {
    "no words": LINES,
    "markdown": "**The final solution is**\n" + LINES.replace("A:", "- **A**:"),
    "case": "the FINAL SOLUTION is\n" + LINES.replace("Back", "BACK").replace("Top", "top"),
    "one line": "The final solution is " + LINES.replace("\n", ", "),
    "table": "| piece | face | left | top |\n"
    + "".join(
        f"| {x} | {p.face} | {p.left} | {p.top} |\n" for x, p in zip("ABCDEF", PAPER, strict=True)
    ),
    "json": '{"A": ["Back", 2, 1], "B": ["Bottom", 1, 2], "C": ["Top", 1, 2], '
    '"D": ["Right", 3, 2], "E": ["Left", 3, 2], "F": ["Front", 4, 3]}',
    "json objects": "{"
    + ", ".join(
        f'"{x}": {{"face": "{p.face}", "left": {p.left}, "top": {p.top}}}'
        for x, p in zip("ABCDEF", PAPER, strict=True)
    )
    + "}",
    "arrows": LINES.replace(": (", " -> ").replace(")", ""),
    "edges by name": LINES.replace("Back, 2, 1", "Back face, edge 2, edge 1"),
    "left and top by name": LINES.replace("Back, 2, 1", "Back, left edge 2, top edge 1"),
    "another order": "\n".join(reversed(LINES.split("\n"))),
    "a word after": f"The final solution is\n{LINES}\nI checked A: (Back, 2, 1) twice.",
    "a line more": f"The final solution is\n{LINES}\nDone!",
    "latex": f"\\boxed{{{LINES}}}",
}
NOTHING = {
    "empty": "",
    "five lines": f"The final solution is\n{LINES.rpartition(chr(10))[0]}",
    "announced but broken off": f"{LINES}\nThe final solution is\nA: (Back, 1, 2)",
    "contradicted": f"The final solution is\n{LINES}\nRather A: (Back, 1, 2).",
    "a letter twice": f"The final solution is\n{LINES.replace('B:', 'A:')}",
    "no such face": f"The final solution is\n{LINES.replace('Back', 'Rear')}",
    "no such edge": f"The final solution is\n{LINES.replace('2, 1', '5, 1')}",
    "two figures": f"The final solution is\n{LINES.replace('2, 1', '2, 11')}",
    "thoughts only": f"<think>The final solution is\n{LINES}",
    "prose": "A goes to the back, B to the bottom and C on top.",
    "too long ago": f"The final solution is\n{LINES}\n{'x' * TAIL}",
}


@pytest.mark.parametrize("reply", STRICT.values(), ids=STRICT)
def test_the_requested_form(reply: str) -> None:
    parsed = replies.read_placements(reply)
    assert parsed.value == PAPER and parsed.strict


@pytest.mark.parametrize("reply", LENIENT.values(), ids=LENIENT)
def test_other_spellings(reply: str) -> None:
    parsed = replies.read_placements(reply)
    assert parsed.value == PAPER and not parsed.strict


@pytest.mark.parametrize("reply", NOTHING.values(), ids=NOTHING)
def test_no_answer(reply: str) -> None:
    parsed = replies.read_placements(reply)
    assert parsed.value is None and not parsed.strict


def test_answers_that_break_rules_are_read_all_the_same() -> None:
    """Judging is not the parser's business."""
    crowded = LINES.replace("Back, 2, 1", "Top, 3, 3")
    parsed = replies.read_placements(f"The final solution is\n{crowded}")
    assert parsed.strict and parsed.value is not None
    assert parsed.value[0] == Placement("Top", 3, 3)


@given(
    st.lists(
        st.builds(Placement, st.sampled_from(FACES), st.integers(1, 4), st.integers(1, 4)),
        min_size=6,
        max_size=6,
    )
)
def test_what_is_written_is_read(placements: list[Placement]) -> None:
    text = f"{replies.OPENING}\n{replies.format_lines(placements)}"
    parsed = replies.read_placements(text)
    assert parsed.value == tuple(placements) and parsed.strict
    for place in placements:
        assert replies.parse_label(replies.format_placement(place)) == place


@pytest.mark.parametrize("text", ["", "(Back, 2)", "Back, 2, 1", "(Rear, 2, 1)", "(Back, 5, 1)"])
def test_labels_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no placement"):
        replies.parse_label(text)


ARRAY = "[[1, 0, 0, 0, 0], [1, 1, 1, 1, 0], [0, 1, 1, 1, 1], [0, 1, 1, 1, 0], [1, 1, 0, 1, 0]]"
DIGITS = "1000011110011110111011010"
SAID = "Here is the converted 2D array:"
ROWS = [DIGITS[5 * row : 5 * row + 5] for row in range(5)]
ARRAYS = {
    "requested": (f"{SAID} {ARRAY}", True),
    "over lines": (f"{SAID}\n" + ARRAY.replace("], [", "],\n ["), True),
    "after thoughts": (f"<think>{ARRAY.replace('1', '0')}</think>\n{SAID} {ARRAY}", True),
    "tight": (f"{SAID} {ARRAY.replace(', ', ',')}", True),
    "alone": (ARRAY, False),
    "fenced": (f"{SAID}\n```python\n{ARRAY}\n```", False),
    "the last of two": (f"{ARRAY.replace('1', '0')}\nRather: {ARRAY}", False),
    "plain rows": ("\n".join(" ".join(row) for row in ROWS), False),
    "digits": ("\n".join(ROWS), False),
    "a word after": (f"{SAID} {ARRAY} Done.", False),
}
NO_ARRAYS = {
    "empty": "",
    "four rows": ARRAY.replace(", [1, 1, 0, 1, 0]]", "]"),
    "six rows": ARRAY.replace("]]", "], [1, 1, 1, 1, 1]]"),
    "six in a row": ARRAY.replace("[[1,", "[[1, 1,"),
    "other digits": ARRAY.replace("0", "2"),
    "thoughts only": f"<think>{ARRAY}",
    "words": "The piece has bumps at the top left and in the middle of edge 3.",
}


@pytest.mark.parametrize(("reply", "strict"), ARRAYS.values(), ids=ARRAYS)
def test_arrays(reply: str, strict: bool) -> None:
    parsed = perception.read_piece_array(reply)
    assert (parsed.value, parsed.strict) == (DIGITS, strict)


@pytest.mark.parametrize("reply", NO_ARRAYS.values(), ids=NO_ARRAYS)
def test_no_array(reply: str) -> None:
    parsed = perception.read_piece_array(reply)
    assert parsed.value is None and not parsed.strict


@given(st.text(alphabet="ABCDEF:()[], 01234\nTopBacklefedg", max_size=300))
def test_any_text_is_taken(text: str) -> None:
    for read in (replies.read_placements, perception.read_piece_array):
        parsed = read(text)
        assert parsed.value is None or len(parsed.value) in (6, 25)


def test_hostile_texts_are_taken() -> None:
    """Long runs of beginnings; an expression that backtracks would not come back from these."""
    for text in ("A: (", "A: Back, 1, ", "A: Back face left edge", "[0, 1, ", "0 1 ", "[", "01, "):
        assert replies.read_placements(text * 5000).value is None
        assert perception.read_piece_array(text * 5000).value is None
