"""Step tree: the closed loop without a live loop. Cube Bench, 4.3.5, A.5, A.6, B.5.

An item of the closed loop as one row for each decision that any player can meet, the start
included; paths that lead to the same state join. The rows are independent questions: one batch
inference answers them all, and the scorer walks from the start along the answers
(cube.closed_loop.decision_checks), through the trees that are whole. Its figures are those of the
live episodes of cube/step_by_step.

Near the solved cube all trees pass the same few states. No more than `rows_per_state` rows of a
split are about one state, so that some trees lack some of their decisions; and no two splits have
rows about one state, nor about two that symmetry or inversion makes one.

A row's prompt is what the episode shows in that state, with the rules before it. Rows of one item
share `item`; `node` numbers them and `next` says to which node each option leads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.letter import FORM
from facelet.generators.core.seeding import Draw
from facelet.generators.core.shown_keys import RowQuota
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Claim, Column, Outcome, Status
from facelet.generators.cube.closed_loop import decision_checks, decision_graph, prompts
from facelet.generators.cube.closed_loop.decision_checks import Walk
from facelet.generators.cube.closed_loop.decision_graph import DecisionNode
from facelet.generators.cube.closed_loop.prompts import Conditions
from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_task import StateTask

KNOWN = 3
"""Up to this distance there are so few states, 3,240 at 3 in htm, that trees meet them again."""


@dataclass(frozen=True, slots=True)
class Params(prompts.Params):
    """Params of the task."""

    rows_per_state: int = param(
        12, "most rows of a split that are about one state, whatever their starts", low=1, high=1000
    )


@dataclass(frozen=True, slots=True)
class Instance:
    """One decision of an item.

    Attributes:
        state: the certified start.
        item: the item's key.
        number: the decision's number in the item.
        node: the decision.
        answer: letter of the teacher's move.
        conditions: how the question is asked.
    """

    state: CertifiedState
    item: str
    number: int
    node: DecisionNode
    answer: str
    conditions: Conditions


class StepTree(QuestionTask[Params, Instance], StateTask[Params, Instance]):
    """The task; see the module.

    Metric of an outcome: progress_rate, 1 if the move chosen brings the cube closer.
    """

    name: ClassVar[str] = "cube/step_tree"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column("item", "string", "equal in the rows of one item; cube/step_by_step has the same"),
        Column("node", "int16", "number of the decision in the item; 0 is the start"),
        Column("step", "int8", "which move of the way to solved is asked for, from 1"),
        Column("state", "string", "facelets of the state that is asked about"),
        Column("state_distance", "int8", "its exact distance to solved"),
        Column("options", "list<string>", "the four moves A to D", role="options"),
        Column("option_distances", "list<int8>", "exact distance after each of these moves"),
        Column("next", "list<int16>", "decision after each; -1 not closer, -2 solved"),
        Column("answer", "string", "letter of the teacher's move", role="answer"),
        *prompts.COLUMNS,
    )
    measures: ClassVar[tuple[Measure, ...]] = (
        decision_checks.CALLED,
        MeanOf(metric="progress_rate"),
        Walk(),
    )

    def rows_per_item(self, params: Params) -> None:
        """Return None: an item has as many rows as decisions."""
        return

    def reply_form(self, instance: Instance) -> str:
        """Return that a letter is asked for, or IDK where that is allowed."""
        return prompts.reply_form(instance.conditions)

    def chance_level(self, params: Params) -> Chance:
        """Return one option of four."""
        return ExactChance(1 / 4)

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what knowing the answers of other rows about the same states scores, at most.

        Other trees pass the states that are at most KNOWN moves from solved. A tree has about one
        decision at each distance.
        """
        known = min(1.0, KNOWN / params.depth)
        return BlindLimit(
            known + (1 - known) / 4,
            "other trees pass the same states near the solved cube, where the same moves are right",
        )

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the decisions of the item."""
        common = decision_graph.derive_shared_draw(draw, self.name)
        controlled = params.abstain != "off"
        state, item, found = decision_graph.of_item(resource, common, controlled=controlled)
        asked = prompts.draw_conditions(params, common)
        return tuple(
            Instance(state, item, number, node, answer, asked)
            for number, (node, answer) in enumerate(zip(found.nodes, found.answers, strict=True))
        )

    def gold_answer(self, instance: Instance) -> str:
        """Return the letter of the teacher's move."""
        return instance.answer

    def list_shown_keys(self, instance: Instance) -> tuple[str]:
        """Return the class of the state that is asked about, wherever the item starts."""
        return (symmetry.canonical_image(instance.node.state)[0],)

    def split_key(self, instance: Instance) -> str:
        """Return the family of the state that is asked about; that of the start agrees with pools.

        So a split holds those decisions of its items only whose states no other split shows.
        """
        return symmetry.canonical_with_inverse(instance.node.state)

    def row_quota(self, params: Params) -> RowQuota | None:
        """Return how many rows may be about one state; any number where items are as published."""
        return None if params.uses_scrambles else RowQuota("state", params.rows_per_state)

    def reference(self, instance: Instance) -> list[str]:
        """Return the teacher's letter in the requested format."""
        return [FORM.format(instance.answer)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the start, the decision or the setting.

        One row shows whether an option leads on, not to which node; the first is checked here.
        """
        state, node = instance.state, instance.node
        wrong = [
            *certified_states.find_state_faults(state),
            *prompts.find_condition_faults(instance.conditions),
        ]
        if wrong:
            return wrong
        if (instance.number == 0) != (node.state == state.facelets):
            wrong.append("decision 0, and no other, is about the certified state")
        return wrong + decision_checks.node_faults(
            state, instance.item, instance.number, node, instance.answer, lambda to, _: to > 0
        )

    def claims(self, instance: Instance) -> tuple[Claim, ...]:
        """Return the depth of the start, and the distance after every option."""
        local = decision_checks.option_claims(instance.state.metric, instance.node)
        return (*certified_states.depth_claims(instance.state), *local)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        node = instance.node
        return {
            **certified_states.encode_state(instance.state),
            "item": instance.item,
            "node": instance.number,
            "step": instance.state.optimal_depth - node.distance + 1,
            "state": node.state,
            "state_distance": node.distance,
            "options": list(node.options),
            "option_distances": list(node.distances),
            "next": list(node.next),
            "answer": instance.answer,
            **prompts.encode_conditions(instance.conditions),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        node = DecisionNode(
            state=row["state"],
            distance=row["state_distance"],
            options=tuple(row["options"]),
            distances=tuple(row["option_distances"]),
            next=tuple(row["next"]),
        )
        return Instance(
            state=certified_states.decode_state(row),
            item=row["item"],
            number=row["node"],
            node=node,
            answer=row["answer"],
            conditions=prompts.decode_conditions(row),
        )

    def _question_prompt(self, instance: Instance) -> Prompt:
        return prompts.node_prompt(instance.conditions, instance.node)

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        gold = (instance.answer,)
        parsed = prompts.read_step_choice(instance.conditions, instance.node, reply)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        return Outcome(
            Status.CORRECT if parsed.value == instance.answer else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=(parsed.value,),
            metrics={"progress_rate": float(parsed.value in instance.node.progress_letters())},
        )


TASK = StepTree()
