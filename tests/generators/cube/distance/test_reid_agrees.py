"""Lengths against Reid's optimal solver, an independent program (package passagemath-rubiks)."""

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from generators.cube.distance import sampling
from generators.cube.distance.solver import Solver
from generators.cube.engine import cubies, moves
from generators.cube.engine.facelets import SOLVED
from pipeline.tables import open_table

EDGES = "UF UR UB UL DF DR DB DL FR FL BR BL".split()
CORNERS = "UFR URB UBL ULF DRF DFL DLB DBR".split()


def program() -> Path:
    """The optimal solver that the package brings; it counts quarter turns."""
    spec = find_spec("sage_wheels")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations))) / "bin" / "optimal"


def place_by_place(state: str) -> str:
    """A state as the program reads it: the stickers at each of its places, in its order."""
    shown = {}
    for numbers in (*cubies.CORNER_FACELETS, *cubies.EDGE_FACELETS):
        shown[frozenset(SOLVED[n] for n in numbers)] = {SOLVED[n]: state[n] for n in numbers}
    return " ".join(
        "".join(shown[frozenset(place)][face] for face in place) for place in (*EDGES, *CORNERS)
    )


def lengths(states: list[str]) -> list[int]:
    """What the program finds optimal, state by state."""
    lines = "".join(f"{place_by_place(state)}\n" for state in states)
    done = subprocess.run([program()], input=lines, text=True, capture_output=True, check=False)
    answers = done.stdout.split("enter cube")[1:]
    found = []
    for answer in answers:
        if length := re.search(r"\((\d+)q\*?, \d+f\*?\)", answer):
            found.append(int(length[1]))
        elif "already solved" in answer:
            found.append(0)
    return found


@pytest.mark.slow
def test_a_thousand_lengths_equal_those_of_reids_solver() -> None:
    rng = np.random.default_rng(2004)
    depths = rng.integers(0, 16, size=1000)
    states = [moves.apply(SOLVED, sampling.random_word("qtm", int(d), rng)) for d in depths]
    solver = Solver(open_table("qtm-small", progress=False))
    assert lengths(states) == [solver.distance(state) for state in states]
