"""Players that learn from the relations between options, and from nothing else.

It knows of each option its relations to the others (facelet.generators.options.option_relations).
For one or two of them it looks up how often options with such keys were right, or of which class,
in rows that it was trained on. Which relations it looks up is chosen by trying them inside the
training rows, so its answers to a row depend on other folds only; folds are made of whole groups.
A second player is naive Bayes over all relations, the pairs of options and the words of each.
Counts are whole numbers and ties go to the first, so the answers are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names
from facelet.generators.options.option_attacks import FOLDS, Answers, learn_evidence, word_pairs
from facelet.generators.options.option_relations import option_relations, pair_relations

Codes = npt.NDArray[np.int64]
Counts = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MarkedQuestions:
    """Questions whose options have classes; all of the same number of options.

    Attributes:
        options: the texts of the options, a tuple a question.
        classes: (questions, options) the class of each option: 1 for the right one of a single
            choice and 0 for the others, or any of `size` classes.
        groups: key of each question's base puzzle; rows of a group are in one fold.
        size: number of classes.
        single: whether one option of each question is right and has to be chosen.
    """

    options: tuple[tuple[str, ...], ...]
    classes: Codes
    groups: tuple[str, ...]
    size: int = 2
    single: bool = True


def learn_answers(rows: MarkedQuestions) -> dict[str, Answers]:
    """Return what the players that learn relations answer.

    Returns:
        By player, the chosen option of each question, shape (questions,); or where it is no single
        choice, the class of each option, shape (questions, options).
    """
    keys = [option_relations(options) for options in rows.options]
    documents = [
        (*((name, key) for name, key in mine.items()), *pair, *word_pairs(text))
        for options, found in zip(rows.options, keys, strict=True)
        for mine, pair, text in zip(found, pair_relations(options), options, strict=True)
    ]
    width = rows.classes.shape[1]
    rating = learn_evidence(
        documents, rows.classes.ravel(), [g for g in rows.groups for _ in range(width)], rows.size
    )
    bayes = (
        (rating[:, 1] - rating[:, 0]).reshape(-1, width).argmax(axis=1)
        if rows.single
        else rating.argmax(axis=1).reshape(-1, width)
    )
    names = list(keys[0][0])
    flat = [mine for found in keys for mine in found]
    codes = [_encode_keys([mine[name] for mine in flat]) for name in names]
    return {"relations": _answer_by_lookup(rows, codes), "relations_bayes": bayes}


def _answer_by_lookup(rows: MarkedQuestions, codes: Sequence[Codes]) -> Answers:
    """Return the answers out of the best lookup of one relation or two."""
    fold = np.array(
        [digest_names("fold", group)[0] % FOLDS for group in rows.groups], dtype=np.int64
    )
    tables = [_RelationTable(rows, fold, code) for code in codes]
    for left, right in combinations(codes, 2):
        both = left * (int(right.max()) + 1) + right
        tables.append(_RelationTable(rows, fold, np.unique(both, return_inverse=True)[1]))
    answers = np.zeros(len(rows.options) if rows.single else rows.classes.shape, dtype=np.int64)
    for held in range(FOLDS):
        tried = [
            sum(table.fold_hits(f, {held, f}) for f in range(FOLDS) if f != held)
            for table in tables
        ]
        best = tables[int(np.argmax(tried))]
        answers[fold == held] = best.fold_answers(held, {held})
    return answers


class _RelationTable:
    """How often options with a key were of each class, fold by fold."""

    def __init__(self, rows: MarkedQuestions, fold: Codes, code: Codes) -> None:
        """Count."""
        self._rows = rows
        self._fold = fold
        self._code = code.reshape(rows.classes.shape)
        size = (int(code.max(initial=0)) + 1) * rows.size
        place = self._code * rows.size + rows.classes
        self._counts = np.stack(
            [np.bincount(place[fold == f].ravel(), minlength=size) for f in range(FOLDS)]
        )
        self._all = self._counts.sum(axis=0)

    def fold_answers(self, held: int, without: set[int]) -> Answers:
        """Return the answers of one fold.

        Args:
            held: the fold.
            without: the folds that nothing was learned from.
        """
        left = self._all - sum(self._counts[f] for f in sorted(without))
        count = left.reshape(-1, self._rows.size).astype(np.float64)
        total = count.sum(axis=0) + 1.0
        # One more of each key, of the classes' mix: a key that was never seen says the mix.
        rate = (count + total / total.sum()) / (count.sum(axis=1, keepdims=True) + 1.0)
        shown = rate[self._code[self._fold == held]]
        found: Answers = (
            shown[:, :, 1].argmax(axis=1) if self._rows.single else shown.argmax(axis=2)
        )
        return found

    def fold_hits(self, held: int, without: set[int]) -> int:
        """Return how many of a fold's answers are right; see `fold_answers`."""
        found = self.fold_answers(held, without)
        gold = self._rows.classes[self._fold == held]
        if not len(gold):
            return 0
        if self._rows.single:
            return int(np.take_along_axis(gold, found[:, None], axis=1).sum())
        return int((found == gold).sum())


def _encode_keys(keys: Sequence[Hashable]) -> Codes:
    """Return a number for each key, equal for equal keys."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
