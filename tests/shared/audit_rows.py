"""Rows as an audit sees them, made up at random; and what it finds of them, said plainly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.dataset.row_columns import is_training

KEYS = {"shown": "first", "pictures": "pictures", "text": "text"}
"""What rows can be remembered by."""


def make_row(number: int, **said: Any) -> AuditedRow:
    """A row whose start and class are its own, unless it says otherwise."""
    usual: dict[str, Any] = {
        "id": f"s.t/d01/{number:06d}",
        "split": "test",
        "cell": "d01",
        "number": number,
        "difficulty": 1,
        "group": f"start {number}",
        "gold": ("A",),
        "options": (),
        "doublable": (),
        "tokens": (),
        "puzzle": "",
        "canonical": "",
        "family": "",
        "split_values": (),
        "text": f"asked {number}",
        "prompt": "",
        "content": "",
        "reveals_answer": False,
        "faults": (),
        "shown_classes": (f"class {number}",),
        "first": f"class {number}",
        "pictures": "",
    }
    return AuditedRow(**{**usual, **said})


@st.composite
def alike(draw: st.DrawFn) -> list[AuditedRow]:
    """Rows of which many have the same puzzle, show the same, or have the same answer."""
    found = []
    few = st.sampled_from(("", "x", "y", "z"))
    for number in range(draw(st.integers(1, 24))):
        options = draw(st.sampled_from(((), ("R", "U", "F"), ("F", "R"), ("U", "L", "R"))))
        letters = ("A", "B", "C")[: len(options) or 3]
        width = 1 if options else draw(st.integers(1, 2))
        cell = draw(st.sampled_from(("d01", "d02")))
        seen = draw(st.lists(few, min_size=1, max_size=3))
        found.append(
            make_row(
                number,
                id=f"s.t/{cell}/{number:06d}",
                cell=cell,
                difficulty=int(cell[1:]),
                split=draw(st.sampled_from(("train", "test", "validation"))),
                group=draw(st.one_of(st.sampled_from("abcd"), st.just(f"own {number}"))),
                gold=tuple(draw(st.sampled_from(letters)) for _ in range(width)),
                options=options,
                pictures=draw(few),
                text=draw(st.sampled_from(("", "R and U", "R, U and F", "L"))),
                first=seen[0],
                shown_classes=tuple(seen),
            )
        )
    return found


def label_meaning(name: str, row: AuditedRow, label: str) -> str:
    """What a label of a row stands for, for who remembers rows by this."""
    if len(row.gold) != 1 or len(row.options) < 2:
        return label
    if name == "text" and not all(option in row.text for option in row.options):
        return label
    return row.options["ABC".index(label)]


def iterate_remembered(rows: Sequence[AuditedRow], name: str, *, train: bool) -> Iterator[Any]:
    """Yield each row that a memory is asked about, which elements it gets right, what it knows.

    Args:
        rows: all rows.
        name: what they are remembered by.
        train: whether it learns from rows for training alone, and is asked about the others.
    """
    for asked in rows:
        if train and is_training(asked.split):
            continue
        right, known = [], False
        for place, gold in enumerate(asked.gold):
            others = [
                other
                for other in rows
                if other.group != asked.group and len(other.gold) > place
                if not train or is_training(other.split)
            ]
            key = getattr(asked, KEYS[name])
            said = Counter(
                label_meaning(name, other, other.gold[place])
                for other in others
                if key and getattr(other, KEYS[name]) == key
            )
            labels = (
                ["A", "B", "C"][: len(asked.options)]
                if len(asked.gold) == 1 and len(asked.options) > 1
                else list(said)
            )
            counts = Counter({label: said[label_meaning(name, asked, label)] for label in labels})
            if any(counts.values()):
                known = True
            else:
                counts = Counter(other.gold[place] for other in others)
            best = min(counts, key=lambda label: (-counts[label], label), default="")
            right.append(best == gold)
        yield asked, right, known
