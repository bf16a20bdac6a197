"""Jigsaw cubes: exact counting, whole rows, and pictures against a matplotlib voxel figure.

Run from the repository's root:

    .venv/bin/python tests/benchmarks/bench_jigsaw.py

One thread. The solver counts all assemblies of full puzzles (six free pieces, flips allowed); its
rival tries all 5! x 8^5 answers with one piece kept in place, with numpy on packed bit sets. The
rival of the renderer is the obvious way to draw such pieces: six voxel plots in one matplotlib
figure 1,000 pixels wide. All ways take turns within one run, so that the ratios hold on a busy
machine too.
"""

from __future__ import annotations

import io
from itertools import permutations
from statistics import median
from time import perf_counter

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.geometry.cube_surface import (
    ALL,
    FACES,
    draw_pieces,
    list_filled_cells,
    shuffle_pieces,
)
from facelet.generators.jigsaw.geometry.pieces import orient_piece
from facelet.generators.jigsaw.tasks import assemble, assemble_easy, perception
from facelet.renderers.api import render_png
from facelet.renderers.scenes.jigsaw import JigsawPieces

ROUNDS, PUZZLES = 5, 200


def count_assemblies(pieces: tuple[int, ...]) -> int:
    """Count assemblies by trying every answer that keeps the first piece in place."""
    faces = [face for face in FACES if face != "Front"]
    table = {
        (face, index): np.array(
            [list_filled_cells(face, orient_piece(pieces[index], code)) for code in range(8)],
            dtype=np.int64,
        )
        for face in faces
        for index in range(1, 6)
    }
    count = 0
    for order in permutations(faces):
        union = np.array([list_filled_cells("Front", pieces[0])], dtype=np.int64)
        total = union
        for index, face in enumerate(order, 1):
            union = (union[:, None] | table[face, index]).ravel()
            total = (total[:, None] + table[face, index]).ravel()
        count += int(((union == ALL) & (total == ALL)).sum())
    return count


def draw_voxel_png(scene: JigsawPieces) -> bytes:
    """Draw and encode pieces as voxel plots."""
    figure = plt.figure(figsize=(10, 6.7), dpi=100)
    for index, (piece, (elevation, azimuth)) in enumerate(
        zip(scene.pieces, scene.views, strict=True), 1
    ):
        axes = figure.add_subplot(2, 3, index, projection="3d")
        cells = np.array([list(map(int, row)) for row in piece.split("/")], dtype=bool)
        axes.voxels(cells.T[:, :, None], facecolors="#9ccaee", edgecolors="#101a30")
        axes.view_init(elev=elevation, azim=azimuth)
        axes.set_title(f"Face {scene.names[index - 1]}")
        axes.set_aspect("equal")
        axes.set_axis_off()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return buffer.getvalue()


def draw_puzzles(rng: np.random.Generator, count: int) -> list[tuple[int, ...]]:
    """Return the pieces of some full puzzles."""
    return [shuffle_pieces(rng, draw_pieces(rng), flips=True)[0] for _ in range(count)]


def make_first_rows(task, count: int) -> list:
    """Return the first rows of a task, made as the pipeline makes them."""
    rows = []
    for index in range(count):
        for attempt in range(1000):
            try:
                rows += task.generate(task.params(), Draw((0, "bench"), index, attempt), None)
                break
            except Reject:
                continue
    return rows


def time_call(call, *args) -> tuple[float, object]:
    """Return how long a call took, and what it returned."""
    start = perf_counter()
    result = call(*args)
    return perf_counter() - start, result


def main() -> None:
    """Time all ways in turn and print the tables."""
    rng = np.random.default_rng(0)
    fast, slow = [], []
    for _ in range(ROUNDS):
        batch = draw_puzzles(rng, PUZZLES)
        spent, counts = time_call(
            lambda many: [len(solver.find_assemblies(p, True)) for p in many], batch
        )
        fast.append(spent / PUZZLES)
        spent, count = time_call(count_assemblies, batch[0])
        slow.append(spent)
        assert count == counts[0], "the two ways disagree"
    print(f"full puzzles, all assemblies counted: {1 / median(fast):,.0f} a second")
    print(f"trying all 5! x 8^5 answers with numpy: {1 / median(slow):,.1f} a second")
    print(f"{median(slow) / median(fast):,.0f} times as fast\n")

    print(f"{'task':<24}{'rows/s made':>14}{'replies/s judged':>18}")
    for module in (assemble, assemble_easy, perception):
        task = module.TASK
        spent, rows = time_call(make_first_rows, task, 200)
        judged, _ = time_call(
            lambda task, rows: [replay(task.open(row), task.reference(row)) for row in rows],
            task,
            rows,
        )
        print(f"{task.name:<24}{len(rows) / spent:>14,.0f}{len(rows) / judged:>18,.0f}")

    drawn: list[tuple[float, int]] = []
    rival: list[tuple[float, int]] = []
    for puzzle in make_first_rows(assemble.TASK, 10):
        spent, (data, _) = time_call(render_png, puzzle.build_scene())
        drawn.append((spent, len(data)))
        spent, data = time_call(draw_voxel_png, puzzle.build_scene())
        rival.append((spent, len(data)))
    print(f"\n{'picture of six pieces':<24}{'ms':>14}{'bytes':>18}")
    for name, found in (("facelet", drawn), ("matplotlib voxels", rival)):
        time, size = (median(column) for column in zip(*found, strict=True))
        print(f"{name:<24}{1000 * time:>14,.0f}{size:>18,.0f}")
    ratios = [median(r[k] for r in rival) / median(d[k] for d in drawn) for k in (0, 1)]
    print(f"{ratios[0]:.1f} times as fast, {ratios[1]:.1f} times as small")


if __name__ == "__main__":
    main()
