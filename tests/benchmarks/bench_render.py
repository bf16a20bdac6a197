"""A labelled net, a corner and a face, drawn and encoded: this package against matplotlib figures.

Run from the repository's root (or `make bench-render`):

    .venv/bin/python tests/benchmarks/bench_render.py

The rival of the net draws as the official code of the first paper (Cube Bench) does: a new
matplotlib figure for each state, one rectangle patch a sticker, a text for each face, saved as PNG
at the default resolution. The rivals of the corner and of the face, which CubeBench shows after
every turn of the cube or of the view, draw in the same way: a new 3D figure with one polygon a
sticker, in perspective and of the same size in pixels, and a flat figure. All ways take turns of
one batch within one run, on the same random states and one thread, so that the ratios hold on a
busy machine too. Printed are medians of processor time, pictures a second of it, bytes and ratios.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from itertools import product
from statistics import median
from time import thread_time
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from facelet.renderers.api import encode_png, render_png, render_scene
from facelet.renderers.scenes.cube import CubeCorner, CubeFace
from facelet.renderers.scenes.records import FACES, CubeNet, Scene, SixColours

ROUNDS, STATES = 6, 20
# Left column and top row of each face in a net of 12 x 9 stickers, and its name.
ORIGINS = {"U": (3, 0), "L": (0, 3), "F": (3, 3), "R": (6, 3), "B": (9, 3), "D": (3, 6)}
TITLES = {"U": "Up", "L": "Left", "F": "Front", "R": "Right", "B": "Back", "D": "Down"}


# Of the top, the front and the right face: the corner where its first sticker begins, and the steps
# along a row and down a column; x to the right, y to the back, z up.
SIDES = (
    ((0, 3, 3), (1, 0, 0), (0, -1, 0)),
    ((0, 0, 3), (1, 0, 0), (0, 0, -1)),
    ((3, 0, 3), (0, 1, 0), (0, 0, -1)),
)
DPI = 100


def colours_to_rgb(colours: SixColours) -> dict[str, tuple[float, ...]]:
    """Return the colours as matplotlib wants them, by letter."""
    return {
        face: tuple(level / 255 for level in colour)
        for face, colour in zip(FACES, colours, strict=True)
    }


def encode_figure(figure: Figure) -> bytes:
    """Encode a figure and forget it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return buffer.getvalue()


def draw_net_figure(scene: CubeNet) -> bytes:
    """Draw and encode a net as a matplotlib figure."""
    colours = colours_to_rgb(scene.colours)
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
    return encode_figure(figure)


def draw_corner_figure(scene: CubeCorner) -> bytes:
    """Draw and encode a corner as a 3D matplotlib figure."""
    colours = colours_to_rgb(scene.colours)
    figure = plt.figure(figsize=(scene.size / DPI, scene.size / DPI), dpi=DPI)
    axes = figure.add_subplot(projection="3d", proj_type="persp")
    squares = []
    for index in range(27):
        start, along, down = SIDES[index // 9]
        row, column = divmod(index % 9, 3)
        steps = ((row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column))
        squares.append(
            [
                tuple(s + c * a + r * d for s, a, d in zip(start, along, down, strict=True))
                for r, c in steps
            ]
        )
    axes.add_collection3d(
        Poly3DCollection(
            squares,
            facecolors=[colours[letter] for letter in scene.stickers],
            edgecolors="black",
            linewidths=2,
        )
    )
    axes.set(xlim=(0, 3), ylim=(0, 3), zlim=(0, 3))
    axes.view_init(elev=30, azim=-50)
    axes.set_box_aspect((1, 1, 1))
    axes.set_axis_off()
    return encode_figure(figure)


def draw_face_figure(scene: CubeFace) -> bytes:
    """Draw and encode a face as a matplotlib figure."""
    colours = colours_to_rgb(scene.colours)
    inches = render_scene(scene).width / DPI
    figure, axes = plt.subplots(figsize=(inches, inches), dpi=DPI)
    for index, letter in enumerate(scene.stickers):
        place = (index % 3, 2 - index // 3)
        axes.add_patch(Rectangle(place, 1, 1, facecolor=colours[letter], edgecolor="black"))
    axes.set_xlim(-0.1, 3.1)
    axes.set_ylim(-0.1, 3.1)
    axes.set_aspect("equal")
    axes.axis("off")
    return encode_figure(figure)


def draw_scene_png(scene: Scene) -> bytes:
    """Draw and encode a scene with this package."""
    return encode_png(render_scene(scene))


def time_call(call: Callable[[Any], object], scene: Scene) -> tuple[float, object]:
    """Return the milliseconds of processor time of one call, and what it returned."""
    start = thread_time()
    result = call(scene)
    return (thread_time() - start) * 1e3, result


def race_renderers(
    title: str, make: Callable[[str], Scene], stickers: int, rival: Callable[[Any], bytes]
) -> None:
    """Time all ways to draw one kind of scene on the same states, in turn, and print the table."""
    rng = random.Random(0)
    batches = [
        [make("".join(rng.sample(FACES * 9, 54)[:stickers])) for _ in range(STATES)]
        for _ in range(ROUNDS)
    ]
    ways: dict[str, Callable[[Any], object]] = {
        "matplotlib figure": rival,
        "facelet: draw + encode": draw_scene_png,
        "  of which draw": render_scene,
        "facelet: draw + encode + hash": render_png,
    }
    start = thread_time()
    render_scene(batches[0][0])
    first = thread_time() - start
    for call in ways.values():
        call(batches[0][0])  # fonts and patterns are loaded once a process
    times: dict[str, list[float]] = {name: [] for name in ways}
    sizes: dict[str, list[int]] = {name: [] for name in ways}
    for batch, (name, call) in product(batches, ways.items()):
        for scene in batch:
            milliseconds, result = time_call(call, scene)
            times[name].append(milliseconds)
            if isinstance(result, bytes):
                sizes[name].append(len(result))
    slow, fast = (name for name in ways if sizes[name])
    picture = render_scene(batches[0][0])
    print(f"\n{title}, {picture.width} x {picture.height}; first picture after {first:.2f} s")
    for name in ways:
        size = f"{median(sizes[name]):9,.0f} bytes" if sizes[name] else ""
        rate = 1e3 / median(times[name])
        print(f"{name:<32} {median(times[name]):9.2f} ms {rate:9,.0f} a second {size}")
    print(
        f"{median(times[slow]) / median(times[fast]):.0f} times as fast, "
        f"{median(sizes[slow]) / median(sizes[fast]):.1f} times as small"
    )


def main() -> None:
    """Race each kind of scene."""
    print(f"{ROUNDS} batches of {STATES} random states; medians of processor time, one thread")
    race_renderers("net", CubeNet, 54, draw_net_figure)
    race_renderers("corner", CubeCorner, 27, draw_corner_figure)
    race_renderers("face", CubeFace, 9, draw_face_figure)


if __name__ == "__main__":
    main()
