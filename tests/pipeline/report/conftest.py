"""One small dataset, scored once, for all pages."""

from __future__ import annotations

from pathlib import Path

import pytest
import scored_site

from facelet.pipeline.cli import main

PRICES = 'prices={"alpha": [2, 10]}'
"""A million tokens of the prompts and of the replies of one model."""


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scored_site.build_dataset(tmp_path_factory.mktemp("pages") / "data")


@pytest.fixture(scope="session")
def run(dataset: Path) -> Path:
    """The scores of three models; one says markup, one has some in its name."""
    said = scored_site.write_predictions(
        dataset, dataset.with_name("said.jsonl"), scored_site.MODELS
    )
    return scored_site.score_predictions(dataset, said, dataset.with_name("data.score"))


@pytest.fixture(scope="session")
def site(run: Path) -> Path:
    out = run.with_name("site")
    assert main(["report", str(run), f"out={out}", "replays=2", PRICES]) == 0
    return out
