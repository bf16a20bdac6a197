"""Color magic: the monitor against a twin, the needs by a search, the bound over all orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks import color_magic
from facelet.generators.arcade.tasks.color_magic import TASK, ColorMagic, State
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

FORTH, BACK = dict(zip("RBY", "BYR", strict=True)), dict(zip("BYR", "RBY", strict=True))
SWAP = {"R": "B", "B": "R", "Y": "Y"}


class Twin:
    """Case N.55, with the cycles of colors spelled out."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.rows = [list(line) for line in row["grid"]]
        self.order, self.twins = row["order"], row["twins"]

    def answer_line(self, line: str) -> str:
        named = line_numbers(line, "My Move:")
        size = len(self.rows)
        if named is None or len(named) != 2 or named[0] not in (1, 2, 3):
            return INVALID
        if named[1] not in range(1, size * size + 1):
            return INVALID
        r, c = (named[1] - 1) // size, (named[1] - 1) % size
        kind = self.order[named[0] - 1]
        if kind == "g":
            own, other = {}, FORTH if self.twins else SWAP
        elif kind == "a" or self.twins:
            own, other = FORTH, BACK
        else:
            own, other = BACK, FORTH
        for i in range(size):
            for j in range(size):
                if (i, j) == (r, c):
                    self.rows[i][j] = own.get(self.rows[i][j], self.rows[i][j])
                elif abs(i - r) + abs(j - c) == 1:
                    self.rows[i][j] = other[self.rows[i][j]]
        if len({cell for row in self.rows for cell in row}) == 1:
            self.has_won = True
        return "\n".join(" ".join(row) for row in self.rows)


def test_as_published_it_is_as_printed() -> None:
    compare_games(TASK, Twin, transcripts=600, published=True)


def test_a_fault_is_found() -> None:
    class Faulty(ColorMagic):
        """The first two numbers are exchanged."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            order = puzzle.order
            wrong = replace(puzzle, order=order[1] + order[0] + order[2])
            return super().step(wrong, state, said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("level", [1, 2, 3, 6])
def test_every_order_is_won_within_the_bound(level: int, published: bool) -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=level, published=published), 8):
        for other in TASK.list_candidates(puzzle):
            said, won = TASK.play_reference(other)
            assert won and len(said) <= puzzle.terms.bound


def test_alpha_and_beta_need_so_many_turns() -> None:
    """All ways of fewer operations are tried; the twin tells that none of them is enough."""
    for puzzle in make_puzzles(TASK, TASK.params(level=1), 2):
        needs = puzzle.terms.bound - 3
        for fewer in range(needs):
            for places in combinations(range(1, 10), fewer):
                for kinds in product((1, 2), repeat=fewer):
                    twin = Twin({"grid": puzzle.grid, "order": "abg", "twins": False})
                    for kind, place in zip(kinds, places, strict=True):
                        twin.answer_line(f"My Move: {kind} {place}")
                    assert twin.has_won is None


def test_grids_are_not_turned_into_each_other() -> None:
    grids = [
        np.array([list(row) for row in p.grid])
        for p in make_puzzles(TASK, TASK.params(level=1), 30)
    ]
    seen = set()
    for grid in grids:
        around = [np.rot90(side, k) for side in (grid, grid.T) for k in range(4)]
        seen.add(min(str(other.tolist()) for other in around))
    assert len(seen) == 30


def count_rejections(path: tuple[str, ...], index: int) -> tuple[int, tuple[str, ...]]:
    """Return how often an item is rejected, and its grid."""
    params = TASK.params(level=1)
    for attempt in range(1000):
        try:
            return attempt, TASK.make(params, Draw(path, index, attempt)).grid
        except Reject:
            continue
    raise AssertionError("the item is rejected for ever")


def test_all_grids_of_a_full_build_are_distinct() -> None:
    """At size 3 many grids have several numbers; in one build of three, two items got one grid."""
    capacity = TASK.capacity(TASK.params(level=1))
    assert capacity == 94
    for path in (("distinct", str(seed)) for seed in range(5)):
        grids = [count_rejections(path, index)[1] for index in range(capacity)]
        assert len(set(grids)) == capacity


def test_items_without_a_grid_of_their_own_are_given_spare_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 64 numbers one is a grid nearly always; of 28 none is, for an item in a hundred."""
    monkeypatch.setattr(color_magic, "SPARE", 28)
    capacity = TASK.capacity(TASK.params(level=1))
    assert capacity == 216
    given = 0
    for path in (("spare", str(seed)) for seed in range(3)):
        found = [count_rejections(path, index) for index in range(capacity)]
        assert len({grid for _, grid in found}) == capacity
        late = [index for index, (attempt, _) in enumerate(found) if attempt >= 28]
        given += len(late)
        # On a worker of its own, whatever that has seen before.
        color_magic._find_kept_attempt.cache_clear()
        assert [count_rejections(path, index) for index in late] == [found[index] for index in late]
    assert given == 10
