"""Recovery: six attempts after the first deviation from the teacher. Cube Bench, 5.4, B.7.

The rules are in generators.cube.attempts.rules, the metrics in episodes. Episodes without a
deviation have nothing to recover from: undeviated_rate is their share, and all other figures are
over the episodes with one, whose number the report gives as `units`. SR, P(1) and P(<=3) are
recovered_rate, recovered_at_1_rate and recovered_within_3_rate, SR with Wilson's interval;
Med@Solved is median_attempts, Avg@All attempts_all, and H(k) the histogram of attempts, in which
episodes that did not recover or did not deviate count as others. A prediction that is missing or
incomplete counts as a deviation without a recovery. Accuracy is the share of episodes that end
solved, with or without a deviation.

By default a deviation is a reply that brings the cube no closer. In the paper (5.4) the first part
is its closed loop, where any reply but the teacher's move is one (deviation=teacher); table 7 is
about depth 3 and six attempts after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import (
    READ_REPLIES,
    Called,
    Histogram,
    MeanAmong,
    Measure,
    MedianOf,
    Proportion,
)
from facelet.generators.core.params import param
from facelet.generators.core.task import Column
from facelet.generators.cube.attempts import instances
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import DEVIATES, Deviates
from facelet.generators.cube.attempts.task import AttemptTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Params(instances.Params):
    """Params of the task."""

    deviation: Deviates = param(
        "setback",
        "the first deviation: a reply that leads no closer, or one that is not the teacher's move, "
        "as in the paper",
    )


class Recovery(AttemptTask):
    """The task; see the module."""

    name: ClassVar[str] = "cube/recovery"
    version: ClassVar[int] = 3
    recovery: ClassVar[bool] = True
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *instances.COLUMNS,
        Column("deviation", "string", "what the first deviation is: setback, or not the teacher's"),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        *AttemptTask.deviations,
        Deviation(
            "until the first error, options are the teacher's move and three others; any other "
            "reply is the error",
            "one move brings closer and three do not; the first reply that brings no closer is "
            "the error",
            "a move that brings as close as the teacher's is no error",
            "deviation=teacher",
        ),
    )
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

    def deviation_rule(self, params: instances.Params) -> Deviates:
        """Return what the first deviation is."""
        assert isinstance(params, Params)
        return params.deviation

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the plan or the params."""
        if instance.deviation not in DEVIATES:
            return [f"unknown deviation {instance.deviation!r}"]
        return AttemptTask.find_faults(self, instance)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {**instances.encode_instance(instance), "deviation": instance.deviation}

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds; rows of older versions deviate by a setback."""
        return replace(instances.decode_instance(row), deviation=row.get("deviation", "setback"))


TASK = Recovery()
