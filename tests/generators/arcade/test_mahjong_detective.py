"""Mahjong detective: the monitor against a twin, the player against every hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks import mahjong_detective as module
from facelet.generators.arcade.tasks.mahjong_detective import (
    TASK,
    MahjongDetective,
    Puzzle,
)


class Twin:
    """Case N.31: triplets are added up tile by tile, as each is a piece of its own."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.count = dict(enumerate(row["tiles"], start=1))
        assert self.format_answer() == f"{row['triplets']} {row['straights']}"

    def format_answer(self) -> str:
        triplets = straights = 0
        for value, count in self.count.items():
            triplets += sum(piece * (piece - 1) // 2 for piece in range(count))
            straights += count * self.count.get(value + 1, 0) * self.count.get(value + 2, 0)
        return f"{triplets} {straights}"

    def answer_line(self, line: str) -> str:
        added = line_numbers(line, "My Query: +")
        if added is not None:
            if len(added) != 1 or added[0] not in self.count:
                return INVALID
            self.count[added[0]] += 1
            return self.format_answer()
        named = line_numbers(line, "My Answer:")
        if named is None or len(named) != len(self.count) or min(named) < 0:
            return INVALID
        self.has_won = True if named == list(self.count.values()) else None
        return "Correct" if self.has_won else "Incorrect"


def test_a_fault_is_found() -> None:
    class Faulty(MahjongDetective):
        """An added tile is told of and taken back."""

        def list_replies(self, puzzle: Any, now: Any, said: Any) -> list[tuple[Any, Any]]:
            ((_, heard),) = super().list_replies(puzzle, now, said)
            return [(now, heard)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def _winning_turn(tiles: tuple[int, ...]) -> int:
    """Return the turns in which the player wins."""
    puzzle = Puzzle(
        blank_terms("dynamic_adaptation"), len(tiles), *module._count_sets(tiles), tiles
    )
    said, won = TASK.play_reference(puzzle)
    assert won and len(said) <= TASK.bound(puzzle)
    return len(said)


@pytest.mark.parametrize("size", [3, 4])
def test_the_player_finds_every_hand(size: int) -> None:
    turns = [_winning_turn(tiles) for tiles in product(range(size + 1), repeat=size)]
    assert size == 3 or set(turns) == {5}


@pytest.mark.parametrize("size", [5, 6, 9])
def test_the_player_finds_hands_of_few_and_many(size: int) -> None:
    """Whether there are none, one or more of a value is what matters."""
    for kinds in product((0, 1, size), repeat=min(size, 6)):
        _winning_turn((*kinds, *(2, 0, 1)[: size - len(kinds)]))


def test_no_player_needs_fewer_turns_for_three() -> None:
    """A plain search, of every addition and every name, with the turns to come as a limit."""

    def hand_answer(hand: tuple[int, ...]) -> tuple[int, int]:
        return sum(c * (c - 1) * (c - 2) // 6 for c in hand), hand[0] * hand[1] * hand[2]

    def is_surely_found(alive: frozenset[tuple[int, ...]], turns: int) -> bool:
        if len(alive) <= 1 or turns <= 1:
            return len(alive) <= 1 <= turns
        for value in range(3):
            parts: dict[tuple[int, int], set[tuple[int, ...]]] = {}
            for hand in alive:
                after = tuple(count + (place == value) for place, count in enumerate(hand))
                parts.setdefault(hand_answer(after), set()).add(after)
            if all(is_surely_found(frozenset(part), turns - 1) for part in parts.values()):
                return True
        return any(is_surely_found(alive - {hand}, turns - 1) for hand in alive)

    starts: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for hand in product(range(4), repeat=3):
        starts.setdefault(hand_answer(hand), set()).add(hand)
    for told, hands in starts.items():
        shown_puzzle = Puzzle(blank_terms("dynamic_adaptation"), 3, *told, ())
        fewest = TASK.optimal_turns(shown_puzzle)
        assert fewest and is_surely_found(frozenset(hands), fewest)
        assert fewest == 1 or not is_surely_found(frozenset(hands), fewest - 1)


def test_hands_that_begin_alike_are_found_among_all() -> None:
    size = 4
    every = list(product(range(size + 1), repeat=size))
    for tiles in every[::37]:
        wanted = module._count_sets(tiles)
        found = [number for number, hand in enumerate(every) if module._count_sets(hand) == wanted]
        assert module._find_lookalike_hands(size, *wanted).tolist() == found
