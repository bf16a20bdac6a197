"""The settings that `facelet ladder` and `facelet next` share: which ladders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.curriculum.ladder.climb import RUNS


@dataclass(frozen=True, kw_only=True)
class LadderSelection:
    """Ladders of a dataset, or one without a dataset."""

    dataset: Path | None = key(
        "The dataset.",
        None,
        allowed="a folder with a built or downloaded dataset",
        shown="none: use ladder=",
    )
    ladder: str = key(
        "A ladder without a dataset; its questions are drawn on demand.",
        "",
        allowed="SUITE.CONFIG, a config of a suite",
        shown="none",
    )
    top: int = key("Highest level of a ladder without a dataset.", 1000, low=1)
    seed: int = key("Root of the seeds of a ladder without a dataset.", 0, low=0)
    configs: tuple[str, ...] = key(
        "The ladders to climb.", (), allowed="names of configs; [] for all"
    )
    runs: int = key("Climbs, as far as the questions allow.", RUNS, allowed="at least 1")
    duplicates: Literal["refuse", "first", "last", "samples"] = key(
        "How records of one question, model and sample with different replies are handled: refuse "
        "them, count the first or the last in the order of files and lines, or take each as a "
        "sample.",
        "refuse",
    )
