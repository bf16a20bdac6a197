"""Learn with boosted trees which option or label is right, from options and prompts.

In single choices each option is one example, with its length, letter, words, alphabetical rank and
distances to the others as features; otherwise each prompt is one example, with its words. The hash
of the pictures and the level are features too. Trees answer rows of puzzles that they were not
trained on (folds by base puzzle). Needs scikit-learn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names
from facelet.generators.options.option_attacks import word_pairs
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.label_balance import list_choice_labels
from facelet.pipeline.audit.player_results import AnsweredRows, PlayerResult
from facelet.pipeline.family_modules import AnyTask

FOLDS = 3
WORDS = 150
"""Most common words that are counted."""
HASH_FEATURES = 4
"""Features from the hash of the pictures."""

Table = npt.NDArray[np.float64]


def score_boosted_trees(rows: Sequence[AuditedRow], task: AnyTask) -> list[PlayerResult]:
    """Return the results of boosted trees on single answers; [] where there are none.

    Raises:
        ValueError: scikit-learn is not installed.
    """
    labels = list_choice_labels(list(rows), task)
    if not labels or len(rows) < 10 * FOLDS:
        return []
    gold = np.array([labels.index(row.gold[0]) for row in rows])
    fold = np.array([digest_names("floors", "fold", row.cluster)[0] % FOLDS for row in rows])
    if all(len(row.options) == len(labels) for row in rows):
        table = np.concatenate(
            [_option_features(rows), np.repeat(_row_features(rows), len(labels), axis=0)], 1
        )
        right = (np.arange(len(labels)) == gold[:, None]).astype(np.int64).ravel()
        said = np.zeros(len(rows), dtype=np.int64)
        for held in range(FOLDS):
            inside = np.repeat(fold != held, len(labels))
            if (fold == held).any() and len({*right[inside]}) == 2:
                model = _build_classifier().fit(table[inside], right[inside])
                rated = model.predict_proba(table[~inside])[:, 1].reshape(-1, len(labels))
                said[fold == held] = rated.argmax(axis=1)
    else:
        table = np.concatenate([_count_words([row.text for row in rows]), _row_features(rows)], 1)
        said = np.zeros(len(rows), dtype=np.int64)
        for held in range(FOLDS):
            inside = fold != held
            if (~inside).any() and len({*gold[inside]}) > 1:
                said[~inside] = (
                    _build_classifier().fit(table[inside], gold[inside]).predict(table[~inside])
                )
    won = (said == gold).astype(np.float64)
    asked = AnsweredRows.from_rows((row.cell, row.cluster) for row in rows)
    return [PlayerResult.from_wins("boosted", asked, won, np.ones(len(rows)))]


def _build_classifier() -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ModuleNotFoundError:
        raise ValueError(
            "a study needs scikit-learn, which is not installed: pip install scikit-learn"
        ) from None
    return HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, random_state=0)


def _row_features(rows: Sequence[AuditedRow]) -> Table:
    """Return the features of whole rows: (rows, 1 + HASHED)."""
    hashed = [
        [int(row.pictures[4 * k : 4 * k + 4] or "0", 16) for k in range(HASH_FEATURES)]
        for row in rows
    ]
    level = np.array([[row.difficulty] for row in rows], dtype=np.float64)
    return np.concatenate([level, np.array(hashed, dtype=np.float64)], 1)


def _option_features(rows: Sequence[AuditedRow]) -> Table:
    """Return the features of each option: (rows * options, features)."""
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
    return np.concatenate([np.array(places, dtype=np.float64), _count_words(options)], 1)


def _count_words(texts: Sequence[str]) -> Table:
    """Return how often each of the most common words is in each text: (texts, at most WORDS)."""
    found = [Counter(word_pairs(text)) for text in texts]
    spread: Counter[str] = Counter(word for count in found for word in count)
    # Words of all texts carry no information.
    kept = [w for w, n in sorted(spread.items(), key=lambda p: (-p[1], p[0])) if n < len(texts)]
    table = np.zeros((len(texts), len(kept[:WORDS]) + 1))
    for place, count in enumerate(found):
        table[place, 0] = sum(count.values())
        for column, word in enumerate(kept[:WORDS], 1):
            table[place, column] = count[word]
    return table
