"""Relations between options, and players that learn from them and from nothing else.

An option is a text; its tokens are its words and signs, and the marks of a sign ("R2", "R'") are
tokens of their own. Nothing here knows what options mean. Each relation of an option to the other
options of its question gives it a key, a small tuple of whole numbers or of tokens; options with
equal keys look alike to a player that reads the options and nothing else. Letters, order, lengths,
repeats, shared tokens, edit distances and the odd one out are all covered; opposites show as pairs
of first signs.

For one or two relations the first player looks up how often options with such keys were right, or
of which class, in rows that it was trained on. Which relations it looks up is chosen by trying them
inside the training rows, so its answers to a row depend on other folds only; folds are made of
whole groups. A second player is naive Bayes over all relations, the pairs of options and the words
of each. Counts are whole numbers and ties go to the first, so the answers are the same on every
machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names
from facelet.generators.options.option_attacks import FOLDS, Answers, learn_evidence, word_pairs

T = TypeVar("T")
Key = Hashable
Tokens = tuple[str, ...]

TOKENS = 32
"""Edit distances compare at most so many tokens of an option."""

_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]")
_NUMBER = re.compile(r"-?[0-9]+")


def split_tokens(text: str) -> Tokens:
    """Return the words, numbers and signs of an option."""
    return tuple(_TOKEN.findall(text))


def option_relations(options: Sequence[str]) -> list[dict[str, Key]]:
    """Return what each option of a question is to the others, by the names of the relations.

    Args:
        options: the texts of the options, in the order shown; any number of them.

    Returns:
        For each option the same names, each with a key.
    """
    parts = [split_tokens(option) for option in options]
    far = _edit_distances(parts)
    first = [part[0] if part else "" for part in parts]
    heads = [Counter(part[:1] for part in option.split()) for option in options]
    found: dict[str, list[Key]] = {
        "place": list(range(len(options))),
        "same text": _share_counts(options),
        "same first": _share_counts(first),
        "same last": _share_counts([part[-1] if part else "" for part in parts]),
        "same marks": _share_counts([part[1:] for part in parts]),
        "same tokens": _share_counts([tuple(sorted(part)) for part in parts]),
        "same letters": _share_counts([tuple(sorted(head.items())) for head in heads]),
        "shared first": [_first_token_company(first, place) for place in range(len(first))],
        "shared firsts": _rank_values(
            [_count_overlap(heads, place) for place in range(len(heads))]
        ),
        "length": _rank_values([len(option) for option in options]),
        "tokens": _rank_values([len(part) for part in parts]),
        "distinct tokens": _rank_values([len(set(part)) for part in parts]),
        "distance to all": _rank_values([sum(row) for row in far]),
        "nearest": _rank_values(
            [min(_without_place(row, place), default=0) for place, row in enumerate(far)]
        ),
        "farthest": _rank_values([max(row, default=0) for row in far]),
        "one step away": [sum(d == 1 for d in row) for row in far],
        "order": _rank_values(list(options)),
        "number": _rank_values([_first_number(option) for option in options]),
        "contained": _containment_counts(parts),
    }
    return [{name: keys[place] for name, keys in found.items()} for place in range(len(options))]


def pair_relations(options: Sequence[str]) -> list[tuple[Key, ...]]:
    """Return for each option itself with each other one: whole, and by the first tokens.

    Args:
        options: the texts of the options.
    """
    first = [(split_tokens(option) or ("",))[0] for option in options]
    return [
        tuple(
            key
            for other, text in enumerate(options)
            if other != place
            for key in (("pair", options[place], text), ("firsts", first[place], first[other]))
        )
        for place in range(len(options))
    ]


def _share_counts(values: Sequence[Hashable]) -> list[Key]:
    """Return for each value how many have it, with the sizes of all groups of equal ones."""
    count = Counter(values)
    sizes = tuple(sorted(count.values()))
    return [(count[value], sizes) for value in values]


def _first_token_company(first: Sequence[str], place: int) -> Key:
    """Return an option's first token with those of the others, sorted."""
    return first[place], tuple(sorted(_without_place(first, place)))


def _count_overlap(heads: Sequence[Counter[str]], place: int) -> int:
    """Return how many first signs of words an option has in common with the others."""
    return sum((heads[place] & other).total() for other in _without_place(heads, place))


def _rank_values(values: Sequence[int] | Sequence[str]) -> list[Key]:
    """Return for each value how many are less, and how many are equal."""
    return [
        (sum(other < value for other in values), sum(other == value for other in values))  # type: ignore[operator]
        for value in values
    ]


def _containment_counts(parts: Sequence[Tokens]) -> list[Key]:
    """Return for each option how many others hold all its tokens, and of how many it holds all."""
    sets = [frozenset(part) for part in parts]
    return [
        (
            sum(mine <= other for other in _without_place(sets, place)),
            sum(mine >= other for other in _without_place(sets, place)),
        )
        for place, mine in enumerate(sets)
    ]


def _first_number(option: str) -> int:
    """Return the first number in an option; 0 without one."""
    found = _NUMBER.search(option)
    return int(found[0][:18]) if found else 0


def _without_place(values: Sequence[T], place: int) -> list[T]:
    return [value for other, value in enumerate(values) if other != place]


def _edit_distances(parts: Sequence[Tokens]) -> list[list[int]]:
    """Return the edit distances of all pairs, in tokens."""
    table = [[0] * len(parts) for _ in parts]
    for left, right in combinations(range(len(parts)), 2):
        distance = _edit_distance(parts[left][:TOKENS], parts[right][:TOKENS])
        table[left][right] = table[right][left] = distance
    return table


def _edit_distance(left: Tokens, right: Tokens) -> int:
    """Return the fewest insertions, removals and replacements from one list to the other.

    The columns of the usual table differ by one at most from place to place, so a column is two
    whole numbers: where it rises and where it falls (Myers, 1999, as Hyyrö, 2003, writes it).
    """
    if not left:
        return len(right)
    last, full = 1 << (len(left) - 1), (1 << len(left)) - 1
    places: dict[str, int] = {}
    for place, token in enumerate(left):
        places[token] = places.get(token, 0) | 1 << place
    rises, falls, distance = full, 0, len(left)
    for token in right:
        same = places.get(token, 0)
        level = (((same & rises) + rises) ^ rises) | same | falls
        up, down = falls | ~(level | rises) & full, rises & level
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & full, down << 1 & full
        rises, falls = down | ~(level | up) & full, up & level
    return distance


Codes = npt.NDArray[np.int64]


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
