"""Which code counts a measure: a table by type, or what a family's own measure names."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import pytest

from facelet.generators.core import measures, registry
from facelet.generators.core.measures import Measure
from facelet.pipeline.scoring.counting.counters import COUNTERS, counter


@dataclass(frozen=True, slots=True)
class Streak(Measure):
    """A measure that a family has for itself."""

    counted_by: ClassVar[str] = "toy/streaks"


@dataclass(frozen=True, slots=True)
class Nobodys(Measure):
    """A measure that nothing counts."""


def test_every_measure_of_core_is_counted():
    every = {
        kind
        for kind in vars(measures).values()
        if isinstance(kind, type) and issubclass(kind, Measure) and kind is not Measure
    }
    assert every == set(COUNTERS)


@pytest.mark.parametrize("name", registry.names())
def test_every_measure_of_a_task_is_counted(name):
    for measure in registry.task(name).measures:
        named = isinstance(measure, measures.Called | measures.Looks)
        assert (counter(measure) is None) == named


def test_a_family_counts_its_own(monkeypatch):
    module = ModuleType("facelet.pipeline.toy.streaks")
    module.count = lambda population, measure: "counted"
    monkeypatch.setitem(sys.modules, "facelet.pipeline.toy.streaks", module)
    assert counter(Streak())(None, Streak()) == "counted"


def test_a_measure_that_nothing_counts_is_named():
    with pytest.raises(ValueError, match="knows no measure Nobodys"):
        counter(Nobodys())
    with pytest.raises(ValueError, match="'toy/streaks' has no count"):
        counter(Streak())
