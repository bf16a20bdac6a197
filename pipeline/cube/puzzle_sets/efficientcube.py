"""EfficientCube: solutions of DeepCubeA's test cubes, found by beam search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from facelet.generators.cube.engine import facelets, moves, notation
from facelet.pipeline.cube.published_cubes import iterate_cubes, parse_cube
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


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the solutions of each file, each followed by a tab and the cube of DeepCubeA.

    Raises:
        ValueError: a file has more lines than cubes.txt.
    """
    cubes = [text for _, text in read_lines(list_files(folder, "cubes.txt")[0])]
    for path in list_files(folder, "cubes_2e*.txt"):
        for index, item in enumerate(iterate_cubes(path, path.stem)):
            if index >= len(cubes):
                raise ValueError(f"{path} has more lines than cubes.txt has cubes: {len(cubes):,}")
            text = f"{item.text}\t{cubes[index]}"
            yield SetItem(item.id, item.split, text, item.answer)


def check_solution(item: SetItem, budget: CheckBudget) -> Finding:
    """Check the stated length, and that the solution solves the cube of the same line.

    Raises:
        ValueError: a line cannot be read.
    """
    solved, _, cube = item.text.partition("\t")
    (found, length), (original, _) = parse_cube(solved), parse_cube(cube)
    written = notation.maneuver_length(found, "qtm")
    if written != length:
        return Finding(
            "refuted",
            f"it has {written} quarter turns, {length} are stated",
            {"quarter_turns": written},
            ("length", length, written),
        )
    undo = notation.invert_maneuver(found)
    if moves.apply_maneuver(facelets.SOLVED, original + undo) != facelets.SOLVED:
        return Finding(
            "refuted",
            "the solution does not solve the cube",
            {
                "cube": notation.format_maneuver(original),
                "solution": notation.format_maneuver(undo),
            },
        )
    return HOLDS


def confirm(item: SetItem, witness: Witness) -> bool:
    """Accept another length than stated, or a solution that leaves the item's cube unsolved."""
    solved, _, cube = item.text.partition("\t")
    line, _, length = solved.partition("#")
    if "quarter_turns" in witness:
        written = cube_replay.count_quarter_turns(line)
        return bool(written == witness["quarter_turns"] != int(length))
    reached = cube_replay.replay_moves(f"{witness['cube']} {witness['solution']}")
    same_cube = cube_replay.makes_same_state(witness["cube"], cube.partition("#")[0])
    undone = cube_replay.is_solved_by(line, witness["solution"])
    return same_cube and undone and any(home != at for home, at in reached.items())


PUZZLE_SET = PuzzleSet(
    title="EfficientCube",
    source="github.com/kyo-takano/efficientcube, commit 976d02b, results/cube3",
    licence="CC-BY-4.0",
    claim="Each reported solution solves the DeepCubeA test cube of the same line, in the stated "
    "number of quarter turns.",
    claim_source='README.md, "Solutions": "the solutions reported in the paper"',
    form="cubes.txt of deepcubea, and cubes_2e*.txt: the inverse of each solution, then # and its "
    "length (no pickle is read; convert it yourself)",
    corrects=True,
    iterate_items=iterate_items,
    check=check_solution,
    confirm=confirm,
)
