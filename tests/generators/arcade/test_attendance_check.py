"""Attendance check: the monitor against a twin, the player against all that students may do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.attendance_check import TASK, AttendanceCheck, Puzzle, State
from facelet.generators.core.replies.command import Command


class Twin:
    """Case N.25: a list of who was honest, of which no three in a row are alike."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size, self.absent, self.left = row["students"], row["absent"], row["answers"]
        self.honest: list[bool] = []
        self.right = 0

    def answer_line(self, line: str) -> str | set[str]:
        named = line_numbers(line, "My Answer:")
        if named is not None:
            if len(named) != 1 or not 1 <= named[0] <= self.size:
                return INVALID
            if named[0] == self.absent:
                self.has_won = True
                return "Correct"
            self.left -= 1
            self.has_won = None if self.left else False
            return "Incorrect"
        asked = line_numbers(line, "My Query:")
        if asked is None or len(asked) != 2 or not 1 <= asked[0] <= asked[1] <= self.size:
            return INVALID
        group = set(range(asked[0], asked[1] + 1))
        self.right = len(group - {self.absent})
        wrong = len(group) if self.absent in group else len(group) - 1
        return {
            str(hands)
            for hands, honest in ((self.right, True), (wrong, False))
            if self.honest[-2:] != [honest, honest]
        }

    def note_answer(self, text: str) -> None:
        self.honest.append(text == str(self.right))
        assert len(set(self.honest[-3:])) == 2 or len(self.honest) < 3


def test_a_fault_is_found() -> None:
    class Faulty(AttendanceCheck):
        """Students may be dishonest three times in a row."""

        def list_replies(self, puzzle: Any, now: int, said: Any) -> list[tuple[int, int]]:
            return super().list_replies(puzzle, 3 if now == 4 else now, said)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(("students", "turns"), [(3, 6), (5, 9), (9, 12)])
def test_the_player_wins_whatever_the_students_do(students: int, turns: int) -> None:
    """All that may be heard is followed by the rules, for each student; the bound is exact."""
    shown = Puzzle(blank_terms("dynamic_adaptation", turns=99), students, 2, 0)
    longest = 0
    stack: list[tuple[tuple[Any, ...], frozenset[tuple[int, State]]]] = [
        ((), frozenset((student, TASK.start(shown)) for student in range(1, students + 1)))
    ]
    while stack:
        heard, alive = stack.pop()
        player = TASK.player(shown)
        said: Command = next(player)
        for answer in heard:
            said = player.send(answer)
        longest = max(longest, len(heard) + 1)
        parts: dict[Any, set[tuple[int, State]]] = {}
        for student, state in alive:
            puzzle = Puzzle(shown.terms, students, 2, student)
            assert TASK.legal(puzzle, state, said) == ""
            for after in TASK.list_outcomes(puzzle, state, said):
                assert TASK.result(puzzle, after) is not False
                if not TASK.result(puzzle, after):
                    parts.setdefault(TASK.observe(puzzle, after), set()).add((student, after))
        stack += [((*heard, answer), frozenset(part)) for answer, part in parts.items()]
    assert longest == TASK.bound(shown) == turns


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_papers_turns_are_enough(level: int) -> None:
    for students in range(*{1: (5, 10), 2: (10, 15), 3: (15, 21)}[level]):
        assert TASK.bound(Puzzle(blank_terms("dynamic_adaptation"), students, 2, 0)) <= 15


@pytest.mark.parametrize(("students", "turns"), [(3, 6), (4, 7)])
def test_no_player_needs_fewer_turns(students: int, turns: int) -> None:
    """A plain search over the histories of each student, over any sets instead of ranges.

    So ranges are as good as sets here.
    """

    def answer_in_world(
        world: tuple[int, str], named: frozenset[int], missing: bool
    ) -> tuple[int, str] | None:
        history = world[1] + ("h" if (world[0] in named) == missing else "d")
        return None if history[-3:] in ("hhh", "ddd") else (world[0], history[-2:])

    @cache
    def is_surely_found(worlds: frozenset[tuple[int, str]], answers: int, left: int) -> bool:
        if left == 0 or answers == 0:
            return not worlds
        if len(worlds) <= min(left, answers):
            return True
        if left == 1:
            return False
        names = sorted(student for student, _ in worlds)
        for mask in range(1 << (len(names) - 1)):
            named = frozenset(n for place, n in enumerate(names) if mask >> place & 1)
            if all(
                is_surely_found(
                    frozenset(
                        after for w in worlds if (after := answer_in_world(w, named, missing))
                    ),
                    answers,
                    left - 1,
                )
                for missing in (False, True)
            ):
                return True
        return any(
            is_surely_found(frozenset(w for w in worlds if w[0] != name), answers - 1, left - 1)
            for name in names
        )

    start = frozenset((student, "") for student in range(students))
    assert is_surely_found(start, 2, turns) and not is_surely_found(start, 2, turns - 1)
    shown = Puzzle(blank_terms("dynamic_adaptation"), students, 2, 0)
    assert TASK.optimal_turns(shown) == turns
    assert not is_surely_found(start, 1, 9)  # one answer is not enough
