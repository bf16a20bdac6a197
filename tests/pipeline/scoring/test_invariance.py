"""What a change of looks costs: which configs are compared, which rows, and by how much."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core.params import BaseParams, param
from facelet.pipeline.scoring.render import figure_tables, markdown
from facelet.pipeline.scoring.scorer import ScoreSettings, score

COUNT = 60


@dataclass(frozen=True, slots=True)
class LookParams(BaseParams):
    depth: int = param(1, "depth", low=1, axis="depth")
    light: str = param("day", "how it is lit", look=True)
    patches: int = param(0, "what is covered", look=True)
    hint: str = param("none", "what is told")


CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"light": "day", "patches": 0, "hint": "none"},
    "night": {"light": "night", "patches": 0, "hint": "none"},
    "covered_night": {"light": "night", "patches": 3, "hint": "none"},
    "told": {"light": "day", "patches": 0, "hint": "much"},
    "told_night": {"light": "night", "patches": 0, "hint": "much"},
    "strange": {"light": "day", "patches": 0, "hint": "strange"},
}


@pytest.fixture
def dataset(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A dataset of letters, once under each of CONFIGS; one row of the night is another puzzle."""
    toy = sys.modules["facelet.generators.toy.tasks.letters"].TASK
    monkeypatch.setattr(toy, "params", LookParams, raising=False)
    root = publish({"toy/letters": letter_rows(COUNT)})
    source = root / "toy.letters"
    (file,) = source.glob("*.parquet")
    rows = pq.read_table(file)
    for name in CONFIGS:
        made = rows.to_pylist()
        for row in made:
            row["id"] = row["id"].replace("toy.letters", f"toy.{name}")
        if name == "night":
            made[0]["group"] = "another"
        (root / f"toy.{name}").mkdir()
        table = pa.Table.from_pylist(made, schema=rows.schema)
        pq.write_table(table, root / f"toy.{name}" / file.name)
    file.unlink()
    source.rmdir()
    describe_folder(root)
    manifest = json.loads((root / "manifest.json").read_text())
    for place, (name, params) in enumerate(CONFIGS.items()):
        # The depths that were asked for may differ; what both have is compared.
        manifest["configs"][f"toy.{name}"]["params"] = {"depth": [1, 2, 3][place % 2 :]} | params
    (root / "manifest.json").write_text(json.dumps(manifest))
    return root


def make_answers(root: Path, rights: dict[str, list[bool]]) -> list[dict[str, str]]:
    found = []
    for name, right in rights.items():
        (file,) = (root / f"toy.{name}").glob("*.parquet")
        for row, good in zip(pq.read_table(file).to_pylist(), right, strict=True):
            letter = row["right"] if good else "ABCD"["ABCD".index(row["right"]) - 1]
            found.append({"id": row["id"], "prediction": f"<ANSWER>{letter}</ANSWER>"})
    return found


def test_rows_are_paired_and_the_difference_is_that_of_the_pairs(
    dataset: Path, jsonl: Callable[..., Path]
) -> None:
    rng = np.random.default_rng(5)
    rights = {name: (rng.random(COUNT) < 0.7).tolist() for name in CONFIGS}
    results = score(dataset, [jsonl(make_answers(dataset, rights))], ScoreSettings()).results
    (model,) = results["models"]
    found = {(part["config"], part["clean"]) for part in model["looks"]}
    assert found == {
        ("toy.night", "toy.plain"),
        ("toy.covered_night", "toy.plain"),
        ("toy.told_night", "toy.told"),
    }
    whole = {part["config"]: part for part in model["looks"] if part["difficulty"] is None}
    night = whole["toy.night"]
    assert night["looks"] == {"light": "night"}
    assert whole["toy.covered_night"]["looks"] == {"light": "night", "patches": 3}
    # The first row of the night is another puzzle: it is paired with none.
    plain, dark = (np.array(rights[name][1:]) for name in ("plain", "night"))
    assert night["items"] == COUNT - 1 and night["figure"] == "accuracy"
    assert night["clean_value"] == pytest.approx(plain.mean())
    assert night["value"] == pytest.approx(dark.mean())
    assert night["difference"] == pytest.approx(dark.mean() - plain.mean())
    assert night["lost"] == int((plain & ~dark).sum()) and night["won"] == (~plain & dark).sum()
    assert night["low"] < night["difference"] < night["high"]
    assert night["test"] == "mcnemar_exact"
    by_level = [
        part
        for part in model["looks"]
        if part["config"] == "toy.night" and part["difficulty"] is not None
    ]
    assert [part["difficulty"] for part in by_level] == [1, 2, 3]
    assert sum(part["items"] for part in by_level) == COUNT - 1
    text = figure_tables.render_tables(results)
    assert "Against clean looks, paired by puzzle" in text
    assert f"{100 * night['difference']:+.1f} [" in text
    assert "of 3 changes of looks differ significantly (Holm, 5%)" in markdown.render_summary(
        results
    )


def test_equal_answers_differ_in_nothing(dataset: Path, jsonl: Callable[..., Path]) -> None:
    rights = {
        "plain": [k % 3 > 0 for k in range(COUNT)],
        "night": [k % 3 > 0 for k in range(COUNT)],
    }
    (model,) = score(dataset, [jsonl(make_answers(dataset, rights))]).results["models"]
    assert {part["difference"] for part in model["looks"]} == {0.0}
    assert all(part["lost"] == part["won"] == 0 for part in model["looks"])


def test_rows_that_were_not_asked_are_left_out_if_so_asked(
    dataset: Path, jsonl: Callable[..., Path]
) -> None:
    rights = {"plain": [True] * COUNT, "night": [True] * COUNT}
    some = [row for k, row in enumerate(make_answers(dataset, rights)) if k < COUNT or k % 2]
    file = jsonl(some)
    (model,) = score(dataset, [file]).results["models"]
    assert model["looks"] == [], "of a half that arrived nothing is compared"
    (model,) = score(dataset, [file], ScoreSettings(missing="ignore")).results["models"]
    whole = next(part for part in model["looks"] if part["difficulty"] is None)
    assert (whole["items"], whole["value"]) == (30, 1.0)


def test_one_config_alone_is_compared_with_nothing(
    dataset: Path, jsonl: Callable[..., Path]
) -> None:
    results = score(dataset, [jsonl(make_answers(dataset, {"night": [True] * COUNT}))]).results
    assert results["models"][0]["looks"] == []
    assert "Against clean" not in figure_tables.render_tables(results)
