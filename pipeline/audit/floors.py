"""The floor of a config: what the best player scores that never looks at the puzzle.

Two kinds of players are tried. Those of facelet.generators.options read labels, options and words
of single questions; what they learn is tried on other puzzles than it was learned from. Those of
facelet.pipeline.audit.blind play episodes, and whatever has no labels to choose from, by lists of
replies that are tuned on half of the puzzles and judged on the other half. All are bounded in the
number of rows that they see, and deterministic.

Rows that show the same, and elements of one answer, count as one trial: intervals and limits are as
wide as if they all depended on each other. Where a task is measured by the F1 of one label, so are
the players. Every player must stay under the limit that the task declares, chance by default, plus
what sampling allows; that counts what a learner's hits share, and of how many players one was
chosen.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from facelet.generators.core.label_f1 import LabelF1
from facelet.generators.core.measures import Confusion
from facelet.generators.core.seeding import digest
from facelet.generators.options import audit
from facelet.generators.options.attacks import FOLDS, Answers, answers, attacks, independent
from facelet.generators.options.lookups import Marked, learned
from facelet.pipeline.audit import blind, memory
from facelet.pipeline.audit.answers import LEARNED_ROWS, choices_of, labels_of, spread
from facelet.pipeline.audit.blind import Case, goes_on
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.alike import effective
from facelet.pipeline.dataset.chances import share
from facelet.pipeline.dataset.floors import Declared
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.families import AnyTask
from facelet.pipeline.scoring.counting.statistics import wilson


@dataclass(frozen=True, slots=True)
class Player:
    """One blind player's result.

    Attributes:
        name: which it was.
        value: the share that it got right.
        trials: how many independent trials that is over.
        kappa: Cohen's kappa, where answers have classes.
        tried: of how many players it was chosen.
    """

    name: str
    value: float
    trials: int
    kappa: float | None = None
    tried: int = 1

    def bound(self, alpha: float, limit: float) -> float:
        """Return what it reaches by luck with a probability of `alpha`, if it is worth `limit`.

        Each of the players that it was chosen from could have been as lucky: one that is lucky on
        both halves of the puzzles is chosen on both.

        Args:
            alpha: the probability.
            limit: the share that a player may get right.
        """
        trials = independent(self.name, self.trials)
        return audit.accuracy_bound(alpha / self.tried, trials, limit)


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of a config.

    Attributes:
        record: it, for the manifest; see facelet.pipeline.dataset.floors.
        violation: what is wrong with it, in one line; "" if nothing is.
        players: number of players that were tried.
    """

    record: dict[str, object]
    violation: str
    players: int


def floor(
    rows: Sequence[Observed],
    splits: Sequence[Split],
    task: AnyTask,
    declared: Declared | None,
    *,
    budget: float,
) -> Floor | None:
    """Return the floor of one config; None where nothing in it is graded.

    Args:
        rows: the config's rows.
        splits: where they are.
        task: the task that made them.
        declared: what is declared of guessing; None if nobody knows, then nothing is too much.
        budget: probability of a false alarm that it may spend.
    """
    graded = [row for row in rows if row.gold]
    if not graded:
        return None
    of = "answers" if declared is None else declared.of
    players = _players(graded, splits, task, of)
    if not players:
        return None
    limit, reason = (1.0, "not known") if declared is None else declared.allowed()
    alpha = budget / len(players)
    bounds = {player.name: player.bound(alpha, limit) for player in players}
    best = max(players, key=lambda player: player.value)
    low, high = wilson(best.value * best.trials, best.trials)
    record = {
        "value": round(best.value, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "of": of,
        "player": best.name,
        "items": best.trials,
        "limit": round(bounds[best.name], 6),
        "declared": round(limit, 6),
        "reason": reason,
        "players": {player.name: round(player.value, 6) for player in players},
    }
    if best.kappa is not None:
        record["kappa"] = round(best.kappa, 6)
    worst = max(players, key=lambda player: player.value - bounds[player.name])
    if worst.value <= bounds[worst.name]:
        return Floor(record, "", len(players))
    ends = wilson(worst.value * worst.trials, worst.trials)
    violation = (
        f"{splits[0].config}: a player that never looks at the puzzle ({worst.name}) gets "
        f"{share(worst.value, of)} ({ends[0]:.1%} to {ends[1]:.1%}), allowed "
        f"{bounds[worst.name]:.1%} ({limit:.1%}, {reason}, and what sampling adds); mend "
        f"{task.name}, or declare what it may be and why in its `blind_limit`"
    )
    return Floor(record, violation, len(players))


def _players(
    rows: Sequence[Observed], splits: Sequence[Split], task: AnyTask, of: str
) -> list[Player]:
    """Return the results of all blind players of a config."""
    if measure := next((m for m in task.measures if isinstance(m, LabelF1)), None):
        return _seeking(_whole(rows), measure.label)
    labels = labels_of(list(rows), task)
    players = _choosing(spread(list(rows)), labels) if labels else []
    classes = next((m.classes for m in task.measures if isinstance(m, Confusion)), ())
    widths = {len(row.gold) for row in rows} | {len(row.options) for row in rows}
    if classes and len(widths) == 1:
        players = _marking(spread(list(rows)), classes)
    elif of != "answers":
        players = [_commonest(rows)]
    # Of a share of elements, players of episodes would say another thing.
    first = _cases(rows[:1], splits, task)[0]
    if of == "answers" and (goes_on(task, first) or not players):
        found = blind.blind(task, _cases(rows, splits, task))
        players += [
            Player(name, hits.hits / hits.plays, hits.plays, tried=hits.tried)
            for name, hits in found.items()
        ]
    # Where a reply is played out, the label is what it came to, not what was said.
    if not task.traits.simulated and not goes_on(task, first):
        players += [Player(one.name, one.value, one.trials) for one in memory.recall(rows, of)]
    return players


def _choosing(rows: Sequence[Observed], labels: tuple[str, ...]) -> list[Player]:
    """Return what players of single choices get right."""
    choices = choices_of(rows, labels)
    trials = _trials(row.cluster for row in rows)
    found = {name: hits / len(rows) for name, hits in attacks(choices).items()}
    if choices.options:
        gold = choices.gold
        marked = Marked(
            choices.options,
            (np.arange(len(labels)) == gold[:, None]).astype(np.int64),
            choices.groups,
        )
        found |= {
            name: float((answers == gold).mean()) for name, answers in learned(marked).items()
        }
    return [Player(name, value, trials) for name, value in found.items()]


def _seeking(rows: Sequence[Observed], label: str) -> list[Player]:
    """Return the F1 of one label that players come to who say one of all labels a row."""
    labels = tuple(sorted({row.gold[0] for row in rows} | {label}))
    choices = choices_of(rows, labels)
    place = labels.index(label)
    true = choices.gold == place
    trials = _trials(row.cluster for row in rows)
    found = []
    for name, said in answers(choices).items():
        claimed = said == place
        hits, all_ = int((claimed & true).sum()), int(claimed.sum() + true.sum())
        found.append(Player(name, 2 * hits / all_ if all_ else 0.0, trials))
    return found


def _whole(rows: Sequence[Observed]) -> list[Observed]:
    """Return all rows of some puzzles, evenly spread: so labels keep their shares."""
    groups = list(dict.fromkeys(row.group for row in rows))
    kept = set(groups[:: -(-len(rows) // LEARNED_ROWS)])
    return [row for row in rows if row.group in kept]


def _marking(rows: Sequence[Observed], classes: tuple[str, ...]) -> list[Player]:
    """Return what players get right that say the class of each option."""
    gold = np.array([[classes.index(label) for label in row.gold] for row in rows])
    marked = Marked(
        tuple(row.options for row in rows),
        gold,
        tuple(row.group for row in rows),
        len(classes),
        single=False,
    )
    trials = _trials(row.cluster for row in rows)
    answers = learned(marked)
    answers |= {f"always:{name}": np.full_like(gold, k) for k, name in enumerate(classes)}
    return [
        Player(name, float((found == gold).mean()), trials, _kappa(found, gold, len(classes)))
        for name, found in answers.items()
    ]


def _commonest(rows: Sequence[Observed]) -> Player:
    """Return what saying at each place what is commonest there in other folds gets right."""
    said: dict[int, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    folds = [digest("fold", row.group)[0] % FOLDS for row in rows]
    for fold, row in zip(folds, rows, strict=True):
        for place, label in enumerate(row.gold):
            said[place][fold][label] += 1
    tips = {
        (place, held): _top(
            sum((count for f, count in sorted(by.items()) if f != held), Counter[str]())
        )
        for place, by in said.items()
        for held in range(FOLDS)
    }
    hits = sum(
        tips[place, fold] == label
        for fold, row in zip(folds, rows, strict=True)
        for place, label in enumerate(row.gold)
    )
    total = sum(len(row.gold) for row in rows)
    return Player("commonest", hits / total, _trials(row.cluster for row in rows))


def _top(count: Counter[str]) -> str:
    """Return the commonest label, the first in order of those that are."""
    return min(count, key=lambda label: (-count[label], label), default="")


def _cases(rows: Sequence[Observed], splits: Sequence[Split], task: AnyTask) -> list[Case]:
    """Return puzzles to be played, each base puzzle once, a bounded number of them."""
    # Any row of a puzzle, not its first: what is asked first may have one answer more often.
    some: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: digest("blind", "row", row.id)):
        some.setdefault(row.group, row.id)
    order = sorted(some, key=lambda group: digest("blind", "half", group))[: blind.ITEMS]
    wanted = {some[group]: group for group in order}
    found = []
    for split in splits:
        for batch in split.batches():
            places = [k for k, name in enumerate(batch.column("id").to_pylist()) if name in wanted]
            for row in batch.take(pa.array(places, pa.int64())).to_pylist():
                instance = task.decode(row)
                reference = tuple(task.reference(instance))
                found.append(Case(wanted[row["id"]], instance, reference))
    return found


def _trials(clusters: Iterable[str]) -> int:
    """Return how many independent trials some rows are at least worth."""
    return max(1, math.floor(effective(clusters)))


def _kappa(answers: Answers, gold: Answers, classes: int) -> float:
    """Return Cohen's kappa of answers of `classes` classes."""
    said = np.bincount(answers.ravel(), minlength=classes) / answers.size
    true = np.bincount(gold.ravel(), minlength=classes) / gold.size
    expected = float(said @ true)
    agreed = float((answers == gold).mean())
    return (agreed - expected) / (1 - expected) if expected < 1 else 0.0
