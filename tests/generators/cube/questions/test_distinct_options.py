"""Redrawing: a state carries several items, no two with the same options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.cube.questions.distinct_options import draw_different
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks import move_effect, move_prediction, reflection

Pools = Callable[..., CertifiedStates]
TASKS = (move_effect, move_prediction, reflection)


def make_first_accepted(make: Callable[[Draw], Any], index: int) -> Any:
    for attempt in count():
        try:
            return make(Draw(("redrawn",), index, attempt))
        except Reject:
            continue
    raise AssertionError("count() has no end")


@pytest.mark.parametrize("module", TASKS)
@pytest.mark.parametrize("options", ["even", "paper"])
def test_items_of_a_state_have_different_options(pools: Pools, module: Any, options: str) -> None:
    task, pool = module.TASK, pools("htm", 1, 100, True)
    knobs = {"options": options} if module is move_effect else {}
    params = task.params(depth=1, **knobs)
    assert (pool.capacity, task.items_per_state(params)) == (18, 6)
    rows = [
        task.encode(make_first_accepted(lambda draw: task.generate(params, draw, pool)[0], index))
        for index in range(100)
    ]
    per_state = Counter(row["facelets"] for row in rows)
    assert sorted(per_state.values()) == [5] * 8 + [6] * 10
    assert len({(row["facelets"], frozenset(row["options"])) for row in rows}) == 100
    for row in rows:
        assert task.find_faults(task.decode(row)) == []


def test_an_item_is_rejected_that_has_the_options_of_an_earlier_one() -> None:
    """Three items of one state, of which each attempt makes 0 or 1: the third has none left."""
    bits = lambda draw: int(draw.rng.integers(2))  # noqa: E731
    made = [
        make_first_accepted(lambda draw: draw_different(draw, 1, bits, lambda bit: bit), index)
        for index in range(2)
    ]
    assert sorted(made) == [0, 1]
    for attempt in range(20):
        with pytest.raises(Reject, match="an earlier item"):
            draw_different(Draw(("redrawn",), 2, attempt), 1, bits, lambda bit: bit)


def test_items_of_other_states_do_not_matter() -> None:
    for index in range(7):
        assert draw_different(Draw(("redrawn",), index), 7, lambda draw: 0, lambda zero: zero) == 0
