"""Ten thousand questions, of all tracks and ways, proven anew by the twins; letters in balance."""

from collections import Counter
from typing import Any

import magiccube
import pytest
import shapes_twin as twin

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

LEVELS = (1, 2, 3, 4, 5, 7, 10, 15, 22, 30)
TRACKS = {
    f"{track}-{way}": (f"{family}/{way}_deformation", more)
    for track, family, more in (
        ("2d", "shapes", {"space": "2d"}),
        ("2.5d", "shapes", {"space": "2.5d"}),
        ("3d", "cube", {}),
    )
    for way in ("forward", "inverse")
}
_WIDE = {move: f"{move.upper()}w" for move in "urfdlb"}


def make_question(task: Any, params: Any, index: int) -> Any:
    for attempt in range(50):
        try:
            draw = Draw((7, "proofs", task.name, params.level), index, attempt)
            return task.generate(params, draw, None)[0].question
        except Reject:
            continue
    raise AssertionError("rejected 50 times")


def turn_by_magiccube(start: str, moves: str) -> str:
    """Return what moves make of a code, by magiccube."""
    known = {part[0]: part[2:].replace("/", "") for part in start.split(",")}
    found = magiccube.Cube(3, "".join(known[face] for face in "ULFRBD").upper())
    words = (_WIDE.get(word[0], word[0].upper()) + word[1:] for word in moves.split())
    found.rotate(" ".join(words))
    text = found.get().lower()
    return ",".join(
        f"{face}:{text[at : at + 3]}/{text[at + 3 : at + 6]}/{text[at + 6 : at + 9]}"
        for face in "UDLRFB"
        for at in (9 * "ULFRBD".index(face),)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", TRACKS)
def test_exactly_one_option_is_right_and_letters_are_in_balance(name: str) -> None:
    """168 questions a level and track: 10,080 in all; each list is carried out by the twin."""
    task_name, more = TRACKS[name]
    task: Any = task_registry.load_task(task_name)
    follow = turn_by_magiccube if task_name.startswith("cube") else twin.apply_operations
    for level in LEVELS:
        letters = Counter[str]()
        for index in range(168):
            asked = make_question(task, task.params(level=level, input="text", **more), index)
            ends = [follow(asked.start, operations) for operations in asked.lists]
            assert ends == list(asked.results)
            if task.direction == "forward":
                end = follow(asked.start, asked.given)
                fitting = [x for x, code in zip("ABCD", asked.results, strict=True) if code == end]
            else:
                fitting = [x for x, end in zip("ABCD", ends, strict=True) if end == asked.given]
            assert fitting == [asked.answer]
            letters[asked.answer] += 1
        assert set(letters.values()) == {42}
