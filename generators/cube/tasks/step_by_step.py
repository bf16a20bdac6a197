"""Step by step: solve the cube one move at a time, out of four. Cube Bench, 4.3.5, A.5, A.6, B.5.

An episode starts at depth d. Each reply chooses one of four moves; a move that brings the cube
closer is made, and the next question follows. The first other move, or a reply without a choice,
ends the episode; so does the d-th move, which solves. All decisions that a player can meet, and
where they lead, are made by facelet.generators.cube.closed_loop.decision_graph; the row holds all
of them, so a replay needs no search.

The outcome is CORRECT if every step was the teacher's move (the paper's perfect solve), UNPARSED if
a reply without a choice ended the episode, WRONG otherwise, even where the player solved the cube
by other optimal moves or with the teacher's help. Partial credit is in the metrics; see
facelet.generators.cube.closed_loop.decision_checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.letter import FORM, IDK
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Claim, Column, Episode, Outcome, Status
from facelet.generators.cube.closed_loop import decision_checks, decision_graph, prompts
from facelet.generators.cube.closed_loop.decision_checks import Decision
from facelet.generators.cube.closed_loop.decision_graph import STOP, DecisionGraph, DecisionNode
from facelet.generators.cube.closed_loop.prompts import Conditions, Params
from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_task import DEALT, SCRAMBLES, StateTask
from facelet.generators.options.letter_placement import LETTERS

_OPTIONS = len(LETTERS)


@dataclass(frozen=True, slots=True)
class Instance:
    """A start with all its decisions.

    Attributes:
        state: the certified start.
        item: the item's key.
        graph: its decisions.
        conditions: how its questions are asked.
    """

    state: CertifiedState
    item: str
    graph: DecisionGraph
    conditions: Conditions


class StepByStep(StateTask[prompts.Params, Instance]):
    """The task; see the module."""

    name: ClassVar[str] = "cube/step_by_step"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column("item", "string", "key of the item; the step tree's rows of it have the same"),
        Column("states", "list<string>", "facelets of each decision's state, the start first"),
        Column("state_distances", "list<int8>", "exact distance of each state to solved"),
        Column(
            "options",
            "list<string>",
            "the moves A to D of each decision, four a decision",
            role="options",
        ),
        Column("option_distances", "list<int8>", "exact distance after each of these moves"),
        Column("next", "list<int16>", "decision after each; -1 not closer, -2 solved"),
        Column("answers", "string", "letter of the teacher's move, one a decision", role="answer"),
        *prompts.COLUMNS,
        Column("chance", "float64", "probability that random replies are perfect", role="chance"),
    )
    measures: ClassVar[tuple[Measure, ...]] = decision_checks.MEASURES
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "ties between moves of equal progress go to the first letter",
            "the prompt omits ties; teacher adherence credits only the teacher's move, "
            "optimal figures all",
            "the paper's rule would count obedience to it as an error",
        ),
        Deviation(
            "",
            "an unreadable reply ends the episode, as in section 4.3.5; A.5.2 reads it as A",
            "a letter that was not given is no choice",
        ),
        SCRAMBLES,
        DEALT,
    )

    def reply_form(self, instance: Instance) -> str:
        """Return that a letter is asked for, or IDK where that is allowed."""
        return prompts.reply_form(instance.conditions)

    def chance_level(self, params: Params) -> Chance:
        """Return that each row says its own."""
        return ChanceFromRows()

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state with all decisions that can follow from it."""
        common = decision_graph.derive_shared_draw(draw, self.name)
        controlled = params.abstain != "off"
        state, key, graph = decision_graph.of_item(resource, common, controlled=controlled)
        return (Instance(state, key, graph, prompts.draw_conditions(params, common)),)

    def open(self, instance: Instance) -> StepEpisode:
        """Return an episode of up to d replies."""
        return StepEpisode(instance)

    def gold_answer(self, instance: Instance) -> str:
        """Return the letters of the teacher's moves, step by step."""
        return " ".join(_teacher_letters(instance))

    def list_shown_keys(self, instance: Instance) -> list[str]:
        """Return the classes of all states that a player can reach, the start first."""
        return [symmetry.canonical_image(node.state)[0] for node in instance.graph.nodes]

    def reference(self, instance: Instance) -> list[str]:
        """Return the teacher's letters in the requested format."""
        return [FORM.format(letter) for letter in _teacher_letters(instance)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the decisions or the setting."""
        wrong = [
            *certified_states.find_state_faults(instance.state),
            *prompts.find_condition_faults(instance.conditions),
        ]
        return wrong or decision_checks.find_graph_faults(
            instance.state, instance.item, instance.graph
        )

    def claims(self, instance: Instance) -> tuple[Claim, ...]:
        """Return the depth of the start, and the distance after every option."""
        found = list(certified_states.depth_claims(instance.state))
        for node in instance.graph.nodes:
            found += decision_checks.option_claims(instance.state.metric, node)
        return tuple(dict.fromkeys(found))

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        nodes = instance.graph.nodes
        allowed = _OPTIONS + (instance.conditions.abstain != "off")
        return {
            **certified_states.encode_state(instance.state),
            "item": instance.item,
            "states": [node.state for node in nodes],
            "state_distances": [node.distance for node in nodes],
            "options": [move for node in nodes for move in node.options],
            "option_distances": [left for node in nodes for left in node.distances],
            "next": [to for node in nodes for to in node.next],
            "answers": instance.graph.answers,
            **prompts.encode_conditions(instance.conditions),
            "chance": float(allowed) ** -instance.state.optimal_depth,
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds.

        Raises:
            ValueError: the columns of decisions have lengths that do not fit each other.
        """
        states = row["states"]
        columns = [_group_by_four(row[name]) for name in ("options", "option_distances", "next")]
        nodes = map(DecisionNode, states, row["state_distances"], *columns)
        sizes = {len(states), len(row["state_distances"]), *map(len, columns)}
        if len(sizes) > 1 or 0 in sizes:
            raise ValueError(f"the columns of decisions are about {sorted(sizes)} decisions")
        return Instance(
            state=certified_states.decode_state(row),
            item=row["item"],
            graph=DecisionGraph(tuple(nodes), row["answers"]),
            conditions=prompts.decode_conditions(row),
        )


def _group_by_four(values: list[Any]) -> list[tuple[Any, ...]]:
    """Return a list cut into tuples of four."""
    return [tuple(values[first : first + _OPTIONS]) for first in range(0, len(values), _OPTIONS)]


def _teacher_letters(instance: Instance) -> tuple[str, ...]:
    """Return the teacher's letters on the way that undoes the scramble."""
    return tuple(instance.graph.answers[: instance.state.optimal_depth])


class StepEpisode(Episode):
    """The episode."""

    def __init__(self, instance: Instance) -> None:
        """Begin at the start."""
        self._instance = instance
        self._node = 0
        self._strict = True
        self._said: list[str] = []
        self._decisions: list[Decision] = []

    def current_distance(self) -> int:
        """Return the exact distance of the state that is decided about."""
        return self._instance.graph.nodes[self._node].distance

    def prompt(self) -> Prompt:
        """Return the question about the state as it is now."""
        node = self._instance.graph.nodes[self._node]
        ask = prompts.next_question if self._decisions else prompts.node_prompt
        return ask(self._instance.conditions, node)

    def reply(self, text: str) -> Prompt | Outcome:
        """Make the move that a reply chooses; go on if it brings the cube closer."""
        graph, asked = self._instance.graph, self._instance.conditions
        node = graph.nodes[self._node]
        parsed = prompts.read_step_choice(asked, node, text)
        self._strict &= parsed.strict
        self._said.append(parsed.value or "")
        taught = graph.answers[self._node]
        letter = parsed.value
        if letter is None:
            decision, to = Decision.UNREAD, STOP
        elif letter == IDK:
            helped = asked.abstain == "teacher_on_abstain"
            decision, to = Decision.IDK, node.next_node(taught) if helped else STOP
        else:
            to = node.next_node(letter)
            closer = Decision.TEACHER if letter == taught else Decision.OPTIMAL
            decision = Decision.WRONG if to == STOP else closer
        self._decisions.append(decision)
        if to < 0:
            return self._build_outcome()
        self._node = to
        return self.prompt()

    def outcome_when_halted(self) -> Outcome:
        """End here: a missing reply counts as one without a choice."""
        self._strict = False
        self._said.append("")
        self._decisions.append(Decision.UNREAD)
        return self._build_outcome()

    def _build_outcome(self) -> Outcome:
        depth, decisions = self._instance.state.optimal_depth, self._decisions
        metrics = decision_checks.walk_metrics(
            decisions, depth, self._instance.conditions.idk_credit
        )
        if decisions[-1] is Decision.UNREAD:
            status = Status.UNPARSED
        else:
            status = Status.CORRECT if metrics["perfect"] else Status.WRONG
        said = any(self._said)
        return Outcome(
            status,
            self._strict,
            gold=_teacher_letters(self._instance),
            answer=tuple(self._said) + ("",) * (depth - len(decisions)) if said else (),
            metrics=metrics,
        )


TASK = StepByStep()
