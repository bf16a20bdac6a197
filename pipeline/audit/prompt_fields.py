"""The player of prompt fields: one tuned reply for each value of one field that a prompt shows.

A field is a line such as `Target: owl`, or the numbers of a sentence; the rest of a prompt is not
read. A level is never mixed with another. Readers of rows answer what was right most often in other
rows with the same value (folds by base puzzle); players of episodes replay the reference play that
solves most puzzles with it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import digest_names
from facelet.generators.options.option_attacks import FOLDS
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.baseline_players import FixedScript, prompt_text
from facelet.pipeline.audit.label_balance import spread_rows
from facelet.pipeline.audit.player_results import (
    ClusterCounter,
    PlayerResult,
    ScoreSums,
    half_number,
)

FIELD_PLAYER = "prompt_field"
"""The player's name among shortcuts."""
ONE_FIELD = "one field of the prompt, with a reply tuned for each of its values"
"""What it looks at."""
FIELDS = 6
"""Most fields of a config that are tried, those with the fewest values first."""
ROWS_PER_VALUE = 4
"""Least number of rows of a value, in the mean; with fewer nothing can be tuned."""
_LABELLED = re.compile(r"([^:]{1,60}):[ \t]+(\S.{0,60})")
_NUMBER = re.compile(r"\d+")


def read_fields(text: str) -> dict[str, str]:
    """Return the values of a prompt by field: after a label, or the numbers of a line.

    Args:
        text: the texts of the prompt. What has several values is no field.
    """
    found: dict[str, str] = {}
    repeated = set()
    for line in text.splitlines():
        labelled = _LABELLED.fullmatch(line)
        name = labelled[1] if labelled else _NUMBER.sub("N", line)
        value = labelled[2] if labelled else " ".join(_NUMBER.findall(line))
        if name in found:
            repeated.add(name)
        if value:
            found[name] = value
    return {name: value for name, value in found.items() if name not in repeated}


def select_fields(prompts: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the fields that most prompts have, with several values that are each frequent."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for fields in prompts:
        for name, value in fields.items():
            values[name][value] += 1
    kept = [
        (len(count), name)
        for name, count in values.items()
        if count.total() >= 0.9 * len(prompts) and 1 < len(count) <= len(prompts) / ROWS_PER_VALUE
    ]
    return [name for _, name in sorted(kept)][:FIELDS]


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    """Sends the script of the value that the first prompt shows.

    Attributes:
        field: the field.
        scripts: the scripts by value.
        other: the script for other values.
    """

    field: str
    scripts: Mapping[str, FixedScript]
    other: FixedScript
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies; it reads only the field."""
        says: Callable[[Prompt], str] | None = None

        def send_script(prompt: Prompt) -> str:
            nonlocal says
            if says is None:
                value = read_fields(prompt_text(prompt)).get(self.field, "")
                says = self.scripts.get(value, self.other).begin(group)
            return says(prompt)

        return send_script


def score_field_readers(rows: Sequence[AuditedRow], of: str) -> list[PlayerResult]:
    """Return the results of readers of rows, a field each, on rows evenly spread over all.

    Args:
        rows: the graded rows of a config.
        of: the unit of shares.
    """
    rows = spread_rows(rows)
    fields = select_fields([read_fields(row.text) for row in rows])
    if not fields:
        return []
    named = [f"{FIELD_PLAYER}:{field.strip()[:40]}" for field in fields]
    return score_common_answers(
        rows,
        of,
        # Two fields may begin with the same words.
        [name if named.count(name) == 1 else f"{name} {k}" for k, name in enumerate(named, 1)],
        lambda row: _list_values(row, fields),
    )


def _list_values(row: AuditedRow, fields: Sequence[str]) -> list[str]:
    shown = read_fields(row.text)
    return [f"{row.cell}\n{shown.get(field, '')}" for field in fields]


def score_common_answers(
    rows: Sequence[AuditedRow],
    of: str,
    names: Sequence[str],
    list_keys: Callable[[AuditedRow], Sequence[str]],
) -> list[PlayerResult]:
    """Return the results of players that answer, place by place, the most common label of a key.

    Only rows of other folds count. Of a single choice the text of an option counts.

    Args:
        rows: the rows.
        of: the unit of shares.
        names: the name of each player.
        list_keys: from a row to its key for each player.
    """
    counts: dict[tuple[int, str, int], dict[int, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    clusters = ClusterCounter()
    for row in rows:
        clusters.add(row.cell, row.cluster)
        fold = _fold_number(row)
        for player, key in enumerate(list_keys(row)):
            for place, label in enumerate(row.gold):
                counts[player, key, place][fold][_label_meaning(row, label)] += 1
    tips = {
        (place, held): sum(
            (count for fold, count in sorted(by.items()) if fold != held), Counter[str]()
        )
        for place, by in counts.items()
        for held in range(FOLDS)
    }
    scores = [ScoreSums() for _ in names]
    for row in rows:
        fold = _fold_number(row)
        for player, key in enumerate(list_keys(row)):
            right = [
                _choose_label(row, tips[(player, key, place), fold]) == label
                for place, label in enumerate(row.gold)
            ]
            won, possible = (all(right), 1) if of == "answers" else (sum(right), len(right))
            scores[player].add(row.cell, half_number(row.cluster), won, possible)
    trials = clusters.count_trials()
    return [
        PlayerResult(name, trials, score.sums_by_level())
        for name, score in zip(names, scores, strict=True)
    ]


def _is_single_choice(row: AuditedRow) -> bool:
    return len(row.gold) == 1 and len(row.options) > 1 and len(row.gold[0]) == 1


def _label_meaning(row: AuditedRow, label: str) -> str:
    """Return the text of the option that a letter stands for; else the label itself."""
    place = ord(label) - ord("A") if _is_single_choice(row) else -1
    return row.options[place] if 0 <= place < len(row.options) else label


def _choose_label(row: AuditedRow, count: Counter[str]) -> str:
    """Return the label that was most common, ties in sorted order; "" if there is none."""
    if _is_single_choice(row):
        letters = [chr(ord("A") + place) for place in range(len(row.options))]
        return min(letters, key=lambda letter: (-count[_label_meaning(row, letter)], letter))
    return min(count, key=lambda label: (-count[label], label), default="")


def _fold_number(row: AuditedRow) -> int:
    return digest_names("fold", row.group)[0] % FOLDS
