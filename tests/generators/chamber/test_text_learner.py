"""A learner that reads thousands of steps, right and mistaken, and nothing else, is at chance."""

import numpy as np
import pytest

from facelet.generators.chamber.maps.making import disguised
from facelet.generators.chamber.maps.records import Knobs
from facelet.generators.chamber.plans.sentences import FORMS, sentence
from facelet.generators.options.attacks import learn_labels, words

DISGUISES = 100


@pytest.fixture(scope="module")
def steps(resource):
    """Steps where one may be mistaken, as words, each with whether it is, and its disguise."""
    rng = np.random.default_rng(0)
    said, gold, groups = [], [], []
    for number, item in enumerate(resource(Knobs().need()).maps):
        for turn in range(DISGUISES):
            shown = disguised(item, rng)
            for mistake in shown.mistakes:
                form = int(rng.integers(FORMS))
                for wrong, step in enumerate((shown.plan[mistake.number], mistake.step)):
                    said.append(words(sentence(step, form)))
                    gold.append(wrong)
                    groups.append(f"{number} {turn}")
    return said, np.array(gold), groups


def accuracy(documents, gold, groups) -> float:
    return float((learn_labels(documents, gold, groups, 2) == gold).mean())


def test_the_words_of_steps_tell_nothing(steps) -> None:
    said, gold, groups = steps
    assert len(said) >= 6_000
    sigma = 0.5 / len(said) ** 0.5
    assert abs(accuracy(said, gold, groups) - 0.5) < 4 * sigma


def test_a_word_that_told_would_be_found(steps) -> None:
    """A leak in one of five mistakes is far beyond what chance allows."""
    said, gold, groups = steps
    documents = [
        (*found, *(("here",) if wrong and place % 10 < 2 else ()))
        for place, (found, wrong) in enumerate(zip(said, gold, strict=True))
    ]
    assert accuracy(documents, gold, groups) > 0.56
