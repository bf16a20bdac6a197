"""Fast makers of records: what they make is what the class makes."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from facelet.generators.core.records import maker


@dataclass(frozen=True, slots=True)
class Point:
    z: int
    a: str
    m: tuple[int, ...]


@dataclass(frozen=True)
class Open:
    a: int


@dataclass(frozen=True, slots=True)
class Checked:
    a: int

    def __post_init__(self):
        raise ValueError


def test_made_records_are_like_any_other():
    made, plain = maker(Point)(1, "b", m=(2,)), Point(1, "b", (2,))
    assert made == plain and hash(made) == hash(plain) and repr(made) == repr(plain)
    assert type(made) is Point and replace(made, z=3) == Point(3, "b", (2,))
    assert pickle.loads(pickle.dumps(made)) == plain
    with pytest.raises(FrozenInstanceError):
        made.z = 2
    with pytest.raises(TypeError):
        maker(Point)(1, "b")


@pytest.mark.parametrize("kind", [Open, Checked, type("Sub", (Point,), {"__slots__": ()})])
def test_other_classes_are_refused(kind):
    with pytest.raises(ValueError, match="no plain slotted dataclass"):
        maker(kind)
