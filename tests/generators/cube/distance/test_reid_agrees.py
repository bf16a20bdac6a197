"""Lengths against Reid's optimal solver, an independent program, in both metrics."""

from pathlib import Path

import numpy as np
import pytest
import reid

from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, scrambles
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.pipeline.cube.table_cache import open_table

DEEPEST: dict[Metric, int] = {"htm": 14, "qtm": 16}
STATES = 1000

pytestmark = pytest.mark.slow  # the program takes half a minute to make its tables


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_a_thousand_lengths_equal_those_of_reids_solver(metric: Metric, tmp_path: Path) -> None:
    """As many words of every length; nearly all of them are optimal, and the rest is found out."""
    rng = np.random.default_rng(2004)
    words = [
        scrambles.random_word(metric, number % (DEEPEST[metric] + 1), rng)
        for number in range(STATES)
    ]
    states = [moves.apply_maneuver(SOLVED, word) for word in words]
    solver = ExactSolver(open_table(f"{metric}-default", progress=False))
    found = [solver.exact_distance(state) for state in states]
    assert found == reid.solve_lengths(states, metric, tmp_path)
    assert {*found} == set(range(DEEPEST[metric] + 1))


def test_the_program_is_told_the_metric(tmp_path: Path) -> None:
    """The copies differ from the installed program in the options and nowhere else."""
    plain = reid.compile_solver("qtm", tmp_path).read_bytes()
    first = reid.compile_solver("qtm", tmp_path, first_only=True).read_bytes()
    face = reid.compile_solver("htm", tmp_path).read_bytes()
    assert len(plain) == len(first) == len(face)
    assert sum(a != b for a, b in zip(plain, first, strict=True)) == 1
    assert sum(a != b for a, b in zip(plain, face, strict=True)) == 6
    state = moves.apply_maneuver(SOLVED, "R")
    assert reid.format_state(SOLVED).split()[:12] == reid.EDGES
    assert reid.format_state(state) != reid.format_state(SOLVED)
