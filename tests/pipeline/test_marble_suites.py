"""The suites of MARBLE's jigsaw cubes: the paper's counts, and the grid between its settings."""

from __future__ import annotations

import pytest

from pipeline.config import resolve
from pipeline.plan import make_plan


def cells(*words: str):
    return make_plan(resolve(words)[0]).configs()


@pytest.mark.parametrize(("profile", "factor"), [("paper", 1.0), ("large", 10.0), ("smoke", 0.08)])
def test_counts_are_the_papers_times_the_profile(profile: str, factor: float) -> None:
    found = cells("suites=[marble]", f"profile={profile}")
    counts = {"assemble": 1000, "assemble_easy": 1000, "perception": 200}
    for name, count in counts.items():
        assert [cell.asked for cell in found[f"marble.{name}"]] == [round(factor * count)]


def test_a_count_of_its_own_takes_the_place_of_a_multiple() -> None:
    found = cells("suites=[marble]", "marble.assemble.count=7", "marble.perception.times=3")
    assert found["marble.assemble"][0].asked == 7
    assert found["marble.perception"][0].asked == 300
    with pytest.raises(ValueError, match=r"marble.perception.times"):
        cells("suites=[marble]", "marble.perception.times=0")


def test_the_grid_spans_all_conditions() -> None:
    found = cells("suites=[marble_variants]")
    knobs = [dict(cell.params) for grid in found.values() for cell in grid]
    spanned = {
        (each["missing"], each["flips"], each["modality"])
        for each in knobs
        if each["feedback"] == "none"
    }
    assert len(spanned) == 6 * 2 * 2
    refined = {
        (each["missing"], each["flips"], each["feedback"], each["rounds"])
        for each in knobs
        if each["feedback"] != "none"
    }
    assert refined == {
        (missing, flips, feedback, 5)
        for missing, flips in ((6, True), (2, False))
        for feedback in ("binary", "detailed")
    }
