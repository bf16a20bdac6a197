"""Planning: which items a person gets, and in which order.

All people get the same items: of each config the same number, spread over its levels, those that
`facelet run` asks for the same limit. The order is drawn for each person from a seed and the name:
configs one after the other, so that instructions stay while they are needed, items in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.generators.core.seeding import digest, generator
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.environment.choosing import choose, chosen_rows, sampled
from facelet.pipeline.environment.rows import Row, read_row

PRACTICE = 2
"""Items whose answers people are told, before those that count."""

LETTERS = "ABCD"
"""What an attention check may ask for."""

Kind = Literal["practice", "item", "check", "break"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a session.

    Attributes:
        kind: what it is.
        id: id of the row; of a check, the letter that is to be chosen; "" of a break.
    """

    kind: Kind
    id: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The items of a study.

    Attributes:
        items: ids by config.
        practice: ids of the practice items, which are none of these.
        rows: the rows of all of them, by id.
    """

    items: Mapping[str, Sequence[str]]
    practice: Sequence[str]
    rows: Mapping[str, Row]


def chosen(
    folder: Path, suites: Sequence[str], configs: Sequence[str], split: str, limit: int
) -> Chosen:
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
    wanted: dict[Split, set[str]] = {}
    for part in choose(folder, suites, configs, split):
        own = sampled(part, limit)
        rest = [row["id"] for row in part.rows(["id"]) if row["id"] not in own]
        items.setdefault(part.config, []).extend(sorted(own))
        first = sorted(rest, key=lambda name: digest("practice", name))[:1]
        if len(spare) < PRACTICE:
            spare += first
            own = own | set(first)
        wanted[part] = own
    rows = {row["id"]: read_row(row) for row in chosen_rows(folder, wanted)}
    return Chosen(items, spare, rows)


def steps(found: Chosen, person: str, seed: int, *, checks: int, pause: int) -> tuple[Step, ...]:
    """Return the steps of a person.

    Args:
        found: the items of the study.
        person: who it is.
        seed: root of the order.
        checks: items between two attention checks; 0 for none.
        pause: items between two breaks; 0 for none.
    """
    rng = generator("people", str(seed), person)
    plan = [Step("practice", name) for name in found.practice]
    configs = list(found.items)
    done = 0
    for place in rng.permutation(len(configs)).tolist():
        own = found.items[configs[place]]
        for index in rng.permutation(len(own)).tolist():
            if done and pause and done % pause == 0:
                plan.append(Step("break"))
            plan.append(Step("item", own[index]))
            done += 1
            if checks and done % checks == 0:
                plan.append(Step("check", LETTERS[int(rng.integers(len(LETTERS)))]))
    return tuple(plan)
