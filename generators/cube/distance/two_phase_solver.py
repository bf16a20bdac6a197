"""Find short solutions of any state within milliseconds, without a proof.

Lengths count face turns, half turns as one (HTM). A solution is an upper bound of the distance;
that nothing shorter exists is for `ExactSolver` to prove. The search is compiled (_two_phase.c);
its tables, 14 MB, are filled in memory on first use. Its effort is limited in nodes, never in time:
a state has the same solution on every machine, in any thread.

After H. Kociemba's two-phase algorithm (CubeBench, appendix K.2).
"""

from __future__ import annotations

import threading
from functools import cache

from facelet.generators.cube.distance.compiled_cores import two_phase as core
from facelet.generators.cube.distance.depth_search import SearchStopped
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.notation import FACE_MOVES, Maneuver

NODES = 300_000
"""Nodes of a search by default."""

MAX_NODES = 10**12
"""The greatest number of nodes that can be asked for."""

_filling = threading.Lock()


@cache
def _fill_tables() -> bytearray:
    memory = bytearray(core.BYTES)
    core.fill(memory)
    return memory


def _load_tables() -> bytearray:
    """Return the tables; at first use one thread fills them while the others wait."""
    with _filling:
        return _fill_tables()


def find_solution(
    facelets: str,
    *,
    nodes: int = NODES,
    at_most: int | None = None,
    stop: threading.Event | None = None,
) -> Maneuver:
    """Return a short solution of a state: () if it is solved.

    The search stops when it cannot improve the solution, when it has searched `nodes` nodes and has
    a solution (of at most 22 moves), or when a solution has at most `at_most` moves.

    Args:
        facelets: the state; its centres must be those of the solved state.
        nodes: nodes to search, 1 to MAX_NODES. More find shorter solutions.
        at_most: stop at the first solution of at most this many moves. It shortens the search; the
            solution is still longer if no such one was found within `nodes` nodes.
        stop: gives up within about a second after it is set.

    Raises:
        IllegalCube: face turns cannot reach the state; see `cubies.from_facelets` for the reasons.
        ValueError: `nodes` or `at_most` is out of range.
        Stopped: the stop was set.
    """
    if not 1 <= nodes <= MAX_NODES:
        raise ValueError(f"nodes={nodes} is out of range; use 1 to {MAX_NODES}")
    if at_most is not None and not 0 <= at_most <= 1000:
        raise ValueError(f"at_most={at_most} is out of range; use 0 to 1000 moves, or None")
    pieces = cubies.from_facelets(facelets)
    state = bytes((*pieces.cp, *pieces.co, *pieces.ep, *pieces.eo))
    told = None if stop is None else stop.is_set
    if (word := core.solve(_load_tables(), state, nodes, at_most or 0, told)) is None:
        raise SearchStopped
    return tuple(FACE_MOVES[move] for move in word)
