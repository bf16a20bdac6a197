"""Log what searches for deep states find, and derive the certified store from the logs.

A finding bounds a state's depth from both sides; it is a proof when the bounds meet. Each step has
one log with one finding a line. A line is appended with a single write and synced; a kill can only
leave a torn last line, which the next run removes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
import store_writer
from store_writer import FINDINGS

from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import DIAMETER, Metric
from facelet.generators.cube.pools.pool_spec import STORED_FROM
from facelet.generators.cube.pools.slot_sources import PREFERENCE
from facelet.generators.cube.states.certified_states import CertifiedState, invert_certified
from facelet.pipeline.cube import store
from facelet.pipeline.cube.store import StoredState

WORK = Path("data/out/certified-store")
"""Default folder of the logs."""

FILE = "findings.parquet"

EDITION = 3
"""The edition of the store that new findings are for.

Raise it before a search once a version with the current store is published: builds take the states
of the first edition that has their depth, so a growing store changes no row.
"""

COMMANDS = {1: "python -m facelet.pipeline.cube.store", 2: "python -m facelet.pipeline.cube.store"}
"""The commands of editions that were published before the search left the package."""

COMMAND = "python data/certified_search"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one search found out; the fields are the columns of store_writer.FINDINGS."""

    step: str
    candidate: str
    facelets: str
    metric: Metric
    solution: str
    exhausted: int
    sampling: str
    members: int
    source: str
    table: str
    table_hash: str
    nodes: int
    seconds: float
    edition: int = EDITION

    @property
    def solution_length(self) -> int:
        """Length of the shortest solution found: the depth is at most that."""
        return notation.maneuver_length(notation.parse_maneuver(self.solution), self.metric)

    @property
    def is_exact(self) -> bool:
        """Whether the depth is proven: nothing shorter than the solution is left."""
        return self.solution_length == self.exhausted + 1


class FindingLog:
    """The findings of one step, by candidate; new ones go to the file at once.

    Attributes:
        step: name of the step.
        findings: all findings known, older ones included.
    """

    def __init__(self, step: str, work: Path, known: Iterable[Finding] = ()) -> None:
        """Open the log of a step.

        Args:
            step: name of the step; names the file.
            work: folder of the logs.
            known: findings of earlier runs that are no longer in the log.
        """
        self.step = step
        self._path = work / f"{step}.jsonl"
        _cut_torn_line(self._path)
        both = (*(f for f in known if f.step == step), *read_log(self._path))
        self.findings = {finding.candidate: finding for finding in both}

    def append_finding(self, finding: Finding) -> None:
        """Append a finding, durably."""
        line = json.dumps(asdict(finding), separators=(",", ":")) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
        self.findings[finding.candidate] = finding


def _cut_torn_line(path: Path) -> None:
    if path.is_file():
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)


def read_log(path: Path) -> Iterator[Finding]:
    """Yield the findings of a log, in the order in which they were made; none if it is missing."""
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield Finding(**json.loads(line))


def read_committed(folder: Path = store.STORE) -> tuple[Finding, ...]:
    """Return the findings that are committed with the store."""
    path = folder / FILE
    return (
        tuple(Finding(**row) for row in pq.read_table(path).to_pylist()) if path.is_file() else ()
    )


def read_all(work: Path, folder: Path = store.STORE) -> tuple[Finding, ...]:
    """Return the committed findings and those of all logs, sorted, one of each candidate.

    Committed findings take precedence, so no finding changes its edition.
    """
    found: dict[tuple[str, str], Finding] = {}
    for path in sorted(work.glob("*.jsonl")):
        found.update({(f.step, f.candidate): f for f in read_log(path)})
    found.update({(f.step, f.candidate): f for f in read_committed(folder)})
    return tuple(found[key] for key in sorted(found))


def write_all(findings: Iterable[Finding], folder: Path = store.STORE) -> dict[Metric, int]:
    """Write the store's files from findings; return how many states each metric now has."""
    listed = sorted(findings, key=lambda f: (f.step, f.candidate))
    store_writer.write_rows([asdict(finding) for finding in listed], FINDINGS, folder / FILE)
    states = list(iterate_storable(listed))
    sizes: dict[Metric, int] = {}
    for metric in store.METRICS:
        sizes[metric] = store_writer.write_states(
            (row for row in states if row.state.metric == metric), metric, folder
        )
    return sizes


def derive_subword(state: CertifiedState, start: int, stop: int) -> CertifiedState:
    """Return the state that the contiguous part solution[start:stop] solves.

    Every contiguous part of an optimal maneuver is optimal: a shorter one would shorten the whole.
    The state keeps the family, table hash and nodes of the search that its proof rests on.

    Args:
        state: a state with an optimal witness.
        start: first move to keep, from 0.
        stop: first move after those to keep; start < stop <= number of moves.

    Raises:
        ValueError: the part is empty or out of range.
    """
    solution = state.witness_moves
    if not 0 <= start < stop <= len(solution):
        raise ValueError(
            f"part {start}:{stop} is no part of a solution of {len(solution)} moves; "
            f"need 0 <= start < stop <= {len(solution)}"
        )
    part = solution[start:stop]
    made = moves.apply_maneuver(notation.SOLVED, notation.invert_maneuver(part))
    depth = notation.maneuver_length(part, state.metric)
    return replace(
        state,
        facelets=made,
        optimal_depth=depth,
        solution=notation.format_maneuver(part),
        canonical=symmetry.canonical_image(made)[0],
        exhausted=depth - 1,
        sampling="subword",
    )


def iterate_storable(findings: Iterable[Finding]) -> Iterator[StoredState]:
    """Yield the states worth storing: deep proven ones, and those derived from them without search.

    Every contiguous part of an optimal solution is optimal. A state at 19 or 20 (htm) gives what is
    left after its first or its last move, one at 20 also what is left after two of them. A class is
    closed under inversion, so a state at 20 gives its inverse, a member of the same class, too.
    """
    for finding in findings:
        depth = finding.solution_length
        wanted = depth >= STORED_FROM[finding.metric] and finding.sampling in PREFERENCE
        if not (finding.is_exact and wanted):
            continue
        state = CertifiedState(
            facelets=finding.facelets,
            metric=finding.metric,
            optimal_depth=depth,
            solution=finding.solution,
            sampling=finding.sampling,
            family=symmetry.canonical_with_inverse(finding.source or finding.facelets),
            canonical=symmetry.canonical_image(finding.facelets)[0],
            exhausted=finding.exhausted,
            table_hash=finding.table_hash,
            nodes=finding.nodes,
        )
        row = StoredState(
            state=state,
            table=finding.table,
            seconds=finding.seconds,
            symmetry=finding.step if finding.sampling == "symmetric" else "",
            source=finding.source,
            command=f"{COMMANDS.get(finding.edition, COMMAND)} steps={finding.step} "
            f"table={finding.table}",
            edition=finding.edition,
        )
        yield row
        inverse = invert_certified(state)
        if depth == DIAMETER[finding.metric] and inverse.canonical != state.canonical:
            yield replace(row, state=inverse, source=finding.facelets)
        for dropped in range(1, depth - 17 if finding.metric == "htm" else 1):
            for start in range(dropped + 1):
                part = derive_subword(state, start, depth - dropped + start)
                yield replace(row, state=part, source=finding.facelets)
