"""Params and columns that are written once, on the fields of a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from facelet.generators.core.params import BaseParams, Difficulty, explain_params, param
from facelet.generators.core.row_schema import (
    Column,
    column,
    columns_of,
    make_decoder,
    make_encoder,
    nest_record,
)
from facelet.generators.core.task import Episode, Outcome, Status, Task


@dataclass(frozen=True, slots=True)
class Knobs(BaseParams):
    level: int = param(3, "place on the ladder", low=1, high=9, axis="level")
    turns: int = param(15, "replies that the player has", low=1, unit="turns")
    hint: Literal["none", "digit"] = param("none", "what the first prompt gives away")
    strict: bool = param(False, "whether only exact replies count")


def test_values_inside_the_bounds_are_taken() -> None:
    Knobs().validate()
    Knobs(level=9, turns=10**6, hint="digit", strict=True).validate()
    assert Knobs(level=7).difficulty() == Difficulty("level", 7, "l07")


@pytest.mark.parametrize(
    ("field", "value", "fix"),
    [
        ("level", 0, "use a whole number 1 to 9"),
        ("level", 10, "use a whole number 1 to 9"),
        ("level", True, "use a whole number 1 to 9"),
        ("level", 2.0, "use a whole number 1 to 9"),
        ("turns", 0, "use a whole number of at least 1"),
        ("hint", "all", "use one of none, digit"),
        ("strict", 1, "use one of the two"),
    ],
)
def test_other_values_are_refused_with_the_fix(field: str, value: Any, fix: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}={value!r} .*{fix}$"):
        Knobs(**{field: value}).validate()


def test_help_follows_from_the_fields() -> None:
    assert list(explain_params(Knobs)) == [
        ("level", "3", "1 to 9", "place on the ladder"),
        ("turns", "15", "at least 1 turns", "replies that the player has"),
        ("hint", "none", "none, digit", "what the first prompt gives away"),
        ("strict", "False", "true, false", "whether only exact replies count"),
    ]


@dataclass(frozen=True, slots=True)
class EasyKnobs(Knobs):
    level: int = 1
    strict: bool = True


def test_a_subclass_may_change_defaults_alone() -> None:
    assert [(name, value) for name, value, _, _ in explain_params(EasyKnobs)] == [
        ("level", "1"),
        ("turns", "15"),
        ("hint", "none"),
        ("strict", "True"),
    ]
    assert EasyKnobs().difficulty() == Difficulty("level", 1, "l01")
    with pytest.raises(ValueError, match=r"^level=10 "):
        EasyKnobs(level=10).validate()


@dataclass(frozen=True, slots=True)
class Place:
    x: int = column("column, from 0", type="int8")
    y: int = column("row, from 0", type="int8")


@dataclass(frozen=True, slots=True)
class Maze:
    size: int = column("cells along a side", role="puzzle")
    walls: tuple[str, ...] = column("walls that nothing passes", role="puzzle")
    start: Place = nest_record(Place)
    kind: Literal["plain", "dark"] = column("what the player sees")
    chance: float = column("success of random moves", role="chance")
    exit: int | None = column("the cell that leads out", role="answer")


MAZE = Maze(4, ("0-1", "2-3"), Place(1, 2), "dark", 0.25, None)


def test_columns_follow_from_the_fields() -> None:
    assert columns_of(Maze) == (
        Column("size", "int32", "cells along a side", role="puzzle"),
        Column("walls", "list<string>", "walls that nothing passes", role="puzzle"),
        Column("x", "int8", "column, from 0"),
        Column("y", "int8", "row, from 0"),
        Column("kind", "string", "what the player sees"),
        Column("chance", "float64", "success of random moves", role="chance"),
        Column("exit", "int32", "the cell that leads out", optional=True, role="answer"),
    )


def test_a_row_holds_the_record_and_gives_it_back() -> None:
    row = make_encoder(Maze)(MAZE)
    assert list(row) == [item.name for item in columns_of(Maze)]
    assert row["walls"] == ["0-1", "2-3"] and row["y"] == 2 and row["exit"] is None
    assert make_decoder(Maze)({**row, "id": "another column"}) == MAZE


def test_a_field_without_a_column_is_refused() -> None:
    @dataclass(frozen=True)
    class BareRecord:
        size: int

    with pytest.raises(TypeError, match=r"BareRecord\.size has no column"):
        columns_of(BareRecord)

    @dataclass(frozen=True)
    class OddRecord:
        cells: dict[str, int] = column("cells by name")

    with pytest.raises(TypeError, match=r"OddRecord\.cells: no column type fits"):
        columns_of(OddRecord)


def test_a_misspelt_method_is_no_silent_default() -> None:
    with pytest.raises(TypeError, match="has no 'clams'; did you mean 'claims'"):

        class Misspelt(Task[Any, Any]):
            def clams(self, instance: Any) -> tuple[Any, ...]:
                return ()

    with pytest.raises(
        TypeError, match="has no 'outcome_when_halt'; did you mean 'outcome_when_halted'"
    ):

        class MisspeltPlay(Episode):
            def outcome_when_halt(self) -> Outcome:
                return Outcome(Status.UNPARSED, strict=False)
