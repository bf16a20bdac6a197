"""Fast makers of records: what they make is what the class makes."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from facelet.generators.core.fast_records import fast_constructor


@dataclass(frozen=True, slots=True)
class Point:
    z: int
    a: str
    m: tuple[int, ...]


@dataclass(frozen=True)
class OpenRecord:
    a: int


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    a: int

    def __post_init__(self):
        raise ValueError


def test_made_records_are_like_any_other():
    made, plain = fast_constructor(Point)(1, "b", m=(2,)), Point(1, "b", (2,))
    assert made == plain and hash(made) == hash(plain) and repr(made) == repr(plain)
    assert type(made) is Point and replace(made, z=3) == Point(3, "b", (2,))
    assert pickle.loads(pickle.dumps(made)) == plain
    with pytest.raises(FrozenInstanceError):
        made.z = 2
    with pytest.raises(TypeError):
        fast_constructor(Point)(1, "b")


@pytest.mark.parametrize(
    "kind", [OpenRecord, CheckedRecord, type("Sub", (Point,), {"__slots__": ()})]
)
def test_other_classes_are_refused(kind):
    with pytest.raises(ValueError, match="no plain slotted dataclass"):
        fast_constructor(kind)
