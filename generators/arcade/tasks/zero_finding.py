"""Zero finding: name the k-th zero of a hidden row of zeros and ones, by sums of ranges.

EvolArena, cases N.39 and N.40; the puzzle is Codeforces 1520 F. Positions are 1 to n. The target is
the position of the k-th zero at the start, and never changes. An answer that names another zero
turns it into a one.

The reference player halves the range that contains the target by sums from 1 on: with c candidate
positions it is done within ceil(log2 c) + 1 turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Player,
    QuestionGame,
    QuestionState,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    larger_sizes_deviation,
    number_to_subset,
    several,
    shuffled,
)

LISTED = 10
"""Longest row for metrics of what a player knew."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A row of bits, and the rank of the target among its zeros."""

    length: int = column("how many elements the row has", role="puzzle")
    rank: int = column("which zero is the target, from 1", role="puzzle")
    bits: str = column("the row at the start, zeros and ones", role="secret")


State = QuestionState[str, str]
"""The row now."""


class ZeroFinding(QuestionGame[ArcadeParams, Puzzle, str, str]):
    """A player finds a zero by sums of ranges."""

    name = "arcade/zero_finding"
    version = 4
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: l r"),
        CommandForm("zero", "My Answer: {int}", "My Answer: x"),
        CommandForm("answer", "My Final Answer: {int}", "My Final Answer: x"),
    )
    lucky = blind_limits({1: 0.2}, "nine of fifty positions can be named one by one")
    # The rank makes some positions more likely.
    unread = 0.4
    spare = (2, 1, 0)
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 6, 2, "101101"),
        (
            Command("query", (4, 6)),
            Command("zero", (5,)),
            Command("zero", (2,)),
            Command("query", (1, 2)),
            Command("answer", (5,)),
        ),
        "There are 6 elements, and the 2nd zero is looked for.",
    )
    deviations = (
        larger_sizes_deviation("10, 50 and 100 elements", "50, 100 and 200"),
        Deviation(
            "15 turns",
            "as many as halving needs, plus two and one at levels 1 and 2",
            "of ten elements each could be named in turn, and a higher level should forgive less",
            "published=true, or turns=15",
        ),
        Deviation(
            "",
            "the target stays the position of the k-th zero at the start",
            "the text changes only zeros that are not the k-th",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        length = params.level_size(50, 100, 200, 50, paper=(10, 50, 100))
        zeros = draw.deal_card("zeros", _zero_counts(length))
        target = draw.deal_card("target", range(length))
        number = draw.unique_number(f"zeros {zeros}", comb(length - 1, zeros))
        others = ["1"] * (length - 1)
        for place in number_to_subset(number, length - 1, zeros):
            others[place] = "0"
        bits = "".join([*others[:target], "0", *others[target:]])
        rank = bits[: target + 1].count("0")
        puzzle = Puzzle(self.terms(params, draw), length, rank, bits)
        luck = 1 / (length - rank + 1)
        return replace(puzzle, terms=self.terms(params, draw, first_luck=luck))

    def capacity(self, params: ArcadeParams) -> int:
        length = params.level_size(50, 100, 200, 50, paper=(10, 50, 100))
        return min(comb(length - 1, zeros) for zeros in _zero_counts(length))

    def rules(self, puzzle: Puzzle) -> str:
        return (
            f"Find a zero. I hold a hidden row of {puzzle.length} elements, each 0 or 1; positions "
            f"are 1 to {puzzle.length}. Your target is zero number {puzzle.rank}, counted from the "
            "left in the row as it is at the start. It stays the target even if zeros before it "
            "are changed.\n"
            "In each turn you do one of three things.\n"
            "- Query: name two positions l and r, where l is at most r. I say the sum of the "
            "elements at positions l to r, both included, as the row is now.\n"
            "- Answer: name a position that holds a zero other than the target. If it does, I say "
            "Correct, and that zero turns into a 1. If not, I say Incorrect, and nothing changes.\n"
            "- Final answer: name the position of the target. If you are right, you win. If not, I "
            "say Incorrect, and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"{puzzle.length} elements; find zero number {puzzle.rank}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= place <= puzzle.length for place in command.args):
            return f"positions are 1 to {puzzle.length}"
        return (
            "l is greater than r"
            if command.form == "query" and command.args[0] > command.args[1]
            else ""
        )

    def start_state(self, puzzle: Puzzle) -> str:
        return puzzle.bits

    def list_replies(self, puzzle: Puzzle, now: str, command: Command) -> list[tuple[str, str]]:
        if command.form == "query":
            first, last = command.args
            return [(now, str(now.count("1", first - 1, last)))]
        (place,) = command.args
        if place == _target_position(puzzle) or now[place - 1] == "1":
            return [(now, self.verdicts[False])]
        return [(f"{now[: place - 1]}1{now[place:]}", self.verdicts[True])]

    def is_answer_right(self, puzzle: Puzzle, now: str, command: Command) -> bool:
        return command.args[0] == _target_position(puzzle) and now[command.args[0] - 1] == "0"

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        first, last = sorted(place + 1 for place in several(rng, puzzle.length, 2))
        form = ("query", "query", "zero", "answer")[below(rng, 4)]
        return Command(form, (first, last) if form == "query" else (first,))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.length > LISTED:
            return None
        rows = (f"{number:0{shown.length}b}" for number in range(1 << shown.length))
        return (replace(shown, bits=bits) for bits in rows if bits.count("0") >= shown.rank)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw puzzles of the same rank, as `make` distributes them.

        With z zeros besides the target, each of the z + 1 ranks is equally likely.
        """
        zeros = np.array([z for z in _zero_counts(puzzle.length) if z + 1 >= puzzle.rank])
        chances = 1 / (zeros + 1)
        found = []
        for count_of_zeros in rng.choice(zeros, count, p=chances / chances.sum()):
            places = set(shuffled(rng, puzzle.length)[: count_of_zeros + 1])
            bits = "".join("0" if place in places else "1" for place in range(puzzle.length))
            found.append(replace(puzzle, bits=bits))
        return found

    def hidden_target(self, puzzle: Puzzle, state: State) -> int:
        return _target_position(puzzle)

    def bound(self, shown: Puzzle) -> int:
        return (shown.length - shown.rank).bit_length() + 1

    def player(self, shown: Puzzle) -> Player:
        low, high = shown.rank, shown.length
        while low < high:
            middle = (low + high) // 2
            ones = int((yield Command("query", (1, middle))))
            if middle - ones >= shown.rank:
                high = middle
            else:
                low = middle + 1
        yield Command("answer", (low,))


TASK = ZeroFinding()


def _zero_counts(length: int) -> range:
    """Return the possible numbers of zeros besides the target."""
    return range(max(3, length // 10), 7 * length // 10 + 1)


def _target_position(puzzle: Puzzle) -> int:
    """Return the position of the target."""
    place = -1
    for _ in range(puzzle.rank):
        place = puzzle.bits.index("0", place + 1)
    return place + 1
