"""Seeds come from names: independence, stability and exact balance."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.seeding import Draw, _seed_generator, digest_names, make_generator

names = st.lists(st.one_of(st.integers(), st.text(max_size=8)), min_size=1, max_size=4)


@given(names, names)
def test_different_paths_have_different_digests(
    left: list[str | int], right: list[str | int]
) -> None:
    same = [(type(x), x) for x in left] == [(type(x), x) for x in right]
    assert (digest_names(*left) == digest_names(*right)) == same


def test_boundaries_and_types_of_names_count() -> None:
    paths = [("ab", "c"), ("a", "bc"), ("abc",), (1,), ("1",), (1, 1), (11,), ("",), ("", "")]
    assert len({digest_names(*path) for path in paths}) == len(paths)
    assert digest_names(True) != digest_names(1)


def test_recorded_values_never_move() -> None:
    """History: these values are in published rows; a change here is a change of every dataset."""
    assert digest_names("facelet", 0).hex() == (
        "c07e86d0e52d04f7813b0fb84e0ebc4b96f0e8ad0bf15c639452cb646eaf16d7"
    )
    assert make_generator("facelet", 0).integers(0, 1000, 5).tolist() == [691, 988, 167, 625, 832]


def test_recorded_numbers_and_cards_never_move() -> None:
    """The same history for what is drawn from decks, small and large, at every attempt."""
    path = (0, "toy/count", 1, "test", "d01")
    draws = [Draw(path, index, attempt) for index in (0, 1, 5, 700) for attempt in (0, 1, 3)]
    seen = {
        (size, items): [draw.unique_number("deck", size, items) for draw in draws]
        for size, items in (
            (2, 0),
            (97, 0),
            (97, 8),
            (1000, 300),
            (1 << 40, 1 << 20),
            (1 << 130, 9),
        )
    }
    assert seen[2, 0] == [1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0]
    assert seen[97, 0] == [37, 71, 85, 70, 51, 54, 25, 74, 73, 80, 35, 2]
    assert seen[97, 8] == [37, 39, 1, 70, 65, 86, 25, 51, 38, 80, 38, 52]
    assert seen[1000, 300] == [725, 787, 293, 759, 631, 521, 772, 350, 555, 298, 725, 607]
    assert seen[1 << 40, 1 << 20][:3] == [444421451176, 867413000445, 840553212132]
    assert seen[1 << 130, 9][:2] == [
        84526445858241296889479248071459499420,
        72000444072980321232209561459707905445,
    ]
    assert draws[0].unique_number("deck", 1 << 300, 9) == int(
        "326243823750917567230762423804850174352691346457032801722772634674834779013024122400830145"
    )
    assert [Draw(path, 0, attempt).unique_number("deck", 97) for attempt in (0, 1)] == [37, 71]
    assert Draw(path, 0) == draws[0]
    with pytest.raises(FrozenInstanceError):
        draws[0].index = 1  # type: ignore[misc]
    assert "".join(draw.deal_card("gold", "ABCDE") for draw in draws) == "CCCEEEDDDDDD"
    assert draws[0].derive_shared_draw("s").path == (0, "shared", "s", "test", "d01")
    assert draws[4].derive_shared_draw("s") == Draw((0, "shared", "s", "test", "d01"), 1, 1)
    assert [int(draw.rng.integers(10**6)) for draw in draws[:2]] == [492561, 220901]


@pytest.mark.parametrize("words", [1, 2, 5, 7, 8])
@pytest.mark.parametrize("low", [0, 1])
def test_a_generator_is_that_of_the_number_that_its_bytes_are(words: int, low: int) -> None:
    seed = bytes([low, *[7] * (4 * words - 1)]).ljust(32, b"\0")
    numbers = np.random.SeedSequence(int.from_bytes(seed, "little"))
    own = np.random.Generator(np.random.PCG64DXSM(numbers))
    assert (_seed_generator(seed).random(9) == own.random(9)).all()


def test_a_generator_of_zeros_alone() -> None:
    own = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(0)))
    assert (_seed_generator(bytes(32)).random(9) == own.random(9)).all()


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 5))
def test_every_block_is_dealt_every_card_once(seed: int, size: int, blocks: int) -> None:
    cards = [f"card{i}" for i in range(size)]
    dealt = [Draw((seed,), index).deal_card("gold", cards) for index in range(size * blocks)]
    for block in range(blocks):
        assert sorted(dealt[block * size : (block + 1) * size]) == sorted(cards)


def test_dealing_ignores_the_attempt_but_the_generator_does_not() -> None:
    first, second = Draw((1,), 5), Draw((1,), 5, attempt=1)
    assert first.deal_card("gold", "ABCD") == second.deal_card("gold", "ABCD")
    assert first.rng.integers(2**60) != second.rng.integers(2**60)


def test_decks_are_independent_of_each_other() -> None:
    pairs = Counter(
        (draw.deal_card("gold", "ABCD"), draw.deal_card("other", "ABCD"))
        for draw in (Draw((3,), index) for index in range(4000))
    )
    counts = np.array([pairs[a, b] for a in "ABCD" for b in "ABCD"], dtype=float)
    chi2 = float(((counts - 250) ** 2 / 250).sum())
    assert chi2 < 40  # 9 degrees of freedom, seeded: the draw is fixed


def test_weighted_deck() -> None:
    dealt = [Draw((4,), index).deal_card("d", ("x", "x", "y")) for index in range(300)]
    assert Counter(dealt) == {"x": 200, "y": 100}


def test_an_empty_deck_is_refused() -> None:
    with pytest.raises(ValueError, match="deck 'gold' has no cards"):
        Draw((1,), 0).deal_card("gold", ())


@pytest.mark.parametrize("size", [1, 2, 3, 50, 97, 1000])
def test_numbers_of_items_are_distinct_until_they_are_used_up(size: int) -> None:
    found = [Draw((0, "cell"), index).unique_number("deck", size) for index in range(size)]
    assert sorted(found) == list(range(size))
    assert Draw((0, "cell"), size).unique_number("deck", size) == found[0]


@pytest.mark.parametrize("size", [1, 2, 3, 50, 97, 10**12 + 39])
def test_the_holder_of_a_number_draws_it(size: int) -> None:
    items = max(1, size // 7)
    for index in range(min(items, 40)):
        for attempt in range(min(7, size)):
            number = Draw((0, "cell"), index, attempt).unique_number("deck", size, items)
            assert Draw((0, "cell"), 5).number_holder("deck", number, size, items) == (
                index,
                attempt,
            )


def test_numbers_of_large_decks_are_distinct_and_spread() -> None:
    size = 10**12 + 39
    found = [Draw((1, "cell"), index).unique_number("deck", size) for index in range(3000)]
    assert len(set(found)) == len(found)
    tenths = np.bincount([value * 10 // size for value in found], minlength=10)
    assert tenths.min() > 200 and tenths.max() < 400
    assert found[0] != Draw((1, "cell"), 0).unique_number("other deck", size)
    assert found[0] != Draw((1, "cell"), 0, attempt=1).unique_number("deck", size)


def test_a_deck_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="has 0 numbers"):
        Draw((0, "cell"), 0).unique_number("deck", 0)
    with pytest.raises(ValueError, match=r"has 7 numbers; number needs 8$"):
        Draw((0, "cell"), 0).unique_number("deck", 7, items=8)
    assert Draw((0, "cell"), 0).unique_number("deck", 8, items=8) < 8
    with pytest.raises(ValueError, match=r"has 0 numbers; number needs 1$"):
        Draw((0, "cell"), 0).unique_number("deck", 0)


def test_hash_seed_of_the_process_has_no_influence() -> None:
    code = (
        "from facelet.generators.core.seeding import Draw\n"
        "print(Draw(('a', 1), 7).rng.integers(0, 99, 9))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "random")
    }
    assert len(seen) == 1
