"""The coset search against brute force: levels, codes, states, marks, maneuvers."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from cube_states import SOLVED_CUBIES, coset_of
from sparse_memory import allocate_zeros
from uniform_states import random_state

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import coset_search, coset_states
from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.coset_search import CosetLevel, CosetSearch, CosetTables
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import cubies, moves, symmetry
from facelet.generators.cube.engine.cubies import Cubies
from facelet.generators.cube.engine.notation import FACE_MOVES, SOLVED
from facelet.pipeline.cube.table_cache import open_table

TURNS = [cubies.from_facelets(moves.apply_maneuver(SOLVED, (move,))) for move in FACE_MOVES]


@pytest.fixture(scope="module")
def tables() -> CosetTables:
    return CosetTables(allocate_zeros, within=8)


@pytest.fixture(scope="module")
def whole_tables() -> CosetTables:
    return CosetTables(allocate_zeros)


@pytest.fixture(scope="module")
def search(tables: CosetTables) -> CosetSearch:
    return CosetSearch(tables, allocate_zeros, threads=2)


def states_within(radius: int) -> list[set[Cubies]]:
    """Return all states within so many turns of solved, by distance: plain breadth-first search."""
    shells = [{SOLVED_CUBIES}]
    seen = set(shells[0])
    for _ in range(radius):
        following = {cubies.compose_cubies(a, turn) for a in shells[-1] for turn in TURNS} - seen
        seen |= following
        shells.append(following)
    return shells


def coset_key(state: Cubies) -> tuple[object, ...]:
    """Return what elements of H in front of a state leave alone: twists, flips, middle places."""
    return state.co, state.eo, tuple(edge >= 8 for edge in state.ep)


def search_by_force(number: int, shells: list[set[Cubies]]) -> dict[Cubies, int]:
    """Return the distances of all states of a coset within twice the radius of the shells."""
    start = coset_search.coset_representative(number)
    by_key: dict[tuple[object, ...], list[tuple[Cubies, int]]] = defaultdict(list)
    for far, shell in enumerate(shells):
        for state in shell:
            by_key[coset_key(cubies.invert_cubies(state))].append((state, far))
    found: dict[Cubies, int] = {}
    for near, shell in enumerate(shells):
        for first in shell:
            for then, far in by_key.get(coset_key(cubies.compose_cubies(start, first)), ()):
                state = cubies.compose_cubies(first, then)
                found[state] = min(near + far, found.get(state, near + far))
    return found


def count_by_level(tables: CosetTables, number: int, levels: list[CosetLevel]) -> dict[str, int]:
    found = {}
    for level in levels:
        codes = level.codes(0, core.PAGES)
        assert len(codes) == level.state_count
        for row in coset_states.codes_to_facelets(tables, number, codes):
            found[row.tobytes().decode()] = level.depth
    return found


def test_the_levels_of_h_are_the_published_ones(search: CosetSearch) -> None:
    number = coset_of(search.tables, SOLVED)
    counts = [level.state_count for level in search.iterate_levels(number, 5)]
    assert counts == [1, 10, 67, 456, 3079, 20076]


@pytest.mark.parametrize("word", ["R F' U L2", "F R"])
def test_cosets_equal_brute_force_state_for_state(
    search: CosetSearch, word: str, shells: list[set[Cubies]]
) -> None:
    number = coset_of(search.tables, moves.apply_maneuver(SOLVED, tuple(word.split())))
    depth = 2 * (len(shells) - 1)
    levels = list(search.iterate_levels(number, depth))
    expected = {cubies.to_facelets(s): d for s, d in search_by_force(number, shells).items()}
    assert count_by_level(search.tables, number, levels) == expected
    assert len(expected) > 20


@pytest.fixture(scope="module")
def shells() -> list[set[Cubies]]:
    return states_within(3)


@pytest.mark.slow
def test_more_levels_of_h_are_the_published_ones(whole_tables: CosetTables) -> None:
    search = CosetSearch(whole_tables, allocate_zeros)
    counts = [
        level.state_count for level in search.iterate_levels(coset_of(whole_tables, SOLVED), 9)
    ]
    assert counts == [1, 10, 67, 456, 3079, 20076, 125218, 756092, 4331124, 23639531]


@pytest.mark.slow
def test_cosets_equal_brute_force_to_depth_8(search: CosetSearch) -> None:
    shells = states_within(4)
    rng = make_generator("cosets", "brute force")
    compared = 0
    while compared < 3:
        word = tuple(FACE_MOVES[int(m)] for m in rng.integers(18, size=8))
        number = coset_of(search.tables, moves.apply_maneuver(SOLVED, word))
        levels = list(search.iterate_levels(number, 8))
        if sum(level.state_count for level in levels) > 5_000:
            continue  # Near H: too many for plain Python.
        expected = {cubies.to_facelets(s): d for s, d in search_by_force(number, shells).items()}
        assert count_by_level(search.tables, number, levels) == expected
        compared += 1


def test_codes_states_and_marks_of_any_state(tables: CosetTables) -> None:
    rng = make_generator("cosets", "states")
    marks = set()
    for _ in range(100):
        state = random_state(rng)
        image = symmetry.transform_state(state, int(rng.integers(48)))
        told = set()
        for one in (state, image, symmetry.inverse_state(state), symmetry.inverse_state(image)):
            number, code = coset_of(tables, one), tables.code_of(one)
            codes = np.array([code], dtype=np.uint64)
            assert coset_states.codes_to_facelets(tables, number, codes).tobytes().decode() == one
            told.add(int(coset_states.codes_to_marks(tables, number, codes)[0]))
        assert len(told) == 1
        marks |= told
    assert len(marks) == 100
    assert 30 <= sum(mark >> 63 for mark in marks) <= 70


def test_a_spread_is_every_turn_of_h(tables: CosetTables, search: CosetSearch) -> None:
    start = coset_search.coset_representative(coset_of(tables, SOLVED))
    levels = list(search.iterate_levels(coset_of(tables, SOLVED), 3))
    codes = np.concatenate([level.codes(0, core.PAGES) for level in levels])
    rng = make_generator("cosets", "spread")
    some = np.sort(rng.choice(codes, 12, replace=False))
    before, now = allocate_zeros(core.MAP_BYTES), allocate_zeros(core.MAP_BYTES)
    np.bitwise_or.at(before, some >> np.uint64(3), (1 << (some & np.uint64(7))).astype(np.uint8))
    in_h = [turn for turn in TURNS if coset_key(turn) == coset_key(SOLVED_CUBIES)]
    assert len(in_h) == 10
    number = coset_of(tables, SOLVED)
    expected = set(some.tolist())
    for row in coset_states.codes_to_facelets(tables, number, some):
        state = cubies.from_facelets(row.tobytes().decode())
        for turn in in_h:
            expected.add(tables.code_of(cubies.to_facelets(cubies.compose_cubies(state, turn))))
    found = set()
    for page in sorted({code // core.PAGE_BITS for code in expected}):
        core.spread(tables.memory, before, now, page, page + 1)
        out = np.empty(200, dtype=np.uint64)
        found |= set(out[: core.codes(now, b"", page, page + 1, out)].tolist())
    assert found == expected
    assert start == SOLVED_CUBIES


def test_words_solve_their_states(search: CosetSearch) -> None:
    number = coset_of(search.tables, moves.apply_maneuver(SOLVED, ("R", "F", "U", "B'")))
    level = list(search.iterate_levels(number, 8))[-1]
    codes = level.codes(0, core.PAGES)[::17]
    facelets = coset_states.codes_to_facelets(search.tables, number, codes)
    words = search.find_words(number, 8, codes)
    assert words == search.find_words(number, 8, codes)
    for row, word in zip(facelets, words, strict=True):
        assert len(word) == 8
        assert moves.apply_maneuver(row.tobytes().decode(), word) == SOLVED
    with pytest.raises(ValueError, match="not at distance 7"):
        search.find_words(number, 7, codes)


def test_what_is_out_of_range_is_told(search: CosetSearch) -> None:
    with pytest.raises(ValueError, match="depth 9 is not one of 0 to 8"):
        next(search.iterate_levels(0, 9))
    with pytest.raises(ValueError, match="is not one of 0 to 2217093119"):
        coset_search.coset_representative(coset_search.COSETS)
    with pytest.raises(ValueError, match="code"):
        coset_states.codes_to_facelets(
            search.tables, 0, np.array([coset_search.ELEMENTS], dtype=np.uint64)
        )


@pytest.mark.slow
def test_a_level_is_the_same_with_and_without_a_spread(whole_tables: CosetTables) -> None:
    """Counts and codes of levels 7 to 9, which both ways find; takes 5 GB."""
    number = coset_of(whole_tables, moves.apply_maneuver(SOLVED, ("R", "F", "U", "B'")))
    plain = CosetSearch(whole_tables, allocate_zeros)
    listed = {level.depth: level.codes(0, core.PAGES) for level in plain.iterate_levels(number, 9)}
    del plain
    for level in CosetSearch(whole_tables, allocate_zeros, spread_from=8).iterate_levels(number, 9):
        assert np.array_equal(level.codes(0, core.PAGES), listed[level.depth])


@pytest.mark.slow
def test_level_counts_agree_under_symmetry_and_inversion(whole_tables: CosetTables) -> None:
    """Symmetric cosets have levels of one size, and inverses of a coset's states stand in H * R."""
    tables, search = whole_tables, CosetSearch(whole_tables, allocate_zeros)
    number = int(make_generator("cosets", "symmetry").integers(coset_search.COSETS))
    facelets = cubies.to_facelets(cubies.invert_cubies(coset_search.coset_representative(number)))
    counts = [level.state_count for level in search.iterate_levels(number, 13)]
    for s in coset_search.KEEPING_H:
        image = coset_of(tables, symmetry.transform_state(facelets, s))
        assert [level.state_count for level in search.iterate_levels(image, 13)] == counts
    # The states of H * R at a distance are the inverses of those of the coset. Each lies in some
    # other coset, where the search finds it at the same distance.
    *_, level = search.iterate_levels(number, 12)
    codes = level.codes(0, core.PAGES)[:3]
    for row in coset_states.codes_to_facelets(tables, number, codes):
        inverse = symmetry.inverse_state(row.tobytes().decode())
        other, code = coset_of(tables, inverse), tables.code_of(inverse)
        depths = [
            one.depth
            for one in search.iterate_levels(other, 12)
            if code in one.codes(0, core.PAGES)
        ]
        assert depths == [12]


@pytest.mark.slow
def test_labels_are_proven_again_one_by_one(whole_tables: CosetTables) -> None:
    """A thousand states of each level by another search with another table; 0 may differ."""
    solver = ExactSolver(open_table("htm-default", progress=False))
    search = CosetSearch(whole_tables, allocate_zeros)
    number = int(make_generator("cosets", "proven again").integers(coset_search.COSETS))
    checked = {}
    for level in search.iterate_levels(number, 15):
        codes = level.codes(0, core.PAGES)
        wanted = min(len(codes), 300 if level.depth == 15 else 1000)
        some = np.sort(make_generator("cosets", level.depth).choice(codes, wanted, replace=False))
        for row in coset_states.codes_to_facelets(whole_tables, number, some):
            assert solver.exact_distance(row.tobytes().decode()) == level.depth
        checked[level.depth] = wanted
    assert checked[13] == checked[14] == 1000
    assert checked[15] == 300


class CountingKeeper:
    """Notes what it is told of a level, and has kept nothing."""

    def __init__(self) -> None:
        self.level_reports: list[tuple[int, int]] = []

    def resume_level(self, depth: int, bits: np.ndarray) -> int:
        """Return that nothing is kept."""
        return 0

    def save_level(self, depth: int, bits: np.ndarray, done: int) -> None:
        """Note it."""
        self.level_reports.append((depth, done))


def test_beginnings_that_are_searched_already_are_left_out(
    tables: CosetTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first hundred find and what the others find is what all find."""
    monkeypatch.setattr(coset_search, "_SPLIT_FROM", 5)
    number = coset_of(tables, moves.apply_maneuver(SOLVED, ("R", "F")))
    start = coset_search.pack_state(coset_search.coset_representative(number))
    begun, keeper = 100, CountingKeeper()
    every = coset_search._list_beginnings()

    def search_beginnings(first: int, last: int) -> set[int]:
        monkeypatch.setattr(coset_search, "_list_beginnings", lambda: every[:last])
        search = CosetSearch(tables, allocate_zeros, threads=2)
        codes = search._search_level(
            allocate_zeros(core.MAP_BYTES), start, 6, core.LIST, None, first, keeper
        )
        return {int(code) for code in codes}

    whole = search_beginnings(0, 324)
    assert [done for _, done in keeper.level_reports] == list(range(1, 325))
    keeper.level_reports.clear()
    rest = search_beginnings(begun, 324)
    assert keeper.level_reports == [(6, done) for done in range(begun + 1, 325)]
    assert rest < whole
    assert search_beginnings(0, begun) | rest == whole
