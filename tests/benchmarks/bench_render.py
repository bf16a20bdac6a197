"""A labelled net, drawn and encoded: this package against a matplotlib figure.

Run from the repository's root (or `make bench-render`):

    .venv/bin/python tests/benchmarks/bench_render.py

The rival draws as the official code of the first paper (Cube Bench) does: a new matplotlib figure
for each state, one rectangle patch a sticker, a text for each face, saved as PNG at the default
resolution. All ways take turns of one batch within one run, on the same random states and one
thread, so that the ratios hold on a busy machine too. Printed are medians and bytes, and the
ratios.
"""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

sys.path.insert(0, str(Path(__file__).parents[2]))

from renderers.api import encode_png, render, render_png
from renderers.scenes import FACES, CubeNet

ROUNDS, STATES = 6, 20
# Left column and top row of each face in a net of 12 x 9 stickers, and its name.
ORIGINS = {"U": (3, 0), "L": (0, 3), "F": (3, 3), "R": (6, 3), "B": (9, 3), "D": (3, 6)}
TITLES = {"U": "Up", "L": "Left", "F": "Front", "R": "Right", "B": "Back", "D": "Down"}


def figure_png(scene: CubeNet) -> bytes:
    """Draw and encode a net as a matplotlib figure."""
    colours = {
        face: tuple(level / 255 for level in colour)
        for face, colour in zip(FACES, scene.colours, strict=True)
    }
    figure, axes = plt.subplots(figsize=(8, 6))
    for index, letter in enumerate(scene.facelets):
        face, place = FACES[index // 9], index % 9
        x, y = ORIGINS[face][0] + place % 3, ORIGINS[face][1] + place // 3
        axes.add_patch(
            Rectangle((x, 8 - y), 1, 1, facecolor=colours[letter], edgecolor="black", linewidth=1)
        )
    for face, (x, y) in ORIGINS.items():
        axes.text(x + 1.5, 9.1 - y, TITLES[face], ha="center", va="bottom", fontsize=10)
    axes.set_xlim(-0.5, 12.5)
    axes.set_ylim(-0.5, 10)
    axes.set_aspect("equal")
    axes.axis("off")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return buffer.getvalue()


def net_png(scene: CubeNet) -> bytes:
    """Draw and encode a net with this package."""
    return encode_png(render(scene))


def timed(call: Callable[[CubeNet], object], scene: CubeNet) -> tuple[float, object]:
    """Return the milliseconds of one call, and what it returned."""
    start = perf_counter()
    result = call(scene)
    return (perf_counter() - start) * 1e3, result


def main() -> None:
    """Time all ways on the same states, in turn, and print the table."""
    rng = random.Random(0)
    batches = [
        [CubeNet("".join(rng.sample(FACES * 9, 54))) for _ in range(STATES)] for _ in range(ROUNDS)
    ]
    ways: dict[str, Callable[[CubeNet], object]] = {
        "matplotlib figure": figure_png,
        "facelet: draw + encode": net_png,
        "  of which draw": render,
        "facelet: draw + encode + hash": render_png,
    }
    for call in ways.values():
        call(batches[0][0])  # fonts and patterns are loaded once a process
    times: dict[str, list[float]] = {name: [] for name in ways}
    sizes: dict[str, list[int]] = {name: [] for name in ways}
    for batch, (name, call) in product(batches, ways.items()):
        for scene in batch:
            milliseconds, result = timed(call, scene)
            times[name].append(milliseconds)
            if isinstance(result, bytes):
                sizes[name].append(len(result))
    slow, fast = (name for name in ways if sizes[name])
    print(f"{ROUNDS} batches of {STATES} random states, medians of one run; one thread")
    for name in ways:
        size = f"{median(sizes[name]):9,.0f} bytes" if sizes[name] else ""
        print(f"{name:<32} {median(times[name]):9.2f} ms {size}")
    print(
        f"{median(times[slow]) / median(times[fast]):.0f} times as fast, "
        f"{median(sizes[slow]) / median(sizes[fast]):.1f} times as small"
    )


if __name__ == "__main__":
    main()
