"""Which code counts a measure: a table by type, or what a family's own measure names."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import pytest

from facelet.generators.core import measures, task_registry
from facelet.generators.core.measures import Measure
from facelet.pipeline.scoring.aggregate.metric_registry import COUNTERS, find_counter


@dataclass(frozen=True, slots=True)
class StreakMeasure(Measure):
    """A measure that a family has for itself."""

    counted_by: ClassVar[str] = "toy/streaks"


@dataclass(frozen=True, slots=True)
class UncountedMeasure(Measure):
    """A measure that nothing counts."""


def test_every_measure_of_core_is_counted():
    every = {
        kind
        for kind in vars(measures).values()
        if isinstance(kind, type) and issubclass(kind, Measure)
        if kind not in (Measure, measures.LabelF1)  # bases
    }
    assert every == set(COUNTERS)


@pytest.mark.parametrize("name", task_registry.task_names())
def test_every_measure_of_a_task_is_counted(name):
    for measure in task_registry.load_task(name).measures:
        named = isinstance(measure, measures.Called | measures.Looks)
        assert (find_counter(measure) is None) == named


def test_a_family_counts_its_own(monkeypatch):
    module = ModuleType("facelet.pipeline.toy.streaks")
    module.count = lambda population, measure: "counted"
    monkeypatch.setitem(sys.modules, "facelet.pipeline.toy.streaks", module)
    assert find_counter(StreakMeasure())(None, StreakMeasure()) == "counted"


def test_a_measure_that_nothing_counts_is_named():
    with pytest.raises(ValueError, match="knows no measure UncountedMeasure"):
        find_counter(UncountedMeasure())
    with pytest.raises(ValueError, match="'toy/streaks' has no count"):
        find_counter(StreakMeasure())
