"""Players that read rows (labels, options, words, other rows' displays), but never the puzzle.

The attacks of facelet.generators.options read labels, options and words of single questions; what
they learn is tested on other puzzles. Where a task measures the F1 of one label, so do the players.
The memorizing player is in facelet.pipeline.audit.memorizing_player.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from facelet.generators.core.measures import Confusion, LabelF1
from facelet.generators.options.option_attacks import Answers, attack_answers
from facelet.generators.options.relation_learner import MarkedQuestions, learn_answers
from facelet.pipeline.audit import memorizing_player
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.label_balance import (
    CHOICES,
    LEARNED_ROWS,
    build_choices,
    list_choice_labels,
    spread_rows,
)
from facelet.pipeline.audit.packed_records import filter_rows
from facelet.pipeline.audit.player_results import AnsweredRows, PlayerResult, Wins
from facelet.pipeline.audit.prompt_fields import score_common_answers
from facelet.pipeline.audit.text_index import mark_firsts, spool_hashes
from facelet.pipeline.family_modules import AnyTask


def score_row_readers(
    rows: Sequence[AuditedRow], task: AnyTask, of: str, *, several: bool
) -> list[PlayerResult]:
    """Return the results of the row-reading players on a config.

    Args:
        rows: its graded rows.
        task: their task.
        of: the unit of the shares.
        several: whether a play may take more than one reply.
    """
    if measure := next((m for m in task.measures if isinstance(m, LabelF1)), None):
        return _score_label_seekers(_sample_whole_puzzles(rows), measure.label)
    labels = list_choice_labels(rows, task)
    players = _score_choice_players(spread_rows(rows, CHOICES), labels) if labels else []
    classes = next((m.classes for m in task.measures if isinstance(m, Confusion)), ())
    widths = {w for row in rows for w in (len(row.gold), len(row.options))} if classes else set()
    if classes and len(widths) == 1:
        players = _score_class_players(spread_rows(rows), classes)
    elif of != "answers":
        players = score_common_answers(rows, of, ["commonest"], lambda row: [""])
    # Rows of simulated plays contain the outcome, not the replies that lead to it.
    if not several and not task.traits.simulated:
        players += memorizing_player.score_memories(rows, of)
    return players


def _score_choice_players(
    rows: Sequence[AuditedRow], labels: tuple[str, ...]
) -> list[PlayerResult]:
    """Return the results of players of single choices."""
    choices = build_choices(rows, labels)
    found = attack_answers(choices)
    if choices.options:
        marked = MarkedQuestions(
            choices.options,
            (np.arange(len(labels)) == choices.gold[:, None]).astype(np.int64),
            choices.groups,
        )
        found |= learn_answers(marked)
    asked = _build_answered_rows(rows)
    return [_build_result(name, asked, said == choices.gold) for name, said in found.items()]


def _build_answered_rows(rows: Sequence[AuditedRow]) -> AnsweredRows:
    return AnsweredRows.from_rows((row.cell, row.cluster) for row in rows)


def _build_result(
    name: str, asked: AnsweredRows, right: Answers, kappa: float | None = None
) -> PlayerResult:
    """Return the result of a player that answers each row, or each element of it, separately."""
    table = right.reshape(len(asked.row_places), -1).astype(np.float64)
    of = np.full(len(table), float(table.shape[1]))
    return PlayerResult.from_wins(name, asked, table.sum(axis=1), of, kappa)


def _score_label_seekers(rows: Sequence[AuditedRow], label: str) -> list[PlayerResult]:
    """Return the F1 of one label of players that answer one of all labels a row."""
    labels = tuple(sorted({row.gold[0] for row in rows} | {label}))
    choices = build_choices(rows, labels)
    place = labels.index(label)
    true = choices.gold == place
    found, asked = [], _build_answered_rows(rows)
    for name, said in attack_answers(choices).items():
        claimed = said == place
        won: Wins = 2.0 * (claimed & true)
        found.append(PlayerResult.from_wins(name, asked, won, claimed.astype(np.float64) + true))
    return found


def _sample_whole_puzzles(rows: Sequence[AuditedRow]) -> list[AuditedRow]:
    """Return all rows of some puzzles, evenly spread, so labels keep their shares."""
    begins = mark_firsts(spool_hashes(row.group for row in rows))
    every = -(-len(rows) // LEARNED_ROWS)
    groups = (row.group for row, first in zip(rows, begins, strict=True) if first)
    kept = set(islice(groups, 0, None, every))
    return list(filter_rows(rows, lambda row: row.group in kept))


def _score_class_players(
    rows: Sequence[AuditedRow], classes: tuple[str, ...]
) -> list[PlayerResult]:
    """Return the results of players that answer the class of each option."""
    gold = np.array([[classes.index(label) for label in row.gold] for row in rows])
    marked = MarkedQuestions(
        tuple(row.options for row in rows),
        gold,
        tuple(row.group for row in rows),
        len(classes),
        single=False,
    )
    found = learn_answers(marked)
    found |= {f"always:{name}": np.full_like(gold, k) for k, name in enumerate(classes)}
    asked = _build_answered_rows(rows)
    return [
        _build_result(name, asked, said == gold, _cohen_kappa(said, gold, len(classes)))
        for name, said in found.items()
    ]


def _cohen_kappa(answers: Answers, gold: Answers, classes: int) -> float:
    """Return Cohen's kappa of answers of `classes` classes."""
    said = np.bincount(answers.ravel(), minlength=classes) / answers.size
    true = np.bincount(gold.ravel(), minlength=classes) / gold.size
    expected = float(said @ true)
    agreed = float((answers == gold).mean())
    return (agreed - expected) / (1 - expected) if expected < 1 else 0.0
