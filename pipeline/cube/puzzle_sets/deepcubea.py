"""DeepCubeA: 1,000 cubes, each a maneuver from the solved cube, with lengths called shortest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from facelet.generators.cube.distance.exact_solver import ExactSolver, Unproven
from facelet.generators.cube.engine import moves, notation
from facelet.pipeline.cube.line_certifier import split_claim
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.set_audit.checkers import cube_replay
from facelet.pipeline.set_audit.puzzle_set import (
    HOLDS,
    CheckBudget,
    Finding,
    PuzzleSet,
    SetItem,
    Witness,
)
from facelet.pipeline.set_audit.set_reader import list_files, read_lines

MAX_MOVES = 200


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the cubes of cubes.txt."""
    for path in list_files(folder, "cubes.txt"):
        for number, text in read_lines(path):
            length = split_claim(text)[1]
            yield SetItem(
                f"{path.name}:{number}", "test", text, "" if length is None else str(length)
            )


def parse_cube(text: str) -> tuple[notation.Maneuver, int]:
    """Return the maneuver of a line, and its stated length in quarter turns.

    Raises:
        ValueError: it is no maneuver of face turns with a length.
    """
    line, length = split_claim(text)
    maneuver = notation.parse_maneuver(line)
    if length is None or len(maneuver) > MAX_MOVES or set(maneuver) - set(notation.FACE_MOVES):
        raise ValueError(f"no face turns with a length behind #, at most {MAX_MOVES} moves")
    return maneuver, length


@cache
def open_solver(table: str) -> ExactSolver:
    """Return the solver for quarter turns with a table."""
    return ExactSolver(open_table(f"qtm-{table}", private=True))


def check_optimal(item: SetItem, budget: CheckBudget) -> Finding:
    """Check that the stated length is the least number of quarter turns.

    Raises:
        ValueError: the line cannot be read.
    """
    maneuver, length = parse_cube(item.text)
    written = notation.maneuver_length(maneuver, "qtm")
    if written < length:
        return Finding(
            "refuted",
            f"its own {written} quarter turns are fewer than the stated {length}",
            {"solution": notation.format_maneuver(notation.invert_maneuver(maneuver))},
        )
    undo = notation.invert_maneuver(maneuver)
    state = moves.apply_maneuver(notation.SOLVED, maneuver)
    try:
        proof = open_solver(budget.table).certify_state(state, undo, node_limit=budget.nodes)
    except Unproven as early:
        return Finding("not proven", f"no shorter solution up to {early.exhausted} quarter turns")
    if proof.optimal_length < length:
        return Finding(
            "refuted",
            f"{proof.optimal_length} quarter turns solve it, {length} are stated as optimal",
            {"solution": notation.format_maneuver(proof.solution)},
            ("length", length, proof.optimal_length),
        )
    if proof.optimal_length > length:
        return Finding(
            "not proven",
            f"the engine needs {proof.optimal_length} quarter turns, {length} are stated; "
            "no short witness shows that none is shorter",
        )
    return HOLDS


def confirm_shorter(item: SetItem, witness: Witness) -> bool:
    """Accept a solution that solves the item's cube in fewer quarter turns than stated."""
    line, _, length = item.text.partition("#")
    solution = str(witness["solution"])
    return cube_replay.count_quarter_turns(solution) < int(length) and cube_replay.is_solved_by(
        line, solution
    )


PUZZLE_SET = PuzzleSet(
    title="DeepCubeA",
    source="github.com/forestagostinelli/DeepCubeA, commit 919489f, data/cube3/test/data_0.pkl",
    licence="MIT",
    claim="The published solution of each test cube is a shortest one in quarter turns.",
    claim_source='README.md, "Compare to shortest path", which compares with data_0.pkl',
    form="cubes.txt: the inverse of each published solution, then # and its length (no pickle is "
    "read; convert it yourself)",
    corrects=True,
    iterate_items=iterate_items,
    check=check_optimal,
    confirm=confirm_shorter,
)
