"""Depths of whole symmetric classes: counted from findings, and proven again where quick."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

import class_counts
import pytest
import search_findings
import symmetric_classes
from search_findings import Finding, FindingLog

from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cube.table_cache import open_table

EASY = 12
"""Depth up to which the small table proves a depth in a moment."""

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
FOUR_SPOT = "F2 B2 U D' R2 L2 U D'"


def make_finding(facelets: str, solution: str, exhausted: int, metric: str = "htm") -> Finding:
    return Finding(
        step="any",
        candidate=facelets,
        facelets=facelets,
        metric=metric,  # type: ignore[arg-type]
        solution=solution,
        exhausted=exhausted,
        sampling="symmetric",
        members=1,
        source="",
        table="htm-large",
        table_hash="0" * 32,
        nodes=1,
        seconds=1.0,
    )


@lru_cache
def read_committed() -> dict[str, class_counts.Distribution]:
    known = class_counts.depth_bounds(search_findings.read_committed())
    small = ("O_h", "T_h", "D_4h", "T", "D_3d", "C_4h", "S_6")
    return {name: class_counts.class_distribution(name, known) for name in small}


def test_counts_add_up_to_the_class() -> None:
    for name, row in read_committed().items():
        assert row.states == len(symmetric_classes.symmetric_class(name))
        assert row.order == len(symmetric_classes.group_symmetries(name))
        assert row.distinct == len(symmetric_classes.class_representatives(name))
        assert sum(row.at) + row.undecided == row.states
        assert row.is_complete == (sum(row.at) == row.states)
        assert row.at_most[20] == row.states
        assert all(more >= less for less, more in zip(row.at_most, row.at_most[1:], strict=False))


def test_small_classes_are_proven_to_their_last_member() -> None:
    complete = {name for name, row in read_committed().items() if row.is_complete}
    assert complete >= {"O_h", "T_h", "D_4h", "T", "D_3d", "C_4h", "S_6"}
    at = {name: {d: n for d, n in enumerate(read_committed()[name].at) if n} for name in complete}
    assert at["O_h"] == {0: 1, 6: 1, 19: 1, 20: 1}
    assert at["T_h"] == {0: 1, 6: 1, 8: 2, 16: 8, 17: 2, 19: 1, 20: 9}
    assert at["D_3d"] == {0: 1, 6: 1, 14: 1, 17: 3, 18: 4, 19: 5, 20: 1}
    assert {d: n for d, n in at["C_4h"].items() if d > 18} == {19: 353, 20: 66}
    assert {d: n for d, n in at["S_6"].items() if d > 18} == {19: 3401, 20: 185}


@pytest.mark.parametrize(
    "name",
    ["O_h", "D_3d", "T", pytest.param("S_6", marks=pytest.mark.slow)],  # 2,634 searches
)
def test_easy_members_are_where_a_search_from_nothing_finds_them(name: str) -> None:
    """Nothing is taken from the findings here: every member is searched, none but by its state."""
    solver = ExactSolver(open_table("htm-small", progress=False))
    exact: Counter[int] = Counter()
    for state, members in symmetric_classes.class_representatives(name).items():
        found = solver.at_most(state, EASY)
        if found.solution is None:
            assert found.exhausted == EASY
            continue
        assert moves.apply_maneuver(state, found.solution) == SOLVED
        exact[len(found.solution)] += members
    row = read_committed()[name]
    assert [exact[depth] for depth in range(EASY + 1)] == list(row.at[: EASY + 1])


def test_what_is_known_of_one_class_counts_in_another() -> None:
    spots = moves.apply_maneuver(SOLVED, FOUR_SPOT)
    assert {spots, symmetry.transform_state(spots, 5)} & set(
        symmetric_classes.symmetric_class("D_4h")
    )
    length = len(FOUR_SPOT.split())
    undo = notation.format_maneuver(notation.invert_maneuver(notation.parse_maneuver(FOUR_SPOT)))
    known = class_counts.depth_bounds(
        [make_finding(SOLVED, "", -1), make_finding(spots, undo, length - 1)]
    )
    for name in ("D_4h", "C_4h", "D_4"):
        row = class_counts.class_distribution(name, known)
        assert row.at[0] == 1
        assert row.at[length] >= 1
        assert sum(row.at) == row.at[0] + row.at[length]
        assert not row.is_complete


def test_bounds_of_several_findings_meet_or_contradict() -> None:
    state = moves.apply_maneuver(SOLVED, SUPERFLIP)
    word = notation.format_maneuver(notation.invert_maneuver(notation.parse_maneuver(SUPERFLIP)))
    key = symmetry.canonical_with_inverse(state)
    loose = make_finding(state, word, 16)
    tight = make_finding(symmetry.transform_state(state, 7), word, 19)
    assert class_counts.depth_bounds([loose]) == {key: (17, 20)}
    assert class_counts.depth_bounds([tight, loose]) == {key: (20, 20)}
    assert class_counts.depth_bounds([make_finding(state, word, 19, "qtm")]) == {}
    row = class_counts.class_distribution("O_h", class_counts.depth_bounds([loose]))
    assert (row.at[20], row.at_most[19], row.undecided, row.open) == (0, 0, 4, 4)
    with pytest.raises(ValueError, match="contradict each other"):
        class_counts.depth_bounds([tight, make_finding(SOLVED, "", -1), make_finding(state, "", 0)])


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = moves.apply_maneuver(SOLVED, SUPERFLIP)
    log = FindingLog("O_h", tmp_path)
    log.append_finding(
        make_finding(
            state,
            notation.format_maneuver(notation.invert_maneuver(notation.parse_maneuver(SUPERFLIP))),
            19,
        )
    )
    assert class_counts.main(["names=O_h,T_h", f"work={tmp_path}", f"out={tmp_path}"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["class", "order", "states", "distinct", "20", "undecided"]
    assert out[1].split() == ["O_h", "48", "4", "4", "1", "3"]
    assert out[2].split() == ["T_h", "24", "24", "12", "1", "23"]
    assert "O_h: 1 proven to be at 20, 0 at 19 or less" in out[-2]
    assert class_counts.main(["names=O_h"]) == 0
    assert "O_h: complete, 1 of 4 at 20, none deeper" in capsys.readouterr().out
    assert class_counts.main(["--help"]) == 0
    for wrong in (["names=C_3"], ["fast"], ["speed=1"]):
        assert class_counts.main(wrong) == 2
    assert "unknown class 'C_3'" in capsys.readouterr().out
