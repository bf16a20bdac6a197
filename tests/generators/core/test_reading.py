"""The compiled part of reading does what the Python does, whatever the text.

It may also do less: where it says that an expression cannot match, it must be right.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import pytest
from reply_corpora import ANSWERS, draw_match, iterate_mutations, load_corpus

from facelet.generators.core import compiled_parts
from facelet.generators.core.replies import (
    array,
    boundary,
    command,
    labels,
    letter,
    mentions,
    plain_text,
    record,
    yes_no,
)
from facelet.generators.cube.tasks.move_effect import EFFECTS, MOVE_TEXT

PART: Any = compiled_parts.load_compiled("facelet.generators.core._reading")
pytestmark = pytest.mark.skipif(PART is None, reason="not compiled here")

FORMS = (
    command.CommandForm("query", "My Query: {int}, {int}, {int}"),
    command.CommandForm("answer", "My Answer: {ints}"),
    command.CommandForm("move", "My Move: {UP|DOWN|LEFT|RIGHT}"),
)
NAMES = ("White", "Yellow", "Green", "Blue", "Orange", "Red")
WORDS = {name.lower(): name for name in NAMES} | {name[0].lower(): name for name in NAMES}
FACES = {name.lower(): name for name in NAMES} | dict(zip("udfblr", NAMES, strict=True))
LETTERS = tuple("ABCD")
HOLDING = {"matrix": "white", "labelled": "increase", "command": "my "}
"""What only replies to some readers hold: half of the texts that they are tried with do."""


def strip_memory(parser: Any) -> Callable[..., Any]:
    """Return a parser without its memory, which would hide what the other way reads."""
    return parser.__wrapped__  # type: ignore[no-any-return]


READERS: dict[str, Callable[[str], Any]] = {
    "visible": lambda text: (boundary.visible_text(text), boundary.visible_text(text, 40)),
    "plain": plain_text.plain_text,
    "choice": strip_memory(letter.read_choice),
    "choice_or_idk": strip_memory(letter.choice_or_idk),
    "yes_no": strip_memory(yes_no.yes_no),
    "labelled": lambda text: strip_memory(record._read_labelled)(text, LETTERS, EFFECTS, MOVE_TEXT),
    "two keys": lambda text: strip_memory(record._read_labelled)(
        text, ("A", "B"), ("LESS", "MORE"), ""
    ),
    "matrix": lambda text: array.read_matrix(text, (WORDS, FACES)),
    "command": lambda text: command.read_command(text, FORMS),
}


class ReadingWays:
    """The two ways of reading."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def read_both(
        self, read: Callable[[str], Any], texts: Iterable[str]
    ) -> list[tuple[str, Any, Any]]:
        """Return each text with what the compiled way and the plain one read."""
        some = list(texts)
        compiled_way = [read(text) for text in some]
        with self._patch.context() as patch:
            for module in (boundary, plain_text, labels, record, array, mentions):
                patch.setattr(module, "_part", None)
            patch.setattr(labels, "NEAR", sys.maxsize)
            plain_way = [read(text) for text in some]
        return list(zip(some, compiled_way, plain_way, strict=True))


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> ReadingWays:
    return ReadingWays(monkeypatch)


def select_differing(found: list[tuple[str, Any, Any]]) -> list[tuple[str, Any, Any]]:
    return [one for one in found if one[1] != one[2]][:3]


def iterate_named_mutations(name: str, count: int, seed: int = 9) -> Iterator[str]:
    yield from islice(iterate_mutations(seed), count // 2)
    yield from islice(iterate_mutations(seed, HOLDING.get(name, "")), count // 2)


@pytest.mark.parametrize("name", READERS)
def test_all_corpora_are_read_alike(name: str, ways: ReadingWays) -> None:
    assert not select_differing(ways.read_both(READERS[name], load_corpus()))


@pytest.mark.parametrize("name", READERS)
def test_mutated_replies_are_read_alike(name: str, ways: ReadingWays) -> None:
    assert not select_differing(ways.read_both(READERS[name], iterate_named_mutations(name, 500)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", READERS)
def test_many_mutated_replies_are_read_alike(name: str, seed: int, ways: ReadingWays) -> None:
    assert not select_differing(
        ways.read_both(READERS[name], iterate_named_mutations(name, 10_000, seed))
    )


def test_a_fault_is_seen(ways: ReadingWays, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled part that finds no announcement, no cue, no entry or no blank is found out."""

    class Blind:
        def __getattr__(self, name: str) -> Any:
            return getattr(PART, name)

    for module, name, fault, reader in (
        (labels, "announcing", lambda bare, start: [], "choice"),
        (mentions, "spoken", lambda text, start, end: 0, "yes_no"),
        (record, "entering", lambda bare, keys: [], "labelled"),
        (array, "matrix", lambda text, known: [], "matrix"),
        (array, "rows", lambda text, *words: [], "matrix"),
        (plain_text, "squeezed", lambda text, small: text, "plain"),
        (boundary, "visible", lambda text, tail: text, "visible"),
    ):
        part = Blind()
        monkeypatch.setattr(part, name, fault, raising=False)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_part", part)
            assert select_differing(ways.read_both(READERS[reader], load_corpus())), name


ABOVE = (
    *("answer", ": ", "the ", "row", "1", " ", "\n", "first row", "top row", "upper row"),
    *("Row 1: ", "is", "has", "reads ", "shows", "contains", "The row 1 is ", "[", "]"),
    *("\u017f", "\u00e9", "_"),
)
"""What a matrix may have above it, and what it may not."""


def random_heading(rng: random.Random) -> str:
    """Return parts of what may stand above a matrix, and rows of one."""
    parts = [rng.choice(ABOVE) for _ in range(rng.randrange(12))]
    for _ in range(2):
        row = rng.choice(("red, blue, red", "Red Blue\nred", "red blue white", "redbluered"))
        parts.insert(rng.randrange(len(parts) + 1), row)
    return "".join(parts)


def test_a_matrix_begins_where_the_expression_for_its_first_row_says(ways: ReadingWays) -> None:
    rng = random.Random(5)
    nine = ["red", "blue", "red"] * 3
    texts = [random_heading(rng) for _ in range(4000)]
    found = ways.read_both(lambda text: array._find_around(text, nine), texts)
    assert not select_differing(found)
    assert sum(len(starts) > len(ends) for _, (starts, ends), _ in found) > 300


def iterate_signs(step: int) -> Iterator[str]:
    for code in (*range(0x3100), *range(0x3100, sys.maxunicode + 1, step)):
        yield f"x{chr(code)}Y {chr(code)} _\n{chr(code)}"


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_any_sign_is_squeezed_alike(step: int, ways: ReadingWays) -> None:
    found = ways.read_both(
        lambda text: (plain_text.plain_text(text), plain_text.bare_text(text)), iterate_signs(step)
    )
    assert not select_differing(found)


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_any_outer_sign_is_stripped_alike(step: int, ways: ReadingWays) -> None:
    assert not select_differing(
        ways.read_both(boundary.visible_text, (text[1:] for text in iterate_signs(step)))
    )


def iterate_cues(rng: random.Random) -> Iterator[str]:
    """Yield texts whose end is a cue, written in many ways."""
    while True:
        text = draw_match(mentions._CUES, rng)
        if mentions._CUES.search(text):
            before = rng.choice(("", "Well, ", "The face is red. ", "no\n", "I say; ", "(", "**"))
            behind = rng.choice(("", " ", " **", ' "', "\n" if text[-1] == ":" else " ("))
            yield rng.choice((str, str, str.upper, str.capitalize))(before + text + behind)


DRAWN = [2500, pytest.param(100_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", DRAWN)
def test_every_cue_is_looked_at(count: int) -> None:
    for text in islice(iterate_cues(random.Random(count)), count):
        before = mentions.sentence_before(text[-mentions.BEFORE :])
        if mentions._CUES.search(before):
            assert PART.spoken(text + "B", len(text), len(text) + 1) & mentions._CUE, text


@pytest.mark.parametrize("count", DRAWN)
def test_all_words_that_take_an_answer_back_are_looked_at(count: int) -> None:
    rng = random.Random(count)
    for _ in range(count):
        text = draw_match(mentions._BEHIND, rng) + rng.choice(("", " x", "."))
        text = rng.choice((str, str.upper))(text)
        if mentions._BEHIND.match(text.lower()):
            assert PART.spoken("B" + text, 0, 1) & mentions._BACK, text


@pytest.mark.parametrize("count", DRAWN)
def test_every_withdrawal_is_looked_at(count: int) -> None:
    rng = random.Random(count)
    for number in range(count):
        text = draw_match((mentions._WITHDRAWN, mentions._REFUTED)[number % 2], rng)
        text = rng.choice(("", " ", ". x", "\n**So**")) + text + rng.choice(("", ".", "\n"))
        text = rng.choice((str, str.upper))(text)
        if mentions.is_withdrawn("B" + text, 1):
            assert PART.spoken("B" + text, 0, 1) & mentions._TAKEN, text


@pytest.mark.parametrize("count", DRAWN)
def test_every_place_of_an_expression_is_found(count: int) -> None:
    rng = random.Random(count)
    table = record._record_patterns(LETTERS, EFFECTS, MOVE_TEXT)
    fillers = ("", " ", "x", "\n", ", ", "\u00e9", "the answer ", "<", "| ")
    for form in (letter._CHOICE, yes_no._YES_NO, letter._CHOICE_OR_IDK):
        for _ in range(count // 4):
            text = rng.choice(fillers) + draw_match(form.announced, rng)
            text += rng.choice((".", "", " or b"))
            found = list(form.announced.finditer(text))
            assert list(map(str, labels.find_announced(text, form))) == list(map(str, found))
            line = rng.choice(("So ", "A. ", "x: ")) + draw_match(form.sentence, rng) + "."
            if any(not line[one.end() :].strip(" .!") for one in form.sentence.finditer(line)):
                assert line.rstrip(" .!").endswith(form.endings)
    for _ in range(count // 4):
        text = "".join(rng.choice(fillers) + draw_match(table.entry, rng) for _ in range(2))
        entries = list(map(str, table.entry.finditer(text)))
        assert list(map(str, record._list_entries(text, table.entry, LETTERS))) == entries


def test_places_are_looked_at_wherever_they_are(ways: ReadingWays) -> None:
    rng = random.Random(5)
    texts = [text for text in islice(iterate_mutations(5), 400) if text]
    spans = [sorted((rng.randint(0, len(text)), rng.randint(0, len(text)))) for text in texts]
    each = dict(zip(texts, spans, strict=True))
    assert not select_differing(
        ways.read_both(lambda text: mentions.is_mentioned(text, *each[text]), each)
    )


@pytest.mark.parametrize("place", [-1, 0, 7, 1 << 40])
def test_places_outside_are_as_in_python(place: int, ways: ReadingWays) -> None:
    found = ways.read_both(lambda text: mentions.is_mentioned(text, max(place, 0), place), ANSWERS)
    assert not select_differing(found)


@pytest.mark.parametrize("text", ["\ud800 B", "\ud800"])
def test_what_is_no_text_is_left_to_python(text: str) -> None:
    assert PART.visible(text, 9) is PART.squeezed(text, True) is PART.announcing(text, 0) is None
    assert (
        PART.spoken(text, 0, 1)
        == mentions._CUE | mentions._BACK | mentions._ASKED | mentions._TAKEN
    )


def test_only_texts_are_taken() -> None:
    for call, rest in ((PART.visible, (9,)), (PART.squeezed, (True,)), (PART.announcing, (0,))):
        with pytest.raises(TypeError, match="a text must be a str"):
            call(b"bytes", *rest)
