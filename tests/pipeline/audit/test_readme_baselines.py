"""The README's table of what guessing wins is what studies and a build state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from tests.shared import recorded_studies

README = Path(__file__).parents[3] / "README.md"
ROW = re.compile(r"^\| `(\w+)`[^|]*\| ([\d.]+)% \| ([\d.]+)%[^|]*\|([^|]*)\|$", re.MULTILINE)
PART = re.compile(r"(\d+)% \(([a-z ]+)\)")
ROWS = {
    name: (chance, floor, parts) for name, chance, floor, parts in ROW.findall(README.read_text())
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_floors_are_those_of_studies(name: str) -> None:
    chance, floor, _ = ROWS[name]
    (study,) = [
        one for one in recorded_studies.list_task_studies(f"cube/{name}") if one.label == "d03"
    ]
    assert float(floor) == pytest.approx(max(100 * study.value, float(chance)), abs=0.06)


@pytest.mark.slow
def test_shares_of_players_that_look_at_a_part_are_those_of_a_build(tmp_path: Path) -> None:
    asked = {name: PART.findall(parts) for name, (_, _, parts) in ROWS.items() if parts.strip()}
    assert len(asked) == 5 and len(asked["move_prediction"]) == 3
    out = tmp_path / "rows"
    words = [f"tasks=[{','.join(asked)}]", "depths=3", "count=600", f"out={out}", "progress=false"]
    assert main(["build", "suites=[cube_bench]", *words]) == 0
    configs = dataset_reader.read_manifest(out).configs
    for name, parts in asked.items():
        floor = configs[f"cube_bench.{name}"].floor
        assert floor is not None
        for share, player in parts:
            shortcut = floor["shortcuts"][player.replace(" ", "_")]
            assert round(100 * shortcut["value"]) == pytest.approx(int(share), abs=1), (
                name,
                player,
            )
