"""Boxoban: Sokoban levels of 10 by 10 cells with four boxes, in splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from facelet.pipeline.input_gate import clean_name
from facelet.pipeline.set_audit.puzzle_set import (
    HOLDS,
    CheckBudget,
    Finding,
    PuzzleSet,
    SetItem,
    Witness,
)
from facelet.pipeline.set_audit.set_reader import list_files, read_lines

SIDE, BOXES = 10, 4


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the levels of all files such as unfiltered/test/000.txt or medium-valid-000.txt."""
    for path in list_files(folder, "*.txt"):
        place = path.relative_to(folder).as_posix()
        split = place.removesuffix(".txt").rstrip("0123456789").rstrip("-/") or "levels"
        number, rows = "", list[str]()
        for _, text in read_lines(path):
            if text.startswith(";"):
                if number:
                    yield SetItem(f"{place}:{number}", split, "\n".join(rows))
                number, rows = clean_name(text[1:].strip()), []
            elif number and len(rows) <= SIDE:  # one more row than a level has refutes it
                rows.append(text)
        if number:
            yield SetItem(f"{place}:{number}", split, "\n".join(rows))


def check_level(item: SetItem, budget: CheckBudget) -> Finding:
    """Check the size and the counts.

    Raises:
        ValueError: it has other characters than a level.
    """
    if set(item.text) - set("#@$. \n"):
        raise ValueError("a level consists of # @ $ . and blanks")
    rows = item.text.split("\n")
    if {len(rows), *map(len, rows)} != {SIDE}:
        return Finding("refuted", f"it is not {SIDE} by {SIDE}", {"rows": len(rows)})
    counts = Counter(item.text)
    if (counts["@"], counts["$"], counts["."]) != (1, BOXES, BOXES):
        found = {
            name: counts[sign] for name, sign in (("players", "@"), ("boxes", "$"), ("goals", "."))
        }
        return Finding("refuted", "it has not one player, four boxes and four goals", found)
    return HOLDS


def confirm(item: SetItem, witness: Witness) -> bool:
    """Accept a wrong size or a wrong count."""
    grid = item.text.split("\n")
    if "rows" in witness:
        return len(grid) != 10 or any(len(row) != 10 for row in grid)
    found = tuple(item.text.count(sign) for sign in "@$.")
    return found == tuple(witness[name] for name in ("players", "boxes", "goals")) != (1, 4, 4)


def list_symmetric_texts(text: str) -> tuple[str, ...]:
    """Return the eight turned and mirrored levels."""
    rows = text.split("\n")
    found = []
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=False)]
        found += ["\n".join(rows), "\n".join(row[::-1] for row in rows)]
    return tuple(found)


PUZZLE_SET = PuzzleSet(
    title="Boxoban",
    source="github.com/google-deepmind/boxoban-levels, commit 78011d8",
    licence="Apache-2.0",
    claim="A level has 10 by 10 cells, one player, four boxes and four targets, and belongs to one "
    "split. Solvability is not checked.",
    claim_source='README.md, "Description": "Each level has four boxes and four targets", '
    '"separated into train, validation and test"',
    form="the .txt files of levels, in any folders",
    corrects=True,
    distinct_splits=True,
    iterate_items=iterate_items,
    check=check_level,
    confirm=confirm,
    list_symmetric_texts=list_symmetric_texts,
)
