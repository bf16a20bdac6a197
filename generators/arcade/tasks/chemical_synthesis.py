"""Chemical synthesis: make a compound by four operations whose numbers are hidden.

EvolArena, cases N.57 and N.58. A compound is a word of elements; every product stays available, and
nothing is used up. An operation has its usual effect with probability 4/5, and otherwise the other
one:

    SPLIT    ABC -> A + BC     in two parts at any place
    MERGE    AB, CD -> ABCD    any two neighbors of the result exchanged
    SWAP     ABC -> CBA        any two neighbors exchanged instead of the ends
    EXTRACT  ABC -> C          any element

The reference player keeps the numberings that fit its observations. It searches for the fewest
usual operations that build the target from available pieces, or from pieces one operation away, and
applies the first of them with the first number that may be right; so it learns the numbers on the
way. Only a win in the row itself is guaranteed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations

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
    Luck,
    Player,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
    param,
    shuffled,
)

ELEMENTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ORDERS = tuple("".join(order) for order in permutations("SMWE"))
"""The possible meanings of the numbers 1 to 4: S split, M merge, W swap, E extract."""
PAPER = 7
"""Largest target in the paper."""
SPENT = {6: 1, 7: 3}
"""Turns fewer than the paper's, by size: a longer target forgives less."""
FEWEST, MOST = 3, 7
"""Usual operations that a target of the paper needs."""

Step = tuple[str, tuple[str, ...]]
"""An operation and its compounds."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """Compounds, a target, and the meaning of the numbers."""

    compounds: tuple[str, ...] = column("compounds at hand at the start", role="puzzle")
    target: str = column("the compound to make", role="puzzle")
    unstable: int = column("percent of operations that go another way", role="puzzle")
    twice: bool = column("whether a swap that goes another way may be two", role="puzzle")
    order: str = column("what the numbers 1 to 4 stand for, such as SMWE", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The available compounds in the order of their appearance; whether the last move failed."""

    compounds: tuple[str, ...]
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game: the level, and how often operations go another way."""

    unstable: int = param(
        20, "percent of operations that go another way", low=1, high=50, unit="percent"
    )


class ChemicalSynthesis(ArcadeGame[Params, Puzzle, State]):
    """A player makes a compound by operations with hidden numbers."""

    name = "arcade/chemical_synthesis"
    version = 5
    category = "state_operation"
    forms = (
        CommandForm("single", "My Move: {word} {int}", "My Move: X N"),
        CommandForm("pair", "My Move: {word} {word} {int}", "My Move: X Y N"),
    )
    by_luck = True
    sample = Sample(
        Puzzle(blank_terms("state_operation", seed="0"), ("AB", "C"), "BAC", 20, False, "WSME"),
        (
            Command("single", ("AB", 3)),
            Command("single", ("AB", 1)),
            Command("pair", ("BA", "C", 3)),
        ),
        "AB and C are available, and the target is BAC.",
    )
    # At level 1 the target is near: the most common way wins without reading a reply.
    unread = 0.4
    deviations = (
        Deviation(
            "",
            "an operation varies with chance 1/5, as the prompt states; a swap exchanges two "
            "neighbors once",
            "the paper gives only examples, and speaks of several exchanges",
            "published=true for two exchanges; `unstable` sets the chance",
        ),
        Deviation(
            "compounds may grow without end",
            "a merged compound has at most twice the elements of the target",
            "a reply must stay short",
        ),
        Deviation(
            "",
            "sizes are 4, 6 and 7, as in the text; 4, 5 and 6 in the data",
            "the text has priority",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size, rng = params.level_size(4, 6, 7, 1), draw.rng
        elements = [ELEMENTS[k] for k in shuffled(rng, min(size, len(ELEMENTS)))]
        elements = (elements * (1 + size // len(elements)))[:size]
        cuts = sorted(
            map(int, rng.choice(np.arange(1, size), _count_pieces(size) - 1, replace=False))
        )
        ends = [0, *cuts, size]
        parts = ["".join(elements[start:end]) for start, end in pairwise(ends)]
        compounds = tuple(dict.fromkeys(parts))
        target = "".join(elements[k] for k in shuffled(rng, size))
        steps = _plan_synthesis(compounds, target)
        if steps is None or len(steps) < FEWEST or (size <= PAPER and len(steps) > MOST):
            raise Reject("the target needs too few operations, or too many")
        order, terms = draw.deal_card("order", ORDERS), self.terms(params, draw)
        return Puzzle(terms, compounds, target, params.unstable, params.published, order)

    def rules(self, puzzle: Puzzle) -> str:
        chance = Fraction(100 - puzzle.unstable, 100)
        twice = ", or so twice in a row" if puzzle.twice else ""
        return (
            "Make a target compound. A compound is a row of elements, which are letters; their "
            "order matters. Some compounds are available at the start. What an operation makes "
            "becomes available too, and nothing is used up.\n"
            f"There are four operations. Each goes as usual with chance {chance}, and otherwise as "
            "said last:\n"
            "- SPLIT cuts a compound in two: usually its first element and the rest, so ABC gives "
            "A and BC; otherwise at any place.\n"
            "- MERGE joins two compounds: usually in the order named, so AB and CD give ABCD; "
            "otherwise two neighbors of the result, any, have changed places, such as ACBD.\n"
            "- SWAP exchanges two elements: usually the first and the last, so ABC gives CBA; "
            f"otherwise two neighbors, any, so it gives BAC or ACB{twice}.\n"
            "- EXTRACT makes one element available by itself: usually the last, so ABC gives C; "
            "otherwise any.\n"
            "Each has one of the numbers 1 to 4, the same for the whole game. You are not told "
            "which.\n"
            "In each turn you name one compound and a number, or two compounds (they may be the "
            "same) and a number. I answer with all compounds that are available then. If the "
            "operation of that number needs another number of compounds, or is SPLIT, SWAP or "
            "EXTRACT of a single element, I say Wrong type and nothing changes.\n"
            f"Two compounds with more than {_longest_compound(puzzle)} elements "
            "together, and compounds "
            "that are not available, are not allowed; they cost a turn.\n"
            "You win as soon as the target is available. You lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return (
            f"Available: {', '.join(puzzle.compounds)}\nTarget: {puzzle.target}\n"
            "Make your first move."
        )

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.compounds)

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        *named, number = command.args
        if not 1 <= number <= 4:
            return "operations are 1 to 4"
        for compound in named:
            if compound not in state.compounds:
                return f"{compound[:20]} is not available"
        if len(named) == 2 and sum(map(len, named)) > _longest_compound(puzzle):
            return "together they have too many elements"
        return ""

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        kind, named = puzzle.order[command.args[-1] - 1], command.args[:-1]
        if not _is_applicable(kind, named):
            return State(state.compounds, wrong=True)
        made = _usual_products(kind, named)
        if luck.rng.random() * 100 < puzzle.unstable:
            others = _unusual_products(kind, named, twice=puzzle.twice)
            made = others[below(luck.rng, len(others))]
        return _add_compounds(state, made)

    def list_outcomes(self, puzzle: Puzzle, state: State, command: Command) -> Iterator[State]:
        return self._iterate_outcomes(puzzle, puzzle.order[command.args[-1] - 1], state, command)

    def _iterate_outcomes(
        self, puzzle: Puzzle, kind: str, state: State, command: Command
    ) -> Iterator[State]:
        """Yield the states after an operation of this kind."""
        named = command.args[:-1]
        if not _is_applicable(kind, named):
            yield State(state.compounds, wrong=True)
            return
        others = _unusual_products(kind, named, twice=puzzle.twice) if puzzle.unstable else []
        yield from (
            _add_compounds(state, made)
            for made in dict.fromkeys((_usual_products(kind, named), *others))
        )

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return "Wrong type" if state.wrong else f"Available: {', '.join(state.compounds)}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if puzzle.target in state.compounds else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        first, second = (state.compounds[below(rng, len(state.compounds))] for _ in range(2))
        number = below(rng, 4) + 1
        if rng.random() < 0.5 and len(first + second) <= _longest_compound(puzzle):
            return Command("pair", (first, second, number))
        return Command("single", (first, number))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (replace(shown, order=order) for order in ORDERS)

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        size = len(shown.target)
        if params.published:
            return TURNS
        return TURNS - SPENT.get(size, 0) if size <= PAPER else 4 * size

    def player(self, shown: Puzzle) -> Player:
        state, orders = self.start(shown), ORDERS
        while steps := _plan_synthesis(state.compounds, shown.target):
            kind, named = next(s for s in steps if all(c in state.compounds for c in s[1]))
            number = min(order.index(kind) for order in orders) + 1
            command = Command("single" if len(named) == 1 else "pair", (*named, number))
            heard = yield command
            after = State(state.compounds, wrong=True)
            if heard != "Wrong type":
                after = State(tuple(heard.removeprefix("Available: ").split(", ")))
            # The answer depends only on which operation has the number.
            kinds = {order[number - 1] for order in orders}
            fits = {
                kind
                for kind in kinds
                if after in self._iterate_outcomes(shown, kind, state, command)
            }
            orders = tuple(order for order in orders if order[number - 1] in fits)
            state = State(after.compounds)


TASK = ChemicalSynthesis()


def _count_pieces(size: int) -> int:
    """Return how many compounds there are at the start."""
    return max(2, size // 2)


def _longest_compound(puzzle: Puzzle) -> int:
    """Return the most elements of a compound."""
    return 2 * len(puzzle.target)


def _is_applicable(kind: str, named: Sequence[str]) -> bool:
    """Return whether an operation accepts these compounds."""
    return len(named) == 2 if kind == "M" else len(named) == 1 and len(named[0]) > 1


def _add_compounds(state: State, made: Sequence[str]) -> State:
    """Return the state with new compounds."""
    return State(tuple(dict.fromkeys((*state.compounds, *made))))


def _usual_products(kind: str, named: Sequence[str]) -> tuple[str, ...]:
    """Return the usual products of an operation that accepts the compounds."""
    first = named[0]
    if kind == "M":
        return (first + named[1],)
    if kind == "S":
        return first[0], first[1:]
    return (first[-1] + first[1:-1] + first[0],) if kind == "W" else (first[-1],)


def _unusual_products(kind: str, named: Sequence[str], *, twice: bool) -> list[tuple[str, ...]]:
    """Return the other products of an operation, each equally likely.

    Args:
        kind: the operation.
        named: the compounds.
        twice: whether a swap may be two exchanges of neighbors.
    """
    whole = "".join(named)
    places = range(len(whole) - 1)
    if kind == "S":
        return [(whole[: k + 1], whole[k + 1 :]) for k in places]
    if kind == "E":
        return [(element,) for element in whole]
    once = [_swap_neighbors(whole, k) for k in places]
    if kind == "W" and twice:
        once += [_swap_neighbors(first, k) for first in once for k in places]
    return [(made,) for made in once]


def _swap_neighbors(compound: str, place: int) -> str:
    """Return a compound with two neighbors exchanged."""
    pair = compound[place + 1] + compound[place]
    return compound[:place] + pair + compound[place + 2 :]


@lru_cache(maxsize=1 << 12)
def _plan_synthesis(compounds: tuple[str, ...], target: str) -> list[Step] | None:
    """Return the fewest usual operations that build a target from pieces; None if none do.

    A piece is available, or is made from one compound in some operations. The target is built
    directly, or with its ends exchanged and swapped at the end.
    """
    made = _derive_compounds(compounds)
    turned = _usual_products("W", (target,))[0]
    plain, other = _join_pieces(made, target), _join_pieces(made, turned)
    if other is not None and (plain is None or len(other) + 1 < len(plain)):
        return [*other, ("W", (turned,))]
    return plain


def _derive_compounds(compounds: Sequence[str]) -> dict[str, list[Step]]:
    """Return the steps to every compound that one compound yields in at most three operations."""
    made: dict[str, list[Step]] = {compound: [] for compound in compounds}
    layer = list(compounds)
    for _ in range(3):
        following: list[str] = []
        for compound in layer:
            for part, step in _apply_single_operations(compound):
                if part not in made:
                    made[part] = [*made[compound], step]
                    following.append(part)
        layer = following
    return made


@lru_cache(maxsize=1 << 14)
def _apply_single_operations(compound: str) -> tuple[tuple[str, Step], ...]:
    """Return each product of one operation on a compound, with the operation."""
    kinds = "SWE" if len(compound) > 1 else ""
    steps: list[Step] = [(kind, (compound,)) for kind in kinds]
    return tuple((part, step) for step in steps for part in _usual_products(*step))


@lru_cache(maxsize=1 << 8)
def _split_target(target: str) -> tuple[tuple[tuple[int, str, Step], ...], ...]:
    """Return the ways to join each prefix of a target: start, last piece and merge."""
    return tuple(
        tuple((k, target[k:end], ("M", (target[:k], target[k:end]))) for k in range(end))
        for end in range(1, len(target) + 1)
    )


def _join_pieces(made: dict[str, list[Step]], target: str) -> list[Step] | None:
    """Return the fewest steps that build a target from left to right."""
    best: list[list[Step] | None] = [[]]
    for pieces in _split_target(target):
        found: list[Step] | None = None
        for start, piece, merge in pieces:
            before = best[start]
            steps = made.get(piece)
            if before is None or steps is None:
                continue
            if start:
                if found is not None and len(before) + 1 >= len(found):
                    continue
                steps = [*before, *(step for step in steps if step not in before), merge]
            if found is None or len(steps) < len(found):
                found = steps
        best.append(found)
    return best[-1]
