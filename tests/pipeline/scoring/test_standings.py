"""Standings, Holm's correction, the short report, and the published schema of results.json."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from documents import ROOT
from results_json_schema import json_schema

from facelet.generators.core.task import Traits
from facelet.pipeline import family_modules
from facelet.pipeline.scoring.aggregate.estimates import correct_holm
from facelet.pipeline.scoring.render import figure_tables, markdown
from facelet.pipeline.scoring.scorer import Scores, ScoreSettings, score

SCHEMA = ROOT / "conf" / "schema" / "results.json"
ROWS = 40
LINES = 120
"""Most lines of results.md."""


def test_holm_is_that_of_the_paper() -> None:
    # The example of Aickin and Gensler 1996, table 1: four tests.
    assert correct_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert correct_holm([None, 0.2]) == [None, 0.2]
    assert correct_holm([0.6, 0.7]) == [1.0, 1.0]


def test_holm_keeps_the_share_of_families_with_a_wrong_claim() -> None:
    rng = np.random.default_rng(5)
    families = rng.random((4000, 10))
    wrong = np.mean([min(p or 1.0 for p in correct_holm(row)) < 0.05 for row in families.tolist()])
    plain = np.mean((families < 0.05).any(axis=1))
    assert 0.035 < wrong < 0.065
    assert plain > 0.35, "without a correction most families have one"


@pytest.fixture
def scored(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], jsonl: Callable[..., Path]
) -> Callable[..., Scores]:
    """Return what scores models who know so many of the rows of two configs."""

    def score_models(known: dict[str, Sequence[int]], **settings: Any) -> Scores:
        rows = letter_rows(ROWS)
        turns = [{"group": f"t{k}"} for k in range(4)]
        data = publish({"toy/letters": rows, "toy/turns": turns})
        records = []
        for model, (letters, pongs) in known.items():
            for k, row in enumerate(rows):
                right = "ABCD"[k % 4] if k < letters else "ABCD"[(k + 1) % 4]
                name = f"toy.letters/d{row['difficulty']:02d}/{k:06d}"
                said = f"<ANSWER>{right}</ANSWER>"
                records.append({"id": name, "model": model, "prediction": said})
            for k in range(4):
                said = ["ping", "pong" if k < pongs else "ping"]
                name = f"toy.turns/d01/{k:06d}"
                records.append({"id": name, "model": model, "prediction": said})
        path = jsonl(records)
        return score(
            data, [path], ScoreSettings(resamples=200, **settings), path.with_name("said.parquet")
        )

    return score_models


def test_a_suite_is_the_mean_over_its_configs_and_ties_look_like_ties(
    scored: Callable[..., Scores],
) -> None:
    results = scored({"low": (10, 0), "high": (34, 3), "near": (33, 3)}).results
    (suite,) = results["suites"]
    assert suite["suite"] == "toy"
    found = {one["model"]: one for one in suite["models"]}
    assert [one["model"] for one in suite["models"]] == ["high", "near", "low"]
    assert found["high"]["accuracy"]["value"] == pytest.approx((34 / 40 + 3 / 4) / 2)
    assert found["low"]["accuracy"]["value"] == pytest.approx((10 / 40 + 0) / 2)
    for one in found.values():
        figure = one["accuracy"]
        assert figure["low"] <= figure["value"] <= figure["high"]
        assert one["configs"] == 2 and one["items"] == ROWS + 4
    ranks = {name: (one["first"], one["last"]) for name, one in found.items()}
    assert ranks == {"high": (1, 2), "near": (1, 2), "low": (3, 3)}
    assert all(duel["p_holm"] >= duel["p_value"] for duel in suite["duels"])
    shown = markdown.render_document(results)
    assert "| 1 to 2 | high" in shown and "| 3      | low" in shown


def test_a_config_that_tells_its_answer_is_named_and_not_in_the_mean(
    scored: Callable[..., Scores], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = family_modules.load_task("toy/letters")
    monkeypatch.setattr(type(task), "traits", Traits(leaks=("modality", "text")))
    results = scored({"copies": (40, 1), "thinks": (20, 3)}).results
    (suite,) = results["suites"]
    assert suite["left_out"] == ["toy.letters"]
    assert [(one["model"], one["configs"], one["items"]) for one in suite["models"]] == [
        ("thinks", 1, 4),
        ("copies", 1, 4),
    ]
    assert suite["models"][0]["accuracy"]["value"] == pytest.approx(3 / 4)
    for shown in (
        markdown.render_document(results),
        markdown.render_summary(results),
        figure_tables.render_tables(results),
    ):
        assert "letters" in shown and "rows reveal their answer" in shown
    split = results["models"][0]["configs"]["toy.letters"]["splits"]["test"]
    assert split["leaks"] and split["cells"][0]["figures"]["accuracy"]["value"] == 1.0
    # Where every config tells its answer, none is left out.
    monkeypatch.setattr(type(family_modules.load_task("toy/turns")), "traits", task.traits)
    monkeypatch.setattr("facelet.pipeline.scoring.scored_dataset.ScoredSplit.leaks", True)
    (suite,) = scored({"copies": (40, 1)}).results["suites"]
    assert suite["left_out"] == [] and suite["models"][0]["configs"] == 2


def test_every_config_and_suite_has_a_baseline_in_the_unit_of_its_accuracy(
    publish: Callable[..., Path], jsonl: Callable[..., Path]
) -> None:
    effects = [["DECREASE"] * 4, ["DECREASE"] * 4, ["INCREASE"] * 4]
    data = publish({"toy/classes": [{"effects": one, "right": one[0]} for one in effects]})
    ids = [f"toy.classes/d01/{k:06d}" for k in range(3)]
    records = [{"id": key, "model": "m", "prediction": "A: DECREASE"} for key in ids]
    results = score(data, [jsonl(records)]).results
    split = results["models"][0]["configs"]["toy.classes"]["splits"]["test"]
    accuracy = split["cells"][0]["figures"]["accuracy"]
    assert split["floor"] is None and split["answer_floor"]["player"] == "commonest answer"
    assert accuracy["unit"] == "answers"
    assert accuracy["baselines"] == {"floor": pytest.approx(2 / 3)}
    assert accuracy["verdict"] == "not above the floor"
    mean = results["suites"][0]["models"][0]["accuracy"]["baselines"]
    assert mean == {"floor": pytest.approx(2 / 3), "shortcut": pytest.approx(2 / 3)}


def test_twelve_models_are_ranked_and_the_report_stays_short(
    scored: Callable[..., Scores],
) -> None:
    results = scored({f"m{k:02d}": (3 * k, k % 5) for k in range(12)}).results
    (suite,) = results["suites"]
    assert len(suite["duels"]) == 66 and not results["comparisons"]
    assert suite["models"][0]["first"] == 1
    text, shown = markdown.render_document(results), markdown.render_summary(results)
    assert len(text.splitlines()) <= LINES
    assert shown.count("|--") == len(shown.split("\n\n")[1].splitlines()[1].split("|--")) - 1
    assert sum(line.startswith("|--") for line in shown.splitlines()) == 1, "one table"


def test_the_report_of_many_configs_and_models_is_bounded(scored: Callable[..., Scores]) -> None:
    results: Any = copy.deepcopy(scored({"a": (10, 0)}).results)
    (model,) = results["models"]
    (suite,) = results["suites"]
    split = model["configs"]["toy.letters"]
    model["configs"] = {f"toy.c{k:04d}": split for k in range(900)}
    results["models"] = [{**model, "model": f"m{k}"} for k in range(50)]
    results["suites"] = [{**suite, "suite": f"s{k}"} for k in range(60)]
    results["unavailable"] = [
        {"config": f"toy.u{k}", "split": "test", "reason": "gone"} for k in range(99)
    ]
    results["not_scored"] = [f"toy.n{k}/test" for k in range(500)]
    lines = markdown.render_document(results).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) < 1000


def test_replies_are_kept_as_they_were_judged(
    scored: Callable[..., Scores], tmp_path: Path
) -> None:
    scored({"a": (1, 1)})
    kept = pq.read_table(tmp_path / "said.parquet").to_pylist()
    assert len(kept) == ROWS + 4
    by_id = {one["id"]: one for one in kept}
    assert by_id["toy.letters/d01/000000"]["replies"] == ["<ANSWER>A</ANSWER>"]
    assert by_id["toy.turns/d01/000000"]["replies"] == ["ping", "pong"]
    assert {one["model"] for one in kept} == {"a"}


def test_the_published_schema_is_that_of_the_types() -> None:
    text = json.dumps(json_schema(), indent=1) + "\n"
    assert SCHEMA.read_text() == text, (
        "print it again: python tests/shared/results_json_schema.py > conf/schema/results.json"
    )


def test_results_are_of_the_schema_and_a_fault_is_seen(scored: Callable[..., Scores]) -> None:
    results: Any = json.loads(json.dumps(scored({"a": (10, 0), "b": (9, 1)}).results))
    check = jsonschema.Draft202012Validator(json_schema())
    check.validate(results)
    for damage in (
        lambda r: r["suites"][0]["models"][0].pop("first"),
        lambda r: r.update(schema_version=1),
        lambda r: r["models"][0]["configs"]["toy.letters"]["splits"]["test"].update(items="4"),
    ):
        other = copy.deepcopy(results)
        damage(other)
        assert not check.is_valid(other)
