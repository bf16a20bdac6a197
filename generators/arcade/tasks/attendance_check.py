"""Attendance check: find the absent student by counts of raised hands that are sometimes wrong.

EvolArena, cases N.25 and N.26; the puzzle is Codeforces 1924 F. One of the students 1 to n is
absent. A query names students l to r and is answered r - l + 1 (all present) or r - l (one
missing). No three answers in a row are honest, and no three are dishonest. While both are allowed,
each has probability one half. Two candidates can never be told apart for sure, so a player may give
two answers.

For each student the reference player knows how the last answers were if that student is absent:
honest or dishonest, and how many in a row. Ranges may include students that are ruled out, so only
the remaining ones matter, and with few left all strategies are searched. Before that, the reference
player asks the query that leaves the least weight, where the weight of a student is the long-run
number of its answer sequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, product

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
    blank_terms,
    blind_limits,
    column,
    larger_sizes_deviation,
    level_param,
)
from facelet.generators.arcade.solvers.retrograde_analysis import (
    LOST,
    WON,
    GameEnd,
    Solution,
    solve_positions,
)

SOLVED = 4
"""Most candidates for which every strategy is searched."""
ANSWERS = 2
"""Answers that a player may give."""

# Knowledge of a student: 0 no answer yet, 1 or 2 honest answers in a row, 3 or 4 for one or two
# dishonest answers in a row, -1 not absent.
HONEST = (1, 2, -1, 1, 1)
DISHONEST = (3, 3, 3, 4, -1)
WEIGHT = (2000, 1618, 1000, 1618, 1000, 0)

Known = tuple[int, ...]
Position = tuple[Known, int]
"""The knowledge of each candidate, and the answers left."""
Choice = tuple[int, int]
"""The first and the last student of a range, from 0; or a student to name, and -1."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The number of students, the number of answers, and the absent student."""

    students: int = column("how many students there are", role="puzzle")
    answers: int = column("answers that may be given, the right one included", role="puzzle")
    absent: int = column("the absent student, from 1", role="secret")


State = QuestionState[int, int]
"""The run of the last answers; see HONEST."""


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(40)


class AttendanceCheck(QuestionGame[Params, Puzzle, int, int]):
    """A player finds the absent student by counts that are honest or dishonest."""

    name = "arcade/attendance_check"
    version = 3
    fixed = 0.12
    spare = (2, 1, 0)
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: l r"),
        CommandForm("answer", "My Answer: {int}", "My Answer: a"),
    )
    by_luck = True
    lucky = blind_limits({1: 0.3, 2: 0.2}, "two answers name two of the few students")
    unread = 0.4
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation", seed="example"), 4, ANSWERS, 2),
        (
            Command("query", (1, 3)),
            Command("query", (3, 4)),
            Command("answer", (1,)),
            Command("answer", (2,)),
        ),
        "There are students 1 to 4, and student 2 is absent.",
    )
    deviations = (
        larger_sizes_deviation(
            "5 to 9, 10 to 14 and 15 to 20 students", "10 to 14, 16 to 20 and 24 to 28"
        ),
        Deviation(
            "",
            f"{ANSWERS} answers in all; the second wrong one loses",
            "one is not enough, because two students can never surely be told apart; with 15, "
            "all of 14 students could be named",
            "published=true, with as many answers as turns",
        ),
        Deviation(
            "",
            "honesty is drawn evenly while both are allowed",
            "the published code draws it at random",
        ),
        Deviation(
            "",
            "an answer between two queries does not separate them",
            "nobody raises hands for it",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        number = draw.unique_number("absent", self.capacity(params))
        for students in _student_counts(params):
            if number < students:
                break
            number -= students
        terms = self.terms(params, draw, first_luck=1 / students)
        answers = max(params.turns, 15) if params.published else ANSWERS
        return Puzzle(terms, students, answers, number + 1)

    def capacity(self, params: Params) -> int:
        return sum(_student_counts(params))

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.students
        return (
            f"Find the absent student. There are {size} students, numbered 1 to {size}, and "
            "exactly one of them is absent all the time.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name two students l and r, where l is at most r. Those from l to r, both "
            "included, are asked to raise a hand, and I say how many hands there are. It is always "
            "r - l + 1, as if all were there, or r - l, as if one was missing. If that is so, the "
            "students were honest; if not, they were dishonest. They are never honest in three "
            "queries in a row, and never dishonest in three queries in a row. Nothing else is sure "
            "of them. Answers of yours between queries make no difference to that.\n"
            "- Answer: name the student who is absent. If you are right, you win. If not, I say "
            f"Incorrect. You may answer at most {puzzle.answers} times: if the last of these "
            "answers is wrong, you lose.\n"
            "You also lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The students are 1 to {puzzle.students}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= student <= puzzle.students for student in command.args):
            return f"students are 1 to {puzzle.students}"
        return (
            "l is greater than r"
            if command.form == "query" and command.args[0] > command.args[1]
            else ""
        )

    def start_state(self, puzzle: Puzzle) -> int:
        return 0

    def list_replies(self, puzzle: Puzzle, now: int, command: Command) -> list[tuple[int, int]]:
        first, last = command.args
        honest = last - first + (not first <= puzzle.absent <= last)
        other = 2 * (last - first) + 1 - honest
        after = (HONEST[now], honest), (DISHONEST[now], other)
        return [(known, heard) for known, heard in after if known >= 0]

    def is_answer_right(self, puzzle: Puzzle, now: int, command: Command) -> bool:
        return bool(command.args[0] == puzzle.absent)

    def wrong_answer_limit(self, puzzle: Puzzle) -> int:
        return puzzle.answers

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        first, last = sorted(int(student) + 1 for student in rng.integers(puzzle.students, size=2))
        return (
            Command("answer", (first,)) if rng.random() < 0.25 else Command("query", (first, last))
        )

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        return (replace(shown, absent=student) for student in range(1, shown.students + 1))

    def bound(self, shown: Puzzle) -> int:
        return _longest_play(((0,) * shown.students, ANSWERS))

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return _fewest_turns(shown.students)

    def player(self, shown: Puzzle) -> Player:
        alive = list(range(1, shown.students + 1))
        position = ((0,) * shown.students, ANSWERS)
        while alive:
            first, last = _choose_action(position)
            if last < 0:
                yield Command("answer", (alive.pop(first),))
                position = _learn_from_wrong_name(position, first)
                continue
            heard = yield Command("query", (alive[first], alive[last]))
            after = _learn_from_query(position, first, last, heard == alive[last] - alive[first])
            alive = [student for student, known in zip(alive, after, strict=True) if known >= 0]
            position = (tuple(known for known in after if known >= 0), position[1])


TASK = AttendanceCheck()


def _fewest_students(params: Params) -> int:
    """Return the least number of students."""
    return params.level_size(10, 16, 24, 4, paper=(5, 10, 15))


def _student_counts(params: Params) -> range:
    """Return the numbers of students of a level."""
    return range(_fewest_students(params), params.level_size(14, 20, 28, 4, paper=(9, 14, 20)) + 1)


def _learn_from_query(position: Position, first: int, last: int, missing: bool) -> Known:
    """Return the knowledge of each student after a query; -1 for students that are ruled out.

    Args:
        position: the position before.
        first: the first student of the range, as a number among the candidates.
        last: the last one.
        missing: whether the answer reported a missing student.
    """
    return tuple(
        (HONEST if (first <= place <= last) == missing else DISHONEST)[known]
        for place, known in enumerate(position[0])
    )


def _learn_from_wrong_name(position: Position, place: int) -> Position:
    """Return the position after a wrong answer."""
    known, answers = position
    return (known[:place] + known[place + 1 :], answers - 1)


def _list_successors(position: Position, choice: Choice) -> list[Position]:
    """Return the positions that may follow a choice, without the end of the game."""
    first, last = choice
    if last < 0:
        return [_learn_from_wrong_name(position, first)] if len(position[0]) > 1 else []
    found = []
    for missing in (False, True):
        after = tuple(k for k in _learn_from_query(position, first, last, missing) if k >= 0)
        found += [(after, position[1])] if after else []
    return found


@lru_cache(maxsize=1 << 20)
def _choose_action(position: Position) -> Choice:
    """Return the reference player's choice."""
    known, answers = position
    if len(known) <= answers:
        return 0, -1
    if len(known) <= SOLVED and 0 not in known:
        return _list_choices(len(known))[_solve_game().choice[position]]
    # Weight after "one is missing", less that after "all are there", for each range.
    total = sum(WEIGHT[HONEST[k]] - WEIGHT[DISHONEST[k]] for k in known)
    sums = [0, *accumulate(WEIGHT[HONEST[k]] - WEIGHT[DISHONEST[k]] for k in known)]
    table = np.array(sums)
    uneven = np.abs(2 * (table[None, 1:] - table[:-1, None]) - total)
    uneven[np.tril_indices(len(known), -1)] = np.iinfo(np.int64).max
    first, last = divmod(int(uneven.argmin()), len(known))
    return first, last


@lru_cache(maxsize=1 << 20)
def _longest_play(position: Position) -> int:
    """Return the most turns of the reference player, by following all its plays."""
    choice = _choose_action(position)
    return 1 + max(
        (_longest_play(after) for after in _list_successors(position, choice)), default=0
    )


# --- few students ---------------------------------------------------------------------------------


@cache
def _list_choices(count: int) -> list[Choice]:
    """Return all choices with this many candidates."""
    ranges = [(first, last) for first in range(count) for last in range(first, count)]
    return [*ranges, *((place, -1) for place in range(count))]


def _list_outcomes(position: Position) -> list[list[Position | GameEnd]]:
    """Return the outcomes of each choice."""
    count = len(position[0])
    found: list[list[Position | GameEnd]] = []
    for choice in _list_choices(count):
        follow: list[Position | GameEnd] = list(_list_successors(position, choice))
        if choice[1] < 0 and count > 1 and position[1] == 1:
            follow = [LOST]
        found.append(follow or [WON])
    return found


@cache
def _solve_game() -> Solution[Position]:
    """Solve all positions with at most SOLVED candidates."""
    starts: Sequence[Known] = [
        k for n in range(1, SOLVED + 1) for k in product((1, 2, 3, 4), repeat=n)
    ]
    return solve_positions([(known, ANSWERS) for known in starts], _list_outcomes)


@cache
def _fewest_turns(students: int) -> int | None:
    """Return the fewest turns within which some player surely wins; None if not searched."""
    if students > SOLVED + 1:
        return None
    start = ((0,) * students, ANSWERS)
    return solve_positions([start], _list_outcomes).turns[start]
