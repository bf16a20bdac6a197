"""Rewards of single steps: whatever is played, an episode's discounted sum is its plain reward."""

from __future__ import annotations

import random

import pytest

import facelet
from facelet import environment
from facelet.pipeline import family_modules
from facelet.pipeline.rollout.rewards import Payer, Weights

SMALL = {"table": "small"}
TASKS = {
    "cube/step_by_step": {"levels": "3", "told": SMALL},
    "cube/learning_curve": {"levels": "3", "told": SMALL},
    "labyrinth/act": {"levels": "2", "setting": "symbolic"},
}


@pytest.fixture(scope="module", params=TASKS)
def row(request):
    return next(facelet.stream(request.param, seed=1, **TASKS[request.param]))


def reference_replies(row):
    task = family_modules.load_task(row["task"])
    return task.reference(task.decode(row))


def pay_replies(row, replies, weights):
    play = environment.open_row(row)
    payer, found = Payer(play, weights), []
    for said in replies:
        if play.done:
            break
        play.reply(said)
        found.append(payer.pay())
    return found, play


def random_replies(row, rng):
    """Replies that go astray: those of the reference, letters, and what cannot be read."""
    own = reference_replies(row)
    pool = [*own, *(f"<ANSWER>{letter}</ANSWER>" for letter in "ABCD"), "I do not know."]
    return [*own[: rng.randrange(len(own))], *(rng.choice(pool) for _ in range(30))]


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_shaping_changes_no_return(row, gamma):
    rng = random.Random(7)
    plain, shaped = Weights(format=0.1), Weights(format=0.1, shaping=0.7, gamma=gamma)
    differing = 0
    for _ in range(12):
        said = random_replies(row, rng)
        (alone, play), (steps, again) = (
            pay_replies(row, said, plain),
            pay_replies(row, said, shaped),
        )
        assert play.done and again.done
        assert sum(gamma**t * worth for t, worth in enumerate(steps)) == pytest.approx(
            sum(gamma**t * worth for t, worth in enumerate(alone))
        )
        differing += steps != alone
    assert differing  # a payer that never shapes would pass what stands above


def test_a_step_closer_is_paid_and_a_step_away_costs(row):
    steps, play = pay_replies(row, reference_replies(row), Weights(shaping=1.0))
    assert play.outcome.status == "correct"
    assert all(worth >= 0 for worth in steps) and sum(steps) == pytest.approx(1)
    assert max(steps[:-1]) > 0


def test_wrong_shaping_would_be_seen(row, monkeypatch):
    """A potential that does not end at 0 changes returns, and the property fails."""
    monkeypatch.setattr(Payer, "_current_potential", lambda self: len(self._play.replies) / 10)
    said = reference_replies(row)
    (alone, _), (steps, _) = (
        pay_replies(row, said, Weights()),
        pay_replies(row, said, Weights(shaping=0.7)),
    )
    assert sum(steps) != pytest.approx(sum(alone))


def test_length_and_measure_are_named_and_off():
    made = facelet.create_dataset("labyrinth/act", size=1, seed=1, turns=2, setting="symbolic")
    row, said = made[0]["metadata"], made[0]["answer"]
    long = sum(map(len, said))
    assert sum(pay_replies(row, said, Weights())[0]) == 1
    assert sum(pay_replies(row, said, Weights(length=0.5, long=2 * long))[0]) == pytest.approx(0.75)
    assert sum(pay_replies(row, said, Weights(length=0.5, long=1))[0]) == pytest.approx(0.5)
    half = [*said[:-1], "nothing"]
    (*_, worth), play = pay_replies(row, half, Weights(partial=0.5, measure="turn_closeness"))
    assert worth == pytest.approx(0.5 * play.outcome.metrics["turn_closeness"])
    assert pay_replies(row, half, Weights(partial=0.5, measure="nothing"))[0][-1] == 0


@pytest.mark.parametrize("wrong", [{"length": 2}, {"gamma": -1}, {"long": 0}, {"shaping": -1}])
def test_what_cannot_be_is_named(wrong):
    with pytest.raises(ValueError, match=rf"{next(iter(wrong))}=.*out of range"):
        Weights(**wrong)
