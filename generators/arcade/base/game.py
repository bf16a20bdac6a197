"""ArcadeGame: what the forty games share on top of facelet.generators.core.text_game.

A game gives its rules, its words and its players, as any game does, and besides:

    make(params, draw)             a puzzle whose terms are `self.terms(params, draw, ...)`
    bound(shown)                   turns within which its reference player surely wins, if known
    optimum(shown)                 the fewest turns within which any player surely wins, if known
    random_command(puzzle, ...)    a legal command of a player that only knows the rules
    candidates(shown)              what may be hidden, where that can be listed
    direct(puzzle)                 the shortest way for who sees it, where others may share that
    lucky, unread                  the most that players win that read no answer
    sample                         a small puzzle and commands: the exchange that prompts show
    deviations                     where it departs from the paper

From these follow the columns that all share (facelet.generators.arcade.base.shared_columns), the
cap, what is promised of a row, the example in the prompt, and the figures of what a player knew. A
reply that cannot be read and a command that is not allowed cost a turn each, as the paper counts; a
game whose text ends the game there says so by `illegal`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from facelet.generators.arcade.base import puzzle_selection
from facelet.generators.arcade.base.params import LAST, LEVELS, TURNS, ArcadeParams
from facelet.generators.arcade.base.shared_columns import Category, Terms
from facelet.generators.arcade.beliefs.belief_metrics import (
    belief_measures,
    belief_metrics,
    bits_a_command,
)
from facelet.generators.arcade.beliefs.candidate_sets import CandidateSet, SimulatedCandidates
from facelet.generators.core.chance_level import BlindLimit
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.game_episode import MEASURES
from facelet.generators.core.measures import Measure
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome, Reject
from facelet.generators.core.text_game import Game, Luck


class Puzzle(Protocol):
    """A puzzle of the arcade: a record with nested terms."""

    @property
    def terms(self) -> Terms:
        """The terms."""
        ...


P = TypeVar("P", bound=ArcadeParams)
Z = TypeVar("Z", bound=Puzzle)
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Sample(Generic[Z]):
    """An exchange that prompts show as an example; its answers are those of the rules.

    Attributes:
        puzzle: a puzzle that no level makes.
        said: legal commands.
        before: what the player of the example faces, in words.
    """

    puzzle: Z
    said: tuple[Command, ...]
    before: str


class NoLuck(Luck):
    """The luck of a game that has none."""

    __slots__ = ()

    @property
    def rng(self) -> np.random.Generator:
        """Raise: a game that draws at random says so."""
        raise RuntimeError(
            "a step of this game draws from luck; set `by_luck` and give `list_outcomes`"
        )

    def draw_index(self, count: int) -> int:
        """Raise as `rng` does, where there is more than one number."""
        return int(self.rng.integers(count)) if count > 1 else 0


NO_LUCK = NoLuck()

_TURNS_LEFT = re.compile(r"\n?Turns left: [0-9]+\Z")
PUBLISHED = "the paper's own sizes, turns and rules, some of which are won without an answer"
WON_CHEAPLY = Deviation(
    "any puzzle is asked",
    "puzzles that legal commands win in over a sixth of plays, or that fixed commands win, "
    "are skipped if there are others",
    "many games are won by chance, or by one list of commands for all puzzles",
    "published=true",
)


def larger_sizes_deviation(paper: str, here: str) -> Deviation:
    """Return the deviation of a game whose sizes are larger than the paper's.

    Args:
        paper: the sizes of the paper's three levels, in words.
        here: the sizes here.
    """
    why = "a player that ignores answers wins many smaller ones"
    return Deviation(paper, here, why, "published=true")


def fewer_turns_deviation(one: int, two: int) -> Deviation:
    """Return the deviation of a game whose higher levels leave fewer turns to spare.

    Args:
        one: the turns beyond those of a sure win at level 1.
        two: those at level 2; from level 3 on there are none.
    """
    return Deviation(
        "15 turns",
        f"as many as a sure win needs, plus {one} and {two} at levels 1 and 2",
        "a higher level should forgive less, not only be larger",
        "published=true, or turns=15",
    )


REPEATED = "the paper draws each puzzle anew, and its small games have fewer than it asks for"


class ArcadeGame(Game[P, Z, S], Generic[P, Z, S], vocabulary=True):
    """A game of the arcade; see the module.

    Attributes:
        category: the paper's class of the game.
        sample: the example in its prompts.
        questions: names of the forms that ask what is hidden; only where worlds can be told.
        answers: names of the forms that name it.
        by_luck: whether anything is drawn while the game is played.
        lucky: by level, the share of puzzles that may be won by any legal commands or by a list of
            commands that is the same for all, where it is
            more than audits allow of games without a declaration; what holds for the third level
            holds for those beyond it.
        lucky_reason: why that is much, in words for the card of a dataset.
        unread: the share that may be won, at any of the paper's levels, by a list that depends on
            the prompt, and on no answer; a test tries it.
        picks_from: the first level from which there are enough puzzles to pass over those that are
            won cheaply (facelet.generators.arcade.base.puzzle_selection).
        picks_to: the last level of which that is done.
        spare: the turns that a player has beyond those of a sure win, where the paper's fifteen let
            win who wanders or guesses; of each of the paper's levels where they differ, and beyond
            them as of the third; None for the paper's.
        planning: whether all is told at the start, so that to plan is what the game asks for.
    """

    category: ClassVar[Category]
    classed_by = "category"
    summed = ("guarantee", "reference_turns", "turns")
    sample: ClassVar[Sample[Any]]
    questions: ClassVar[frozenset[str]] = frozenset()
    answers: ClassVar[frozenset[str]] = frozenset()
    by_luck: ClassVar[bool] = False
    lucky: ClassVar[Mapping[int, float]] = MappingProxyType({})
    lucky_reason: ClassVar[str] = ""
    unread: ClassVar[float] = 0.25
    picks_from: ClassVar[int] = 1
    picks_to: ClassVar[int] = 9
    spare: ClassVar[int | tuple[int, int, int] | None] = None
    planning: ClassVar[bool] = False

    def __init_subclass__(cls, *, vocabulary: bool = False, **kwargs: Any) -> None:
        """Give a game the measures of the figures that it has."""
        super().__init_subclass__(vocabulary=vocabulary, **kwargs)
        if "deviations" in vars(cls) and cls.picks_from <= LAST:
            cls.deviations = (*cls.deviations, WON_CHEAPLY)
        if "measures" not in vars(cls):
            cls.measures = (*MEASURES, *cls._own_measures())

    @classmethod
    def _own_measures(cls) -> tuple[Measure, ...]:
        """Return the measures of what players knew, if the worlds of the game can be told."""
        told = (cls.list_candidates, cls.candidate_set) != (
            ArcadeGame.list_candidates,
            ArcadeGame.candidate_set,
        )
        return belief_measures(cls.questions, cls.answers) if told else ()

    # --- what a game gives ------------------------------------------------------------------------

    def bound(self, shown: Z) -> int | None:
        """Return the turns within which the reference player surely wins.

        Whatever is hidden, drawn or played against it. None if there is no such number, or none is
        known. A test proves it: by playing all that may be hidden, or by minimax.

        Args:
            shown: the puzzle without what it hides.
        """
        return None

    def optimal_turns(self, shown: Z) -> int | None:
        """Return the fewest turns within which some player surely wins; None if not known.

        By an exact search of every strategy, never by an estimate.

        Args:
            shown: the puzzle without what it hides.
        """
        return None

    def win_probability(self, shown: Z) -> float | None:
        """Return the probability that the reference player wins, where it does not surely win.

        None if it is not known; then nothing is promised but the row itself.
        """
        return None

    def turn_limit(self, params: P, shown: Z, bound: int | None) -> int:
        """Return the turns of a puzzle: the paper's, or what a sure win needs if that is more.

        Where `spare` is set, what a sure win needs and so many more.

        Args:
            params: the params; `turn_budget` was not set.
            shown: the puzzle without what it hides.
            bound: what `bound` returns.
        """
        if params.published:
            return TURNS
        if self.spare is None or bound is None:
            return max(TURNS, bound or 0)
        by_level = (self.spare,) * len(LEVELS) if isinstance(self.spare, int) else self.spare
        return bound + by_level[min(params.level, LEVELS[-1]) - 1]

    @abstractmethod
    def random_command(self, puzzle: Z, state: S, rng: np.random.Generator) -> Command:
        """Return a legal command, as a player draws it that knows the rules and nothing else.

        Every legal command has a chance, and the commands that end a game have a fair one.

        Args:
            puzzle: the puzzle; of what it hides nothing is used.
            state: the state.
            rng: the randomness.
        """

    def list_candidates(self, shown: Z) -> Iterable[Z] | None:
        """Return every puzzle that looks like this one at the start, whole; None if too many.

        By this one method a game opts in to the figures of what its players knew.
        """
        return None

    def draw_lookalikes(self, puzzle: Z, count: int, rng: np.random.Generator) -> Sequence[Z]:
        """Return puzzles that look like this one at the start, drawn evenly; none if there are not.

        What is hidden is one of the candidates, and what is drawn in play is drawn anew. A game
        whose candidates are too many to list draws them here.

        Args:
            puzzle: the puzzle.
            count: how many.
            rng: the randomness.
        """
        found = list(self.list_candidates(self.without_hidden(puzzle)) or ())
        if not (found or self.by_luck):
            return ()
        places = rng.integers(len(found), size=count) if found else ()
        drawn = [found[place] for place in places] or [puzzle] * count
        seeds = [f"{int(rng.integers(1 << 62)):016x}" if self.by_luck else "" for _ in drawn]
        return [_replace_terms(other, seed=seed) for other, seed in zip(drawn, seeds, strict=True)]

    def shortest_commands(self, puzzle: Z) -> Sequence[Command]:
        """Return the shortest commands that win for who sees what is hidden; () if none are known.

        Said of other puzzles they are the best start of a list that is the same for all, where the
        reference player walks about to learn.
        """
        return ()

    def candidate_set(self, puzzle: Z) -> CandidateSet | None:
        """Return what may be hidden at the start; a faster twin of what the candidates give.

        A game that has one checks in a test that it agrees with `SimulatedCandidates`.
        """
        found = self.list_candidates(self.without_hidden(puzzle))
        return None if found is None else SimulatedCandidates(self, found)

    def wins_randomly(self, puzzle: Z, rng: np.random.Generator) -> bool:
        """Return whether a player of any legal commands wins.

        A game may be faster than to play turn by turn, as long as it draws the same and says the
        same; a test compares them.

        Args:
            puzzle: the puzzle.
            rng: what `random_command` draws from.
        """
        return puzzle_selection.wins_by_random_commands(self, puzzle, rng)

    def wins_by(self, puzzle: Z, commands: Sequence[Command]) -> bool:
        """Return whether a list of commands wins; a game may be faster than to play it.

        Args:
            puzzle: the puzzle.
            commands: the commands, whatever they are answered.
        """
        return puzzle_selection.wins_by_commands(self, puzzle, commands)

    def reference_plan(self, puzzle: Z) -> Sequence[Command]:
        """Return what the reference player says in a puzzle, or that part of it which may win.

        Of others that look like it at the start, both win the same ones.

        Args:
            puzzle: the puzzle.
        """
        return self.play_reference(puzzle)[0]

    def hidden_target(self, puzzle: Z, state: S) -> Hashable:
        """Return what has to be found out, as it is now; the secret columns by default."""
        return tuple(getattr(puzzle, name) for name in self._secret_columns)

    def list_outcomes(self, puzzle: Z, state: S, said: Command) -> Iterable[S]:
        """Return every state that a legal command may lead to, whatever luck does.

        Args:
            puzzle: the puzzle.
            state: the state before.
            said: the command.
        """
        return (self.step(puzzle, state, said, NO_LUCK),)

    # --- what follows -----------------------------------------------------------------------------

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return what a list of commands that is the same for all may win, where that is much.

        The paper's own sizes, turns and rules have no limit: nothing is refused of them, and the
        floor of a dataset says how often they are won blindly.
        """
        if params.published:
            return BlindLimit(1.0, PUBLISHED)
        share = self.lucky.get(min(params.level, LEVELS[-1]))
        return None if share is None else BlindLimit(share, self.lucky_reason)

    def repeat_reason(self, params: P) -> str:
        """Return why puzzles may be equal: the paper's small games have fewer than it asks for."""
        return REPEATED if params.published else ""

    def terms(self, params: P, draw: Draw, first_luck: float = 0.0) -> Terms:
        """Return the terms of a puzzle that is being made; `generate` fills in the rest.

        Args:
            params: the params.
            draw: the draw of the item.
            first_luck: greatest chance of any first command to win at once.
        """
        seed = f"{int(draw.rng.integers(1 << 62)):016x}" if self.by_luck else ""
        terms = blank_terms(self.category, turns=params.turns, first_luck=first_luck, seed=seed)
        return replace(terms, forgetful=params.forgetful)

    def turn_budget(self, puzzle: Z) -> int:
        """Return the cap."""
        return puzzle.terms.turns

    def hides_history(self, puzzle: Z) -> bool:
        """Return what the row says."""
        return puzzle.terms.forgetful

    def step_luck(self, puzzle: Z, number: int) -> Luck:
        """Return the randomness of a step."""
        return Luck(self.name, puzzle.terms.seed, number) if self.by_luck else NO_LUCK

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[Z]:
        """Return the puzzle with its terms, once the reference player has won it.

        Raises:
            Reject: it cannot be won so, or it is won too cheaply.
        """
        puzzle = self._fill_known_terms(params, self.make(params, draw))
        course = self._reference_course(puzzle)
        patient = draw.attempt < puzzle_selection.PATIENCE
        if params.picked == "hard" and patient and self.selects_puzzles(params):
            rng = make_generator(*draw.path, "picked", draw.index, "attempt", draw.attempt)
            if reason := puzzle_selection.find_cheap_win(self, params, puzzle, rng):
                raise Reject(reason)
        return (self._fill_reference_metrics(puzzle, course),)

    def selects_puzzles(self, params: P) -> bool:
        """Return whether there are puzzles enough to pass over some."""
        if params.published or not self.picks_from <= params.level <= self.picks_to:
            return False
        capacity = self.capacity(params)
        return capacity is None or capacity >= puzzle_selection.ENOUGH

    def draw_puzzle(self, params: P, draw: Draw) -> Z:
        """Return a puzzle with its terms that the reference player wins, however cheaply.

        Raises:
            Reject: it does not.
        """
        return self.fill_terms(params, self.make(params, draw))

    def fill_terms(self, params: P, puzzle: Z) -> Z:
        """Return a puzzle whose terms say its turns and what is promised of it.

        Args:
            params: the params.
            puzzle: the puzzle, as `make` returns one.

        Raises:
            Reject: the reference player does not win it.
        """
        puzzle = self._fill_known_terms(params, puzzle)
        return self._fill_reference_metrics(puzzle, self._reference_course(puzzle))

    def _fill_known_terms(self, params: P, puzzle: Z) -> Z:
        """Return a puzzle whose terms say all but what the reference player learned."""
        shown = self.without_hidden(puzzle)
        bound = self.bound(shown)
        turns = params.turns or self.turn_limit(params, shown, bound)
        puzzle = _replace_terms(puzzle, turns=turns, bound=bound, optimum=self.optimal_turns(shown))
        puzzle = self._fill_reference_turns(self._fill_promises(puzzle))
        needed = puzzle.terms.reference_turns
        if needed == 0:
            raise Reject("the reference player does not win")
        if params.tight:
            sure = bound is not None and bound <= turns
            puzzle = _replace_terms(puzzle, turns=bound if sure else needed)
            puzzle = self._fill_reference_turns(
                self._fill_promises(_replace_terms(puzzle, probability=None))
            )
        return puzzle

    def find_faults(self, instance: Z) -> list[str]:
        """Return what is false: the game must be open, and its terms those that follow from it."""
        state = self.start(instance)
        if self.result(instance, state) is not None:
            return ["the game is over before it begins"]
        terms = instance.terms
        shown = self.without_hidden(instance)
        proven = {"bound": self.bound(shown), "optimum": self.optimal_turns(shown)}
        bare = _replace_terms(instance, **proven, reference_turns=0, reference_bits=None)
        # Of what the reference player did the terms are no part: its play here is that of the row.
        again = self._fill_reference_turns(self._fill_promises(bare), instance)
        if again.terms.reference_turns == 0:
            return [f"the reference player does not win within {terms.turns} turns"]
        right = self._fill_reference_metrics(again, self._reference_course(instance)).terms
        return [
            f"{item.name} is {getattr(terms, item.name)!r}, not {getattr(right, item.name)!r}"
            for item in fields(terms)
            if getattr(terms, item.name) != getattr(right, item.name)
        ]

    def play_metrics(
        self, puzzle: Z, said: Sequence[Command], states: Sequence[S]
    ) -> Mapping[str, float]:
        """Return the figures of what the player knew, if its worlds can be told."""
        worlds = self.candidate_set(puzzle)
        if worlds is None:
            return {}
        found = belief_metrics(
            worlds, self._iterate_exchanges(puzzle, said, states), self.questions, self.answers
        )
        if best := puzzle.terms.reference_bits:
            found["bits_against_reference"] = found["bits_a_command"] / best
        return found | {"compared": float(bool(best))}

    def sample_exchange(self, puzzle: Z) -> str:
        """Return the sample, played."""
        return self._play_sample

    @cached_property
    def _play_sample(self) -> str:
        sample = self.sample
        lines = [f"An example of an exchange, in another game. {sample.before}"]
        episode = self.open(sample.puzzle)
        for said in sample.said:
            answer = episode.reply(self.format_command(said))
            lines.append(f"You: {self.format_command(said)}")
            if isinstance(answer, Outcome):
                won = answer.metrics["solved"]
                lines.append(f"(The game is over: you have {'won' if won else 'lost'}.)")
                break
            parts = answer.messages[-1].parts
            # How many turns are left is of the game that is played, not of the example.
            said_back = [part.text for part in parts if isinstance(part, TextPart)]
            lines += [f"I: {_TURNS_LEFT.sub('', text)}" for text in said_back]
        return "\n".join(lines)

    @cached_property
    def _secret_columns(self) -> tuple[str, ...]:
        """The names of the columns that play uncovers."""
        return tuple(column.name for column in self.columns if column.role == "secret")

    def _fill_promises(self, puzzle: Z) -> Z:
        """Return a puzzle whose terms say what is promised of it; turns and bound are known."""
        terms = puzzle.terms
        if terms.bound is not None and terms.bound <= terms.turns:
            return _replace_terms(puzzle, guarantee="adversarial", probability=1.0)
        odds = self.win_probability(self.without_hidden(puzzle))
        guarantee = "instance" if odds is None else "probability"
        return _replace_terms(puzzle, guarantee=guarantee, probability=odds)

    def _fill_reference_turns(self, puzzle: Z, same: Z | None = None) -> Z:
        """Return a puzzle whose terms say in how many turns the reference player wins; 0 for never.

        Args:
            puzzle: the puzzle.
            same: the same puzzle, whose play may be known already.
        """
        said, states = self._reference_course(puzzle if same is None else same)
        if self.result(puzzle, states[-1]) is not True:
            return puzzle
        puzzle = _replace_terms(puzzle, reference_turns=len(said))
        self._memoize_course(puzzle, said, states)
        return puzzle

    def _fill_reference_metrics(
        self, puzzle: Z, course: tuple[Sequence[Command], Sequence[S]]
    ) -> Z:
        """Return a puzzle whose terms say what the reference player learned.

        Args:
            puzzle: the puzzle.
            course: what that player said, and the states.
        """
        worlds = self.candidate_set(puzzle)
        if worlds is not None:
            bits = bits_a_command(worlds, self._iterate_exchanges(puzzle, *course))
            puzzle = _replace_terms(puzzle, reference_bits=bits)
        self._memoize_course(puzzle, *course)
        return puzzle

    def _iterate_exchanges(
        self, puzzle: Z, said: Sequence[Command], states: Sequence[S]
    ) -> Iterator[tuple[Command, Hashable, bool]]:
        """Yield each command of a play, what it was answered, and whether it won."""
        for command, after in zip(said, states[1:], strict=True):
            won = self.result(puzzle, after)
            yield command, (self.observe(puzzle, after), won), won is True


def blank_terms(
    category: Category, *, turns: int = TURNS, first_luck: float = 0.0, seed: str = ""
) -> Terms:
    """Return terms that promise nothing yet, for puzzles that are being made, and for samples.

    Args:
        category: the paper's class of the game.
        turns: the turns.
        first_luck: greatest chance of any first command to win at once.
        seed: what random draws follow from.
    """
    return Terms(category, turns, "instance", None, None, None, 0, None, first_luck, seed, False)


def _replace_terms(puzzle: Z, **terms: Any) -> Z:
    """Return a puzzle with other terms."""
    changed: Z = replace(puzzle, terms=replace(puzzle.terms, **terms))  # type: ignore[type-var]
    return changed
