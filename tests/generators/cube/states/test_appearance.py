"""Appearance: variants change what they should, hide what they may, and come back from a row."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.task import Reject
from facelet.generators.cube.engine.notation import CENTRES, SOLVED
from facelet.generators.cube.states import appearance
from facelet.generators.cube.states.appearance import DIM, MAX_PATCHES, VARIANTS, Appearance
from facelet.renderers.scenes.records import CUBE_BENCH, SAFE_BRIGHTNESS, CubeNet

looks = st.builds(
    lambda variant, patches, seed: appearance.draw_appearance(
        variant, patches, np.random.default_rng(seed), range(54)
    ),
    st.sampled_from(VARIANTS),
    st.integers(1, MAX_PATCHES),
    st.integers(0, 10_000),
)


@given(looks)
def test_looks_hold_and_come_back(look: Appearance) -> None:
    assert appearance.find_appearance_faults(look) == []
    assert appearance.decode_appearance(appearance.encode_appearance(look)) == look
    assert list(appearance.encode_appearance(look)) == [
        column.name for column in appearance.COLUMNS
    ]
    scene = look.build_scene(SOLVED)
    assert isinstance(scene, CubeNet) and scene.hidden == look.hidden
    assert bool(look.prompt_remark) == (look.variant in ("occluded", "dimmed"))


@given(looks)
def test_a_variant_changes_one_thing(look: Appearance) -> None:
    changed = {
        field.name
        for field in dataclasses.fields(look)
        if getattr(look, field.name) != getattr(Appearance(), field.name)
    }
    own = {
        "recoloured": "colours",
        "swapped": "colours",
        "occluded": "hidden",
        "dimmed": "brightness",
    }
    assert changed == ({"variant", own[look.variant]} if look.variant != "clean" else set())


@given(st.integers(1, MAX_PATCHES), st.integers(0, 10_000))
def test_patches_spare_the_centres_and_are_as_many_as_asked(patches: int, seed: int) -> None:
    look = appearance.draw_appearance("occluded", patches, np.random.default_rng(seed), range(54))
    assert len(look.hidden) == patches
    assert not set(look.hidden) & set(CENTRES)


@given(st.sets(st.integers(0, 53), min_size=1, max_size=6), st.integers(0, 1000))
def test_what_is_needed_stays_in_sight(needed: set[int], seed: int) -> None:
    look = appearance.draw_appearance(
        "occluded", 24, np.random.default_rng(seed), range(54), lambda hidden: needed <= hidden
    )
    assert len(look.hidden) == 24 and not needed <= set(look.hidden)


def test_only_what_may_be_covered_is() -> None:
    look = appearance.draw_appearance("occluded", 24, np.random.default_rng(1), range(9, 18))
    assert look.hidden == (9, 10, 11, 12, 14, 15, 16, 17), "fewer patches than asked for"
    with pytest.raises(Reject):
        appearance.draw_appearance(
            "occluded", 3, np.random.default_rng(1), range(54), lambda hidden: True
        )


def test_dimmed_pictures_stay_in_the_safe_range() -> None:
    drawn = {
        appearance.draw_appearance("dimmed", 1, np.random.default_rng(seed), ()).brightness
        for seed in range(500)
    }
    assert min(drawn) == DIM[0] >= SAFE_BRIGHTNESS[0]
    assert max(drawn) == DIM[1] < SAFE_BRIGHTNESS[1]


@pytest.mark.parametrize(
    ("look", "fault"),
    [
        (Appearance("clean", hidden=(0,)), "occluded in fact"),
        (Appearance("occluded"), "not occluded in fact"),
        (Appearance("occluded", hidden=(4,)), "a centre is covered"),
        (Appearance("dimmed", brightness=1.0), "not dimmed in fact"),
        (Appearance("recoloured", colours=CUBE_BENCH), "not recoloured in fact"),
        (Appearance("swapped"), "not swapped in fact"),
        (Appearance("recoloured", colours=CUBE_BENCH[::-1]), "swapped in fact"),
        (Appearance("swapped", colours=(*CUBE_BENCH[1::-1], *CUBE_BENCH[2:])), "some are not"),
        (Appearance("sepia"), "unknown variant"),  # type: ignore[arg-type]
    ],
)
def test_false_looks_are_found(look: Appearance, fault: str) -> None:
    assert any(fault in found for found in appearance.find_appearance_faults(look))


def test_a_swap_moves_every_colour_and_each_is_equally_likely() -> None:
    drawn = [
        appearance.draw_appearance("swapped", 1, np.random.default_rng(seed), ()).colours
        for seed in range(2650)
    ]
    for colours in drawn:
        assert sorted(colours) == sorted(CUBE_BENCH)
        assert not any(map(tuple.__eq__, colours, CUBE_BENCH))
    # Six things have 265 orders in which none is in its place: ten draws of each on average.
    counts = Counter(drawn)
    assert len(counts) == 265 and max(counts.values()) < 30


@given(st.integers(0, 10_000))
def test_what_is_seen_of_a_swap_is_what_is_painted(seed: int) -> None:
    look = appearance.draw_appearance("swapped", 1, np.random.default_rng(seed), ())
    shade = dict(zip("URFDLB", CUBE_BENCH, strict=True))
    painted = dict(zip("URFDLB", look.build_scene(SOLVED).colours, strict=True))
    assert [shade[letter] for letter in look.visible_letters(SOLVED)] == [
        painted[c] for c in SOLVED
    ]
    assert look.shade_legend == CUBE_BENCH
