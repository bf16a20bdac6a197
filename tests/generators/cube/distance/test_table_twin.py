"""Tables against a twin in Python that shares nothing with the compiled code but the layout."""

from functools import lru_cache
from math import comb

import numpy as np
import pytest
from cube_states import SOLVED_CUBIES
from cube_twins import MOVE_CUBIES, multiply_cubies
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.cube.distance import pruning_tables
from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import cubies, moves, symmetry
from facelet.generators.cube.engine.cubies import Cubies
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.pipeline.cube.table_cache import open_table

AXIAL = [s for s in range(symmetry.COUNT) if {*symmetry.NAMES[s].split()[0][2:]} <= {*"UD"}]
# Turns about the URF corner bring the axes up in the order in which the core looks at them.
TURNS = [
    symmetry.NAMES.index(name)
    for name in (
        "U>U R>R F>F D>D L>L B>B",
        "U>F R>U F>R D>B L>D B>L",
        "U>R R>F F>U D>L L>B B>D",
    )
]
SPLITS = [mask for mask in range(256) if mask.bit_count() == 4]
SLICES = [mask for mask in range(4096) if mask.bit_count() == 4]


def twist_number(cube: Cubies) -> int:
    return sum(turn * 3**place for place, turn in enumerate(cube.co[:7]))


def split_number(cube: Cubies) -> int:
    return SPLITS.index(sum(1 << place for place in range(8) if cube.cp[place] < 4))


def middle_number(cube: Cubies) -> int:
    return sum(1 << place for place in range(12) if cube.ep[place] >= 8)


def table_flips(cube: Cubies, flips: int) -> tuple[int, ...]:
    """The flips that a table keeps, by place."""
    kept = {11: range(11), 8: (p for p in range(12) if not middle_number(cube) >> p & 1)}
    places = kept.get(flips, (p for p in range(12) if middle_number(cube) >> p & 1))
    return tuple(cube.eo[place] for place in places)


def build_corner_state(turn: int, mask: int) -> Cubies:
    """Some state with that corner part, its edges swapped if that makes it legal."""
    up, down = iter(range(4)), iter(range(4, 8))
    cp = tuple(next(up if mask >> place & 1 else down) for place in range(8))
    co = [turn // 3**place % 3 for place in range(7)]
    odd = cubies.permutation_parity(cp)
    return Cubies(
        cp, (*co, -sum(co) % 3), (1, 0, *range(2, 12)) if odd else tuple(range(12)), (0,) * 12
    )


@lru_cache
def corner_classes() -> tuple[np.ndarray, np.ndarray]:
    """Class of every corner part (twist * 70 + split), and which parts are representatives."""

    def symmetric_images(state: Cubies) -> list[Cubies]:
        text = cubies.to_facelets(state)
        return [cubies.from_facelets(symmetry.transform_state(text, s)) for s in AXIAL]

    twists = np.array(
        [
            [twist_number(c) for c in symmetric_images(build_corner_state(t, 15))]
            for t in range(3**7)
        ]
    )
    splits = np.array(
        [
            [split_number(c) for c in symmetric_images(build_corner_state(0, mask))]
            for mask in SPLITS
        ]
    )
    parts = twists[:, None, :] * 70 + splits[None, :, :]
    least = parts.min(axis=2).ravel()
    representatives, number = np.unique(least, return_inverse=True)
    return number.astype(int), np.isin(np.arange(len(least)), representatives)


def entry_numbers(text: str, flips: int) -> set[int]:
    """Numbers of the entries of a state: one for each symmetry that brings its corners home."""
    number, representative = corner_classes()
    found = set()
    for s in AXIAL:
        cube = cubies.from_facelets(symmetry.transform_state(text, s))
        part = twist_number(cube) * 70 + split_number(cube)
        if representative[part]:
            packed = sum(bit << i for i, bit in enumerate(table_flips(cube, flips)))
            place = number[part] * 495 + SLICES.index(middle_number(cube))
            found.add((place << flips) + packed)
    return found


def read_bounds(table: PruningTable, text: str) -> tuple[int, int]:
    """The bounds of a state along the U/D axis, read from the table's bytes."""
    spec, memory = table.spec, table.memory
    codes = {int(memory[e // 4]) >> 2 * (e % 4) & 3 for e in entry_numbers(text, spec.flips)}
    (code,) = codes  # symmetric entries agree
    if code:
        return spec.base + code, spec.base + code if code < 3 else 60
    stripes = {e >> min(6, spec.flips) for e in entry_numbers(text, spec.flips)}
    (least,) = {int(memory[spec.entry_bytes + s // 2]) >> 4 * (s % 2) & 15 for s in stripes}
    return least, spec.base


def encode_pieces(text: str) -> bytes:
    cube = cubies.from_facelets(text)
    return bytes((*cube.cp, *cube.co, *cube.ep, *cube.eo))


words = st.lists(st.sampled_from(FACE_MOVES), max_size=30)


def test_there_are_as_many_classes_as_the_layout_says() -> None:
    number, representative = corner_classes()
    assert number.max() + 1 == representative.sum() == core.CLASSES
    assert len(number) == 3**7 * comb(8, 4)
    assert comb(12, 4) == core.SLICES
    assert len(AXIAL) == 16


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@settings(max_examples=30)
@given(words)
def test_lookups_equal_the_twins(metric: Metric, word: list[str]) -> None:
    table = open_table(f"{metric}-small", progress=False)
    spec = table.spec
    state = moves.apply_maneuver(SOLVED, tuple(word))
    found = core.bounds(table.memory, spec.flips, spec.base, encode_pieces(state))
    sides = (state, symmetry.inverse_state(state))
    twins = [
        read_bounds(table, symmetry.transform_state(side, turn)) for side in sides for turn in TURNS
    ]
    assert found == twins


@pytest.mark.parametrize("flips", [8, 11])
@settings(max_examples=10)
@given(words)
def test_larger_tables_are_read_where_the_twin_reads_them(flips: int, word: list[str]) -> None:
    spec = pruning_tables.find_spec({8: "htm-default", 11: "htm-large"}[flips])
    memory = np.zeros(spec.byte_count, dtype=np.uint8)  # pages that nobody touches take no memory
    state = moves.apply_maneuver(SOLVED, tuple(word))
    for entry in entry_numbers(state, flips):
        memory[entry // 4] |= 2 << 2 * (entry % 4)
    first = core.bounds(memory, flips, spec.base, encode_pieces(state))[0]
    assert first == (spec.base + 2, spec.base + 2)


@pytest.mark.parametrize("name", list(pruning_tables.SPECS))
def test_counts_equal_a_breadth_first_search_of_cosets(name: str) -> None:
    spec = pruning_tables.find_spec(name)
    turns = [turn for move, turn in MOVE_CUBIES.items() if spec.metric == "htm" or "2" not in move]

    def coset_key(cube: Cubies) -> tuple[object, ...]:
        return (
            cube.co,
            tuple(c < 4 for c in cube.cp),
            tuple(e < 8 for e in cube.ep),
            table_flips(cube, spec.flips),
        )

    seen = {coset_key(SOLVED_CUBIES)}
    shell, counts = [SOLVED_CUBIES], [1]
    for _ in range(3):
        found = {}
        for cube in shell:
            for turn in turns:
                after = multiply_cubies(cube, turn)
                found.setdefault(coset_key(after), after)
        shell = [cube for key, cube in found.items() if key not in seen]
        seen.update(found)
        counts.append(len(shell))
    assert counts == list(spec.counts[:4])
    assert sum(spec.counts) <= 3**7 * comb(8, 4) * comb(12, 4) * 2**spec.flips
