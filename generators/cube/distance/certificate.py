"""Certificates: what was proven about a state, and with which table."""

from __future__ import annotations

from dataclasses import dataclass, field

from facelet.generators.cube.engine.notation import Maneuver
from facelet.generators.cube.engine.turn_metrics import Metric


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proof that a state is exactly so many moves from solved.

    Attributes:
        facelets: the state.
        metric: "htm" (half turns count one) or "qtm" (half turns count two).
        optimal_length: its exact distance d from solved.
        solution: the witness, a maneuver of length d that solves it.
        exhausted: d - 1: no maneuver up to that length solves it.
        table_hash: hash of the pruning table that the exhaustion used.
        nodes: nodes that were searched; the same on every machine and number of threads.
        seconds: how long it took here; certificates are equal whatever it is.
    """

    facelets: str
    metric: Metric
    optimal_length: int
    solution: Maneuver
    exhausted: int
    table_hash: str
    nodes: int
    seconds: float = field(compare=False)
