"""Minority F1 as the scorer counts it, against scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.scoring.scorer import ScoreSettings, score

CONFIG = "marble_variants.plan_correctness_symbolic"


def score_cells(built: Path, replies: dict[str, str], tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"id": key, "prediction": reply}) for key, reply in replies.items()]
    path.write_text("\n".join(lines))
    found = score(built, [path], ScoreSettings(resamples=50)).results["models"][0]
    return found["configs"][CONFIG]["splits"]["test"]["cells"]


def golds(built: Path) -> dict[str, tuple[int, str]]:
    (split,) = dataset_reader.list_splits(built)
    return {
        row["id"]: (row["difficulty"], row["gold"])
        for row in split.iterate_rows(["id", "difficulty", "gold"])
    }


SAID = {"Answer: Yes": "yes", "Answer: No": "no", "I cannot tell.": "none", "": "none"}


@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_scikit_learn(built: Path, tmp_path: Path, seed: int) -> None:
    """A reply that cannot be read, and one that is missing, is no answer of either label."""
    rng = np.random.default_rng(seed)
    gold = golds(built)
    replies = {
        key: str(
            rng.choice(list(SAID)[:3], p=[0.5, 0.4, 0.1] if right == "no" else [0.7, 0.2, 0.1])
        )
        for key, (_, right) in gold.items()
    }
    for key in list(replies)[7::23]:
        del replies[key]
    found = {cell["difficulty"]: cell["figures"] for cell in score_cells(built, replies, tmp_path)}
    assert set(found) == {None, 7, 12, 18, 24}
    for level, figures in found.items():
        mine = [key for key, (steps, _) in gold.items() if level in (None, steps)]
        precision, recall, f1, _ = precision_recall_fscore_support(
            [gold[key][1] for key in mine],
            [SAID[replies.get(key, "")] for key in mine],
            labels=["yes"],
            average=None,
            zero_division=0,
        )
        assert figures["f1"]["value"] == pytest.approx(f1[0])
        assert figures["precision"]["value"] == pytest.approx(precision[0])
        assert figures["recall"]["value"] == pytest.approx(recall[0])


@pytest.mark.parametrize(
    ("reply", "f1", "precision", "recall"),
    [("Answer: Yes", 2 / 33, 1 / 32, 1.0), ("Answer: No", 0, 0, 0), ("Who knows?", 0, 0, 0)],
)
def test_players_of_one_reply(
    built: Path, tmp_path: Path, reply: str, f1: float, precision: float, recall: float
) -> None:
    whole = score_cells(built, dict.fromkeys(golds(built), reply), tmp_path)[0]["figures"]
    found = [whole[name]["value"] for name in ("f1", "precision", "recall")]
    assert found == pytest.approx([f1, precision, recall])
