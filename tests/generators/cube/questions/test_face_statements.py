"""Statements about the front face: true where they should be, and unambiguous."""

import re

import numpy as np
import pytest
from cube_twins import face_rows
from hypothesis import assume, given
from hypothesis import strategies as st

from facelet.generators.cube.questions.face_statements import (
    FORMS,
    OTHER_STICKERS,
    TEMPLATES,
    Proposition,
    Template,
    draw_separating,
    face_signature,
    front_face,
    statement_text,
)
from facelet.generators.cube.states.state_texts import COLOUR_OF

faces = st.text("URFDLB", min_size=4, max_size=4).flatmap(
    lambda some: st.text("URFDLB", min_size=4, max_size=4).map(lambda rest: f"{some}F{rest}")
)


def test_the_front_face_is_the_engines() -> None:
    letters = "".join(chr(200 + index) for index in range(54))
    assert front_face(letters) == "".join(face_rows(letters, "F"))
    assert set(OTHER_STICKERS) == {i for i in range(54) if letters[i] not in front_face(letters)}


@given(faces, faces, st.sampled_from(TEMPLATES), st.integers(0, 99))
def test_a_claim_parts_two_faces(true: str, false: str, template: Template, seed: int) -> None:
    assume(face_signature(true, template) != face_signature(false, template))
    proposition = draw_separating(template, true, false, np.random.default_rng(seed))
    assert proposition.template == template
    assert proposition.is_true_of(true) and not proposition.is_true_of(false)


@given(faces, faces)
def test_faces_with_other_counts_differ_for_every_template(left: str, right: str) -> None:
    if face_signature(left, "mixed") != face_signature(right, "mixed"):
        assert all(face_signature(left, t) != face_signature(right, t) for t in TEMPLATES)


def judge_statement(statement: str, claimed: str) -> bool:
    """Judge a statement from its words alone, as a careful reader would."""
    words = statement.lower()
    colours = {name.lower(): letter for letter, name in COLOUR_OF.items()}
    named = [colours[word] for word in re.findall("|".join(colours), words)]
    number = re.search(r"(?:row|column|number|exactly|is|not|gets?) (\d)", words)
    names = {"top": 0, "left": 0, "middle": 1, "bottom": 2, "right": 2}
    if len(named) == 9:
        value = "".join(named) == claimed
        negated = bool(re.search("does not|differs|otherwise", words))
    elif "stickers on the front face" in words or "counts the" in words or "exactly" in words:
        count = int(re.findall(r"\d", words)[-1])
        value = claimed.count(named[0]) == count
        negated = bool(re.search(r"\bnot\b", words))
    elif len(named) == 1:
        if pair := re.search(r"row (\d), column (\d)", words):
            place = 3 * (int(pair[1]) - 1) + int(pair[2]) - 1
        elif number:
            place = int(number[1]) - 1
        else:
            where = re.search(r"the (center|(\w+) (\w+)) sticker", words)
            assert where
            place = 4 if where[1] == "center" else 3 * names[where[2]] + names[where[3]]
        value = claimed[place] == named[0]
        negated = bool(re.search(r"\bnot\b", words))
    else:
        line = "row" if re.search(r"\brow\b", words) else "column"
        place = int(number[1]) - 1 if number else names[re.search(rf"(\w+) {line}", words)[1]]
        stickers = claimed[3 * place : 3 * place + 3] if line == "row" else claimed[place::3]
        value = "".join(named) == stickers
        negated = bool(re.search(r"\bnot\b", words))
        assert ("left to right" in words) == (line == "row")
        assert ("top to bottom" in words) == (line == "column")
    return value != negated


@given(
    faces, faces, st.sampled_from(TEMPLATES), st.booleans(), st.integers(0, FORMS - 1), st.data()
)
def test_words_say_what_the_claim_says(
    true: str, false: str, template: Template, negated: bool, form: int, data: st.DataObject
) -> None:
    assume(face_signature(true, template) != face_signature(false, template))
    seed = data.draw(st.integers(0, 99))
    proposition = draw_separating(template, true, false, np.random.default_rng(seed))
    statement = statement_text(proposition, negated=negated, form=form)
    for shown in (true, false):
        assert judge_statement(statement, shown) == (proposition.is_true_of(shown) != negated)


@pytest.mark.parametrize("template", TEMPLATES)
def test_wordings_differ(template: Template) -> None:
    proposition = draw_separating(template, "RRRRFRRRR", "UUUUFUUUU", np.random.default_rng(0))
    said = {
        statement_text(proposition, negated=n, form=f) for n in (False, True) for f in range(FORMS)
    }
    assert len(said) == 2 * FORMS


def test_one_sticker_is_singular() -> None:
    proposition = Proposition("colour_count", -1, "R", 1)
    assert (
        statement_text(proposition, negated=False, form=0)
        == "The front face has exactly 1 red sticker."
    )
