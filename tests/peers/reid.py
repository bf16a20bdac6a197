"""Michael Reid's optimal solver, an independent program, in either metric.

The package passagemath-rubiks brings the program compiled for quarter turns. Its source (optimal.c,
2004) chooses the metric by a constant, whose only traces in the program are four values that one
function stores: the metric, its letter, the lengths of the turns, and the step of the deepening. A
copy with the other values counts face turns, and says so: it prints lengths as `16f*`. Another
constant makes it stop at the first optimal solution instead of listing them all.

The program makes its tables anew at each start, which takes about 15 seconds.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import SOLVED, Metric

EDGES = "UF UR UB UL DF DR DB DL FR FL BR BL".split()
CORNERS = "UFR URB UBL ULF DRF DFL DLB DBR".split()

_OPTIONS = re.compile(
    rb"\xc7\x07(?P<metric>\x00)\x00{3}"  # the metric: 0 for quarter turns, 1 for face turns
    rb".{10}\xc6\x43\x04(?P<letter>q)"
    rb".{2}\xb9(?P<half_turns>\x92\x24\x01\x00)"  # a bit for each turn of length two
    rb".{0,60}?\xc7\x43\x50(?P<step>\x02)\x00{3}"  # parity lets quarter turns deepen by two
    rb".{0,60}?\xc7\x45\x08(?P<first_only>\x00)\x00{3}",
    re.DOTALL,
)
"""Where the program stores its options, as x86-64 code."""

_FACE_TURNS = {"metric": b"\1", "letter": b"f", "half_turns": bytes(4), "step": b"\1"}


def compile_solver(metric: Metric, folder: Path, *, first_only: bool = False) -> Path:
    """Return the program for a metric, written to a folder.

    Args:
        metric: what optimal means.
        folder: for the copy.
        first_only: stop at the first optimal solution; otherwise it lists all of them.

    Raises:
        ValueError: the program of the installed package is not the one that is known here.
    """
    spec = find_spec("sage_wheels")
    if spec is None or spec.submodule_search_locations is None:
        raise ValueError("the package passagemath-rubiks is missing; run `make setup-dev`")
    code = (Path(next(iter(spec.submodule_search_locations))) / "bin" / "optimal").read_bytes()
    places = list(_OPTIONS.finditer(code))
    if len(places) != 1:
        raise ValueError(
            f"the program stores its options in {len(places)} places, not in 1; "
            "use the version of passagemath-rubiks in conf/lock/dev.txt"
        )
    changes = (_FACE_TURNS if metric == "htm" else {}) | (
        {"first_only": b"\1"} if first_only else {}
    )
    changed = bytearray(code)
    for name, value in changes.items():
        changed[slice(*places[0].span(name))] = value
    path = folder / f"optimal-{metric}-{'first' if first_only else 'all'}"
    path.write_bytes(changed)
    path.chmod(0o755)
    return path


def format_state(state: str) -> str:
    """Return a state as the program reads it: the stickers at each place, in its order."""
    shown = {}
    for numbers in (*cubies.CORNER_FACELETS, *cubies.EDGE_FACELETS):
        shown[frozenset(SOLVED[n] for n in numbers)] = {SOLVED[n]: state[n] for n in numbers}
    return " ".join(
        "".join(shown[frozenset(place)][face] for face in place) for place in (*EDGES, *CORNERS)
    )


def solve_lengths(states: Sequence[str], metric: Metric, folder: Path) -> list[int]:
    """Return what the program finds optimal, state by state."""
    lines = "".join(f"{format_state(state)}\n" for state in states)
    done = subprocess.run(
        [compile_solver(metric, folder, first_only=True)],
        input=lines,
        text=True,
        capture_output=True,
        check=False,
    )
    letter = {"htm": "f", "qtm": "q"}[metric]
    found = []
    for answer in done.stdout.split("enter cube")[1:]:
        if length := re.search(rf"\b(\d+){letter}\*", answer):
            found.append(int(length[1]))
        elif "already solved" in answer:
            found.append(0)
    if len(found) != len(states):
        raise ValueError(f"{len(found)} answers to {len(states)} states: {done.stdout[-300:]}")
    return found
