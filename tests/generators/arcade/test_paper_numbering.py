"""Paper numbering: the monitor against a twin, and the bound over all that may come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.paper_numbering import TASK, PaperNumbering, Puzzle


class Twin:
    """Case N.69."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.papers: list[int | None] = [None] * row["size"]
        self.coming = [row["first"], *row["later"] * 2]

    def answer_line(self, line: str) -> str:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 1:
            return INVALID
        if choice[0] not in range(1, len(self.papers) + 1):
            self.has_won = False
            return INVALID
        self.papers[choice[0] - 1] = self.coming.pop(0)
        if None not in self.papers and self.papers == sorted(self.papers):  # type: ignore[type-var]
            self.has_won = True
        shown = " ".join("_" if number is None else str(number) for number in self.papers)
        return f"Papers: {shown}\nNext number: {self.coming[0]}"


def test_a_fault_is_found() -> None:
    class Faulty(PaperNumbering):
        """Blank papers do not matter."""

        def result(self, puzzle: Any, state: Any) -> bool | None:
            filled = [number for number in state.papers if number]
            return True if filled == sorted(filled) and len(filled) > 2 else None

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("published", [False, True])
def test_the_published_rounds_can_be_had(published: bool) -> None:
    for level in (1, 2, 3):
        shown = Puzzle(blank_terms("strategic_gaming"), 5 * level, 5, 1, ())
        cap = TASK.turn_limit(
            TASK.params(level=level, published=published), shown, TASK.bound(shown)
        )
        right = max(15, 10 * level) if published else max(15, (5 * level - 1) * 3 + 1)
        assert cap == right


@pytest.mark.parametrize(("size", "top"), [(2, 5), (3, 2), (3, 4), (3, 5), (4, 3), (4, 4)])
def test_the_bound_is_met_by_the_worst_that_may_come(size: int, top: int) -> None:
    """Whatever comes is tried; the player is asked anew after each beginning."""
    shown = Puzzle(blank_terms("strategic_gaming"), size, top, 1, ())

    @cache
    def worst_turns(papers: tuple[int, ...]) -> int:
        if 0 not in papers and list(papers) == sorted(papers):
            return 0
        return 1 + max(worst_turns(write_number(papers, number)) for number in range(1, top + 1))

    ways: dict[tuple[int, ...], tuple[int, ...]] = {(0,) * size: ()}

    def write_number(papers: tuple[int, ...], number: int) -> tuple[int, ...]:
        """Return the papers once the reference player has written a number."""
        way = (*ways[papers], number)
        player = TASK.player(replace(shown, first=way[0]))
        said = next(player)
        for given in way[1:]:
            said = player.send(given)
        written = list(papers)
        written[said.args[0] - 1] = number
        ways.setdefault(tuple(written), way)
        return tuple(written)

    assert worst_turns((0,) * size) == TASK.bound(shown)
