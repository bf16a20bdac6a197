"""Learn the distance of cube states from labels: a small network, numpy on the processor.

    facelet labels out=labels count=350000 depths=12-14 cosets=30
    python learned_distance.py labels [seconds=300] [hidden=512]

Facelets go in as 324 zeros and ones; two layers of ReLU lead to one number, the distance. Labels
are read at random again and again until the time is up; the last tenth of it the steps are small.
Then it prints the error over the split `test`, by distance: the mean, the mean of absolute errors,
and that of one who always says the mean distance.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

BATCH, RATE = 512, 1e-3


def read(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return places of the ones, (n, 54), and distances, (n,)."""
    table = pq.read_table(folder, columns=["facelets", "distance"])
    letters = np.frombuffer("".join(table["facelets"].to_pylist()).encode(), dtype=np.uint8)
    number = np.zeros(128, dtype=np.int32)
    number[np.frombuffer(b"URFDLB", dtype=np.uint8)] = range(6)
    ones = number[letters.reshape(-1, 54)] + 6 * np.arange(54, dtype=np.int32)
    return ones, table["distance"].to_numpy().astype(np.float32)


def spread(ones: np.ndarray) -> np.ndarray:
    """Return zeros and ones, (n, 324)."""
    inputs = np.zeros((len(ones), 324), dtype=np.float32)
    np.put_along_axis(inputs, ones, 1, axis=1)
    return inputs


def guess(layers: list[np.ndarray], inputs: np.ndarray) -> list[np.ndarray]:
    """Return what each layer makes of the inputs; the last, (n, 1), is the guess."""
    made = [inputs]
    for at in range(0, len(layers), 2):
        out = made[-1] @ layers[at] + layers[at + 1]
        made.append(np.maximum(out, 0) if at + 2 < len(layers) else out)
    return made


def main() -> None:
    """Train, and print the errors."""
    given = dict(word.split("=", 1) for word in sys.argv[2:])
    seconds, hidden = float(given.get("seconds", "300")), int(given.get("hidden", "512"))
    folder = Path(sys.argv[1])
    ones, distances = read(folder / "train")
    rng = np.random.default_rng(0)
    middle = float(distances.mean())
    layers: list[np.ndarray] = []
    for rows, columns in ((324, hidden), (hidden, hidden), (hidden, 1)):
        layers.append(rng.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32))
        layers.append(np.zeros(columns, dtype=np.float32))
    layers[-2] *= 0.1
    means = [np.zeros_like(layer) for layer in layers]
    squares = [np.zeros_like(layer) for layer in layers]
    start, step = time.perf_counter(), 0
    while (spent := time.perf_counter() - start) < seconds:
        step += 1
        which = rng.integers(len(ones), size=BATCH)
        made = guess(layers, spread(ones[which]))
        back = 2 * (made[-1] - (distances[which, None] - middle)) / BATCH
        rate = RATE if spent < 0.9 * seconds else RATE / 10
        for at in range(len(layers) - 2, -1, -2):
            grads = made[at // 2].T @ back, back.sum(axis=0)
            back = (back @ layers[at].T) * (made[at // 2] > 0)
            for of, grad in zip((at, at + 1), grads, strict=True):  # Adam
                means[of] += 0.1 * (grad - means[of])
                squares[of] += 0.001 * (grad * grad - squares[of])
                size = np.sqrt(squares[of] / (1 - 0.999**step)) + 1e-8
                layers[of] -= rate * means[of] / (1 - 0.9**step) / size
    print(f"{len(ones):,} labels, {step * BATCH:,} read in {seconds:.0f} s\n")
    ones, distances = read(folder / "test")
    parts = range(0, len(ones), 4096)
    told = [guess(layers, spread(ones[at : at + 4096]))[-1][:, 0] for at in parts]
    errors = np.concatenate(told) + middle - distances
    print("| distance | labels | mean error | mean absolute error | of the mean distance |")
    print("|--:|--:|--:|--:|--:|")
    for distance in (*np.unique(distances), None):
        chosen = np.ones(len(errors), bool) if distance is None else distances == distance
        name = "all" if distance is None else f"{distance:.0f}"
        plain = np.abs(middle - distances[chosen]).mean()
        print(
            f"| {name} | {chosen.sum():,} | {errors[chosen].mean():+.2f} | "
            f"{np.abs(errors[chosen]).mean():.2f} | {plain:.2f} |"
        )


if __name__ == "__main__":
    main()
