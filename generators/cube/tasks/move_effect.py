"""Move effect: which moves bring the cube closer to solved? Cube Bench, 4.3.6, A.7, B.6.

The player sees text only, and says for each of four moves whether it decreases the exact distance,
leaves it, or increases it. How the moves are chosen is in generators.cube.questions.move_effects.

A player that never sees the cube but compares the four moves with each other reaches a kappa of
0.51 to 0.58 by the paper's rule (depths 1 to 11, 600 to 2,000 items each); by the default rule all
moves have the same relations to the others, and kappa is 0. Near the solved cube most labels are
INCREASE; read kappa, not accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

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
from facelet.generators.cube.engine.facelets import FACES
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.questions.distinct_options import draw_different, draws_param
from facelet.generators.cube.questions.move_effects import (
    EFFECTS,
    MOVE_TEXT,
    TWO_FACES,
    Rule,
    choose_moves,
    classify_effect,
    draw_varied_moves,
    list_refuted_distances,
    move_effects,
    pool_effects,
    repeatable_effects,
)
from facelet.generators.cube.states import certified_states, state_texts
from facelet.generators.cube.states.certified_states import (
    CertifiedState,
    CertifiedStates,
    distance_claim,
)
from facelet.generators.cube.states.cube_params import SCRAMBLES, ItemParams
from facelet.generators.cube.states.state_task import StateTask
from facelet.generators.cube.states.state_texts import Serialisation
from facelet.generators.options.doubled_classes import arrange_slots
from facelet.generators.options.letter_placement import LETTERS


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
