"""The cube's questions: every option by two independent packages, codes, and what prompts say."""

import re
from itertools import pairwise
from typing import Any

import magiccube
import numpy as np
import pycuber
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.cube.deformation import deformation_task
from facelet.generators.cube.deformation.deformation_task import LETTERS, Cubes
from facelet.generators.cube.engine.moves import ALL_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.options.deformation.world_protocol import Dice

FORWARD, INVERSE = (
    task_registry.load_task(f"cube/{name}_deformation") for name in ("forward", "inverse")
)
WORLD = Cubes("scrambled")


def make_question(task: Any, level: int, index: int, **params: Any) -> Any:
    draw = Draw((0, "test", task.name, level), index)
    return task.generate(task.params(level=level, **params), draw, None)[0].question


def read_faces(code: str) -> dict[str, str]:
    """Read a code by hand: nine colours a face."""
    return {part[0]: part[2:].replace("/", "") for part in code.split(",")}


def magiccube_name(move: str) -> str:
    """Return magiccube's name of a move."""
    return f"{move[0].upper()}w{move[1:]}" if move[0] in "urfdlb" else move.upper()


def turn_by_magiccube(start: str, moves: str) -> dict[str, str]:
    known = read_faces(start)
    cube = magiccube.Cube(3, "".join(known[face] for face in "ULFRBD").upper())
    cube.rotate(" ".join(map(magiccube_name, moves.split())))
    text = cube.get().lower()
    return {face: text[9 * place : 9 * place + 9] for place, face in enumerate("ULFRBD")}


def turn_by_pycuber(moves: str) -> dict[str, str]:
    """Carry moves out on the solved cube; its colours by face are replaced by ours."""
    solved = pycuber.Cube()
    ours = {str(solved.get_face(f)[1][1]): LETTERS[FACES.index(f)] for f in FACES}
    cube = pycuber.Cube()(moves)
    return {
        face: "".join(ours[str(sticker)] for row in cube.get_face(face) for sticker in row)
        for face in FACES
    }


@pytest.mark.parametrize("task", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("level", [1, 2, 5, 12, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.some(3)
def test_every_option_is_replayed_by_two_packages(task: Any, level: int) -> None:
    for index in range(12):
        question = make_question(task, level, index)
        for moves, result in zip(question.lists, question.results, strict=True):
            assert turn_by_magiccube(question.start, moves) == read_faces(result)
        solved = make_question(task, level, index, start="solved")
        for moves, result in zip(solved.lists, solved.results, strict=True):
            assert (
                turn_by_pycuber(moves)
                == read_faces(result)
                == turn_by_magiccube(solved.start, moves)
            )


def test_all_54_rotations_are_drawn() -> None:
    dice = Dice(np.random.default_rng(0))
    assert {WORLD.draw_step(dice)[1] for _ in range(2000)} == set(range(54))


def test_the_solved_cube_has_the_papers_colours() -> None:
    code = WORLD.write_state(SOLVED.encode())
    assert code == ",".join(
        f"{face}:{'/'.join([colour * 3] * 3)}"
        for face, colour in zip("UDLRFB", "ywrogb", strict=True)
    )
    assert (
        WORLD.format_state(SOLVED.encode()).splitlines()[0]
        == "U: [[y, y, y], [y, y, y], [y, y, y]]"
    )


def test_codes_go_both_ways_however_the_cube_is_held() -> None:
    dice = Dice(np.random.default_rng(3))
    for _ in range(50):
        state = WORLD.draw_start(dice)
        assert WORLD.read(WORLD.write_state(state)) == state


@pytest.mark.parametrize(
    "change",
    [lambda code: "", lambda code: code[:-1], lambda code: code.replace("U", "D"),
     lambda code: code.replace("y", "w", 1), lambda code: code + ",", lambda code: code.upper(),
     lambda code: code[:2] + code[3] + code[2] + code[4:]],
)  # fmt: skip
def test_what_is_no_cube_is_refused(change: Any) -> None:
    code = WORLD.write_state(apply_maneuver(SOLVED, ("U", "F", "L", "D")).encode())
    with pytest.raises(ValueError, match=r"no cube"):
        WORLD.check_lawful(WORLD.read(change(code)))


def test_the_detailed_rules_say_how_stickers_travel() -> None:
    """Each cycle that the text names is what the engine does to the middle of a moved row."""
    text = deformation_task.RULES[2]
    cycles = dict(re.findall(r"\b([UDRLFB]): ((?:[UDRLFB] to )+[UDRLFB])\b", text))
    cycles |= dict(
        re.findall(r"\b([MES]) (?:turns )?only .*?\(((?:[UDRLFB] to )+[UDRLFB])\)", text)
    )
    assert sorted(cycles) == sorted("UDRLFBMES")
    for letter, cycle in cycles.items():
        order = cycle.split(" to ")
        assert len(order) == 5 and order[0] == order[-1]
        for source, target in pairwise(order):
            marked = "".join("x" if face == source else "." for face in FACES for _ in range(9))
            after = apply_maneuver(marked, (letter,))
            moved = {FACES[place // 9] for place, mark in enumerate(after) if mark == "x"}
            assert moved == {source, target}
    assert "x turns the whole cube in the direction of R, y in that of U, z in that of F" in text
    assert len([move for move in ALL_MOVES if len(move) == 1]) == len(WORLD.lesson_steps()) == 18


def test_solved_starts_are_told_apart_by_their_lists() -> None:
    halves = [make_question(FORWARD, 3, index, start="solved", half=half).lists
              for half in ("test", "train") for index in range(40)]  # fmt: skip
    assert len(set(halves)) == len(halves)
