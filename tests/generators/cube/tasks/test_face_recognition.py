"""Face recognition: what is read, what is scored, what the picture must show."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cube_twins import face_rows

from facelet.generators.core.prompts import PicturePart, TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.tasks.face_recognition import TASK, Instance, Params
from facelet.renderers.scenes.records import CUBE_BENCH

LETTER = {"White": "W", "Yellow": "Y", "Green": "G", "Blue": "B", "Orange": "O", "Red": "R"}
FACE = {"White": "U", "Yellow": "D", "Green": "F", "Blue": "B", "Orange": "L", "Red": "R"}


def make_items(pools: Callable[..., Any], params: Params, count: int = 40) -> list[Instance]:
    pool = pools(params.metric, params.depth)
    return [TASK.generate(params, Draw(("t",), index), pool)[0] for index in range(count)]


SHADES = ("White", "Red", "Green", "Yellow", "Orange", "Blue")
"""Names of the shades of CUBE_BENCH."""


def face_letters(instance: Instance) -> str:
    return "".join(face_rows(instance.state.facelets, "F"))


def format_rows(names: list[str]) -> str:
    return "\n".join(" ".join(names[i : i + 3]) for i in (0, 3, 6))


def test_the_face_is_the_states(pools: Callable[..., Any]) -> None:
    for instance in make_items(pools, Params(depth=3)):
        letters = face_letters(instance)
        assert "".join(FACE[name] for name in instance.front) == letters


@pytest.mark.parametrize("words", [LETTER, FACE], ids=["colour letters", "face letters"])
def test_both_vocabularies_are_read(pools: Callable[..., Any], words: dict[str, str]) -> None:
    for instance in make_items(pools, Params(depth=3)):
        outcome = TASK.open(instance).reply(format_rows([words[name] for name in instance.front]))
        assert (outcome.status, outcome.strict) == (Status.CORRECT, False)


def test_every_sticker_counts_a_ninth(pools: Callable[..., Any]) -> None:
    instance = make_items(pools, Params(depth=2), 1)[0]
    names = list(instance.front)
    for wrong in range(1, 10):
        names[wrong - 1] = "Red" if names[wrong - 1] != "Red" else "White"
        outcome = TASK.open(instance).reply(format_rows(names))
        assert outcome.status is Status.WRONG
        assert outcome.metrics["element_accuracy"] == pytest.approx((9 - wrong) / 9)
        assert outcome.metrics["matrix_accuracy"] == 0.0
        assert outcome.answer == tuple(names) and outcome.gold == instance.front


def test_an_unreadable_reply_has_no_metrics(pools: Callable[..., Any]) -> None:
    instance = make_items(pools, Params(), 1)[0]
    outcome = TASK.open(instance).reply("Row 1: [Red, Red]")
    assert (outcome.status, outcome.metrics, outcome.answer) == (Status.UNPARSED, {}, ())


@pytest.mark.parametrize("covered", [0, 2, 8])
def test_patches_cover_as_many_stickers_of_the_front_face_as_asked(
    pools: Callable[..., Any], covered: int
) -> None:
    params = Params(depth=3, variant="occluded", patches=24, covered=covered)
    for instance in make_items(pools, params):
        hidden = set(instance.look.hidden)
        assert len(hidden) == 24
        inside = hidden & set(range(18, 27))
        assert len(inside) == covered == TASK.encode(instance)["covered"] and 22 not in inside
        letters = face_letters(instance)
        for place, (word, letter) in enumerate(zip(instance.front, letters, strict=True)):
            assert word == "Unknown" if 18 + place in hidden else FACE[word] == letter
        assert TASK.find_faults(instance) == []
        texts = "".join(p.text for p in TASK.open(instance).prompt().messages[1].parts[1:])
        assert ("write Unknown" in texts) == bool(covered)


def test_unknown_is_counted_apart(pools: Callable[..., Any]) -> None:
    instance = make_items(pools, Params(depth=3, variant="occluded", covered=3), 1)[0]
    seen = [place for place, word in enumerate(instance.front) if word != "Unknown"]
    gone = [place for place in range(9) if place not in seen]
    true = ["".join(n for n in FACE if FACE[n] == c) for c in face_letters(instance)]

    def grade_names(names: list[str]) -> tuple[Status, dict[str, float]]:
        outcome = TASK.open(instance).reply(format_rows(names))
        return outcome.status, dict(outcome.metrics)

    status, metrics = grade_names(list(instance.front))
    assert status is Status.CORRECT
    assert metrics == {
        "element_accuracy": 1.0,
        "matrix_accuracy": 1.0,
        "visible_accuracy": 1.0,
        "covers": 1.0,
        "covered_unknown": 1.0,
        "visible_unknown": 0.0,
    }
    status, metrics = grade_names(true)
    assert status is Status.WRONG, "what is covered was not read, right or not"
    assert metrics["element_accuracy"] == pytest.approx(6 / 9)
    assert (metrics["visible_accuracy"], metrics["covered_unknown"]) == (1.0, 0.0)
    names = list(instance.front)
    names[seen[0]] = "Unknown"
    names[gone[0]] = "Red"
    _, metrics = grade_names(names)
    assert metrics["visible_accuracy"] == pytest.approx(5 / 6)
    assert metrics["visible_unknown"] == pytest.approx(1 / 6)
    assert metrics["covered_unknown"] == pytest.approx(2 / 3)
    assert grade_names(["Unknown"] * 9)[1]["element_accuracy"] == pytest.approx(3 / 9)


def test_unknown_is_no_word_where_all_is_in_sight(pools: Callable[..., Any]) -> None:
    instance = make_items(pools, Params(depth=3), 1)[0]
    names = ["Unknown", *instance.front[1:]]
    assert TASK.open(instance).reply(format_rows(names)).status is Status.UNPARSED


def test_more_cannot_be_covered_than_there_are_patches() -> None:
    with pytest.raises(ValueError, match="covered=3 is more than patches=2"):
        Params(variant="occluded", patches=2, covered=3).validate()
    Params(patches=1).validate()


@pytest.mark.parametrize("covered", [0, 1, 2, 4, 8])
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_commonest_words_stay_under_the_limit(
    pools: Callable[..., Any], depth: int, covered: int
) -> None:
    params = Params(depth=depth, variant="occluded", covered=covered)
    count = min(400, len(pools("htm", depth).states))
    golds = [instance.front for instance in make_items(pools, params, count)]
    right = sum(max(Counter(words).values()) for words in zip(*golds, strict=True))
    limit = TASK.blind_limit(params).value
    # Words are chosen with all answers in sight, so a few items look better than they are.
    assert right / (9 * count) <= limit + 1.5 / count**0.5
    most = TASK.blind_limit(Params(depth=depth)).value
    assert limit == pytest.approx(most) if not covered else limit < most + covered / 9


def test_no_colour_is_common_where_colours_are_swapped(pools: Callable[..., Any]) -> None:
    params = Params(depth=1, variant="swapped")
    pool = pools("htm", 1)
    golds = [
        TASK.generate(params, Draw(("t", seed), index), pool)[0].front
        for seed in range(40)
        for index in range(18)
    ]
    right = sum(max(Counter(words).values()) for words in zip(*golds, strict=True))
    limit = TASK.blind_limit(params).value
    assert limit == 0.2 and right / (9 * len(golds)) == pytest.approx(limit, abs=0.04)


def test_swapped_colours_are_read_as_they_are_seen(pools: Callable[..., Any]) -> None:
    shades = dict(zip(CUBE_BENCH, SHADES, strict=True))
    for instance in make_items(pools, Params(depth=2, variant="swapped")):
        painted = dict(
            zip("URFDLB", instance.look.build_scene(instance.state.facelets).colours, strict=True)
        )
        seen = [shades[painted[letter]] for letter in face_letters(instance)]
        assert list(instance.front) == seen
        assert seen[4] != "Green", "the center's usual colour"
        judge = TASK.open(instance).reply
        assert judge(format_rows(seen)).status is Status.CORRECT
        usual = [n for c in face_letters(instance) for n in FACE if FACE[n] == c]
        assert judge(format_rows(usual)).status is Status.WRONG
        letters = [FACE[name] for name in seen]
        if set(letters) & set("UFDL"):
            assert TASK.open(instance).reply(format_rows(letters)).status is Status.UNPARSED


def test_the_palette_of_the_prompt_is_that_of_the_picture(pools: Callable[..., Any]) -> None:
    for variant in ("clean", "recoloured", "swapped"):
        for instance in make_items(pools, Params(depth=2, variant=variant), 10):
            system, user = TASK.open(instance).prompt().messages
            assert isinstance(system.parts[0], TextPart) and isinstance(user.parts[0], PicturePart)
            for name, shade in zip(FACE, (0, 3, 2, 5, 4, 1), strict=True):
                scene = user.parts[0].scene
                colour = (CUBE_BENCH if variant == "swapped" else scene.colours)[shade]
                assert f"- {name}: {colour}" in system.parts[0].text


def test_a_false_face_is_found(pools: Callable[..., Any]) -> None:
    instance = make_items(pools, Params(depth=2), 1)[0]
    changed = replace(instance, front=("Red", *instance.front[1:]))
    if changed == instance:
        changed = replace(instance, front=("White", *instance.front[1:]))
    assert TASK.find_faults(changed) == [
        "the colours of the front face are not those of the picture"
    ]
    reply = TASK.reference(instance)[0]
    assert TASK.open(changed).reply(reply).status is Status.CORRECT, "the state decides"
