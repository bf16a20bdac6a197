"""Move prediction: matched modalities, judged by applying the chosen maneuver."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.prompts import PicturePart, TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import is_solved
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.questions.move_question import refuting_stickers
from facelet.generators.cube.states import appearance, state_texts
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks.move_prediction import MODALITIES, TASK, Instance, Params
from facelet.generators.options.letter_placement import LETTERS

Pools = Callable[..., CertifiedStates]


def make_items(
    pool: CertifiedStates, params: Params, count: int = 100
) -> list[tuple[Instance, ...]]:
    return [
        TASK.generate(params, Draw(("t",), index), pool)
        for index in range(min(count, pool.capacity))
    ]


@pytest.mark.parametrize("depth", [1, 2, 3, 8])
def test_the_answer_is_what_applying_all_options_says(pools: Pools, depth: int) -> None:
    for rows in make_items(pools("htm", depth), Params(depth=depth)):
        question = rows[0].question
        solving = [
            letter
            for letter, option in zip(LETTERS, question.options, strict=True)
            if is_solved(moves.apply_maneuver(question.state.facelets, option))
        ]
        assert solving == [question.answer]


def test_modalities_are_matched(pools: Pools) -> None:
    for rows in make_items(pools("htm", 2), Params(depth=2), 10):
        assert tuple(row.modality for row in rows) == MODALITIES
        assert len({row.question for row in rows}) == 1
        shown = []
        for row in rows:
            parts = TASK.open(row).prompt().messages[1].parts
            words = "\n".join(part.text for part in parts if isinstance(part, TextPart))
            shown.append(
                (
                    state_texts.format_net(row.question.state.facelets) in words,
                    PicturePart in map(type, parts),
                )
            )
            assert all(f"{letter}: " in words for letter in LETTERS)
        assert shown == [(True, True), (False, True), (True, False)]


def test_a_single_modality_is_the_same_item(pools: Pools) -> None:
    pool = pools("htm", 3)
    for modality in MODALITIES:
        alone = make_items(pool, Params(depth=3, modality=modality), 8)
        matched = make_items(pool, Params(depth=3), 8)
        assert [rows[0] for rows in alone] == [
            next(row for row in rows if row.modality == modality) for rows in matched
        ]


def test_variants_change_the_picture_only(pools: Pools) -> None:
    pool = pools("htm", 3)
    clean = make_items(pool, Params(depth=3), 12)
    for variant in appearance.VARIANTS:
        other = make_items(pool, Params(depth=3, variant=variant), 12)
        for one, two in zip(clean, other, strict=True):
            assert two[0].question.look.variant == variant
            assert replace(two[0].question, look=one[0].question.look) == one[0].question


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_patches_leave_every_wrong_option_refuted(pools: Pools, depth: int) -> None:
    sizes = []
    for rows in make_items(
        pools("htm", depth), Params(depth=depth, variant="occluded", patches=24)
    ):
        question = rows[0].question
        hidden = set(question.look.hidden)
        sizes.append(len(hidden))
        for letter, option in zip(LETTERS, question.options, strict=True):
            seen = refuting_stickers(question.state.facelets, tuple(option.split())) - hidden
            assert bool(seen) == (letter != question.answer)
    assert np.mean(sizes) > 15, "most pictures have most of the patches asked for"


def test_hiding_what_refutes_is_found(pools: Pools) -> None:
    question = make_items(pools("htm", 1), Params())[0][0].question
    wrong = next(letter for letter in LETTERS if letter != question.answer)
    option = question.options[LETTERS.index(wrong)]
    hidden = tuple(sorted(refuting_stickers(question.state.facelets, (option,))))
    look = replace(question.look, variant="occluded", hidden=hidden)
    assert move_question.find_question_faults(replace(question, look=look)) == [
        f"nothing in sight refutes option {wrong}"
    ]


def test_false_options_are_found(pools: Pools) -> None:
    question = make_items(pools("htm", 2), Params(depth=2))[0][0].question
    right = LETTERS.index(question.answer)

    def find_faults_in(**changes: Any) -> str:
        return "; ".join(move_question.find_question_faults(replace(question, **changes)))

    def replace_option(place: int, option: str) -> tuple[str, ...]:
        return (*question.options[:place], option, *question.options[place + 1 :])

    other = (right + 1) % 4
    assert "the options that solve are" in find_faults_in(answer=LETTERS[other])
    assert "two options lead to the same state" in find_faults_in(
        options=replace_option(other, question.options[right])
    )
    assert "is not 2 long" in find_faults_in(options=replace_option(other, "U"))
    assert "an option is no maneuver" in find_faults_in(options=replace_option(other, "Q"))
    assert "3 options instead of 4" in find_faults_in(options=question.options[:3])
    assert "the options that solve are []" in find_faults_in(options=replace_option(right, "U R"))


def test_the_state_decides_not_the_column(pools: Pools) -> None:
    row = make_items(pools("htm", 2), Params(depth=2))[0][0]
    wrong = next(letter for letter in LETTERS if letter != row.question.answer)
    changed = replace(row, question=replace(row.question, answer=wrong))
    assert TASK.open(changed).reply(TASK.reference(row)[0]).status is Status.CORRECT
    assert TASK.open(changed).reply(TASK.reference(changed)[0]).status is Status.WRONG


def test_the_prompt_says_how_moves_are_counted(pools: Pools) -> None:
    def system_text(params: Params) -> str:
        row = make_items(pools(params.metric, params.depth), params, 1)[0][0]
        part = TASK.open(row).prompt().messages[0].parts[0]
        assert isinstance(part, TextPart)
        return part.text

    assert "solved in exactly 1 move," in system_text(Params())
    assert "exactly 3 moves, a half turn counted as one," in system_text(Params(depth=3))
    assert "exactly 1 quarter turn," in system_text(Params(metric="qtm"))
    assert "3 quarter turns, a half turn counted as two," in system_text(
        Params(metric="qtm", depth=3)
    )
    assert "from left to right" in system_text(Params(depth=2))
    assert "from left to right" not in system_text(Params())
