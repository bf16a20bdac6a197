"""The 48 symmetries: a group that acts, commutes with moves, and classes that it cuts out."""

import numpy as np
import pytest
from cube_batches import array_to_states, canonical_batch, states_to_array
from cube_twins import multiply_cubies, stabilizer_orders
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.cube.engine.cubies import check_legality, from_facelets, to_facelets
from facelet.generators.cube.engine.moves import ALL_MOVES, FACE_MOVES, ROTATIONS, apply_maneuver
from facelet.generators.cube.engine.notation import (
    FACES,
    SOLVED,
    IllegalCube,
    Maneuver,
    invert_maneuver,
    is_solved,
    maneuver_length,
)
from facelet.generators.cube.engine.symmetry import (
    COLOURS,
    FACELETS,
    INVERSE,
    NAMES,
    PRODUCT,
    canonical_image,
    canonical_with_inverse,
    find_stabilizer,
    inverse_state,
    transform_maneuver,
    transform_state,
)

turns = st.lists(st.sampled_from(FACE_MOVES), max_size=25).map(tuple)
maneuvers = st.lists(st.sampled_from(ALL_MOVES), max_size=25).map(tuple)
symmetries = st.integers(0, 47)

MIRROR = NAMES.index("U>U R>L F>F D>D L>R B>B")
QUARTER = NAMES.index("U>U R>F F>L D>D L>B B>R")
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
CHECKERBOARD = "U2 D2 R2 L2 F2 B2"


def _place_letters(facelets: str) -> list[int]:
    return list(map(FACES.index, facelets))


def test_the_identity_comes_first_then_rotations_then_reflections() -> None:
    assert NAMES[0] == "U>U R>R F>F D>D L>L B>B"
    assert len(set(NAMES)) == 48
    reached = {apply_maneuver(SOLVED, (a, b)) for a in ROTATIONS for b in ROTATIONS}
    for s in range(48):
        carried = "".join(FACES[COLOURS[s].tolist().index(f)] * 9 for f in range(6))
        assert (carried in reached) == (s < 24)


def test_the_tables_are_those_of_a_group() -> None:
    everything = np.arange(48)
    assert (np.sort(PRODUCT, axis=0) == everything[:, None]).all()
    assert (np.sort(PRODUCT, axis=1) == everything[None, :]).all()
    assert (PRODUCT[PRODUCT[:, :, None], everything] == PRODUCT[everything[:, None, None], PRODUCT]
            ).all()  # fmt: skip
    assert (PRODUCT[everything, INVERSE] == 0).all()
    assert (PRODUCT[INVERSE, everything] == 0).all()
    reflects = everything >= 24
    assert (reflects[PRODUCT] == (reflects[:, None] ^ reflects[None, :])).all()
    for table in (PRODUCT, INVERSE, COLOURS, FACELETS):
        assert not table.flags.writeable


@given(maneuvers, symmetries, symmetries)
def test_symmetries_act(maneuver: Maneuver, s: int, t: int) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    assert transform_state(transform_state(state, s), t) == transform_state(state, PRODUCT[s, t])
    assert transform_state(transform_state(state, s), INVERSE[s]) == state
    assert transform_state(state, 0) == state
    assert transform_state(SOLVED, s) == SOLVED


@given(maneuvers, maneuvers, symmetries)
def test_conjugation_commutes_with_moves(start: Maneuver, maneuver: Maneuver, s: int) -> None:
    state = apply_maneuver(SOLVED, start)
    image = transform_maneuver(maneuver, s)
    assert transform_state(apply_maneuver(state, maneuver), s) == apply_maneuver(
        transform_state(state, s), image
    )
    assert maneuver_length(image, "htm") == maneuver_length(maneuver, "htm")
    assert maneuver_length(image, "qtm") == maneuver_length(maneuver, "qtm")


@given(turns, turns, symmetries)
def test_conjugation_is_a_homomorphism_of_states(a: Maneuver, b: Maneuver, s: int) -> None:
    states = [apply_maneuver(SOLVED, part) for part in (a, b)]
    product = to_facelets(multiply_cubies(*map(from_facelets, states)))
    images = [from_facelets(transform_state(state, s)) for state in states]
    assert from_facelets(transform_state(product, s)) == multiply_cubies(*images)


@given(maneuvers, maneuvers, symmetries, symmetries)
def test_conjugation_is_a_homomorphism_of_maneuvers(
    a: Maneuver, b: Maneuver, s: int, t: int
) -> None:
    assert transform_maneuver(a + b, s) == transform_maneuver(a, s) + transform_maneuver(b, s)
    assert transform_maneuver(invert_maneuver(a), s) == invert_maneuver(transform_maneuver(a, s))
    assert transform_maneuver(transform_maneuver(a, s), t) == transform_maneuver(a, PRODUCT[s, t])


def test_known_images() -> None:
    assert transform_maneuver(("R", "U", "F2", "B'"), MIRROR) == ("L'", "U'", "F2", "B")
    assert transform_maneuver(("r", "M", "E", "S'", "x", "y2"), MIRROR) == (
        "l'", "M", "E'", "S", "x", "y2",
    )  # fmt: skip
    assert transform_maneuver(("R", "F", "U'", "d", "M"), QUARTER) == ("F", "L", "U'", "d", "S'")


@given(turns)
def test_rotations_are_what_turning_the_whole_cube_does(maneuver: Maneuver) -> None:
    """Turn the cube, make the maneuver, turn back: the conjugate by a rotation, without colours."""
    conjugate = apply_maneuver(SOLVED, ("y'", *maneuver, "y"))
    assert transform_state(apply_maneuver(SOLVED, maneuver), QUARTER) == conjugate


@given(turns)
def test_the_inverse_state_is_made_by_the_inverse_maneuver(maneuver: Maneuver) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    assert inverse_state(state) == apply_maneuver(SOLVED, invert_maneuver(maneuver))
    assert inverse_state(inverse_state(state)) == state


@given(maneuvers)
def test_the_canonical_form_is_least_and_shared_by_all_images(maneuver: Maneuver) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    least, s = canonical_image(state)
    images = [transform_state(state, t) for t in range(48)]
    assert images[s] == least
    assert images.index(least) == s
    assert least == min(images, key=_place_letters)
    assert {canonical_image(image)[0] for image in images} == {least}
    assert canonical_image(least) == (least, 0)


@given(turns, symmetries)
def test_the_family_key_is_shared_with_the_inverse(maneuver: Maneuver, s: int) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    key = canonical_with_inverse(state)
    forms = {canonical_image(state)[0], canonical_image(inverse_state(state))[0]}
    assert key == min(forms, key=_place_letters)
    assert canonical_with_inverse(inverse_state(state)) == key
    assert canonical_with_inverse(transform_state(state, s)) == key


def test_a_state_and_its_inverse_need_not_be_images_of_each_other() -> None:
    state = apply_maneuver(SOLVED, "R U F2")
    assert canonical_image(state)[0] != canonical_image(inverse_state(state))[0]


@settings(max_examples=30)
@given(st.lists(maneuvers, max_size=20), st.lists(symmetries, min_size=20, max_size=20))
def test_batches_agree_with_strings(walks: list[Maneuver], images: list[int]) -> None:
    states = [
        transform_state(apply_maneuver(SOLVED, walk), s)
        for walk, s in zip(walks, images, strict=False)
    ]
    batch = states_to_array(states)
    assert array_to_states(canonical_batch(batch)) == [
        canonical_image(state)[0] for state in states
    ]
    assert stabilizer_orders(batch).tolist() == [len(find_stabilizer(state)) for state in states]


@given(st.lists(st.text(alphabet=FACES, min_size=54, max_size=54), min_size=1, max_size=5))
def test_batches_agree_on_any_letters_at_all(states: list[str]) -> None:
    assert array_to_states(canonical_batch(states_to_array(states))) == [
        canonical_image(s)[0] for s in states
    ]


def test_batches_agree_on_many_states_with_many_ties() -> None:
    """Short maneuvers leave faces alike, so that images tie; more states than one block holds."""
    rng = np.random.default_rng(5)
    walks = [
        tuple(FACE_MOVES[i] for i in rng.integers(18, size=size))
        for size in rng.integers(0, 8, size=5000)
    ]
    states = [apply_maneuver(SOLVED, walk) for walk in walks]
    least = array_to_states(canonical_batch(states_to_array(states)))
    assert least == [canonical_image(state)[0] for state in states]


@given(turns)
def test_the_stabilizer_is_a_subgroup_and_cuts_the_orbit(maneuver: Maneuver) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    fixing = find_stabilizer(state)
    assert fixing[0] == 0
    assert {int(PRODUCT[s, t]) for s in fixing for t in fixing} == set(fixing)
    assert len({transform_state(state, s) for s in range(48)}) * len(fixing) == 48


@pytest.mark.parametrize(
    ("maneuver", "order"),
    [("", 48), ("U", 4), ("U2", 8), ("R L'", 8), ("R U", 1), (SUPERFLIP, 48), (CHECKERBOARD, 48)],
)
def test_stabilizers_of_known_states(maneuver: str, order: int) -> None:
    assert len(find_stabilizer(apply_maneuver(SOLVED, maneuver))) == order


def test_the_superflip_is_its_own_inverse_and_nothing_but_flips() -> None:
    state = apply_maneuver(SOLVED, SUPERFLIP)
    assert inverse_state(state) == state
    assert from_facelets(state).eo == (1,) * 12
    assert from_facelets(state).co == (0,) * 8


def test_images_of_reachable_states_are_reachable() -> None:
    state = apply_maneuver(SOLVED, "R U2 F' L D B2")
    for s in range(48):
        check_legality(transform_state(state, s))
        assert not is_solved(transform_state(state, s))


def test_wrong_input_is_refused() -> None:
    for wrong in (-1, 48):
        with pytest.raises(ValueError, match=f"symmetry {wrong} is not one of 0 to 47"):
            transform_state(SOLVED, wrong)
        with pytest.raises(ValueError, match=f"symmetry {wrong} is not one of 0 to 47"):
            transform_maneuver(("R",), wrong)
    with pytest.raises(ValueError, match="'Q' is not a move name"):
        transform_maneuver(("Q",), 0)
    for use in (canonical_image, find_stabilizer, inverse_state, canonical_with_inverse):
        with pytest.raises(IllegalCube) as caught:
            use("U" * 53)
        assert caught.value.reason == "length"
