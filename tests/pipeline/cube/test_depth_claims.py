"""What others claim about their cubes, held against the proven depth."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cli import main


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_random_moves_claim_more_than_they_reach(metric, tmp_path: Path, capsys) -> None:
    rng = make_generator("tests", "claims")
    drawn = [[str(rng.choice(notation.FACE_MOVES)) for _ in range(5)] for _ in range(40)]
    lines = [" ".join(words) for words in drawn]
    near, far = moves.apply_maneuver(SOLVED, "R U F"), "nonsense"
    (tmp_path / "in").write_text("\n".join([*lines, f"{near} # 7", f"{near}", "R U # 2", far]))
    words = [f"input={tmp_path / 'in'}", f"output={tmp_path / 'out'}", f"metric={metric}"]
    assert main(["certify", *words, "table=small", "claims=true", "progress=false"]) == 1
    answers = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    depths: Counter[str] = Counter()
    for words, answer in zip(drawn, answers, strict=False):
        claim = notation.maneuver_length(words, metric)
        depth = distance_oracle.exact_distance(metric, moves.apply_maneuver(SOLVED, tuple(words)))
        assert (answer["claimed_length"], answer["optimal_length"]) == (claim, depth)
        depths["nearer" if depth < claim else "as deep"] += 1
    assert min(depths.values()) > 5
    assert [a.get("claimed_length") for a in answers[40:]] == [7, None, 2, None]
    told = capsys.readouterr().err
    share = f"{(depths['nearer'] + 1) / 42:.1%}"
    assert told.startswith(f"{share} of 42 proven cubes are nearer than claimed ({metric})")
    (last,) = [line for line in told.splitlines() if line.split()[:1] == ["all"]]
    assert last.split()[:3] == ["all", "42", str(depths["as deep"] + 1)]
