"""Train pursuit: the monitor against a twin, the player against every way of the train."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.base.question_game import QuestionState
from facelet.generators.arcade.tasks.train_pursuit import (
    TASK,
    Puzzle,
    State,
    TrainPursuit,
    _list_puzzle_kinds,
)
from facelet.generators.core.replies.command import Command


class Twin:
    """Case N.37: the moves of the train are not known, so it may be at several stations."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size, self.speed, self.left = row["stations"], row["speed"], row["answers"]
        self.train = {row["station"]}
        self.line: list[int] = []

    def answer_line(self, line: str) -> Any:
        self.line = line_numbers(line, "My Answer:") or line_numbers(line, "My Query:") or []
        wanted = 1 if line.startswith("My Answer:") else 2
        if len(self.line) != wanted or not all(1 <= x <= self.size for x in self.line):
            return INVALID
        if wanted == 2 and self.line[0] > self.line[1]:
            return INVALID
        inside = {train for train in self.train if self.line[0] <= train <= self.line[-1]}
        words = ("Incorrect", "Correct") if wanted == 1 else ("No", "Yes")
        return {words[train in inside] for train in self.train}

    def note_answer(self, text: str) -> None:
        low, high = self.line[0], self.line[-1]
        self.train = {t for t in self.train if (low <= t <= high) == (text in ("Yes", "Correct"))}
        if text in ("Yes", "No"):
            on = {train + gone for train in self.train for gone in range(self.speed + 1)}
            self.train = {train - self.size if train > self.size else train for train in on}
        elif text == "Correct":
            self.has_won = True
        else:
            self.left -= 1
            self.has_won = False if self.left == 0 else None


def test_a_fault_is_found() -> None:
    class Faulty(TrainPursuit):
        """The train goes the other way."""

        def list_replies(self, puzzle: Any, now: int, said: Any) -> list[tuple[int, str]]:
            found = super().list_replies(puzzle, now, said)
            return [((2 * now - after - 1) % puzzle.stations + 1, heard) for after, heard in found]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(
    "kind", [*_list_puzzle_kinds(5), *_list_puzzle_kinds(7), *_list_puzzle_kinds(9)]
)
def test_the_player_wins_wherever_the_train_goes(kind: tuple[int, int, int]) -> None:
    """All that may be heard is followed; the bound is exact."""
    shown = Puzzle(blank_terms("dynamic_adaptation", turns=99), *kind, 0)
    longest = 0
    stack: list[tuple[tuple[Any, ...], frozenset[State]]] = [
        ((), frozenset(QuestionState(station) for station in range(1, kind[0] + 1)))
    ]
    while stack:
        heard, alive = stack.pop()
        player = TASK.player(shown)
        said: Command = next(player)
        for answer in heard:
            said = player.send(answer)
        assert TASK.legal(shown, next(iter(alive)), said) == ""
        longest = max(longest, len(heard) + 1)
        every = {after for state in alive for after in TASK.list_outcomes(shown, state, said)}
        assert all(TASK.result(shown, after) is not False for after in every)
        parts: dict[Any, set[State]] = {}
        for after in every:
            if not TASK.result(shown, after):
                parts.setdefault(TASK.observe(shown, after), set()).add(after)
        stack += [((*heard, answer), frozenset(part)) for answer, part in parts.items()]
    assert longest == TASK.bound(shown) <= 15


@pytest.mark.parametrize("kind", [*_list_puzzle_kinds(5), *_list_puzzle_kinds(7)])
def test_no_player_needs_fewer_turns(kind: tuple[int, int, int]) -> None:
    shown = Puzzle(blank_terms("dynamic_adaptation"), *kind, 0)
    assert TASK.optimal_turns(shown) == TASK.bound(shown)


@pytest.mark.parametrize(("stations", "speed"), [(5, 1), (7, 1), (7, 2)])
def test_fewer_answers_are_never_enough(stations: int, speed: int) -> None:
    for answers in (2 * speed, 2 * speed + 1):
        shown = Puzzle(blank_terms("dynamic_adaptation"), stations, speed, answers, 0)
        assert (TASK.optimal_turns(shown) is None) == (answers == 2 * speed)
