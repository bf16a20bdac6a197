"""`facelet score` as it is typed."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.cli import main


def run_score(words: Sequence[str]) -> int:
    """Score; return the exit status."""
    return main(["score", *words])
