"""Memory: recalls what was right where the same was shown, never of the puzzle that it is asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from audit_rows import KEYS, alike, remembered, row
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline import spools
from facelet.pipeline.audit import recalling, spilling
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.recalling import recall
from facelet.pipeline.audit.tried import Player, half_of

OPTIONS = ("R", "U", "F", "L")


def turned(options: tuple[str, ...], right: str, by: int) -> dict[str, Any]:
    """Options in another order, with the letter of the right one."""
    found = options[by:] + options[:by]
    return {"options": found, "gold": ("ABCD"[found.index(right)],)}


def found(rows: list[Observed], of: str = "answers") -> dict[str, Player]:
    return {one.name: one.player() for one in recall(rows, of)}


def test_a_picture_met_from_another_start_tells_the_move() -> None:
    rows = [
        row(k, pictures=f"net {k // 2}", **turned(OPTIONS, OPTIONS[k // 2 % 4], k % 4))
        for k in range(40)
    ]
    assert set(found(rows)) == {"memory:pictures"}, "nothing else is met twice"
    assert found(rows)["memory:pictures"] == Player("memory:pictures", 1.0, 40)


@pytest.mark.parametrize("told", [True, False])
def test_who_has_the_text_alone_sees_no_option_that_is_a_picture(told: bool) -> None:
    said = f"R is asked of {' '.join(OPTIONS)}" if told else "R is asked of the pictures"
    rows = [row(k, text=said, **turned(OPTIONS, "R", k % 4)) for k in range(40)]
    won = found(rows)["memory:text"].value
    assert won == 1.0 if told else won < 0.5


def test_the_puzzle_that_it_is_asked_about_tells_nothing() -> None:
    rows = [row(k, pictures=f"net {k // 2}", group=f"start {k // 2}") for k in range(40)]
    assert found(rows) == {}


def test_trials_are_what_rows_show() -> None:
    rows = [row(k, pictures=f"net {k // 4}", first=f"class {k // 4}") for k in range(40)]
    assert found(rows)["memory:shown"].trials == found(rows)["memory:pictures"].trials == 10


def test_what_is_not_remembered_is_guessed() -> None:
    rows = [
        row(k, pictures="once" if k > 1 else "twice", gold=("B" if k < 2 else "A",))
        for k in range(10)
    ]
    rows = [r if k < 2 else row(k, pictures=f"net {k}") for k, r in enumerate(rows)]
    # Two rows are recalled, the other eight are what is commonest elsewhere.
    assert found(rows)["memory:pictures"].value == 1.0
    other = [*rows, *(row(k, gold=("C",)) for k in range(10, 12))]
    assert found(other)["memory:pictures"].value == pytest.approx(10 / 12)


def test_elements_count_one_by_one() -> None:
    rows = [
        row(k, pictures=f"net {k // 2}", gold=("red", "blue" if k % 2 else "green"))
        for k in range(8)
    ]
    assert found(rows, "elements")["memory:pictures"].value == 0.5
    assert found(rows)["memory:pictures"].value == 0.0


def test_rows_for_training_are_learned_from_alone() -> None:
    letters = itertools.cycle("ABCD")
    train = [row(k, split="train", pictures=f"net {k}", gold=(next(letters),)) for k in range(12)]
    test = [row(k + 12, pictures=f"net {k}", gold=train[k].gold) for k in range(12)]
    assert found(train + test)["memory_of_train:pictures"] == Player(
        "memory_of_train:pictures", 1.0, 12
    )
    apart = [row(k + 12, pictures=f"other {k}", gold=train[k].gold) for k in range(12)]
    assert found(train + apart) == {}


def test_a_memory_looks_at_hashes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(recalling._HASHES) == {"shown", "pictures", "text"}
    rows = [row(k, text="the same", gold=("A" if k % 3 else "B",)) for k in range(9)]
    assert found(rows)["memory:text"].value == pytest.approx(6 / 9)


@pytest.fixture(params=[False, True], scope="module")
def parted(request: pytest.FixtureRequest) -> None:
    """All rows are looked at together; or two or three at a time, from files."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            for module, name, value in (
                (spools, "RANGE", 3),
                (spools, "KEPT", 64),
                (spilling, "KEPT", 64),
                (spilling, "HELD", 2),
                (spilling, "BUCKET", 2),
                (recalling, "BUCKET", 2),
            ):
                patch.setattr(module, name, value)
        yield


@given(rows=alike(), of=st.sampled_from(["answers", "elements"]))
def test_what_is_recalled_is_what_other_puzzles_say(
    parted: None, rows: list[Observed], of: str
) -> None:
    """Row by row, by the rule alone, and not by hashes and in parts."""
    said = {one.name: one for one in recall(rows, of)}
    names = set()
    some = any(one.split == "train" for one in rows)
    for player, train in (("memory", False), ("memory_of_train", True)):
        for key in KEYS if some or not train else ():
            told = list(remembered(rows, key, train=train))
            if not any(known for *_, known in told):
                continue
            names.add(name := f"{player}:{key}")
            sums: dict[str, list[float]] = {}
            for asked, right, _ in told:
                own = sums.setdefault(asked.cell, [0.0] * 4)
                half = 2 * half_of(asked.cluster)
                own[half] += all(right) if of == "answers" else sum(right)
                own[half + 1] += 1 if of == "answers" else len(right)
            found = {k: [*both[0], *both[1]] for k, both in said[name].sums.items()}
            assert found == sums, name
    assert said.keys() == names
