"""A task that says how many distinct items there are gets no more, and the manifest says why."""

from __future__ import annotations


def test_a_task_that_has_few_items_is_asked_for_no_more(two_families, toy, tmp_path):
    two_families.add("pear", "def few(self, params):\n    return 5\n")
    source = two_families.root / "pear" / "tasks" / "count.py"
    source.write_text(
        source.read_text().replace("    def needs", "    capacity = helping.few\n\n    def needs")
    )
    settings = toy.settings(tmp_path / "out", entries=two_families.entries, ranges=toy.depths(1))
    manifest = toy.run(settings)
    (apple,), (pear,) = (
        manifest["configs"][f"toys.{name}"]["splits"]["test"]["cells"] for name in ("apple", "pear")
    )
    assert apple["items"] == apple["asked"] > 5 and apple["note"] == ""
    assert (pear["items"], pear["capacity"]) == (5, 5)
    assert pear["note"] == f"pear/count has 5 distinct items here, {pear['asked']} were asked for"
