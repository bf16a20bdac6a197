"""Recovery: six attempts after the first deviation from the teacher. Cube Bench, 5.4, B.7.

The rules are in generators.cube.attempts.rules, the metrics in episodes. Episodes without a
deviation have nothing to recover from: undeviated_rate is their share, and all other figures are
over the episodes with one, whose number the report gives as `units`. SR, P(1) and P(<=3) are
recovered_rate, recovered_at_1_rate and recovered_within_3_rate, SR with Wilson's interval;
Med@Solved is median_attempts, Avg@All attempts_all, and H(k) the histogram of attempts, in which
episodes that did not recover or did not deviate count as others. A prediction that is missing or
incomplete counts as a deviation without a recovery. Accuracy is the share of episodes that end
solved, with or without a deviation.
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
from facelet.generators.cube.attempts.task import AttemptTask


class Recovery(AttemptTask):
    """The task; see the module."""

    name: ClassVar[str] = "cube/recovery"
    version: ClassVar[int] = 2
    recovery: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Proportion(metric="undeviated"),
        Proportion(metric="recovered", among="deviated"),
        Proportion(metric="recovered_at_1", among="deviated"),
        Proportion(metric="recovered_within_3", among="deviated"),
        MedianOf(metric="attempts"),
        MeanAmong(
            metric="attempts_all",
            default_column="max_attempts",
            among="deviated",
            share=False,
        ),
        Histogram(metric="attempts", up_to_column="max_attempts"),
        READ_REPLIES,
        Called(
            names=(
                ("recovered_rate", "SR"),
                ("recovered_at_1_rate", "P(1)"),
                ("recovered_within_3_rate", "P(<=3)"),
                ("median_attempts", "Med@Solved"),
                ("attempts_all", "Avg@All"),
            )
        ),
    )


TASK = Recovery()
