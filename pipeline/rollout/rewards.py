"""Compute rewards of episodes for learners, from 0 to 1.

    reward = correct, or else partial * share of correct labels, or else 0
    with format > 0: (1 - format) * reward + format * (is the form paid?)
    with length > 0: times 1 - length * min(1, characters of all replies / long)

The form is paid if every reply has it, and the play is won or had room for one reply only: a lost
episode has no pay for its form, because ending it at once would earn as much as playing it.

By default a correct answer has reward 1 in any form and length, as in the scorer's accuracy.
Answers with several labels are stickers of a face or classes of moves. `measure` replaces the share
of correct labels by a metric of the task, such as the partial credit of a paper.

With shaping > 0 every step has a reward (`Payer`): shaping * (gamma * p(after) - p(before)), where
p = 1 - distance / distance at the start, by proven distances; p is 0 at the start, at the end, and
where no distance is proven. So the discounted sum over an episode equals that without shaping for
any play, and optimal play stays optimal (Ng, Harada and Russell, ICML 1999).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.rollout.row_episode import Play


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of a reward beyond correctness; all 0 by default.

    Attributes:
        partial: reward of a wrong answer per share of correct labels; 0 to 1.
        format: part of the reward for the requested form, which a lost episode of several replies
            does not have; 0 to 1.
        measure: name of a metric of the outcome, 0 to 1, that replaces the share of correct labels;
            "" for none. Outcomes without it have reward 0.
        length: part of the reward that is lost at `long` characters of replies; 0 to 1.
        long: number of characters at which all of that part is lost.
        shaping: weight of the progress of a step, by proven distance; at least 0.
        gamma: discount of the learner, for shaping; 0 to 1.
    """

    partial: float = 0.0
    format: float = 0.0
    measure: str = ""
    length: float = 0.0
    long: int = 8192
    shaping: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("partial", "format", "length", "gamma"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is out of range; it is from 0 to 1")
        if self.long < 1 or self.shaping < 0:
            raise ValueError(
                f"long={self.long} and shaping={self.shaping} are out of range; long must be at "
                "least 1, shaping at least 0"
            )


def reward(outcome: Outcome, weights: Weights | None = None, replies: Iterable[str] = ()) -> float:
    """Return the reward of an outcome, 0 to 1.

    Args:
        outcome: the outcome of an episode.
        weights: weights of the reward; by default only correctness counts.
        replies: the replies, for their length.
    """
    weights = weights or Weights()
    if outcome.status == Status.CORRECT:
        worth = 1.0
    elif weights.measure:
        worth = weights.partial * min(1.0, max(0.0, outcome.metrics.get(weights.measure, 0.0)))
    elif len(outcome.gold) > 1 and len(outcome.answer) == len(outcome.gold):
        right = sum(a == b for a, b in zip(outcome.answer, outcome.gold, strict=True))
        worth = weights.partial * right / len(outcome.gold)
    else:
        worth = 0.0
    has_form = outcome.strict and (outcome.one_reply or outcome.status == Status.CORRECT)
    worth = (1 - weights.format) * worth + weights.format * has_form
    if weights.length:
        worth *= 1 - weights.length * min(1.0, sum(map(len, replies)) / weights.long)
    return worth


class Payer:
    """Computes the reward of each step of a play; see the module."""

    def __init__(self, play: Play, weights: Weights | None = None) -> None:
        """Start at the current state of a play.

        Args:
            play: the play.
            weights: weights of the reward; by default only correctness counts.
        """
        self._play, self._weights = play, weights or Weights()
        self._start = play.distance
        self._before = 0.0

    def pay(self) -> float:
        """Return the reward of the latest reply of the play."""
        weights, outcome = self._weights, self._play.outcome
        after = self._current_potential()
        gained = weights.shaping * (weights.gamma * after - self._before)
        self._before = after
        if outcome is None:
            return gained
        return gained + reward(outcome, weights, self._play.replies)

    def _current_potential(self) -> float:
        distance = self._play.distance if self._weights.shaping else None
        return 0.0 if not self._start or distance is None else 1 - distance / self._start
