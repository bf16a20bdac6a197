"""cube/navigate: players through live code, by luck, by greed, and with a solver."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from cube_players import play_greedily
from navigate_cases import (
    Pools,
    episode_tools,
    format_step,
    make_instances,
    make_one,
    prompt_texts,
    read_answer,
)

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.engine import facelet_codecs, moves
from facelet.generators.cube.engine.facelet_codecs import CODECS
from facelet.generators.cube.engine.notation import FACES, SOLVED, is_solved, quarter_turns
from facelet.generators.cube.navigation.environment import CubeEnvironment, Over
from facelet.generators.cube.navigation.episode import ANSWERS
from facelet.generators.cube.navigation.replies import FINISH, OBSERVE, SOLVE, TURNS
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.tasks.navigate import TASK, Instance, Params
from facelet.renderers.scenes.cube import CubeCorner, CubeFace

# --- live code ------------------------------------------------------------------------------------


def play_live(instance: Instance, player: Callable[[CubeEnvironment], None]) -> Outcome:
    """Let a player act until the play is over, and return the outcome of its record."""
    cube = episode_tools(TASK.open(instance))
    with pytest.raises(Over):
        player(cube)
    return replay(TASK.open(instance), [cube.build_recorded_reply(instance.mode)])


def test_a_greedy_player_solves_depth_one_and_fails_the_more_the_deeper(pools: Pools) -> None:
    failed = {}
    for depth in (1, 2, 3, 4):
        cubes = make_instances(pools, 60, depth=depth, observation="net", reward="sticker")
        outcomes = [play_live(cube, play_greedily) for cube in cubes]
        assert all(outcome.strict for outcome in outcomes)
        failed[depth] = sum(o.status is not Status.CORRECT for o in outcomes) / len(outcomes)
    assert failed[1] == 0
    assert failed[2] < failed[3] < failed[4]


def test_random_players_solve_as_often_as_enumeration_says(pools: Pools) -> None:
    cubes = make_instances(pools, 18, depth=1, observation="symbolic")
    words = list(product(TURNS, repeat=3))
    expected = sum(
        any(is_solved(moves.apply_maneuver(cube.state.facelets, word[:end])) for end in (1, 2, 3))
        for cube in cubes
        for word in words
    ) / (len(words) * len(cubes))
    rng = make_generator("tests", "random walkers")
    trials, solved = 4_000, 0
    for trial in range(trials):
        word = [TURNS[int(place)] for place in rng.integers(12, size=3)]
        outcome = replay(TASK.open(cubes[trial % 18]), [format_step(*word, FINISH)])
        solved += outcome.status is Status.CORRECT
    error = (expected * (1 - expected) / trials) ** 0.5
    assert 0.05 < expected < 0.2
    assert abs(solved / trials - expected) < 4 * error


def test_without_code_there_is_nothing_to_call(pools: Pools) -> None:
    assert TASK.open(make_one(pools, mode="no_code")).live_environment() is None


def test_a_live_step_is_its_record(pools: Pools) -> None:
    instance = make_one(pools, depth=4, observation="face", reward="face")
    episode = TASK.open(instance)
    for turns in (("F", "R"), ("U", "U", "D'")):
        cube = episode_tools(episode)
        for turn in turns:
            cube.apply_view_transformation("left")
            cube.make_move(turn)
        before = cube.get_observation()
        prompt = episode.reply(cube.build_recorded_reply())
        assert isinstance(prompt, Prompt)
        assert list(prompt.iterate_scenes()) == [before]
        assert episode_tools(episode).get_observation() == before


# --- players with a solver ------------------------------------------------------------------------

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
DEEPEST = moves.apply_maneuver(SOLVED, SUPERFLIP)


def superflip_puzzle(observation: str, agent: str) -> Instance:
    """Return the superflip, at depth 20, as a puzzle."""
    (instance,) = TASK.generate(
        Params(observation=observation, agent=agent, moves=400),
        Draw((0, "navigate"), 0),
        CertifiedStates("htm", 20, (_certify_state(DEEPEST),)),
    )
    return instance


def _certify_state(facelets: str) -> Any:
    return CertifiedState(
        facelets, "htm", 20, SUPERFLIP, "symmetric", facelets, facelets, 19, "0" * 32, 1
    )


def read_answer_turns(said: str) -> list[str]:
    """Return the quarter turns that a solver's answer in a prompt means."""
    line = next(line for line in said.split("\n") if SOLVE in line)
    return list(quarter_turns(read_answer(line.rpartition(": ")[2])))


def test_a_player_with_the_ideal_solver_needs_no_thought() -> None:
    instance = superflip_puzzle("symbolic", "ideal")
    episode = TASK.open(instance)
    shown = next(line for line in prompt_texts(episode.prompt()).split("\n") if len(line) == 54)
    said = prompt_texts(episode.reply(format_step(SOLVE + shown)))
    outcome = episode.reply(format_step(*read_answer_turns(said), FINISH))
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.strict) == (Status.CORRECT, True)
    assert outcome.metrics["solver_calls"] == 1
    assert outcome.metrics["make_moves"] >= 20


def test_a_player_with_the_standard_solver_has_to_translate() -> None:
    instance = superflip_puzzle("symbolic", "standard")
    episode = TASK.open(instance)
    shown = next(line for line in prompt_texts(episode.prompt()).split("\n") if len(line) == 54)
    assert "f)" not in prompt_texts(episode.reply(format_step(SOLVE + shown))).split("\n")[1]
    own = facelet_codecs.decode_facelets(shown, CODECS["fblrud"])
    said = prompt_texts(episode.reply(format_step(SOLVE + own)))
    outcome = episode.reply(format_step(*read_answer_turns(said)))
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["solver_calls"] == 2


def face_in_front(scene: Any) -> str:
    """Return the face in front, as a picture of either partial view shows it."""
    assert isinstance(scene, CubeFace | CubeCorner)
    return scene.stickers if isinstance(scene, CubeFace) else scene.stickers[9:18]


@pytest.mark.parametrize("observation", ["face", "vertex"])
def test_walking_around_shows_enough_to_solve(observation: str) -> None:
    """F, L, B, R with U on top, then U below B and D above F: all faces as the string has them."""
    episode = TASK.open(superflip_puzzle(observation, "standard"))
    walk = ["left", OBSERVE, "left", OBSERVE, "left", OBSERVE, "left"]
    shown = [*episode.prompt().iterate_scenes()]
    round_about = episode.reply(format_step(*walk))
    up_and_down = episode.reply(format_step("up", OBSERVE, "down", "down", OBSERVE, "up"))
    assert isinstance(round_about, Prompt) and isinstance(up_and_down, Prompt)
    shown += [*round_about.iterate_scenes(), *up_and_down.iterate_scenes()]
    faces = dict(zip("FLBRUD", map(face_in_front, shown), strict=True))
    state = "".join(faces[face] for face in FACES)
    assert state == DEEPEST
    said = prompt_texts(episode.reply(format_step(SOLVE + state)))
    outcome = episode.reply(format_step(*read_answer_turns(said)))
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["views"] == 8


def test_many_questions_are_answered_by_the_last(pools: Pools) -> None:
    instance = make_one(pools, depth=2, agent="standard")
    asked = [SOLVE + "U" * length for length in range(1, 31)]
    said = prompt_texts(TASK.open(instance).reply(format_step(*asked)))
    assert said.count("(not told)") == len(asked) - ANSWERS
    assert said.count("54") == ANSWERS  # how long a text must be
