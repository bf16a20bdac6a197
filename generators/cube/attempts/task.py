"""Base of the two tasks of attempts: generate, open and check their instances."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose
from typing import Any, ClassVar

from facelet.generators.core.chance_level import BlindLimit, Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column
from facelet.generators.cube.attempts import episodes, instances, rules
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance, Params
from facelet.generators.cube.attempts.rules import AttemptTree, Deviates, explore_attempts
from facelet.generators.cube.engine import notation, symmetry
from facelet.generators.cube.states.certified_states import CertifiedStates, find_state_faults
from facelet.generators.cube.states.state_task import SCRAMBLES, StateTask
from facelet.generators.cube.states.state_texts import MODALITIES

_KEY_DIGITS = 32
BlindTable = tuple[tuple[float, ...], ...]

BLIND: dict[str, BlindTable] = {
    "": (
        (0.4, 0.6, 0.85, 0.9, 1.0, 1.0),
        (0.15, 0.3, 0.5, 0.6, 0.8, 0.85),
        (0.1, 0.2, 0.3, 0.4, 0.6, 0.7),
        (0.05, 0.1, 0.15, 0.2, 0.4, 0.5),
    ),
    "setback": (
        (0.55, 0.85, 0.9, 1.0, 1.0, 1.0),
        (0.35, 0.5, 0.6, 0.8, 0.85, 1.0),
        (0.2, 0.35, 0.5, 0.6, 0.7, 0.8),
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
    ),
    "teacher": (
        (0.55, 0.95, 1.0, 1.0, 1.0, 1.0),
        (0.4, 0.6, 0.7, 0.95, 0.95, 1.0),
        (0.25, 0.4, 0.5, 0.7, 0.8, 0.95),
        (0.15, 0.25, 0.35, 0.5, 0.6, 0.75),
    ),
}
"""What the best player solves that never sees the cube: by the first deviation ("" where every
reply counts), for depths 1, 2, 3 and from 4 on, with 0 to 5 attempts to spare. Measured with the
Bayesian player of facelet.pipeline.cube.baseline_players in both metrics, and rounded up."""

REDRAWN = (1.0, 1.0, 0.8, 0.55)
"""The same where options are drawn anew, with at most three attempts to spare; 1 with more."""


class AttemptTask(StateTask[Params, Instance], vocabulary=True):
    """A task of attempts; a subclass adds its name and its form."""

    recovery: ClassVar[bool]
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "the four moves are drawn anew at each attempt",
            "a state always offers the same four moves",
            "a move that is offered twice is likely right: a player that never looks solves 56%",
            "redraw=attempt",
        ),
        SCRAMBLES,
    )

    def reply_form(self, instance: Instance) -> str:
        """Return that a letter is asked for, each time."""
        return "letter"

    def deviation_rule(self, params: Params) -> Deviates:
        """Return what ends the replies that are not counted, where some are not."""
        return "setback"

    def rows_per_item(self, params: Params) -> int:
        """Return one row a modality."""
        return len(params.row_modalities())

    def chance_level(self, params: Params) -> Chance:
        """Return that each row says its own."""
        return ChanceFromRows()

    def blind_limit(self, params: Params) -> BlindLimit | None:
        """Return what the best blind player solves, rounded up."""
        spare, place = max(params.max_attempts - params.depth, 0), min(params.depth, 4) - 1
        if params.redraw == "attempt":
            return BlindLimit(
                REDRAWN[place] if spare <= 3 else 1.0,
                "a move that is offered again in the same state is likely right",
            )
        kind = self.deviation_rule(params) if self.recovery else ""
        return BlindLimit(
            BLIND[kind][place][spare],
            "told distances and offered moves leave few starts that fit, and a move that led away "
            "can be undone",
        )

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state, and the key of its options."""
        state, key = resource.states[draw.index], rules.item_key(draw)
        budget, redraw = params.max_attempts, params.redraw
        deviates = self.deviation_rule(params)
        tree = explore_attempts(
            state, key, redraw, budget, recovery=self.recovery, deviation=deviates
        )
        return tuple(
            Instance(state, budget, modality, params.state_text, key, redraw, tree.chance, deviates)
            for modality in params.row_modalities()
        )

    def open(self, instance: Instance) -> AttemptEpisode:
        """Return the episode."""
        return AttemptEpisode(instance, recovery=self.recovery)

    def gold_answer(self, instance: Instance) -> str:
        """Return the plan that the teacher begins with, an optimal solution."""
        plan = rules.start_for_teacher(instance.state, instance.key, instance.deviation).plan
        return notation.format_maneuver(plan)

    def list_shown_keys(self, instance: Instance) -> list[str]:
        """Return the classes of the start and of all states that a play passes that can be won.

        Where too few attempts are left, what is still passed is not listed.
        """
        passed = self._explore_attempts(instance).states
        classes = sorted({symmetry.canonical_image(one)[0] for one in passed})
        return [instance.state.canonical, *classes]

    def reference(self, instance: Instance) -> list[str]:
        """Return the replies of the player that always takes the move of G(s)."""
        return episodes.reference_replies(instance, recovery=self.recovery)

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the plan or the params."""
        state = instance.state
        wrong = find_state_faults(state)
        params = self.params(
            metric=state.metric,
            depth=state.optimal_depth,
            max_attempts=instance.max_attempts,
            redraw=instance.redraw,
            modality=instance.modality,
            state_text=instance.serialisation,
        )
        try:
            params.validate()
        except ValueError as error:
            return [*wrong, str(error)]
        if instance.modality not in MODALITIES:
            wrong.append(f"unknown modality {instance.modality!r}")
        digits = set("0123456789abcdef")
        if len(instance.key) != _KEY_DIGITS or not set(instance.key) <= digits:
            wrong.append(f"the key of the options is {instance.key!r}, not 32 hexadecimal digits")
        return wrong or self._find_play_faults(instance)

    def _find_play_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the reference player's replies or the chance."""
        depth = instance.state.optimal_depth
        count = len(self.reference(instance))
        if count != depth:
            return [f"the player that always moves closer takes {count} replies, not {depth}"]
        exact = self._explore_attempts(instance).chance
        if not isclose(instance.chance, exact, rel_tol=1e-12):
            return [f"random letters solve it with probability {exact}, not {instance.chance}"]
        return []

    def _explore_attempts(self, instance: Instance) -> AttemptTree:
        return explore_attempts(
            instance.state,
            instance.key,
            instance.redraw,
            instance.max_attempts,
            recovery=self.recovery,
            deviation=instance.deviation,
        )

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return instances.encode_instance(instance)

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return instances.decode_instance(row)
