"""Verification: one statement, two pictures, two answers."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from facelet.generators.core.prompts import TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.questions.face_statements import TEMPLATES
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.tasks.verification import TASK, Instance, Params
from facelet.renderers.scenes.records import CUBE_BENCH

Pools = Callable[..., CertifiedStates]


def make_items(pool: CertifiedStates, params: Params) -> list[Instance]:
    return [TASK.generate(params, Draw(("t",), index), pool)[0] for index in range(pool.capacity)]


def read_statement(instance: Instance) -> str:
    part = TASK.open(instance).prompt().messages[1].parts[0]
    assert isinstance(part, TextPart)
    return part.text


@pytest.mark.parametrize("template", [*TEMPLATES, "mixed"])
@pytest.mark.parametrize("polarity", ["mixed", "affirmed", "negated"])
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_pairs_share_a_statement_that_parts_them(
    pools: Pools, template: Any, polarity: Any, depth: int
) -> None:
    made = make_items(
        pools("htm", depth), Params(depth=depth, template=template, polarity=polarity)
    )
    assert len(made) >= 18
    for left, right in zip(made[::2], made[1::2], strict=True):
        assert read_statement(left) == read_statement(right)
        assert {left.answer, right.answer} == {"yes", "no"}
        assert left.pair == right.pair >= 0
        assert (left.negated, left.proposition, left.form) == (
            right.negated,
            right.proposition,
            right.form,
        )
        assert left.right_answer() == left.answer and right.right_answer() == right.answer
    assert len({instance.state.facelets for instance in made}) == len(made)


def test_which_of_the_two_is_true_is_dealt(pools: Pools) -> None:
    pool = pools("htm", 5)
    first = Counter(
        TASK.generate(Params(), Draw(("t", seed), place), pool)[0].answer
        for seed in range(20)
        for place in range(0, 20, 2)
    )
    assert 60 <= first["yes"] <= 140, "200 draws of a fair coin"


def test_templates_polarities_and_wordings_take_turns(pools: Pools) -> None:
    made = make_items(pools("htm", 5), Params(template="mixed", polarity="mixed"))[::2]
    assert len(made) == 50
    for start in range(0, 50, 5):
        assert {i.proposition.template for i in made[start : start + 5]} == set(TEMPLATES)
    for start in range(0, 50, 2):
        assert {i.negated for i in made[start : start + 2]} == {False, True}
    for start in range(0, 48, 3):
        assert {i.form for i in made[start : start + 3]} == {0, 1, 2}


def test_no_answer_follows_from_words_template_or_polarity(pools: Pools) -> None:
    """Whatever is told apart by words only is answered yes as often as no."""
    made = make_items(pools("htm", 5), Params(template="mixed", polarity="mixed"))
    for key in (
        read_statement,
        lambda instance: instance.negated,
        lambda instance: (instance.proposition.template, instance.form),
        lambda instance: (instance.proposition.place, instance.proposition.letters[0]),
    ):
        counts: dict[Any, Counter[str]] = {}
        for instance in made:
            counts.setdefault(key(instance), Counter())[instance.answer] += 1
        assert all(count["yes"] == count["no"] for count in counts.values())


def cut_pool(pool: CertifiedStates, *places: int) -> CertifiedStates:
    return CertifiedStates(pool.metric, pool.optimal_depth, tuple(pool.states[i] for i in places))


def fronts_solved(pool: CertifiedStates, solved: bool) -> list[int]:
    fronts = [state.facelets[18:27] == "F" * 9 for state in pool.states]
    return [place for place, front in enumerate(fronts) if front == solved]


def test_equal_faces_are_parted_by_taking_states_in_another_order(pools: Pools) -> None:
    pool = pools("htm", 1)
    same, others = fronts_solved(pool, solved=True), fronts_solved(pool, solved=False)
    assert len(same) == 6
    ordered = cut_pool(pool, *same, *others)
    for left, right in zip(*[iter(make_items(ordered, Params(depth=1)))] * 2, strict=True):
        assert left.state.facelets[18:27] != right.state.facelets[18:27]
        assert left.pair == right.pair >= 0


def test_a_state_without_a_partner_is_asked_alone(pools: Pools) -> None:
    pool = pools("htm", 1)
    same, others = fronts_solved(pool, solved=True), fronts_solved(pool, solved=False)
    odd = make_items(cut_pool(pool, *others[:3]), Params(depth=1))
    assert [instance.pair for instance in odd] == [0, 0, -1]
    # Held another way, states with the same front face have another one: here none is turned.
    alike = make_items(cut_pool(pool, *same[:3], others[0]), Params(depth=1, misses="any"))
    assert sorted(instance.pair for instance in alike) == [-1, -1, 0, 0]
    lonely = make_items(cut_pool(pool, *same[:2]), Params(depth=1, template="mixed", misses="any"))
    for instance in (*odd, *alike, *lonely):
        assert TASK.find_faults(instance) == []
    assert [instance.pair for instance in lonely] == [-1, -1]
    assert {instance.answer for instance in lonely} == {"yes", "no"}


def test_the_superflip_can_be_asked_about() -> None:
    word = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    facelets = moves.apply_maneuver(SOLVED, word)
    state = replace(_certify_state(facelets), solution=word)
    pool = CertifiedStates("htm", 20, (state, state))
    made = make_items(pool, Params(depth=20, template="mixed"))
    assert [instance.right_answer() for instance in made] == [instance.answer for instance in made]


def _certify_state(facelets: str) -> CertifiedState:
    return CertifiedState(facelets, "htm", 20, "", "x", "x", "x", 19, "x", 1)


def test_the_picture_decides_not_the_column(pools: Pools) -> None:
    instance = make_items(pools("htm", 5), Params())[0]
    flipped = replace(instance, answer={"yes": "no", "no": "yes"}[instance.answer])
    assert TASK.find_faults(flipped) != []
    assert TASK.open(flipped).reply(TASK.reference(instance)[0]).status is Status.CORRECT
    assert TASK.open(flipped).reply(TASK.reference(flipped)[0]).status is Status.WRONG


def test_patches_spare_the_front_face(pools: Pools) -> None:
    for instance in make_items(pools("htm", 5), Params(variant="occluded", patches=24)):
        assert len(instance.look.hidden) == 24
        assert not set(instance.look.hidden) & set(range(18, 27))


@pytest.mark.parametrize("template", [*TEMPLATES, "mixed"])
def test_a_pair_has_one_swap_and_the_statement_is_of_what_is_seen(
    pools: Pools, template: Any
) -> None:
    made = make_items(pools("htm", 5), Params(variant="swapped", template=template))
    usual = dict(zip(CUBE_BENCH, "URFDLB", strict=True))
    for left, right in zip(made[::2], made[1::2], strict=True):
        assert left.look == right.look and left.proposition == right.proposition
        assert {left.answer, right.answer} == {"yes", "no"}
        for instance in (left, right):
            painted = dict(zip("URFDLB", instance.look.build_scene(SOLVED).colours, strict=True))
            face = instance.state.facelets[18:27]
            seen = "".join(usual[painted[letter]] for letter in face)
            assert (instance.answer == "yes") == instance.proposition.is_true_of(seen)
            assert TASK.find_faults(instance) == [] and seen[4] != "F"
            assert TASK.decode(TASK.encode(instance)) == instance


def judges_by_sticker(instance: Instance, place: int) -> bool:
    """Return whether a player is right that compares one sticker of a whole face."""
    seen = instance.state.facelets[18 + place] == instance.proposition.letters[place]
    return (instance.answer == "yes") == (seen != instance.negated)


def test_reading_one_sticker_tells_little(pools: Pools) -> None:
    """The best of nine such players, by what false statements are about."""
    pool = pools("htm", 5, 600)
    best = {}
    for misses in ("near", "any"):
        made = make_items(pool, Params(misses=misses))  # type: ignore[arg-type]
        best[misses] = max(
            sum(judges_by_sticker(instance, place) for instance in made) / len(made)
            for place in range(9)
        )
    assert best["near"] < 0.72 and best["any"] > 0.84, best


def test_near_faces_are_paired(pools: Pools) -> None:
    pool = pools("htm", 5)
    mean = {}
    for misses in ("near", "any"):
        made = make_items(pool, Params(misses=misses))  # type: ignore[arg-type]
        for left, right in zip(made[::2], made[1::2], strict=True):
            fronts = (one.state.facelets[18:27] for one in (left, right))
            assert left.differing == right.differing == sum(map(str.__ne__, *fronts)) > 0
            assert read_statement(left) == read_statement(right)
        mean[misses] = sum(one.differing for one in made) / len(made)
    assert mean["near"] < 4 and mean["any"] > 6, mean


@pytest.mark.parametrize("template", [*TEMPLATES, "mixed"])
@pytest.mark.parametrize("depth", [1, 5])
def test_the_papers_false_statements_are_one_move_off(
    pools: Pools, template: Any, depth: int
) -> None:
    made = make_items(pools("htm", depth), Params(depth=depth, template=template, misses="move"))
    assert {instance.pair for instance in made} == {-1}
    for start in range(0, len(made), 2):
        assert {one.answer for one in made[start : start + 2]} == {"yes", "no"}
    for instance in made:
        assert TASK.find_faults(instance) == []
        assert 1 <= instance.differing <= 8
        if instance.proposition.template == "full_face" and instance.answer == "no":
            after = (moves.apply_maneuver(instance.state.facelets, m) for m in moves.FACE_MOVES)
            assert instance.proposition.letters in {state[18:27] for state in after}


def test_a_false_number_of_differing_stickers_is_found(pools: Pools) -> None:
    instance = next(one for one in make_items(pools("htm", 5), Params()) if one.answer == "no")
    assert TASK.find_faults(replace(instance, differing=9)) != []
