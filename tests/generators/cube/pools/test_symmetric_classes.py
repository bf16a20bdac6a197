"""Symmetric classes: published sizes, the right symmetry, and nothing left out."""

from __future__ import annotations

import numpy as np
import pytest
import symmetric_classes

from facelet.generators.cube.engine import cubies, moves, notation, symmetry

# The first seven are published; the others are confirmed by the subclasses below.
SIZES = {
    "O_h": 4,
    "D_3d": 16,
    "T_h": 24,
    "T": 72,
    "C_4h": 1536,
    "S_6": 7776,
    "C_3": 3779136,
    "D_4h": 128,
    "D_4": 512,
    "C_4v": 1024,
    "D_2d_face": 512,
    "D_2d_edge": 3072,
    "D_2h_face": 12288,
    "D_2h_edge": 2048,
    "D_3": 432,
}
ORDERS = {
    "O_h": 48,
    "T_h": 24,
    "D_4h": 16,
    "T": 12,
    "D_3d": 12,
    "C_4h": 8,
    "C_4v": 8,
    "D_4": 8,
    "D_2d_face": 8,
    "D_2d_edge": 8,
    "D_2h_face": 8,
    "D_2h_edge": 8,
    "S_6": 6,
    "D_3": 6,
    "C_3": 3,
}
SUBCLASSES = [
    ("S_6", "D_3d"),
    ("S_6", "T_h"),
    ("D_3", "D_3d"),
    ("T", "T_h"),
    ("T_h", "O_h"),
    *((large, "D_4h") for large in ("C_4h", "C_4v", "D_4", "D_2d_face", "D_2d_edge")),
    *((large, "D_4h") for large in ("D_2h_face", "D_2h_edge")),
    ("D_2h_face", "T_h"),
    ("D_4h", "O_h"),
]

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_the_published_ones(name: str) -> None:
    assert len(symmetric_classes.symmetric_class(name)) == SIZES[name]
    assert len(symmetric_classes.group_symmetries(name)) == ORDERS[name]


@pytest.mark.parametrize("name", SIZES)
def test_groups_are_closed(name: str) -> None:
    group = symmetric_classes.group_symmetries(name)
    assert {int(symmetry.PRODUCT[s, t]) for s in group for t in group} == set(group)


@pytest.mark.parametrize("name", SIZES)
def test_members_are_legal_distinct_and_symmetric(name: str) -> None:
    states = symmetric_classes.symmetric_class(name)
    chosen = sorted({int(i) for i in np.linspace(0, len(states) - 1, 200)})
    members = [states[i] for i in chosen]
    assert len(set(members)) == len(members)
    for state in members:
        cubies.check_legality(state)
        assert set(symmetric_classes.group_symmetries(name)) <= set(symmetry.find_stabilizer(state))


@pytest.mark.parametrize(("large", "small"), SUBCLASSES)
def test_small_classes_are_the_more_symmetric_members_of_large_ones(large: str, small: str) -> None:
    """Filtering a class by stabilizer must give what direct construction gives."""
    assert set(symmetric_classes.group_symmetries(large)) < set(
        symmetric_classes.group_symmetries(small)
    )
    filtered = {
        state
        for state in symmetric_classes.symmetric_class(large)
        if all(
            symmetry.transform_state(state, s) == state
            for s in symmetric_classes.group_symmetries(small)
        )
    }
    assert filtered == set(symmetric_classes.symmetric_class(small))


def test_superflip_is_the_centre_of_every_class() -> None:
    superflip = moves.apply_maneuver(notation.SOLVED, SUPERFLIP)
    for name in SIZES.keys() - {"C_3"}:
        states = set(symmetric_classes.symmetric_class(name))
        assert {notation.SOLVED, superflip} <= states


def test_representatives_count_every_member_once() -> None:
    for name in ("O_h", "D_3d", "T_h", "T"):
        found = symmetric_classes.class_representatives(name)
        assert sum(found.values()) == SIZES[name]
        assert list(found) == sorted(found)
        for key in found:
            assert symmetry.canonical_with_inverse(key) == key


def test_indices_work_like_those_of_a_list() -> None:
    states = symmetric_classes.symmetric_class("O_h")
    assert list(states) == [states[0], states[1], states[2], states[3]] == states[:]
    assert states[-1] == states[3]
    for index in (4, -5):
        with pytest.raises(IndexError, match="which has 4"):
            states[index]


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(ValueError, match="known: O_h, T_h"):
        symmetric_classes.symmetric_class("C_5")
