"""Learn the distance of cube states from labels: a small network, numpy on the processor.

    facelet labels out=labels count=300000 depths=9-14 cosets=60
    python learned_distance.py labels [seconds=300] [hidden=256]

Facelets go in as 324 zeros and ones; two layers of ReLU lead to one number, the distance, which is
fitted by squared errors. Labels are read at random again and again until the seconds of a processor
are spent, each time as another of their 48 images, which have the same distance: a network that
sees the states alone learns them by heart, and then who always says the mean distance is nearer.
The steps shrink to nothing, as large ones leave noise in the guesses. Then it prints the errors
over the split `test`, by distance: the mean error, the mean absolute error and the root of the mean
square, the latter two beside those of one who always says the mean distance.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from facelet.generators.cube.engine import symmetry

BATCH, RATE = 1024, 1e-3


def load_labels(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of colours, uint8 (n, 54), and distances, (n,)."""
    table = pq.read_table(folder, columns=["facelets", "distance"])
    letters = np.frombuffer("".join(table["facelets"].to_pylist()).encode(), dtype=np.uint8)
    number = np.zeros(128, dtype=np.uint8)
    number[np.frombuffer(b"URFDLB", dtype=np.uint8)] = range(6)
    return number[letters.reshape(-1, 54)], table["distance"].to_numpy().astype(np.float32)


def apply_symmetries(colours: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Return the image of each state under the symmetry of that number."""
    moved = np.take_along_axis(colours, symmetry.FACELETS[which].astype(np.int64), axis=1)
    return np.take_along_axis(symmetry.COLOURS[which], moved.astype(np.int64), axis=1)


def one_hot_colours(colours: np.ndarray) -> np.ndarray:
    """Return zeros and ones, (n, 324)."""
    inputs = np.zeros((len(colours), 324), dtype=np.float32)
    np.put_along_axis(inputs, colours + 6 * np.arange(54), 1, axis=1)
    return inputs


def forward_pass(layers: list[np.ndarray], inputs: np.ndarray) -> list[np.ndarray]:
    """Return what each layer makes of the inputs; the last, (n, 1), is the guess."""
    made = [inputs]
    for at in range(0, len(layers), 2):
        out = made[-1] @ layers[at] + layers[at + 1]
        made.append(np.maximum(out, 0) if at + 2 < len(layers) else out)
    return made


def mean_absolute_error(errors: np.ndarray) -> float:
    """Return the mean absolute error."""
    return float(np.abs(errors).mean())


def root_mean_square(errors: np.ndarray) -> float:
    """Return the root of the mean square of errors."""
    return float(np.sqrt(np.square(errors).mean()))


def main() -> None:
    """Train, and print the errors."""
    given = dict(word.split("=", 1) for word in sys.argv[2:])
    seconds, hidden = float(given.get("seconds", "300")), int(given.get("hidden", "256"))
    folder = Path(sys.argv[1])
    colours, distances = load_labels(folder / "train")
    rng = np.random.default_rng(0)
    middle = float(distances.mean())
    layers: list[np.ndarray] = []
    for rows, columns in ((324, hidden), (hidden, hidden), (hidden, 1)):
        layers.append(rng.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32))
        layers.append(np.zeros(columns, dtype=np.float32))
    layers[-2] *= 0.1
    means = [np.zeros_like(layer) for layer in layers]
    squares = [np.zeros_like(layer) for layer in layers]
    start, step = time.process_time(), 0
    while (spent := (time.process_time() - start) / seconds) < 1:
        step += 1
        which = rng.integers(len(colours), size=BATCH)
        seen = apply_symmetries(colours[which], rng.integers(symmetry.COUNT, size=BATCH))
        made = forward_pass(layers, one_hot_colours(seen))
        back = 2 * (made[-1] - (distances[which, None] - middle)) / BATCH
        rate = RATE * (1 - spent)
        for at in range(len(layers) - 2, -1, -2):
            grads = made[at // 2].T @ back, back.sum(axis=0)
            back = (back @ layers[at].T) * (made[at // 2] > 0)
            for of, grad in zip((at, at + 1), grads, strict=True):  # Adam
                means[of] += 0.1 * (grad - means[of])
                squares[of] += 0.001 * (grad * grad - squares[of])
                size = np.sqrt(squares[of] / (1 - 0.999**step)) + 1e-8
                layers[of] -= rate * means[of] / (1 - 0.9**step) / size
    print(f"{len(colours):,} labels, {step * BATCH:,} read in {seconds:.0f} s\n")
    colours, distances = load_labels(folder / "test")
    parts = range(0, len(colours), 4096)
    told = [
        forward_pass(layers, one_hot_colours(colours[at : at + 4096]))[-1][:, 0] for at in parts
    ]
    errors = np.concatenate(told) + middle - distances
    print("| distance | labels | mean | absolute | of the mean | root square | of the mean |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for distance in (*np.unique(distances), None):
        chosen = np.ones(len(errors), bool) if distance is None else distances == distance
        name = "all" if distance is None else f"{distance:.0f}"
        here, there = errors[chosen], (middle - distances)[chosen]
        pairs = [(f(here), f(there)) for f in (mean_absolute_error, root_mean_square)]
        beside = " | ".join(f"{own:.3f} | {plain:.3f}" for own, plain in pairs)
        print(f"| {name} | {chosen.sum():,} | {errors[chosen].mean():+.2f} | {beside} |")


if __name__ == "__main__":
    main()
