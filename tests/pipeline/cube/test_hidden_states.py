"""Texts for blind players of cubes contain no state in any of its forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from facelet.generators.core import task_registry
from facelet.pipeline.cube.baseline_players import hide_puzzle

GOLDENS = Path(__file__).parents[2] / "golden" / "tasks" / "cube"
NET_ROW = re.compile(r"(?:\b[wrgyob]\b *){3}")


@pytest.mark.parametrize("file", sorted(GOLDENS.glob("*.txt")), ids=lambda file: file.stem)
def test_no_prompt_shows_a_state(file: Path) -> None:
    task = task_registry.tasks()[f"cube/{file.stem}"]
    text = re.sub(r"CubeNet\(.*?\)|.*(?:column|solution|facelets=).*", "", file.read_text())
    hidden = hide_puzzle(task, text)
    if hidden is None:
        assert "deformation" in file.stem or "writing" in file.stem
        return
    shown = [line for line in hidden.splitlines() if NET_ROW.search(line)]
    assert not shown and not re.search(r"\b[A-Z]{54}\b", hidden)
