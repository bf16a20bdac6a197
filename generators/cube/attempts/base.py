"""What the two tasks of attempts share: knobs, columns, making and checking items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isclose
from typing import Any, ClassVar, Literal

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Claim, Column, Difficulty, Need, Task
from facelet.generators.cube.attempts import episodes, rules
from facelet.generators.cube.attempts.chance import MAX_SPARE, chance
from facelet.generators.cube.attempts.episodes import Attempts
from facelet.generators.cube.attempts.rules import REDRAWS, Redraw
from facelet.generators.cube.attempts.words import MODALITIES, Item, Modality
from facelet.generators.cube.distance.oracle import REACH
from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.states import certified, depths
from facelet.generators.cube.states.certified import CertifiedStates, need
from facelet.generators.cube.states.text import SERIALISATIONS, Serialisation

MAX_ATTEMPTS = 12
_KEY_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Params:
    """Knobs.

    Attributes:
        metric: "htm" or "qtm".
        depth: optimal depth of the start, 1 to 12 (htm) or 14 (qtm). Every wrong move leads one
            farther away, and the oracle looks 13 (htm) or 15 (qtm) moves far, so depth and
            max_attempts may not sum to more. (To 10 an attempt takes a third of a millisecond, at
            13 up to 20.)
        max_attempts: attempts that are counted; 1 to 12, and at most five more than the depth, so
            that the chance of a random player can be computed.
        redraw: what options are drawn anew for: "attempt" (each one, as in the paper) or "state" (a
            state always offers the same four, so that it tells nothing which of them come again).
        modality: what shows the state: "image_text", "image", "text", or "matched" for a row each.
        state_text: how text shows it: "net" (colour letters) or "facelets" (URFDLB).
    """

    metric: Metric = "htm"
    depth: int = 3
    max_attempts: int = 6
    redraw: Redraw = "attempt"
    modality: Literal["image_text", "image", "text", "matched"] = "image_text"
    state_text: Serialisation = "net"

    def validate(self) -> None:
        """Raise ValueError naming the knob, its value and what is allowed."""
        depths.check(self.metric, self.depth)
        check_range("max_attempts", self.max_attempts, 1, MAX_ATTEMPTS)
        check_choice("redraw", self.redraw, REDRAWS)
        check_choice("modality", self.modality, (*MODALITIES, "matched"))
        check_choice("state_text", self.state_text, SERIALISATIONS)
        reach = REACH[self.metric]
        if self.depth + self.max_attempts > reach:
            raise ValueError(
                f"depth={self.depth} with max_attempts={self.max_attempts} may lead "
                f"{self.depth + self.max_attempts} moves from solved; use a sum of at most {reach} "
                f"({self.metric})"
            )
        if self.max_attempts > self.depth + MAX_SPARE:
            raise ValueError(
                f"max_attempts={self.max_attempts} is too many for depth={self.depth}: what a "
                f"random player may meet grows with them; use at most {self.depth + MAX_SPARE}"
            )

    def difficulty(self) -> Difficulty:
        """Return the optimal depth of the start."""
        return depths.difficulty(self.depth)

    def modalities(self) -> tuple[Modality, ...]:
        """Return the modality of each row of an item."""
        return MODALITIES if self.modality == "matched" else (self.modality,)


COLUMNS: tuple[Column, ...] = (
    *(
        replace(column, role="answer") if column.name == "solution" else column
        for column in certified.COLUMNS
    ),
    Column("max_attempts", "int8", "attempts that are counted"),
    Column("redraw", "string", "what options are drawn anew for: attempt or state"),
    Column("modality", "string", "what a prompt shows of the state: image_text, image, text"),
    Column("state_text", "string", "how a prompt writes the state: net or facelets"),
    Column("options_key", "string", "what the options of every attempt are drawn from"),
    Column("chance", "float64", "probability that random letters solve the cube", role="chance"),
)


class AttemptTask(Task[Params, Item]):
    """A task whose instances are items of attempts; a subclass adds its name and its form."""

    recovery: ClassVar[bool]
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = COLUMNS

    def needs(self, params: Params) -> Need:
        """Return the pool of the depth."""
        return need(params.metric, params.depth)

    def rows_per_item(self, params: Params) -> int:
        """Return one row a modality."""
        return len(params.modalities())

    def generate(self, params: Params, draw: Draw, resource: CertifiedStates) -> tuple[Item, ...]:
        """Return the item's state, and the key of its options."""
        state, key = resource.states[draw.index], rules.item_key(draw)
        budget, redraw = params.max_attempts, params.redraw
        likely = chance(state, key, redraw, budget, recovery=self.recovery)
        return tuple(
            Item(state, budget, modality, params.state_text, key, redraw, likely)
            for modality in params.modalities()
        )

    def open(self, instance: Item) -> Attempts:
        """Return the episode."""
        return Attempts(instance, recovery=self.recovery)

    def gold(self, instance: Item) -> str:
        """Return the plan that the teacher begins with, an optimal solution."""
        return notation.format(rules.start(instance.state).plan)

    def group(self, instance: Item) -> str:
        """Return the state."""
        return certified.group(instance.state)

    def reference(self, instance: Item) -> list[str]:
        """Return the replies of the player that always takes the move that brings closer."""
        return episodes.reference(instance, recovery=self.recovery)

    def check(self, instance: Item) -> list[str]:
        """Return what is false about the state, the plan or the knobs."""
        state = instance.state
        wrong = certified.faults(state)
        params = self.params(
            state.metric,
            state.optimal_depth,
            instance.max_attempts,
            instance.redraw,
            instance.modality,
            instance.serialisation,
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
        return wrong or self._playthrough(instance)

    def _playthrough(self, instance: Item) -> list[str]:
        """Return what is false about how it plays out: for the best player, or a random one."""
        depth = instance.state.optimal_depth
        count = len(self.reference(instance))
        if count != depth:
            return [f"the player that always moves closer takes {count} replies, not {depth}"]
        exact = chance(
            instance.state,
            instance.key,
            instance.redraw,
            instance.max_attempts,
            recovery=self.recovery,
        )
        if not isclose(instance.chance, exact, rel_tol=1e-12):
            return [f"random letters solve it with probability {exact}, not {instance.chance}"]
        return []

    def claims(self, instance: Item) -> tuple[Claim, ...]:
        """Return the depth of the start."""
        return certified.claims(instance.state)

    def encode(self, instance: Item) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **certified.encode(instance.state),
            "max_attempts": instance.max_attempts,
            "redraw": instance.redraw,
            "modality": instance.modality,
            "state_text": instance.serialisation,
            "options_key": instance.key,
            "chance": instance.chance,
        }

    def decode(self, row: Mapping[str, Any]) -> Item:
        """Return the item that a row holds."""
        return Item(
            state=certified.decode(row),
            max_attempts=row["max_attempts"],
            modality=row["modality"],
            serialisation=row["state_text"],
            key=row["options_key"],
            redraw=row["redraw"],
            chance=row["chance"],
        )
