"""The exact solver: certificates, optimal solutions, optimal first moves, neighbours' distances.

The search is iterative deepening with a pruning table (see _search.h). What it returns and counts
depends on the state, the question and the table only, never on threads, machine or what else is
being solved; a Solver may be shared by threads, and searches run outside the interpreter's lock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generators.cube.distance import symmetric_starts
from generators.cube.distance.certificate import Certificate
from generators.cube.distance.compiled import core
from generators.cube.distance.tables import Table, workers
from generators.cube.engine import cubies, moves, notation, symmetry
from generators.cube.engine.facelets import SOLVED
from generators.cube.engine.notation import FACE_MOVES, Maneuver
from generators.cube.states import Metric

DIAMETER: dict[Metric, int] = {"htm": 20, "qtm": 26}
"""The greatest distance there is in each metric."""

_BUDGET = 10_000_000
"""Nodes between two looks at the interpreter: about a second."""

_PLAIN = 10
"""Up to this limit symmetric starts cost more than they save."""


@dataclass(frozen=True, slots=True)
class Search:
    """The answer to: is there a solution of at most so many moves?

    Attributes:
        solution: a shortest solution, or None if none was found.
        exhausted: no solution of this length or less exists. Equal to the limit if there is no
            solution within it, one less than the solution's length if there is one, and less than
            that if the search was stopped by its node limit.
        nodes: positions that were examined.
    """

    solution: Maneuver | None
    exhausted: int
    nodes: int


class _Stopped(Exception):  # noqa: N818 - not an error
    pass


class Solver:
    """Proves distances with one table; safe to share between threads.

    Attributes:
        table: the pruning table.
        metric: the table's metric, that of all lengths here.
        table_hash: the table's hash, which certificates carry.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.metric: Metric = table.spec.metric
        self.table_hash = table.hash
        self._memory = threading.local()

    def certify(self, facelets: str, solution: Maneuver) -> Certificate:
        """Return the proof of a state's distance, given any solution.

        Nothing is assumed about the solution: if there is a shorter one, the certificate has it.

        Args:
            facelets: the state; centres must stand as in the solved state.
            solution: a maneuver of face moves that solves it.

        Raises:
            IllegalCube: face turns cannot reach the state.
            ValueError: the maneuver does not solve it.
        """
        start = time.perf_counter()
        if moves.apply(facelets, solution) != SOLVED:
            raise ValueError(f"{notation.format(solution)!r} does not solve {facelets}")
        search = _State(self, facelets)
        best = solution
        length = notation.length(solution, self.metric)
        # All lengths but the last two: cheap beside these, and the right way if the solution is a
        # long one. The last two then take one search, since the given length is likely to be it.
        shorter = search.deepen(min(length - 3, DIAMETER[self.metric]))
        while shorter is None and search.exhausted < length - 1:
            shorter = search.within(min(length - 1, DIAMETER[self.metric]))
            if shorter is not None:
                best, length, shorter = shorter, notation.length(shorter, self.metric), None
        if shorter is not None:
            best, length = shorter, notation.length(shorter, self.metric)
        return self._certificate(search, best, time.perf_counter() - start)

    def solve(self, facelets: str) -> Certificate:
        """Return an optimal solution of a state, with its proof.

        Raises:
            IllegalCube: face turns cannot reach the state.
        """
        start = time.perf_counter()
        search = _State(self, facelets)
        solution = search.deepen(DIAMETER[self.metric])
        if solution is None:
            raise RuntimeError(f"no solution of {facelets} within the diameter")
        return self._certificate(search, solution, time.perf_counter() - start)

    def _certificate(self, search: _State, solution: Maneuver, seconds: float) -> Certificate:
        length = notation.length(solution, self.metric)
        return Certificate(
            facelets=search.facelets,
            metric=self.metric,
            optimal_length=length,
            solution=solution,
            exhausted=length - 1,
            table_hash=self.table_hash,
            nodes=search.nodes,
            seconds=seconds,
        )

    def distance(self, facelets: str) -> int:
        """Return the exact distance of a state from solved."""
        return self.solve(facelets).optimal_length

    def at_most(self, facelets: str, limit: int, *, node_limit: int | None = None) -> Search:
        """Look for a shortest solution of at most `limit` moves.

        Args:
            facelets: the state.
            limit: the greatest length to look at; beyond the diameter makes no difference.
            node_limit: give up after about so many nodes; the same on every machine.

        Raises:
            IllegalCube: face turns cannot reach the state.
            ValueError: the limit is negative.
        """
        if limit < 0:
            raise ValueError(f"limit {limit} is negative")
        search = _State(self, facelets, node_limit)
        try:
            solution = search.deepen(min(limit, DIAMETER[self.metric]))
        except _Stopped:
            return Search(None, min(search.exhausted, limit), search.nodes)
        if solution is None:
            return Search(None, limit, search.nodes)
        return Search(solution, notation.length(solution, self.metric) - 1, search.nodes)

    def optimal_first_moves(self, facelets: str, depth: int | None = None) -> tuple[str, ...]:
        """Return the first moves of all optimal solutions, in the order of FACE_MOVES.

        Args:
            facelets: the state.
            depth: its exact distance, if known; computed otherwise.

        Raises:
            ValueError: the state's distance is not `depth`.
        """
        depth = self.distance(facelets) if depth is None else depth
        closer = [name for name, d in self._around(facelets, depth, False).items() if d is not None]
        if depth and not closer:
            raise ValueError(f"no solution of {depth} moves: the distance of {facelets} is another")
        return tuple(closer)

    def neighbour_distances(self, facelets: str, depth: int) -> npt.NDArray[np.int8]:
        """Return the exact distance after each face move: int8 (18,), in the order of FACE_MOVES.

        Args:
            facelets: the state.
            depth: its exact distance: a neighbour's differs by at most the length of the move.
        """
        distances = self._around(facelets, depth, True)
        return np.array([distances[name] for name in FACE_MOVES], dtype=np.int8)

    def _around(self, facelets: str, depth: int, exact: bool) -> dict[str, int | None]:
        """Return the distance after each face move, or only whether it leads an optimal solution.

        A move that begins an optimal solution of length `depth` takes off its own length.
        """
        found: dict[str, int | None] = {}
        keeping = symmetry.stabilizer(facelets)
        for number, name in enumerate(FACE_MOVES):
            images = [FACE_MOVES[symmetry.MOVE_IMAGES[s, number]] for s in keeping]
            known = next((image for image in images if image in found), None)
            if known is not None:
                found[name] = found[known]
                continue
            cost = notation.length((name,), self.metric)
            neighbour = moves.apply(facelets, (name,))
            if exact:
                # It is no farther than depth + cost, so that need not be searched.
                search = _State(self, neighbour)
                search.exhausted = max(search.exhausted, depth - cost - 1)
                farthest = min(depth + cost, DIAMETER[self.metric])
                solution = search.deepen(farthest - 1)
                distance = farthest
                if solution is not None:
                    distance = notation.length(solution, self.metric)
                found[name] = distance
            elif depth < cost:
                found[name] = None
            else:
                state = _State(self, neighbour)
                leads = state.within(depth - cost) is not None
                found[name] = depth - cost if leads else None
        return {name: found[name] for name in FACE_MOVES}

    def certify_many(
        self,
        items: Iterable[tuple[str, Maneuver]],
        *,
        threads: int | None = None,
        progress: Callable[[Certificate], None] | None = None,
    ) -> Iterator[Certificate]:
        """Yield the certificates of (state, solution) pairs, in order, one state a thread.

        Args:
            items: read as needed, a few more than there are threads ahead of the results.
            threads: how many; all processors by default.
            progress: called with each certificate as it is finished, in any order, from a thread.
        """

        def work(facelets: str, solution: Maneuver) -> Certificate:
            certificate = self.certify(facelets, solution)
            if progress is not None:
                progress(certificate)
            return certificate

        count = threads or workers()
        pending: deque[Future[Certificate]] = deque()
        with ThreadPoolExecutor(count) as pool:
            try:
                for item in items:
                    pending.append(pool.submit(work, *item))
                    if len(pending) >= 4 * count:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                for future in pending:
                    future.cancel()

    def _buffer(self, size: int) -> bytearray:
        """Return working memory of this thread."""
        memory: bytearray | None = getattr(self._memory, "buffer", None)
        if memory is None or len(memory) < size:
            memory = self._memory.buffer = bytearray(size)
        return memory


class _State:
    """One state being searched: what is exhausted so far, and the nodes that it took."""

    def __init__(self, solver: Solver, facelets: str, node_limit: int | None = None) -> None:
        pieces = cubies.from_facelets(facelets)
        self.facelets = facelets
        self.nodes = 0
        self._solver = solver
        self._node_limit = node_limit
        self._packed = bytes((*pieces.cp, *pieces.co, *pieces.ep, *pieces.eo))
        self._quarter_turns = solver.metric == "qtm"
        self._parity = cubies.parity(pieces.cp)
        self._roots: bytes | None = None
        spec = solver.table.spec
        bounds = core.bounds(solver.table.memory, spec.flips, spec.base, self._packed)
        self.exhausted = max(low for low, _ in bounds) - 1

    def deepen(self, limit: int) -> Maneuver | None:
        """Search length by length up to the limit; return the first solution, a shortest one."""
        if self.facelets == SOLVED:
            return () if limit >= 0 else None
        while self.exhausted < limit:
            if self._impossible(self.exhausted + 1):
                self.exhausted += 1
                continue
            solution = self.within(self.exhausted + 1)
            if solution is not None:
                return solution
        return None

    def _impossible(self, length: int) -> bool:
        """Whether parity rules a length out: a quarter turn is an odd permutation."""
        return self._quarter_turns and length % 2 != self._parity

    def within(self, limit: int) -> Maneuver | None:
        """Search all lengths up to the limit at once; return a solution, not always a shortest."""
        if self.facelets == SOLVED:
            return ()
        asked = limit
        if self._impossible(limit):
            limit -= 1
        if limit <= self.exhausted:
            self.exhausted = max(self.exhausted, asked)
            return None
        spec, table = self._solver.table.spec, self._solver.table.memory
        roots = self._starts(limit)
        memory = self._solver._buffer(core.search_size(limit, len(roots) // 2))
        core.search_start(
            *(memory, table, spec.flips, spec.base, self._quarter_turns),
            *(self._packed, limit, roots),
        )
        before = self.nodes
        done, word = False, None
        while not done:
            budget = _BUDGET
            if self._node_limit is not None:
                if self.nodes >= self._node_limit:
                    raise _Stopped
                budget = min(budget, self._node_limit - self.nodes)
            done, word, nodes, _, _ = core.search_run(memory, table, spec.flips, spec.base, budget)
            self.nodes = before + nodes
        if word is None:
            self.exhausted = max(self.exhausted, asked)
            return None
        return tuple(FACE_MOVES[move] for move in word)

    def _starts(self, limit: int) -> bytes:
        covered = symmetric_starts.COVERED * (2 if self._quarter_turns else 1)
        if limit <= _PLAIN or self.exhausted < covered:
            return symmetric_starts.ANYWHERE
        if self._roots is None:
            keeping = symmetry.stabilizer(self.facelets)
            inverted = symmetry.inverse_state(self.facelets)
            inverting = tuple(
                s for s in range(symmetry.COUNT) if symmetry.transform(self.facelets, s) == inverted
            )
            self._roots = symmetric_starts.roots(keeping, inverting)
        return self._roots
