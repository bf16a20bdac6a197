"""The environment of cube/navigate: what each command does, live and replayed."""

import dataclasses
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import facelet_codecs, moves
from facelet.generators.cube.engine.facelet_codecs import CODECS
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.navigation import environment as navigating
from facelet.generators.cube.navigation.environment import (
    POTENTIALS,
    Agent,
    CubeEnvironment,
    NavigationRules,
    Over,
    Reward,
)
from facelet.generators.cube.navigation.observations import (
    DIRECTIONS,
    OBSERVATIONS,
    START,
    Display,
    corner_seen,
    face_seen,
    walk_quarter,
)
from facelet.generators.cube.navigation.replies import (
    FINISH,
    OBSERVE,
    REFUSALS,
    SOLVE,
    TURNS,
    read_commands,
)
from facelet.renderers.scenes.cube import CubeCorner, CubeFace
from facelet.renderers.scenes.records import CubeNet

STATE = moves.apply_maneuver(SOLVED, "R U F' D2 L")


def make_display(observation: str = "symbolic", **changes: Any) -> Display:
    return dataclasses.replace(Display(observation, "cubebench", 40, "white"), **changes)


def make_environment(observation: str = "symbolic", **rules: Any) -> CubeEnvironment:
    conditions = {"reward": "none", "agent": "basic"} | rules
    return CubeEnvironment(NavigationRules(make_display(observation), **conditions), STATE)


# --- moves and rewards ----------------------------------------------------------------------------


@pytest.mark.parametrize("reward", get_args(Reward))
def test_rewards_are_differences(reward: str) -> None:
    cube, state = make_environment(reward=reward), STATE
    rng = make_generator("tests", "navigating", reward)
    for _ in range(200):
        move = TURNS[int(rng.integers(12))]
        before, state = state, moves.apply_maneuver(state, (move,))
        value = POTENTIALS.get(reward, lambda shown: shown == SOLVED)
        assert cube.make_move(move) == value(state) - value(before)
        assert cube.state == state
    assert cube.counts.make_moves == 200


@pytest.mark.parametrize(
    ("reward", "gain"), [("none", 1), ("sticker", 12), ("face", 4), ("heuristic", 7)]
)
def test_the_move_that_solves_is_rewarded_and_ends_the_play(reward: str, gain: int) -> None:
    cube = CubeEnvironment(
        NavigationRules(make_display(), reward, "basic"), moves.apply_maneuver(SOLVED, "F")
    )
    assert cube.make_move("F'") == gain
    assert cube.is_solved and cube.is_over
    for call in (lambda: cube.make_move("F"), cube.get_observation, cube.final_answer):
        with pytest.raises(Over, match="solved"):
            call()
    assert (cube.state, cube.counts.make_moves) == (SOLVED, 1)


@pytest.mark.parametrize(
    "bad", ["F2", "f", "M", "x", "FF", "F R", "", "Rw", "U''", " F", "F\n", "\0"]
)
def test_what_is_no_quarter_turn_is_refused(bad: str) -> None:
    cube = make_environment()
    with pytest.raises(ValueError, match=r"is no (move|action).*(use|write)"):
        cube.make_move(bad)
    assert cube.state == STATE
    assert (cube.counts.make_moves, cube.counts.illegal) == (0, 1)


@pytest.mark.parametrize("bad", [None, 3, ["F"], {"move": "F"}, "F\n", "\ud800"])
def test_calls_of_any_value_are_refused_counted_and_replayed(bad: Any) -> None:
    cube = make_environment("vertex", agent="ideal")
    live = cube.fork_environment()
    for call in (live.make_move, live.apply_view_transformation):
        with pytest.raises(ValueError, match="is no action"):
            call(bad)
    assert live.solve(bad).startswith("Error: ")
    assert (live.counts.illegal, live.counts.solver_calls) == (2, 1)
    for command in read_commands(live.build_recorded_reply()).value or ():
        cube.run_command(command)
    assert (cube.counts, cube.state) == (live.counts, live.state)


def test_moves_beyond_the_budget_are_refused_and_counted() -> None:
    cube = make_environment(moves=3)
    for move in "FRU":
        cube.make_move(move)
    state = cube.state
    for _ in range(2):
        with pytest.raises(ValueError, match="all 3 moves"):
            cube.make_move("F")
    assert cube.state == state
    assert (cube.counts.make_moves, cube.counts.over_budget, cube.counts.illegal) == (3, 2, 0)
    assert isinstance(cube.get_observation(), str)


# --- looking --------------------------------------------------------------------------------------


def test_what_is_seen() -> None:
    text = make_environment("symbolic").get_observation()
    assert text == facelet_codecs.encode_facelets(STATE, CODECS["fblrud"])
    net = make_environment("net").get_observation()
    assert isinstance(net, CubeNet) and (net.facelets, net.layout) == (STATE, "tower")
    face = make_environment("face").get_observation()
    assert isinstance(face, CubeFace) and face.stickers == face_seen(STATE, START)
    corner = make_environment("vertex").get_observation()
    assert isinstance(corner, CubeCorner) and corner.stickers == corner_seen(STATE, START)


def test_solved_cube_of_the_paper() -> None:
    cube = CubeEnvironment(
        NavigationRules(make_display(), "none", "basic"), moves.apply_maneuver(SOLVED, "F")
    )
    cube.make_move("F'")
    assert cube.current_observation() == "".join(letter * 9 for letter in "RGBYOW")


@pytest.mark.parametrize("observation", ["face", "vertex"])
def test_walking_changes_the_view_and_never_the_cube(observation: str) -> None:
    cube = make_environment(observation)
    viewpoint, shown = START, []
    for direction in ("up", "left", "left", "down", "right", "up"):
        cube.apply_view_transformation(direction)
        viewpoint = walk_quarter(viewpoint, direction)
        shown.append(cube.get_observation())
        assert (cube.state, cube.viewpoint) == (STATE, viewpoint)
    assert len(set(shown)) > 1
    cube.make_move("F")  # moves keep their home names wherever the viewer stands
    assert cube.state == moves.apply_maneuver(STATE, "F")
    assert (cube.counts.views, cube.counts.observations) == (6, 6)


@pytest.mark.parametrize("observation", ["symbolic", "net"])
def test_there_is_nowhere_to_walk_when_all_is_seen(observation: str) -> None:
    cube = make_environment(observation)
    with pytest.raises(ValueError, match="one view only"):
        cube.apply_view_transformation("up")
    assert (cube.counts.views, cube.counts.illegal) == (0, 1)


def test_unknown_directions_are_refused() -> None:
    cube = make_environment("face")
    with pytest.raises(ValueError, match=r"'sideways' is no action; use one of .*up, down"):
        cube.apply_view_transformation("sideways")
    assert cube.viewpoint == START


# --- solvers --------------------------------------------------------------------------------------


def test_without_a_solver_nobody_answers() -> None:
    cube = make_environment()
    with pytest.raises(ValueError, match="no solver"):
        cube.solve(STATE)
    assert (cube.counts.solver_calls, cube.counts.illegal) == (0, 1)


def test_each_solver_reads_its_own_format() -> None:
    standard, ideal = make_environment(agent="standard"), make_environment(agent="ideal")
    shown = facelet_codecs.encode_facelets(STATE, CODECS["fblrud"])
    assert standard.solve(STATE) == ideal.solve(shown)
    assert standard.solve(STATE).endswith("f)")
    assert not standard.solve(shown).endswith("f)")
    assert not ideal.solve(STATE).endswith("f)")
    assert (standard.counts.solver_calls, ideal.counts.solver_calls) == (3, 2)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("agent", get_args(Agent))
def test_functions_are_those_that_the_rules_have(observation: str, agent: str) -> None:
    functions = make_environment(observation, agent=agent).list_allowed_functions()
    assert ("apply_view_transformation" in functions) == (observation in ("face", "vertex"))
    assert ("solve" in functions) == (agent != "basic")
    assert {"make_move", "get_observation", "final_answer"} <= set(functions)
    assert all(name == function.__name__ for name, function in functions.items())


# --- recording ------------------------------------------------------------------------------------

CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("make_move"), st.sampled_from(TURNS)),
        st.tuples(st.just("make_move"), st.text(max_size=8) | st.sampled_from(("F R", "R2", "!"))),
        st.tuples(st.just("apply_view_transformation"), st.sampled_from((*DIRECTIONS, "in", ""))),
        st.tuples(st.just("get_observation")),
        st.tuples(st.just("solve"), st.text(max_size=60) | st.just("<A0|>")),
        st.tuples(st.just("final_answer"), st.text(max_size=3)),
    ),
    max_size=25,
)


@given(
    calls=CALLS, observation=st.sampled_from(OBSERVATIONS), agent=st.sampled_from(get_args(Agent))
)
def test_a_record_replays_to_the_same_cube(
    calls: list[tuple[str, ...]], observation: str, agent: str
) -> None:
    cube = make_environment(observation, reward="sticker", agent=agent)
    live = cube.fork_environment()
    for name, *arguments in calls:
        try:
            getattr(live, name)(*arguments)
        except (ValueError, Over):
            pass
    parsed = read_commands(live.build_recorded_reply())
    assert parsed.strict
    for command in parsed.value or ():
        cube.run_command(command)
    assert (cube.state, cube.viewpoint, cube.counts, cube.finished) == (
        *(live.state, live.viewpoint, live.counts, live.finished),
    )


def test_a_fork_leaves_the_cube_alone() -> None:
    cube = make_environment()
    fork = cube.fork_environment()
    fork.make_move("F")
    fork.final_answer()
    assert (cube.state, cube.finished, cube.counts.make_moves) == (STATE, False, 0)
    assert fork.fork_environment().build_recorded_reply() == '{"actions":[]}'
    assert fork.build_recorded_reply() == '{"actions":["F","final_answer"]}'
    assert fork.build_recorded_reply("no_code") == '{"moves":["F","final_answer"]}'


@pytest.mark.parametrize("call", ["move", "look", "nonsense", "question"])
def test_a_step_takes_no_more_than_a_scorer_reads(call: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(navigating, "RECORD", 2_000)
    cube = make_environment(agent="standard")
    monkeypatch.setattr(cube, "ask_solver", lambda command: "")
    call_once = {
        "move": lambda: cube.make_move("F'"),
        "look": cube.get_observation,
        "nonsense": lambda: cube.make_move('"\u00e9\0' * 9),
        "question": lambda: cube.solve('\u00e9"' * 100),
    }[call]
    for _ in range(2_000):
        try:
            call_once()
        except ValueError:
            continue
        except Over:
            break
    else:
        raise AssertionError("the step never fills")
    assert 1_000 < len(cube.build_recorded_reply()) <= 2_000
    assert not cube.is_over
    with pytest.raises(Over, match="the step is full"):
        call_once()


def test_commands_one_by_one() -> None:
    cube = make_environment("vertex", reward="sticker")
    assert cube.run_command("F").kind == "turn"
    assert cube.run_command(OBSERVE).kind == "observation"
    assert cube.run_command("up").kind == "view"
    refused = [cube.run_command(command) for command in ("R2", "", SOLVE + "UUU", "x" * 500)]
    assert {result.kind for result in refused} == {"illegal"}
    assert all(result.is_refused and 0 < len(result.text) < 250 for result in refused)
    assert cube.run_command(FINISH).kind == "final"
    with pytest.raises(Over, match="final_answer"):
        cube.run_command("F")


def test_a_step_ends_at_its_last_refusal_live_and_replayed() -> None:
    """Code that calls nonsense for ever is stopped where a scorer stops to read it."""
    start = make_environment()
    live = start.fork_environment()
    for _ in range(REFUSALS):
        with pytest.raises(ValueError, match="is no action"):
            live.make_move("no")
    with pytest.raises(Over, match="1,000 of its actions were refused"):
        live.make_move("F")
    said = read_commands(live.build_recorded_reply()).value
    assert said is not None and len(said) == live.counts.illegal == REFUSALS
    assert live.fork_environment().make_move("F") == 0
