"""What rows can show: keys of every family's tasks, and the splits that keys belong to."""

from __future__ import annotations

from collections import Counter

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.shown_keys import class_of, list_sorted_classes, split_of
from facelet.generators.core.task import Reject
from facelet.generators.cube.engine import moves, symmetry
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.jigsaw.geometry.pieces import list_allowed_orientations, orient_piece


def make_items(name, resource, count=4, **params):
    task = task_registry.load_task(name)
    asked = task.params(**params)
    asked.validate()
    pool = resource(task.needs(asked))
    return task, [make_keyed_item(task, asked, index, pool) for index in range(count)]


def make_keyed_item(task, asked, index, pool):
    for attempt in range(100):
        try:
            return task.generate(asked, Draw((task.name, 1), index, attempt), pool)[0]
        except Reject:
            continue
    raise AssertionError(f"{task.name} rejects every draw of item {index}")


def test_classes_are_short_sorted_and_shared_by_a_family() -> None:
    found = list_sorted_classes("cube/a", ["x", "y", "x"])
    assert found == sorted(found) and len(found) == 2
    assert (
        found
        == list_sorted_classes("cube/b", ["y", "x"])
        != list_sorted_classes("maze/a", ["x", "y"])
    )
    assert class_of("cube/a", "x") in found and {len(one) for one in found} == {12}


def test_keys_belong_to_splits_by_weight() -> None:
    splits = (("train", 3), ("test", 1))
    found = Counter(split_of(f"key {k}", splits) for k in range(4000))
    assert 0.7 < found["train"] / 4000 < 0.8
    assert split_of("key", splits) == split_of("key", splits)


def test_questions_about_a_cube_show_its_class(resource) -> None:
    for name in ("face_recognition", "move_prediction", "verification", "move_effect"):
        task, found = make_items(f"cube/{name}", resource, depth=2)
        for instance in found:
            row = task.encode(instance)
            assert list(task.list_shown_keys(instance)) == [row["canonical"]]
            image = symmetry.transform_state(row["facelets"], 17)
            assert symmetry.canonical_image(image)[0] == row["canonical"]


def test_a_loop_shows_the_states_of_all_its_decisions(resource) -> None:
    task, found = make_items("cube/step_by_step", resource, depth=3)
    trees, rows = make_items("cube/step_tree", resource, depth=3)
    for instance, row in zip(found, rows, strict=True):
        keys = task.list_shown_keys(instance)
        assert keys[0] == instance.state.canonical and len(keys) == len(instance.graph.nodes)
        assert trees.list_shown_keys(row) == (symmetry.canonical_image(row.node.state)[0],)
        # The start's family is that of its pool, so that its first row is in its split.
        assert trees.split_key(row) == row.state.family if row.number == 0 else True


@pytest.mark.parametrize("redraw", ["attempt", "state"])
@pytest.mark.parametrize("name", ["learning_curve", "recovery"])
@pytest.mark.some(4)
def test_attempts_that_can_still_win_stay_in_what_is_shown(resource, name, redraw) -> None:
    """Played at random: whoever solves in the end has met no state that is not listed."""
    task, found = make_items(f"cube/{name}", resource, depth=2, max_attempts=6, redraw=redraw)
    rng, won = make_generator("shown", name, redraw), 0
    for instance in found:
        keys = task.list_shown_keys(instance)
        assert keys[0] == instance.state.canonical
        for _ in range(200):
            episode, passed = task.open(instance), []
            now = episode.prompt()
            while isinstance(now, Prompt):
                passed.append(symmetry.canonical_image(episode.current_situation.state)[0])
                now = episode.reply(f"<ANSWER>{'ABCD'[rng.integers(4)]}</ANSWER>")
            if now.metrics["solved"]:
                won += 1
                assert set(passed) <= set(keys)
    assert won > 20


def test_navigation_shows_what_its_solution_passes(resource) -> None:
    task, found = make_items("cube/navigate", resource, depth=3)
    solved = symmetry.canonical_image(SOLVED)[0]
    for instance in found:
        keys = task.list_shown_keys(instance)
        assert keys[0] == instance.state.canonical and solved not in keys
        assert len(keys) == len(instance.plan.split())
        assert moves.apply_maneuver(instance.state.facelets, tuple(instance.plan.split())) == SOLVED


def test_a_game_shows_what_its_reference_play_is_told(resource) -> None:
    task, found = make_items("arcade/maze_navigation", resource)
    for puzzle in found:
        keys = task.list_shown_keys(puzzle)
        assert keys[0] == task.group_key(puzzle)
        assert all(key.startswith(keys[0]) for key in keys)
        assert 1 < len(keys) <= len(task.reference(puzzle))


def test_the_labyrinth_and_pieces_are_keyed_up_to_turning(resource) -> None:
    task, found = make_items("labyrinth/act", resource)
    for instance in found:
        keys = task.list_shown_keys(instance)
        assert keys[0] == task.encode(instance)["canonical"] and len(keys) > 1
    task, found = make_items("jigsaw/perception", resource)
    for instance in found:
        (key,) = task.list_shown_keys(instance)
        for code in list_allowed_orientations(True):
            turned = type(instance)(orient_piece(instance.piece, code), instance.view)
            assert task.list_shown_keys(turned) == (key,) and len(key) == len(
                task.group_key(turned)
            )
