"""Certificates: what two of them share, and that nobody changes one."""

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from facelet.generators.cube.distance.exact_solver import Certificate
from facelet.generators.cube.engine.notation import parse_maneuver

ONE = Certificate("U" * 54, "htm", 1, parse_maneuver("R"), 0, "ab" * 16, 12, 0.5)


def test_only_the_time_it_took_makes_no_difference() -> None:
    assert replace(ONE, seconds=9.0) == ONE
    others = {
        "facelets": "D" * 54,
        "metric": "qtm",
        "optimal_length": 2,
        "solution": parse_maneuver("L"),
        "exhausted": 1,
        "table_hash": "cd" * 16,
        "nodes": 13,
    }
    assert {field.name for field in fields(ONE)} - {"seconds"} == set(others)
    for name, value in others.items():
        assert replace(ONE, **{name: value}) != ONE


def test_a_certificate_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        ONE.optimal_length = 0  # type: ignore[misc]
    assert not hasattr(ONE, "__dict__")
