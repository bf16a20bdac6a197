"""Draws are those of numpy, one after the other, and so are the seeds."""

import numpy as np
import pytest

from facelet.generators.core import random_draws, seeding
from facelet.generators.core.seeding import digest_names, make_generator

SIZES = (1, 2, 3, 7, 26, 100, 401, 4096, 9_999)


def test_draws_are_those_of_numpy() -> None:
    """Also where both draw from one generator in turn."""
    choose = np.random.default_rng(1)
    for number in range(1500):
        ours, numpys = make_generator("draws", number), make_generator("draws", number)
        count = SIZES[number % len(SIZES)]
        size = int(choose.integers(min(count, 60) + 1))
        wide = int(choose.integers(1, 1 << 32))
        assert random_draws.below(ours, count) == numpys.integers(count)
        assert random_draws.below(ours, wide) == numpys.integers(wide)
        assert ours.random() == numpys.random()
        assert random_draws.several(ours, count, size) == numpys.integers(count, size=size).tolist()
        chosen = numpys.choice(count, size, replace=False).tolist()
        assert random_draws.chosen(ours, count, size) == chosen
        if count < 500:
            assert random_draws.shuffled(ours, count) == numpys.permutation(count).tolist()
        assert ours.bit_generator.state == numpys.bit_generator.state


def test_seeds_are_spread_as_numpy_spreads_them() -> None:
    """Also seeds that end in zeros, which are no part of a number, and none at all."""
    seeds = [digest_names("spread", number) for number in range(300)]
    seeds += [seed[:length] + bytes(32 - length) for length, seed in enumerate(seeds[:32])]
    for seed in seeds:
        words = np.trim_zeros(np.frombuffer(seed, "<u4"), "b")
        theirs = np.random.PCG64DXSM(np.random.SeedSequence(words))
        assert seeding._seed_generator(seed).bit_generator.state == theirs.state


def test_plain_draws_are_the_same() -> None:
    for number in range(100):
        one, other = make_generator("plain", number), make_generator("plain", number)
        assert random_draws.below(one, 50) == random_draws._draw_below(other, 50)
        assert random_draws.several(one, 50, 5) == random_draws._draw_several(other, 50, 5)
        assert random_draws.shuffled(one, 50) == random_draws._draw_shuffled(other, 50)
        assert random_draws.chosen(one, 50, number % 9) == random_draws._draw_chosen(
            other, 50, number % 9
        )


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("below", (count,)) for count in (0, -1)),
        *(("several", given) for given in ((0, 3), (5, -1))),
        *(("chosen", given) for given in ((3, 4), (3, -1))),
    ],
)
def test_what_cannot_be_drawn_is_an_error(name: str, given: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        getattr(random_draws, name)(make_generator("none"), *given)


def test_trees_are_those_of_the_plain_way() -> None:
    for number in range(200):
        size = 2 + number % 7
        around = tuple(
            tuple(
                (row + down) * size + column + right
                for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1))
                if 0 <= row + down < size and 0 <= column + right < size
            )
            for row in range(size)
            for column in range(size)
        )
        one, other = make_generator("trees", number), make_generator("trees", number)
        assert random_draws.spanned(one, around) == random_draws._draw_spanning_tree(other, around)
        assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("around", [((1,), (2,)), ((-1,),), tuple([((0,) * 9)] * 2)])
def test_places_that_are_not_there_are_refused(around: tuple[tuple[int, ...], ...]) -> None:
    if random_draws.spanned is not random_draws._draw_spanning_tree:
        with pytest.raises(ValueError, match="spanned"):
            random_draws.spanned(make_generator("none"), around)
