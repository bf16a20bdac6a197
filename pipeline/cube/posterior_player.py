"""The Bayesian blind player of attempts (`cube/learning_curve`, `cube/recovery`).

It never looks at the cube. It knows how items are drawn: the start evenly among all states at its
distance, and four moves at a time by `facelet.generators.cube.attempts.rules`. Its posterior is the
weight of each start that fits all stated distances, offers and counts so far.

It takes the move with the greatest expected value, by dynamic programming over the distance, the
attempts left, whether attempts are counted, and how many offers it saw there. Where options are
drawn anew, an unreadable reply is a move too: it shows another offer. A value is the share of
resampled items that is won from there; it is measured in rounds, each played with the values of the
round before. Play that leads beyond the graph of states near solved is given up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import OPTIONS
from facelet.generators.cube.distance.near_graph import MOVE_BITS, NearGraph, Numbers
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import FACE_MOVES, SOLVED, UNIT_MOVES, Metric
from facelet.generators.cube.pools.pool_spec import draw_descent, shells_to
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.pipeline.audit.baseline_players import UNREADABLE, list_options, prompt_text

ROUNDS, PLAYS = 2, 600
"""Rounds that values are measured in, and plays of each."""

_FAR = re.compile(r"\bThe cube is (\d{1,2}) (?:move|quarter turn)s? from solved\b")
_ATTEMPT = re.compile(r"\bAttempt (\d+) of \d+\.")

Weights = npt.NDArray[np.float64]
Situation = tuple[int, int, bool, int]
"""The distance, the attempts left, whether attempts are counted, and the offers seen since the last
move: 1, or more where they are drawn anew."""


@dataclass(frozen=True, slots=True)
class AttemptForm:
    """What a blind player knows of the items of a level.

    Attributes:
        metric: what distances count.
        depth: distance of the starts.
        budget: attempts that are counted.
        redrawn: whether options are drawn anew at each attempt.
        recovery: whether attempts are counted only after the first deviation.
        taught: whether that is any reply but the teacher's move.
    """

    metric: Metric
    depth: int
    budget: int
    redrawn: bool
    recovery: bool
    taught: bool

    @classmethod
    def from_instance(cls, instance: Instance, *, recovery: bool) -> AttemptForm:
        """Return the form of an item."""
        return cls(
            instance.state.metric,
            instance.state.optimal_depth,
            instance.max_attempts,
            instance.redraw == "attempt",
            recovery,
            recovery and instance.deviation == "teacher",
        )


def weigh_offers(
    metric: Metric, closer: npt.NDArray[np.uint32], offered: int, *, taught: bool
) -> Weights:
    """Return how likely states are to offer four moves: `rules.attempt_options`, `taught_options`.

    Args:
        metric: what distances count.
        closer: the moves of each state that bring closer, as bits.
        offered: the four moves, as bits.
        taught: whether the other three are drawn from all moves but the teacher's.
    """
    legal, rest = len(UNIT_MOVES[metric]), OPTIONS - 1
    count = np.bitwise_count(closer).astype(np.intp)
    right = np.bitwise_count(closer & np.uint32(offered))
    likely = right / np.maximum(count, 1)
    even: Weights = likely / comb(legal - 1, rest)
    if taught:
        return even
    # Where fewer than three moves lead no closer, the others are drawn from all but the right one.
    sets = np.array([comb(legal - n, rest) for n in range(legal + 1)])[count]
    weights: Weights = np.where(sets > 0, likely * (right == 1) / np.maximum(sets, 1), even)
    return weights


@lru_cache(maxsize=4)
def graph_starts(metric: Metric, depth: int) -> tuple[NearGraph, Numbers]:
    """Return the graph of states near solved and the numbers of all starts of a depth."""
    graph = NearGraph(metric)
    return graph, graph.add_states(sorted(shells_to(metric, depth)[depth]))


@dataclass(frozen=True, slots=True)
class PosteriorPolicy:
    """Takes the move with the greatest expected value.

    Attributes:
        form: what it knows of the items.
        values: share won by situation.
        weight: what a reply counts.
    """

    form: AttemptForm
    values: Mapping[Situation, float]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return what replies to the prompts of one play."""
        return PosteriorPlay(self).next_reply


class PosteriorPlay:
    """What is known in one play.

    Attributes:
        candidates: the states that the cube may be in now.
        passed: the situation at each prompt.
    """

    def __init__(self, policy: PosteriorPolicy) -> None:
        """Begin with all starts."""
        self._policy, self._form = policy, policy.form
        self._graph, self.candidates = graph_starts(policy.form.metric, policy.form.depth)
        self._weights = np.ones(len(self.candidates))
        self._here = SOLVED  # what the moves so far make of a solved cube
        self._offered: set[tuple[str, bool]] = set()
        self._taught: Weights | None = None
        self._looks = 1
        self.passed: list[Situation] = []

    def next_reply(self, prompt: Prompt) -> str:
        """Return the reply to a prompt."""
        offers, text = list_options(prompt), prompt_text(prompt)
        stated, told = _FAR.findall(text), _ATTEMPT.search(text)
        if not stated or not offers or not {*offers.values()} <= {*UNIT_MOVES[self._form.metric]}:
            return UNREADABLE
        distance = int(stated[-1])
        counted = told is not None or not self._form.recovery
        left = self._form.budget + 1 - int(told[1]) if told else self._form.budget
        self.passed.append(now := (distance, left, counted, self._looks))
        letters = {FACE_MOVES.index(move): letter for letter, move in sorted(offers.items())}
        self._update_weights(sum(int(MOVE_BITS[move]) for move in letters), distance, counted)
        worth = {move: self._value_move(move, now) for move in letters}
        move = max(worth, key=lambda move: worth[move])
        if self._form.redrawn and self._find_value(distance, left - counted, True) > worth[move]:
            self._looks += 1
            return UNREADABLE
        self._looks = 1
        if not counted and self._form.taught:
            self._taught = self._share_taught(move)
        self.candidates = self._graph.neighbours[self.candidates, move]
        self._here = moves.apply_maneuver(self._here, (FACE_MOVES[move],))
        return f"<ANSWER>{letters[move]}</ANSWER>"

    def _update_weights(self, offered: int, distance: int, counted: bool) -> None:
        """Weigh states by what a prompt states: the count, the distance, the offer."""
        if self._taught is not None:
            self._weights = self._weights * (1 - self._taught if counted else self._taught)
            self._taught = None
        self._keep_candidates(self._graph.distances[self.candidates] == distance)
        self._graph.expand(self.candidates)
        taught = self._form.taught and not counted
        self._now_offered, asked = np.uint32(offered), (self._here, taught)
        if self._form.redrawn or asked not in self._offered:
            self._offered.add(asked)
            closer = self._graph.closer[self.candidates]
            self._weights = self._weights * weigh_offers(
                self._form.metric, closer, offered, taught=taught
            )
            self._keep_candidates(self._weights > 0)
        self._weights = self._weights / (self._weights.sum() or 1.0)

    def _keep_candidates(self, kept: npt.NDArray[np.bool_]) -> None:
        self.candidates, self._weights = self.candidates[kept], self._weights[kept]

    def _share_taught(self, move: int) -> Weights:
        """Return how likely a move is the teacher's in each state."""
        closer = self._graph.closer[self.candidates]
        count = np.bitwise_count(closer & self._now_offered)
        share: Weights = (closer & MOVE_BITS[move] > 0) / np.maximum(count, 1)
        return share

    def _value_move(self, move: int, now: Situation) -> float:
        """Return the share that is won after a move."""
        distance, left, counted, _ = now
        after = self._graph.distances[self._graph.neighbours[self.candidates, move]]
        free = np.zeros(len(after))  # the share of each state whose attempts are then not counted
        if not counted:
            free = self._share_taught(move) if self._form.taught else (after < distance) * 1.0
        masses = np.bincount(after, self._weights).tolist()
        uncounted = np.bincount(after, self._weights * free).tolist()
        total = masses[0] if masses else 0.0
        for reached in range(1, len(masses)):
            if masses[reached]:
                rest = masses[reached] - uncounted[reached]
                total += uncounted[reached] * self._find_value(reached, left, False, 1)
                total += rest * self._find_value(reached, left - counted, True, 1)
        return total

    def _find_value(
        self, distance: int, left: int, counted: bool, looks: int | None = None
    ) -> float:
        found = (distance, left, counted, self._looks + 1 if looks is None else looks)
        return self._policy.values.get(found, 0.0)


@cache
def build_policy(form: AttemptForm, *, waiting: bool = False) -> PosteriorPolicy:
    """Return the player of items of a form, its values measured by plays of resampled items.

    Args:
        form: what it knows of them.
        waiting: whether the first round tries unreadable replies.
    """
    starts = sorted(shells_to(form.metric, form.depth)[form.depth])
    values: Mapping[Situation, float] = {
        (distance, left, counted, looks): (0.4 + 0.2 * looks) ** distance
        for left in range(1, form.budget + 1)
        for distance in range(1, left + 1)
        for counted in (False, True)
        for looks in range(1, 2 + waiting)
    }
    for number in range(ROUNDS):
        policy = PosteriorPolicy(form, values)
        won: dict[Situation, list[bool]] = defaultdict(list)
        for place in range(PLAYS):
            rng = make_generator("posterior", "values", number, place)
            start = starts[int(rng.integers(len(starts)))]
            play = PosteriorPlay(policy)
            is_won = play_item(form, resample_item(form, start, rng), play.next_reply)
            for passed in {*play.passed}:
                won[passed].append(is_won)
        values = {passed: sum(wins) / len(wins) for passed, wins in won.items()}
    return PosteriorPolicy(form, values)


def play_item(form: AttemptForm, instance: Instance, says: Callable[[Prompt], str]) -> bool:
    """Return whether a player solves an item.

    Args:
        form: what is known of the items.
        instance: the item.
        says: returns the reply to a prompt.
    """
    episode = AttemptEpisode(instance, recovery=form.recovery)
    shown: Prompt | Outcome = episode.prompt()
    while not isinstance(shown, Outcome):
        shown = episode.reply(says(shown))
    return shown.status is Status.CORRECT


def resample_item(form: AttemptForm, start: str, rng: np.random.Generator) -> Instance:
    """Return an item of a form; nothing about it is certified.

    Args:
        form: what is known of the items.
        start: the state at the start, at the form's depth.
        rng: where options and the solution are drawn from.
    """
    solution = notation.format_maneuver(draw_descent(form.metric, start, rng))
    state = CertifiedState(
        facelets=start,
        metric=form.metric,
        optimal_depth=form.depth,
        solution=solution,
        sampling="exhaustive",
        family="",
        canonical="",
        exhausted=form.depth - 1,
        table_hash="",
        nodes=0,
    )
    return Instance(
        state,
        form.budget,
        "text",
        "facelets",
        rng.bytes(16).hex(),
        "attempt" if form.redrawn else "state",
        0.0,
        "teacher" if form.taught else "setback",
    )
