"""Permutation discovery: the monitor against a twin, the player against every permutation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks import permutation_discovery as module
from facelet.generators.arcade.tasks.permutation_discovery import (
    TASK,
    PermutationDiscovery,
    Puzzle,
)


class Twin:
    """Case N.35: q as a dictionary of positions."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.p = dict(enumerate(row["hidden"], start=1))
        self.q = dict(enumerate(row["start"], start=1))

    def answer_line(self, line: str) -> str:
        asked = line_numbers(line, "My Query:")
        if asked is not None:
            if len(asked) != 1 or asked[0] not in self.q:
                return INVALID
            told = self.q[asked[0]]
            self.q = {i: self.q[self.p[i]] for i in self.q}
            return str(told)
        named = line_numbers(line, "My Answer:")
        if named is None or set(named) != set(self.p) or len(named) != len(self.p):
            return INVALID
        self.has_won = True if named == list(self.p.values()) else None
        return "Correct" if self.has_won else "Incorrect"


def test_a_fault_is_found() -> None:
    class Faulty(PermutationDiscovery):
        """The list is shuffled by the inverse."""

        def list_replies(self, puzzle: Any, now: Any, said: Any) -> list[tuple[Any, int]]:
            ((_, heard),) = super().list_replies(puzzle, now, said)
            values = dict(zip(puzzle.hidden, now, strict=True))
            return [(tuple(values[place] for place in sorted(values)), heard)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(("size", "turns"), [(5, 8), (6, 10), (7, 12)])
def test_the_player_finds_every_permutation(size: int, turns: int) -> None:
    """The bound is exact: some permutation takes so many turns, and none takes more."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=size - 4), 1)
    plays = [
        TASK.play_reference(other)
        for other in TASK.list_candidates(TASK.without_hidden(puzzle)) or ()
    ]
    assert all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) == TASK.bound(puzzle) == turns


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_closing_cycles_takes_two_queries_a_value_at_most(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPLIT", 2)
    start = tuple(range(size, 0, -1))
    terms = blank_terms("dynamic_adaptation", turns=99)
    plays = [
        TASK.play_reference(Puzzle(terms, start, hidden)) for hidden in permutations(sorted(start))
    ]
    assert all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) == 2 * size - 1


def test_no_player_needs_fewer_turns_for_four() -> None:
    """A plain search of every strategy: after t queries position i tells p^t(i)."""
    every = frozenset(permutations(range(4)))

    def shuffle_position(p: tuple[int, ...], asked: int, place: int) -> int:
        for _ in range(asked):
            place = p[place]
        return place

    def is_surely_found(alive: frozenset[tuple[int, ...]], asked: int, turns: int) -> bool:
        if len(alive) <= 1:
            return turns >= len(alive)
        if turns <= 1 or len(alive) > 4 ** (turns - 1):
            return False
        for place in range(4):
            parts = [
                frozenset(p for p in alive if shuffle_position(p, asked, place) == heard)
                for heard in range(4)
            ]
            if all(is_surely_found(part, asked + 1, turns - 1) for part in parts):
                return True
        return any(is_surely_found(alive - {p}, asked, turns - 1) for p in alive)

    assert not is_surely_found(every, 0, 5)
    assert TASK.optimal_turns(Puzzle(blank_terms("dynamic_adaptation"), (1, 2, 3, 4), ())) == 6
