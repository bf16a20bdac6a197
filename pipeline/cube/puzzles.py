"""Read puzzles of cubes: scrambles or facelets, whose depths are proven first.

A line contains a `scramble` in Singmaster notation or `facelets` in URFDLB order, and may claim its
`depth`. Every task about states of a proven depth can use them: the puzzles of a depth, in the
order of the file, form the pool from which the task draws its items. For deformed cubes, a start
and operations, see `facelet.pipeline.importing.imported_items`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.cube.deformation.deformation_task import CubeDeformation, Cubes
from facelet.generators.cube.distance.exact_solver import ExactSolver, Unproven
from facelet.generators.cube.engine import notation, symmetry
from facelet.generators.cube.states.certified_states import KIND, CertifiedState, CertifiedStates
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.cube.certify_input import meant_as_facelets, read_line
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.imported_items import (
    MAX_ATTEMPTS,
    ImportedItem,
    ImportedItems,
    ItemLine,
    PuzzleLine,
    RejectedItem,
    RuleError,
    UnprovenError,
    import_deformations,
)
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.json_types import JSON

SAMPLING = "imported"
"""Sampling of imported states."""

KEYS = ("scramble", "facelets")


@dataclass(frozen=True, slots=True)
class _ProvenPuzzle:
    """A puzzle with its proven state."""

    own: str
    line: ItemLine
    state: CertifiedState


def make(named: Sequence[PuzzleLine], task: AnyTask, settings: ImportSettings) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: metric, table and limit of the proofs, and the seed of options.

    Raises:
        ValueError: the task asks about neither of the two.
    """
    if isinstance(task, CubeDeformation):
        return import_deformations(named, task, settings, _iterate_start_params)
    if (need := task.needs(task.params())) is None or need.kind != KIND:
        raise ValueError(
            f"puzzles of {task.name} cannot be read: it asks neither about cubes of a proven depth "
            "nor about deformed cubes; use a task such as cube/move_prediction"
        )
    name = f"{settings.metric}-{settings.table}"
    solver = ExactSolver(open_table(name, settings.cache, progress=False, private=True))
    broken: list[RejectedItem] = []
    depths: dict[int, list[_ProvenPuzzle]] = {}
    for own, line in tqdm(named, desc="prove", unit="puzzle", disable=not can_show_progress(None)):
        try:
            state = _prove_state(line.values or {}, solver, settings.limit)
        except ValueError as error:
            broken.append(RejectedItem.from_error(line, error, own))
        else:
            depths.setdefault(state.optimal_depth, []).append(_ProvenPuzzle(own, line, state))
    items: list[ImportedItem] = []
    for depth, inside in sorted(depths.items()):
        for one in _iterate_items(depth, inside, task, settings, solver):
            (items if isinstance(one, ImportedItem) else broken).append(one)  # type: ignore[arg-type]
    return ImportedItems(PUZZLES, items, broken, {name: solver.table_hash})


MAKE = make


def _iterate_start_params(start: str) -> Iterator[Mapping[str, object]]:
    """Yield the params that fit a start: solved or scrambled."""
    world = Cubes("scrambled")
    state = world.read(start.strip())
    faces = [state[place : place + 9] for place in range(0, len(state), 9)]
    solved = all(len(set(face)) == 1 for face in faces)
    yield {"start": "solved" if solved else "scrambled"}


def _prove_state(
    values: Mapping[str, JSON], solver: ExactSolver, limit: int | None
) -> CertifiedState:
    """Return the state of a line, proven.

    Raises:
        ValueError: the line has no state.
        UnprovenError: its depth was not proven within the limit.
        RuleError: the depth is not the claimed one.
    """
    said = [key for key in KEYS if values.get(key) is not None]
    if len(said) != 1:
        raise ValueError(
            f"it has {' and '.join(said) or 'no state'}; give one of {' and '.join(KEYS)}"
        )
    text = values[said[0]]
    if not isinstance(text, str) or meant_as_facelets(text) != (said[0] == "facelets"):
        raise ValueError(
            f"{said[0]} is {str(text)[:60]!r}, which is no {said[0]}; write a scramble as "
            "R U2 F', and facelets face by face in the order U R F D L B"
        )
    state, _, solution = read_line(text)
    try:
        if solution is None:
            proof = solver.solve_state(state, node_limit=limit)
        else:
            proof = solver.certify_state(state, solution, node_limit=limit)
    except Unproven as error:
        raise UnprovenError(
            f"its depth was not proven within limit={limit}: it is more than {error.exhausted}"
        ) from None
    depth = proof.optimal_length
    if (claimed := values.get("depth")) is not None and claimed != depth:
        maneuver = notation.format_maneuver(proof.solution)
        raise RuleError(
            f"it claims depth {claimed!r}; its depth is {depth} in metric={solver.metric}: "
            f"{maneuver or 'no move'!r} solves it, and no maneuver of {proof.exhausted} moves does"
        )
    canonical = symmetry.canonical_image(state)[0]
    return CertifiedState(
        facelets=state,
        metric=solver.metric,
        optimal_depth=depth,
        solution=notation.format_maneuver(proof.solution),
        sampling=SAMPLING,
        family=symmetry.canonical_with_inverse(state),
        canonical=canonical,
        exhausted=proof.exhausted,
        table_hash=proof.table_hash,
        nodes=proof.nodes,
    )


def _iterate_items(
    depth: int,
    puzzles: Sequence[_ProvenPuzzle],
    task: AnyTask,
    settings: ImportSettings,
    solver: ExactSolver,
) -> Iterator[ImportedItem | RejectedItem]:
    """Yield the items of the puzzles of one depth."""
    try:
        params = task.params(depth=depth, metric=settings.metric)
        params.validate()
    except ValueError as error:
        yield from (RejectedItem(one.line, f"{task.name}: {error}", one.own) for one in puzzles)
        return
    need = task.needs(params)
    assert need is not None
    states = tuple(one.state for one in puzzles)
    around = None
    if dict(need.args).get("neighbours"):
        rows = [solver.neighbour_distances(state.facelets, depth) for state in states]
        around = np.array(rows, dtype=np.int8)
    pool = CertifiedStates(settings.metric, depth, states, around)
    label = params.difficulty().label
    path = (settings.seed, task.name, task.version, PUZZLES, label)
    for index, one in enumerate(puzzles):
        reason = ""
        for attempt in range(MAX_ATTEMPTS):
            draw = Draw(path, index, attempt)
            try:
                instances = list(task.generate(params, draw, pool))
            except Reject as reject:
                reason = str(reject)
                continue
            yield ImportedItem(one.line, one.own, task, params, instances, draw)
            break
        else:
            failure = UnprovenError(f"{MAX_ATTEMPTS} draws gave no row: {reason}")
            yield RejectedItem.from_error(one.line, failure, one.own)
