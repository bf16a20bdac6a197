"""cube/navigate: players through live code, by luck, by greed, and with a solver."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from cube_players import greedy
from navigate_cases import Pools, instances, one, read_answer, step, texts, tools

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.engine import codecs, moves
from facelet.generators.cube.engine.codecs import CODECS
from facelet.generators.cube.engine.facelets import FACES, SOLVED, is_solved
from facelet.generators.cube.engine.notation import quarter_turns
from facelet.generators.cube.navigation.commands import FINISH, OBSERVE, SOLVE, TURNS
from facelet.generators.cube.navigation.environment import Environment, Over
from facelet.generators.cube.navigation.prompts import ANSWERS
from facelet.generators.cube.states.certified import CertifiedState, CertifiedStates
from facelet.generators.cube.tasks.navigate import TASK, Instance, Params
from facelet.renderers.scenes.cube import CubeCorner, CubeFace

# --- live code ------------------------------------------------------------------------------------


def live(instance: Instance, player: Callable[[Environment], None]) -> Outcome:
    """Let a player act until the play is over, and return the outcome of its record."""
    cube = tools(TASK.open(instance))
    with pytest.raises(Over):
        player(cube)
    return replay(TASK.open(instance), [cube.recorded(instance.mode)])


def test_a_greedy_player_solves_depth_one_and_fails_the_more_the_deeper(pools: Pools) -> None:
    failed = {}
    for depth in (1, 2, 3, 4):
        cubes = instances(pools, 60, depth=depth, observation="net", reward="sticker")
        outcomes = [live(cube, greedy) for cube in cubes]
        assert all(outcome.strict for outcome in outcomes)
        failed[depth] = sum(o.status is not Status.CORRECT for o in outcomes) / len(outcomes)
    assert failed[1] == 0
    assert failed[2] < failed[3] < failed[4]


def test_random_players_solve_as_often_as_enumeration_says(pools: Pools) -> None:
    cubes = instances(pools, 18, depth=1, observation="symbolic")
    words = list(product(TURNS, repeat=3))
    expected = sum(
        any(is_solved(moves.apply(cube.state.facelets, word[:end])) for end in (1, 2, 3))
        for cube in cubes
        for word in words
    ) / (len(words) * len(cubes))
    rng = generator("tests", "random walkers")
    trials, solved = 4_000, 0
    for trial in range(trials):
        word = [TURNS[int(place)] for place in rng.integers(12, size=3)]
        outcome = replay(TASK.open(cubes[trial % 18]), [step(*word, FINISH)])
        solved += outcome.status is Status.CORRECT
    error = (expected * (1 - expected) / trials) ** 0.5
    assert 0.05 < expected < 0.2
    assert abs(solved / trials - expected) < 4 * error


def test_without_code_there_is_nothing_to_call(pools: Pools) -> None:
    assert TASK.open(one(pools, mode="no_code")).tools() is None


def test_a_live_step_is_its_record(pools: Pools) -> None:
    instance = one(pools, depth=4, observation="face", reward="face")
    episode = TASK.open(instance)
    for turns in (("F", "R"), ("U", "U", "D'")):
        cube = tools(episode)
        for turn in turns:
            cube.apply_view_transformation("left")
            cube.make_move(turn)
        before = cube.get_observation()
        prompt = episode.reply(cube.recorded())
        assert isinstance(prompt, Prompt)
        assert list(prompt.scenes()) == [before]
        assert tools(episode).get_observation() == before


# --- players with a solver ------------------------------------------------------------------------

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
DEEPEST = moves.apply(SOLVED, SUPERFLIP)


def deepest(observation: str, agent: str) -> Instance:
    """Return the superflip, at depth 20, as a puzzle."""
    (instance,) = TASK.generate(
        Params(observation=observation, agent=agent, moves=400),
        Draw((0, "navigate"), 0),
        CertifiedStates("htm", 20, (_state(DEEPEST),)),
    )
    return instance


def _state(facelets: str) -> Any:
    return CertifiedState(
        facelets, "htm", 20, SUPERFLIP, "symmetric", facelets, facelets, 19, "0" * 32, 1
    )


def answered(said: str) -> list[str]:
    """Return the quarter turns that a solver's answer in a prompt means."""
    line = next(line for line in said.split("\n") if SOLVE in line)
    return list(quarter_turns(read_answer(line.rpartition(": ")[2])))


def test_a_player_with_the_ideal_solver_needs_no_thought() -> None:
    instance = deepest("symbolic", "ideal")
    episode = TASK.open(instance)
    shown = next(line for line in texts(episode.prompt()).split("\n") if len(line) == 54)
    said = texts(episode.reply(step(SOLVE + shown)))
    outcome = episode.reply(step(*answered(said), FINISH))
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.strict) == (Status.CORRECT, True)
    assert outcome.metrics["solver_calls"] == 1
    assert outcome.metrics["make_moves"] >= 20


def test_a_player_with_the_standard_solver_has_to_translate() -> None:
    instance = deepest("symbolic", "standard")
    episode = TASK.open(instance)
    shown = next(line for line in texts(episode.prompt()).split("\n") if len(line) == 54)
    assert "f)" not in texts(episode.reply(step(SOLVE + shown))).split("\n")[1]
    own = codecs.decode(shown, CODECS["fblrud"])
    said = texts(episode.reply(step(SOLVE + own)))
    outcome = episode.reply(step(*answered(said)))
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["solver_calls"] == 2


def seen_at(scene: Any) -> str:
    """Return the face in front, as a picture of either partial view shows it."""
    assert isinstance(scene, CubeFace | CubeCorner)
    return scene.stickers if isinstance(scene, CubeFace) else scene.stickers[9:18]


@pytest.mark.parametrize("observation", ["face", "vertex"])
def test_walking_around_shows_enough_to_solve(observation: str) -> None:
    """F, L, B, R with U on top, then U below B and D above F: all faces as the string has them."""
    episode = TASK.open(deepest(observation, "standard"))
    walk = ["left", OBSERVE, "left", OBSERVE, "left", OBSERVE, "left"]
    shown = [*episode.prompt().scenes()]
    round_about = episode.reply(step(*walk))
    up_and_down = episode.reply(step("up", OBSERVE, "down", "down", OBSERVE, "up"))
    assert isinstance(round_about, Prompt) and isinstance(up_and_down, Prompt)
    shown += [*round_about.scenes(), *up_and_down.scenes()]
    faces = dict(zip("FLBRUD", map(seen_at, shown), strict=True))
    state = "".join(faces[face] for face in FACES)
    assert state == DEEPEST
    said = texts(episode.reply(step(SOLVE + state)))
    outcome = episode.reply(step(*answered(said)))
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["views"] == 8


def test_many_questions_are_answered_by_the_last(pools: Pools) -> None:
    instance = one(pools, depth=2, agent="standard")
    asked = [SOLVE + "U" * length for length in range(1, 31)]
    said = texts(TASK.open(instance).reply(step(*asked)))
    assert said.count("(not told)") == len(asked) - ANSWERS
    assert said.count("54") == ANSWERS  # how long a text must be
