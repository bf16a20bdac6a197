"""Prove distances: certificates, optimal solutions, optimal first moves, neighbours' distances.

The search is iterative deepening with a pruning table (see _search.h). What it returns and counts
depends on the state, the question and the table only, never on threads, machine or what else is
being solved; a Solver may be shared by threads, and searches run outside the interpreter's lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.depth_search import SearchStopped, StateSearch
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import DIAMETER, FACE_MOVES, SOLVED, Maneuver, Metric

QUICK_FROM = 5_000_000
"""Nodes from which on the two-phase solver is tried as well: about a second's search."""


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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search for a solution of at most a given length.

    Attributes:
        solution: a shortest solution, or None if none was found.
        exhausted: no solution of this length or less exists. Equal to the limit if there is no
            solution within it, one less than the solution's length if there is one, and less than
            that if the search was stopped by its node limit.
        nodes: nodes that were searched.
    """

    solution: Maneuver | None
    exhausted: int
    nodes: int


class Unproven(Exception):  # noqa: N818 - not an error
    """A search came to its limit before it had its proof.

    Attributes:
        exhausted: no solution of this length or less exists.
        nodes: nodes that were searched.
    """

    def __init__(self, exhausted: int, nodes: int) -> None:
        super().__init__(f"not proven within {nodes} nodes; no solution within {exhausted} moves")
        self.exhausted = exhausted
        self.nodes = nodes


@contextmanager
def _raise_unproven(search: StateSearch, stop: threading.Event | None) -> Iterator[None]:
    """Tell a search that came to its limit from one that was told to stop."""
    try:
        yield
    except SearchStopped:
        if stop is not None and stop.is_set():
            raise
        raise Unproven(search.exhausted, search.nodes) from None


class ExactSolver:
    """Proves distances with one table; safe to share between threads.

    Attributes:
        table: the pruning table.
        metric: the table's metric, in which all lengths here are counted.
        table_hash: the table's hash, which certificates carry.
    """

    def __init__(self, table: PruningTable) -> None:
        self.table = table
        self.metric: Metric = table.spec.metric
        self.table_hash = table.memory_hash

    def certify_state(
        self,
        facelets: str,
        solution: Maneuver,
        *,
        node_limit: int | None = None,
        stop: threading.Event | None = None,
    ) -> Certificate:
        """Return the proof of a state's distance, given any solution.

        Nothing is assumed about the solution: if there is a shorter one, the certificate has it.

        Args:
            facelets: the state; its centres must be those of the solved state.
            solution: a maneuver that solves it.
            node_limit: gives up after about this many nodes, the same on every machine.
            stop: gives up within about a second after it is set.

        Raises:
            IllegalCube: face turns cannot reach the state.
            ValueError: the maneuver does not solve it.
            Unproven: the limit was reached.
            Stopped: the stop was set.
        """
        start = time.perf_counter()
        if moves.apply_maneuver(facelets, solution) != SOLVED:
            raise ValueError(f"{notation.format_maneuver(solution)!r} does not solve {facelets}")
        search = StateSearch(self.table, facelets, node_limit=node_limit, stop=stop)
        with _raise_unproven(search, stop):
            best = self._shortest_from(search, solution)
        return self._build_certificate(search, best, time.perf_counter() - start)

    def _shortest_from(self, search: StateSearch, solution: Maneuver) -> Maneuver:
        """Return a shortest solution, given any one."""
        best = solution
        length = notation.maneuver_length(solution, self.metric)
        # First all lengths but the last two, one by one: they are cheap beside these, and soon find
        # a much shorter solution if there is one. The last two then take one search, since the
        # given length is most likely the shortest.
        shorter = search.search_by_length(min(length - 3, DIAMETER[self.metric]))
        while shorter is None and search.exhausted < length - 1:
            shorter = search.search_within(min(length - 1, DIAMETER[self.metric]))
            if shorter is not None:
                best, length, shorter = (
                    shorter,
                    notation.maneuver_length(shorter, self.metric),
                    None,
                )
        if shorter is not None:
            best = shorter
        return best

    def solve_state(
        self,
        facelets: str,
        *,
        node_limit: int | None = None,
        stop: threading.Event | None = None,
    ) -> Certificate:
        """Return an optimal solution of a state, with its proof.

        Args:
            facelets: the state; its centres must be those of the solved state.
            node_limit: gives up after about this many nodes, the same on every machine.
            stop: gives up within about a second after it is set.

        Raises:
            IllegalCube: face turns cannot reach the state.
            Unproven: the limit was reached.
            Stopped: the stop was set.
        """
        start = time.perf_counter()
        search = StateSearch(self.table, facelets, node_limit=node_limit, stop=stop)
        with _raise_unproven(search, stop):
            solution = self._search_shortest(search, stop)
        return self._build_certificate(search, solution, time.perf_counter() - start)

    def _search_shortest(self, search: StateSearch, stop: threading.Event | None) -> Maneuver:
        """Search length by length for a shortest solution.

        Finding one costs more than exhausting all that is shorter. So before each new length of a
        long search the two-phase solver is tried. It is given an eighth of the nodes searched so
        far, about a hundredth of what the next length would take, and finds most solutions early.
        """
        while search.exhausted < DIAMETER[self.metric]:
            following = search.exhausted + 1
            if self.metric == "htm" and search.nodes >= QUICK_FROM:
                nodes = search.nodes // 8
                quick = two_phase_solver.find_solution(
                    search.facelets, nodes=nodes, at_most=following, stop=stop
                )
                if len(quick) == following:
                    return quick
            if (solution := search.search_by_length(following)) is not None:
                return solution
        raise RuntimeError(f"no solution of {search.facelets} within the diameter")

    def _build_certificate(
        self, search: StateSearch, solution: Maneuver, seconds: float
    ) -> Certificate:
        length = notation.maneuver_length(solution, self.metric)
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

    def exact_distance(self, facelets: str) -> int:
        """Return the exact distance of a state from solved."""
        return self.solve_state(facelets).optimal_length

    def at_most(self, facelets: str, limit: int, *, node_limit: int | None = None) -> SearchResult:
        """Look for a shortest solution of at most `limit` moves.

        Args:
            facelets: the state.
            limit: the greatest length to search; a limit beyond the diameter makes no difference.
            node_limit: give up after about this many nodes, the same on every machine.

        Raises:
            IllegalCube: face turns cannot reach the state.
            ValueError: the limit is negative.
        """
        if limit < 0:
            raise ValueError(f"limit {limit} is negative")
        search = StateSearch(self.table, facelets, node_limit=node_limit)
        try:
            solution = search.search_by_length(min(limit, DIAMETER[self.metric]))
        except SearchStopped:
            return SearchResult(None, min(search.exhausted, limit), search.nodes)
        if solution is None:
            return SearchResult(None, limit, search.nodes)
        return SearchResult(
            solution, notation.maneuver_length(solution, self.metric) - 1, search.nodes
        )

    def optimal_first_moves(self, facelets: str, depth: int | None = None) -> tuple[str, ...]:
        """Return the first moves of all optimal solutions, in the order of FACE_MOVES.

        Args:
            facelets: the state.
            depth: its exact distance, if known; computed otherwise.

        Raises:
            ValueError: the state's distance is not `depth`.
        """
        depth = self.exact_distance(facelets) if depth is None else depth
        closer = [
            name
            for name, d in self._neighbour_distances(facelets, depth, False).items()
            if d is not None
        ]
        if depth and not closer:
            raise ValueError(f"no solution of {depth} moves: the distance of {facelets} is another")
        return tuple(closer)

    def neighbour_distances(self, facelets: str, depth: int) -> npt.NDArray[np.int8]:
        """Return the exact distance after each face move: int8 (18,), in the order of FACE_MOVES.

        Args:
            facelets: the state.
            depth: its exact distance: a neighbour's differs by at most the length of the move.
        """
        distances = self._neighbour_distances(facelets, depth, True)
        return np.array([distances[name] for name in FACE_MOVES], dtype=np.int8)

    def _neighbour_distances(self, facelets: str, depth: int, exact: bool) -> dict[str, int | None]:
        """Return the distance after each face move, or only whether it leads an optimal solution.

        A move that begins an optimal solution of length `depth` takes off its own length.
        """
        found: dict[str, int | None] = {}
        keeping = symmetry.find_stabilizer(facelets)
        for number, name in enumerate(FACE_MOVES):
            images = [FACE_MOVES[symmetry.MOVE_IMAGES[s, number]] for s in keeping]
            if (known := next((image for image in images if image in found), None)) is not None:
                found[name] = found[known]
                continue
            cost = notation.maneuver_length((name,), self.metric)
            neighbour = moves.apply_maneuver(facelets, (name,))
            if exact:
                # It is no farther than depth + cost, so that need not be searched.
                search = StateSearch(self.table, neighbour)
                search.exhausted = max(search.exhausted, depth - cost - 1)
                farthest = min(depth + cost, DIAMETER[self.metric])
                solution = search.search_by_length(farthest - 1)
                distance = farthest
                if solution is not None:
                    distance = notation.maneuver_length(solution, self.metric)
                found[name] = distance
            elif depth < cost:
                found[name] = None
            else:
                state = StateSearch(self.table, neighbour)
                leads = state.search_within(depth - cost) is not None
                found[name] = depth - cost if leads else None
        return {name: found[name] for name in FACE_MOVES}
