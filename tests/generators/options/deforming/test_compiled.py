"""The compiled drawing of four lists against the plain one: same lists, same numbers used."""

from itertools import product
from typing import Any

import pytest

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.cube.deforming.world import Cubes
from facelet.generators.options.deforming import compiled, drawing
from facelet.generators.options.deforming.worlds import Dice
from facelet.generators.shapes.world import Shapes

WORLDS: list[Any] = [
    *(
        Shapes(space, types, coloring, filling, floating, steps)
        for space, types, coloring, filling, floating, steps in product(
            ("2d", "2.5d"), ("five", "four"), ("top", "all"), (True, False), (True, False),
            ("effective", "any"),
        )
    ),
    Cubes("scrambled"),
    Cubes("solved"),
]  # fmt: skip
PACKAGES = ("facelet.generators.shapes", "facelet.generators.cube.deforming")


def both(world: Any, level: int, index: int) -> tuple[Any, Any]:
    """Return what the two forms come to, and which numbers they leave; None for a rejection."""
    found = []
    for four in (drawing.four, lambda world, *rest: world.four(*rest)):
        dice = Dice(Draw((0, "compiled", level), index, 0).rng)
        start = world.start(dice)
        edits = min(1 + index % 4, drawing.most_edits(level))
        try:
            drawn = four(world, level, edits, dice, start)
        except Reject:
            drawn = None
        found.append((drawn, dice.left, dice.below(1 << 30)))
    return found[0], found[1]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_compiled_form_is_there(package: str) -> None:
    assert compiled.found(f"{package}._four") is not None


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_it_draws_what_the_plain_form_draws(world: Any) -> None:
    for level in (1, 2, 5, 12, 40):
        for index in range(6):
            plain, fast = both(world, level, index)
            assert plain == fast


def test_it_takes_back_and_gives_up_where_the_plain_form_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcomes = set()
    for tries, pool, seeds, retreats in ((1, 1, 1, 0), (1, 2, 2, 3), (2, 3, 1, 8), (5, 64, 9, 64)):
        limits = {"TRIES": tries, "POOL": pool, "SEEDS": seeds, "RETREATS": retreats}
        for name, value in limits.items():
            monkeypatch.setattr(drawing, name, value)
        for world in WORLDS[::5]:
            for level, index in product((1, 2, 5, 12), range(4)):
                plain, fast = both(world, level, index)
                assert plain == fast
                outcomes.add(plain[0] is None)
    assert outcomes == {True, False}


def test_without_it_the_questions_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = both(WORLDS[0], 5, 1)[1]
    monkeypatch.setattr(compiled, "found", lambda _: None)
    assert both(WORLDS[0], 5, 1)[1] == fast


@pytest.mark.parametrize("package", PACKAGES)
def test_what_it_cannot_read_is_refused(package: str) -> None:
    core = compiled.found(f"{package}._four")
    with pytest.raises(ValueError, match="no rules"):
        core.four(b"1", (1, 1, 1, 1), b"\1", b"", [], list)
    with pytest.raises(ValueError, match="none that differ"):
        core.four(b"1", (1, 1, 1, 1), b"\0\0", b"", [], list)
    with pytest.raises(ValueError, match="a pool of 65"):
        core.four(b"1", (1, 65, 1, 1), b"\1", b"", [], list)
    with pytest.raises(ValueError, match="a pool of 0"):
        core.four(b"1", (1, 0, 1, 1), b"\1", b"", [], list)


def test_numbers_that_cannot_be_drawn_stop_it() -> None:
    core = compiled.found(f"{PACKAGES[0]}._four")
    rules, start = bytes([6, 1, 5, 0, 0, 0]), (64).to_bytes(12, "little")

    def broken() -> None:
        raise OSError("no numbers")

    with pytest.raises(OSError, match="no numbers"):
        core.four(rules, (9, 9, 9, 9), b"\1", start, [0.5], broken)
    with pytest.raises(ValueError, match="no more numbers"):
        core.four(rules, (9, 9, 9, 9), b"\1", start, [0.5], lambda: None)
    with pytest.raises(TypeError):
        core.four(rules, (9, 9, 9, 9), b"\1", start, ["x"], lambda: None)
