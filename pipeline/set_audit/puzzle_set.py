"""What an adapter of a public set provides: items, a check, and a checker of witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Verdict = Literal["holds", "refuted", "not proven", "not read"]
VERDICTS: tuple[Verdict, ...] = ("holds", "refuted", "not proven", "not read")

Witness = Mapping[str, Any]
"""What shows that a claim is wrong, such as a shorter solution; JSON values only."""


@dataclass(frozen=True, slots=True)
class SetItem:
    """One published item.

    Attributes:
        id: names it within its set, such as "test-000.txt:17".
        split: the split or file group that it belongs to.
        text: the item as published; two items with equal texts are repeats.
        answer: the published answer; "" where the set has none.
    """

    id: str
    split: str
    text: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found out about an item.

    Attributes:
        verdict: the outcome.
        reason: one sentence; "" if the claim holds.
        witness: what a checker can confirm; needed to refute.
        correction: field, published value and right value, where there is one right value.
    """

    verdict: Verdict
    reason: str = ""
    witness: Witness = field(default_factory=dict)
    correction: tuple[str, Any, Any] | None = None


HOLDS = Finding("holds")


@dataclass(frozen=True, slots=True)
class CheckBudget:
    """How far a check may search.

    Attributes:
        nodes: positions that the search for one item may look at.
        table: size of the cube's pruning table.
    """

    nodes: int
    table: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleSet:
    """A public set.

    Attributes:
        title: its name as its authors write it.
        source: repository or package, commit or version, and path.
        licence: its licence.
        claim: what is checked, in one sentence.
        claim_source: the file and line that states the claim.
        form: what the folder must contain.
        corrects: whether the licence allows to publish corrected fields.
        distinct_splits: whether no item of one split may repeat an item of another.
        iterate_items: yields the items of a folder.
        check: checks one item; ValueError means that the item cannot be read.
        confirm: accepts or rejects the witness of an item, without the engine of `check`.
        list_symmetric_texts: all texts that are the same puzzle, if the family has symmetries.
    """

    title: str
    source: str
    licence: str
    claim: str
    claim_source: str
    form: str
    corrects: bool
    distinct_splits: bool = False
    iterate_items: Callable[[Path], Iterator[SetItem]]
    check: Callable[[SetItem, CheckBudget], Finding]
    confirm: Callable[[SetItem, Witness], bool]
    list_symmetric_texts: Callable[[str], tuple[str, ...]] | None = None
