"""A learner that reads thousands of steps, right and mistaken, and nothing else, is at chance."""

import numpy as np
import pytest

from facelet.generators.chamber.maps.map_columns import Knobs
from facelet.generators.chamber.maps.map_generator import disguise_map
from facelet.generators.chamber.plans.step_sentences import FORMS, format_sentence
from facelet.generators.options.option_attacks import learn_labels, word_pairs

DISGUISES = 100


@pytest.fixture(scope="module")
def steps(resource):
    """Steps where one may be mistaken, as words, each with whether it is, and its disguise."""
    rng = np.random.default_rng(0)
    said, gold, groups = [], [], []
    for number, item in enumerate(resource(Knobs().map_need()).maps):
        for turn in range(DISGUISES):
            shown = disguise_map(item, rng)
            for mistake in shown.mistakes:
                form = int(rng.integers(FORMS))
                for wrong, step in enumerate((shown.plan[mistake.number], mistake.step)):
                    said.append(word_pairs(format_sentence(step, form)))
                    gold.append(wrong)
                    groups.append(f"{number} {turn}")
    return said, np.array(gold), groups


def learner_accuracy(documents, gold, groups) -> float:
    return float((learn_labels(documents, gold, groups, 2) == gold).mean())


def test_the_words_of_steps_tell_nothing(steps) -> None:
    said, gold, groups = steps
    assert len(said) >= 6_000
    sigma = 0.5 / len(said) ** 0.5
    assert abs(learner_accuracy(said, gold, groups) - 0.5) < 4 * sigma


def test_no_rule_of_thumb_tells(resource) -> None:
    """Of a right and a mistaken step: the longer one, that with nearer numbers, and so on.

    Pairs of one chamber hang together, so the spread is that of the chambers' means.
    """
    rng = np.random.default_rng(1)
    means = []
    for item in resource(Knobs().map_need()).maps:
        for _ in range(DISGUISES):
            shown = disguise_map(item, rng)
            wins = [
                np.sign(
                    np.subtract(*(rule_features(shown.plan, m.number, s) for s in (own, m.step)))
                )
                for m in shown.mistakes
                for own in (shown.plan[m.number],)
            ]
            means.append(np.mean(wins, axis=0))
    spread = np.std(means, axis=0) / len(means) ** 0.5
    assert (abs(np.mean(means, axis=0)) <= 4 * spread).all()


def rule_features(plan, number: int, step) -> np.ndarray:
    """Return what rules of thumb look at: each a number that may be larger for the right step."""
    said = [word for word in step.args if word[-1].isdigit()]
    before = [w for s in plan[:number] for w in s.args if said and w[0] == said[0][0]]
    elsewhere = [w for k, s in enumerate(plan) if k != number for w in s.args]
    total = sum(int(word[1:]) for word in said)
    near = abs(total - int(before[-1][1:])) if before and before[-1][1:].isdigit() else 0
    return np.array(
        [
            len(format_sentence(step, 0)),
            total,
            near,
            sum(elsewhere.count(word) for word in step.args),
        ]
    )


def test_a_word_that_told_would_be_found(steps) -> None:
    """A leak in one of five mistakes is far beyond what chance allows."""
    said, gold, groups = steps
    documents = [
        (*found, *(("here",) if wrong and place % 10 < 2 else ()))
        for place, (found, wrong) in enumerate(zip(said, gold, strict=True))
    ]
    assert learner_accuracy(documents, gold, groups) > 0.56
