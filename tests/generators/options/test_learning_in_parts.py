"""The learner of words says the same to the last bit, however few documents it holds at a time."""

from __future__ import annotations

import numpy as np
import pytest

from facelet.generators.core.seeding import digest_names
from facelet.generators.options import option_attacks
from facelet.generators.options.option_attacks import FOLDS, learn_evidence


def learn_plainly(documents: list[list[str]], gold: np.ndarray, groups: list[str], classes: int):
    """All documents at once, a fold at a time."""
    words = list(dict.fromkeys(word for document in documents for word in document))
    table = np.array([[word in document for word in words] for document in documents])
    fold = np.array([digest_names("fold", group)[0] % FOLDS for group in groups])
    found = np.zeros((len(documents), classes))
    for held in range(FOLDS):
        train, test = fold != held, fold == held
        present = np.array([table[train & (gold == k)].sum(axis=0) for k in range(classes)])
        rate = (present + 1.0) / (np.bincount(gold[train], minlength=classes)[:, None] + 2.0)
        for k in range(classes):
            found[test, k] = np.log1p(-rate[k]).sum() + table[test] @ (
                np.log(rate[k]) - np.log1p(-rate[k])
            )
    return np.round(found, 9)


@pytest.mark.parametrize("together", [1, 7, 1000])
def test_the_same_is_learned_in_parts(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    documents = [
        [f"w{k}" for k in rng.integers(0, 30, int(rng.integers(0, 9)))] for _ in range(120)
    ]
    gold = rng.integers(0, 3, 120)
    groups = [f"g{k // 2}" for k in range(120)]
    whole = learn_evidence(documents, gold, groups, 3)
    monkeypatch.setattr(option_attacks, "TOGETHER", together)
    assert np.array_equal(learn_evidence(documents, gold, iter(groups), 3), whole)
    assert np.abs(whole - learn_plainly(documents, gold, groups, 3)).max() <= 2e-9
