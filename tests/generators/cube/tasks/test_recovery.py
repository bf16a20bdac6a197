"""Recovery: nothing counts before the first deviation, and everything after it."""

import pytest

from facelet.generators.core.measures import Called, Histogram, MeanAmong, MedianOf, Proportion
from facelet.generators.core.prompts import Prompt, Text
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.attempts.episodes import Attempts
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import progress_moves
from facelet.generators.cube.tasks.recovery import TASK
from facelet.generators.options.placing import LETTERS

RECOVERED = ("recovered", "recovered_at_1", "recovered_within_3")


def make(pools, index: int = 0, **values) -> Instance:
    params = TASK.params(**values)
    params.validate()
    draw = Draw((0, "tests", params.depth), index)
    return TASK.generate(params, draw, pools(params.metric, params.depth))[0]


def reply(episode: Attempts, sign: str) -> Prompt | Outcome:
    """Reply with the move that brings closer (g), another one (b), or no letter (?)."""
    if sign == "?":
        return episode.reply("hm")
    closer = progress_moves("htm", episode.situation.state)
    good = sign == "g"
    place = next(i for i, move in enumerate(episode.options) if (move in closer) is good)
    return episode.reply(f"<ANSWER>{LETTERS[place]}</ANSWER>")


def play(item: Instance, script: str) -> Outcome:
    episode = TASK.open(item)
    for place, sign in enumerate(script, 1):
        result = reply(episode, sign)
        if isinstance(result, Outcome):
            assert place == len(script), "the episode ends early"
            return result
    raise AssertionError(f"the episode goes on after {script}")


def test_without_a_deviation_there_is_nothing_to_recover(pools) -> None:
    for index in range(10):
        outcome = play(make(pools, index), "ggg")
        assert outcome.status is Status.CORRECT
        metrics = outcome.metrics
        assert (metrics["deviated"], metrics["undeviated"], metrics["solved"]) == (0, 1, 1)
        assert not {*RECOVERED, "attempts", "first_deviation"} & set(metrics)


def test_attempts_are_counted_from_the_first_deviation(pools) -> None:
    # An unreadable reply deviates and changes nothing: one move from solved, one attempt does.
    outcome = play(make(pools), "gg?g")
    assert outcome.status is Status.CORRECT
    metrics = outcome.metrics
    assert (metrics["deviated"], metrics["first_deviation"]) == (1, 3)
    assert [metrics[name] for name in RECOVERED] == [1, 1, 1]
    assert metrics["attempts"] == metrics["attempts_all"] == 1
    metrics = play(make(pools), "?ggg").metrics
    assert [metrics[name] for name in RECOVERED] == [1, 0, 1]
    assert (metrics["attempts"], metrics["first_deviation"]) == (3, 1)
    metrics = play(make(pools), "??ggg").metrics
    assert [metrics[name] for name in RECOVERED] == [1, 0, 0]
    assert metrics["attempts"] == 4


def test_a_deviating_move_is_carried_out(pools) -> None:
    item = make(pools, 1)
    episode = TASK.open(item)
    start = episode.situation.state
    assert isinstance(reply(episode, "b"), Prompt)
    assert episode.situation.state != start
    assert len(episode.situation.plan) == 4 and episode.situation.plan[1:] == tuple(
        TASK.gold(item).split()
    )


@pytest.mark.parametrize("budget", [1, 2, 6])
def test_the_budget_is_that_after_the_deviation(pools, budget: int) -> None:
    item = make(pools, max_attempts=budget)
    outcome = play(item, "gg" + "?" * (1 + budget))
    assert outcome.status is Status.WRONG and outcome.answer == ("unsolved",)
    metrics = outcome.metrics
    assert [metrics[name] for name in RECOVERED] == [0, 0, 0]
    assert metrics["attempts_all"] == budget and "attempts" not in metrics
    assert metrics["first_deviation"] == 3
    assert play(item, "gg" + "?" * budget + "g").status is Status.CORRECT


def test_a_player_that_never_answers_is_unparsed(pools) -> None:
    outcome = play(make(pools), "?" * 7)
    assert (outcome.status, outcome.answer) == (Status.UNPARSED, ())
    assert outcome.metrics["deviated"] == 1 and outcome.metrics["recovered"] == 0


def test_attempts_are_numbered_once_they_count(pools) -> None:
    episode = TASK.open(make(pools))

    def shown(prompt: Prompt | Outcome) -> str:
        assert isinstance(prompt, Prompt)
        part = prompt.messages[-1].parts[0]
        assert isinstance(part, Text)
        return part.text

    assert shown(episode.prompt()).startswith("The cube is 3 moves from solved.")
    assert "Attempt" not in shown(reply(episode, "g"))
    assert "Attempt 1 of 6." in shown(reply(episode, "?"))
    assert "Attempt 2 of 6." in shown(reply(episode, "b"))


def test_options_before_and_after_a_deviation_are_drawn_apart(pools) -> None:
    for redraw in ("attempt", "state"):
        item = make(pools, redraw=redraw)
        episode = TASK.open(item)
        before = episode.options
        reply(episode, "?")
        assert episode.situation.state == item.state.facelets
        assert (episode.options != before) == (redraw == "attempt")


def test_figures_of_recovery_are_over_episodes_that_deviate() -> None:
    for measure in TASK.measures:
        if isinstance(measure, Proportion | MeanAmong) and measure.metric != "undeviated":
            assert measure.among == "deviated"
        else:
            # These count nothing but metrics that episodes without a deviation do not have.
            others = (MedianOf, Histogram, Called)
            told = {"undeviated", "reply_parse_rate"}
            assert isinstance(measure, others) or measure.metric in told
