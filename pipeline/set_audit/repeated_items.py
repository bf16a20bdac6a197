"""Find items that repeat others, within a split and between splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from facelet.pipeline.set_audit.checkers.repeats import is_same_grid
from facelet.pipeline.set_audit.puzzle_set import Finding, PuzzleSet, SetItem


@dataclass(slots=True)
class RepeatCounts:
    """How many items repeat an earlier one.

    Attributes:
        exact_within: with the same text, within a split.
        exact_between: with the same text, in another split.
        turned_within: with a turned or mirrored text, within a split.
        turned_between: the same, in another split.
        first: the earlier item of each item that repeats one of another split, by id.
    """

    exact_within: int = 0
    exact_between: int = 0
    turned_within: int = 0
    turned_between: int = 0
    first: dict[str, SetItem] = field(default_factory=dict)


def count_repeats(puzzle_set: PuzzleSet, items: Iterable[SetItem]) -> RepeatCounts:
    """Compare every item with all earlier ones."""
    counts = RepeatCounts()
    seen: dict[bytes, list[SetItem]] = {}
    for item in items:
        forms = puzzle_set.list_symmetric_texts
        text = min(forms(item.text)) if forms else item.text
        earlier = seen.setdefault(blake2b(text.encode(), digest_size=16).digest(), [])
        others = [one for one in earlier if one.split != item.split]
        counts.exact_between += any(one.text == item.text for one in others)
        counts.turned_between += bool(others) and all(one.text != item.text for one in others)
        same = [one for one in earlier if one.split == item.split]
        counts.exact_within += any(one.text == item.text for one in same)
        counts.turned_within += bool(same) and all(one.text != item.text for one in same)
        if others:
            counts.first[item.id] = others[0]
        if not same:
            earlier.append(item)
    return counts


def judge_repeat(item: SetItem, first: Mapping[str, SetItem]) -> Finding | None:
    """Return the refutation of an item that repeats one of another split, if it does."""
    if (other := first.get(item.id)) is None:
        return None
    witness = {"repeats": other.id}
    if other.text != item.text and not is_same_grid(item.text, other.text):
        return Finding("not proven", "the checker rejects the repeat", witness)
    how = "" if other.text == item.text else ", turned or mirrored"
    return Finding("refuted", f"it repeats {other.id} of split {other.split}{how}", witness)
