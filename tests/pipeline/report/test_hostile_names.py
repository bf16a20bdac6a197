"""Reports about models whose names are more than names: none fails, none has markup in it.

FACELET_NAMES sets how many names are tried; `make test-hostile` takes 10,000. Whether a browser
runs any of it is tried in tests/browser.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from hostile_names import draw_name, rename_models
from pages import SitePage
from scored_site import MODELS

from facelet.pipeline.cli import main
from facelet.pipeline.scoring.ingest.prediction import model_of

NAMES = int(os.environ.get("FACELET_NAMES", "60"))
WORDS = 4
"""Names that one name joins."""
RUNS = 20
"""Most runs of one report."""


def test_no_name_of_a_model_fails_a_report(run: Path, tmp_path: Path) -> None:
    chance, left = random.Random(1), NAMES
    while left > 0:
        runs = []
        for number in range(min(RUNS, -(-left // (WORDS * len(MODELS))))):
            runs.append(tmp_path / f"run-{number}")
            shutil.copytree(run, runs[-1])
            rename_models(runs[-1], {name: draw_name(chance, WORDS) for name in MODELS})
            left -= WORDS * len(MODELS)
        out = tmp_path / "site"
        words = [f"results={','.join(map(str, runs))}", f"out={out}", "replays=0"]
        assert main(["report", *words]) == 0
        for path in out.glob("*.html"):
            page = SitePage(path.read_text(encoding="utf-8"))
            for tag, told in page.tags:
                assert tag not in ("img", "iframe", "b"), (path.name, told)
                assert tag != "script" or set(told) <= {"src", "defer"}, (path.name, told)
                assert not any(key.startswith("on") for key in told), (path.name, told)
        for folder in (*runs, out):
            shutil.rmtree(folder)


@pytest.mark.parametrize("seed", range(3))
def test_a_name_passes_the_gate_of_predictions_as_it_is_shown(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        name = model_of(draw_name(chance, 1))
        assert name is not None and name.isprintable()
        name.encode()
