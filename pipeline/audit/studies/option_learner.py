"""Learners of boosted trees: what options and prompts tell of which answer is right.

Of single choices each option is an example, described by its length, its letter, its words, its
rank in the alphabet and its distances to the others; of other labels each prompt is one, described
by its words. The hash of the pictures is there too, and the level. A row is answered by trees that
were grown on other puzzles (folds by base puzzle). Needs scikit-learn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest
from facelet.generators.options.attacks import words
from facelet.pipeline.audit.answers import labels_of
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.tried import Asked, Tried
from facelet.pipeline.families import AnyTask

FOLDS = 3
WORDS = 150
"""The commonest words that are counted."""
HASHED = 4
"""Numbers that are made of the hash of the pictures."""

Table = npt.NDArray[np.float64]


def boosted(rows: Sequence[Observed], task: AnyTask) -> list[Tried]:
    """Return what boosted trees get right of single answers; [] where answers are none.

    Raises:
        ValueError: scikit-learn is not installed.
    """
    labels = labels_of(list(rows), task)
    if not labels or len(rows) < 10 * FOLDS:
        return []
    gold = np.array([labels.index(row.gold[0]) for row in rows])
    fold = np.array([digest("floors", "fold", row.cluster)[0] % FOLDS for row in rows])
    if all(len(row.options) == len(labels) for row in rows):
        table = np.concatenate([_by_option(rows), np.repeat(_about(rows), len(labels), axis=0)], 1)
        right = (np.arange(len(labels)) == gold[:, None]).astype(np.int64).ravel()
        said = np.zeros(len(rows), dtype=np.int64)
        for held in range(FOLDS):
            inside = np.repeat(fold != held, len(labels))
            if (fold == held).any() and len({*right[inside]}) == 2:
                model = _trees().fit(table[inside], right[inside])
                rated = model.predict_proba(table[~inside])[:, 1].reshape(-1, len(labels))
                said[fold == held] = rated.argmax(axis=1)
    else:
        table = np.concatenate([_counted([row.text for row in rows]), _about(rows)], 1)
        said = np.zeros(len(rows), dtype=np.int64)
        for held in range(FOLDS):
            inside = fold != held
            if (~inside).any() and len({*gold[inside]}) > 1:
                said[~inside] = _trees().fit(table[inside], gold[inside]).predict(table[~inside])
    won = (said == gold).astype(np.float64)
    asked = Asked.of((row.cell, row.cluster) for row in rows)
    return [Tried.by("boosted", asked, won, np.ones(len(rows)))]


def _trees() -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ModuleNotFoundError:
        raise ValueError(
            "a study needs scikit-learn, which is not installed: pip install scikit-learn"
        ) from None
    return HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, random_state=0)


def _about(rows: Sequence[Observed]) -> Table:
    """Return what is known of whole rows: (rows, 1 + HASHED)."""
    hashed = [
        [int(row.pictures[4 * k : 4 * k + 4] or "0", 16) for k in range(HASHED)] for row in rows
    ]
    level = np.array([[row.difficulty] for row in rows], dtype=np.float64)
    return np.concatenate([level, np.array(hashed, dtype=np.float64)], 1)


def _by_option(rows: Sequence[Observed]) -> Table:
    """Return what is known of each option: (rows * options, features)."""
    options = [option for row in rows for option in row.options]
    places = []
    for row in rows:
        order = sorted(row.options)
        tokens = [option.split() for option in row.options]
        for place, option in enumerate(row.options):
            mine = tokens[place]
            others = [other for k, other in enumerate(tokens) if k != place]
            apart = sorted(
                sum(a != b for a, b in zip(mine, other, strict=False)) + abs(len(mine) - len(other))
                for other in others
            )
            counts = Counter(token for other in others for token in other)
            places.append(
                [
                    place,
                    order.index(option),
                    len(option),
                    len(mine),
                    apart[0],
                    apart[-1],
                    sum(apart),
                    sum(counts[token] for token in mine),
                    row.options.count(option),
                ]
            )
    return np.concatenate([np.array(places, dtype=np.float64), _counted(options)], 1)


def _counted(texts: Sequence[str]) -> Table:
    """Return how often each of the commonest words stands in each text: (texts, at most WORDS)."""
    found = [Counter(words(text)) for text in texts]
    spread: Counter[str] = Counter(word for count in found for word in count)
    # What all texts have tells nothing.
    kept = [w for w, n in sorted(spread.items(), key=lambda p: (-p[1], p[0])) if n < len(texts)]
    table = np.zeros((len(texts), len(kept[:WORDS]) + 1))
    for place, count in enumerate(found):
        table[place, 0] = sum(count.values())
        for column, word in enumerate(kept[:WORDS], 1):
            table[place, column] = count[word]
    return table
