"""Measure the balance of single-choice labels, and prepare attacks on them.

Labels are dealt in blocks, so they must be exactly even over a block. Attacks read the options or
the words of the prompt, without the lines that all prompts share.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from facelet.generators.core.measures import Binary
from facelet.generators.options import fairness_statistics
from facelet.generators.options.option_attacks import ChoiceRows, effective_guesses, score_attacks
from facelet.pipeline.audit.audited_row import AuditedRow, list_split_columns
from facelet.pipeline.audit.figure_limits import FigureCollector, Scope
from facelet.pipeline.family_modules import AnyTask

Codes = npt.NDArray[np.uint16]
"""(rows,): places of labels."""

LEARNED_ROWS = 2000
"""Most rows for learners, evenly spread; more rows would only take longer."""

CHOICES = 1200
"""The same for single choices."""


def list_choice_labels(rows: Sequence[AuditedRow], task: AnyTask) -> tuple[str, ...]:
    """Return the labels of choices in order; nothing if answers are not dealt evenly."""
    sizes: set[int] = set()
    said: set[str] = set()
    for row in rows:
        if len(row.gold) != 1:
            return ()
        sizes.add(len(row.options))
        said.add(row.gold[0])
    if sizes == {0} and not any(isinstance(measure, Binary) for measure in task.measures):
        return ()
    return tuple(sorted(said | {chr(ord("A") + index) for index in range(max(sizes))}))


def add_choice_figures(
    collector: FigureCollector,
    scope: Scope,
    rows: Sequence[AuditedRow],
    labels: tuple[str, ...],
    task: AnyTask,
    *,
    dealt: bool = True,
    attacked: bool = True,
    limit: float | None = None,
) -> None:
    """Add the balance of single-choice rows, and for a whole split the results of attacks.

    Args:
        collector: the collector.
        scope: split and cell.
        rows: the rows, one a base item; or any number, if their labels are not dealt.
        labels: the labels in order.
        task: the task that made them.
        dealt: whether labels are dealt in blocks, and must be exactly even.
        attacked: whether to attack this split by itself.
        limit: the declared score of blind players; None for chance.
    """
    names = list_split_columns(task)
    place_of = {label: place for place, label in enumerate(labels)}
    said, alone = array("H"), bytearray()
    values: list[dict[str, int]] = [{} for _ in names]
    codes = [array("I") for _ in names]
    for row in rows:
        said.append(place_of[row.gold[0]])
        alone.append(row.lacks_twin)
        for known, code, value in zip(values, codes, row.split_values, strict=True):
            code.append(known.setdefault(value, len(known)))
    gold, paired = np.frombuffer(said, np.uint16), np.frombuffer(alone, bool)
    binary = {name for m in task.measures if isinstance(m, Binary) for name in m.by}
    if scope[1]:
        add_label_balance(collector, scope, "gold", gold, gold if dealt else gold[:0], labels)
    for name, known, code in zip(names, values, codes, strict=True):
        of = np.frombuffer(code, np.uint32)
        table = np.array(
            [
                np.bincount(gold[of == known[value]], minlength=len(labels))
                for value in sorted(known)
            ]
        )
        if len(table) > 1:
            collector.add_tail_test(
                scope,
                f"gold_by_{name}_p",
                fairness_statistics.homogeneity_test(table),
                n=len(rows),
            )
        if scope[1] and name in binary:
            for value in sorted(known):
                mine = of == known[value]
                even = gold[mine & ~paired] if dealt else gold[:0]
                add_label_balance(
                    collector, scope, f"gold_by_{name}", gold[mine], even, labels, value
                )
    if scope[1] or not attacked:
        return  # At each level the players of facelet.pipeline.audit.config_floor are judged.
    kept = spread_rows(rows)
    for name, hits in score_attacks(build_choices(kept, labels)).items():
        figure, trials = f"attack_{name.partition(':')[0]}", effective_guesses(name, len(kept))
        share = limit or 1 / len(labels)
        collector.add_guess_test(scope, figure, hits, len(kept), share, trials=trials, note=name)


def add_label_balance(
    collector: FigureCollector,
    scope: Scope,
    name: str,
    gold: Codes,
    even: Codes,
    labels: tuple[str, ...],
    note: str = "",
) -> None:
    """Add how even the labels are, in item order.

    Args:
        collector: the collector.
        scope: split and cell.
        name: prefix of the names of the figures.
        gold: indices of the labels in `labels`, as even as random draws.
        even: those of them that are dealt in blocks, and must be exactly even.
        labels: all labels, in order.
        note: the rows that they are of.
    """
    if len(even):
        found = fairness_statistics.measure_balance(even.tolist(), range(len(labels)))
        collector.add_figure(
            scope, f"{name}_deviation", found.deviation, n=len(even), note=note, at_most=0
        )
        collector.add_figure(scope, f"{name}_block", found.block, n=len(even))
    p = fairness_statistics.chi_square(np.bincount(gold, minlength=len(labels)))
    collector.add_tail_test(scope, f"{name}_p", p, n=len(gold), note=note)


def build_choices(rows: Sequence[AuditedRow], labels: tuple[str, ...]) -> ChoiceRows:
    """Return single-choice rows in the form that attacks use.

    Args:
        rows: the rows.
        labels: the labels in order.
    """
    own = _remove_shared_lines([row.text for row in rows])
    return ChoiceRows(
        labels,
        np.array([labels.index(row.gold[0]) for row in rows], dtype=np.int64),
        _cluster_keys([row.group for row in rows], own),
        tuple(row.options for row in rows)
        if all(len(row.options) == len(labels) for row in rows)
        else (),
        tuple(own) if any(own) else (),
    )


def spread_rows(rows: Sequence[AuditedRow], most: int = LEARNED_ROWS) -> Sequence[AuditedRow]:
    """Return at most so many rows, evenly spread over all."""
    return list(rows[:: -(-len(rows) // most)]) if rows else rows


def _cluster_keys(groups: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return a key for each row, equal for rows that share a group or a text, directly or not.

    Rows that share a text may have opposite answers by design; a learner that is trained on one and
    tested on the other would only look worse than it is.
    """
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def find_root(key: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(key, key) != key:
            parent[key] = key = parent[parent[key]]
        return key

    for group, text in zip(groups, texts, strict=True):
        if text:
            parent[find_root(("text", text))] = find_root(("group", group))
    return tuple(find_root(("group", group))[1] for group in groups)


def _remove_shared_lines(texts: Sequence[str]) -> list[str]:
    """Return texts without the lines that all of them contain."""
    split = [text.splitlines() for text in texts]
    common = set(split[0]).intersection(*map(set, split[1:]))
    return ["\n".join(line for line in lines if line not in common) for lines in split]
