"""The suites of CubeBench: the paper's counts, and the same states under other conditions."""

from __future__ import annotations

import pytest
from typed import resolve_words

from facelet.pipeline.build.build_plan import BuildPlan, compute_plan

PAPER = (1, 2, 3, 4, 8, 12, 16, 20)


def plan(*words: str) -> BuildPlan:
    return compute_plan(resolve_words(words)[0])


def rows_by_level(made: BuildPlan, config: str) -> dict[int, int]:
    return {
        cell.difficulty.value: cell.asked * cell.rows_per_item
        for cell in made.cells_by_config().get(config, [])
    }


def test_the_base_set_is_the_papers() -> None:
    made = plan("suites=[cube_bench,cubebench]", "depths=1-20")
    assert rows_by_level(made, "cubebench.navigate") == dict.fromkeys(PAPER, 20)
    assert sum(rows_by_level(made, "cubebench.navigate").values()) == 160
    assert any("cubebench.navigate: depths 5-7,9-11" in note for note in made.left_out)


@pytest.mark.parametrize("profile", ["paper", "large"])
@pytest.mark.parametrize(
    ("depths", "kept"), [("1-5", (1, 2, 3, 4)), ("3-16", (3, 4, 8, 12, 16)), ("20", (20,))]
)
def test_depths_asked_for_cut_it(profile: str, depths: str, kept: tuple[int, ...]) -> None:
    made = plan("suites=[cubebench]", f"profile={profile}", f"depths={depths}")
    assert rows_by_level(made, "cubebench.navigate") == dict.fromkeys(kept, 20)


def test_depths_that_it_has_not_are_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match=r"depths 5-7 are left out \(cubebench.navigate.depths="):
        plan("suites=[cubebench]", "depths=5-7")


def test_any_depths_and_counts_can_be_asked_for() -> None:
    words = ("cubebench.navigate.depths=2,5-7", "cubebench.navigate.count=30", "depths=1-20")
    made = plan("suites=[cubebench]", *words)
    assert rows_by_level(made, "cubebench.navigate") == dict.fromkeys((2, 5, 6, 7), 120)


def test_variants_draw_the_same_states() -> None:
    made = plan("suites=[cubebench,cubebench_variants]", "depths=1-20")
    base = {cell.label: (cell.seed_names, cell.pool) for cell in made.cells[: len(PAPER)]}
    assert {cell.config for cell in made.cells[: len(PAPER)]} == {"cubebench.navigate"}
    assert all((cell.seed_names, cell.pool) == base[cell.label] for cell in made.cells)
    counts = {name: sum(rows_by_level(made, name).values()) for name in made.cells_by_config()}
    for name, moves in (("no_code", 0), ("unlimited", 1_000_000)):
        assert counts.pop(f"cubebench_variants.{name}") == 4 * 5
        capped = made.cells_by_config()[f"cubebench_variants.{name}"]
        assert {dict(cell.params)["moves"] for cell in capped} == {moves}
    assert set(counts.values()) == {160}
    spanned = {(dict(cell.params)["reward"], dict(cell.params)["agent"]) for cell in made.cells}
    assert spanned == {
        ("none", "basic"),
        ("sticker", "basic"),
        ("face", "basic"),
        ("heuristic", "basic"),
        ("none", "standard"),
        ("none", "ideal"),
    }
