from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.cli import main
from facelet.pipeline.publish import dataset_diff
from facelet.pipeline.publish.dataset_diff import ChangeLevel, Version, compare_datasets

VERSIONS = st.builds(Version, *[st.integers(0, 40)] * 3)


@given(VERSIONS, st.sampled_from(ChangeLevel))
def test_what_follows_fits_and_nothing_below_does(previous: Version, level: ChangeLevel) -> None:
    after = dataset_diff.next_version(previous, level)
    dataset_diff.check_step(after, previous, level)
    assert dataset_diff.parse_version(str(after)) == after and dataset_diff.versions_from_tags(
        [after.tag_name]
    ) == [after]
    for below in ChangeLevel:
        if below < level and (least := dataset_diff.next_version(previous, below)) < after:
            with pytest.raises(ValueError, match=f"use {after}"):
                dataset_diff.check_step(least, previous, level)
    with pytest.raises(ValueError, match="is not above"):
        dataset_diff.check_step(previous, previous, level)


def test_before_one_everything_may_change() -> None:
    assert dataset_diff.next_version(Version(0, 3, 2), ChangeLevel.MAJOR) == Version(0, 4, 0)
    assert dataset_diff.next_version(Version(1, 3, 2), ChangeLevel.MAJOR) == Version(2, 0, 0)


@pytest.mark.parametrize(
    "text", ["1", "1.2", "v1.2.3", "1.2.3-rc1", "01.2.3", "1.2.3.4", "", "1.2.x"]
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match=r"MAJOR\.MINOR\.PATCH"):
        dataset_diff.parse_version(text)


def test_other_tags_are_passed_over() -> None:
    tags = ["v10.0.0", "latest", "v2.1.0", "1.0.0", "v1.0", "v2.0.9"]
    assert list(map(str, dataset_diff.versions_from_tags(tags))) == ["2.0.9", "2.1.0", "10.0.0"]


def test_rows_new_gone_and_changed(builds: Path) -> None:
    same = compare_datasets(builds / "a", builds / "a")
    assert (same.changes, same.same, same.change_level) == ((), 1, ChangeLevel.PATCH)
    (more,) = compare_datasets(builds / "a", builds / "more").changes
    assert len(more.new) == 14 and not more.gone and not more.changed
    assert more.change_level is ChangeLevel.MINOR
    (less,) = compare_datasets(builds / "more", builds / "a").changes
    assert less.gone == more.new and less.change_level is ChangeLevel.MAJOR
    (other,) = compare_datasets(builds / "a", builds / "other").changes
    assert len(other.changed) == 36 and not other.new and not other.gone
    assert other.reasons == ("seed 0 -> 1",) and other.columns["messages"] == 36
    assert other.change_level is ChangeLevel.MAJOR


def rewrite(out: Path, change) -> None:
    """Change every row of a copy, and the manifest with it."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq
    from describing import describe_folder

    for path in sorted(out.glob("*/*.parquet")):
        table = pq.read_table(path)
        held = table.to_pylist()
        for row in held:
            change(row)
        pq.write_table(pa.Table.from_pylist(held, table.schema), path)
    seed = json.loads((out / "manifest.json").read_text())["seed"]
    manifest = describe_folder(out)
    (out / "manifest.json").write_text(json.dumps({**manifest, "seed": seed}))


@pytest.mark.parametrize(
    ("column", "level", "says"),
    [
        ("provenance", ChangeLevel.PATCH, "provenance"),
        ("gold", ChangeLevel.MAJOR, "answer"),
        ("task_version", ChangeLevel.MAJOR, "task version 1 -> 2"),
        ("image_hashes", ChangeLevel.MAJOR, "pictures"),
    ],
)
def test_which_column_changed_decides(
    builds: Path, tmp_path: Path, column: str, level: ChangeLevel, says: str
) -> None:
    import shutil

    def change_column(row) -> None:
        value = row[column]
        if column == "provenance":
            row[column] = {**value, "generator": "facelet 9"}
        elif column == "task_version":
            row[column] = 2
        else:
            row[column] = [*value, "ab"] if isinstance(value, list) else f"{value}x"

    before = shutil.copytree(builds / "a", tmp_path / "before")
    rewrite(before, lambda row: None)
    after = shutil.copytree(builds / "a", tmp_path / "after")
    rewrite(after, change_column)
    found = compare_datasets(before, after)
    assert found.change_level is level
    assert says in found.format_lines()[0] and "36 rows changed" in found.format_lines()[0]
    assert set(found.changes[0].columns) == {column}


def test_the_verb_says_which_version_follows(builds: Path, capsys) -> None:
    assert main(["diff", str(builds / "a"), str(builds / "more"), "since=1.2.3", "rows=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "minor: 1.2.3 -> 1.3.0"
    assert "  new      and 13 more" in lines
    assert main(["diff", str(builds / "a")]) == 2
    assert "new=... is required: a dataset folder" in capsys.readouterr().err
    assert main(["diff", "a", "b", "c"]) == 2
