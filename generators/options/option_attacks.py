"""Attacks that never see the puzzle: what they score above chance, a dataset reveals.

An attack sees labels' places, the texts of the options or the words of the prompt, never the
picture, the state or the rules. On a fair dataset each scores at chance. Attacks that learn are
trained and tested on different groups (cross-validation by group), have a uniform prior, and use no
randomness: ties go to the first label.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names

FOLDS = 5

TOGETHER = 4096
"""Documents whose tokens are held at a time."""

LEARNERS = frozenset({"learned_options", "learned_words", "relations", "relations_bayes"})
"""What is tried on each fold after it learned from the others, here and in
facelet.generators.options.relation_learner."""

Answers = npt.NDArray[np.int64]

_WORD = re.compile(r"[A-Za-z0-9]+'?|[^\sA-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class ChoiceRows:
    """Single-choice rows as an attacker sees them; all sequences are parallel, one entry a row.

    Attributes:
        labels: the labels to choose from, in the order shown (letters, or yes and no).
        gold: the index of the right label.
        groups: key of the base puzzle; rows of a group are never on both sides of a fold.
        options: the texts of the options in label order, or empty when labels are all there is.
        prompts: the text of the prompt.
    """

    labels: tuple[str, ...]
    gold: npt.NDArray[np.int64]
    groups: tuple[str, ...]
    options: tuple[tuple[str, ...], ...] = ()
    prompts: tuple[str, ...] = ()


def score_attacks(rows: ChoiceRows) -> dict[str, int]:
    """Return how many rows each attack answers right; see `attack_answers`."""
    return {name: int((said == rows.gold).sum()) for name, said in attack_answers(rows).items()}


def attack_answers(rows: ChoiceRows) -> dict[str, Answers]:
    """Return what each attack answers: the index of a label, row by row.

    Always: one attack a label ("always:A"). With options: first and last in alphabetical order,
    shortest and longest, most and least like the others, and a learner that rates the words of
    each option. With prompts: the label mentioned most and least, and a learner from words to
    label.
    """
    found: dict[str, Answers] = {
        f"always:{label}": np.full(len(rows.gold), index) for index, label in enumerate(rows.labels)
    }
    if rows.options:
        found |= _by_option(rows)
    if rows.prompts:
        found |= _by_prompt(rows)
    return found


def effective_guesses(name: str, rows: int) -> int:
    """Return how many independent guesses an attack's answers to some fair rows are worth.

    Of two rows that look alike a learner is right of both or wrong of both, since it learned each
    from the other. So its hits on fair rows have up to twice the variance of as many guesses.

    Args:
        name: the attack.
        rows: independent rows that it answered.
    """
    return max(1, rows // 2) if name in LEARNERS else rows


def learn_labels(
    documents: Iterable[Sequence[Hashable]],
    gold: npt.NDArray[np.int64],
    groups: Iterable[str],
    classes: int,
) -> Answers:
    """Return the label that naive Bayes guesses for each document from the other folds.

    Args:
        documents: the tokens of each document; only presence counts. They are gone through twice,
            and few are held at a time.
        gold: the class of each document.
        groups: documents of one group are in one fold.
        classes: number of classes; their prior is uniform.
    """
    found: Answers = learn_evidence(documents, gold, groups, classes).argmax(axis=1)
    return found


def word_pairs(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text, and each pair of neighbours."""
    single = _WORD.findall(text)
    return (*single, *(f"{a} {b}" for a, b in pairwise(single)))


def _by_option(rows: ChoiceRows) -> dict[str, Answers]:
    """Return the answers of the attacks that read the options."""
    size = len(rows.labels)
    likeness = np.array([_option_likeness(options) for options in rows.options])
    order = [sorted(range(size), key=lambda i: (options[i], i)) for options in rows.options]
    length = np.array([[len(option) for option in options] for options in rows.options])
    rating = learn_evidence(
        [word_pairs(option) for options in rows.options for option in options],
        (np.arange(size) == rows.gold[:, None]).astype(np.int64).ravel(),
        [group for group in rows.groups for _ in range(size)],
        2,
    )
    return {
        "first_in_alphabet": np.array([places[0] for places in order]),
        "last_in_alphabet": np.array([places[-1] for places in order]),
        "shortest": length.argmin(axis=1),
        "longest": length.argmax(axis=1),
        "most_alike": likeness.argmax(axis=1),
        "least_alike": likeness.argmin(axis=1),
        "learned_options": (rating[:, 1] - rating[:, 0]).reshape(-1, size).argmax(axis=1),
    }


def _by_prompt(rows: ChoiceRows) -> dict[str, Answers]:
    """Return the answers of the attacks that read the words of the prompt."""
    documents = [word_pairs(prompt) for prompt in rows.prompts]
    known = {label.lower(): index for index, label in enumerate(rows.labels)}
    mentions = np.zeros((len(documents), len(rows.labels)), dtype=np.int64)
    for row, document in enumerate(documents):
        for word in document:
            if (index := known.get(word.lower())) is not None:
                mentions[row, index] += 1
    return {
        "most_mentioned": mentions.argmax(axis=1),
        "least_mentioned": mentions.argmin(axis=1),
        "learned_words": learn_labels(documents, rows.gold, rows.groups, len(rows.labels)),
    }


def _option_likeness(options: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return for each option how much it shares with the others, summed cosines of its features.

    A feature is a word anywhere, its first letter anywhere, or either at its place.
    """
    features: dict[Hashable, int] = {}
    found = []
    for option in options:
        tokens = option.split()
        mine: list[Hashable] = [*tokens, *(("initial", token[0]) for token in tokens)]
        mine += [(place, token) for place, token in enumerate(tokens)]
        mine += [(place, "initial", token[0]) for place, token in enumerate(tokens)]
        found.append([features.setdefault(feature, len(features)) for feature in mine])
    table = np.zeros((len(options), max(1, len(features))))
    for row, indices in enumerate(found):
        np.add.at(table[row], indices, 1.0)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1.0)
    # Rounded, so that equal likenesses tie on every machine.
    likeness: npt.NDArray[np.float64] = np.round((table @ table.T).sum(axis=1), 9)
    return likeness


def learn_evidence(
    documents: Iterable[Sequence[Hashable]],
    gold: npt.NDArray[np.int64],
    groups: Iterable[str],
    classes: int,
) -> npt.NDArray[np.float64]:
    """Return Bernoulli naive Bayes log likelihoods, shape (documents, classes), out of fold.

    Args:
        documents: the tokens of each document; only presence counts. They are gone through twice,
            and few are held at a time.
        gold: the class of each document.
        groups: documents of one group are in one fold.
        classes: number of classes.
    """
    fold = np.fromiter(
        (digest_names("fold", group)[0] % FOLDS for group in groups), np.int64, len(gold)
    )
    vocabulary: dict[Hashable, int] = {}
    seen = np.zeros((FOLDS, classes, 1), dtype=np.int64)
    for begin, row, token in _iterate_tokens(documents, vocabulary):
        if len(vocabulary) > seen.shape[2]:
            more = 2 * len(vocabulary) - seen.shape[2]
            seen = np.concatenate([seen, np.zeros((FOLDS, classes, more), dtype=np.int64)], axis=2)
        np.add.at(seen, (fold[begin + row], gold[begin + row], token), 1)
    seen = seen[:, :, : max(1, len(vocabulary))]
    base, odds = [], []
    for held in range(FOLDS):
        present = np.ascontiguousarray(seen.sum(axis=0) - seen[held])
        total = np.bincount(gold[fold != held], minlength=classes)[:, None]
        rate = (present + 1.0) / (total + 2.0)
        base.append(np.log1p(-rate).sum(axis=1))
        odds.append(np.log(rate) - np.log1p(-rate))
    evidence = np.array(base)[fold]
    for begin, row, token in _iterate_tokens(documents, vocabulary):
        for held in range(FOLDS):
            asked = fold[begin + row] == held
            for index in range(classes):
                place = begin + row[asked]
                np.add.at(evidence[:, index], place, odds[held][index, token[asked]])
    # Rounded, so that ties do not depend on the order of the sums.
    return np.round(evidence, 9)


def _iterate_tokens(
    documents: Iterable[Sequence[Hashable]], vocabulary: dict[Hashable, int]
) -> Iterator[tuple[int, Answers, Answers]]:
    """Yield the tokens of documents, some documents at a time.

    Args:
        documents: the tokens of each.
        vocabulary: the numbers of the tokens; new ones are added.

    Yields:
        The number of the first document; by token, in order, its document's number from there on,
        and its own.
    """
    rest, begin = iter(documents), 0
    while some := list(islice(rest, TOGETHER)):
        pairs = [
            (row, vocabulary.setdefault(token, len(vocabulary)))
            for row, document in enumerate(some)
            for token in dict.fromkeys(document)
        ]
        row, token = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        yield begin, row, token
        begin += len(some)
