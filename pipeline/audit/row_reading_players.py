"""Players that read rows: labels, options, words and what other rows showed, but never the puzzle.

Those of facelet.generators.options read labels, options and words of single questions; what they
learn is tried on other puzzles than it was learned from. Where a task is measured by the F1 of one
label, so are the players. Beside them stands the memory of facelet.pipeline.audit.recalling.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice

import numpy as np

from facelet.generators.core.label_f1 import LabelF1
from facelet.generators.core.measures import Confusion
from facelet.generators.core.seeding import digest
from facelet.generators.options.attacks import FOLDS, Answers, answers
from facelet.generators.options.lookups import Marked, learned
from facelet.pipeline.audit import recalling
from facelet.pipeline.audit.answers import CHOICES, LEARNED_ROWS, choices_of, labels_of, spread
from facelet.pipeline.audit.hashed import spooled
from facelet.pipeline.audit.held import where
from facelet.pipeline.audit.marking import firsts
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.tried import Asked, Clusters, Score, Tried, Won, half_of
from facelet.pipeline.families import AnyTask


def reading(rows: Sequence[Observed], task: AnyTask, of: str, *, several: bool) -> list[Tried]:
    """Return what the players that read rows get right of a config.

    Args:
        rows: its graded rows.
        task: their task.
        of: what the shares are of.
        several: whether a play may take more than one reply.
    """
    if measure := next((m for m in task.measures if isinstance(m, LabelF1)), None):
        return _seeking(_whole(rows), measure.label)
    labels = labels_of(rows, task)
    players = _choosing(spread(rows, CHOICES), labels) if labels else []
    classes = next((m.classes for m in task.measures if isinstance(m, Confusion)), ())
    widths = {w for row in rows for w in (len(row.gold), len(row.options))} if classes else set()
    if classes and len(widths) == 1:
        players = _marking(spread(rows), classes)
    elif of != "answers":
        players = [_commonest(rows)]
    # Of what is played out, the rows know how it ends, and not what has to be said for it.
    if not several and not task.traits.simulated:
        players += recalling.recall(rows, of)
    return players


def _choosing(rows: Sequence[Observed], labels: tuple[str, ...]) -> list[Tried]:
    """Return what players of single choices get right."""
    choices = choices_of(rows, labels)
    found = answers(choices)
    if choices.options:
        marked = Marked(
            choices.options,
            (np.arange(len(labels)) == choices.gold[:, None]).astype(np.int64),
            choices.groups,
        )
        found |= learned(marked)
    asked = _asked(rows)
    return [_won(name, asked, said == choices.gold) for name, said in found.items()]


def _asked(rows: Sequence[Observed]) -> Asked:
    return Asked.of((row.cell, row.cluster) for row in rows)


def _won(name: str, asked: Asked, right: Answers, kappa: float | None = None) -> Tried:
    """Return what a player got right that answered each row, or each element of it, by itself."""
    table = right.reshape(len(asked.where), -1).astype(np.float64)
    of = np.full(len(table), float(table.shape[1]))
    return Tried.by(name, asked, table.sum(axis=1), of, kappa)


def _seeking(rows: Sequence[Observed], label: str) -> list[Tried]:
    """Return the F1 of one label that players come to who say one of all labels a row."""
    labels = tuple(sorted({row.gold[0] for row in rows} | {label}))
    choices = choices_of(rows, labels)
    place = labels.index(label)
    true = choices.gold == place
    found, asked = [], _asked(rows)
    for name, said in answers(choices).items():
        claimed = said == place
        won: Won = 2.0 * (claimed & true)
        found.append(Tried.by(name, asked, won, claimed.astype(np.float64) + true))
    return found


def _whole(rows: Sequence[Observed]) -> list[Observed]:
    """Return all rows of some puzzles, evenly spread: so labels keep their shares."""
    begins = firsts(spooled(row.group for row in rows))
    every = -(-len(rows) // LEARNED_ROWS)
    groups = (row.group for row, first in zip(rows, begins, strict=True) if first)
    kept = set(islice(groups, 0, None, every))
    return list(where(rows, lambda row: row.group in kept))


def _marking(rows: Sequence[Observed], classes: tuple[str, ...]) -> list[Tried]:
    """Return what players get right that say the class of each option."""
    gold = np.array([[classes.index(label) for label in row.gold] for row in rows])
    marked = Marked(
        tuple(row.options for row in rows),
        gold,
        tuple(row.group for row in rows),
        len(classes),
        single=False,
    )
    found = learned(marked)
    found |= {f"always:{name}": np.full_like(gold, k) for k, name in enumerate(classes)}
    asked = _asked(rows)
    return [
        _won(name, asked, said == gold, _kappa(said, gold, len(classes)))
        for name, said in found.items()
    ]


def _commonest(rows: Sequence[Observed]) -> Tried:
    """Return what saying at each place what is commonest there in other folds gets right."""
    said: dict[int, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    clusters = Clusters()
    for row in rows:
        clusters.add(row.cell, row.cluster)
        fold = _fold(row)
        for place, label in enumerate(row.gold):
            said[place][fold][label] += 1
    tips = {
        (place, held): _top(
            sum((count for f, count in sorted(by.items()) if f != held), Counter[str]())
        )
        for place, by in said.items()
        for held in range(FOLDS)
    }
    score = Score()
    for row in rows:
        fold = _fold(row)
        won = sum(tips[place, fold] == label for place, label in enumerate(row.gold))
        score.add(row.cell, half_of(row.cluster), won, len(row.gold))
    return Tried("commonest", clusters.trials(), score.sums())


def _fold(row: Observed) -> int:
    return digest("fold", row.group)[0] % FOLDS


def _top(count: Counter[str]) -> str:
    """Return the commonest label, the first in order of those that are."""
    return min(count, key=lambda label: (-count[label], label), default="")


def _kappa(answers: Answers, gold: Answers, classes: int) -> float:
    """Return Cohen's kappa of answers of `classes` classes."""
    said = np.bincount(answers.ravel(), minlength=classes) / answers.size
    true = np.bincount(gold.ravel(), minlength=classes) / gold.size
    expected = float(said @ true)
    agreed = float((answers == gold).mean())
    return (agreed - expected) / (1 - expected) if expected < 1 else 0.0
