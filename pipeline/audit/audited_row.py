"""Replay and check each published row, and keep what the audit needs of it.

The rules decide labels, not strings: a row is decoded, its reference replies are replayed, and the
outcome contains the right labels. The rest is the text that a player sees and the columns whose
role the task declares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from facelet.generators.core.replay import replay
from facelet.generators.core.shown_keys import class_of, list_sorted_classes
from facelet.generators.core.task import Status, Task
from facelet.pipeline.audit.packed_records import filter_rows, group_rows
from facelet.pipeline.dataset import duplicates
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.dataset.row_columns import AnyRow, catch_decode_errors, cell_label, id_numbers
from facelet.pipeline.dataset.row_hashes import hash_value
from facelet.pipeline.family_modules import AnyTask, Lookup


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """One published row with what the audit needs of it.

    Attributes:
        id: the row's id.
        split: its split.
        cell: the difficulty label in its id.
        number: its number in the cell, or its item's where items have any number of rows; -1 if the
            id has none.
        difficulty: its place on the difficulty axis.
        group: key of the base puzzle.
        gold: the right labels, element by element; empty when nothing is graded.
        options: the texts of the answer options; empty when there are none.
        doublable: the classes that could have been shown twice; empty when none is declared.
        tokens: the answer token by token, where it is a list; else empty.
        puzzle: the puzzle itself, or "".
        canonical: the puzzle up to symmetry, or "".
        family: the puzzle that this one is derived from, or "".
        split_values: values of the columns that the task's measures split by, in sorted order of
            columns.
        text: the texts of the prompt, one below the other.
        prompt: hash of messages and pictures, and of what only a later turn can show.
        content: hash of everything but the id and the provenance.
        reveals_answer: whether the prompt contains a reference reply or the gold word for word.
        faults: what is false about the row, in words.
        place: its number in its item, where items have any number of rows; else None.
        lacks_twin: whether no item has the same question with the opposite answer, in a task with
            such pairs.
        shown_classes: the classes of everything that it can show.
        first: the class of the display of its first prompt.
        pictures: hash of its pictures; "" without any.
        replies: the reference replies.
    """

    id: str
    split: str
    cell: str
    number: int
    difficulty: int
    group: str
    gold: tuple[str, ...]
    options: tuple[str, ...]
    doublable: tuple[str, ...]
    tokens: tuple[str, ...]
    puzzle: str
    canonical: str
    family: str
    split_values: tuple[str, ...]
    text: str
    prompt: str
    content: str
    reveals_answer: bool
    faults: tuple[str, ...]
    place: int | None = None
    lacks_twin: bool = False
    shown_classes: tuple[str, ...] = ()
    first: str = ""
    pictures: str = ""
    replies: tuple[str, ...] = ()

    @property
    def cluster(self) -> str:
        """Key of the rows of one trial with it; see facelet.pipeline.dataset.duplicates."""
        return self.first or self.group


def audit_rows(splits: Iterable[SplitFiles], lookup: Lookup) -> list[AuditedRow]:
    """Return the rows of a config's splits, in published order.

    Raises:
        ValueError: a row names no known task.
    """
    return list(iterate_audited_rows(splits, lookup))


def iterate_audited_rows(splits: Iterable[SplitFiles], lookup: Lookup) -> Iterator[AuditedRow]:
    """Yield the rows of a config's splits, in published order; see `audit_rows`."""
    for row in (row for split in splits for row in split.iterate_rows()):
        yield _audit_row(row, lookup(str(row.get("task"))))


def list_split_columns(task: AnyTask) -> tuple[str, ...]:
    """Return the columns that any of a task's measures splits by, sorted."""
    return tuple(sorted({name for measure in task.measures for name in measure.by}))


def infer_rows_per_item(rows: Sequence[AuditedRow]) -> int | None:
    """Return how many rows an item has: the greatest common divisor of the lengths of all groups.

    None where the ids show that it differs between items.
    """
    if any(row.place is not None for row in rows):
        return None
    runs = groupby(rows, key=lambda row: (row.split, row.cell, row.group))
    return math.gcd(*(sum(1 for _ in run) for _, run in runs))


def is_first_of_item(row: AuditedRow, per_item: int | None) -> bool:
    """Return whether a row is the first of its item."""
    return row.place == 0 if per_item is None else row.number % per_item == 0


def group_by_place(
    rows: Sequence[AuditedRow], per_item: int | None
) -> Iterator[tuple[bool, Sequence[AuditedRow]]]:
    """Yield the first, second, ... row of every item: rows that are independent of each other.

    Where items have any number of rows, all rows after the first are one group, because few items
    have a seventh; their labels are drawn independently.

    Yields:
        Whether every item has such a row, so that labels are dealt in blocks; the rows.
    """
    if per_item == 1:
        groups = [(True, rows)]
    elif per_item is None:
        groups = [
            (True, filter_rows(rows, lambda r: r.place == 0)),
            (False, filter_rows(rows, lambda r: r.place)),
        ]
    else:
        of = group_rows(rows, lambda row: row.number % per_item)
        groups = [(True, of[place]) for place in range(per_item) if place in of]
    yield from (group for group in groups if len(group[1]))


def may_lack_rows(task: AnyTask) -> bool:
    """Return whether items of a task may lack rows, the first excepted."""
    own = type(task)
    return own.split_key is not Task.split_key or own.row_quota is not Task.row_quota


def count_misnumbered(
    rows: Sequence[AuditedRow], per_item: int | None, *, thinned: bool = False
) -> int:
    """Return how many rows of a cell do not continue the numbering of the previous row.

    Args:
        rows: the rows of the cell, in published order.
        per_item: how many rows an item has; None for any number.
        thinned: whether items may lack rows, the first excepted.
    """
    gaps, number, place = 0, -1, 0
    for row in rows:
        if per_item is not None or row.place == 0:
            number, place = number + 1, 0
        else:
            place = max(place + 1, row.place or 0) if thinned else place + 1
        gaps += (row.number, row.place or 0) != (number, place)
    return gaps


def _audit_row(row: AnyRow, task: AnyTask) -> AuditedRow:
    """Replay, check and reduce one row.

    Raises:
        ValueError: its task cannot decode it.
    """
    with catch_decode_errors(str(row.get("id")), "be measured"):
        return _reduce_row(row, task)


def _reduce_row(row: AnyRow, task: AnyTask) -> AuditedRow:
    instance = task.decode(row)
    replies = task.reference(instance)
    outcome = replay(task.open(instance).without_figures(), replies)
    faults = list(task.find_faults(instance))
    if outcome.status not in (Status.CORRECT, Status.UNGRADED):
        faults.append(f"the reference reply is judged {outcome.status}")
    if task.gold_answer(instance) != row["gold"]:
        faults.append(
            f"the gold column says {row['gold']!r}, the rules {task.gold_answer(instance)!r}"
        )
    text = "\n".join(
        part["text"]
        for message in row["messages"]
        for part in message["content"]
        if part["text"] is not None
    )
    graded = outcome.status is not Status.UNGRADED
    free = len(outcome.gold) != 1
    secrets = [*replies, row["gold"]] if graded and free else []
    number, place = id_numbers(row["id"])
    keys = task.list_shown_keys(instance)
    shown = list_sorted_classes(task.name, keys)
    if (said := row.get("shown")) is not None and said != shown:
        faults.append(f"the shown column says {said}, the rules {shown}")
    return AuditedRow(
        id=row["id"],
        split=row["split"],
        cell=cell_label(row["id"]),
        number=number,
        place=place,
        difficulty=row["difficulty"],
        group=row["group"],
        gold=tuple(outcome.gold) if graded else (),
        options=tuple(duplicates.iterate_role_values(task, "options", row)),
        doublable=tuple(duplicates.iterate_role_values(task, "doublable", row)),
        tokens=tuple(_iterate_tokens(task, row)),
        puzzle=duplicates.puzzle_key(task, row),
        canonical=duplicates.join_role_values(task, row, "canonical"),
        family=duplicates.join_role_values(task, row, "family"),
        split_values=tuple(str(row[name]) for name in list_split_columns(task)),
        text=text,
        prompt=duplicates.prompt_key(task, row),
        content=duplicates.content_key(row),
        reveals_answer=any(secret.strip() in text for secret in secrets if len(secret.strip()) > 1),
        faults=tuple(faults),
        lacks_twin=bool(task.paired_by) and row[task.paired_by] < 0,
        shown_classes=tuple(shown),
        first=shown[0] if len(keys) == 1 else class_of(task.name, keys[0]),
        pictures=hash_value(row["image_hashes"]) if row["image_hashes"] else "",
        replies=tuple(replies),
    )


def _iterate_tokens(task: AnyTask, row: AnyRow) -> Iterator[str]:
    """Yield the tokens of the answer columns that are lists of strings."""
    for column in task.columns:
        if column.role == "answer" and column.type == "list<string>":
            yield from row[column.name] or ()
