"""Parsers of replies: the table of spellings, and what must hold for any string."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.replies import array, boundary, letter, plain_text, yes_no
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.record import read_labelled
from facelet.generators.cube.tasks.move_effect import EFFECTS, MOVE_TEXT

NAMES = ("White", "Yellow", "Green", "Blue", "Orange", "Red")
COLOURS = {name.lower(): name for name in NAMES} | {name[0].lower(): name for name in NAMES}
FACES = {name.lower(): name for name in NAMES} | dict(
    zip("udfblr", ("White", "Yellow", "Green", "Blue", "Orange", "Red"), strict=True)
)

Parser = Callable[[str], Parsed[Any]]
PARSERS: dict[str, Parser] = {
    "choice": letter.read_choice,
    "choice_or_idk": letter.choice_or_idk,
    "yes_no": yes_no.yes_no,
    "move_effect": lambda text: read_labelled(text, "ABCD", EFFECTS, echo=MOVE_TEXT),
    "matrix": lambda text: array.read_matrix(text, (COLOURS, FACES)),
}
TABLE = json.loads(Path(__file__).with_name("replies.json").read_text(encoding="utf-8"))


def plain_value(value: Any) -> Any:
    """Return a parsed value as the table writes it."""
    if isinstance(value, tuple) and len(value) == 9:
        return "".join(word[0] for word in value)
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("kind", ["strict", "accepted"])
def test_only_the_first_spellings_are_strict(name: str, kind: str) -> None:
    found = {text: PARSERS[name](text) for text in TABLE[name][kind]}
    read = {text: (plain_value(parsed.value), parsed.strict) for text, parsed in found.items()}
    assert read == {text: (value, kind == "strict") for text, value in TABLE[name][kind].items()}


@pytest.mark.parametrize("name", PARSERS)
def test_refused_spellings(name: str) -> None:
    read = {text: PARSERS[name](text) for text in TABLE[name]["refused"]}
    assert read == dict.fromkeys(read, Parsed(None, strict=False))


@pytest.mark.parametrize("name", PARSERS)
@given(text=st.text())
def test_any_string_is_taken(name: str, text: str) -> None:
    parsed = PARSERS[name](text)
    assert parsed.value is not None or not parsed.strict


def test_an_option_may_be_repeated_only_where_its_form_is_known() -> None:
    reply = "A: sugar -> less\nB: more"
    assert read_labelled(reply, "AB", ("LESS", "MORE")).value == ("", "MORE")
    assert read_labelled(reply, "AB", ("LESS", "MORE"), echo="[a-z]{1,9}").value == (
        "LESS",
        "MORE",
    )


def test_a_value_is_read_in_any_letters_that_stand_for_it() -> None:
    """An expression that minds no case takes these for an i, an s and a k."""
    for said in ("\u0130NCREASE", "\u0131ncrea\u017fe"):
        assert read_labelled(f"A: {said}", "AB", EFFECTS).value == ("INCREASE", "")
    assert read_labelled("A: li\u212ae", "AB", ("LIKE",)).value == ("LIKE", "")


PIECES = (
    *("<ANSWER>", "</ANSWER>", "<answer", "Answer:", "answer is ", "\\boxed{", "}", "<A>", "</A>"),
    *("<think>", "</think>", "A", "B", "C: ", " or ", "/", "Yes", "no", "DECREASE", "NO_CHANGE"),
    *("IDK", "E", "I don't know", "I do not "),
    *("Row 1: [", "Row 2", "White", "R, ", "]", "\n", " ", "*", "|", "(", "U2 -> ", "\u2003", "'"),
)


@pytest.mark.parametrize("name", PARSERS)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_heap_of_fragments_is_taken(name: str, pieces: list[str]) -> None:
    parsed = PARSERS[name]("".join(pieces))
    assert parsed.value is not None or not parsed.strict


UNMARKED = st.text().filter(lambda text: boundary.visible_text(f"x{text}</think>y") == "y")
"""Texts without a marker that ends a turn, which would end the reply."""


@pytest.mark.parametrize("name", PARSERS)
@given(before=UNMARKED, thought=UNMARKED)
def test_thoughts_do_not_count(name: str, before: str, thought: str) -> None:
    final = next(iter(TABLE[name]["strict"]))
    expected = PARSERS[name](final)
    assert PARSERS[name](f"<think>{thought}</think>{final}") == expected
    assert PARSERS[name](f"{before}</think>{final}") == expected
    if "<" not in before + thought:
        assert PARSERS[name](f"<think>{before}{final}") == Parsed(None, strict=False)


@pytest.mark.parametrize("name", PARSERS)
@given(before=st.text(alphabet="xyz .,\n", max_size=6000))
def test_what_stands_before_costs_only_strictness(name: str, before: str) -> None:
    final = next(iter(TABLE[name]["strict"]))
    parsed = PARSERS[name](f"{before} word\n\n{final}")
    assert (parsed.value, parsed.strict) == (PARSERS[name](final).value, False)


@pytest.mark.parametrize("name", PARSERS)
def test_only_the_tail_is_read(name: str) -> None:
    final = next(iter(TABLE[name]["strict"]))
    assert PARSERS[name](final + " z" * boundary.TAIL).value is None
    assert PARSERS[name]("z " * boundary.TAIL + "\n" + final).value is not None


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("between", ["", " ", "\n", "<|im_end|>", "<think>so</think>"])
def test_a_long_preface_costs_strictness_wherever_it_is_cut(name: str, between: str) -> None:
    """A tail that happens to begin where the answer does is no whole reply."""
    final = next(iter(TABLE[name]["strict"]))
    for length in (1, boundary.TAIL - len(final), boundary.TAIL, 2 * boundary.TAIL):
        assert not PARSERS[name]("x" + between * length + final).strict
        assert not PARSERS[name]("x" * length + between + "\n" * length + final).strict


@pytest.mark.parametrize("name", PARSERS)
def test_outer_blanks_and_thoughts_of_any_length_cost_nothing(name: str) -> None:
    final = next(iter(TABLE[name]["strict"]))
    expected = PARSERS[name](final)
    for before in (" \n" * boundary.TAIL, f"<think>{'x' * boundary.TAIL}</think>"):
        assert PARSERS[name](f"{before}{final}{' ' * boundary.TAIL}") == expected


@pytest.mark.parametrize("label", ["B: R2", "B\n"])
def test_what_begins_at_the_cut_is_no_beginning(label: str) -> None:
    rest = (" z" * boundary.TAIL)[: boundary.TAIL - len(label)]
    assert letter.read_choice(label + rest).value == "B"
    assert letter.read_choice(f"x{label}{rest}").value is None


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.some(3)
def test_long_repeats_are_taken(name: str, piece: str) -> None:
    """A quadratic expression would need minutes here."""
    for end in ("", "A", "Yes", " ", "\n"):
        parsed = PARSERS[name](piece * 100_000 + end)
        assert parsed.value is not None or not parsed.strict


@given(st.text(st.sampled_from(" \t\r\n\x0b\x1c_*`$\"'aZ<9") | st.characters(), max_size=40))
def test_ascii_is_squeezed_as_all_text_is(text: str) -> None:
    for plain in (plain_text._PLAIN, plain_text._PLAINER):
        slow = plain_text._BLANKS.sub(" ", text.translate(plain.signs))
        assert plain_text.squeeze_text(text, plain) == plain_text._NEWLINES.sub("\n", slow).strip()


@given(st.lists(st.sampled_from(["a", "\n", "<", "think", "/", ">", "\u212a", "thin", "<Think>"])))
def test_a_look_for_thoughts_misses_none(pieces: list[str]) -> None:
    text = "".join(pieces)
    # A sign that is not ASCII takes the long way.
    assert (
        boundary.visible_text(text)
        == boundary.visible_text(f"\u00e9\n{text}").removeprefix("\u00e9").strip()
    )
