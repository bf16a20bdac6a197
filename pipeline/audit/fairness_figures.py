"""Measure the fairness figures of one config from its published rows, each with its limit.

Figures are measured per cell (split and difficulty) and per split, over independent rows: where an
item has several rows, each place in the item is measured separately, and the worst place counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.core.measures import Confusion
from facelet.generators.options import fairness_statistics
from facelet.generators.options.option_attacks import effective_guesses, learn_labels, word_pairs
from facelet.pipeline.audit.audited_row import (
    AuditedRow,
    count_misnumbered,
    group_by_place,
    infer_rows_per_item,
    is_first_of_item,
    may_lack_rows,
)
from facelet.pipeline.audit.figure_limits import DECLARED, FairnessFigure, FigureCollector, Scope
from facelet.pipeline.audit.label_balance import add_choice_figures, list_choice_labels
from facelet.pipeline.audit.packed_records import filter_rows, group_rows
from facelet.pipeline.audit.text_index import (
    HASH,
    count_distinct,
    count_most_common,
    count_records_by_range,
    count_repeats,
    hash_text,
    spool_hashes,
)
from facelet.pipeline.dataset.duplicates import EFFECTIVE, effective_from_squares
from facelet.pipeline.dataset.floor_record import DeclaredFloor
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.spill_sort import SpillSorter

FALSE_ALARM = 1e-3
"""Probability that a fair dataset fails its audit by bad luck, over all configs."""

ROWS_PER_TRIAL = 10
"""Rows of a split that one independent trial takes at most, unless a task declares why."""

TOKENS = 12
"""Answers of several elements are read token by token when there are at most this many tokens."""

TOKEN_JSD = 0.25
"""Limit in bits for the divergence of the tokens read off a picture from uniform, as published
with the picture tasks; nine stickers of one colour out of six would have 0.65."""

TOKEN_ITEMS = 50
"""Fewest puzzles of a difficulty that this limit applies to: near the solved cube there are few,
and their faces have few colours, however many items are about them."""

MEANINGS = {
    EFFECTIVE: "independent trials that the rows are worth, by what they show",
    "first_shown_in_train": "share of rows whose first prompt shows what one in train begins with",
    "shown_in_train": "share of rows that show, at any turn, what a training row shows",
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
    "gold_p": "chance of labels at least this uneven, if drawn at random",
    "gold_by": "chance of labels at least this dependent on the column, if drawn at random",
    "token_jsd_uniform": "divergence of what is read off the picture from uniform, bits",
    "class_jsd_target": "divergence of the class mix from the depth's target mix, bits",
    "slot_jsd": "greatest divergence of a slot's class mix from the overall mix, bits",
    "slot_class_p": "chance of slots at least this different, if drawn at random",
    "double_slot_p": "chance of doubled classes sitting at least this unevenly, if drawn at random",
}
"""What the limited figures say, by name or by the beginning of a name; the rest are counts."""


def describe_figure(figure: str) -> str:
    """Return the meaning of a figure in words."""
    return next((text for name, text in MEANINGS.items() if figure.startswith(name)), "count")


def measure_config(
    rows: Sequence[AuditedRow],
    task: AnyTask,
    *,
    budget: float = FALSE_ALARM,
    declared: DeclaredFloor | None = None,
) -> dict[Scope, dict[str, FairnessFigure]]:
    """Return all figures of one config.

    Args:
        rows: the config's rows, in published order.
        task: the task that made them.
        budget: false-alarm probability that this config may spend.
        declared: the declarations of its tasks about guessing and repeats, if known.
    """
    collector, declared = FigureCollector(), declared or DeclaredFloor()
    per_item = infer_rows_per_item(rows)
    splits = group_rows(rows, lambda row: row.split)
    # The players of facelet.pipeline.audit.row_reading_players attack a config whole: one split is
    # all of it.
    several = len(splits) > 1
    for split, mine in splits.items():
        cells = group_rows(mine, lambda row: row.cell)
        whole: Scope = (split, "")
        _add_split_figures(collector, whole, mine, per_item, declared.repeats, task.shared_group)
        for cell, inside in cells.items():
            gaps = count_misnumbered(inside, per_item, thinned=may_lack_rows(task))
            _add_cell_figures(collector, (split, cell), inside, per_item, gaps)
        graded = filter_rows(mine, lambda row: row.gold)
        if not graded:
            continue
        scopes: list[tuple[Scope, Sequence[AuditedRow]]] = [(whole, graded)]
        scopes += [
            ((split, cell), filter_rows(inside, lambda row: row.gold))
            for cell, inside in cells.items()
        ]
        labels, classes = list_choice_labels(graded, task), _list_equal_classes(graded, task)
        vocabulary: list[str] = []
        if not (labels or classes):
            vocabulary = sorted({token for row in graded for token in row.tokens})
        for scope, inside in scopes:
            for dealt, chosen in group_by_place(inside, per_item):
                if labels:
                    add_choice_figures(
                        collector,
                        scope,
                        chosen,
                        labels,
                        task,
                        dealt=dealt,
                        attacked=several,
                        limit=declared.limit,
                    )
                elif classes:
                    _add_multilabel_figures(collector, scope, chosen, classes)
                else:
                    _add_majority_score(collector, scope, chosen)
                if 1 < len(vocabulary) <= TOKENS:
                    _add_token_divergence(collector, scope, chosen, vocabulary)
    return collector.finish_figures(budget)


def _add_split_figures(
    collector: FigureCollector,
    scope: Scope,
    rows: Sequence[AuditedRow],
    per_item: int | None,
    repeated: str,
    shared: str,
) -> None:
    """Add figures of a whole split: repeats, false rows, revealed answers.

    Where a declaration explains equal items, repeats carry that reason; where one explains shared
    groups, so does the number of independent trials.
    """
    n = len(rows)
    content, prompts, puzzles, classes, clusters = (SpillSorter(HASH) for _ in range(5))
    wrong, told, faults, teller = 0, 0, "", ""
    for row in rows:
        leading = is_first_of_item(row, per_item)
        content.add(hash_text(row.content))
        clusters.add(hash_text(row.cluster))
        # What follows from an item's start may be what follows from another's, near the solved
        # cube.
        if leading or per_item is not None:
            prompts.add(hash_text(row.prompt))
        if leading and row.puzzle:
            puzzles.add(hash_text(row.puzzle))
        if leading and row.canonical:
            classes.add(hash_text(row.canonical))
        if row.faults:
            faults = faults or f"{row.id}: {row.faults[0]}"
            wrong += 1
        if row.reveals_answer:
            teller = teller or row.id
            told += 1

    def add_repeats(name: str, held: SpillSorter) -> None:
        twice, of = count_repeats(held), len(held)
        if repeated:
            collector.add_figure(
                scope, name, twice, n=of, note=f"{DECLARED}{repeated}" if twice else ""
            )
        else:
            collector.add_figure(scope, name, twice, n=of, at_most=0)

    add_repeats("duplicate_rows", content)
    add_repeats("duplicate_prompts", prompts)
    add_repeats("duplicate_puzzles", puzzles)
    collector.add_figure(scope, "symmetric_puzzles", count_repeats(classes), n=len(classes))
    collector.add_figure(scope, "false_labels", wrong, n=n, note=faults, at_most=0)
    squares = sum(int((many * many).sum()) for _, many in count_records_by_range([clusters]))
    worth = effective_from_squares(n, squares)
    why, least = repeated or shared, n / ROWS_PER_TRIAL
    note = f"{DECLARED}{why}" if why and worth < least else ""
    collector.add_figure(
        scope, EFFECTIVE, round(worth, 1), n=n, note=note, at_least=None if why else least
    )
    collector.add_figure(scope, "gold_in_prompt", told, n=n, note=teller, at_most=0)


def _add_cell_figures(
    collector: FigureCollector,
    scope: Scope,
    rows: Sequence[AuditedRow],
    per_item: int | None,
    gaps: int,
) -> None:
    """Add figures of a cell: rows are numbered from 0 without a gap, items are complete."""
    collector.add_figure(scope, "misnumbered_rows", gaps, n=len(rows), at_most=0)
    collector.add_figure(
        scope, "incomplete_items", len(rows) % (per_item or 1), n=len(rows), at_most=0
    )


def _add_multilabel_figures(
    collector: FigureCollector, scope: Scope, rows: Sequence[AuditedRow], classes: tuple[str, ...]
) -> None:
    """Add class mix, slots and doubles of rows with several labels each (A.7.2)."""
    codes = bytearray(classes.index(label) for row in rows for label in row.gold)
    labels = np.frombuffer(codes, dtype=np.uint8).reshape(len(rows), -1)
    slots = labels.shape[1]
    table = np.array([np.bincount(labels[:, s], minlength=len(classes)) for s in range(slots)])
    mix = table.sum(axis=0)
    n = len(rows)
    collector.add_figure(
        scope,
        "class_jsd_uniform",
        fairness_statistics.jensen_shannon(mix, np.ones(len(classes))),
        n=n,
    )
    collector.add_tail_test(
        scope, "slot_class_p", fairness_statistics.homogeneity_test(table), n=n * slots
    )
    worst = max(fairness_statistics.jensen_shannon(row, mix) for row in table)
    collector.add_divergence_test(scope, "slot_jsd", worst, len(classes), n)
    tally = np.column_stack(
        [(labels == k).sum(axis=1, dtype=np.uint8) for k in range(len(classes))]
    )
    doubled = (tally.max(axis=1) == 2) & ((tally > 0).sum(axis=1) == len(classes))
    if slots == len(classes) + 1 and any(row.doublable for row in rows):
        doubled_of = Counter(label for row in rows for label in set(row.doublable))
        could = np.array([doubled_of[label] for label in classes])
        value = fairness_statistics.jensen_shannon(
            mix, fairness_statistics.doubling_target(could, n)
        )
        if doubled.all():
            part = 1 / slots  # the other slots are the same in every item
            collector.add_divergence_test(
                scope, "class_jsd_target", value, len(classes), n, part=part
            )
        else:
            collector.add_figure(
                scope, "class_jsd_target", value, n=n, note="some items lack a class"
            )
    if doubled.all():
        holds = labels == tally.argmax(axis=1)[:, None]
        collector.add_tail_test(
            scope, "double_slot_p", fairness_statistics.chi_square(holds.sum(axis=0)), n=n
        )
    commonest = float(mix.max() / mix.sum())
    collector.add_figure(scope, "commonest", commonest, n=n, note="labels")
    kept = np.array([len(row.options) == slots for row in rows])
    if kept.any():
        whole = filter_rows(rows, lambda row: len(row.options) == slots)
        groups = (row.group for row in whole for _ in range(slots))
        gold = labels[kept].ravel().astype(np.int64)
        hits = int((learn_labels(_OptionTexts(whole), gold, groups, len(classes)) == gold).sum())
        trials = effective_guesses("learned_options", len(gold))
        collector.add_guess_test(
            scope, "attack_learned_options", hits, len(gold), commonest, trials=trials
        )


@dataclass(frozen=True, slots=True)
class _OptionTexts:
    """The words of each option of rows, iterable any number of times."""

    rows: Sequence[AuditedRow]

    def __iter__(self) -> Iterator[tuple[Hashable, ...]]:
        for row in self.rows:
            for slot, text in enumerate(row.options):
                yield (*word_pairs(text), ("slot", slot))


def _add_majority_score(
    collector: FigureCollector, scope: Scope, rows: Sequence[AuditedRow]
) -> None:
    """Add the score of the constant most common answer, where answers are not dealt evenly."""
    n = len(rows)
    elements, whole = SpillSorter(HASH + 1), SpillSorter(HASH)
    for row in rows:
        whole.add(hash_text("\n".join(map(repr, row.gold))))
        for element, said in enumerate(row.gold):
            elements.add(hash_text(said) + np.uint64(element).tobytes())
    best: dict[int, int] = defaultdict(int)
    for each, many in count_records_by_range([elements]):
        for element, count in zip(each[:, HASH].tolist(), many.tolist(), strict=True):
            best[element] = max(best[element], count)
    note = "answers" if len(best) == 1 else "elements"
    collector.add_figure(scope, "commonest", sum(best.values()) / len(elements), n=n, note=note)
    collector.add_figure(scope, "commonest_whole", count_most_common(whole) / n, n=n)


def _add_token_divergence(
    collector: FigureCollector, scope: Scope, rows: Sequence[AuditedRow], vocabulary: list[str]
) -> None:
    """Add the divergence of transcribed tokens from uniform (A.1.2), limited for many puzzles."""
    said = Counter(token for row in rows for token in row.tokens)
    mix = np.array([said[token] for token in vocabulary])
    value = fairness_statistics.jensen_shannon(mix, np.ones(len(vocabulary)))
    puzzles = count_distinct(spool_hashes(row.group for row in rows))
    limit = TOKEN_JSD if scope[1] and puzzles >= TOKEN_ITEMS else None
    collector.add_figure(scope, "token_jsd_uniform", value, at_most=limit, n=len(rows))


def _list_equal_classes(rows: Sequence[AuditedRow], task: AnyTask) -> tuple[str, ...]:
    """Return the classes if each row labels equally many things with each, else nothing."""
    classes = next((m.classes for m in task.measures if isinstance(m, Confusion)), ())
    width = len(rows[0].gold)
    if not classes or width < 2:
        return ()
    fits = all(len(row.gold) == width and set(row.gold) <= set(classes) for row in rows)
    return classes if fits else ()
