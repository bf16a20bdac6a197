"""The base class of the forty arcade games, on top of facelet.generators.core.text_game.

A game defines its rules, words and reference player as every game does, and besides:

    make(params, draw)             a puzzle whose terms are `self.terms(params, draw, ...)`
    bound(shown)                   turns within which the reference player surely wins, if known
    optimal_turns(shown)           the fewest turns within which any player surely wins, if known
    random_command(puzzle, ...)    a legal command of a player that only knows the rules
    list_candidates(shown)         every puzzle with the same first prompt, where they can be listed
    draw_lookalikes(puzzle, ...)   puzzles with the same first prompt, drawn from their distribution
    shortest_commands(puzzle)      the shortest winning commands of a player that sees everything
    lucky, unread                  upper bounds on the win rates of players that ignore replies
    sample                         a small puzzle and commands: the exchange that prompts show
    deviations                     where the game departs from the paper

The base derives the columns that all games share (facelet.generators.arcade.base.shared_columns),
the turn budget, the guarantee of a row, the example in the prompt, and metrics of what a player
knew. A reply that cannot be read and a command that is not allowed cost a turn each, as the paper
counts; a game that ends instead declares `illegal`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar, get_args

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
from facelet.generators.core.measures import Measure
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replies.command import Command
from facelet.generators.core.row_schema import nest_record
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome, Reject
from facelet.generators.core.text_game import MEASURES, Game, Luck, Player


@dataclass(frozen=True, slots=True)
class ArcadePuzzle:
    """The base of the puzzles of all games: it holds the columns that they share."""

    terms: Terms = nest_record(Terms)


P = TypeVar("P", bound=ArcadeParams)
Z = TypeVar("Z", bound=ArcadePuzzle)
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Sample(Generic[Z]):
    """An exchange that prompts show as an example; the rules give its answers.

    Attributes:
        puzzle: a puzzle that no level makes.
        commands: legal commands.
        before: the position of the example, in words.
    """

    puzzle: Z
    commands: tuple[Command, ...]
    before: str


class NoLuck(Luck):
    """The randomness of a step in a game that draws nothing."""

    __slots__ = ()

    @property
    def rng(self) -> np.random.Generator:
        """Raise: a game that draws at random sets `by_luck`."""
        raise RuntimeError(
            "a step of this game draws from luck; set `by_luck` and define `list_outcomes`"
        )

    def draw_index(self, count: int) -> int:
        """Return 0 of one number; raise as `rng` does of more."""
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
WON_BY_RULE = WON_CHEAPLY._replace(
    here=f"{WON_CHEAPLY.here}; so are those that an obvious rule wins",
    why="an obvious rule, legal commands, or one list of commands win many puzzles",
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


def blind_limits(shares: Mapping[int, float], reason: str) -> Mapping[int, BlindLimit]:
    """Return the limits of a game that players often win without reading a reply, by level.

    Args:
        shares: by level, the share of puzzles that they may win.
        reason: the reason, in words for the card of a dataset.
    """
    return MappingProxyType({level: BlindLimit(share, reason) for level, share in shares.items()})


REPEATED = "the paper draws each puzzle anew, and its small games have fewer than it asks for"


class ArcadeGame(Game[P, Z, S], Generic[P, Z, S], vocabulary=True):
    """A game of the arcade.

    The type arguments of a game are its params, its puzzle and its state; the first two are also
    its `params` and `instance`.

    Attributes:
        category: the paper's class of the game.
        sample: the example in its prompts.
        questions: names of the forms that ask what is hidden.
        answers: names of the forms that name what is hidden.
        by_luck: whether steps draw from luck.
        lucky: by level, limits for players that repeat legal commands or one fixed list of commands
            (facelet.generators.options.prompt_only_players), where the default limit of audits is
            too low; the limit of level 3 holds for later levels too.
        unread: upper bound, at the paper's levels, on the win rate of a list of commands that
            depends on the prompt and on no reply; a test tries it.
        picks_from: the first level with enough puzzles to skip those that are won cheaply
            (facelet.generators.arcade.base.puzzle_selection).
        picks_to: the last level at which such puzzles are skipped.
        beats_rule: whether puzzles that the obvious rule of the game wins are skipped, at all
            levels from `picks_from` on.
        spare: turns beyond those of a sure win, where the paper's fifteen let a player win that
            wanders or guesses: one number, or one for each of the paper's levels, of which the
            third holds for later levels. None for the paper's turns.
        planning: whether the first prompt reveals everything, so that the game measures planning.
    """

    category: ClassVar[Category]
    classed_by = "category"
    summed = ("guarantee", "reference_turns", "turns")
    sample: ClassVar[Sample[Any]]
    questions: ClassVar[frozenset[str]] = frozenset()
    answers: ClassVar[frozenset[str]] = frozenset()
    by_luck: ClassVar[bool] = False
    lucky: ClassVar[Mapping[int, BlindLimit]] = MappingProxyType({})
    unread: ClassVar[float] = 0.25
    picks_from: ClassVar[int] = 1
    picks_to: ClassVar[int] = 9
    beats_rule: ClassVar[bool] = False
    spare: ClassVar[int | tuple[int, int, int] | None] = None
    planning: ClassVar[bool] = False

    def __init_subclass__(cls, *, vocabulary: bool = False, **kwargs: Any) -> None:
        """Derive the params, the columns and the measures of a game."""
        if not vocabulary and (bases := vars(cls).get("__orig_bases__")):
            cls.params, cls.instance = get_args(bases[0])[:2]
        super().__init_subclass__(vocabulary=vocabulary, **kwargs)
        if "deviations" in vars(cls) and cls.picks_from <= LAST:
            cls.deviations = (*cls.deviations, WON_BY_RULE if cls.beats_rule else WON_CHEAPLY)
        if "measures" not in vars(cls):
            cls.measures = (*MEASURES, *cls._own_measures())

    @classmethod
    def _own_measures(cls) -> tuple[Measure, ...]:
        """Return the measures of what players knew, if the game has candidates."""
        own = cls.list_candidates, cls.candidate_set
        base = ArcadeGame.list_candidates, ArcadeGame.candidate_set
        return belief_measures(cls.questions, cls.answers) if own != base else ()

    # --- what a game defines ----------------------------------------------------------------------

    def bound(self, shown: Z) -> int | None:
        """Return the turns within which the reference player surely wins.

        The bound holds whatever is hidden, drawn or played against it. None if there is no bound or
        none is known. A test proves it: by playing every candidate, or by minimax.

        Args:
            shown: the puzzle without what it hides.
        """
        return None

    def optimal_turns(self, shown: Z) -> int | None:
        """Return the fewest turns within which some player surely wins; None if not known.

        The value comes from an exact search of every strategy, never from an estimate.

        Args:
            shown: the puzzle without what it hides.
        """
        return None

    def win_probability(self, shown: Z) -> float | None:
        """Return the probability that the reference player wins, where it does not surely win.

        None if it is not known; then the row alone is guaranteed.
        """
        return None

    def turn_limit(self, params: P, shown: Z, bound: int | None) -> int:
        """Return the turns of a puzzle: the paper's, or the bound if that is more.

        Where `spare` is set: the bound and so many turns more.

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
        """Draw a legal command, for a player that only knows the rules.

        Every legal command is possible, and commands that end a game have a fair chance.

        Args:
            puzzle: the puzzle; the draw does not depend on its hidden columns.
            state: the state.
            rng: the randomness.
        """

    def list_candidates(self, shown: Z) -> Iterable[Z] | None:
        """Return every complete puzzle with the same first prompt; None if there are too many.

        A game that defines this method gets the metrics of what its players knew.
        """
        return None

    def draw_lookalikes(self, puzzle: Z, count: int, rng: np.random.Generator) -> Sequence[Z]:
        """Draw puzzles with the same first prompt, as `make` distributes them given that prompt.

        By default an even choice of the candidates, with new luck. A game whose candidates are too
        many to list, or not equally likely, redefines this method. () if nothing is hidden.

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
        """Return the shortest winning commands of a player that sees everything; () if not known.

        Where the reference player explores first, these commands of other puzzles are the better
        start of one fixed list for all puzzles.
        """
        return ()

    def candidate_set(self, puzzle: Z) -> CandidateSet | None:
        """Return the candidates at the start as a set that learns from answers; None without any.

        A game may redefine this method to be faster; a test compares it with `SimulatedCandidates`.
        """
        found = self.list_candidates(self.without_hidden(puzzle))
        return None if found is None else SimulatedCandidates(self, found)

    def wins_randomly(self, puzzle: Z, rng: np.random.Generator) -> bool:
        """Return whether a player that draws legal commands wins.

        A game may redefine this method to be faster. It must draw the same numbers and return the
        same result; a test compares them.

        Args:
            puzzle: the puzzle.
            rng: what `random_command` draws from.
        """
        return puzzle_selection.wins_by_random_commands(self, puzzle, rng)

    def wins_by(self, puzzle: Z, commands: Sequence[Command]) -> bool:
        """Return whether a list of commands wins; a game may redefine this method to be faster.

        Args:
            puzzle: the puzzle.
            commands: the commands; replies to them are ignored.
        """
        return puzzle_selection.wins_by_commands(self, puzzle, commands)

    def wins_by_player(self, puzzle: Z, play: Callable[[Any], Player]) -> bool:
        """Return whether a player wins; after a refused command it is sent None.

        Args:
            puzzle: the puzzle; the player receives it without its hidden columns.
            play: begins a play.
        """
        return puzzle_selection.wins_by_player(self, puzzle, play)

    def reference_plan(self, puzzle: Z) -> Sequence[Command]:
        """Return the reference player's commands in a puzzle, or the part of them that can win.

        Both win the same puzzles among those with the same first prompt.

        Args:
            puzzle: the puzzle.
        """
        return self.play_reference(puzzle)[0]

    def hidden_target(self, puzzle: Z, state: S) -> Hashable:
        """Return what has to be found out, as it is now; by default the secret columns."""
        return tuple(getattr(puzzle, name) for name in self._secret_columns)

    def list_outcomes(self, puzzle: Z, state: S, command: Command) -> Iterable[S]:
        """Return every state that a legal command may lead to, whatever luck does.

        Args:
            puzzle: the puzzle.
            state: the state before.
            command: the command.
        """
        return (self.step(puzzle, state, command, NO_LUCK),)

    # --- what follows -----------------------------------------------------------------------------

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return the limit of players that ignore replies, where it is above the default.

        The paper's own sizes, turns and rules have no limit: the audit refuses nothing of them, and
        the floor of a dataset shows how often they are won without reading a reply.
        """
        if params.published:
            return BlindLimit(1.0, PUBLISHED)
        return self.lucky.get(min(params.level, LEVELS[-1]))

    def repeat_reason(self, params: P) -> str:
        """Return why puzzles may be equal: the paper asks for more than its small games have."""
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
        """Return the turns of the row."""
        return puzzle.terms.turns

    def hides_history(self, puzzle: Z) -> bool:
        """Return whether the row hides the history."""
        return puzzle.terms.forgetful

    def step_luck(self, puzzle: Z, number: int) -> Luck:
        """Return the randomness of a step."""
        return Luck(self.name, puzzle.terms.seed, number) if self.by_luck else NO_LUCK

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[Z]:
        """Return the puzzle with its terms, once the reference player has won it.

        Raises:
            Reject: the reference player does not win it, or cheap players win it too often.
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
        """Return whether there are enough puzzles to skip those that are won cheaply."""
        last = LAST if self.beats_rule else self.picks_to
        if params.published or not self.picks_from <= params.level <= last:
            return False
        capacity = self.capacity(params)
        return capacity is None or capacity >= puzzle_selection.ENOUGH

    def draw_puzzle(self, params: P, draw: Draw) -> Z:
        """Return a puzzle with its terms that the reference player wins, without selection.

        Raises:
            Reject: the reference player does not win it.
        """
        return self.fill_terms(params, self.make(params, draw))

    def fill_terms(self, params: P, puzzle: Z, *, informed: bool = False) -> Z:
        """Return a puzzle with complete terms.

        Args:
            params: the params.
            puzzle: the puzzle, as `make` returns one.
            informed: accept `shortest_commands` as the proof where the reference player loses.

        Raises:
            Reject: the reference player does not win it.
        """
        puzzle = self._fill_known_terms(params, puzzle, informed=informed)
        return self._fill_reference_metrics(puzzle, self._row_course(puzzle))

    def _fill_known_terms(self, params: P, puzzle: Z, *, informed: bool = False) -> Z:
        """Return a puzzle with all terms but `reference_bits`."""
        shown = self.without_hidden(puzzle)
        bound = self.bound(shown)
        turns = params.turns or self.turn_limit(params, shown, bound)
        puzzle = _replace_terms(puzzle, turns=turns, bound=bound, optimum=self.optimal_turns(shown))
        puzzle = self._fill_reference_turns(self._fill_promises(puzzle))
        if informed:
            puzzle = self._fill_reference_turns(puzzle, self._row_course(puzzle))
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
        """Return the faults: the game must be open, and its terms must follow from the puzzle."""
        state = self.start(instance)
        if self.result(instance, state) is not None:
            return ["the game is over before it begins"]
        terms = instance.terms
        shown = self.without_hidden(instance)
        proven = {"bound": self.bound(shown), "optimum": self.optimal_turns(shown)}
        bare = _replace_terms(instance, **proven, reference_turns=0, reference_bits=None)
        # The reference player does not read the terms, so its play here is that of the row.
        course = self._row_course(instance)
        again = self._fill_reference_turns(self._fill_promises(bare), course)
        if again.terms.reference_turns == 0:
            return [f"the reference player does not win within {terms.turns} turns"]
        right = self._fill_reference_metrics(again, course).terms
        return [
            f"{item.name} is {getattr(terms, item.name)!r}, not {getattr(right, item.name)!r}"
            for item in fields(terms)
            if getattr(terms, item.name) != getattr(right, item.name)
        ]

    def play_metrics(
        self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]
    ) -> Mapping[str, float]:
        """Return the metrics of what the player knew, if the game has candidates."""
        if (candidates := self.candidate_set(puzzle)) is None:
            return {}
        found = belief_metrics(
            candidates,
            self._iterate_exchanges(puzzle, commands, states),
            self.questions,
            self.answers,
        )
        if best := puzzle.terms.reference_bits:
            found["bits_against_reference"] = found["bits_a_command"] / best
        return found | {"compared": float(bool(best))}

    def sample_exchange(self, puzzle: Z) -> str:
        """Return the sample, played by the rules."""
        return self._play_sample

    @cached_property
    def _play_sample(self) -> str:
        sample = self.sample
        lines = [f"An example of an exchange, in another game. {sample.before}"]
        episode = self.open(sample.puzzle)
        for command in sample.commands:
            answer = episode.reply(self.format_command(command))
            lines.append(f"You: {self.format_command(command)}")
            if isinstance(answer, Outcome):
                won = answer.metrics["solved"]
                lines.append(f"(The game is over: you have {'won' if won else 'lost'}.)")
                break
            parts = answer.messages[-1].parts
            # The turns left belong to the example, not to the game that is played.
            said_back = [part.text for part in parts if isinstance(part, TextPart)]
            lines += [f"I: {_TURNS_LEFT.sub('', text)}" for text in said_back]
        return "\n".join(lines)

    @cached_property
    def _secret_columns(self) -> tuple[str, ...]:
        """The names of the columns that a play uncovers."""
        return tuple(column.name for column in self.columns if column.role == "secret")

    def _fill_promises(self, puzzle: Z) -> Z:
        """Return a puzzle with its guarantee and probability; turns and bound are known."""
        terms = puzzle.terms
        if terms.bound is not None and terms.bound <= terms.turns:
            return _replace_terms(puzzle, guarantee="adversarial", probability=1.0)
        odds = self.win_probability(self.without_hidden(puzzle))
        guarantee = "instance" if odds is None else "probability"
        return _replace_terms(puzzle, guarantee=guarantee, probability=odds)

    def _fill_reference_turns(
        self, puzzle: Z, course: tuple[Sequence[Command], Sequence[S]] | None = None
    ) -> Z:
        """Return a puzzle with its `reference_turns`; 0 if the reference player does not win.

        Args:
            puzzle: the puzzle.
            course: the commands and states of that play, if known.
        """
        commands, states = course or self._reference_course(puzzle)
        if self.result(puzzle, states[-1]) is not True:
            return puzzle
        puzzle = _replace_terms(puzzle, reference_turns=len(commands))
        self._memoize_course(puzzle, commands, states)
        return puzzle

    def _fill_reference_metrics(
        self, puzzle: Z, course: tuple[Sequence[Command], Sequence[S]]
    ) -> Z:
        """Return a puzzle with its `reference_bits`.

        Args:
            puzzle: the puzzle.
            course: the reference player's commands and states.
        """
        if (candidates := self.candidate_set(puzzle)) is not None:
            bits = bits_a_command(candidates, self._iterate_exchanges(puzzle, *course))
            puzzle = _replace_terms(puzzle, reference_bits=bits)
        self._memoize_course(puzzle, *course)
        return puzzle

    def _row_course(self, instance: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return a play that wins a row: the reference player's, else `shortest_commands`.

        Only imported rows can need the second: what `generate` makes is won by the first.
        """
        course = self._reference_course(instance)
        if self.result(instance, course[1][-1]) is True:
            return course
        return self._play_reference(instance, _play_script(self.shortest_commands(instance)))

    def _iterate_exchanges(
        self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]
    ) -> Iterator[tuple[Command, Hashable, bool]]:
        """Yield each command of a play, its answer, and whether it won."""
        for command, after in zip(commands, states[1:], strict=True):
            won = self.result(puzzle, after)
            yield command, (self.observe(puzzle, after), won), won is True


def blank_terms(
    category: Category, *, turns: int = TURNS, first_luck: float = 0.0, seed: str = ""
) -> Terms:
    """Return terms without a guarantee, for samples and for puzzles that are being made.

    Args:
        category: the paper's class of the game.
        turns: the turns.
        first_luck: greatest chance of any first command to win at once.
        seed: the seed of the random draws in a play.
    """
    return Terms(category, turns, "instance", None, None, None, 0, None, first_luck, seed, False)


def _play_script(commands: Sequence[Command]) -> Player:
    """Play a list of commands, whatever the answers."""
    for command in commands:  # noqa: UP028 - answers are sent, which a list cannot receive
        yield command


def _replace_terms(puzzle: Z, **terms: Any) -> Z:
    """Return a puzzle with other terms."""
    changed: Z = replace(puzzle, terms=replace(puzzle.terms, **terms))
    return changed
