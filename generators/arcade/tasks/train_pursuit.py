"""Train pursuit: name the station of a train that moves on after every query.

EvolArena, cases N.37 and N.38; the puzzle is Codeforces 1039 B. Stations 1 to n form a circle.
After each query the train moves on by 0 to k stations, each equally likely. Answers do not make it
move, and their number is limited.

Queries alone can never surely narrow the train down to fewer than 2k + 1 stations: a query leaves
half of b stations, and the move adds k. But the train stands still while stations are named. So
2k + 1 answers surely find it. The reference player halves an arc of stations until naming the rest
is fastest; where all sets of stations can be searched, a test shows that no player needs fewer
turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

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
)
from facelet.generators.arcade.solvers.retrograde_analysis import (
    LOST,
    WON,
    GameEnd,
    solve_positions,
)

SOLVED = 7
"""Most stations for which every strategy is searched."""
SMALL = 5
"""Most stations at which a puzzle may allow one more answer, or there would be few puzzles."""

Belief = tuple[int, int]
"""Possible stations of the train, as a mask, and the answers left."""
Kind = tuple[int, int, int]
"""Stations, speed and answers."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The railway, the speed of the train, the number of answers, and where the train starts."""

    stations: int = column("how many stations there are", role="puzzle")
    speed: int = column("most stations that the train goes on after a query", role="puzzle")
    answers: int = column("answers that may be given, the right one included", role="puzzle")
    station: int = column("where the train is at the start, from 1", role="secret")


State = QuestionState[str, int]
"""Where the train is."""


class TrainPursuit(QuestionGame[ArcadeParams, Puzzle, str, int]):
    """A player finds a moving train by queries about arcs."""

    name = "arcade/train_pursuit"
    version = 5
    spare = (4, 1, 0)
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: l r"),
        CommandForm("answer", "My Answer: {int}", "My Answer: x"),
    )
    by_luck = True
    lucky = blind_limits(
        {1: 0.2, 2: 0.2}, "the answers that make the game winnable name some of its stations"
    )
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation", seed="example"), 6, 1, 3, 1),
        (
            Command("query", (1, 3)),
            Command("query", (2, 4)),
            Command("answer", (3,)),
            Command("answer", (2,)),
        ),
        "There are 6 stations, the train goes on by 0 or 1, and 3 answers may be given.",
    )
    deviations = (
        Deviation(
            "",
            "2k + 1 answers in all; the last wrong one loses",
            "with fewer nothing is sure; with one for each station they could be named in turn",
            "published=true, with as many answers as turns",
        ),
        Deviation(
            "",
            "the train stays after a wrong answer",
            "the text moves it after each query; otherwise the game can never surely be won",
        ),
        Deviation(
            "",
            "the train moves by 0 to k, evenly, as in the text; always by k in the published "
            "monitor",
            "the text has priority",
        ),
        Deviation(
            "n is at most 5, 6 or 7, 8 or 9",
            "14 or 15, 24 or 25, 44 or 45; k is 0 or 1",
            "the paper gives no k; in smaller ones the answers name many of all stations",
            "published=true, with 4 or 5, 6 or 7, 8 or 9",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        kinds = _list_puzzle_kinds(_station_count(params))
        number = draw.unique_number("train", self.capacity(params))
        place = 0
        while number >= kinds[place][0]:
            number -= kinds[place][0]
            place += 1
        stations, speed, answers = kinds[place]
        terms = self.terms(params, draw, first_luck=1 / stations)
        if params.published:
            answers = max(
                params.turns, self.turn_limit(params, Puzzle(terms, *kinds[place], 0), None)
            )
        return Puzzle(terms, stations, speed, answers, number + 1)

    def capacity(self, params: ArcadeParams) -> int:
        return sum(kind[0] for kind in _list_puzzle_kinds(_station_count(params)))

    def rules(self, puzzle: Puzzle) -> str:
        size, speed, answers = puzzle.stations, puzzle.speed, puzzle.answers
        times = (
            f"at most {answers} times: if the last of these answers"
            if answers > 1
            else "once: if it"
        )
        miss = "I say Incorrect, and the train stays where it is"
        goes = (
            "After that the train goes on, in the direction of growing numbers, by "
            f"{_format_speed(speed)} stations, each as likely; it is drawn anew "
            "each time, and I do not "
            "tell."
            if speed
            else "The train does not move."
        )
        return (
            f"Find a train. It is at one of {size} stations, numbered 1 to {size} along a circle: "
            f"after station {size} comes station 1.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name two stations l and r, where l is at most r. I say Yes if the train is "
            f"at one of the stations l to r, both included, and No if not. {goes}\n"
            "- Answer: name the station where the train is now. If you are right, you win. If not, "
            f"{miss}. You may answer {times} is wrong, you lose.\n"
            "You also lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        goes = (
            f"goes on by {_format_speed(puzzle.speed)} after each query"
            if puzzle.speed
            else "stands still"
        )
        return (
            f"{puzzle.stations} stations; the train {goes}; answers that you may give: "
            f"{puzzle.answers}. Give your first command."
        )

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= station <= puzzle.stations for station in command.args):
            return f"stations are 1 to {puzzle.stations}"
        return (
            "l is greater than r"
            if command.form == "query" and command.args[0] > command.args[1]
            else ""
        )

    def start_state(self, puzzle: Puzzle) -> int:
        return puzzle.station

    def list_replies(self, puzzle: Puzzle, now: int, command: Command) -> list[tuple[int, str]]:
        heard = "Yes" if command.args[0] <= now <= command.args[1] else "No"
        gone = range(puzzle.speed + 1)
        return [((now - 1 + stations) % puzzle.stations + 1, heard) for stations in gone]

    def wrong_answer_limit(self, puzzle: Puzzle) -> int:
        return puzzle.answers

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        first, last = sorted(int(station) + 1 for station in rng.integers(puzzle.stations, size=2))
        return (
            Command("answer", (first,)) if rng.random() < 0.3 else Command("query", (first, last))
        )

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        return (replace(shown, station=station) for station in range(1, shown.stations + 1))

    def hidden_target(self, puzzle: Puzzle, state: State) -> int:
        return state.now

    def bound(self, shown: Puzzle) -> int | None:
        return _reference_turns(shown.stations, shown.speed, shown.answers)[shown.stations]

    def optimal_turns(self, shown: Puzzle) -> int | None:
        if shown.stations > SOLVED:
            return None
        return _fewest_turns(shown.stations, shown.speed, min(shown.answers, shown.stations))

    def player(self, shown: Puzzle) -> Player:
        size, speed = shown.stations, shown.speed
        needed = _reference_turns(size, speed, shown.answers)
        first, count = 0, size
        while needed[count] < count or count > shown.answers:
            half = count // 2
            # At most one of two arcs contains the step to station 1; ask for the other.
            over = first % size + half > size
            start, length = ((first + half) % size, count - half) if over else (first % size, half)
            heard = yield Command("query", (start + 1, start + length))
            if (heard == "Yes") == over:
                first, left = first + half, count - half
            else:
                left = half
            count = min(size, left + speed)
        yield from (Command("answer", ((first + place) % size + 1,)) for place in range(count))


TASK = TrainPursuit()


def _format_speed(speed: int) -> str:
    """Return the number of stations that a train moves on, in words."""
    return "0 or 1" if speed == 1 else f"0 to {speed}"


def _station_count(params: ArcadeParams) -> int:
    """Return the most stations of a level."""
    return params.level_size(15, 25, 45, 2, paper=(5, 7, 9))


@cache
def _list_puzzle_kinds(most: int) -> tuple[Kind, ...]:
    """Return the kinds of puzzles with this many stations, or one fewer."""
    return tuple(
        (stations, speed, answers)
        for stations in (most - 1, most)
        for speed in range(_top_speed(stations) + 1)
        for answers in (2 * speed + 1, 2 * speed + 2)[: 2 if most <= SMALL else 1]
        if answers < stations
    )


def _top_speed(stations: int) -> int:
    """Return the greatest speed of a train.

    A faster train takes more answers, which name a greater share of few stations. So large railways
    have slow trains, and small ones any, or there would be too few puzzles.
    """
    return {4: 1, 5: 1, 6: 1, 7: 2}.get(stations, 1)


@cache
def _reference_turns(size: int, speed: int, answers: int) -> tuple[int, ...]:
    """Return the turns that the reference player needs, by the number of candidates.

    It halves arcs, or names their stations. A value above 9,000 means that no win is sure.
    """
    needed = [place if place <= answers else 9999 for place in range(size + 1)]
    for _ in range(size):
        for count in range(2, size + 1):
            after = min(size, count - count // 2 + speed)
            needed[count] = min(needed[count], 1 + needed[after])
    return tuple(needed)


# --- search of strategies ------------------------------------------------------------------------


@cache
def _fewest_turns(size: int, speed: int, answers: int) -> int | None:
    """Return the fewest turns within which some player surely wins; None if none does.

    Args:
        size: how many stations there are.
        speed: most stations that the train goes on.
        answers: how many answers there may be; more than stations make no difference.
    """
    every = (1 << size) - 1
    arcs = [((1 << b) - 1) ^ ((1 << a) - 1) for a in range(size) for b in range(a + 1, size + 1)]

    def move_mask(mask: int) -> int:
        shifted = 0
        for gone in range(speed + 1):
            shifted |= mask << gone
        return shifted & every | shifted >> size

    def list_options(belief: Belief) -> list[list[Belief | GameEnd]]:
        mask, left = belief
        found: list[list[Belief | GameEnd]] = []
        for arc in arcs:
            parts = (mask & arc, mask & ~arc)
            found.append([(move_mask(part), left) for part in parts if part])
        for station in range(size):
            if mask >> station & 1:
                rest = mask & ~(1 << station)
                found.append([WON] if not rest else [(rest, left - 1) if left > 1 else LOST])
        return found

    return solve_positions([(every, answers)], list_options).turns.get((every, answers))
