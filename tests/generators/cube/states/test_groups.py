"""Groups of cube rows: what one state is asked belongs together, and nothing else does."""

from __future__ import annotations

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.states.certified_states import pool_need

STATIC = ("face_recognition", "move_effect", "move_prediction", "reflection", "verification")


@pytest.mark.parametrize("name", STATIC)
def test_rows_are_grouped_by_their_state(name, resource):
    task = task_registry.load_task(f"cube/{name}")
    params = task.params(depth=2)
    pool = resource(task.needs(params))
    groups = []
    for index in range(4):
        item = task.generate(params, Draw((0, "groups", name), index), pool)
        assert {task.group_key(row) for row in item} == {task.encode(item[0])["facelets"]}
        groups.append(task.group_key(item[0]))
    assert len(set(groups)) == 4


def test_images_of_a_state_are_other_groups_of_one_family(resource):
    states = resource(pool_need("htm", 2)).states
    families = {state.family for state in states}
    assert len({state.facelets for state in states}) == len(states) > len(families)
    for state in states[:20]:
        assert state.family == symmetry.canonical_with_inverse(state.facelets)
