"""The rules of the shapes once more, on numpy arrays and text, written from the rules alone.

A shape is an array (layers, 4, 2) of characters: quadrants from the top right clockwise, type and
colour, "-" twice where empty. Nothing of facelet is used.
"""

import numpy as np
import numpy.typing as npt

Shape = npt.NDArray[np.str_]


def read_code(code: str) -> Shape:
    return np.array([list(layer) for layer in code.split(":")]).reshape(-1, 4, 2)


def write_code(shape: Shape) -> str:
    return ":".join("".join(layer.ravel()) for layer in shape) if len(shape) else "--------"


def filled_quadrants(shape: Shape) -> npt.NDArray[np.bool_]:
    """Return which quadrants are filled: (layers, 4)."""
    return shape[:, :, 0] != "-"


def drop_empty_layers(shape: Shape) -> Shape:
    return shape[filled_quadrants(shape).any(axis=1)]


def drop_shape(lower: Shape, upper: Shape) -> Shape:
    """Let a shape fall from high above, step by step, until something is directly below it."""
    tall = len(lower) + len(upper)
    lower = drop_empty_layers(lower)
    height = tall
    while height > 0:
        touching = any(
            filled_quadrants(upper)[layer, q]
            and 0 <= height + layer - 1 < len(lower)
            and filled_quadrants(lower)[height + layer - 1, q]
            for layer in range(len(upper))
            for q in range(4)
        )
        if touching:
            break
        height -= 1
    merged = np.full((tall, 4, 2), "-")
    merged[: len(lower)] = lower
    for layer in range(len(upper)):
        for q in range(4):
            if filled_quadrants(upper)[layer, q]:
                merged[height + layer, q] = upper[layer, q]
    return drop_empty_layers(merged)[:4]


def apply_operation(code: str, word: str, coloring: str = "top") -> str:
    shape = read_code(code)
    name, _, rest = word.partition("(")
    taken = rest.rstrip(")")
    if name == "cut":
        shape = shape.copy()
        shape[:, :2] = "-"
        shape = drop_empty_layers(shape)
    elif name == "rotate_cw":
        shape = np.roll(shape, 1, axis=1)
    elif name == "rotate_ccw":
        shape = np.roll(shape, -1, axis=1)
    elif name == "mirror":
        shape = shape[:, ::-1]
    elif name == "color":
        shape = shape.copy()
        layers = [len(shape) - 1] if coloring == "top" else range(len(shape))
        for layer in layers:
            shape[layer, filled_quadrants(shape)[layer], 1] = taken
    elif name == "fill":
        shape = shape.copy()
        # Of one piece, or of the four of another shape, each for its own column.
        other = np.array([list(taken)] * 4 if len(taken) == 2 else list(read_code(taken)[0]))
        for layer, place in np.argwhere(~filled_quadrants(shape)):
            shape[layer, place] = other[place]
    elif name == "stack":
        shape = drop_shape(shape, read_code(taken))
    else:
        raise AssertionError(word)
    return write_code(shape)


def is_supported(code: str) -> bool:
    """Whether the four support rules hold, rule by rule as the prompt of the paper lists them."""
    shape = read_code(code)
    filled = filled_quadrants(shape)
    for layer in range(1, len(shape)):
        mine, below = filled[layer], filled[layer - 1]
        places = np.flatnonzero(mine).tolist()
        if len(places) == 1:
            good = below[places[0]]
        elif len(places) == 2 and abs(places[0] - places[1]) == 2:
            good = below[places[0]] and below[places[1]]
        else:
            good = any(below[place] for place in places)
        if not good:
            return False
    return True


def apply_operations(code: str, operations: str, coloring: str = "top") -> str:
    for word in operations.split(", "):
        code = apply_operation(code, word, coloring)
    return code
