"""Learning curve: six attempts at the next move, each carried out. Cube Bench, 4.3.7, A.8, B.7.

The rules are in generators.cube.attempts.rules, the metrics in episodes. SR, P(1) and P(<=3) are
the figures solved_rate, solved_at_1_rate and solved_within_3_rate over all episodes, SR with
Wilson's interval; Med@Solved is median_attempts, Avg@All attempts_all, and H(k) the histogram of
attempts. An attempt is one move, so P(1) is always 0 at depths from 2 on, and P(<=3) from 4 on.

A state always offers the same four moves. In the paper they are drawn anew at each attempt, even
where the state is as before (redraw=attempt). Then a player that never sees the cube can do better
than chance: one that answers every other time, with a move that it was offered before in the same
state, solved 37% of 300 starts at depth 3, where random letters solve 3%. With redraw=state it
solved 2%; figures of the two modes are not comparable.

In both modes a player that never sees the cube is told the distance and knows its own moves. The
Bayesian one (facelet.pipeline.cube.baseline_players) solves 31% of starts at depth 3 with
redraw=state, and 56% as in the paper. In recovery, where the first wrong move is free, it solves
52% and 70%.
"""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.measures import (
    READ_REPLIES,
    Called,
    Histogram,
    MeanAmong,
    Measure,
    MedianOf,
    Proportion,
)
from facelet.generators.cube.attempts import instances
from facelet.generators.cube.attempts.task import AttemptTask


class Params(instances.Params):
    """Params of the task; the start must be solvable within the attempts.

    Attributes:
        depth: as in the base class, and not more than max_attempts.
    """

    __slots__ = ()

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        instances.Params.validate(self)
        if self.depth > self.max_attempts:
            raise ValueError(
                f"max_attempts={self.max_attempts} attempts cannot solve a start of "
                f"depth={self.depth}; use at least {self.depth}"
            )


class LearningCurve(AttemptTask):
    """The task; see the module."""

    name: ClassVar[str] = "cube/learning_curve"
    version: ClassVar[int] = 3
    recovery: ClassVar[bool] = False
    params: ClassVar[type[Params]] = Params
    measures: ClassVar[tuple[Measure, ...]] = (
        Proportion(metric="solved"),
        Proportion(metric="solved_at_1"),
        Proportion(metric="solved_within_3"),
        MedianOf(metric="attempts"),
        MeanAmong(metric="attempts_all", default_column="max_attempts", share=False),
        Histogram(metric="attempts", up_to_column="max_attempts"),
        READ_REPLIES,
        Called(
            names=(
                ("solved_rate", "SR"),
                ("solved_at_1_rate", "P(1)"),
                ("solved_within_3_rate", "P(<=3)"),
                ("median_attempts", "Med@Solved"),
                ("attempts_all", "Avg@All"),
            )
        ),
    )


TASK = LearningCurve()
