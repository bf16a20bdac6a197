"""Find the impostors: find which of n players are impostors, by the majorities of threes.

EvolArena, cases N.1 and N.2, algorithms 2 to 4; the puzzle is Codeforces 1617 D. A third to two
thirds of the players are impostors, both ends included. Roles never change. A query names three
players and is answered 0 if most of them are impostors, else 1; an answer names all impostors.

The reference player surely wins within n + 2 turns. Up to 12 players it asks the query that best
splits the candidates; beyond, see facelet.generators.arcade.players.majority_player. With 6 players
it needs the fewest turns of any player: 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Array,
    CandidateArray,
    CandidateSet,
    Command,
    CommandForm,
    Deviation,
    Draw,
    FixedQuestionGame,
    Player,
    QuestionState,
    Sample,
    blank_terms,
    blind_limits,
    column,
    fewer_turns_deviation,
    relay_questions,
    subset_sized,
    subsets_sized,
)
from facelet.generators.arcade.players.majority_player import find_roles
from facelet.generators.arcade.solvers.question_trees import Minimax, QuestionTree, Splitter

SOLVED = 6
"""Players for whom every strategy is searched."""
SPLIT = 12
"""Most players for whom the reference player lists all candidates."""
LISTED = 15
"""Most players for metrics of what a player knew."""
IMPOSTOR = 0


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """Players 1 to n, and the impostors among them."""

    players: int = column("how many players there are", role="puzzle")
    impostors: tuple[int, ...] = column("numbers of the impostors, ascending", role="secret")


State = QuestionState[int, None]


class FindTheImpostors(FixedQuestionGame[ArcadeParams, Puzzle, int]):
    """A player names the impostors by the majorities of threes."""

    name = "arcade/find_the_impostors"
    version = 4
    category = "information_probing"
    verdicts = ("0", "1")
    forms = (
        CommandForm("query", "My Query: {int}, {int}, {int}", "My Query: a, b, c"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: x1, x2, ..., xk"),
    )
    spare = (2, 1, 0)
    lucky = blind_limits({1: 0.2}, "nine of the fifty sets of impostors can be named one by one")
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 3, (2,)),
        (Command("query", (1, 2, 3)), Command("answer", ((1,),)), Command("answer", ((2,),))),
        "There are three players, one or two of them impostors.",
    )
    deviations = (
        fewer_turns_deviation(2, 1),
        Deviation(
            "",
            "the answer is 0 if most are impostors, as in case N.1 and algorithm 3; 1 in "
            "section 3.3",
            "two places and the code against one",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
        Deviation(
            "an illegal query or answer returns -1",
            "it returns the reason, and costs a turn",
            "format and legality are separate",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(6, 9, 12, 3)
        count = self.capacity(params)
        number = draw.unique_number("impostors", count)
        chosen = subset_sized(number, size, _impostor_counts(size))
        impostors = tuple(player + 1 for player in chosen)
        return Puzzle(self.terms(params, draw, first_luck=1 / count), size, impostors)

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(6, 9, 12, 3)
        return subsets_sized(size, _impostor_counts(size))

    def rules(self, puzzle: Puzzle) -> str:
        low, high = puzzle.players // 3, 2 * puzzle.players // 3
        return (
            f"Find the impostors. There are {puzzle.players} players, numbered 1 to "
            f"{puzzle.players}. Each of them is an impostor or a crewmate, and stays so. At least "
            f"{low} and at most {high} of them are impostors.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name three different players. I say 0 if more of the three are impostors "
            "than crewmates, and 1 if more of them are crewmates.\n"
            "- Answer: name all impostors, in any order and each once. If you name all of them and "
            "nobody else, you win. If not, I say 0 and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The players are 1 to {puzzle.players}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        named = command.args if command.form == "query" else command.args[0]
        if not all(1 <= player <= puzzle.players for player in named):
            return f"players are numbered 1 to {puzzle.players}"
        return "" if len(set(named)) == len(named) else "a player is named twice"

    def answer_question(self, puzzle: Puzzle, command: Command) -> int:
        return int(sum(player in puzzle.impostors for player in command.args) < 2)

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return sorted(command.args[0]) == list(puzzle.impostors)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        size = puzzle.players
        if rng.random() < 0.5:
            three = rng.choice(size, 3, replace=False) + 1
            return Command("query", tuple(map(int, three)))
        number = int(rng.integers(subsets_sized(size, _impostor_counts(size))))
        named = subset_sized(number, size, _impostor_counts(size))
        return Command("answer", (tuple(player + 1 for player in named),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.players > LISTED:
            return None
        return (
            Puzzle(shown.terms, shown.players, tuple(int(p) + 1 for p in np.flatnonzero(row)))
            for row in _list_possibilities(shown.players)
        )

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        if puzzle.players > LISTED:
            return None
        hidden = _list_possibilities(puzzle.players)
        truth = int(
            (hidden == _players_to_flags(puzzle.players, puzzle.impostors)).all(axis=1).argmax()
        )
        return CandidateArray(hidden, truth, _apply_command)

    def bound(self, shown: Puzzle) -> int:
        return 7 if shown.players == SOLVED else shown.players + 2

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown) if shown.players == SOLVED else None

    def player(self, shown: Puzzle) -> Player:
        if shown.players > SPLIT:
            roles = yield from relay_questions(
                find_roles(shown.players), lambda three: Command("query", three)
            )
            yield Command("answer", (tuple(p for p in sorted(roles) if roles[p] == IMPOSTOR),))
            return
        tree, node = _question_tree(shown.players), _question_tree(shown.players).root
        threes, possible = _list_queries(shown.players), _list_possibilities(shown.players)
        while True:
            if node.question < 0:
                yield Command(
                    "answer", (tuple(int(p) + 1 for p in possible[node.name].nonzero()[0]),)
                )
                node = tree.follow_wrong_name(node)
            else:
                three = threes[node.question]
                heard = yield Command("query", tuple(player + 1 for player in three))
                node = tree.follow_answer(node, heard)


TASK = FindTheImpostors()


def _impostor_counts(players: int) -> range:
    """Return the possible numbers of impostors."""
    return range(-(-players // 3), 2 * players // 3 + 1)


# --- candidates ----------------------------------------------------------------------------------


@cache
def _list_possibilities(players: int) -> Array:
    """Return all sets of impostors as flags, a row each, shape (C, players)."""
    flags = np.arange(1 << players)[:, None] >> np.arange(players) & 1
    count = flags.sum(axis=1)
    low, high = _impostor_counts(players)[0], _impostor_counts(players)[-1]
    possible: Array = flags[(low <= count) & (count <= high)].astype(np.bool_)
    return possible


@cache
def _list_queries(players: int) -> list[tuple[int, ...]]:
    """Return all queries; players count from 0."""
    return list(combinations(range(players), 3))


@cache
def _question_tree(players: int) -> QuestionTree:
    possible, threes = _list_possibilities(players), np.array(_list_queries(players))
    table = (possible[:, threes].sum(axis=2) < 2).T.astype(np.uint8)
    return Minimax(table) if players == SOLVED else Splitter(table)


def _players_to_flags(players: int, named: tuple[int, ...]) -> Array:
    flags = np.zeros(players, dtype=np.bool_)
    flags[np.array(named, dtype=np.int64) - 1] = True
    return flags


def _apply_command(possible: Array, command: Command) -> tuple[Array, Array]:
    """Return the reply to a command under each possibility, and the possibilities."""
    if command.form == "answer":
        return (possible == _players_to_flags(possible.shape[1], command.args[0])).all(
            axis=1
        ), possible
    three = np.array(command.args) - 1
    return possible[:, three].sum(axis=1) < 2, possible
