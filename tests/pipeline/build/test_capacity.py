"""A task that says how many distinct items there are gets no more, and the manifest says why."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from facelet.pipeline.build.build_plan import CellFill, compute_plan, fill_cells


def test_a_task_that_has_few_items_is_asked_for_no_more(two_families, toy, tmp_path):
    two_families.add("pear", "def few(self, params):\n    return 5\n")
    source = two_families.root / "pear" / "tasks" / "count.py"
    source.write_text(
        source.read_text().replace("    def needs", "    capacity = helping.few\n\n    def needs")
    )
    settings = toy.settings(tmp_path / "out", entries=two_families.entries, ranges=toy.depths(1))
    manifest = toy.run(settings)
    (apple,), (pear,) = (
        manifest.configs[f"toys.{name}"].splits["test"].cells for name in ("apple", "pear")
    )
    assert apple.items == apple.asked > 5 and apple.note == ""
    assert (pear.items, pear.capacity) == (5, 5)
    assert pear.note == f"pear/count has 5 distinct items here, {pear.asked} were asked for"


@pytest.mark.parametrize(("draws", "items", "capacity"), [(1, 7, 7), (2, 14, 14), (5, 24, 35)])
def test_a_pool_is_drawn_from_as_often_as_the_task_allows(
    toy, tmp_path, monkeypatch, draws, items, capacity
):
    """The pool of depth 3 holds 7 numbers; 24 items are asked for."""
    monkeypatch.setattr(toy.toy_family.ToyTask, "items_per_state", lambda self, params: draws)
    plan = compute_plan(toy.settings(tmp_path / "out", ranges=toy.depths(3)))
    merged = SimpleNamespace(about={"capacity": 7, "shortfall": "only 7 numbers"})
    pool = SimpleNamespace(record=merged)
    (filled,) = fill_cells(plan.cells, {plan.pools[0].key: pool})
    assert plan.cells[0].asked == 24
    more = f"; {items} items are made of them, at most {draws} of each" if draws > 1 else ""
    note = f"only 7 numbers{more}"
    assert filled == CellFill(plan.cells[0], filled.task, items, capacity, note, pieces=7)
