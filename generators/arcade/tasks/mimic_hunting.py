"""Mimic hunting: find the object among n that changes its type.

EvolArena, cases N.33 and N.34; the puzzle is Codeforces 1846 F. Objects have types 1 to 9. A query
removes objects, possibly none; then the rest is mixed, and the mimic may take another type. It
never has one type in more than two lists in a row. Where it may, it keeps its type half the time;
otherwise it takes any of the eight others.

The reference player wins within five turns: it removes nothing until some type has one object more,
which takes two turns at most; it removes all other types; within one more turn the mimic has to
show another type again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Luck,
    Player,
    Sample,
    below,
    blank_terms,
    blind_limits,
    chosen,
    column,
    larger_sizes_deviation,
    make_generator,
    number_to_digits,
    shuffled,
)

TYPES = 9
RUN = 2
"""Most lists in a row in which the mimic has one type."""
BOUND = 5
GONE, RIGHT, WRONG = "The mimic is gone", "Correct", "Incorrect"

Types = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The objects, the mimic among them, and whether a wrong answer loses."""

    objects: Types = column("types of the objects at the start, by position", role="puzzle")
    lethal: bool = column("whether a wrong answer loses the game", role="puzzle")
    mimic: int = column("position of the mimic at the start, from 1", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The list, the place of the mimic, its lists with this type, the stage, and the end."""

    objects: Types
    mimic: int
    run: int = 1
    stage: int = 1
    heard: str = ""


class MimicHunting(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player finds the object that changes its type."""

    name = "arcade/mimic_hunting"
    version = 4
    fixed = 0.14
    spare = (2, 1, 0)
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: - {ints}", "My Query: - k x1 x2 ... xk"),
        CommandForm("answer", "My Answer: {int}", "My Answer: i"),
    )
    by_luck = True
    lucky = blind_limits({1: 0.2, 2: 0.2}, "one of the few objects is named rightly by luck")
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation", seed="an example"), (1, 1, 2, 2), True, 3),
        (Command("query", ((0,),)), Command("query", ((0,),))),
        "The list is [1, 1, 2, 2].",
    )
    deviations = (
        larger_sizes_deviation("5, 10 and 20 objects", "9, 14 and 20"),
        Deviation(
            "",
            "a wrong answer ends the game",
            "otherwise five objects could be named one by one",
            "published=true, where it costs a turn",
        ),
        Deviation(
            "",
            "removing the mimic loses",
            "it can no longer be found",
        ),
        Deviation(
            "",
            "the list is shown at the start, as in the text; not by the published monitor",
            "the text has priority",
        ),
        Deviation(
            "",
            "positions are those of the last list shown; not so in the example",
            "objects are mixed after each query",
        ),
        Deviation(
            "",
            "a query may remove nothing: My Query: - 0",
            "as in the original puzzle",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(9, 14, 20, 10, paper=(5, 10, 20))
        number = draw.unique_number("objects", TYPES**size * size)
        *types, mimic = number_to_digits(number, (*(TYPES,) * size, size))
        terms = self.terms(params, draw, first_luck=1 / size)
        objects = tuple(kind + 1 for kind in types)
        return Puzzle(terms, objects, not params.published, mimic + 1)

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(9, 14, 20, 10, paper=(5, 10, 20))
        return int(TYPES**size * size)

    def rules(self, puzzle: Puzzle) -> str:
        wrong = (
            "If not, you lose at once."
            if puzzle.lethal
            else "If not, I say Incorrect, the list stays as it is, and the game goes on."
        )
        return (
            f"Find the mimic. There are {len(puzzle.objects)} objects in a list; positions count "
            f"from 1. I show you the type of each, a number from 1 to {TYPES}. One object is a "
            "mimic, which can change its type; the others keep theirs.\n"
            "In each turn you either remove objects or answer.\n"
            "- Query: name how many objects you remove, and then their positions in the list as "
            "you last saw it, each once. You may remove none (My Query: - 0), but not all. If the "
            "mimic is among them, you lose at once. Else the objects that are left are mixed, so "
            "that positions tell nothing of what was where. Then the mimic may change to another "
            f"type, and I show you the new list. It never has the same type in more than {RUN} "
            "lists in a row, the list at the start included.\n"
            "- Answer: name the position of the mimic in the list as you last saw it. If you are "
            f"right, you win. {wrong}\n"
            "You also lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The list is {list(puzzle.objects)}. Give your first command."

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.objects, puzzle.mimic - 1)

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        left = len(state.objects)
        if command.form == "answer":
            return "" if 1 <= command.args[0] <= left else f"positions are 1 to {left}"
        count, *places = command.args[0]
        if count != len(places):
            return "the first number must say how many positions follow"
        if len(set(places)) < count or not all(1 <= place <= left for place in places):
            return f"positions are 1 to {left}, each named once"
        return "" if count < left else "at least one object must stay"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        if command.form == "answer":
            right = command.args[0] == state.mimic + 1
            return replace(state, heard=RIGHT if right else WRONG)
        if state.mimic + 1 in command.args[0][1:]:
            return replace(state, heard=GONE)
        mixed, kind = self._shuffle_objects(puzzle, state, command), state.objects[state.mimic]
        if state.run < RUN and luck.rng.integers(2):
            return mixed
        return _change_mimic_kind(mixed, (kind + int(luck.rng.integers(TYPES - 1))) % TYPES + 1)

    def list_outcomes(self, puzzle: Puzzle, state: State, command: Command) -> list[State]:
        if command.form == "answer" or state.mimic + 1 in command.args[0][1:]:
            return [self.step(puzzle, state, command, Luck())]
        mixed, kind = self._shuffle_objects(puzzle, state, command), state.objects[state.mimic]
        turned = [
            _change_mimic_kind(mixed, other) for other in range(1, TYPES + 1) if other != kind
        ]
        return [mixed, *turned] if state.run < RUN else turned

    def _shuffle_objects(self, puzzle: Puzzle, state: State, command: Command) -> State:
        """Return the remaining objects in a new order; the mimic keeps its type."""
        kept = [
            place for place in range(len(state.objects)) if place + 1 not in command.args[0][1:]
        ]
        order = [kept[place] for place in _shuffle_order(puzzle.terms.seed, state.stage, len(kept))]
        objects = tuple(state.objects[place] for place in order)
        return State(objects, order.index(state.mimic), state.run + 1, state.stage + 1)

    def observe(self, puzzle: Puzzle, state: State) -> Types | str:
        return state.heard or state.objects

    def describe_last_reply(self, puzzle: Puzzle, state: State) -> str:
        return state.heard or str(list(state.objects))

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        if state.heard in (RIGHT, GONE):
            return state.heard == RIGHT
        return False if state.heard == WRONG and puzzle.lethal else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        left = len(state.objects)
        if rng.random() < 0.3:
            return Command("answer", (below(rng, left) + 1,))
        count = below(rng, max(1, left // 2))
        return Command("query", ((count, *(place + 1 for place in chosen(rng, left, count))),))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw puzzles with any object as the mimic, and new luck."""
        found = []
        for place in rng.integers(len(puzzle.objects), size=count):
            terms = replace(puzzle.terms, seed=f"{int(rng.integers(1 << 62)):016x}")
            found.append(replace(puzzle, terms=terms, mimic=int(place) + 1))
        return found

    def bound(self, shown: Puzzle) -> int:
        return BOUND

    def player(self, shown: Puzzle) -> Player:
        before = shown.objects
        grown = 0
        while not grown:
            objects: Types = yield Command("query", ((0,),))
            more = Counter(objects) - Counter(before)
            grown, before = min(more, default=0), objects
        if before.count(grown) > 1:
            others = [place for place, kind in enumerate(before, start=1) if kind != grown]
            objects = yield Command("query", ((len(others), *others),))
            while set(objects) == {grown}:
                objects = yield Command("query", ((0,),))
            yield Command("answer", (1 + next(p for p, k in enumerate(objects) if k != grown),))
        yield Command("answer", (before.index(grown) + 1,))


TASK = MimicHunting()


@lru_cache(maxsize=1 << 12)
def _shuffle_order(seed: str, stage: int, count: int) -> tuple[int, ...]:
    """Return the previous places of the remaining objects, in their new order."""
    rng = make_generator("mixed", "arcade/mimic_hunting", seed, stage)
    return tuple(shuffled(rng, count))


def _change_mimic_kind(state: State, kind: int) -> State:
    """Return a state in which the mimic has another type."""
    objects = (*state.objects[: state.mimic], kind, *state.objects[state.mimic + 1 :])
    return replace(state, objects=objects, run=1)
