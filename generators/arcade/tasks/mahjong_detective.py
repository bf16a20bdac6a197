"""Mahjong detective: find how many hidden tiles of each value there are, by adding tiles to them.

EvolArena, cases N.31 and N.32; the puzzle is Codeforces 1336 D. Of each value 1 to n there are 0 to
n tiles at the start. A triplet is three tiles of one value, a straight three of values x, x + 1 and
x + 2; tiles of one value are different pieces. The prompt states how many of both there are, and so
does the reply to each added tile.

With a tiles of a value, adding one makes a(a - 1)/2 new triplets, which determines every a but 0
and 1. From four values on the reference player adds 3 to n - 1, then 1, 2 and 1: n queries (see
`_play_by_counting`). For three values it lists all hands and needs the fewest turns of any
player.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from math import comb
from typing import TypeVar

import numpy as np
import numpy.typing as npt

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
    column,
    number_to_digits,
    several,
)

LISTED = 3
"""Most values for which the reference player lists all hands."""
SAMPLED = 6
"""Most values for which lookalikes are drawn."""
ALIKE = 4
"""Fewest hands of three values with the same display at the start."""

Tiles = tuple[int, ...]
"""How many tiles of each value there are."""
Display = tuple[int, int]
"""Triplets and straights."""
Number = TypeVar("Number", int, npt.NDArray[np.int64])


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The number of values, the sets at the start, and the tiles."""

    values: int = column("how many values there are, and the most tiles of each", role="puzzle")
    triplets: int = column("triplets at the start", role="puzzle")
    straights: int = column("straights at the start", role="puzzle")
    tiles: Tiles = column("tiles of each value at the start", role="secret")


State = QuestionState[Display, Tiles]
"""The tiles now."""


class MahjongDetective(QuestionGame[ArcadeParams, Puzzle, Display, Tiles]):
    """A player finds hidden tiles by adding tiles and counting sets."""

    name = "arcade/mahjong_detective"
    version = 3
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: + {int}", "My Query: + x"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: a1 a2 ... an"),
    )
    # Four or five of the 64 hands of three values share a display, and so many can be named.
    unread = 0.6
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 4, 1, 6, (2, 3, 1, 0)),
        (Command("query", (1,)), Command("query", (4,)), Command("answer", ((3, 3, 1, 1),))),
        "There are values 1 to 4, and at the start 1 triplet and 6 straights: the hidden tiles are "
        "two of value 1, three of value 2 and one of value 3.",
    )
    deviations = (
        Deviation(
            "15 turns",
            "one more than there are values; a search's result for three values",
            "the reference player needs no more; in 15 turns most hands of three values that "
            "begin alike can be named one by one",
            "published=true, or turns=15",
        ),
        Deviation(
            "any tiles",
            f"of three values at least {ALIKE} hands begin with the same triplets and straights",
            "otherwise the start nearly reveals them",
            "published=true",
        ),
        Deviation(
            "",
            "the player sees the start, as in the example",
            "the rules do not mention it",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(3, 6, 9, 1)
        number = draw.unique_number("tiles", self.capacity(params))
        if size > LISTED or params.published:
            tiles = number_to_digits(number, (size + 1,) * size)
        else:
            tiles = _common_hands()[number]
        display = _count_sets(tiles)
        luck = 1 / len(_list_hands(display)) if size <= LISTED else 0.0
        return Puzzle(self.terms(params, draw, first_luck=luck), size, *display, tiles)

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(3, 6, 9, 1)
        return (size + 1) ** size if size > LISTED or params.published else len(_common_hands())

    def turn_limit(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        return super().turn_limit(params, shown, bound) if params.published else self.bound(shown)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.values
        return (
            f"Find out which tiles I hold. Each tile has a value from 1 to {size}. At the start "
            f"there are 0 to {size} tiles of each value.\n"
            "A triplet is three tiles of the same value, such as 2, 2, 2. A straight is three "
            "tiles of consecutive values, such as 2, 3, 4. Tiles of the same value count as "
            "different pieces: of four tiles of one value, four triplets can be made; with two "
            "tiles of value 1, one of value 2 and one of value 3 there are two straights. I count "
            "all that can be made.\n"
            "In each turn you either add a tile or answer.\n"
            f"- Query: name a value from 1 to {size}. A tile of it is added to mine, and stays. I "
            "say two numbers: how many triplets and how many straights there are now.\n"
            f"- Answer: name how many tiles there are now of each value from 1 to {size}, in this "
            "order, those that you added included. If all are right, you win. If not, I say "
            "Incorrect, and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return (
            f"Values are 1 to {puzzle.values}. At the start there are {puzzle.triplets} triplets "
            f"and {puzzle.straights} straights. Give your first command."
        )

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        size = puzzle.values
        if command.form == "query":
            return "" if 1 <= command.args[0] <= size else f"values are 1 to {size}"
        if len(command.args[0]) != size:
            return f"an answer has {size} numbers"
        return "" if min(command.args[0]) >= 0 else "there cannot be fewer than 0 tiles of a value"

    def start_state(self, puzzle: Puzzle) -> Tiles:
        return puzzle.tiles

    def list_replies(
        self, puzzle: Puzzle, now: Tiles, command: Command
    ) -> list[tuple[Tiles, Display]]:
        tiles = _add_tile(now, command.args[0])
        return [(tiles, _count_sets(tiles))]

    def format_reply(self, heard: Display) -> str:
        return "{} {}".format(*heard)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.6:
            return Command("query", (below(rng, puzzle.values) + 1,))
        named = several(rng, puzzle.values + 1, puzzle.values)
        return Command("answer", (tuple(named),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.values > LISTED:
            return None
        hands = _list_hands((shown.triplets, shown.straights))
        return (replace(shown, tiles=tiles) for tiles in hands)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw hands with the same display, where all hands can be searched."""
        if puzzle.values > SAMPLED:
            return ()
        hands = _find_lookalike_hands(puzzle.values, puzzle.triplets, puzzle.straights)
        places = several(rng, len(hands), count)
        shape = (puzzle.values + 1,) * puzzle.values
        return [
            replace(puzzle, tiles=number_to_digits(int(hands[place]), shape)) for place in places
        ]

    def hidden_target(self, puzzle: Puzzle, state: State) -> Tiles:
        return state.now

    def bound(self, shown: Puzzle) -> int:
        if shown.values > LISTED:
            return shown.values + 1
        return _fewest_turns(_list_hands((shown.triplets, shown.straights)))

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown) if shown.values <= LISTED else None

    def player(self, shown: Puzzle) -> Player:
        answers = (shown.triplets, shown.straights)
        if shown.values > LISTED:
            yield from _play_by_counting(shown.values, answers)
            return
        alive = _list_hands(answers)
        while True:
            if value := _choose_value(alive):
                heard = yield Command("query", (value,))
                alive = _split_hands(alive, value)[heard]
            else:
                yield Command("answer", (alive[0],))
                alive = alive[1:]


TASK = MahjongDetective()


def _count_sets(tiles: Tiles) -> Display:
    """Return the triplets and the straights of tiles."""
    runs = zip(tiles, tiles[1:], tiles[2:], strict=False)
    return sum(comb(count, 3) for count in tiles), sum(a * b * c for a, b, c in runs)


def _add_tile(tiles: Tiles, value: int) -> Tiles:
    """Return the tiles with one more of a value."""
    return (*tiles[: value - 1], tiles[value - 1] + 1, *tiles[value:])


def _reference_values(size: int) -> tuple[int, ...]:
    """Return the values that the reference player adds from four values on."""
    return (*range(3, size), 1, 2, 1)


def _play_by_counting(size: int, told: Display) -> Player:
    """Add 3 to n - 1, then 1, 2 and 1, and answer.

    Let a be the counts at the start and b those after the additions. The last three replies
    determine a1 by triplets; a2 b3 and (a2 + 1) b3 as new straights, so b3 and a2; and (a1 + 1) b3
    + b3 b4, so b4. Each i from 4 on was added after i - 1 and before i + 1, so its new straights
    were c b(i-1) + a(i+1) (b(i-1) + a(i+2)), where c and b(i-1) > 0 are known: they show whether
    a(i+1) is 0, and its new triplets give its value otherwise. Nothing was added to n, but then
    there is no a(i+2) either, and a division gives a(i+1).
    """
    triplets: dict[int, int] = {}
    straights: dict[int, int] = {}
    before = told
    new = []
    for value in _reference_values(size):
        after = yield Command("query", (value,))
        new.append((after[0] - before[0], after[1] - before[1]))
        before = after
    for value, (triples, runs) in zip(range(3, size), new, strict=False):
        triplets[value], straights[value] = triples, runs
    first, second, third = new[-3:]
    one = third[0] - first[0]  # a(a + 1)/2 - a(a - 1)/2
    three = third[1] - first[1]
    two = first[1] // three
    four = (second[1] - (one + 1) * three) // three - (size > 4)
    start = [one, two, three - 1, four]
    for value in range(4, size):
        left = start[value - 3] + (value - 2 > 2)  # the tiles of value - 2 by then
        beside = start[value - 2] + 1  # those of value - 1
        rest = straights[value] - left * beside
        if value + 1 == size:
            start.append(rest // beside)
        else:
            start.append(_from_triplets(triplets[value + 1]) if rest else 0)
    now = [count + (2 if value == 1 else value < size) for value, count in enumerate(start, 1)]
    yield Command("answer", (tuple(now),))


def _from_triplets(new: int) -> int:
    """Return the a, at least 1, for which one more tile makes `new` = a(a - 1)/2 triplets."""
    count = 1
    while count * (count - 1) // 2 < new:
        count += 1
    return count


# --- three values ---------------------------------------------------------------------------------


@cache
def _list_hands(display: Display) -> tuple[Tiles, ...]:
    """Return all hands of three values with this display at the start."""
    return tuple(
        tiles
        for tiles in product(range(LISTED + 1), repeat=LISTED)
        if _count_sets(tiles) == display
    )


@cache
def _common_hands() -> tuple[Tiles, ...]:
    """Return the hands of three values whose display at least ALIKE hands share."""
    every = product(range(LISTED + 1), repeat=LISTED)
    return tuple(tiles for tiles in every if len(_list_hands(_count_sets(tiles))) >= ALIKE)


@cache
def _split_hands(alive: tuple[Tiles, ...], value: int) -> dict[Display, tuple[Tiles, ...]]:
    """Return the possible hands by the reply to a query."""
    parts: dict[Display, list[Tiles]] = {}
    for tiles in alive:
        after = _add_tile(tiles, value)
        parts.setdefault(_count_sets(after), []).append(after)
    return {heard: tuple(hands) for heard, hands in parts.items()}


@cache
def _find_value_within(alive: tuple[Tiles, ...], turns: int) -> int | None:
    """Return a value to add, or 0 to name a hand, to end within so many turns; None for none."""
    if len(alive) <= turns:
        return 0
    if turns <= 1:
        return None
    for value in range(1, LISTED + 1):
        if all(
            _find_value_within(part, turns - 1) is not None
            for part in _split_hands(alive, value).values()
        ):
            return value
    # Hands are named in their order: a search of all orders finds no shorter play.
    return 0 if _find_value_within(alive[1:], turns - 1) is not None else None


def _fewest_turns(alive: tuple[Tiles, ...]) -> int:
    """Return the fewest turns within which some player surely names the hand."""
    return next(
        turns for turns in range(1, len(alive) + 1) if _find_value_within(alive, turns) is not None
    )


def _choose_value(alive: tuple[Tiles, ...]) -> int:
    """Return a value to add, or 0 to name the first hand."""
    return _find_value_within(alive, _fewest_turns(alive)) or 0


@cache
def _pack_displays(size: int) -> npt.NDArray[np.int64]:
    """Return the display of every hand as one number each; see `_pack_display`."""
    every = np.indices((size + 1,) * size).reshape(size, -1)
    threes = (every * (every - 1) * (every - 2) // 6).sum(axis=0)
    runs = (every[:-2] * every[1:-1] * every[2:]).sum(axis=0)
    return _pack_display(threes, runs)


def _pack_display(triplets: Number, straights: Number) -> Number:
    """Return the triplets and straights as one number."""
    return triplets << 32 | straights


@lru_cache(maxsize=1 << 10)
def _find_lookalike_hands(size: int, triplets: int, straights: int) -> npt.NDArray[np.int64]:
    """Return the numbers of all hands with this display, by a search through all hands."""
    return np.flatnonzero(_pack_displays(size) == _pack_display(triplets, straights))
