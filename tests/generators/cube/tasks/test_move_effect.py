"""Move effect: labels by exact distance, a fair mix, even slots."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves, symmetry
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.tasks.move_effect import (
    EFFECTS,
    TASK,
    Instance,
    Params,
    Rule,
    choose_moves,
    pool_effects,
)
from facelet.generators.options.fairness_statistics import jensen_shannon
from facelet.generators.options.letter_placement import LETTERS

Pools = Callable[..., CertifiedStates]

CELLS = [("htm", 1), ("htm", 2), ("htm", 3), ("qtm", 1), ("qtm", 3)]


def make_items(
    pools: Pools, metric: Any, depth: int, count: int = 100, rule: Rule = "even"
) -> list[Instance]:
    pool = pools(metric, depth, count, True)
    params = Params(metric, depth, options=rule)
    return [
        TASK.generate(params, Draw(("t", depth), index), pool)[0] for index in range(pool.capacity)
    ]


@pytest.mark.parametrize(("metric", "depth"), CELLS)
def test_effects_are_those_of_breadth_first_search(pools: Pools, metric: Any, depth: int) -> None:
    shells = shells_to(metric, depth + 1 if metric == "htm" else depth + 2)
    for instance in make_items(pools, metric, depth, 40):
        for move, effect in zip(instance.options, instance.effects, strict=True):
            after = moves.apply_maneuver(instance.state.facelets, move)
            distance = next(d for d, shell in enumerate(shells) if after in shell)
            assert effect == EFFECTS[1 + np.sign(distance - depth)]


@pytest.mark.parametrize("rule", ["even", "paper"])
@pytest.mark.parametrize(("metric", "depth"), CELLS)
def test_every_effect_once_and_one_twice(pools: Pools, metric: Any, depth: int, rule: Rule) -> None:
    for instance in make_items(pools, metric, depth, rule=rule):
        count = Counter(instance.effects)
        assert set(count) == set(instance.of_move().values())
        assert (len(count), count[instance.doubled]) == (3, 2) or metric == "qtm"
        row = TASK.encode(instance)
        assert instance.doubled in row["doublable"]
        slots = [LETTERS[i] for i in range(4) if instance.effects[i] == instance.doubled]
        assert row["doubled_slots"] == "".join(slots)


@pytest.mark.parametrize("rule", ["even", "paper"])
@pytest.mark.parametrize(("metric", "depth"), CELLS)
def test_the_mix_is_the_targets_up_to_rounding(
    pools: Pools, metric: Any, depth: int, rule: Rule
) -> None:
    made = make_items(pools, metric, depth, rule=rule)
    shown = Counter(effect for instance in made for effect in instance.effects)
    target = made[0].target
    assert sum(target) == pytest.approx(1.0)
    # Near solved only one effect can be doubled evenly; the target is smoothed, so it says less.
    bound = 1e-3 if rule == "paper" else 5e-3
    assert jensen_shannon([shown[effect] for effect in EFFECTS], target) < bound


@pytest.mark.parametrize(("metric", "depth"), CELLS)
def test_slots_are_even_in_blocks(pools: Pools, metric: Any, depth: int) -> None:
    """Of every four items that show the same mix, each slot has held the same effects."""
    by_mix: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for instance in make_items(pools, metric, depth):
        by_mix.setdefault(tuple(sorted(instance.effects)), []).append(instance.effects)
    for rows in by_mix.values():
        for start in range(0, len(rows) - 3, 4):
            slots = [sorted(column) for column in zip(*rows[start : start + 4], strict=True)]
            assert slots == [slots[0]] * 4


def test_optimal_first_moves_are_those_that_help(pools: Pools) -> None:
    for instance in make_items(pools, "htm", 3):
        row = TASK.encode(instance)
        shell = shells_to("htm", 2)[2]
        assert row["optimal_first_moves"] == [
            move
            for move in FACE_MOVES
            if moves.apply_maneuver(instance.state.facelets, move) in shell
        ]


def test_claims_cover_the_state_and_all_its_neighbours(pools: Pools) -> None:
    instance = make_items(pools, "htm", 2, 1)[0]
    claims = [dict(claim.args) for claim in TASK.claims(instance)]
    assert len(claims) == 19
    assert claims[0]["depth"] == 2 and claims[0]["facelets"] == instance.state.facelets
    for claim, move, distance in zip(claims[1:], FACE_MOVES, instance.neighbours, strict=True):
        assert claim["facelets"] == moves.apply_maneuver(instance.state.facelets, move)
        assert claim["depth"] == distance


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_moves_stand_in_equal_relations(pools: Pools, depth: int) -> None:
    """Two turns each of two faces on different axes, in every item near the solved cube."""
    for instance in make_items(pools, "htm", depth):
        faces = [option[0] for option in instance.options]
        assert [faces.count(face) for face in faces] == [2] * 4
        one, two = sorted(set(faces))
        assert moves.turn_relation(one, two) == "different axes"
        assert instance.doubled == "INCREASE"


def test_the_papers_rule_doubles_what_it_can(pools: Pools) -> None:
    made = make_items(pools, "htm", 1, rule="paper")
    assert {instance.doubled for instance in made} == {"NO_CHANGE", "INCREASE"}
    assert any(len({option[0] for option in instance.options}) == 3 for instance in made)


def count_choices(rule: Rule, slots: tuple[str, ...], draws: int) -> Counter[tuple[str, ...]]:
    """Count the choices for a state that one turn of U solves."""
    effect_of = dict.fromkeys(FACE_MOVES, "INCREASE") | {
        "U": "DECREASE",
        **{"U2": "NO_CHANGE", "U'": "NO_CHANGE"},
    }
    return Counter(
        choose_moves(effect_of, slots, np.random.default_rng(seed), rule) for seed in range(draws)
    )


def test_choices_are_uniform_among_the_even_ones() -> None:
    seen = count_choices("even", ("INCREASE", "DECREASE", "INCREASE", "NO_CHANGE"), 1200)
    assert all(first[0] == third[0] for first, _, third, _ in seen)
    assert len(seen) == 2 * 4 * 3 * 2, "no change, face beside U, unordered pair, order"
    assert min(seen.values()) > 8, "25 of each are expected"


def test_choices_of_the_paper_are_uniform_among_all() -> None:
    seen = count_choices("paper", ("NO_CHANGE", "DECREASE", "INCREASE", "NO_CHANGE"), 900)
    assert len(seen) == 15 * 2, "move that leads away, order of the two without effect"
    assert min(seen.values()) > 10, "30 of each are expected"


def test_a_state_at_the_diameter_shows_what_there_is() -> None:
    """All 18 neighbours of the superflip are at 19."""
    word = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    facelets = moves.apply_maneuver("".join(face * 9 for face in "URFDLB"), word)
    canonical = symmetry.canonical_image(facelets)[0]
    state = CertifiedState(facelets, "htm", 20, word, "x", "x", canonical, 19, "x", 1)
    pool = CertifiedStates("htm", 20, (state,), np.full((1, 18), 19, dtype=np.int8))
    instance = TASK.generate(Params(depth=20, options="even"), Draw(("t",), 0), pool)[0]
    assert instance.effects == ("DECREASE",) * 4
    assert len(set(instance.options)) == 4
    assert instance.doubled == "DECREASE"
    assert TASK.find_faults(instance) == []


def test_a_pool_without_neighbours_is_refused(pools: Pools) -> None:
    with pytest.raises(ValueError, match="neighbour distances"):
        pool_effects(pools("htm", 1))


def test_partial_answers_count_by_the_slot(pools: Pools) -> None:
    instance = make_items(pools, "htm", 2, 1)[0]
    first, *rest = TASK.reference(instance)[0].splitlines()
    outcome = TASK.open(instance).reply(first)
    assert (outcome.status, outcome.strict) == (Status.WRONG, False)
    assert outcome.answer == (instance.effects[0], "", "", "")
    assert outcome.metrics == {"micro_accuracy": 0.25}
    assert TASK.open(instance).reply("\n".join([*rest, first])).status is Status.CORRECT


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda i: {"effects": i.effects[1:] + i.effects[:1]}, "not those that the distances"),
        (lambda i: {"options": (*i.options[:3], "M")}, "not four face moves"),
        (lambda i: {"options": (*i.options[:3], i.options[0])}, "not four face moves"),
        (lambda i: {"neighbours": i.neighbours[:17]}, "17 neighbour distances"),
        (lambda i: {"neighbours": (9, *i.neighbours[1:])}, "alone cannot change 2 to 9"),
        (lambda i: {"neighbours": (0, *i.neighbours[1:])}, "is said to lead to distance 0"),
        (lambda i: {"neighbours": (2,) * 18}, "the witness begins with"),
        (lambda i: {"doubled": "SIDEWAYS"}, "is not shown twice"),
        (lambda i: {"state": replace(i.state, solution="J2")}, "cannot be read"),
    ],
)
def test_false_labels_are_found(pools: Pools, change: Any, fault: str) -> None:
    instance = next(i for i in make_items(pools, "htm", 2) if len({*i.effects[:2]}) == 2)
    found = TASK.find_faults(replace(instance, **change(instance)))
    assert any(fault in each for each in found), found


def test_distances_decide_not_the_column(pools: Pools) -> None:
    instance = make_items(pools, "htm", 2)[0]
    changed = replace(instance, effects=tuple(reversed(instance.effects)))
    assert TASK.open(changed).reply(TASK.reference(instance)[0]).status is Status.CORRECT


def test_effects_of_a_scramble_are_those_of_its_own_distance(resource) -> None:
    """Three moves may lead one or two from solved; a search says what each move does there."""
    params = TASK.params(depth=3, items="as_published", options="paper")
    pool = resource(TASK.needs(params))
    shorter = [n for n, state in enumerate(pool.states) if state.optimal_depth < 3]
    assert shorter and TASK.items_per_state(params) == 1
    for index in (*shorter, 0, 1):
        (item,) = TASK.generate(params, Draw((0, "scrambles"), index), pool)
        here = distance_oracle.exact_distance("htm", item.state.facelets)
        assert here == item.state.optimal_depth and TASK.find_faults(item) == []
        for move, effect in zip(item.options, item.effects, strict=True):
            change = (
                distance_oracle.exact_distance(
                    "htm", moves.apply_maneuver(item.state.facelets, (move,))
                )
                - here
            )
            assert effect == ("NO_CHANGE", "INCREASE", "DECREASE")[change]


def entropy(counts: Counter[str]) -> float:
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_label_leaves_more_than_a_bit_of_the_others_open(pools: Pools, depth: int) -> None:
    """Labels face by face, as who knows all about relations reads them."""
    pool = pools("htm", depth, neighbours=True)
    told: dict[str, Counter[str]] = {"varied": Counter(), "even": Counter()}
    one: dict[str, Counter[str]] = {"varied": Counter(), "even": Counter()}
    for rule in ("varied", "even"):
        params = Params(depth=depth, options=rule)
        for number in range(max(900, pool.capacity)):
            draw = Draw(("bits", number), number % pool.capacity)
            (item,) = TASK.generate(params, draw, pool)
            effect = dict(zip(item.options, item.effects, strict=True))
            faces = sorted({move[0] for move in effect})
            said = [effect[m][0] for face in faces for m in item.options if m[0] == face]
            told[rule]["".join(said)] += 1
            one[rule].update(said)
    bits = {rule: entropy(told[rule]) for rule in told}
    left = {rule: bits[rule] - entropy(one[rule]) for rule in told}
    assert bits["varied"] > 2.5 > 2.1 > bits["even"]
    assert left["varied"] > 1.2 and left["even"] < 0.7
