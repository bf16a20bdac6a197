"""DeepCubeA: 1,000 cubes with solutions that are called shortest, in quarter turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from facelet.pipeline.cube.published_cubes import check_optimal, confirm_shorter, iterate_cubes
from facelet.pipeline.set_audit.puzzle_set import PuzzleSet, SetItem
from facelet.pipeline.set_audit.set_reader import list_files


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the cubes of cubes.txt."""
    for path in list_files(folder, "cubes.txt"):
        yield from iterate_cubes(path, "test")


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
