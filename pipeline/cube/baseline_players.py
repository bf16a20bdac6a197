"""Blind and partial-view players of cubes, and a Bayesian blind player of attempts.

The Bayesian player (`cube/learning_curve`, `cube/recovery`) never looks at the cube. It knows how
items are drawn: the start evenly among all states at its distance, and four moves at a time by
`facelet.generators.cube.attempts.rules`. Its posterior is the weight of each start that fits all
stated distances, offers and counts so far.

It takes the move with the greatest expected value, by dynamic programming over the distance, the
attempts left, whether attempts are counted, and how many offers it saw there. Where options are
drawn anew, an unreadable reply is a move too: it shows another offer. A value is the share of
resampled items that is won from there; it is measured in rounds, each played with the values of the
round before. Play that leads beyond the graph of states near solved is given up.

A covering tour is a list of quarter turns that passes every state within some moves of the start,
so it solves each cube that is at most that many moves from solved.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import comb
from operator import eq, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import OPTIONS
from facelet.generators.cube.attempts.task import AttemptTask
from facelet.generators.cube.deformation.deformation_task import CubeDeformation, CubeWriting
from facelet.generators.cube.distance.near_graph import MOVE_BITS, NearGraph, Numbers
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.cubies import from_facelets, permutation_parity
from facelet.generators.cube.engine.moves import turn_upright
from facelet.generators.cube.engine.notation import CENTRES, FACE_MOVES, SOLVED, UNIT_MOVES, Metric
from facelet.generators.cube.navigation.replies import Mode, format_commands
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE, draw_descent, shells_to
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.audit.baseline_players import (
    UNREADABLE,
    BlindPolicy,
    PartialViewPlayer,
    ReplyPieces,
    list_options,
    prompt_text,
)
from facelet.pipeline.audit.deformation_players import (
    PartialPlayer,
    WritingPlayer,
    build_drawing_looker,
    build_followers,
    last_half,
)
from facelet.pipeline.cube.visible_relations import MATCHING
from facelet.pipeline.family_modules import AnyTask

_LAST = "the last half of the rotations, rounded up, and never all"
_AHEAD = "the stickers at home after one move"
_STEPPING = ("cube/step_by_step", "cube/step_tree", "cube/navigate")
_QUESTIONS = ("cube/move_prediction", "cube/reflection")
_CORNER = itemgetter(8, 9, 20)  # the corner between the upper, right and front faces
_TURNS = tuple(sorted(UNIT_MOVES["qtm"]))


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    if isinstance(task, CubeWriting):
        if task.direction == "inverse":
            return {"fifty_lists": build_drawing_looker()}
        return {"last_half": WritingPlayer(_LAST, last_half).build_looker()}
    if isinstance(task, CubeDeformation):
        found = {
            "centres": PartialPlayer("the six centres alone", _centre_stickers),
            "one_sticker": PartialPlayer("one sticker, at which options differ most", followed=1),
            "quarter_turns": PartialPlayer(
                "whether the corners are an odd or an even order", _corner_parity
            ),
            "last_half": PartialPlayer(_LAST, keep_steps=last_half),
        }
        lookers = {name: player.build_looker(task.direction) for name, player in found.items()}
        lookers |= build_followers("sticker", task.direction)
        return {**lookers, "matching": MATCHING.build_looker(task.direction)}
    if task.name == "cube/verification":
        return {
            "one_sticker": PartialViewPlayer(
                "the top left sticker of the face alone", _verification_player(1)
            ),
            "top_row": PartialViewPlayer("the top row of the face alone", _verification_player(3)),
        }
    if task.name in _QUESTIONS:
        return {
            name: PartialViewPlayer(looks_at, partial(_play_best_option, score))
            for name, (looks_at, score) in _OPTION_SCORES.items()
        }
    if isinstance(task, AttemptTask) or task.name in _STEPPING:
        return {
            "one_ahead": PartialViewPlayer(
                _AHEAD, lambda instance, rng: _OneMovePlayer(instance, rng).next_reply
            )
        }
    if task.name == "cube/move_effect":
        return {"one_move": PartialViewPlayer("the first move alone", _one_move)}
    return {}


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "each sticker is asked for by itself, and who sees a part of them gets that part"


def _centre_stickers(stickers: Sequence[int]) -> Sequence[int]:
    return [stickers[place] for place in CENTRES]


def _corner_parity(stickers: Sequence[int]) -> Sequence[int]:
    """Return the parity of the corners, which each quarter turn of a face changes."""
    upright = turn_upright(bytes(stickers).decode())[0]
    return [permutation_parity(from_facelets(upright).cp)]


def _verification_player(
    seen: int,
) -> Callable[[Any, np.random.Generator], Callable[[Prompt], str]]:
    """Return what compares the first stickers of the face with what is claimed of them."""

    def begin_play(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
        said, face = instance.proposition, instance.visible_face
        if said.template == "full_face":
            holds = said.letters[:seen] == face[:seen]
        else:
            holds = bool(rng.integers(2))
        return lambda prompt: f"Answer: {'Yes' if holds != instance.negated else 'No'}"

    return begin_play


def _count_undone_stickers(state: str, option: str) -> int:
    turns = notation.parse_maneuver(option)
    undone = notation.invert_maneuver(turns[len(turns) // 2 :])
    return sum(map(eq, moves.apply_maneuver(SOLVED, undone), state))


_OPTION_SCORES: Mapping[str, tuple[str, Callable[[str, str], int]]] = {
    "front_face": (
        "what each option makes of the front face",
        lambda state, option: max(Counter(moves.apply_maneuver(state, option)[18:27]).values()),
    ),
    "one_piece": (
        "what each option makes of one corner",
        lambda state, option: _CORNER(moves.apply_maneuver(state, option)) == _CORNER(SOLVED),
    ),
    "last_moves": ("the last half of each option, undone from solved", _count_undone_stickers),
}


def _play_best_option(
    score: Callable[[str, str], int], instance: Any, rng: np.random.Generator
) -> Callable[[Prompt], str]:
    """Choose any of the options with the greatest score."""
    question = getattr(instance, "question", instance)
    scores = [score(question.state.facelets, option) for option in question.options]
    found = [place for place, one in enumerate(scores) if one == max(scores)]
    letter = LETTERS[found[int(rng.integers(len(found)))]]
    return lambda prompt: f"Answer: {letter}"


def _one_move(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Say what the first move does, and of the others what most moves do."""
    said = (instance.effects[0], *("INCREASE",) * (len(instance.effects) - 1))
    lines = [
        f"<{letter}> {effect} </{letter}>" for letter, effect in zip(LETTERS, said, strict=False)
    ]
    return lambda prompt: "\n".join(lines)


class _OneMovePlayer:
    """Takes the move after which most stickers are at home, never back to where it was."""

    def __init__(self, instance: Any, rng: np.random.Generator) -> None:
        node = getattr(instance, "node", None)
        self._facelets = instance.state.facelets if node is None else node.state
        self._mode: Mode | None = getattr(instance, "mode", None)
        self._rng = rng
        self._seen = {self._facelets}

    def next_reply(self, prompt: Prompt) -> str:
        """Return the letter of a move, or the move itself where any may be made."""
        offers = list_options(prompt)
        if not offers and self._mode is None:
            return UNREADABLE
        choices = offers or {turn: turn for turn in _TURNS}
        letter = max(
            choices, key=lambda name: (self._count_home(choices[name]), self._rng.random())
        )
        self._facelets = moves.apply_maneuver(self._facelets, choices[letter])
        self._seen.add(self._facelets)
        if offers or self._mode is None:
            return f"<ANSWER>{letter}</ANSWER>"
        return format_commands([letter], self._mode)

    def _count_home(self, move: str) -> int:
        """Return how many stickers are at home after a move; few where it has been already."""
        after = moves.apply_maneuver(self._facelets, move)
        if after in self._seen:
            return -1
        return sum(a == b for a, b in zip(after, SOLVED, strict=True))


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


LONGEST = 512
"""Turns of the longest random list."""
FAR = 3
"""Half-turn moves that the longest tour reaches."""
COST = 1 / 16
"""Plain replies that a turn counts as: turns are carried out fast."""


_STATE_TEXT = re.compile(
    r"^(?: *[a-z](?: +[a-z]){2,})(?:\n *[a-z](?: +[a-z]){2,})*$|\b(?:[A-Z]{54}|[a-z]{54})\b",
    re.MULTILINE,
)


def pieces(task: AnyTask, half: Sequence[Any]) -> ReplyPieces | None:
    """Return the turns that a list is made of; None for tasks without lists."""
    if task.name != "cube/navigate":
        return None
    join = partial(_format_turn_list, mode=half[0].mode)
    tours = [covering_tour(far) for far in range(1, FAR + 1)]
    series = tuple((join(turns), len(turns)) for turns in tours)
    return ReplyPieces(draw_turns, LONGEST, join, series, COST)


def players(task: AnyTask, half: Sequence[Any]) -> Mapping[str, Sequence[BlindPolicy]]:
    """Return the Bayesian player of attempts; none for other tasks.

    It knows depths whose states the generator enumerates. Farther away a player that undid its
    moves solved at most 2% with the default attempts.
    """
    if not isinstance(task, AttemptTask):
        return {}
    form = AttemptForm.from_instance(half[0], recovery=task.recovery)
    if form.depth > EXHAUSTIVE[form.metric]:
        return {}
    return {"posterior": [build_policy(form, waiting=waiting) for waiting in {False, form.redrawn}]}


def hide_puzzle(task: AnyTask, text: str) -> str | None:
    """Return a prompt's text without the states that it writes, as nets or as 54 letters.

    None for deformed cubes, whose pieces are written in many ways.
    """
    if isinstance(task, CubeDeformation | CubeWriting):
        return None
    return _STATE_TEXT.sub("(hidden)", text)


def draw_turns(length: int, rng: np.random.Generator) -> list[str]:
    """Return so many quarter turns."""
    return [_TURNS[place] for place in rng.integers(len(_TURNS), size=length)]


@cache
def covering_tour(far: int) -> tuple[str, ...]:
    """Return quarter turns that pass every state within `far` half-turn moves of the start."""
    return tuple(_iterate_tour(far, ""))


def _iterate_tour(far: int, last: str) -> Iterator[str]:
    """Yield the turns of a tour that ends where it began.

    Args:
        far: how many moves it may go away.
        last: the face that was turned last; it is not turned again.
    """
    for face in dict.fromkeys(turn[0] for turn in _TURNS):
        if face == last:
            continue
        for quarter in range(1, 5):  # quarter turns: by 90, 180 and 270 degrees, and home
            yield face
            if far > 1 and quarter < 4:
                yield from _iterate_tour(far - 1, face)


def _format_turn_list(turns: Sequence[str], *, mode: Mode) -> str:
    return format_commands(turns, mode, dense=True)
