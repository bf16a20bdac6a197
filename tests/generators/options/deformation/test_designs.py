"""Designs of four lists, proven anew by the twins: every demand, at every level, and the door."""

from collections import Counter
from importlib import import_module
from itertools import pairwise
from typing import Any

import cube_list_sampler
import magiccube
import numpy as np
import pytest
import shape_list_sampler
import shapes_twin as twin

from facelet.generators.core import compiled_parts
from facelet.generators.core.compiled_parts import NotCompiled
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.cube.deformation.deformation_task import Cubes
from facelet.generators.cube.engine.moves import ALL_MOVES, apply_maneuver
from facelet.generators.options.deformation import question_sampler, questions
from facelet.generators.options.deformation.world_protocol import Dice
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.shapes.shape_world import Shapes

FLAT = Shapes("2d", "five", "top", True, False, "live", "piece")
LAYERED = Shapes("2.5d", "five", "top", True, False, "live", "piece")
READINGS = [
    FLAT, LAYERED,
    Shapes("2.5d", "four", "all", True, True, "live", "piece"),
    Shapes("2.5d", "four", "top", False, False, "live", "piece"),
    Shapes("2d", "four", "all", True, False, "live", "piece"),
    Shapes("2d", "five", "top", True, False, "live", "shape"),
    Shapes("2.5d", "five", "top", True, False, "live", "shape"),
]  # fmt: skip
CUBES = Cubes("scrambled")
PACKAGES = ("facelet.generators.shapes", "facelet.generators.cube.deformation")


def draw_design(world: Any, level: int, index: int) -> Any:
    for attempt in range(50):
        dice = Dice(Draw((0, "design", level), index, attempt).rng)
        try:
            return world.draw_four(level, dice, world.draw_start(dice))
        except Reject:
            continue
    raise AssertionError("rejected 50 times")


def count_edits(four: Any) -> list[int]:
    return [n for n, steps in enumerate(zip(*four.lists, strict=True)) if len(set(steps)) > 1]


def splits_evenly(four: list[Any]) -> bool:
    return sorted(Counter(four).values()) in ([4], [2, 2])


def apply_turns(start: str, words: list[str]) -> list[str]:
    kept = [word for word in words if word.startswith(("rotate", "mirror"))]
    code = start
    for word in kept:
        code = twin.apply_operation(code, word)
    return code_pieces(code)


def code_pieces(code: str) -> list[str]:
    flat = code.replace(":", "")
    return [flat[2 * place : 2 * place + 2] for place in range(len(flat) // 2)]


def count_agreeing(one: list[str], other: list[str]) -> int:
    """Count places that are alike, places that are not there being empty."""
    width = max(len(one), len(other))
    filled = [codes + ["--"] * (width - len(codes)) for codes in (one, other)]
    return sum(a == b for a, b in zip(*filled, strict=True))


@pytest.mark.parametrize("world", READINGS, ids=str)
def test_shapes_are_live_and_no_part_tells_both_choices(world: Any) -> None:
    even = tried = 0
    turns_win = Counter[int]()
    for level, count in ((1, 4), (2, 4), (3, 8), (5, 8), (12, 4), (30, 1)):
        for index in range(count):
            four = draw_design(world, level, index)
            start = world.write_state(four.start)
            lists = [world.write_steps(steps).split(", ") for steps in four.lists]
            ends = [
                twin.apply_operations(start, ", ".join(words), world.coloring) for words in lists
            ]
            assert (
                ends == [world.write_state(state) for state in four.results] and len(set(ends)) == 4
            )
            assert len(count_edits(four)) == min(2, level)
            for words, end in zip(lists, ends, strict=True):
                for place in range(level):
                    left = words[:place] + words[place + 1 :]
                    code = (
                        twin.apply_operations(start, ", ".join(left), world.coloring)
                        if left
                        else start
                    )
                    assert code != end, (start, words, place)
                for pair in pairwise(words):
                    assert set(pair) != {"rotate_cw", "rotate_ccw"} and pair != ("mirror",) * 2
            if level >= 3:
                tried += 1
                even += all(
                    splits_evenly(list(p))
                    for p in zip(*map(world.state_parts, four.results), strict=True)
                )
                for gold in range(4):
                    seen = apply_turns(start, lists[gold])
                    agreed = [count_agreeing(seen, code_pieces(end)) for end in ends]
                    best = [k for k, score in enumerate(agreed) if score == max(agreed)]
                    turns_win[gold] += (gold in best) / len(best)
    assert even >= 0.9 * tried
    assert sum(turns_win.values()) <= 0.6 * 4 * tried


def has_odd_corners(state: str, other: str) -> bool:
    """Return whether the corner pieces of one cube are an odd permutation of another's."""
    spots = [9 * face + place for face in range(6) for place in (0, 2, 6, 8)]
    labels = "".join(chr(33 + n) for n in range(54))
    where = {label: n for n, label in enumerate(other)} if len(set(other)) == 54 else {}
    assert where and set(state) == set(labels)
    seen: set[int] = set()
    odd = False
    for spot in spots:
        length = 0
        while spot not in seen:
            seen.add(spot)
            spot, length = where[state[spot]], length + 1
        odd ^= length > 0 and length % 2 == 0
    return odd


@pytest.mark.parametrize("start", ["scrambled", "solved"])
def test_cubes_split_every_sticker_and_keep_centres_and_parity(start: Any) -> None:
    world = Cubes(start)
    labels = "".join(chr(33 + n) for n in range(54))
    for level in (1, 2, 3, 4, 9, 30):
        for index in range(8):
            four = draw_design(world, level, index)
            lists = [[ALL_MOVES[move] for _, move in steps] for steps in four.lists]
            ends = []
            for words in lists:
                cube = magiccube.Cube(3, _magiccube_facelets(four.start.decode()))
                cube.rotate(" ".join(_magiccube_name(word) for word in words))
                ends.append(cube.get())
            assert ends == [_magiccube_facelets(state.decode()) for state in four.results]
            assert len(set(ends)) == 4 and len(count_edits(four)) == min(2, level)
            assert all(splits_evenly(list(four)) for four in zip(*ends, strict=True))
            moved = [apply_maneuver(labels, tuple(words)) for words in lists]
            assert len({"".join(end[9 * face + 4] for face in range(6)) for end in moved}) == 1
            if level > 1:
                assert len({has_odd_corners(end, labels) for end in moved}) == 1
            for words in lists:
                for pair in pairwise(words):
                    both = apply_maneuver(labels, pair)
                    assert both != labels and both not in SINGLE


SINGLE = {apply_maneuver("".join(chr(33 + n) for n in range(54)), (move,)) for move in ALL_MOVES}


def _magiccube_facelets(facelets: str) -> str:
    """Return a facelet string with magiccube's colours and order of faces, U L F R B D."""
    colours = facelets.translate(str.maketrans("URFDLB", "WRGYOB"))
    return "".join(colours[9 * place : 9 * place + 9] for place in (0, 4, 2, 1, 5, 3))


def _magiccube_name(move: str) -> str:
    return f"{move[0].upper()}w{move[1:]}" if move[0] in "urfdlb" else move.upper()


@pytest.mark.parametrize("world", [FLAT, LAYERED, CUBES], ids=str)
def test_every_kind_of_operation_is_asked_about_and_places_are_anywhere(world: Any) -> None:
    kinds, apart = set(), Counter[int]()
    for index in range(150):
        four = draw_design(world, 6, index)
        kinds |= {step if world is CUBES else step[0] for steps in four.lists for step in steps}
        apart.update(count_edits(four))
    assert len(kinds) == {"2d": 6, "2.5d": 7}.get(getattr(world, "space", ""), 54)
    assert min(apart[place] for place in range(6)) >= 20


def test_each_list_is_right_as_often_as_the_others() -> None:
    """The list that is drawn first is no more often right, nor at a letter of its own."""
    counts = Counter[tuple[int, ...]]()
    for seed in range(2000):
        counts[tuple(Dice(np.random.default_rng(seed)).draw_order(4))] += 1
    assert len(counts) == 24 and max(counts.values()) < 140


def test_published_lists_have_one_operation_replaced_anywhere() -> None:
    wild = Shapes("2d", "four", "top", True, False, "any", "piece")
    for world in (wild, CUBES):
        places = Counter[int]()
        for index in range(120):
            question = questions.draw_question(
                world, "inverse", 5, 1, "test", Draw((0, "x"), index)
            )
            right = LETTERS.index(question.answer)
            lists = [world.read_steps(text) for text in question.lists]
            for other in range(4):
                apart = [n for n in range(5) if lists[other][n] != lists[right][n]]
                assert len(apart) == (other != right)
                places.update(apart)
        assert min(places[n] for n in range(5)) > 40, places


@pytest.mark.parametrize("package", PACKAGES)
def test_what_the_compiled_form_cannot_read_is_refused(package: str) -> None:
    core = import_module(f"{package}._four")
    with pytest.raises(ValueError, match="no rules"):
        core.draw_four(b"1", b"", 3, 1)
    with pytest.raises(ValueError, match="give at least 1"):
        core.draw_four(b"1", b"", 0, 1)


@pytest.mark.parametrize("form", [f"{PACKAGES[1]}._four", "cube_list_sampler"])
def test_where_there_is_no_four_the_draw_is_rejected(form: str) -> None:
    still = bytes(range(54)) * 2
    core = import_module(form)
    assert core.draw_four(still, bytes(54), 2, 1) is None
    assert core.draw_four(still, bytes(54), 1, 1) is None


@pytest.mark.parametrize("world", [*READINGS, CUBES, Cubes("solved")], ids=str)
def test_the_plain_twin_draws_the_same_lists(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw_four_lists(level: int) -> Any:
        dice = Dice(Draw((0, "plain", level), 0).rng)
        try:
            return world.draw_four(level, dice, world.draw_start(dice))
        except Reject as reject:
            return str(reject)

    levels = (1, 2, 3, 6, 20)
    compiled = [draw_four_lists(level) for level in levels]
    plain = cube_list_sampler if isinstance(world, Cubes) else shape_list_sampler
    monkeypatch.setattr(question_sampler, "CompiledPart", lambda name, what: plain)
    assert [draw_four_lists(level) for level in levels] == compiled


@pytest.mark.parametrize("world", [FLAT, CUBES], ids=str)
def test_without_a_compiler_the_error_names_the_fix(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_parts, "load_compiled", lambda name: None)
    dice = Dice(Draw((0, "plain"), 0).rng)
    with pytest.raises(NotCompiled, match="deformation questions is not compiled here: install"):
        world.draw_four(3, dice, world.draw_start(dice))
