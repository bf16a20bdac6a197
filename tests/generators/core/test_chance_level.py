"""Declared chances against players that guess: replies drawn from what the rules allow."""

from __future__ import annotations

import json
import math
from statistics import mean

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.chance_level import Chance, ChanceFromRows, ExactChance
from facelet.generators.core.measures import LabelF1
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject
from facelet.generators.cube.states.state_texts import COLOUR_OF
from facelet.generators.labyrinth.board.board_engine import EMPTY, LETTERS, NAMES
from facelet.generators.spatial import polycubes

PLAYS = 400
TASKS = task_registry.task_names()


def random_letter(rng):
    return f"<ANSWER>{rng.choice(list('ABCD'))}</ANSWER>"


def random_rows(rng, size, words):
    return [[str(x) for x in rng.choice(words, size)] for _ in range(size)]


def random_face(rng):
    lines = (
        f"Row {n}: [{', '.join(row)}]" for n, row in enumerate(random_rows(rng, 3, COLOURS), 1)
    )
    return "ANSWER:\n" + "\n".join(lines) + "\nAnswer verified for correctness."


def random_effects(rng):
    classes = rng.choice(["DECREASE", "NO_CHANGE", "INCREASE"], 4)
    return ", ".join(f"{x}={c}" for x, c in zip("ABCD", classes, strict=True))


def random_piece(rng):
    grid = [[int(x) for x in rng.integers(0, 2, 5)] for _ in range(5)]
    for row in (1, 2, 3):
        grid[row][1:4] = [1, 1, 1]
    return f"Here is the converted 2D array: {grid}"


def random_board(rng):
    return f"The board is:\n{json.dumps(random_rows(rng, 7, sorted(NAMES.values())))}"


def random_state(rng):
    place = lambda: [int(x) for x in rng.integers(0, 7, 2)]  # noqa: E731
    told = {
        "treasures": random_rows(rng, 7, [*LETTERS, EMPTY]),
        "target": str(rng.choice(list(LETTERS))),
        "target_position": place(),
        "pawn": place(),
        "extra_tile": str(rng.choice(sorted(NAMES.values()))),
    }
    return f"The state is:\n{json.dumps(told)}"


COLOURS = list(COLOUR_OF.values())
DEFORMATIONS = ("cube/forward", "cube/inverse", "shapes/forward", "shapes/inverse")
SPATIAL = ("punched", "standpoint", "turned", "views")


def random_turns(rng):
    """Turns that make any rotation but none, each with the same chance."""
    counts = [made for made in polycubes.fewest_counts().values() if any(made)]
    return f"My Turns: {', '.join(map(str, counts[rng.integers(len(counts))]))}"


GUESSES = {
    "chamber/plan_correctness": lambda rng: str(rng.choice(["Answer: Yes", "Answer: No"])),
    **{f"{name}_deformation": lambda rng: str(rng.choice(list("ABCD"))) for name in DEFORMATIONS},
    "cube/face_recognition": random_face,
    "cube/move_effect": random_effects,
    "cube/move_prediction": random_letter,
    "cube/reflection": random_letter,
    "cube/step_tree": random_letter,
    "cube/verification": lambda rng: str(rng.choice(["Answer: Yes", "Answer: No"])),
    "jigsaw/perception": random_piece,
    "labyrinth/board_parsing": random_board,
    "labyrinth/game_state_parsing": random_state,
    **{f"spatial/{name}_choice": random_letter for name in SPATIAL},
    "spatial/standpoint": lambda rng: f"My Clock: {rng.integers(1, 13)}",
    "spatial/turned": random_turns,
}


def iterate_instances(task, resource, params):
    """Yield instances of a task, again and again."""
    made = []
    pool = resource(task.needs(params))
    for index in range(min(24, 24 if pool is None else pool.capacity)):
        for attempt in range(50):
            try:
                made += task.generate(params, Draw((0, "chance", task.name), index, attempt), pool)
                break
            except Reject:
                continue
    while True:
        yield from made


@pytest.mark.parametrize("name", sorted(GUESSES))
def test_guessing_scores_the_declared_chance(name, resource):
    task = task_registry.load_task(name)
    params = task.params()
    declared = task.chance_level(params)
    assert isinstance(declared, ExactChance)
    rng = make_generator("guesses", name)
    shares = []
    for _, instance in zip(range(PLAYS), iterate_instances(task, resource, params), strict=False):
        outcome = replay(
            task.open(instance), [GUESSES[name](rng) for _ in range(max(1, task.traits.passes))]
        )
        assert len(outcome.answer) == len(outcome.gold), "the guess is not read"
        shares.append(score_play(task, declared, outcome))
    sigma = math.sqrt(sum((s - mean(shares)) ** 2 for s in shares)) / PLAYS
    assert abs(mean(shares) - declared.value) < 4.5 * sigma


def score_play(task, declared, outcome):
    """What a play scores; on average it is the declared chance exactly if that is right.

    An F1 is 2 hits over all that was said and is true. So what is over of the hits, against that
    share of what was said and is true, is 0 on average.
    """
    same = [a == g for a, g in zip(outcome.answer, outcome.gold, strict=True)]
    label = next((m.label for m in task.measures if isinstance(m, LabelF1)), None)
    if label is None:
        return mean(same)
    said, true = outcome.answer[0] == label, outcome.gold[0] == label
    return declared.value + 2 * (said and true) - declared.value * (said + true)


@pytest.mark.parametrize("name", TASKS)
def test_what_is_declared_is_a_record_and_rows_say_what_they_should(name):
    task = task_registry.load_task(name)
    declared = task.chance_level(task.params())
    assert declared is None or isinstance(declared, Chance)
    own = [column.name for column in task.columns if column.role == "chance"]
    assert bool(own) == isinstance(declared, ChanceFromRows)
    single = name in GUESSES
    assert single == isinstance(declared, ExactChance)
