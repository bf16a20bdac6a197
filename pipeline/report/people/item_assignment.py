"""Choose the items of a study, and the order in which each person gets them.

All people get the same items: the same number from each config, spread over its levels, as
`facelet run` asks for the same limit. The order is drawn for each person from a seed and the name:
configs one after the other, so that instructions stay while they are needed, and their items in
random order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.generators.core.seeding import digest_names, make_generator
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.row_selection import list_chosen_rows, sample_ids, select_splits

PRACTICE = 2
"""Items whose answers people are told, before those that count."""

LETTERS = "ABCD"
"""What an attention check may ask for."""

Kind = Literal["practice", "item", "check", "break"]


@dataclass(frozen=True, slots=True)
class SessionStep:
    """A step of a session.

    Attributes:
        kind: what it is.
        id: id of the row; of a check, the letter that is to be chosen; "" of a break.
    """

    kind: Kind
    id: str = ""


@dataclass(frozen=True, slots=True)
class StudyItems:
    """The items of a study.

    Attributes:
        items: ids by config.
        practice: ids of the practice items, which are none of these.
        rows: the rows of all of them, by id.
    """

    items: Mapping[str, Sequence[str]]
    practice: Sequence[str]
    rows: Mapping[str, OpenedRow]


def choose_items(
    folder: Path, suites: Sequence[str], configs: Sequence[str], split: str, limit: int
) -> StudyItems:
    """Return the items of a study.

    Args:
        folder: the dataset.
        suites: names of suites; none for all.
        configs: names of configs; none for all.
        split: name of the split; "" for all.
        limit: most items of a config.

    Raises:
        ValueError: there is no such dataset, suite, config or split.
    """
    items: dict[str, list[str]] = {}
    spare: list[str] = []
    wanted: dict[SplitFiles, set[str]] = {}
    for part in select_splits(folder, suites, configs, split):
        own = sample_ids(part, limit)
        rest = [row["id"] for row in part.iterate_rows(["id"]) if row["id"] not in own]
        items.setdefault(part.config, []).extend(sorted(own))
        first = sorted(rest, key=lambda name: digest_names("practice", name))[:1]
        if len(spare) < PRACTICE:
            spare += first
            own = own | set(first)
        wanted[part] = own
    rows = {row["id"]: read_row(row) for row in list_chosen_rows(folder, wanted)}
    return StudyItems(items, spare, rows)


def plan_steps(
    found: StudyItems, person: str, seed: int, *, checks: int, pause: int
) -> tuple[SessionStep, ...]:
    """Return the steps of a person.

    Args:
        found: the items of the study.
        person: who it is.
        seed: root of the order.
        checks: items between two attention checks; 0 for none.
        pause: items between two breaks; 0 for none.
    """
    rng = make_generator("people", str(seed), person)
    plan = [SessionStep("practice", name) for name in found.practice]
    configs = list(found.items)
    done = 0
    for place in rng.permutation(len(configs)).tolist():
        own = found.items[configs[place]]
        for index in rng.permutation(len(own)).tolist():
            if done and pause and done % pause == 0:
                plan.append(SessionStep("break"))
            plan.append(SessionStep("item", own[index]))
            done += 1
            if checks and done % checks == 0:
                plan.append(SessionStep("check", LETTERS[int(rng.integers(len(LETTERS)))]))
    return tuple(plan)
