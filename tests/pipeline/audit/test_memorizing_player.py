"""Memory: recalls what was right where the same was shown, never of the puzzle that it is asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from audit_rows import KEYS, alike, iterate_remembered, make_row
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline import spill_sort
from facelet.pipeline.audit import memorizing_player, spill_buffer
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.memorizing_player import score_memories
from facelet.pipeline.audit.player_results import PlayerShare, half_number

OPTIONS = ("R", "U", "F", "L")


def turn_options(options: tuple[str, ...], right: str, by: int) -> dict[str, Any]:
    """Options in another order, with the letter of the right one."""
    found = options[by:] + options[:by]
    return {"options": found, "gold": ("ABCD"[found.index(right)],)}


def find_players(rows: list[AuditedRow], of: str = "answers") -> dict[str, PlayerShare]:
    return {one.name: one.overall_share() for one in score_memories(rows, of)}


def test_a_picture_met_from_another_start_tells_the_move() -> None:
    rows = [
        make_row(k, pictures=f"net {k // 2}", **turn_options(OPTIONS, OPTIONS[k // 2 % 4], k % 4))
        for k in range(40)
    ]
    assert set(find_players(rows)) == {"memory:pictures"}, "nothing else is met twice"
    assert find_players(rows)["memory:pictures"] == PlayerShare("memory:pictures", 1.0, 40)


@pytest.mark.parametrize("told", [True, False])
def test_who_has_the_text_alone_sees_no_option_that_is_a_picture(told: bool) -> None:
    said = f"R is asked of {' '.join(OPTIONS)}" if told else "R is asked of the pictures"
    rows = [make_row(k, text=said, **turn_options(OPTIONS, "R", k % 4)) for k in range(40)]
    won = find_players(rows)["memory:text"].value
    assert won == 1.0 if told else won < 0.5


def test_the_puzzle_that_it_is_asked_about_tells_nothing() -> None:
    rows = [make_row(k, pictures=f"net {k // 2}", group=f"start {k // 2}") for k in range(40)]
    assert find_players(rows) == {}


def test_trials_are_what_rows_show() -> None:
    rows = [make_row(k, pictures=f"net {k // 4}", first=f"class {k // 4}") for k in range(40)]
    assert (
        find_players(rows)["memory:shown"].trials
        == find_players(rows)["memory:pictures"].trials
        == 10
    )


def test_what_is_not_remembered_is_guessed() -> None:
    rows = [
        make_row(k, pictures="once" if k > 1 else "twice", gold=("B" if k < 2 else "A",))
        for k in range(10)
    ]
    rows = [r if k < 2 else make_row(k, pictures=f"net {k}") for k, r in enumerate(rows)]
    # Two rows are recalled, the other eight are what is commonest elsewhere.
    assert find_players(rows)["memory:pictures"].value == 1.0
    other = [*rows, *(make_row(k, gold=("C",)) for k in range(10, 12))]
    assert find_players(other)["memory:pictures"].value == pytest.approx(10 / 12)


def test_elements_count_one_by_one() -> None:
    rows = [
        make_row(k, pictures=f"net {k // 2}", gold=("red", "blue" if k % 2 else "green"))
        for k in range(8)
    ]
    assert find_players(rows, "elements")["memory:pictures"].value == 0.5
    assert find_players(rows)["memory:pictures"].value == 0.0


def test_rows_for_training_are_learned_from_alone() -> None:
    letters = itertools.cycle("ABCD")
    train = [
        make_row(k, split="train", pictures=f"net {k}", gold=(next(letters),)) for k in range(12)
    ]
    test = [make_row(k + 12, pictures=f"net {k}", gold=train[k].gold) for k in range(12)]
    assert find_players(train + test)["memory_of_train:pictures"] == PlayerShare(
        "memory_of_train:pictures", 1.0, 12
    )
    apart = [make_row(k + 12, pictures=f"other {k}", gold=train[k].gold) for k in range(12)]
    assert find_players(train + apart) == {}


def test_a_memory_looks_at_hashes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(memorizing_player._HASHES) == {"shown", "pictures", "text"}
    rows = [make_row(k, text="the same", gold=("A" if k % 3 else "B",)) for k in range(9)]
    assert find_players(rows)["memory:text"].value == pytest.approx(6 / 9)


@pytest.fixture(params=[False, True], scope="module")
def parted(request: pytest.FixtureRequest) -> None:
    """All rows are looked at together; or two or three at a time, from files."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            for module, name, value in (
                (spill_sort, "RANGE_SIZE", 3),
                (spill_sort, "MEMORY_LIMIT", 64),
                (spill_buffer, "MEMORY_LIMIT", 64),
                (spill_buffer, "UNPACKED_LIMIT", 2),
                (spill_buffer, "BUCKET", 2),
                (memorizing_player, "BUCKET", 2),
            ):
                patch.setattr(module, name, value)
        yield


@given(rows=alike(), of=st.sampled_from(["answers", "elements"]))
def test_what_is_recalled_is_what_other_puzzles_say(
    parted: None, rows: list[AuditedRow], of: str
) -> None:
    """Row by row, by the rule alone, and not by hashes and in parts."""
    said = {one.name: one for one in score_memories(rows, of)}
    names = set()
    some = any(one.split == "train" for one in rows)
    for player, train in (("memory", False), ("memory_of_train", True)):
        for key in KEYS if some or not train else ():
            told = list(iterate_remembered(rows, key, train=train))
            if not any(known for *_, known in told):
                continue
            names.add(name := f"{player}:{key}")
            sums: dict[str, list[float]] = {}
            for asked, right, _ in told:
                own = sums.setdefault(asked.cell, [0.0] * 4)
                half = 2 * half_number(asked.cluster)
                own[half] += all(right) if of == "answers" else sum(right)
                own[half + 1] += 1 if of == "answers" else len(right)
            found = {k: [*both[0], *both[1]] for k, both in said[name].sums.items()}
            assert found == sums, name
    assert said.keys() == names
