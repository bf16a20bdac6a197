"""Recalling: the player that knows what was right where the same was shown.

It never looks at more than a hash of a row: the class of what it shows, its pictures, or the text
of its prompt. It says what was right most often in other rows of that hash, as the text of an
option where there are some, and never learns from a row of the puzzle that it is asked about. Where
a config has rows for training it also learns from those alone, and is judged on the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.tried import Tried
from facelet.pipeline.dataset.hashing import hash_value
from facelet.pipeline.dataset.rows import is_training

_Place = tuple[str, int]
"""What was shown, and the number of an element of the answer."""

_Hashed = tuple[Observed, str]
"""A row, and the hash of what it shows."""

_Counts = Mapping[str, int]
_NONE: _Counts = MappingProxyType({})

_HASHES: dict[str, Callable[[Observed], str]] = {
    "shown": lambda row: row.first,
    "pictures": lambda row: row.pictures,
    "text": lambda row: hash_value(row.text),
}


def recall(rows: Sequence[Observed], of: str) -> list[Tried]:
    """Return what the memories of a config come to that have anything to remember.

    Args:
        rows: its graded rows, each asked once.
        of: what the value is a share of; of whole answers if "answers", else of elements.
    """
    found = []
    for name, key in _HASHES.items():
        hashed = [(row, key(row)) for row in rows]
        learned = [one for one in hashed if is_training(one[0].split)]
        judged = [one for one in hashed if not is_training(one[0].split)]
        found += _result(f"memory:{name}", hashed, hashed, of)
        if learned and judged:
            found += _result(f"memory_of_train:{name}", learned, judged, of)
    return found


def _result(
    name: str, learned: Sequence[_Hashed], judged: Sequence[_Hashed], of: str
) -> list[Tried]:
    """Return what one memory comes to; nothing if it has nothing to remember."""
    memory = _Memory(learned)
    won, of_, remembered = [], [], False
    for row, shown in judged:
        said = [memory.answer(row, shown, place) for place in range(len(row.gold))]
        right = [one == gold for (one, _), gold in zip(said, row.gold, strict=True)]
        remembered |= any(known for _, known in said)
        won.append(float(all(right) if of == "answers" else sum(right)))
        of_.append(1.0 if of == "answers" else float(len(right)))
    rows = [row for row, _ in judged]
    return [Tried.by(name, rows, np.array(won), np.array(of_))] if remembered else []


class _Memory:
    """What was right in some rows, by what was shown."""

    def __init__(self, rows: Iterable[_Hashed]) -> None:
        self._said: dict[_Place, Counter[str]] = defaultdict(Counter)
        self._own: dict[tuple[_Place, str], Counter[str]] = defaultdict(Counter)
        self._ranked: dict[int, list[str]] = {}
        for row, hashed in rows:
            for place, gold in enumerate(row.gold):
                for shown, said in ((hashed, _meant(row, gold)), ("", gold)):
                    self._said[shown, place][said] += 1
                    self._own[(shown, place), row.group][said] += 1

    def answer(self, row: Observed, shown: str, place: int) -> tuple[str, bool]:
        """Return the label of an element, and whether anything was remembered of what is shown."""
        if shown:
            everything, own = self._known(row, shown, place)
            labels = [_label(number) for number in range(len(row.options))]
            meant = {
                label: _meant(row, label) for label in (labels if _single(row) else everything)
            }
            counts = {
                label: everything.get(said, 0) - own.get(said, 0) for label, said in meant.items()
            }
            if any(counts.values()):
                return min(counts, key=lambda label: (-counts[label], label)), True
        return self._commonest(row, place), False

    def _known(self, row: Observed, shown: str, place: int) -> tuple[_Counts, _Counts]:
        """Return how often each answer was right, in all rows and in those of the same puzzle."""
        key = (shown, place)
        return self._said.get(key, _NONE), self._own.get((key, row.group), _NONE)

    def _commonest(self, row: Observed, place: int) -> str:
        """Return the answer that was right most often of other puzzles; "" if none was."""
        everything, own = self._known(row, "", place)
        ranked = self._ranked.get(place)
        if ranked is None:
            ranked = sorted(everything, key=lambda said: (-everything[said], said))
            self._ranked[place] = ranked
        # Of what the puzzle itself did not answer, the first in order is as common as any.
        best = next((said for said in ranked if said not in own), None)
        left = {said: everything[said] - count for said, count in own.items()}
        if best is not None:
            left[best] = everything[best]
        found = min(left, key=lambda said: (-left[said], said), default="")
        return found if left.get(found) else ""


def _single(row: Observed) -> bool:
    """Return whether the answer is one of the options."""
    return len(row.gold) == 1 and len(row.options) > 1


def _meant(row: Observed, label: str) -> str:
    """Return the text of the option of a letter; the label itself where there are no options."""
    number = ord(label) - ord("A") if len(label) == 1 else -1
    return row.options[number] if _single(row) and 0 <= number < len(row.options) else label


def _label(number: int) -> str:
    return chr(ord("A") + number)
