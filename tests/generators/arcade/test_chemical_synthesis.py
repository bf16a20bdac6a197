"""Chemical synthesis: the monitor against a twin, and how often operations go another way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.tasks import chemical_synthesis
from facelet.generators.arcade.tasks.chemical_synthesis import TASK, ChemicalSynthesis, Step
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.text_game import Luck


def swap_letters(word: str, i: int, j: int) -> str:
    letters = list(word)
    letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


class Twin:
    """Case N.57, with a list of all that may come of each operation."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.target, self.order = row["target"], row["order"]
        self.pool, self.twice = list(row["compounds"]), row["twice"]

    def possible_results(self, kind: str, named: list[str]) -> list[list[str]]:
        word = "".join(named)
        near = [[swap_letters(word, k, k + 1)] for k in range(len(word) - 1)]
        if kind == "M":
            return [[word], *near]
        if kind == "W":
            again = [
                [swap_letters(once, k, k + 1)] for (once,) in near for k in range(len(word) - 1)
            ]
            return [[swap_letters(word, 0, -1)], *near, *(again if self.twice else [])]
        if kind == "S":
            return [[word[:k], word[k:]] for k in range(1, len(word))]
        return [[letter] for letter in word]

    def answer_line(self, line: str) -> Any:
        found = re.fullmatch(r"My Move: ([A-Za-z]+)(?: ([A-Za-z]+))? (-?\d+)", line.strip())
        if not found or found[3] not in ("1", "2", "3", "4"):
            return INVALID
        named = [word for word in found.groups()[:2] if word]
        if any(word not in self.pool for word in named):
            return INVALID
        if len(named) == 2 and len("".join(named)) > 2 * len(self.target):
            return INVALID
        kind = self.order[int(found[3]) - 1]
        if (kind == "M") != (len(named) == 2) or (kind != "M" and len(named[0]) == 1):
            return "Wrong type"
        return {self.format_products(made) for made in self.possible_results(kind, named)}

    def format_products(self, made: list[str]) -> str:
        pool = self.pool + [word for k, word in enumerate(made) if word not in made[:k]]
        return "Available: " + ", ".join(
            word for k, word in enumerate(pool) if word not in pool[:k]
        )

    def note_answer(self, text: str) -> None:
        self.pool = text.removeprefix("Available: ").split(", ")
        if self.target in self.pool:
            self.has_won = True


def test_as_published_it_is_as_printed() -> None:
    compare_games(TASK, Twin, transcripts=600, published=True)


def test_a_fault_is_found() -> None:
    class Faulty(ChemicalSynthesis):
        """What is taken out of a compound cannot be used."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            after = super().step(puzzle, state, said, luck)
            return state if puzzle.order[said.args[-1] - 1] == "E" else after

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_one_operation_in_five_goes_another_way() -> None:
    """Of MERGE, whose usual result is none of the others here."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=3), 1)
    first, second = puzzle.compounds[:2]
    said = Command("pair", (first, second, puzzle.order.index("M") + 1))
    state = TASK.start(puzzle)
    results = [TASK.step(puzzle, state, said, Luck("merge", k)).compounds[-1] for k in range(2000)]
    usual = sum(result == first + second for result in results)
    assert abs(usual / 2000 - 0.8) < 0.04
    assert len(set(results)) == len(first + second)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_targets_need_three_operations_at_least(level: int) -> None:
    """All ways of two usual operations are tried."""
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 6):
        twin = Twin({"target": puzzle.target, "order": "SMWE", "compounds": [], "twice": False})

        def next_pools(pool: frozenset[str], twin: Twin = twin) -> set[frozenset[str]]:
            found = {pool | {a + b} for a in pool for b in pool}
            for word in pool:
                if len(word) > 1:
                    found |= {pool | set(twin.possible_results(kind, [word])[0]) for kind in "SW"}
                    found.add(pool | {word[-1]})
            return found

        once = next_pools(frozenset(puzzle.compounds))
        twice = {pool for first in once for pool in next_pools(first)}
        assert not any(puzzle.target in pool for pool in once | twice)


def ways_to_part(made: Mapping[str, list[Step]], target: str) -> list[Step] | None:
    """Every way to a part of the target, the shortest first."""
    best: dict[int, list[Step]] = {0: []}
    for end in range(1, len(target) + 1):
        found: list[list[Step]] = []
        for start in range(end):
            piece = target[start:end]
            if start in best and piece in made:
                merge: list[Step] = [("M", (target[:start], piece))] if start else []
                steps = best[start] + [step for step in made[piece] if step not in best[start]]
                found.append(steps + merge)
        if found:
            best[end] = min(found, key=len)
    return best.get(len(target))


def test_the_steps_to_a_target_are_those_of_a_look_at_every_way() -> None:
    for number in range(60):
        rng = make_generator("steps", number)
        letters = "ABCDEFG"[: int(rng.integers(3, 8))]
        mixed = ["".join(letters[k] for k in rng.permutation(len(letters))) for _ in range(3)]
        made = chemical_synthesis._derive_compounds([mixed[0][:3], mixed[1][2:], mixed[1][:2]])
        assert chemical_synthesis._join_pieces(made, mixed[2]) == ways_to_part(made, mixed[2])
