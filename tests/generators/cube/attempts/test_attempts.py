"""The options and the policy of attempts, by hand and against a policy written anew."""

from collections import Counter, deque
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.rules import (
    Change,
    Situation,
    apply_reply,
    attempt_options,
    progress_moves,
)
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation, scrambles
from facelet.generators.cube.engine.notation import (
    FACE_MOVES,
    SOLVED,
    UNIT_MOVES,
    Metric,
    unit_steps,
)
from facelet.pipeline.cube.table_cache import open_table

METRICS: tuple[Metric, ...] = ("htm", "qtm")


@lru_cache
def load_solver(metric: Metric) -> ExactSolver:
    return ExactSolver(open_table(f"{metric}-small", progress=False))


def scramble_state(metric: Metric, length: int, number: int) -> str:
    rng = make_generator("tests", "attempts", metric, length, number)
    return moves.apply_maneuver(SOLVED, scrambles.random_word(metric, length, rng))


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_one_of_four_different_moves_brings_closer(metric: Metric) -> None:
    for number in range(100):
        state = scramble_state(metric, 1 + number % 6, number)
        offered = attempt_options(metric, "key", "attempt", 1, state)
        assert len(set(offered)) == 4 and set(offered) <= set(UNIT_MOVES[metric])
        here = load_solver(metric).exact_distance(state)
        after = [
            load_solver(metric).exact_distance(moves.apply_maneuver(state, (move,)))
            for move in offered
        ]
        assert sum(distance < here for distance in after) == 1


def test_moves_of_quarter_turns_are_quarter_turns() -> None:
    assert len(UNIT_MOVES["htm"]) == 18 and len(UNIT_MOVES["qtm"]) == 12
    state = moves.apply_maneuver(SOLVED, "U2 R")
    assert progress_moves("qtm", moves.apply_maneuver(SOLVED, "U2")) == ("U", "U'")
    assert set(progress_moves("qtm", state)) <= set(UNIT_MOVES["qtm"])


def test_options_depend_on_each_name_and_nothing_else() -> None:
    state, other = scramble_state("htm", 3, 0), scramble_state("htm", 3, 1)
    base = attempt_options("htm", "key", "attempt", 1, state)
    attempt_options.cache_clear()
    assert attempt_options("htm", "key", "attempt", 1, state) == base
    changed = [
        attempt_options("htm", "key 2", "attempt", 1, state),
        attempt_options("htm", "key", "teacher", 1, state),
        attempt_options("htm", "key", "attempt", 2, state),
        attempt_options("htm", "key", "attempt", 1, other),
    ]
    assert base not in changed and len(set(changed)) == 4


def test_letters_and_moves_are_drawn_evenly() -> None:
    state = moves.apply_maneuver(SOLVED, "U D")  # both U' and D' bring closer
    letters: Counter[int] = Counter()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    count = 4000
    for number in range(count):
        offered = attempt_options("htm", f"even {number}", "attempt", 1, state)
        (place,) = (i for i, move in enumerate(offered) if move in ("U'", "D'"))
        letters[place] += 1
        right[offered[place]] += 1
        wrong.update(set(offered) - {offered[place]})
    # Five standard deviations of a binomial.
    assert set(letters) == {0, 1, 2, 3}
    assert all(abs(n - count / 4) < 5 * (count * 3 / 16) ** 0.5 for n in letters.values())
    assert set(right) == {"U'", "D'"}
    assert abs(right["U'"] - count / 2) < 5 * (count / 4) ** 0.5
    assert set(wrong) == set(FACE_MOVES) - {"U'", "D'"}
    share = 3 / 16
    sigma = (count * share * (1 - share)) ** 0.5
    assert all(abs(n - count * share) < 5 * sigma for n in wrong.values())


def test_where_nearly_every_move_brings_closer_the_others_are_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rules, "progress_moves", lambda metric, state: FACE_MOVES[:16])
    seen = set()
    for number in range(60):
        offered = attempt_options(
            "htm", f"many {number}", "attempt", 1, scramble_state("htm", 4, 0)
        )
        assert len(set(offered)) == 4
        assert set(offered) & set(FACE_MOVES[:16])
        seen |= set(offered)
    attempt_options.cache_clear()
    assert seen == set(FACE_MOVES)


def test_keys_differ_by_item_and_path_but_not_by_attempt() -> None:
    keys = [
        rules.item_key(Draw((0, "a"), 0)),
        rules.item_key(Draw((0, "a"), 1)),
        rules.item_key(Draw((1, "a"), 0)),
    ]
    assert len(set(keys)) == 3 and all(len(key) == 32 for key in keys)
    assert rules.item_key(Draw((0, "a"), 0, attempt=5)) == keys[0]


# --- the policy, branch by branch -----------------------------------------------------------------


def begin_situation(plan: str) -> Situation:
    maneuver = notation.parse_maneuver(plan)
    return Situation(moves.apply_maneuver(SOLVED, notation.invert_maneuver(maneuver)), maneuver)


def test_the_teachers_move_is_carried_out_and_taken_off() -> None:
    now = begin_situation("R U F")
    after, change = apply_reply("htm", now, "R")
    assert change is Change.TEACHER
    assert after == Situation(moves.apply_maneuver(now.state, "R"), ("U", "F"))


def test_another_move_that_brings_closer_makes_a_new_plan() -> None:
    now = begin_situation("U D R")
    after, change = apply_reply("htm", now, "D")
    assert change is Change.PROGRESS
    assert after == Situation(moves.apply_maneuver(now.state, "D"), ("U", "R"))


def test_a_move_away_is_carried_out_and_its_inverse_goes_in_front() -> None:
    now = begin_situation("R U F")
    after, change = apply_reply("htm", now, "B")
    assert change is Change.SETBACK
    assert after == Situation(moves.apply_maneuver(now.state, "B"), ("B'", "R", "U", "F"))
    assert apply_reply("htm", after, "B'") == (now, Change.TEACHER)


def test_a_move_along_the_same_distance_is_no_progress_but_its_undoing_is_the_teachers() -> None:
    now = begin_situation("U")
    along, change = apply_reply("htm", now, "U'")  # one half turn from solved: as far as before
    assert change is Change.SETBACK and along.plan == ("U", "U")
    # The plan's first move leads back and not closer; it is the teacher's all the same.
    assert progress_moves("htm", along.state) == ("U2",)
    assert apply_reply("htm", along, "U") == (now, Change.TEACHER)
    assert apply_reply("htm", along, "U2") == (Situation(SOLVED, ()), Change.PROGRESS)


def test_without_a_letter_nothing_changes() -> None:
    now = begin_situation("R U F")
    assert apply_reply("htm", now, None) == (now, Change.UNPARSED)


@given(
    st.sampled_from(METRICS),
    st.integers(1, 4),
    st.integers(0, 20),
    st.lists(st.integers(0, 4), max_size=6),
)
def test_the_plan_always_solves_the_state(
    metric: Metric, length: int, number: int, replies: list[int]
) -> None:
    state = scramble_state(metric, length, number)
    plan = unit_steps(load_solver(metric).solve_state(state).solution, metric)
    now = Situation(state, plan)
    for attempt, reply in enumerate(replies, 1):
        if now.is_solved:
            break
        offered = (*attempt_options(metric, "plan", "attempt", attempt, now.state), None)
        now, _ = apply_reply(metric, now, offered[reply])
        assert set(now.plan) <= set(UNIT_MOVES[metric])
        assert moves.apply_maneuver(now.state, now.plan) == SOLVED
        assert (now.plan == ()) == now.is_solved


def test_half_turns_of_a_plan_are_two_quarter_turns() -> None:
    assert unit_steps(("U2", "R'", "F2"), "qtm") == ("U", "U", "R'", "F", "F")
    assert unit_steps(("U2", "R'", "F2"), "htm") == ("U2", "R'", "F2")


# --- a twin ---------------------------------------------------------------------------------------


def first_plan(state: str) -> list[str]:
    """The optimal solution whose every move is the first optimal one, move by move."""
    plan: list[str] = []
    while state != SOLVED:
        plan.append(load_solver("htm").optimal_first_moves(state)[0])
        state = moves.apply_maneuver(state, (plan[-1],))
    return plan


def play_twin(
    state: str, plan: deque[str], chosen: list[str | None]
) -> list[tuple[str, list[str]]]:
    """Appendix A.8.1 word for word, on a mutable deque, with the exact solver as the oracle."""
    trace = []
    for move in chosen:
        if state == SOLVED:
            break
        if move is not None:
            before = load_solver("htm").exact_distance(state)
            state = moves.apply_maneuver(state, move)
            if move == plan[0]:
                plan.popleft()
            elif load_solver("htm").exact_distance(state) < before:
                plan = deque(first_plan(state))
            else:
                quarter_turns = {"": "'", "'": "", "2": "2"}
                plan.appendleft(move[0] + quarter_turns[move[1:]])
        trace.append((state, list(plan)))
    return trace


@pytest.mark.parametrize("seed", range(40))
def test_the_policy_is_that_of_its_twin(seed: int) -> None:
    rng = make_generator("tests", "twin", seed)
    state = scramble_state("htm", 1 + seed % 4, seed)
    plan = load_solver("htm").solve_state(state).solution
    pool: list[str | None] = [*FACE_MOVES, None]
    chosen = [pool[int(place)] for place in rng.integers(len(pool), size=6)]
    # Half of the replies are good ones, so that every branch is met.
    now, trace = Situation(state, plan), []
    for place, move in enumerate(chosen):
        if now.is_solved:
            break
        if rng.integers(2):
            good = progress_moves("htm", now.state)
            move = chosen[place] = good[int(rng.integers(len(good)))]
        now, _ = apply_reply("htm", now, move)
        trace.append((now.state, list(now.plan)))
    assert play_twin(state, deque(plan), chosen) == trace
