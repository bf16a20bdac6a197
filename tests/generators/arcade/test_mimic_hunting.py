"""Mimic hunting: the monitor against a twin, the player against every mimic."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.mimic_hunting import TASK, MimicHunting, State


class Twin:
    """Case N.33: what is no mimic is a bag of types; where objects went is not followed."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.list = list(row["objects"])
        self.kinds = [self.list[row["mimic"] - 1]]
        self.places = {row["mimic"]}
        self.removed: list[int] | None = None
        self.named = 0

    def answer_line(self, line: str) -> Any:
        self.removed, self.named = None, 0
        named = line_numbers(line, "My Answer:")
        if named is not None:
            if len(named) != 1 or not 1 <= named[0] <= len(self.list):
                return INVALID
            self.named = named[0]
            return {"Correct", "Incorrect"}
        gone = line_numbers(line, "My Query: -")
        if gone is None or gone[0] != len(gone) - 1 or len(set(gone[1:])) < gone[0]:
            return INVALID
        if any(not 1 <= place <= len(self.list) for place in gone[1:]):
            return INVALID
        if gone[0] == len(self.list):
            return INVALID
        self.removed = gone[1:]
        return self

    def __contains__(self, text: str) -> bool:
        if text == "The mimic is gone":
            return bool(self.places & set(self.removed or ()))
        return not self.places <= set(self.removed or ()) and self._mimic_kind(text) > 0

    def _mimic_kind(self, text: str) -> int:
        """Return the type of the mimic in a list that may be shown now, or 0."""
        left = Counter(k for p, k in enumerate(self.list, 1) if p not in (self.removed or ()))
        left[self.kinds[-1]] -= 1
        shown = [int(kind) for kind in re.findall(r"\d+", text)]
        more = Counter(shown)
        more.subtract(left)
        kinds = [kind for kind, count in more.items() if count]
        if len(shown) != left.total() + 1 or len(kinds) != 1 or not 1 <= kinds[0] <= 9:
            return 0
        return 0 if [*self.kinds, kinds[0]][-3:] == kinds * 3 else kinds[0]

    def note_answer(self, text: str) -> None:
        if self.removed is None:
            right = text == "Correct"
            assert self.named in self.places if right else self.places != {self.named}
            self.has_won = right
        elif text == "The mimic is gone":
            self.has_won = False
        else:
            self.kinds.append(self._mimic_kind(text))
            self.list = [int(kind) for kind in re.findall(r"\d+", text)]
            self.places = {p for p, kind in enumerate(self.list, 1) if kind == self.kinds[-1]}


def test_a_fault_is_found() -> None:
    class Faulty(MimicHunting):
        """The mimic never tires of a type."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            return replace(super().step(puzzle, state, said, luck), run=1)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2])
def test_the_player_wins_against_every_mimic(level: int) -> None:
    """All that the mimic may do is followed, for each object that it may be."""
    longest = 0
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 3):
        for mimic in range(1, len(puzzle.objects) + 1):
            other = replace(puzzle, mimic=mimic)
            stack: list[tuple[State, ...]] = [(TASK.start(other),)]
            while stack:
                states = stack.pop()
                player = TASK.player(TASK.without_hidden(other))
                said = next(player)
                for state in states[1:]:
                    said = player.send(TASK.observe(other, state))
                assert not TASK.legal(other, states[-1], said)
                for after in TASK.list_outcomes(other, states[-1], said):
                    won = TASK.result(other, after)
                    assert won is not False
                    longest = max(longest, len(states))
                    stack += [] if won else [(*states, after)]
    assert longest == TASK.bound(puzzle) == 5
