"""Fairness: the figures of one config, measured from its published rows, each with its limit.

Figures are taken per cell (split and difficulty) and per split, over rows that are independent:
when an item has several rows, each place in the item is looked at on its own, and the figure is
that of the worst place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from generators.core.measures import Binary, Confusion
from generators.core.task import Task
from generators.options import audit
from generators.options.attacks import Choices, attacks, learn_labels, words
from pipeline.limits import Figure, Ledger, Scope
from pipeline.observing import Observed, columns_by, places, rows_per_item

FALSE_ALARM = 1e-3
"""Probability that a fair dataset fails its audit by bad luck, over all configs."""

MAX_LABELS = 12
"""Single answers with more distinct values than this are free-form, not choices."""

LEARNED_ROWS = 2000
"""The learners are tried on at most this many rows, evenly spread; more would only take longer."""


MEANINGS = {
    "attack_always": "share right when always answering the same label",
    "attack_first_in_alphabet": "share right when choosing the option that sorts first",
    "attack_last_in_alphabet": "share right when choosing the option that sorts last",
    "attack_shortest": "share right when choosing the shortest option",
    "attack_longest": "share right when choosing the longest option",
    "attack_most_alike": "share right when choosing the option most like the others",
    "attack_least_alike": "share right when choosing the option least like the others",
    "attack_most_mentioned": "share right when choosing the label that the prompt says most often",
    "attack_least_mentioned": "share right when choosing the label that it says least often",
    "attack_learned_options": "share right of a learner that sees the options only",
    "attack_learned_words": "share right of a learner that sees the words of the prompt only",
    "strongest_attack": "the best of these attacks within one difficulty",
    "gold_p": "chance of labels at least this uneven, if drawn at random",
    "gold_by": "chance of labels at least this dependent on the column, if drawn at random",
    "class_jsd_target": "divergence of the class mix from the depth's target mix, bits",
    "slot_jsd": "greatest divergence of a slot's class mix from the overall mix, bits",
    "slot_class_p": "chance of slots at least this different, if drawn at random",
    "double_slot_p": "chance of doubled classes sitting at least this unevenly, if drawn at random",
}
"""What the limited figures say, by name or by the beginning of a name; the rest are counts."""


def meaning(figure: str) -> str:
    """Return what a figure says, in words."""
    return next((text for name, text in MEANINGS.items() if figure.startswith(name)), "count")


def figures(
    rows: list[Observed], task: Task[Any, Any], *, budget: float = FALSE_ALARM
) -> dict[Scope, dict[str, Figure]]:
    """Return all figures of one config.

    Args:
        rows: the config's rows, in published order.
        task: the task that made them.
        budget: probability of a false alarm that this config may spend.
    """
    ledger = Ledger()
    per_item = rows_per_item(rows)
    for split in dict.fromkeys(row.split for row in rows):
        mine = [row for row in rows if row.split == split]
        cells: dict[str, list[Observed]] = defaultdict(list)
        for row in mine:
            cells[row.cell].append(row)
        whole: Scope = (split, "")
        _whole(ledger, whole, mine, per_item)
        for cell, inside in cells.items():
            _cell(ledger, (split, cell), inside, per_item)
        graded = [row for row in mine if row.gold]
        if not graded:
            continue
        scopes = [(whole, graded)]
        scopes += [((split, cell), [r for r in inside if r.gold]) for cell, inside in cells.items()]
        labels = _labels(graded)
        for scope, inside in scopes:
            for chosen in places(inside, per_item):
                if labels:
                    _choice(ledger, scope, chosen, labels, task)
                elif classes := _classes(task):
                    _several(ledger, scope, chosen, classes)
                elif len(graded[0].gold) > 1:
                    _reading(ledger, scope, chosen)
    return ledger.close(budget)


def _whole(ledger: Ledger, scope: Scope, rows: list[Observed], per_item: int) -> None:
    """Add what must hold over a whole split: nothing twice, nothing false, nothing told."""
    n = len(rows)
    ledger.exact(scope, "duplicate_rows", _repeats(row.content for row in rows), n=n)
    ledger.exact(scope, "duplicate_prompts", _repeats(row.prompt for row in rows), n=n)
    items = [row for row in rows if row.number % per_item == 0]
    puzzles = [row.puzzle for row in items if row.puzzle]
    ledger.exact(scope, "duplicate_puzzles", _repeats(puzzles), n=len(puzzles))
    classes = [row.canonical for row in items if row.canonical]
    ledger.tell(scope, "symmetric_puzzles", _repeats(classes), n=len(classes))
    wrong = [row for row in rows if row.faults]
    note = f"{wrong[0].id}: {wrong[0].faults[0]}" if wrong else ""
    ledger.exact(scope, "false_labels", len(wrong), n=n, note=note)
    told = [row for row in rows if row.told]
    ledger.exact(scope, "gold_in_prompt", len(told), n=n, note=told[0].id if told else "")


def _cell(ledger: Ledger, scope: Scope, rows: list[Observed], per_item: int) -> None:
    """Add what must hold inside a cell: rows numbered from 0 without a gap, items complete."""
    gaps = sum(row.number != place for place, row in enumerate(rows))
    ledger.exact(scope, "misnumbered_rows", gaps, n=len(rows))
    ledger.exact(scope, "incomplete_items", len(rows) % per_item, n=len(rows))


def _choice(
    ledger: Ledger,
    scope: Scope,
    rows: list[Observed],
    labels: tuple[str, ...],
    task: Task[Any, Any],
) -> None:
    """Add balance and attacks of single-choice rows, one a base item."""
    gold = [row.gold[0] for row in rows]
    names = columns_by(task)
    ledger.tell(scope, "chance", 1 / len(labels), n=len(rows), note="answers")
    binary = {name for m in task.measures if isinstance(m, Binary) for name in m.by}
    if scope[1]:
        _dealt(ledger, scope, "gold", gold, labels)
    for place, name in enumerate(names):
        values = [row.by[place] for row in rows]
        table = np.array(
            [
                audit.counts([g for g, v in zip(gold, values, strict=True) if v == value], labels)
                for value in sorted(set(values))
            ]
        )
        if len(table) > 1:
            ledger.tail(scope, f"gold_by_{name}_p", audit.homogeneity(table).p, n=len(rows))
        if scope[1] and name in binary:
            for value in sorted(set(values)):
                chosen = [g for g, v in zip(gold, values, strict=True) if v == value]
                _dealt(ledger, scope, f"gold_by_{name}", chosen, labels, value)
    kept = _spread(rows)
    own = _own_lines([row.text for row in kept])
    choices = Choices(
        labels,
        np.array([labels.index(row.gold[0]) for row in kept], dtype=np.int64),
        _clusters([row.group for row in kept], own),
        tuple(row.options for row in kept) if all(row.options for row in kept) else (),
        tuple(own) if any(own) else (),
    )
    for name, hits in attacks(choices).items():
        figure = "strongest_attack" if scope[1] else f"attack_{name.partition(':')[0]}"
        ledger.guesses(scope, figure, hits, len(kept), 1 / len(labels), note=name)


def _dealt(
    ledger: Ledger,
    scope: Scope,
    name: str,
    gold: list[str],
    labels: tuple[str, ...],
    note: str = "",
) -> None:
    """Add how evenly labels in item order come out."""
    found = audit.balance(gold, labels)
    ledger.exact(scope, f"{name}_deviation", found.deviation, n=len(gold), note=note)
    ledger.tell(scope, f"{name}_block", found.block, n=len(gold))
    p = audit.chi_square(audit.counts(gold, labels)).p
    ledger.tail(scope, f"{name}_p", p, n=len(gold), note=note)


def _several(ledger: Ledger, scope: Scope, rows: list[Observed], classes: tuple[str, ...]) -> None:
    """Add class mix, slots and doubles of rows with several labels each (A.7.2)."""
    labels = np.array([[classes.index(label) for label in row.gold] for row in rows])
    slots = labels.shape[1]
    table = np.array([np.bincount(labels[:, s], minlength=len(classes)) for s in range(slots)])
    mix = table.sum(axis=0)
    n = len(rows)
    ledger.tell(scope, "class_jsd_uniform", audit.jensen_shannon(mix, np.ones(len(classes))), n=n)
    ledger.tail(scope, "slot_class_p", audit.homogeneity(table).p, n=n * slots)
    worst = max(audit.jensen_shannon(row, mix) for row in table)
    ledger.divergence(scope, "slot_jsd", worst, len(classes), n)
    tally = np.array([np.bincount(row, minlength=len(classes)) for row in labels])
    doubled = (tally.max(axis=1) == 2) & ((tally > 0).sum(axis=1) == len(classes))
    if doubled.all() and slots == len(classes) + 1 and all(row.doublable for row in rows):
        could = np.array([sum(label in row.doublable for row in rows) for label in classes])
        target = audit.doubling_target(could, n)
        ledger.divergence(
            scope, "class_jsd_target", audit.jensen_shannon(mix, target), len(classes), n, part=0.25
        )
        holds = labels == tally.argmax(axis=1)[:, None]
        ledger.tail(scope, "double_slot_p", audit.chi_square(holds.sum(axis=0)).p, n=n)
    chance = float(mix.max() / mix.sum())
    ledger.tell(scope, "chance", chance, n=n, note="labels")
    kept = [index for index, row in enumerate(rows) if len(row.options) == slots]
    if kept:
        documents = [
            (*words(text), ("slot", s)) for i in kept for s, text in enumerate(rows[i].options)
        ]
        groups = [rows[i].group for i in kept for _ in range(slots)]
        gold = labels[kept].ravel()
        hits = int((learn_labels(documents, gold, groups, len(classes)) == gold).sum())
        ledger.guesses(scope, "attack_learned_options", hits, len(gold), chance)


def _reading(ledger: Ledger, scope: Scope, rows: list[Observed]) -> None:
    """Add the priors of what is read off a picture, element by element (A.1.2)."""
    seen = sorted({label for row in rows for label in row.gold})
    mix = audit.counts([label for row in rows for label in row.gold], seen)
    n = len(rows)
    ledger.tell(scope, "element_jsd_uniform", audit.jensen_shannon(mix, np.ones(len(seen))), n=n)
    elements = list(zip(*(row.gold for row in rows), strict=True))
    common = [Counter(element).most_common(1)[0] for element in elements]
    blind = sum(count for _, count in common) / (n * len(common))
    ledger.tell(scope, "chance", blind, n=n, note="elements")
    guess = tuple(label for label, _ in common)
    ledger.tell(scope, "blind_exact_accuracy", sum(r.gold == guess for r in rows) / n, n=n)


def _labels(rows: list[Observed]) -> tuple[str, ...]:
    """Return the labels of single-choice rows in order, or nothing when answers are not choices."""
    if any(len(row.gold) != 1 for row in rows):
        return ()
    size = max(len(row.options) for row in rows)
    letters = {chr(ord("A") + index) for index in range(size)}
    labels = sorted(letters | {row.gold[0] for row in rows})
    return tuple(labels) if len(labels) <= MAX_LABELS else ()


def _classes(task: Task[Any, Any]) -> tuple[str, ...]:
    """Return the classes of a task whose rows have several labels each, or nothing."""
    return next((m.classes for m in task.measures if isinstance(m, Confusion)), ())


def _repeats(values: Iterable[str]) -> int:
    """Return how many values are repeats of an earlier one."""
    known = list(values)
    return len(known) - len(set(known))


def _spread(rows: list[Observed]) -> list[Observed]:
    """Return at most LEARNED_ROWS rows, evenly spread."""
    return rows[:: -(-len(rows) // LEARNED_ROWS)] if rows else rows


def _clusters(groups: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return a key for each row, equal for rows that share a group or a text, directly or not.

    Rows that share a text may have opposite answers by design; a learner that is trained on the one
    and tried on the other would only look worse than it is.
    """
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(key: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(key, key) != key:
            parent[key] = key = parent[parent[key]]
        return key

    for group, text in zip(groups, texts, strict=True):
        if text:
            parent[root(("text", text))] = root(("group", group))
    return tuple(root(("group", group))[1] for group in groups)


def _own_lines(texts: Sequence[str]) -> list[str]:
    """Return texts without the lines that all of them have."""
    split = [text.splitlines() for text in texts]
    common = set(split[0]).intersection(*map(set, split[1:]))
    return ["\n".join(line for line in lines if line not in common) for lines in split]
