"""Zigzag graph: the monitor against a twin, and the outlook against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.zigzag_graph import TASK, Puzzle, State, ZigzagGraph
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Luck


class Twin:
    """Case N.63; the token is placed by the other side, or by the player if `first` is 0."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        n = row["size"]
        self.edges: dict[frozenset[int], int] = {}
        for number, weight in enumerate(row["weights"]):
            i, j = divmod(number, n)
            self.edges[frozenset((i + 1, n + j + 1))] = weight
        self.nodes = set(range(1, 2 * n + 1))
        self.token: int | None = row["first"] or None
        self.seen = {self.token}
        self.last: int | None = None

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 1:
            return INVALID
        if choice[0] not in self._legal_nodes(-1):
            self.has_won = False
            return INVALID
        self._move_token(choice[0])
        moves = self._legal_nodes(1)
        if not moves:
            self.has_won = True
            return ""
        return {str(node) for node in moves}

    def note_answer(self, text: str) -> None:
        self._move_token(int(text))
        if not self._legal_nodes(-1):
            self.has_won = False

    def _legal_nodes(self, sign: int) -> set[int]:
        if self.token is None:
            return self.nodes
        return {
            node
            for node in self.nodes - self.seen
            for weight in [self.edges.get(frozenset((node, self.token)))]
            if weight and (self.last is None or sign * weight > sign * self.last)
        }

    def _move_token(self, node: int) -> None:
        self.last = self.edges[frozenset((node, self.token))] if self.token else None
        self.token = node
        self.seen.add(node)


def test_a_fault_is_found() -> None:
    class Faulty(ZigzagGraph):
        """A player that cannot move wins."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            after = super().step(puzzle, state, said, luck)
            return State(after.way, True if after.won is False else after.won)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_player_can_place_the_token() -> None:
    compare_games(TASK, Twin, levels=(1, 2), transcripts=300, published=True)


@pytest.mark.parametrize(("size", "first"), [(2, 1), (3, 4), (4, 2), (4, 0)])
def test_the_outlook_is_that_of_minimax(size: int, first: int) -> None:
    """In every state that can be reached: won exactly where a win can be forced, and in time."""
    seen: dict[bool, int] = {True: 0, False: 0}
    for number in range(6):
        weights = np.random.default_rng((size, first, number)).permutation(size * size) + 1
        terms = blank_terms("strategic_gaming")
        puzzle = Puzzle(terms, size, tuple(map(int, weights)), first, "random")

        @cache
        def turns_to_win(way: tuple[int, ...], puzzle: Puzzle = puzzle) -> float:
            """Return within how many turns the player surely wins."""
            best = float("inf")
            for node in range(1, 2 * size + 1):
                said = Command("choice", (node,))
                if TASK.legal(puzzle, State(way), said):
                    continue
                follow = TASK.list_outcomes(puzzle, State(way), said)
                needs = [
                    turns_to_win(after.way)
                    if after.won is None
                    else 0
                    if after.won
                    else float("inf")
                    for after in follow
                ]
                best = min(best, 1 + max(needs))
            if way:
                found = TASK.turns_to_force_win(puzzle, State(way))
                seen[found is not None] += 1
                assert (found is not None) == (best < float("inf"))
                assert found is None or found >= best
            return best

        assert (turns_to_win(TASK.start(puzzle).way) < float("inf")) == bool(first)
    assert seen[True] and (seen[False] or size < 4)


def test_a_sure_win_is_kept_against_the_best() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=2, opponent="optimal"), 3):
        assert puzzle.terms.bound == 10 and puzzle.terms.guarantee == "adversarial"


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_the_best_move_is_the_one_that_a_look_at_every_reply_finds(size: int) -> None:
    rng = np.random.default_rng(size)
    for number in range(60):
        weights = tuple(int(weight) + 1 for weight in rng.permutation(size * size))
        first = 1 + int(rng.integers(2 * size))
        puzzle = Puzzle(blank_terms("strategic_gaming"), size, weights, first, "optimal")
        state: State = TASK.start(puzzle)
        while state.won is None:
            said = TASK.random_command(puzzle, state, rng)
            luck = Luck(size, number, len(state.way))
            after = TASK.step(puzzle, state, said, luck)
            assert after == Duel.step(TASK, puzzle, state, said, luck)
            state = after
