"""Relations between options by hand, and a player that learns them and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.options.fairness_statistics import accuracy_bound
from facelet.generators.options.relation_learner import (
    MarkedQuestions,
    _edit_distance,
    learn_answers,
    option_relations,
    split_tokens,
)

FACES = "URFDLB"
MOVES = [f"{face}{mark}" for face in FACES for mark in ("", "2", "'")]
WORDS = [f"{a}{b}" for a in "bdfgk" for b in ("ano", "elu", "isi", "oba")]


def test_tokens_and_relations_by_hand() -> None:
    assert split_tokens("R2 U' 10 red") == ("R", "2", "U", "'", "10", "red")
    odd, *others = option_relations(("U", "R", "R2", "R'"))
    assert odd["same first"] == (1, (1, 3))
    assert all(other["same first"] == (3, (1, 3)) for other in others)
    assert odd["shared first"] == ("U", ("R", "R", "R"))
    assert [found["place"] for found in (odd, *others)] == [0, 1, 2, 3]
    assert [found["length"] for found in option_relations(("a", "bb", "c"))] == [
        (0, 2),
        (2, 1),
        (0, 2),
    ]
    assert [found["number"] for found in option_relations(("10", "9", "x -3"))] == [
        (2, 1),
        (1, 1),
        (0, 1),
    ]
    assert option_relations(("a b", "b a"))[0]["same tokens"] == (2, (2,))


def test_edit_distances_are_those_of_a_twin() -> None:
    def recursive_distance(left: Sequence[str], right: Sequence[str]) -> int:
        @lru_cache(None)
        def edit_cost(i: int, j: int) -> int:
            if not i or not j:
                return i + j
            swap = edit_cost(i - 1, j - 1) + (left[i - 1] != right[j - 1])
            return min(edit_cost(i - 1, j) + 1, edit_cost(i, j - 1) + 1, swap)

        return edit_cost(len(left), len(right))

    rng = make_generator("edits")
    for _ in range(200):
        left, right = (tuple(rng.choice(list("abc"), int(rng.integers(0, 7)))) for _ in range(2))
        assert _edit_distance(left, right) == recursive_distance(left, right)


def make_leaky_questions(kind: str, count: int = 300) -> MarkedQuestions:
    """Single choices whose letters are fair and whose options leak in one way, or not."""
    options, places = [], []
    for index in range(count):
        rng = make_generator("lookups", kind, index)
        place = index % 4
        if kind == "odd one out":
            face, other = rng.permutation(list(FACES))[:2]
            shown = [f"{face}{mark}" for mark in rng.permutation(["", "2", "'"])]
            shown.insert(place, f"{other}{rng.choice(['', '2'])}")
        elif kind == "order":
            chosen = sorted(rng.permutation(WORDS)[:4].tolist())
            right = chosen.pop(1)
            shown = rng.permutation(chosen).tolist()
            shown.insert(place, right)
        elif kind == "opposite":
            near = {"U": "D", "R": "L", "F": "B", "D": "U", "L": "R", "B": "F"}
            face = str(rng.choice(list(FACES)))
            rest = [x for x in FACES if x not in (face, near[face])]
            shown = [near[face], *rng.permutation(rest)[:2].tolist()]
            shown = rng.permutation(shown).tolist()
            shown.insert(place, face)
        else:
            shown = rng.permutation(MOVES)[:4].tolist()
        options.append(tuple(map(str, shown)))
        places.append(place)
    classes = (np.arange(4) == np.array(places)[:, None]).astype(np.int64)
    return MarkedQuestions(tuple(options), classes, tuple(map(str, range(count))))


def lookup_shares(rows: MarkedQuestions) -> dict[str, float]:
    gold = rows.classes.argmax(axis=1)
    return {name: float((answer == gold).mean()) for name, answer in learn_answers(rows).items()}


@pytest.mark.parametrize(("kind", "least"), [("odd one out", 0.99), ("order", 0.99)])
def test_a_leaking_relation_is_learned(kind: str, least: float) -> None:
    assert lookup_shares(make_leaky_questions(kind))["relations"] >= least


def test_opposites_are_learned_by_pairs_of_signs() -> None:
    """Two of four options are opposite, or all, and one of a pair is right: half is the most."""
    assert max(lookup_shares(make_leaky_questions("opposite")).values()) > 0.36


def test_fair_options_say_nothing() -> None:
    bound = accuracy_bound(1e-4, 300, 1 / 4)
    assert max(lookup_shares(make_leaky_questions("fair")).values()) <= bound


def test_classes_of_options_are_learned() -> None:
    """The known player of move effects: three options share a face, and the odd one differs."""
    rows = make_leaky_questions("odd one out")
    marked = MarkedQuestions(rows.options, rows.classes + 1, rows.groups, 3, single=False)
    answers = learn_answers(marked)["relations"]
    assert answers.shape == marked.classes.shape
    assert (answers == marked.classes).mean() > 0.99


def test_groups_are_never_on_both_sides() -> None:
    """Of one group there is nothing to learn from, whatever leaks."""
    rows = make_leaky_questions("odd one out", 40)
    alone = MarkedQuestions(rows.options, rows.classes, ("one",) * 40)
    assert lookup_shares(alone)["relations"] == pytest.approx(0.25, abs=0.11)
