"""Search one state by iterative deepening, driving the compiled search in slices.

Drives the compiled search (see _search.h) in slices of about a second, between which Python can be
interrupted, and chooses where symmetric states begin.
"""

from __future__ import annotations

import threading

from facelet.generators.cube.distance import symmetric_first_moves
from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import cubies, symmetry
from facelet.generators.cube.engine.notation import FACE_MOVES, SOLVED, Maneuver

_BUDGET = 10_000_000
"""Nodes between two returns to the interpreter."""

_PLAIN_LIMIT, _PLAIN_NODES = 10, 5000
"""Up to this limit and this many nodes, finding symmetries costs more than it saves."""

_memory = threading.local()


class SearchStopped(Exception):  # noqa: N818 - not an error
    """A search was told to stop before it was done."""


class StateSearch:
    """The search from one state.

    Attributes:
        facelets: the state.
        exhausted: no solution of this length or less exists.
        nodes: nodes that were searched so far.
        lookups: table entries that were read so far.
    """

    def __init__(
        self,
        table: PruningTable,
        facelets: str,
        *,
        node_limit: int | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        """Begin with the bound of the table.

        Args:
            table: the pruning table.
            facelets: the state.
            node_limit: raise Stopped after about this many nodes, the same on every machine.
            stop: raise Stopped within about a second after it is set.

        Raises:
            IllegalCube: face turns cannot reach the state.
        """
        pieces = cubies.from_facelets(facelets)
        self.facelets = facelets
        self.nodes = 0
        self.lookups = 0
        self._table = table
        self._node_limit = node_limit
        self._stop = stop
        self._packed = bytes((*pieces.cp, *pieces.co, *pieces.ep, *pieces.eo))
        self._quarter_turns = table.spec.metric == "qtm"
        self._parity = cubies.permutation_parity(pieces.cp)
        self._roots: bytes | None = None
        bounds = core.bounds(table.memory, table.spec.flips, table.spec.base, self._packed)
        self.exhausted = max(low for low, _ in bounds) - 1

    def search_by_length(self, limit: int) -> Maneuver | None:
        """Search length by length up to the limit; return the first solution, a shortest one."""
        if self.facelets == SOLVED:
            return () if limit >= 0 else None
        while self.exhausted < limit:
            if self._is_impossible(self.exhausted + 1):
                self.exhausted += 1
                continue
            if (solution := self.search_within(self.exhausted + 1)) is not None:
                return solution
        return None

    def search_within(self, limit: int) -> Maneuver | None:
        """Search all lengths up to the limit at once; return a solution, perhaps not a shortest.

        Raises:
            Stopped: the node limit was reached, or the stop was set.
        """
        if self.facelets == SOLVED:
            return ()
        asked = limit
        if self._is_impossible(limit):
            limit -= 1
        if limit <= self.exhausted:
            self.exhausted = max(self.exhausted, asked)
            return None
        if (word := self._run_search(limit)) is None:
            self.exhausted = max(self.exhausted, asked)
            return None
        return tuple(FACE_MOVES[move] for move in word)

    def _is_impossible(self, length: int) -> bool:
        """Whether parity rules a length out: a quarter turn is an odd permutation."""
        return self._quarter_turns and length % 2 != self._parity

    def _run_search(self, limit: int) -> bytes | None:
        spec, table = self._table.spec, self._table.memory
        roots = self._first_moves(limit)
        memory = working_memory(core.search_size(limit, len(roots) // 2))
        core.search_start(
            *(memory, table, spec.flips, spec.base, self._quarter_turns),
            *(self._packed, limit, roots),
        )
        nodes, lookups = self.nodes, self.lookups
        done, word = False, None
        while not done:
            budget = _BUDGET
            if self._node_limit is not None:
                budget = min(budget, self._node_limit - self.nodes)
            if budget <= 0 or (self._stop is not None and self._stop.is_set()):
                raise SearchStopped
            run = core.search_run(memory, table, spec.flips, spec.base, budget)
            done, word = run[:2]
            self.nodes, self.lookups = nodes + run[2], lookups + run[3]
        return word

    def _first_moves(self, limit: int) -> bytes:
        shortest = symmetric_first_moves.LONGEST * (2 if self._quarter_turns else 1)
        easy = limit <= _PLAIN_LIMIT and self.nodes <= _PLAIN_NODES
        if easy or self.exhausted < shortest:
            return symmetric_first_moves.ANYWHERE
        if self._roots is None:
            self._roots = symmetric_first_moves.search_roots(
                symmetry.find_stabilizer(self.facelets)
            )
        return self._roots


def working_memory(size: int) -> bytearray:
    """Return memory of this thread, used again for its next search."""
    memory: bytearray | None = getattr(_memory, "buffer", None)
    if memory is None or len(memory) < size:
        memory = _memory.buffer = bytearray(size)
    return memory
