"""Polycubes: solids of unit cubes joined by whole faces, their orientations, hands and statistics.

A solid is a tuple of cells (x, y, z), sorted, whose least coordinates are 0. A rotation is one of
the 24 matrices of quarter turns; the mirror image of a solid is another solid unless a rotation
carries one to the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np
import numpy.typing as npt

Cell = tuple[int, int, int]
Solid = tuple[Cell, ...]
Rotation = tuple[Cell, Cell, Cell]
"""The rows of a matrix."""

LARGEST = 8
"""Most cubes of a solid that is listed here."""

MIRROR: Rotation = ((-1, 0, 0), (0, 1, 0), (0, 0, 1))
QUARTER_TURNS: tuple[Rotation, Rotation, Rotation] = (
    ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
)
"""Quarter turns about X, Y and Z, counterclockwise as seen from the tip of the axis's arrow."""


def _list_rotations() -> tuple[Rotation, ...]:
    found = []
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            matrix = np.zeros((3, 3), int)
            matrix[range(3), order] = signs
            if round(np.linalg.det(matrix)) == 1:
                found.append(_to_rotation(matrix))
    return tuple(found)


def _to_rotation(matrix: npt.NDArray[np.int_]) -> Rotation:
    one, two, three = (tuple(map(int, row)) for row in matrix)
    return one, two, three  # type: ignore[return-value]


ROTATIONS = _list_rotations()
IDENTITY: Rotation = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def compose_turns(counts: Sequence[int]) -> Rotation:
    """Return the rotation that some quarter turns about X, then Y, then Z make."""
    matrix = np.eye(3, dtype=int)
    for count, turn in zip(counts, QUARTER_TURNS, strict=True):
        matrix = np.linalg.matrix_power(np.array(turn), count) @ matrix
    return _to_rotation(matrix)


@lru_cache(maxsize=1)
def fewest_counts() -> dict[Rotation, tuple[int, ...]]:
    """Return for each rotation the counts of quarter turns about X, Y and Z that make it.

    Of several the ones with the least sum, and of these the first.
    """
    found: dict[Rotation, tuple[int, ...]] = {}
    for counts in sorted(product(range(4), repeat=3), key=sum):
        found.setdefault(compose_turns(counts), counts)
    return found


def count_quarter_turns(rotation: Rotation) -> int:
    """Return how many quarter turns, about any axes either way, a rotation needs: 0 to 3."""
    trace = sum(rotation[axis][axis] for axis in range(3))
    across = trace == -1 and sum(rotation[axis][axis] != 0 for axis in range(3)) == 1
    return 3 if across else {3: 0, 1: 1}.get(trace, 2)


@lru_cache(maxsize=1 << 15)
def rotate_solid(solid: Solid, rotation: Rotation) -> Solid:
    """Return a solid after a rotation, or its mirror image by MIRROR."""
    return shift_home(
        [tuple(sum(map(int.__mul__, row, cell)) for row in rotation) for cell in solid]  # type: ignore[misc]
    )


def shift_home(cells: Sequence[Cell]) -> Solid:
    """Return cells in order, moved so that their least coordinates are 0."""
    low = [min(cell[axis] for cell in cells) for axis in range(3)]
    return tuple(sorted((x - low[0], y - low[1], z - low[2]) for x, y, z in cells))


def canonical_solid(solid: Solid) -> Solid:
    """Return the least of the 24 orientations of a solid: equal for those that turns carry over."""
    return min(rotate_solid(solid, rotation) for rotation in ROTATIONS)


@lru_cache(maxsize=LARGEST)
def list_solids(cubes: int) -> tuple[Solid, ...]:
    """Return all solids of so many cubes, in canonical orientation; mirror images differ."""
    return tuple(map(_key_to_solid, _list_keys(cubes)))


@lru_cache(maxsize=LARGEST)
def list_asymmetric(cubes: int) -> tuple[Solid, ...]:
    """Return the solids that no rotation carries to themselves."""
    return tuple(_key_to_solid(key) for key, same in _list_keys(cubes).items() if same == 1)


@lru_cache(maxsize=LARGEST)
def _list_keys(cubes: int) -> dict[bytes, int]:
    """Return the keys of all solids of so many cubes, and how many rotations keep each."""
    if cubes == 1:
        return dict(_canonical_keys([((0, 0, 0),)]))
    found: dict[bytes, int] = {}
    for solid in list_solids(cubes - 1):
        around = {cell for place in solid for cell in neighbor_cells(place)} - set(solid)
        found |= _canonical_keys([(*solid, cell) for cell in sorted(around)])
    return dict(sorted(found.items()))


def neighbor_cells(cell: Cell) -> list[Cell]:
    """Return the six cells that share a face with a cell."""
    x, y, z = cell
    steps = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    return [(x + i, y + j, z + k) for i, j, k in steps]


def _canonical_keys(solids: Sequence[Sequence[Cell]]) -> list[tuple[bytes, int]]:
    """Return for each of some solids of one size its key, and how many rotations keep it."""
    turned = np.einsum("rij,mnj->mrni", np.array(ROTATIONS), np.array(solids))
    turned -= turned.min(axis=2, keepdims=True)
    codes = (turned @ (256, 16, 1)).astype(">u2")
    codes.sort(axis=2)
    size = 2 * codes.shape[2]
    found = []
    for row in (block.tobytes() for block in codes):
        keys = [row[start : start + size] for start in range(0, len(row), size)]
        found.append((min(keys), keys.count(min(keys))))
    return found


def _key_to_solid(key: bytes) -> Solid:
    numbers = np.frombuffer(key, ">u2").tolist()
    return tuple((number >> 8, number >> 4 & 15, number & 15) for number in numbers)


@lru_cache(maxsize=LARGEST)
def list_mates(cubes: int) -> tuple[tuple[Solid, Solid], ...]:
    """Return pairs of handed, asymmetric solids with equal statistics that are no mirror images.

    They have the same three silhouettes, contacts, and numbers of neighbours. The first of each
    hand is the lesser one. Such pairs exist from six cubes on.
    """
    alike: defaultdict[object, list[Solid]] = defaultdict(list)
    solids = list_asymmetric(cubes)
    mirrored = [rotate_solid(solid, MIRROR) for solid in solids]
    for solid, (key, _) in zip(solids, _canonical_keys(mirrored) if solids else (), strict=True):
        if solid < _key_to_solid(key):
            alike[measure_solid(solid)].append(solid)
    return tuple(pair for solids in alike.values() for pair in combinations(solids, 2))


def measure_solid(solid: Solid) -> tuple[object, ...]:
    """Return statistics that rotations and mirrors keep: silhouettes, and neighbours by number."""
    cells = set(solid)
    degrees = Counter(sum(near in cells for near in neighbor_cells(cell)) for cell in solid)
    return (list_silhouettes(solid), tuple(sorted(degrees.items())))


def list_silhouettes(solid: Solid) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the three silhouettes, each turned and mirrored to its least form, sorted."""
    return tuple(
        sorted(
            _least_outline({(cell[one], cell[two]) for cell in solid})
            for one, two in ((0, 1), (0, 2), (1, 2))
        )
    )


def _least_outline(squares: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    size = 1 + max(map(max, squares))
    forms = []
    for swap, down, left in product((False, True), repeat=3):
        form = [(b, a) if swap else (a, b) for a, b in squares]
        form = [(size - a if down else a, size - b if left else b) for a, b in form]
        low, first = min(a for a, _ in form), min(b for _, b in form)
        forms.append(tuple(sorted((a - low, b - first) for a, b in form)))
    return min(forms)


def format_solid(solid: Solid) -> str:
    """Return a solid as digits, such as "000 100 110"."""
    return " ".join("".join(map(str, cell)) for cell in solid)


def parse_solid(text: str) -> Solid:
    """Return the solid that `format_solid` wrote."""
    return tuple((int(cell[0]), int(cell[1]), int(cell[2])) for cell in text.split())
