"""Sentences read back; mistakes and blanks judged by playing everything; what no text can tell."""

from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules, run_plan
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs, knobs_of
from facelet.generators.chamber.maps.map_generator import disguise_map, transform_map
from facelet.generators.chamber.plans import step_sentences
from facelet.generators.chamber.plans.plan_mistakes import (
    Mistake,
    _is_reflection,
    _iterate_reflections,
    apply_mistakes,
    are_exchangeable,
    iterate_fillings,
)
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.presentation.rule_text import describe_rules
from facelet.generators.chamber.world import chamber_records
from facelet.generators.chamber.world.chamber_records import (
    ARGUMENTS,
    COLOURS,
    COMPASS,
    SYMMETRIES,
    Step,
    transform_direction,
)
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Need

NAMES = st.builds(
    "{}{}".format,
    st.sampled_from([k.letter for k in devices_by_kind().values()]),
    st.integers(1, 99),
)
WORDS = {"colour": st.sampled_from(COLOURS), "direction": st.sampled_from(COMPASS)}


@st.composite
def any_step(draw: st.DrawFn) -> Step:
    verb = draw(st.sampled_from(sorted(ARGUMENTS)))
    arguments = ARGUMENTS[verb]
    if verb == "put" and draw(st.booleans()):
        arguments = arguments[:1]
    return Step(verb, tuple(draw(WORDS.get(name, NAMES)) for name in arguments))


@given(any_step(), st.integers(0, step_sentences.FORMS - 1))
def test_sentences_read_back(step: Step, form: int) -> None:
    text = step_sentences.format_sentence(step, form)
    assert step_sentences.parse_sentence(text) == step
    every = [step_sentences.format_sentence(step, n) for n in range(step_sentences.FORMS)]
    assert every.index(text) == form and len(set(every)) == step_sentences.FORMS
    assert chamber_records.parse_step(str(step)) == step


@pytest.mark.parametrize("text", ["", "Jump down to floor F1", "Pick up cube C1.", "x" * 500])
def test_other_sentences_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no step"):
        step_sentences.parse_sentence(text)


@pytest.fixture(scope="module")
def maps(resource) -> tuple[ChamberMap, ...]:
    return resource(Knobs().map_need()).maps


def test_a_need_holds_all_knobs() -> None:
    knobs = Knobs(steps=9, most=20, rooms=4, portals=False, placements=0)
    need = knobs.map_need()
    assert isinstance(need, Need) and knobs_of(need.args) == knobs


def test_what_is_left_to_the_steps_follows_from_them() -> None:
    """Bands of steps that do not overlap hold no map twice; a room takes two to three steps."""
    bands = [Knobs(steps=steps).resolve_knobs() for steps in (7, 12, 18, 24, 30)]
    assert [(k.steps, k.most, k.rooms) for k in bands] == [
        (7, 11, 3), (12, 16, 5), (18, 22, 7), (24, 30, 9), (30, 34, 9)
    ]  # fmt: skip
    for knobs in bands:
        assert (
            knobs.resolve_knobs() == knobs
            and knobs.map_need() == Knobs(steps=knobs.steps).map_need()
        )
    with pytest.raises(ValueError, match="most=9 is below steps=12"):
        Knobs(steps=12, most=9).validate()


def test_chambers_read_back_and_are_alike_in_any_disguise(maps: tuple[ChamberMap, ...]) -> None:
    rng = np.random.default_rng(0)
    for item in maps:
        assert (
            chamber_records.parse_chamber(chamber_records.format_chamber(item.chamber))
            == item.chamber
        )
        other = disguise_map(item, rng)
        assert chamber_records.canonical_text(other.chamber) == item.canonical
        if item.visited < 400:
            again = find_shortest_plan(StepRules(StaticTables(other.chamber))).plan
            assert again is not None and len(again) == len(item.plan)
        assert run_plan(StepRules(StaticTables(other.chamber)), other.plan).has_left
    assert len({item.canonical for item in maps}) == len(maps)


def test_cubes_of_different_dispensers_may_have_any_names(maps: list[ChamberMap]) -> None:
    chamber = maps[0].chamber
    placed = [one for one in chamber.fixtures if one.cells]
    boxes = [replace(placed[n], kind="dispenser", name=f"N{n}", inputs=()) for n in (1, 2)]
    cubes = [
        chamber_records.Fixture(kind="cube", name=f"C{n}", cells=(), facing=-1, inputs=(f"N{n}",))
        for n in (1, 2)
    ]
    whole = replace(chamber, fixtures=(*boxes, *cubes))
    other = chamber_records.rename_fixtures(whole, {"C1": "C2", "C2": "C1"})
    assert other != whole and chamber_records.canonical_text(
        other
    ) == chamber_records.canonical_text(whole)


def test_exactly_one_combination_of_mistakes_succeeds(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps:
        rules = StepRules(StaticTables(item.chamber))
        assert len(item.mistakes) == 5
        for count in range(6):
            for chosen in combinations(item.mistakes, count):
                assert run_plan(rules, apply_mistakes(item.plan, chosen)).has_left == (not chosen)


def test_fillings_are_those_of_playing_every_assignment(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps[:3]:
        rules = StepRules(StaticTables(item.chamber))
        for chosen in [item.mistakes[:1], item.mistakes[1:3], item.mistakes[2:5]]:
            gaps = [mistake.number for mistake in chosen]
            options = [item.plan[n] for n in gaps] + [mistake.step for mistake in chosen]
            found = []
            for assignment in permutations(range(len(options)), len(gaps)):
                plan = list(item.plan)
                for gap, number in zip(gaps, assignment, strict=True):
                    plan[gap] = options[number]
                if run_plan(rules, tuple(plan)).has_left:
                    found.append(assignment)
            open_plan = [None if n in gaps else s for n, s in enumerate(item.plan)]
            assert (
                list(iterate_fillings(rules, open_plan, options))
                == found
                == [tuple(range(len(gaps)))]
            )


def repair_map(item: ChamberMap, chosen) -> ChamberMap:
    """Return the map in which the mistaken steps are right: names or directions exchanged."""
    names: dict[str, str] = {}
    symmetry = 0
    for mistake in chosen:
        own = item.plan[mistake.number]
        pairs = [p for p in zip(own.args, mistake.step.args, strict=True) if p[0] != p[1]]
        if pairs[0][0] in COMPASS:
            one, two = (COMPASS.index(word) for word in pairs[0])
            others = [
                COMPASS.index(w) for s in item.plan for w in s.args if w in COMPASS and s is not own
            ]
            fitting = [
                s
                for s in SYMMETRIES
                if transform_direction(one, s) == two
                and all(transform_direction(o, s) == o for o in others)
            ]
            symmetry = fitting[0]
        else:
            names |= {a: b for a, b in pairs} | {b: a for a, b in pairs}
    return transform_map(item, names, symmetry)


def test_for_every_row_another_chamber_has_its_text_and_the_other_answer(maps) -> None:
    """No gold follows from rules, description and steps: 0 of 31 wrong plans, 0 of 31 blanks."""
    undecided = 0
    for item in maps[:3]:
        assert are_exchangeable(item.plan, item.mistakes)
        for count in range(1, 6):
            for chosen in combinations(item.mistakes, count):
                other = repair_map(item, chosen)
                text = [
                    describe_rules(chamber_records.format_chamber(m.chamber), "described")
                    for m in (item, other)
                ]
                assert text[0] == text[1]
                rules = StepRules(StaticTables(other.chamber))
                # The candidate with these mistakes is right there, the plan itself is wrong.
                assert other.plan == apply_mistakes(item.plan, chosen)
                assert (
                    run_plan(rules, other.plan).has_left and not run_plan(rules, item.plan).has_left
                )
                undecided += 1
    assert undecided == 31 * 3


def has_symmetry(one: str, two: str, others: tuple[str, ...]) -> bool:
    """Whether a turn or a mirror image brings one direction to another and keeps the others."""
    kept = [COMPASS.index(other) for other in others]
    return any(
        transform_direction(COMPASS.index(one), symmetry) == COMPASS.index(two)
        and all(transform_direction(other, symmetry) == other for other in kept)
        for symmetry in SYMMETRIES
    )


SAID = [said for count in range(4) for said in product(COMPASS, repeat=count)]


@pytest.mark.parametrize("one", COMPASS)
def test_directions_are_exchanged_only_where_a_symmetry_keeps_every_other(one: str) -> None:
    """Each of the others must stay, not one of them; the symmetries of the square say which do."""
    for said in SAID:
        found = list(_iterate_reflections(one, (*said, one)))
        right = [two for two in COMPASS if two != one and has_symmetry(one, two, said)]
        assert sorted(found) == sorted(right), (one, said)
        for two in COMPASS:
            if two != one:
                assert _is_reflection({one, two}, said) == (two in right), (one, two, said)


def test_a_direction_that_another_step_says_too_makes_no_mistake() -> None:
    plan = (Step("put", ("M1", "north")), Step("put", ("M2", "east")))
    plan += (Step("put", ("M3", "south")),)
    wrong = Mistake(1, Step("put", ("M2", "west")), "direction")
    assert are_exchangeable(plan, (wrong,))
    # "east" stands in another step: a reflection that exchanges it would change that step too.
    assert not are_exchangeable((*plan, Step("put", ("M4", "east"))), (wrong,))


def test_two_mistakes_that_bring_in_the_same_name_are_not_exchangeable() -> None:
    """No exchange of names makes the one and leaves the other as it is."""
    plan = (Step("shoot", ("F1", "blue", "P1")), Step("shoot", ("F2", "blue", "P3")))
    one = Mistake(0, Step("shoot", ("F1", "blue", "P2")), "panel")
    two = Mistake(1, Step("shoot", ("F2", "blue", "P2")), "panel")
    assert are_exchangeable(plan, (one,)) and are_exchangeable(plan, (two,))
    assert not are_exchangeable(plan, (one, two))
