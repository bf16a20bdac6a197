"""A small dataset of two suites, models that know a part of it, and their scores, for pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.row_opener import read_row, rows

MARKUP = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> ]]> </pre> <b>B</b>"
"""What a model says that would rather be code."""

MODELS = {"alpha": 4, "beta <b>7B</b>": 2, "=gamma": 1}
"""Models, and of how many of four rows they know the answer."""

WORDS = ("profile=smoke", "suites=[evolarena,inf_bench]", "tasks=[xor_breaking,forward_2d]")


def build_dataset(out: Path, *words: str) -> Path:
    """Build a dataset of a game and a question with pictures, at two levels each."""
    assert main(["build", *WORDS, "count=4", "levels=1-2", *words, f"out={out}"]) == 0
    return out


def write_predictions(dataset: Path, path: Path, models: Mapping[str, int]) -> Path:
    """Write what models say who know `models[name]` of four rows, and say markup to the others.

    The first two say what each answer took.
    """
    with path.open("w") as out:
        for part in dataset_reader.list_splits(dataset):
            for number, raw in enumerate(rows(dataset, part.config, part.name)):
                row = read_row(raw)
                right = row.task.reference(row.instance)
                for place, (model, known) in enumerate(models.items()):
                    said = right if number % 4 < known else [MARKUP, *right[1:]]
                    record: dict[str, object] = {
                        "id": row.id,
                        "model": model,
                        "prediction": said,
                    }
                    if place < 2:
                        record |= usage_figures(number)
                    out.write(json.dumps(record) + "\n")
    return path


def usage_figures(number: int) -> dict[str, object]:
    """Return what an answer says that it took."""
    usage = {"prompt_tokens": 300 + 10 * number, "completion_tokens": 20 + 5 * number}
    return {"seconds": 1.5 + number, "usage": usage}


def score_predictions(dataset: Path, predictions: Path, out: Path, *words: str) -> Path:
    """Score predictions into a folder."""
    place = [f"dataset={dataset}", f"predictions={predictions}", f"out={out}"]
    assert main(["score", *place, "resamples=100", *words]) == 0
    return out
