from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB

from facelet.generators.options.fairness_statistics import accuracy_bound
from facelet.generators.options.option_attacks import (
    FOLDS,
    LEARNERS,
    ChoiceRows,
    attack_answers,
    effective_guesses,
    learn_labels,
    score_attacks,
    word_pairs,
)
from facelet.generators.options.relation_learner import MarkedQuestions, learn_answers

LETTERS = ("A", "B", "C", "D")
MOVES = [f"{face}{turn}" for face in "URFDLB" for turn in ("", "2", "'")]
ITEMS = 400


def fair_options(seed: int = 0) -> ChoiceRows:
    """Options without a pattern: every move is as often right as wrong, letters are dealt."""
    rng = np.random.default_rng(seed)
    gold = np.concatenate([rng.permutation(4) for _ in range(ITEMS // 4)])
    options = tuple(tuple(rng.permutation(MOVES)[:4].tolist()) for _ in range(ITEMS))
    prompts = tuple(
        "Pick one. "
        + " ".join(f"{letter}: {move}" for letter, move in zip(LETTERS, o, strict=True))
        for o in options
    )
    groups = tuple(f"g{i}" for i in range(ITEMS))
    return ChoiceRows(LETTERS, gold, groups, options, prompts)


def rewrite_options(rows: ChoiceRows, change: Callable[[int, str, bool], str]) -> ChoiceRows:
    """Return the rows with every option changed by its row, text and whether it is right."""
    options = tuple(
        tuple(change(row, text, index == rows.gold[row]) for index, text in enumerate(option))
        for row, option in enumerate(rows.options)
    )
    return ChoiceRows(rows.labels, rows.gold, rows.groups, options, rows.prompts)


def find_shortcuts(rows: ChoiceRows) -> set[str]:
    size, chance = len(rows.gold), 1 / len(rows.labels)
    return {
        name
        for name, hits in score_attacks(rows).items()
        if hits / size > accuracy_bound(1e-6, effective_guesses(name, size), chance)
    }


@pytest.mark.parametrize("seed", range(5))
def test_fair_options_beat_every_attack(seed: int) -> None:
    assert find_shortcuts(fair_options(seed)) == set()


def test_letters_that_are_not_dealt_are_found() -> None:
    rows = fair_options()
    gold = np.where(np.arange(ITEMS) % 2, 1, rows.gold)
    assert find_shortcuts(ChoiceRows(LETTERS, gold, rows.groups, rows.options, ())) == {"always:B"}


@pytest.mark.parametrize(
    ("change", "attack"),
    [
        (lambda row, text, right: f"A{text}" if right else text, "first_in_alphabet"),
        (lambda row, text, right: f"Z{text}" if right else text, "last_in_alphabet"),
        (lambda row, text, right: "U" if right else f"{text[0]}2", "shortest"),
        (lambda row, text, right: f"{text} U" if right else text, "longest"),
        (lambda row, text, right: "U R" if right else f"{text} F", "least_alike"),
        (
            lambda row, text, right: ("R2" if row % 3 else "U'") if right else text,
            "learned_options",
        ),
    ],
)
def test_a_planted_pattern_is_found(change, attack: str) -> None:
    assert attack in find_shortcuts(rewrite_options(fair_options(), change))


def test_variants_of_the_right_option_are_found() -> None:
    """Distractors made by changing one move of the right one leave it in their middle."""
    rows = fair_options()
    rng = np.random.default_rng(1)

    def make_variants(row: int) -> tuple[str, ...]:
        base = rng.permutation(MOVES)[:3].tolist()
        texts = []
        for index in range(4):
            moves = list(base)
            if index != rows.gold[row]:
                moves[index % 3] = MOVES[(MOVES.index(moves[index % 3]) + 5) % 18]
            texts.append(" ".join(moves))
        return tuple(texts)

    options = tuple(make_variants(row) for row in range(ITEMS))
    assert "most_alike" in find_shortcuts(ChoiceRows(LETTERS, rows.gold, rows.groups, options, ()))


def test_prompts_that_tell_the_label_are_found() -> None:
    rows = fair_options()
    hints = {0: "alpha", 1: "beta", 2: "gamma", 3: "delta"}
    told = tuple(f"{p} {hints[int(g)]}" for p, g in zip(rows.prompts, rows.gold, strict=True))
    assert "learned_words" in find_shortcuts(ChoiceRows(LETTERS, rows.gold, rows.groups, (), told))
    said = tuple(f"{p} {LETTERS[g]}" for p, g in zip(rows.prompts, rows.gold, strict=True))
    assert "most_mentioned" in find_shortcuts(ChoiceRows(LETTERS, rows.gold, rows.groups, (), said))


def test_what_was_learned_never_comes_from_the_same_group() -> None:
    """Each group's own secret word tells its label, and no other group's: nothing to learn."""
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 2, 300)
    documents = [(f"word{i // 3}",) for i in range(300)]
    gold[1::3] = gold[2::3] = gold[0::3]
    groups = [f"g{i // 3}" for i in range(300)]
    learned = learn_labels(documents, gold, groups, 2)
    assert (learned == gold).mean() < 0.65


def test_learner_is_bernoulli_naive_bayes() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 240)
    table = rng.random((240, 12)) < (0.2 + 0.2 * (gold[:, None] == np.arange(12) % 3))
    documents = [tuple(np.flatnonzero(row).tolist()) for row in table]
    groups = [f"g{i}" for i in range(240)]
    mine = learn_labels(documents, gold, groups, 3)
    from facelet.generators.core.seeding import digest_names

    fold = np.array([digest_names("fold", group)[0] % FOLDS for group in groups])
    for held in range(FOLDS):
        oracle = BernoulliNB(alpha=1.0, fit_prior=False)
        oracle.fit(table[fold != held], gold[fold != held])
        expected = oracle.predict(table[fold == held])
        assert (mine[fold == held] == expected).all()


def test_words_keep_moves_whole() -> None:
    assert word_pairs("A: R2 U'") == ("A", ":", "R2", "U'", "A :", ": R2", "R2 U'")


def test_a_learner_is_not_taken_for_more_guesses_than_it_is_worth() -> None:
    """Labels dealt anew to rows of which five share a word; nothing is there to be learned."""
    rng, size, level = np.random.default_rng(1), 100, 0.01
    groups = [str(row) for row in range(size)]
    documents = [(f"word {row // 5}",) for row in range(size)]
    share = []
    for _ in range(400):
        gold = rng.permutation(np.resize(np.arange(4), size))
        share.append((learn_labels(documents, gold, groups, 4) == gold).mean())

    def false_alarm_rate(trials: int) -> float:
        return float(np.mean(np.array(share) > accuracy_bound(level, trials, 0.25)))

    assert false_alarm_rate(effective_guesses("learned_words", size)) <= 2 * level
    assert false_alarm_rate(size) > 3 * level
    assert effective_guesses("always:A", size) == size and effective_guesses("relations", 1) == 1


def test_every_player_that_learns_is_known() -> None:
    rows = MarkedQuestions((("U", "D"), ("L", "R")), np.array([[1, 0], [0, 1]]), ("a", "b"))
    texts = ChoiceRows(("A", "B"), np.array([0, 1]), ("a", "b"), rows.options, ("x", "y"))
    known = {name for name in attack_answers(texts) if name.startswith("learned")} | set(
        learn_answers(rows)
    )
    assert known == LEARNERS
