"""Recovery: nothing counts before the first deviation, and everything after it."""

from collections import Counter
from dataclasses import replace

import pytest

from facelet.generators.core.measures import Called, Histogram, MeanAmong, MedianOf, Proportion
from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import progress_moves
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED, UNIT_MOVES
from facelet.generators.cube.tasks.recovery import TASK
from facelet.generators.options.letter_placement import LETTERS

RECOVERED = ("recovered", "recovered_at_1", "recovered_within_3")


def make_item(pools, index: int = 0, **values) -> Instance:
    params = TASK.params(**values)
    params.validate()
    draw = Draw((0, "tests", params.depth), index)
    return TASK.generate(params, draw, pools(params.metric, params.depth))[0]


def reply_by_sign(episode: AttemptEpisode, sign: str) -> Prompt | Outcome:
    """Reply with the move that brings closer (g), another one (b), or no letter (?)."""
    if sign == "?":
        return episode.reply("hm")
    closer = progress_moves("htm", episode.current_situation.state)
    good = sign == "g"
    place = next(i for i, move in enumerate(episode.list_offered_moves) if (move in closer) is good)
    return episode.reply(f"<ANSWER>{LETTERS[place]}</ANSWER>")


def play_script(item: Instance, script: str) -> Outcome:
    episode = TASK.open(item)
    for place, sign in enumerate(script, 1):
        result = reply_by_sign(episode, sign)
        if isinstance(result, Outcome):
            assert place == len(script), "the episode ends early"
            return result
    raise AssertionError(f"the episode goes on after {script}")


def test_without_a_deviation_there_is_nothing_to_recover(pools) -> None:
    for index in range(10):
        outcome = play_script(make_item(pools, index), "ggg")
        assert outcome.status is Status.CORRECT
        metrics = outcome.metrics
        assert (metrics["deviated"], metrics["undeviated"], metrics["solved"]) == (0, 1, 1)
        assert not {*RECOVERED, "attempts", "first_deviation"} & set(metrics)


def test_attempts_are_counted_from_the_first_deviation(pools) -> None:
    # An unreadable reply deviates and changes nothing: one move from solved, one attempt does.
    outcome = play_script(make_item(pools), "gg?g")
    assert outcome.status is Status.CORRECT
    metrics = outcome.metrics
    assert (metrics["deviated"], metrics["first_deviation"]) == (1, 3)
    assert [metrics[name] for name in RECOVERED] == [1, 1, 1]
    assert metrics["attempts"] == metrics["attempts_all"] == 1
    metrics = play_script(make_item(pools), "?ggg").metrics
    assert [metrics[name] for name in RECOVERED] == [1, 0, 1]
    assert (metrics["attempts"], metrics["first_deviation"]) == (3, 1)
    metrics = play_script(make_item(pools), "??ggg").metrics
    assert [metrics[name] for name in RECOVERED] == [1, 0, 0]
    assert metrics["attempts"] == 4


def test_a_deviating_move_is_carried_out(pools) -> None:
    item = make_item(pools, 1)
    episode = TASK.open(item)
    start = episode.current_situation.state
    assert isinstance(reply_by_sign(episode, "b"), Prompt)
    assert episode.current_situation.state != start
    assert len(episode.current_situation.plan) == 4 and episode.current_situation.plan[1:] == tuple(
        TASK.gold_answer(item).split()
    )


@pytest.mark.parametrize("budget", [1, 2, 6])
def test_the_budget_is_that_after_the_deviation(pools, budget: int) -> None:
    item = make_item(pools, max_attempts=budget)
    outcome = play_script(item, "gg" + "?" * (1 + budget))
    assert outcome.status is Status.WRONG and outcome.answer == ("unsolved",)
    metrics = outcome.metrics
    assert [metrics[name] for name in RECOVERED] == [0, 0, 0]
    assert metrics["attempts_all"] == budget and "attempts" not in metrics
    assert metrics["first_deviation"] == 3
    assert play_script(item, "gg" + "?" * budget + "g").status is Status.CORRECT


def test_a_player_that_never_answers_is_unparsed(pools) -> None:
    outcome = play_script(make_item(pools), "?" * 7)
    assert (outcome.status, outcome.answer) == (Status.UNPARSED, ())
    assert outcome.metrics["deviated"] == 1 and outcome.metrics["recovered"] == 0


def test_attempts_are_numbered_once_they_count(pools) -> None:
    episode = TASK.open(make_item(pools))

    def shown_attempt(prompt: Prompt | Outcome) -> str:
        assert isinstance(prompt, Prompt)
        part = prompt.messages[-1].parts[0]
        assert isinstance(part, TextPart)
        return part.text

    assert shown_attempt(episode.prompt()).startswith("The cube is 3 moves from solved.")
    assert "Attempt" not in shown_attempt(reply_by_sign(episode, "g"))
    assert "Attempt 1 of 6." in shown_attempt(reply_by_sign(episode, "?"))
    assert "Attempt 2 of 6." in shown_attempt(reply_by_sign(episode, "b"))


def test_options_before_and_after_a_deviation_are_drawn_apart(pools) -> None:
    for redraw in ("attempt", "state"):
        item = make_item(pools, redraw=redraw)
        episode = TASK.open(item)
        before = episode.list_offered_moves
        reply_by_sign(episode, "?")
        assert episode.current_situation.state == item.state.facelets
        assert (episode.list_offered_moves != before) == (redraw == "attempt")


def test_figures_of_recovery_are_over_episodes_that_deviate() -> None:
    for measure in TASK.measures:
        if isinstance(measure, Proportion | MeanAmong) and measure.metric != "undeviated":
            assert measure.among == "deviated"
        else:
            # These count nothing but metrics that episodes without a deviation do not have.
            others = (MedianOf, Histogram, Called)
            told = {"undeviated", "reply_parse_rate"}
            assert isinstance(measure, others) or measure.metric in told


# --- the paper's first part: its closed loop, until the teacher is not followed (5.4, A.5.2) ---


def letter_of_move(episode: AttemptEpisode, move: str) -> str:
    return f"<ANSWER>{LETTERS[episode.list_offered_moves.index(move)]}</ANSWER>"


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_options_are_the_teachers_move_and_three_of_all_others(pools, metric: str) -> None:
    """The paper's rule said again: the teacher's move, three other legal moves, each as likely."""
    legal = set(UNIT_MOVES[metric])
    others: Counter[str] = Counter()
    places: Counter[str] = Counter()
    second = 0
    for index in range(60):
        item = make_item(pools, index, metric=metric, deviation="teacher")
        episode = TASK.open(item)
        for distance in range(item.state.optimal_depth, 0, -1):
            taught = episode.current_situation.plan[0]
            offered = episode.list_offered_moves
            assert len(set(offered)) == 4 and set(offered) <= legal and taught in offered
            assert (
                distance_oracle.exact_distance(metric, episode.current_situation.state) == distance
            )
            others.update(set(offered) - {taught})
            places[LETTERS[offered.index(taught)]] += 1
            second += (
                len(set(progress_moves(metric, episode.current_situation.state)) & set(offered)) > 1
            )
            outcome = episode.reply(letter_of_move(episode, taught))
        assert isinstance(outcome, Outcome) and outcome.status is Status.CORRECT
        assert (outcome.metrics["deviated"], outcome.metrics["attempts_all"]) == (0, 0)
        assert outcome.metrics["teacher_moves"] == item.state.optimal_depth
        assert TASK.find_faults(item) == []
    assert set(others) == legal and min(places.values()) > 25
    assert second  # other moves that bring closer are on offer too


def test_a_move_that_brings_as_close_as_the_teachers_is_a_deviation(pools) -> None:
    for index in range(100):
        item = make_item(pools, index, deviation="teacher")
        episode = TASK.open(item)
        state, taught = episode.current_situation.state, episode.current_situation.plan[0]
        also = set(progress_moves("htm", state)) & set(episode.list_offered_moves) - {taught}
        if also:
            break
    asked = episode.reply(letter_of_move(episode, min(also)))
    assert isinstance(asked, Prompt) and "Attempt 1 of 6" in asked.messages[-1].parts[0].text
    assert (
        distance_oracle.exact_distance("htm", episode.current_situation.state) == 2
    )  # it was carried out all the same
    assert isinstance(reply_by_sign(episode, "g"), Prompt)
    outcome = reply_by_sign(episode, "g")
    assert isinstance(outcome, Outcome)
    assert (outcome.metrics["first_deviation"], outcome.metrics["attempts"]) == (1, 2)
    # By default the same move is none.
    usual = TASK.open(replace(item, deviation="setback"))
    assert isinstance(reply_by_sign(usual, "g"), Prompt) and usual._stage == "teacher"


def test_after_the_deviation_options_are_those_of_the_learning_curve(pools) -> None:
    item = make_item(pools, deviation="teacher", redraw="attempt")
    episode = TASK.open(item)
    episode.reply("hm")
    usual = TASK.open(replace(item, deviation="setback"))
    usual.reply("hm")
    assert episode.list_offered_moves == usual.list_offered_moves
    assert (
        len(
            set(progress_moves("htm", episode.current_situation.state))
            & set(episode.list_offered_moves)
        )
        == 1
    )


def test_the_teacher_does_not_follow_from_the_published_solution(pools) -> None:
    differ = 0
    for index in range(30):
        item = make_item(pools, index, deviation="teacher")
        turned = replace(item.state, solution=other_solution(item.state))
        other = replace(item, state=turned)
        assert TASK.open(other).list_offered_moves == TASK.open(item).list_offered_moves
        differ += turned != item.state
    assert differ


def other_solution(state) -> str:
    """Return a shortest solution that begins with the last of the moves that bring closer."""
    now, found = state.facelets, []
    while now != SOLVED:
        found.append(progress_moves(state.metric, now)[-1])
        now = moves.apply_maneuver(now, (found[-1],))
    return " ".join(found)


def test_the_words_say_what_is_counted(pools) -> None:
    def deviation_rules(deviation: str) -> str:
        prompt = TASK.open(make_item(pools, deviation=deviation)).prompt()
        part = prompt.messages[0].parts[0]
        assert isinstance(part, TextPart)
        return part.text

    assert "brings the cube nearer to solved, nothing is counted" in deviation_rules("setback")
    assert "its next move, nothing is counted" in deviation_rules("teacher")
    assert all("new moves" not in deviation_rules(each) for each in ("setback", "teacher"))


def test_an_unknown_deviation_is_a_fault(pools) -> None:
    wrong = replace(make_item(pools), deviation="none")
    assert TASK.find_faults(wrong) == ["unknown deviation 'none'"]


def test_rows_without_the_column_deviate_by_a_setback(pools) -> None:
    row = TASK.encode(make_item(pools))
    assert row.pop("deviation") == "setback"
    assert TASK.decode(row) == make_item(pools)
