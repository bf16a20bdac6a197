"""Recalling: the player that knows what was right where the same was shown.

It never looks at more than a hash of a row: the class of what it shows, its pictures, or the text
of its prompt. It says what was right most often in other rows of that hash, as the text of an
option where there are some, and never learns from a row of the puzzle that it is asked about. Who
has the text alone does not see options that are pictures, and remembers their letters. Where a
config has rows for training it also learns from those alone, and is judged on the others.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from facelet.pipeline.audit.hashed import Hashes, groups, hash_of, hashes
from facelet.pipeline.audit.held import at
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.tried import Asked, Tried
from facelet.pipeline.dataset.rows import is_training

_Place = tuple[bytes, int]
"""The hash of what was shown, and the number of an element of the answer."""

_Counts = Mapping[str, int]
_NONE: _Counts = MappingProxyType({})
_ANY = b""
"""Whatever was shown."""

_TEXT = "text"
_HASHES: dict[str, Callable[[Observed], str]] = {
    "shown": lambda row: row.first,
    "pictures": lambda row: row.pictures,
    _TEXT: lambda row: row.text,
}


def recall(rows: Sequence[Observed], of: str) -> list[Tried]:
    """Return what the memories of a config come to that have anything to remember.

    Args:
        rows: its graded rows, each asked once.
        of: what the value is a share of; of whole answers if "answers", else of elements.
    """
    found = []
    asked = Asked.of((row.cell, row.cluster) for row in rows)
    again = _again(hashes(row.group for row in rows))
    train = [is_training(row.split) for row in rows]
    learned = at(rows, [place for place, one in enumerate(train) if one])
    tested = [place for place, one in enumerate(train) if not one]
    judged = at(rows, tested)
    for name, key in _HASHES.items():
        met = _met(rows, key)
        if not met:
            continue
        memory = _Memory(name, met, again, rows, own=True)
        found += _result(f"memory:{name}", memory, rows, asked, of)
        if learned and judged:
            memory = _Memory(name, met, again, learned, own=False)
            found += _result(f"memory_of_train:{name}", memory, judged, asked.some(tested), of)
    return found


def _met(rows: Sequence[Observed], key: Callable[[Observed], str]) -> set[bytes]:
    """Return the hashes of what rows of several puzzles show: nothing else can be remembered.

    Args:
        rows: the rows.
        key: what they show.
    """
    shown = hashes(map(key, rows))
    repeated = _again(shown) - {hash_of("")}
    if not repeated:
        return set()
    of: dict[bytes, bytes] = {}
    several = set()
    for one, row in zip(shown, rows, strict=True):
        if (hashed := one.tobytes()) in repeated:
            group = hash_of(row.group)
            if of.setdefault(hashed, group) != group:
                several.add(hashed)
    return several


def _again(found: Hashes) -> set[bytes]:
    """Return the hashes that are there more than once."""
    return {one.tobytes() for each, many in groups([found]) for one in each[many > 1]}


def _result(
    name: str, memory: _Memory, judged: Sequence[Observed], asked: Asked, of: str
) -> list[Tried]:
    """Return what one memory comes to; nothing if it has nothing to remember."""
    won, of_, remembered = array("d"), array("d"), False
    for row in judged:
        said = memory.answers(row)
        right = [one == gold for (one, _), gold in zip(said, row.gold, strict=True)]
        remembered |= any(known for _, known in said)
        won.append(all(right) if of == "answers" else sum(right))
        of_.append(1.0 if of == "answers" else len(right))
    return [Tried.by(name, asked, np.array(won), np.array(of_))] if remembered else []


class _Memory:
    """What was right in some rows, by what was shown.

    Args:
        name: which of what rows show is hashed, of _HASHES.
        met: the hashes of what is remembered.
        again: the hashes of puzzles that have several rows.
        rows: the rows that it learns from.
        own: whether it is asked about these rows themselves, and not about others.
    """

    def __init__(
        self,
        name: str,
        met: set[bytes],
        again: set[bytes],
        rows: Sequence[Observed],
        *,
        own: bool,
    ) -> None:
        self._key, self._text_alone = _HASHES[name], name == _TEXT
        self._met, self._again, self._itself = met, again, own
        self._said: dict[_Place, Counter[str]] = defaultdict(Counter)
        self._own: dict[tuple[_Place, bytes], Counter[str]] = defaultdict(Counter)
        self._ranked: dict[int, list[str]] = {}
        for row in rows:
            shown, group = self._hashes(row)
            for place, gold in enumerate(row.gold):
                kept = (
                    [(_ANY, gold)]
                    if shown is None
                    else [(_ANY, gold), (shown, self._meant(row, gold))]
                )
                for hashed, said in kept:
                    self._said[hashed, place][said] += 1
                    if group is not None:
                        self._own[(hashed, place), group][said] += 1

    def answers(self, row: Observed) -> list[tuple[str, bool]]:
        """Return the label of each element, and whether anything is remembered of what is shown."""
        shown, group = self._hashes(row)
        return [self._answer(row, shown, group, place) for place in range(len(row.gold))]

    def _hashes(self, row: Observed) -> tuple[bytes | None, bytes | None]:
        """Return what is remembered by, and the puzzle if it has several rows; else None."""
        shown, group = hash_of(self._key(row)), hash_of(row.group)
        return shown if shown in self._met else None, group if group in self._again else None

    def _answer(
        self, row: Observed, shown: bytes | None, group: bytes | None, place: int
    ) -> tuple[str, bool]:
        if shown is not None:
            everything = self._said.get((shown, place), _NONE)
            own = self._of_puzzle(row, shown, group, place)
            labels = [_label(number) for number in range(len(row.options))]
            meant = {
                label: self._meant(row, label) for label in (labels if _single(row) else everything)
            }
            counts = {
                label: everything.get(said, 0) - own.get(said, 0) for label, said in meant.items()
            }
            if any(counts.values()):
                return min(counts, key=lambda label: (-counts[label], label)), True
        return self._commonest(row, group, place), False

    def _meant(self, row: Observed, label: str) -> str:
        """Return what a label stands for: the text of an option that is seen, else itself."""
        number = ord(label) - ord("A") if len(label) == 1 else -1
        if not (_single(row) and 0 <= number < len(row.options)):
            return label
        if self._text_alone and not all(option in row.text for option in row.options):
            return label
        return row.options[number]

    def _of_puzzle(self, row: Observed, shown: bytes, group: bytes | None, place: int) -> _Counts:
        """Return how often each answer was right in rows of the same puzzle."""
        if group is not None:
            return self._own.get(((shown, place), group), _NONE)
        gold = row.gold[place]
        return {gold if shown == _ANY else self._meant(row, gold): 1} if self._itself else _NONE

    def _commonest(self, row: Observed, group: bytes | None, place: int) -> str:
        """Return the answer that was right most often of other puzzles; "" if none was."""
        everything = self._said.get((_ANY, place), _NONE)
        own = self._of_puzzle(row, _ANY, group, place)
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


def _label(number: int) -> str:
    return chr(ord("A") + number)
