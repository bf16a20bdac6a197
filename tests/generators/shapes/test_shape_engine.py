"""Shapes: codes both ways, operations against a twin on arrays, algebra, support."""

from itertools import product

import numpy as np
import pytest
import shapes_twin as twin
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.deformation.world_protocol import Dice
from facelet.generators.shapes import shape_codes, shape_operations
from facelet.generators.shapes.shape_world import Shapes

QUADRANT = st.sampled_from(["--", *shape_codes.PIECES])
LAYER = st.lists(QUADRANT, min_size=4, max_size=4).map("".join).filter(lambda c: c != "-" * 8)
SHAPE = st.lists(LAYER, min_size=1, max_size=4).map(":".join)
WORD = st.one_of(
    st.sampled_from(["cut", "rotate_cw", "rotate_ccw", "mirror"]),
    st.sampled_from(shape_codes.COLOURS).map("color({})".format),
    st.sampled_from(sorted(shape_codes.PIECES)).map("fill({})".format),
    LAYER.map("stack({})".format),
)
TURN = st.sampled_from(["rotate_cw", "rotate_ccw", "mirror"])
LAYERED = Shapes("2.5d", "five", "top", True, False, "effective", "piece")
FLAT = Shapes("2d", "five", "top", True, False, "effective", "piece")


@given(SHAPE)
def test_codes_go_both_ways(code: str) -> None:
    shape = shape_codes.parse_code(code)
    assert shape_codes.format_code(shape) == code
    assert shape_codes.count_layers(shape) == code.count(":") + 1
    assert [bool(mask >> q & 1) for mask in shape_codes.layer_masks(shape) for q in range(4)] == [
        code.replace(":", "")[place] != "-"
        for place in range(0, 8 * shape_codes.count_layers(shape), 2)
    ]


@pytest.mark.parametrize(
    "code",
    ["", "Su", "Su--Ry-", "uS------", "Sx------", "Xu------", "Su--Ry--:--------", ":Su------",
     "Su--Ry--:" * 4 + "Su--Ry--", "su--ry--", "Su--Ry--Su"],
)  # fmt: skip
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match=r"layer|quadrant"):
        shape_codes.parse_code(code)


@given(SHAPE, WORD)
def test_every_operation_is_that_of_the_twin(code: str, word: str) -> None:
    (step,) = LAYERED.read_steps(word)
    assert LAYERED.write_steps([step]) == word
    assert LAYERED.write_state(
        LAYERED.apply_step(shape_codes.parse_code(code), step)
    ) == twin.apply_operation(code, word)
    (step,) = LAYERED.read_steps(word)
    wide = Shapes("2.5d", "five", "all", True, False, "effective", "piece")
    assert wide.write_state(
        wide.apply_step(shape_codes.parse_code(code), step)
    ) == twin.apply_operation(code, word, "all")


@given(
    SHAPE,
    st.lists(st.sampled_from(sorted(shape_codes.PIECES)), min_size=4, max_size=4).map("".join),
)
def test_filling_with_another_shape_is_that_of_the_twin(code: str, filler: str) -> None:
    world = Shapes("2.5d", "five", "top", True, False, "effective", "shape")
    word = f"fill({filler})"
    (step,) = world.read_steps(word)
    assert world.write_steps([step]) == word
    assert world.write_state(
        world.apply_step(shape_codes.parse_code(code), step)
    ) == twin.apply_operation(code, word)


def test_what_fills_is_a_piece_or_a_whole_layer_as_the_world_says() -> None:
    world = Shapes("2d", "five", "top", True, False, "effective", "shape")
    assert world.read_steps("fill(CrRgWbSy)") != FLAT.read_steps("fill(Cr)")
    with pytest.raises(ValueError, match=r"no operation; .*fill\(layer\)"):
        world.read_steps("fill(CrRgWb--)")
    with pytest.raises(ValueError, match="no layer"):
        world.read_steps("fill(Cr)")
    with pytest.raises(ValueError, match=r"no operation; .*fill\(Tx\)"):
        FLAT.read_steps("fill(CrRgWbSy)")
    bare = Shapes("2.5d", "five", "top", False, False, "effective", "shape")
    with pytest.raises(ValueError, match="no operation"):
        bare.read_steps("fill(CrRgWbSy)")


@given(SHAPE)
def test_support_is_the_four_rules(code: str) -> None:
    assert shape_codes.is_supported(shape_codes.parse_code(code)) == twin.is_supported(code)


def test_66_pairs_of_layers_are_forbidden_and_patterns_are_counted() -> None:
    masks = range(1, 16)
    rests = {
        (lower, upper)
        for lower, upper in product(masks, masks)
        if shape_codes.RESTS[16 * upper + lower]
    }
    assert 225 - len(rests) == 66
    counts = {mask: 1 for mask in masks}
    found = [sum(counts.values())]
    for _ in range(3):
        counts = {
            upper: sum(n for lower, n in counts.items() if (lower, upper) in rests)
            for upper in masks
        }
        found.append(sum(counts.values()))
    assert found == [15, 159, 1753, 19209]


@given(SHAPE)
def test_turns_and_mirrors_form_the_symmetries_of_the_square(code: str) -> None:
    shape = shape_codes.parse_code(code)
    cw, ccw, mirror = (
        shape_operations.turn_clockwise,
        shape_operations.turn_counterclockwise,
        shape_operations.mirror_shape,
    )
    assert cw(ccw(shape)) == ccw(cw(shape)) == mirror(mirror(shape)) == shape
    assert cw(cw(shape)) == ccw(ccw(shape))
    assert mirror(cw(mirror(shape))) == ccw(shape)
    assert (
        shape_operations.canonical_shape(shape)
        == shape_operations.canonical_shape(cw(shape))
        == shape_operations.canonical_shape(mirror(shape))
    )


@given(SHAPE, st.integers(0, 7))
def test_operations_that_say_the_same_twice(code: str, colour: int) -> None:
    shape = shape_codes.parse_code(code)
    once = shape_operations.paint_top(shape, colour)
    assert shape_operations.paint_top(once, colour) == once
    cut = shape_operations.cut_half(shape)
    assert shape_operations.cut_half(cut) == cut
    filled = shape_operations.fill_empty(shape, shape_codes.PIECES["Cu"])
    assert shape_operations.fill_empty(filled, shape_codes.PIECES["Wr"]) == filled
    assert shape_codes.mask_filled_difference(shape, shape) == 0


@pytest.mark.parametrize(
    ("code", "word", "after"),
    [
        ("CrRgWbSy", "cut", "----WbSy"),
        ("CrCr--Cr:SgSg----", "cut", "------Cr"),
        ("Cr--Wb--", "rotate_cw", "--Cr--Wb"),
        ("Cr------", "stack(--Rg----)", "CrRg----"),
        ("Cr--Wb--", "fill(Fc)", "CrFcWbFc"),
        ("CrCr----", "stack(--Rg----)", "CrCr----:--Rg----"),
        ("CrCrCrCr:Sg------", "color(b)", "CrCrCrCr:Sb------"),
        ("Cr------:Cr------:Cr------:Cr------", "stack(Rg------)", ":".join(["Cr------"] * 4)),
    ],
)
def test_examples(code: str, word: str, after: str) -> None:
    assert (
        LAYERED.write_state(
            LAYERED.apply_step(shape_codes.parse_code(code), LAYERED.read_steps(word)[0])
        )
        == after
    )


def test_a_piece_never_slips_under_an_overhang() -> None:
    overhang = shape_codes.parse_code("Cr------:CrCr----")
    assert (
        shape_codes.format_code(
            shape_operations.stack_shapes(overhang, shape_codes.parse_code("--Rg----"))
        ).count(":")
        == 2
    )


@pytest.mark.parametrize(
    "word", ["", "Cut", "color(x)", "color()", "color(rg)", "fill(--)", "stack(--------)", "cut()",
             "stack(Su--Ry--:Su--Ry--)", "fill(Cr", "rotate", "cut,cut"],
)  # fmt: skip
def test_what_is_no_operation_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"no operation|no layer|quadrant"):
        LAYERED.read_steps(word)


def test_2d_has_six_operations_and_no_stacking() -> None:
    with pytest.raises(ValueError, match="no operation"):
        FLAT.read_steps("stack(Su------)")
    with pytest.raises(ValueError, match="several layers"):
        FLAT.read("Su------:Su------")
    dice = Dice(np.random.default_rng(0))
    kinds = {world: {world.draw_step(dice)[0] for _ in range(500)} for world in (FLAT, LAYERED)}
    assert (len(kinds[FLAT]), len(kinds[LAYERED])) == (6, 7)


@pytest.mark.parametrize("world", [FLAT, LAYERED])
def test_starts_stand(world: Shapes) -> None:
    dice = Dice(np.random.default_rng(1))
    drawn = [world.write_state(world.draw_start(dice)) for _ in range(500)]
    assert all(twin.is_supported(code) for code in drawn)
    assert {code.count(":") for code in drawn} == set(range(shape_codes.LAYERS[world.space]))
    assert set("CRWFS") <= set("".join(drawn))


def test_without_the_fan_there_is_none() -> None:
    world = Shapes("2.5d", "four", "top", True, False, "effective", "piece")
    dice = Dice(np.random.default_rng(1))
    said = [world.write_state(world.draw_start(dice)) for _ in range(200)]
    said += [world.write_steps([world.draw_step(dice)]) for _ in range(500)]
    assert "F" not in "".join(said) and "S" in "".join(said)


@given(SHAPE, st.lists(st.one_of(TURN, WORD), min_size=1, max_size=14))
def test_what_lists_lead_to_without_a_step_is_what_they_lead_to(
    code: str, words: list[str]
) -> None:
    steps = LAYERED.read_steps(", ".join(words))

    def apply_operations(some: list[tuple[int, int]]) -> int:
        state = shape_codes.parse_code(code)
        for step in some:
            state = LAYERED.apply_step(state, step)
        return state

    states = LAYERED.follow_steps(shape_codes.parse_code(code), steps)
    assert states == [apply_operations(steps[:number]) for number in range(len(steps) + 1)]
    assert LAYERED.live_steps(states, steps) == tuple(
        apply_operations(steps[:number] + steps[number + 1 :]) != states[-1]
        for number in range(len(steps))
    )
