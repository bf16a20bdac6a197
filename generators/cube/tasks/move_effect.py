"""Move effect: which moves bring the cube closer to solved? Cube Bench, 4.3.6, A.7, B.6.

The player sees text only, and states for each of four moves whether it decreases the exact
distance, leaves it, or increases it.

The effect of a move is the sign of the change of the exact distance: DECREASE, NO_CHANGE or
INCREASE. By two of the rules below an item shows each effect that its state has once, and fills the
rest by the paper's depth-aware target (Cube Bench, A.7.2; generators.options.doubled_classes).
Which item shows which effect twice follows from the pool alone.

How moves are related reveals something about their effects: where a turn of a face helps, no turn
of that face leads away, so near the solved cube the moves without effect share the face of the one
that helps. Three moves of one face and one of another thus reveal three of four effects. So there
are three rules for the moves of an item:

    varied  Two turns each of two faces on different axes, so that every move has the same
            relations to the others. The effects of the two turns of each face are the pattern of
            an item; of the patterns that a state has, one is drawn, with a weight of as many as it
            has different effects. So neither the number of moves of an effect nor that of one move
            gives the others away: four labels carry 2.7 bits at depth 1 and more beyond, where
            those of the next rule carry 2.
    even    Of all sets of four moves, one is drawn in which every move has the same relations
            to the others: two turns each of two faces on different axes, else any other set of that
            kind, else any set at all. An effect is shown twice only where a set of the best kind
            that the state has can do so. The relations then say nothing about which move is which.
    paper   Any set of moves that shows the effects, with any effect twice that has two moves.

A player that never sees the cube but compares the four moves with each other reaches a kappa of
0.51 to 0.58 by the paper's rule (depths 1 to 11, 600 to 2,000 items each); by the default rule all
moves have the same relations to the others, and kappa is 0. Near the solved cube most labels are
INCREASE; read kappa, not accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.measures import Confusion, MeanOf, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.record import FORM, read_labelled
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Claim, Column, Need, Outcome, Status
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import COST, FACES, is_solved
from facelet.generators.cube.questions.distinct_options import draw_different, draws_param
from facelet.generators.cube.states import certified_states, state_texts
from facelet.generators.cube.states.certified_states import (
    CertifiedState,
    CertifiedStates,
    distance_claim,
)
from facelet.generators.cube.states.state_task import SCRAMBLES, ItemParams, StateTask
from facelet.generators.cube.states.state_texts import Serialisation
from facelet.generators.options.doubled_classes import (
    ClassMix,
    arrange_slots,
    doublable_classes,
    draw_mixes,
    target_mix,
)
from facelet.generators.options.letter_placement import LETTERS

EFFECTS = ("DECREASE", "NO_CHANGE", "INCREASE")

MOVE_TEXT = r"[URFDLB][URFDLB2' ]{0,80}"
"""A regular expression for the moves of an option, which a reply may repeat before the effect."""

SLOTS = 4
"""Number of moves that an item shows."""

Rule = Literal["varied", "even", "paper"]
"""How the moves of an item are drawn; see the module."""

Pattern = tuple[tuple[str, ...], ...]
"""The effects of the two turns of each of two faces, sorted."""

_SETS = np.array(list(combinations(range(len(FACE_MOVES)), SLOTS)))
"""(3060, 4) all sets of four moves, as indices into FACE_MOVES."""


def _unevenness(chosen: Sequence[int]) -> int:
    """Return how much the relations of four moves may tell: 0 least, 2 most."""
    options = [FACE_MOVES[index] for index in chosen]
    profiles = {
        tuple(sorted(moves.turn_relation(one, two) for two in options if two != one))
        for one in options
    }
    if profiles == {("different axes", "different axes", "same face")}:
        return 0
    return 1 if len(profiles) == 1 else 2


_UNEVEN = np.array([_unevenness(chosen) for chosen in _SETS.tolist()])
"""(3060,) how much the relations in each set may tell."""


TWO_FACES = tuple(
    tuple(FACE_MOVES[k] for k in _SETS[place]) for place in np.flatnonzero(~_UNEVEN.astype(bool))
)
"""All sets of two turns each of two faces on different axes."""


def move_effects(neighbours: Sequence[int], depth: int) -> dict[str, str]:
    """Return the effect of each of the 18 face moves.

    Args:
        neighbours: exact distance after each, in the order of FACE_MOVES.
        depth: exact distance before.
    """
    return {
        move: classify_effect(after, depth)
        for move, after in zip(FACE_MOVES, neighbours, strict=True)
    }


def classify_effect(after: int, depth: int) -> str:
    """Return the effect of a move, from the exact distances after and before it."""
    return EFFECTS[1 + (after > depth) - (after < depth)]


@dataclass(frozen=True, slots=True)
class PoolEffects:
    """What follows from a whole pool for each of its items.

    Attributes:
        neighbours: for each state, the distance after each face move.
        mixes: for each item, which effects it shows; [] where that is drawn.
        target: target share of each effect, in the order of EFFECTS.
    """

    neighbours: list[tuple[int, ...]]
    mixes: list[ClassMix]
    target: tuple[float, ...]


@lru_cache(maxsize=8)
def pool_effects(pool: CertifiedStates, rule: Rule = "even", draws: int = 1) -> PoolEffects:
    """Return what follows from a pool for its items.

    Args:
        pool: the pool.
        rule: how the moves of an item are drawn.
        draws: items of each state.

    Raises:
        ValueError: the pool has no neighbour distances.
    """
    if pool.neighbours is None:
        raise ValueError("this pool has no neighbour distances; ask for them in `needs`")
    neighbours = [tuple(row) for row in pool.neighbours.tolist()]
    states = zip(neighbours, pool.states, strict=True)
    every = [move_effects(row, state.optimal_depth) for row, state in states]
    if rule == "varied":
        return PoolEffects(neighbours, [], draw_varied_mix(every))
    sizes = [{label: list(each.values()).count(label) for label in EFFECTS} for each in every]
    twice = [repeatable_effects(each, rule) for each in every]
    return PoolEffects(
        neighbours=neighbours,
        mixes=draw_mixes(sizes * draws, SLOTS, twice * draws),
        target=tuple(target_mix(sizes, twice).values()),
    )


def repeatable_effects(effect_of: Mapping[str, str], rule: Rule) -> tuple[str, ...]:
    """Return the effects that an item may show twice.

    Args:
        effect_of: face move -> effect.
        rule: how the moves of an item are drawn.
    """
    several = doublable_classes({label: list(effect_of.values()).count(label) for label in EFFECTS})
    if rule == "paper" or len(set(effect_of.values())) < len(EFFECTS):
        return several
    counts = _effect_counts(effect_of)
    least = {
        label: int(_UNEVEN[_matching_sets(counts, Counter((*EFFECTS, label)))].min())
        for label in several
    }
    return tuple(label for label in several if least[label] == min(least.values()))


def _effect_counts(effect_of: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Return how many moves of each effect each set of four has: (3060, effects)."""
    of_move = np.array([EFFECTS.index(effect_of[move]) for move in FACE_MOVES])
    return np.stack([(of_move[_SETS] == k).sum(axis=1) for k in range(len(EFFECTS))], axis=1)


def _matching_sets(
    counts: npt.NDArray[np.int64], wanted: Mapping[str, int]
) -> npt.NDArray[np.int64]:
    """Return the sets with the wanted number of moves of each effect."""
    return np.flatnonzero((counts == [wanted.get(label, 0) for label in EFFECTS]).all(axis=1))


def choose_moves(
    effect_of: Mapping[str, str], slots: Sequence[str], rng: np.random.Generator, rule: Rule
) -> tuple[str, ...]:
    """Return a move with the wanted effect for each slot, all different.

    Uniform among all choices, or among those whose relations tell least.

    Args:
        effect_of: face move -> effect.
        slots: the effect that each slot shall show.
        rng: the item's generator.
        rule: how the moves are drawn.
    """
    fitting = _matching_sets(_effect_counts(effect_of), Counter(slots))
    if rule == "even":
        fitting = fitting[_UNEVEN[fitting] == _UNEVEN[fitting].min()]
    pick = _SETS[fitting[int(rng.integers(len(fitting)))]]
    ready: dict[str, list[str]] = {label: [] for label in slots}
    for index in rng.permutation(pick):
        move = FACE_MOVES[int(index)]
        ready[effect_of[move]].append(move)
    return tuple(ready[effect].pop() for effect in slots)


def effect_patterns(effect_of: Mapping[str, str]) -> dict[Pattern, list[tuple[str, ...]]]:
    """Return the sets of two turns each of two faces on different axes, by their pattern.

    Args:
        effect_of: face move -> effect.
    """
    found: dict[Pattern, list[tuple[str, ...]]] = {}
    for chosen in TWO_FACES:
        faces = dict.fromkeys(move[0] for move in chosen)
        pairs = (
            tuple(sorted(effect_of[move] for move in chosen if move[0] == face)) for face in faces
        )
        found.setdefault(tuple(sorted(pairs)), []).append(chosen)
    return found


def draw_varied_moves(effect_of: Mapping[str, str], rng: np.random.Generator) -> tuple[str, ...]:
    """Return four moves of a pattern that is drawn, in random order.

    Args:
        effect_of: face move -> effect.
        rng: the item's generator.
    """
    sets = effect_patterns(effect_of)
    weights = _pattern_weights(sorted(sets))
    pattern = sorted(sets)[int(rng.choice(len(sets), p=weights))]
    chosen = sets[pattern][int(rng.integers(len(sets[pattern])))]
    return tuple(chosen[int(place)] for place in rng.permutation(SLOTS))


def draw_varied_mix(every: Sequence[Mapping[str, str]]) -> tuple[float, ...]:
    """Return the share of each effect that `draw_varied_moves` draws over some states."""
    total = np.zeros(len(EFFECTS))
    for effect_of in every:
        found = sorted(effect_patterns(effect_of))
        for pattern, weight in zip(found, _pattern_weights(found), strict=True):
            labels = [label for pair in pattern for label in pair]
            total += weight * np.array([labels.count(effect) for effect in EFFECTS]) / SLOTS
    return tuple((total / len(every)).tolist())


def _pattern_weights(found: Sequence[Pattern]) -> npt.NDArray[np.float64]:
    """Return the probability of each pattern: as many parts as it has different effects."""
    parts = np.array([len({label for pair in pattern for label in pair}) for pattern in found])
    shares: npt.NDArray[np.float64] = parts / parts.sum()
    return shares


def list_refuted_distances(state: CertifiedState, neighbours: Sequence[int]) -> list[str]:
    """Return which distances simulation refutes, in words; empty if none.

    Args:
        state: the state.
        neighbours: the distances claimed, in the order of FACE_MOVES.
    """
    wrong = []
    cost = dict(zip(FACE_MOVES, COST[state.metric] * 6, strict=True))
    distance = dict(zip(FACE_MOVES, neighbours, strict=True))
    for move, claimed in distance.items():
        if is_solved(moves.apply_maneuver(state.facelets, (move,))) != (claimed == 0):
            wrong.append(f"{move} is said to lead to distance {claimed}")
        if abs(claimed - state.optimal_depth) > cost[move]:
            wrong.append(f"{move} alone cannot change {state.optimal_depth} to {claimed}")
    first = state.witness_moves[0]
    if distance[first] != state.optimal_depth - cost[first]:
        wrong.append(f"the witness begins with {first}, said to lead to {distance[first]}")
    return wrong


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task.

    From depth 17 (htm) on some effects become rare; an item whose state lacks an effect shows
    another one twice.
    """

    state_text: Serialisation = param("net", state_texts.STATE_TEXT)
    draws: int = draws_param()
    options: Rule = param(
        "varied",
        "how moves are drawn: two turns of two faces with any effects (varied), or with each "
        "effect once and one twice (even), or as in the paper",
    )


@dataclass(frozen=True, slots=True)
class Instance:
    """A state and four moves.

    Attributes:
        state: the certified state.
        neighbours: exact distance after each of the 18 face moves, in the order of FACE_MOVES.
        options: four moves, in the order of their letters.
        effects: the effect of each.
        doubled: the effect that is shown twice because the target mix asks for it; "" where the
            effects are drawn.
        target: the target share of each effect at this depth, in the order of EFFECTS.
        serialisation: how the state is written.
        rule: how the moves were drawn.
    """

    state: CertifiedState
    neighbours: tuple[int, ...]
    options: tuple[str, ...]
    effects: tuple[str, ...]
    doubled: str
    target: tuple[float, ...]
    serialisation: Serialisation
    rule: Rule

    def of_move(self) -> dict[str, str]:
        """Return the effect of each face move, from the distances."""
        return move_effects(self.neighbours, self.state.optimal_depth)


_made = fast_constructor(Instance)


class MoveEffect(QuestionTask[Params, Instance], StateTask[Params, Instance]):
    """The task; see the module.

    Metric of an outcome: micro_accuracy, the share of the four effects that are right.
    """

    name: ClassVar[str] = "cube/move_effect"
    version: ClassVar[int] = 4
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column("options", "list<string>", "the four moves A to D", role="options"),
        Column(
            "effects",
            "list<string>",
            "effect of each: DECREASE, NO_CHANGE or INCREASE",
            role="answer",
        ),
        Column("doubled", "string", "effect shown twice by the target mix; empty where drawn"),
        Column("doubled_slots", "string", "letters of the options with that effect"),
        Column("doublable", "list<string>", "effects that could be shown twice", role="doublable"),
        Column("target_mix", "list<float64>", "target shares of DECREASE, NO_CHANGE, INCREASE"),
        Column("neighbours", "list<int8>", "distance after U U2 U' R ... B', 18 face moves"),
        Column("optimal_first_moves", "list<string>", "face moves that begin a shortest solution"),
        Column("state_text", "string", "how the prompt writes the state: net or facelets"),
        Column("rule", "string", "how moves were drawn: varied, even or paper"),
    )
    decided_by: ClassVar[tuple[str, ...]] = ("effects",)
    whole_pool: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Confusion(classes=EFFECTS),
        MeanOf(metric="micro_accuracy"),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "each effect of a state is shown once, one of them twice",
            "two turns each of two faces on different axes; effects vary in kind and number",
            "a player that compares only the moves reaches a kappa of 0.51 to 0.58 under the "
            "paper's rule, and one label reveals others",
            "options=paper",
        ),
        SCRAMBLES,
    )

    def needs(self, params: Params) -> Need:
        """Return the pool of the depth, with neighbour distances."""
        return params.item_need(neighbours=True)

    def reply_form(self, instance: Instance) -> str:
        """Return that every option's effect is asked for."""
        return "effects"

    def chance_level(self, params: Params) -> Chance:
        """Return one class of three, for each option."""
        return ExactChance(1 / 3, "labels")

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what the commonest class scores; by the paper's rule, comparing options."""
        if params.options != "paper":
            return BlindLimit(0.65, "most labels are INCREASE; to say so always is kappa 0")
        return BlindLimit(0.75, "each class is shown at least once, so the faces of options tell")

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state with four of its moves.

        Raises:
            ValueError: the pool has no neighbour distances.
        """
        whole = pool_effects(resource, params.options, self.items_per_state(params))

        def draw_instance(own: Draw) -> Instance:
            state = resource.of_item(own.index)
            neighbours = whole.neighbours[own.index % resource.capacity]
            of_move = move_effects(neighbours, state.optimal_depth)
            if params.options == "varied":
                options, doubled = draw_varied_moves(of_move, own.rng), ""
            else:
                mix = whole.mixes[own.index]
                slots = arrange_slots(mix, own.path)
                options, doubled = (
                    choose_moves(of_move, slots, own.rng, params.options),
                    mix.doubled,
                )
            return Instance(
                state=state,
                neighbours=neighbours,
                options=options,
                effects=tuple(of_move[option] for option in options),
                doubled=doubled,
                target=whole.target,
                serialisation=params.state_text,
                rule=params.options,
            )

        return (
            draw_different(
                draw, resource.capacity, draw_instance, lambda one: frozenset(one.options)
            ),
        )

    def gold_answer(self, instance: Instance) -> str:
        """Return the four effects, in the order of the letters."""
        return " ".join(instance.effects)

    def reference(self, instance: Instance) -> list[str]:
        """Return the right effects in the requested format."""
        labels = zip(LETTERS, instance.effects, strict=True)
        return ["\n".join(FORM.format(key=letter, value=effect) for letter, effect in labels)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the effects or, where it shows, the distances."""
        state = instance.state
        if wrong := certified_states.find_state_faults(state):
            return wrong
        if len(instance.neighbours) != len(FACE_MOVES):
            return [f"{len(instance.neighbours)} neighbour distances instead of 18"]
        if len(set(instance.options)) != len(LETTERS) or not set(instance.options) <= set(
            FACE_MOVES
        ):
            return [f"the options {list(instance.options)} are not four face moves"]
        of_move = instance.of_move()
        if instance.effects != tuple(of_move[option] for option in instance.options):
            wrong.append("the effects are not those that the distances give")
        if instance.rule not in get_args(Rule):
            return [*wrong, f"unknown rule {instance.rule!r}"]
        if instance.rule == "varied":
            if not any(set(instance.options) == set(one) for one in TWO_FACES):
                wrong.append("the options are not two turns each of two faces on different axes")
            return wrong + list_refuted_distances(state, instance.neighbours)
        if set(instance.effects) != set(of_move.values()):
            wrong.append("the options do not show each effect that the state has")
        if instance.effects.count(instance.doubled) < 2:
            wrong.append(f"{instance.doubled!r} is not shown twice")
        return wrong + list_refuted_distances(state, instance.neighbours)

    def claims(self, instance: Instance) -> tuple[Claim, ...]:
        """Return the depth of the state and of all its neighbours."""
        state = instance.state
        return (
            *certified_states.depth_claims(state),
            *(
                distance_claim(moves.apply_maneuver(state.facelets, move), state.metric, distance)
                for move, distance in zip(FACE_MOVES, instance.neighbours, strict=True)
            ),
        )

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        of_move = instance.of_move()
        slots = zip(LETTERS, instance.effects, strict=True)
        return {
            **certified_states.encode_state(instance.state),
            "options": list(instance.options),
            "effects": list(instance.effects),
            "doubled": instance.doubled,
            "doubled_slots": "".join(x for x, effect in slots if effect == instance.doubled),
            "doublable": []
            if instance.rule == "varied"
            else [*repeatable_effects(of_move, instance.rule)],
            "target_mix": list(instance.target),
            "neighbours": list(instance.neighbours),
            "optimal_first_moves": [m for m, e in of_move.items() if e == "DECREASE"],
            "state_text": instance.serialisation,
            "rule": instance.rule,
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(
            state=certified_states.decode_state(row),
            neighbours=tuple(row["neighbours"]),
            options=tuple(row["options"]),
            effects=tuple(row["effects"]),
            doubled=row["doubled"],
            target=tuple(row["target_mix"]),
            serialisation=row["state_text"],
            rule=row["rule"],
        )

    def _question_prompt(self, instance: Instance) -> Prompt:
        state = instance.state
        halves = "one move" if state.metric == "htm" else "two moves"
        centers = "\n".join(f"{face}: {state_texts.COLOUR_OF[face].lower()}" for face in FACES)
        options = zip(LETTERS, instance.options, strict=True)
        candidates = "\n".join(f"{letter}: {option}" for letter, option in options)
        return chat_prompt(
            _SYSTEM.format(
                counted=f"a half turn counted as {halves}",
                moves=state_texts.MOVES,
                reading=state_texts.reading_text(instance.serialisation),
                lines=_FORMAT,
            ),
            f"Face centers:\n{centers}\n\n"
            f"Cube state:\n{state_texts.state_text(state.facelets, instance.serialisation)}\n\n"
            f"Moves:\n{candidates}\n\n"
            f"Reply with exactly four lines, in this order, with one word each:\n{_FORMAT}",
        )

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        after, depth = instance.neighbours, instance.state.optimal_depth
        gold = tuple(classify_effect(after[_PLACE[option]], depth) for option in instance.options)
        parsed = read_labelled(reply, LETTERS, EFFECTS, echo=MOVE_TEXT)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        right = sum(map(str.__eq__, parsed.value, gold))
        return Outcome(
            Status.CORRECT if right == len(gold) else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=parsed.value,
            metrics={"micro_accuracy": right / len(gold)},
        )


_SYSTEM = """\
You are an expert judge of moves on the Rubik's Cube. The distance of a cube is the least number \
of moves that solves it, with {counted}. You are given a cube as text and four moves, labeled A \
to D. For each move on its own, say how making it changes the distance.

Effects
- DECREASE: the cube is closer to solved after the move, or solved.
- NO_CHANGE: it is exactly as far from solved as before. Write this too for a move that cannot be \
read.
- INCREASE: it is farther from solved.

Moves
{moves}

Reading the cube
- The text is the truth; should there be a picture, ignore it.
- Colors belong to faces by the centers, which are listed.
- {reading}

Rules for the answer
- Think step by step, but in silence. Reply with exactly four lines, in the order A, B, C, D, and \
nothing else. Each line has one of the three words, in capitals:
{lines}"""

_FORMAT = "\n".join(FORM.format(key=x, value="DECREASE|NO_CHANGE|INCREASE") for x in LETTERS)


_PLACE = {move: place for place, move in enumerate(FACE_MOVES)}


TASK = MoveEffect()
