"""Making items of any task as the pipeline does: as many as it has, with the reasons of rejections.

What is wrong with a task is said in words that its author can act on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from facelet.generators.core.seeding import Draw, Name
from facelet.generators.core.task import Reject

ATTEMPTS = 50


def count_items(task: Any, params: Any, resource: Any, most: int) -> int:
    """Return how many items a test may ask for: `most`, or fewer where there are fewer.

    Args:
        task: the task.
        params: its params.
        resource: what it needs, or None.
        most: how many the test would like.

    Raises:
        ValueError: the task says that it has none.
    """
    found = task.capacity(params) if resource is None else resource.capacity
    if found is not None and found < 1:
        raise ValueError(
            f"{task.name} has room for {found} items with {params}; let `capacity` return how many "
            "distinct items there are, at least 1, or None where no count could exhaust them"
        )
    return most if found is None else min(most, found)


def make_item(
    task: Any, params: Any, resource: Any, path: tuple[Name, ...], index: int
) -> tuple[Any, ...]:
    """Return the rows of an item: those of the first attempt that is not rejected.

    Args:
        task: the task.
        params: its params.
        resource: what it needs, or None.
        path: names that all items of the test share.
        index: number of the item, from 0.

    Raises:
        ValueError: every attempt was rejected; the message has the reasons.
    """
    reasons: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        try:
            return tuple(task.generate(params, Draw(path, index, attempt), resource))
        except Reject as reject:
            reasons[str(reject) or "no reason given"] += 1
    said = "; ".join(f"{reason} ({count} times)" for reason, count in reasons.most_common(3))
    raise ValueError(
        f"{task.name}: item {index} was rejected {ATTEMPTS} times with {params}: {said}. Draw what "
        "can be used, or reject less; a Reject is for an unlucky draw that the next may better"
    )


def find_repeats(task: Any, params: Any, instances: Sequence[Any]) -> str:
    """Return what to do about rows that are the same; "" if all differ.

    Args:
        task: the task.
        params: the params that the rows were made with.
        instances: the rows.
    """
    rows = {json.dumps(task.encode(instance)) for instance in instances}
    if len(rows) == len(instances):
        return ""
    return (
        f"{task.name}: {len(instances)} rows hold {len(rows)} different ones with {params}; number "
        "what no two items may share (`Draw.number`), and let `capacity` return how many distinct "
        "items there are"
    )
