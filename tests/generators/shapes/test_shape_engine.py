"""Shapes: codes both ways, operations against a twin on arrays, algebra, support."""

from itertools import product

import numpy as np
import pytest
import shapes_twin as twin
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.deforming.worlds import Dice
from facelet.generators.shapes import codes, decisions, engine
from facelet.generators.shapes.world import Shapes

QUADRANT = st.sampled_from(["--", *codes.PIECES])
LAYER = st.lists(QUADRANT, min_size=4, max_size=4).map("".join).filter(lambda c: c != "-" * 8)
SHAPE = st.lists(LAYER, min_size=1, max_size=4).map(":".join)
WORD = st.one_of(
    st.sampled_from(["cut", "rotate_cw", "rotate_ccw", "mirror"]),
    st.sampled_from(codes.COLOURS).map("color({})".format),
    st.sampled_from(sorted(codes.PIECES)).map("fill({})".format),
    LAYER.map("stack({})".format),
)
TURN = st.sampled_from(["rotate_cw", "rotate_ccw", "mirror"])
LAYERED = Shapes("2.5d", "five", "top", True, False, "effective", "piece")
FLAT = Shapes("2d", "five", "top", True, False, "effective", "piece")


@given(SHAPE)
def test_codes_go_both_ways(code: str) -> None:
    shape = codes.parse(code)
    assert codes.format(shape) == code
    assert codes.layers(shape) == code.count(":") + 1
    assert [bool(mask >> q & 1) for mask in codes.masks(shape) for q in range(4)] == [
        code.replace(":", "")[place] != "-" for place in range(0, 8 * codes.layers(shape), 2)
    ]


@pytest.mark.parametrize(
    "code",
    ["", "Su", "Su--Ry-", "uS------", "Sx------", "Xu------", "Su--Ry--:--------", ":Su------",
     "Su--Ry--:" * 4 + "Su--Ry--", "su--ry--", "Su--Ry--Su"],
)  # fmt: skip
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match=r"layer|quadrant"):
        codes.parse(code)


@given(SHAPE, WORD)
def test_every_operation_is_that_of_the_twin(code: str, word: str) -> None:
    (step,) = LAYERED.read_steps(word)
    assert LAYERED.write_steps([step]) == word
    assert LAYERED.write(LAYERED.apply(codes.parse(code), step)) == twin.apply(code, word)
    (step,) = LAYERED.read_steps(word)
    wide = Shapes("2.5d", "five", "all", True, False, "effective", "piece")
    assert wide.write(wide.apply(codes.parse(code), step)) == twin.apply(code, word, "all")


@given(SHAPE, st.lists(st.sampled_from(sorted(codes.PIECES)), min_size=4, max_size=4).map("".join))
def test_filling_with_another_shape_is_that_of_the_twin(code: str, filler: str) -> None:
    world = Shapes("2.5d", "five", "top", True, False, "effective", "shape")
    word = f"fill({filler})"
    (step,) = world.read_steps(word)
    assert world.write_steps([step]) == word
    assert world.write(world.apply(codes.parse(code), step)) == twin.apply(code, word)


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
    assert decisions.supported(codes.parse(code)) == twin.stands(code)


def test_66_pairs_of_layers_are_forbidden_and_patterns_are_counted() -> None:
    masks = range(1, 16)
    rests = {
        (lower, upper)
        for lower, upper in product(masks, masks)
        if decisions.RESTS[16 * upper + lower]
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
    shape = codes.parse(code)
    cw, ccw, mirror = engine.clockwise, engine.counterclockwise, engine.mirror
    assert cw(ccw(shape)) == ccw(cw(shape)) == mirror(mirror(shape)) == shape
    assert cw(cw(shape)) == ccw(ccw(shape))
    assert mirror(cw(mirror(shape))) == ccw(shape)
    assert engine.canonical(shape) == engine.canonical(cw(shape)) == engine.canonical(mirror(shape))


@given(SHAPE, st.integers(0, 7))
def test_operations_that_say_the_same_twice(code: str, colour: int) -> None:
    shape = codes.parse(code)
    once = engine.paint_top(shape, colour)
    assert engine.paint_top(once, colour) == once
    cut = engine.cut(shape)
    assert engine.cut(cut) == cut
    filled = engine.fill(shape, codes.PIECES["Cu"])
    assert engine.fill(filled, codes.PIECES["Wr"]) == filled
    assert codes.agreement(shape, shape) == 1.0


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
    assert LAYERED.write(LAYERED.apply(codes.parse(code), LAYERED.read_steps(word)[0])) == after


def test_a_piece_never_slips_under_an_overhang() -> None:
    overhang = codes.parse("Cr------:CrCr----")
    assert codes.format(engine.stack(overhang, codes.parse("--Rg----"))).count(":") == 2


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
    kinds = {world: {world.step(dice)[0] for _ in range(500)} for world in (FLAT, LAYERED)}
    assert (len(kinds[FLAT]), len(kinds[LAYERED])) == (6, 7)


@pytest.mark.parametrize("world", [FLAT, LAYERED])
def test_starts_stand(world: Shapes) -> None:
    dice = Dice(np.random.default_rng(1))
    drawn = [world.write(world.start(dice)) for _ in range(500)]
    assert all(twin.stands(code) for code in drawn)
    assert {code.count(":") for code in drawn} == set(range(decisions.LAYERS[world.space]))
    assert set("CRWFS") <= set("".join(drawn))


def test_without_the_fan_there_is_none() -> None:
    world = Shapes("2.5d", "four", "top", True, False, "effective", "piece")
    dice = Dice(np.random.default_rng(1))
    said = [world.write(world.start(dice)) for _ in range(200)]
    said += [world.write_steps([world.step(dice)]) for _ in range(500)]
    assert "F" not in "".join(said) and "S" in "".join(said)


@given(SHAPE, st.lists(st.one_of(TURN, WORD), min_size=1, max_size=14))
def test_what_lists_lead_to_without_a_step_is_what_they_lead_to(
    code: str, words: list[str]
) -> None:
    steps = LAYERED.read_steps(", ".join(words))

    def carried(some: list[tuple[int, int]]) -> int:
        state = codes.parse(code)
        for step in some:
            state = LAYERED.apply(state, step)
        return state

    states = LAYERED.follow(codes.parse(code), steps)
    assert states == [carried(steps[:number]) for number in range(len(steps) + 1)]
    assert LAYERED.live(states, steps) == tuple(
        carried(steps[:number] + steps[number + 1 :]) != states[-1] for number in range(len(steps))
    )
