"""Find the impostors: the monitor against a twin, and the reference players against everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.params import ArcadeParams
from facelet.generators.arcade.players.majority_player import find_roles
from facelet.generators.arcade.solvers.question_trees import (
    QuestionNode,
    QuestionTree,
    Splitter,
    longest_play,
)
from facelet.generators.arcade.tasks import find_the_impostors as module
from facelet.generators.arcade.tasks.find_the_impostors import TASK, FindTheImpostors


class Twin:
    """Case N.1: 0 if there are more impostors than crewmates among the three, else 1."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.roles = "".join(
            "0" if player in row["impostors"] else "1" for player in range(1, row["players"] + 1)
        )

    def answer_line(self, line: str) -> str:
        query = line_numbers(line, "My Query:")
        named = query or line_numbers(line, "My Answer:")
        if named is None or (query and len(query) != 3):
            return INVALID
        if any(not 1 <= player <= len(self.roles) for player in named):
            return INVALID
        if any(named.count(player) > 1 for player in named):
            return INVALID
        if query:
            roles = [self.roles[player - 1] for player in query]
            return "0" if roles.count("0") > roles.count("1") else "1"
        guess = ["0" if player + 1 in named else "1" for player in range(len(self.roles))]
        if "".join(guess) != self.roles:
            return "0"
        self.has_won = True
        return "1"


def test_a_fault_is_found() -> None:
    class Faulty(FindTheImpostors):
        """It takes three impostors of three for no majority."""

        def answer_question(self, puzzle: Any, said: Any) -> int:
            return (
                1
                if set(said.args) <= set(puzzle.impostors)
                else super().answer_question(puzzle, said)
            )

    with pytest.raises(AssertionError, match="twin: '0'"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_player_wins_against_all_that_is_possible(level: int) -> None:
    """The bound is exact: some roles take so many turns, and none takes more."""
    (puzzle,) = make_puzzles(TASK, ArcadeParams(level=level), 1)
    turns = []
    for other in TASK.list_candidates(TASK.without_hidden(puzzle)) or ():
        said, won = TASK.play_reference(other)
        assert won
        turns.append(len(said))
    assert len(turns) == {1: 50, 2: 420, 3: 3498}[level]
    assert max(turns) == TASK.bound(puzzle) == {1: 7, 2: 11, 3: 14}[level]


@pytest.mark.parametrize("players", [6, 9, 12])
def test_the_player_for_many_wins_against_all_that_is_possible(players: int) -> None:
    asked = []
    for row in module._list_possibilities(players):
        roles = [0 if impostor else 1 for impostor in row]
        asking = find_roles(players)
        three = next(asking)
        for count in range(1, players + 2):
            try:
                three = asking.send(int(sum(roles[player - 1] for player in three) > 1))
            except StopIteration as done:
                assert [done.value[player] for player in range(1, players + 1)] == roles
                asked.append(count)
                break
        else:
            raise AssertionError(f"{roles} took more than {players + 1} queries")
    assert max(asked) == players + 1


def worst_case_turns(tree: QuestionTree) -> int:
    """Return the most turns of a player, the naming included, by growing its whole tree."""

    def list_children(node: QuestionNode) -> list[QuestionNode]:
        if node.question < 0:
            return [tree.follow_wrong_name(node)] if len(node.alive) > 1 else []
        answers = np.unique(tree.table[node.question, node.alive])
        return [tree.follow_answer(node, int(answer)) for answer in answers]

    return longest_play(tree.root, list_children)


def test_no_player_needs_fewer_turns_for_six() -> None:
    """Minimax over every strategy: 7 turns, where splitting evenly takes 8."""
    tree = module._question_tree(6)
    assert worst_case_turns(tree) == 7
    assert worst_case_turns(Splitter(tree.table)) == 8
