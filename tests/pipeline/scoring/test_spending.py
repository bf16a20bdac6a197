"""Spending: what records of each form say that a reply took, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from facelet.pipeline.scoring.ingest.token_usage import spent
from facelet.pipeline.scoring.render import figure_tables
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score

TOKENS = {"prompt_tokens": 30, "completion_tokens": 4}
CLAUDE = {"input_tokens": 30, "output_tokens": 4}
BOTH = {"prompt_tokens": 30.0, "completion_tokens": 4.0}


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"id": "a", "prediction": "A"}, {}),
        ({"seconds": 2}, {"seconds": 2.0}),
        ({"seconds": [1.5, 2]}, {"seconds": 3.5}),
        ({"usage": TOKENS}, BOTH),
        ({"usage": [TOKENS, TOKENS], "seconds": [1, 1]},
         {"prompt_tokens": 60.0, "completion_tokens": 8.0, "seconds": 2.0}),
        ({"usage": [TOKENS, {"prompt_tokens": 5, "completion_tokens": None}]},
         {"prompt_tokens": 35.0}),
        ({"response": {"body": {"usage": TOKENS, "choices": [{}]}}}, BOTH),
        ({"response": {"body": {"usage": CLAUDE, "output": []}}}, BOTH),
        ({"response": {"body": {"usage": TOKENS, "choices": [{}, {}]}}}, {}),
        ({"result": {"message": {"usage": CLAUDE}}}, BOTH),
        ({"model_usage": {"m": CLAUDE}, "total_time": 9.5}, BOTH | {"seconds": 9.5}),
        ({"usage": {"prompt_tokens": -1, "completion_tokens": 1e300}}, {}),
        ({"usage": {"prompt_tokens": True, "completion_tokens": "4"}}, {}),
        ({"usage": "many", "seconds": "long"}, {}),
        ({"usage": [None, 7], "seconds": [[1], 2]}, {}),
        ({"seconds": float("nan")}, {}),
        ({"seconds": float("inf")}, {}),
        ({"seconds": []}, {}),
        ({"response": [], "result": 3, "model_usage": 4}, {}),
    ],
)  # fmt: skip
def test_what_is_said_is_summed_and_nonsense_is_left_out(
    record: dict[str, Any], found: dict[str, float]
) -> None:
    assert spent(record) == found


def test_means_are_over_the_plays_that_say_it(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    root = publish({"toy/letters": letter_rows(30)})
    ids = [f"toy.letters/d{1 + k % 3:02d}/{k:06d}" for k in range(30)]
    records = [{"id": name, "prediction": "A"} for name in ids]
    for place, record in enumerate(records[:10]):
        record |= {"seconds": place, "usage": {"completion_tokens": 2 * place}}
    (model,) = score(root, [jsonl(records)], ScoreSettings(resamples=100)).results["models"]
    cell = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]
    figures = cell["figures"]
    assert figures["seconds"]["value"] == pytest.approx(4.5)
    assert figures["seconds"]["units"] == 10
    assert figures["completion_tokens"]["value"] == pytest.approx(9.0)
    assert "prompt_tokens" not in figures


def test_plays_whose_code_could_reach_the_puzzle_are_told_apart(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    rows = letter_rows(30)
    root = publish({"toy/letters": rows})
    ids = [f"toy.letters/d{1 + k % 3:02d}/{k:06d}" for k in range(30)]
    answers = [f"<ANSWER>{'ABCD'[k % 4]}</ANSWER>" for k in range(30)]
    records: list[dict[str, Any]] = [
        {"id": name, "prediction": said} for name, said in zip(ids, answers, strict=True)
    ]
    for place in range(4):
        records[place]["code"] = "in process"
    for place in range(4, 14):
        records[place]["code"] = ("jail", "own process", "isolated")[max(place - 11, 0)]
        if place >= 8:
            records[place]["prediction"] = "none"
    for place, value in enumerate((None, True, "In process", ["isolated"], {}, ""), 14):
        records[place]["code"] = value
    found = score(root, [jsonl(records)], ScoreSettings(resamples=100))
    (model,) = found.results["models"]
    cell = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]
    figures = {name: (one["value"], one["units"]) for name, one in cell["figures"].items()}
    assert figures["in_process_code_rate"] == (pytest.approx(4 / 14), 14)
    assert figures["in_process_code_accuracy"] == (1.0, 4)
    assert figures["jailed_code_rate"] == (pytest.approx(8 / 14), 14)
    assert figures["jailed_code_accuracy"] == (pytest.approx(0.5), 8)
    assert figures["own_process_code_rate"] == (pytest.approx(2 / 14), 14)
    assert figures["own_process_code_accuracy"] == (0.0, 2)
    text = figure_tables.render_tables(found.results)
    assert "in process code accuracy" in text.lower().replace("_", " ")
    write_items(found.populations, root / "items.parquet")
    said = pq.read_table(root / "items.parquet").column("metric_code_place").to_pylist()
    assert said == [2.0] * 4 + [0.0] * 8 + [1.0] * 2 + [None] * 16


def test_where_no_code_ran_nothing_is_said_of_it(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    root = publish({"toy/letters": letter_rows(4)})
    path = jsonl([{"id": "toy.letters/d01/000000", "prediction": "A", "code": "none"}])
    (model,) = score(root, [path], ScoreSettings(resamples=100)).results["models"]
    figures = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]["figures"]
    assert not [name for name in figures if "code" in name]
