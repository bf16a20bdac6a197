"""Paper numbering: write numbers on papers as they come, until the papers are in order.

EvolArena, cases N.69 and N.70; the puzzle is Codeforces 896 B. There are n papers and numbers 1 to
c. Each round brings a number that has to be written on some paper, and replaces its number.

The reference player writes the lower half of the numbers from the left and the upper half from the
right: a low number on the first paper that is empty or has a higher one, a high number on the last
paper that is empty or has a lower one. A paper is written on at most ceil(c / 2) times, since its
number falls, or rises, within one half. When the last empty paper is filled, all are in order. So
(n - 1) ceil(c / 2) + 1 rounds suffice for any numbers; a test finds a sequence that needs them
all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    ErrorPrice,
    Luck,
    Player,
    Sample,
    blank_terms,
    blind_limits,
    column,
)

TOPS = (5, 6, 7, 8)
"""The highest numbers of puzzles."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The papers, and the numbers of all rounds."""

    size: int = column("how many papers there are", role="puzzle")
    top: int = column("the highest number", role="puzzle")
    first: int = column("the first number", role="puzzle")
    later: tuple[int, ...] = column(
        "the numbers that follow; after the last they begin again", role="secret"
    )


@dataclass(frozen=True, slots=True)
class State:
    """The numbers on the papers, 0 for none; the number to write now; the rounds before it."""

    papers: tuple[int, ...]
    given: int
    rounds: int = 0


class PaperNumbering(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player orders papers by writing numbers as they come."""

    name = "arcade/paper_numbering"
    version = 3
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int}", "My Choice: X"),)
    illegal = ErrorPrice("end")
    # With 5 papers a random list is sometimes in order: a random player wins 1 in 8.
    lucky = blind_limits(
        {1: 0.35}, "of five papers a list that looks at no number is in order at times"
    )
    unread = 0.3
    sample = Sample(
        Puzzle(blank_terms("strategic_gaming"), 3, 4, 3, (1, 4, 2)),
        (Command("choice", (2,)), Command("choice", (1,)), Command("choice", (3,))),
        "There are 3 papers, numbers are 1 to 4, and the first number is 3.",
    )
    deviations = (
        Deviation(
            "",
            "numbers go up to 5, 6, 7 or 8, with as many rounds as surely suffice",
            "with fewer, the drawn numbers decide whether the game can be won",
            "published=true: 15 rounds, or twice the papers if that is more",
        ),
        Deviation(
            "",
            "each later number comes with the state of the papers",
            "the player need not keep the books",
        ),
        Deviation(
            "",
            "an illegal move loses; a reply without a move costs a round, and the number stays",
            "the paper covers only illegal moves",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size, top = params.level_size(5, 10, 15, 5), draw.deal_card("top", TOPS)
        coming = draw.rng.integers(1, top + 1, size=_sufficient_rounds(size, max(TOPS)))
        first, *later = map(int, coming)
        return Puzzle(self.terms(params, draw), size, top, first, tuple(later))

    def turn_limit(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        if params.published:
            return max(TURNS, 2 * shown.size)
        return super().turn_limit(params, shown, bound)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Paper numbering. {size} blank papers lie in a line, numbered 1 to {size} from left "
            f"to right. In each turn I give you a number, 1 to {puzzle.top}. You choose a paper, "
            "and the number is written on it; if there is a number on it already, the new one "
            "replaces it.\n"
            "You win as soon as every paper has a number and no number is less than the one to "
            "its left. You lose if that has not happened by the end of your last turn.\n"
            "After each of your choices I show the papers, _ for a blank one, and give you the "
            "next number. Numbers may come more than once."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The first number is {puzzle.first}."

    def start(self, puzzle: Puzzle) -> State:
        return State((0,) * puzzle.size, puzzle.first)

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        return "" if 1 <= command.args[0] <= puzzle.size else f"papers are 1 to {puzzle.size}"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        papers = list(state.papers)
        papers[command.args[0] - 1] = state.given
        given = puzzle.later[state.rounds % len(puzzle.later)]
        return State(tuple(papers), given, state.rounds + 1)

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.given

    def describe_last_reply(self, puzzle: Puzzle, state: State) -> str:
        shown = " ".join(str(number) if number else "_" for number in state.papers)
        return f"Papers: {shown}\nNext number: {state.given}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        papers = state.papers
        ordered = 0 not in papers and all(left <= right for left, right in pairwise(papers))
        return True if ordered else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("choice", (1 + int(rng.integers(puzzle.size)),))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        numbers = rng.integers(1, puzzle.top + 1, size=(count, len(puzzle.later)))
        return [replace(puzzle, later=tuple(map(int, row))) for row in numbers]

    def bound(self, shown: Puzzle) -> int:
        return _sufficient_rounds(shown.size, shown.top)

    def player(self, shown: Puzzle) -> Player:
        papers, given = [0] * shown.size, shown.first
        while True:
            if 2 * given <= shown.top + 1:
                places = range(shown.size)
                place = next(p for p in places if not papers[p] or papers[p] > given)
            else:
                places = range(shown.size)[::-1]
                place = next(p for p in places if papers[p] < given)
            papers[place] = given
            given = yield Command("choice", (place + 1,))


TASK = PaperNumbering()


def _sufficient_rounds(size: int, top: int) -> int:
    """Return the rounds that suffice for any numbers."""
    return (size - 1) * ((top + 1) // 2) + 1
