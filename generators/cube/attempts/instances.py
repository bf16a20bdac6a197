"""Params, instances and columns of the two tasks of attempts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from facelet.generators.core.params import param
from facelet.generators.core.task import Column
from facelet.generators.cube.attempts.rules import MAX_SPARE, Deviates, Redraw
from facelet.generators.cube.distance.distance_oracle import REACH
from facelet.generators.cube.states import certified_states, state_texts
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.generators.cube.states.state_task import ItemParams, depth_param
from facelet.generators.cube.states.state_texts import MODALITIES, Modality, Serialisation


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task.

    Every wrong move leads one farther from solved, and the oracle reaches 13 (htm) or 15 (qtm)
    moves, so the sum of depth and max_attempts is at most that. (An attempt takes a third of a
    millisecond up to a distance of 10, and up to 20 at 13.) The attempts are at most five more than
    the depth, so that the chance of a random player can be computed.
    """

    depth: int = depth_param(3, "optimal depth of the start")
    max_attempts: int = param(6, "attempts that are counted", low=1, high=12)
    redraw: Redraw = param(
        "state",
        "whether options are new at each attempt, as in the paper, or a state's are fixed",
    )
    modality: Literal["image_text", "image", "text", "matched"] = param(
        "image_text", "what shows the state; matched for all three, a row each"
    )
    state_text: Serialisation = param("net", state_texts.STATE_TEXT)

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        ItemParams.validate(self)
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

    def row_modalities(self) -> tuple[Modality, ...]:
        """Return the modality of each row of an item."""
        return MODALITIES if self.modality == "matched" else (self.modality,)


@dataclass(frozen=True, slots=True)
class Instance:
    """What one row holds: a start, and how its attempts go.

    Attributes:
        state: the certified start.
        max_attempts: attempts that are counted.
        modality: what a question shows of the state.
        serialisation: how text shows it.
        key: seed of the options, 32 hexadecimal digits.
        redraw: whether they are drawn anew for each attempt or each state.
        chance: probability that a player that draws every letter uniformly solves the cube.
        deviation: in a recovery, what ends the replies that are not counted.
    """

    state: CertifiedState
    max_attempts: int
    modality: Modality
    serialisation: Serialisation
    key: str
    redraw: Redraw
    chance: float
    deviation: Deviates = "setback"


COLUMNS: tuple[Column, ...] = (
    *(
        replace(column, role="answer") if column.name == "solution" else column
        for column in certified_states.COLUMNS
    ),
    Column("max_attempts", "int8", "attempts that are counted"),
    Column("redraw", "string", "what options are drawn anew for: attempt or state"),
    Column("modality", "string", "what a prompt shows of the state: image_text, image, text"),
    Column("state_text", "string", "how a prompt writes the state: net or facelets"),
    Column("options_key", "string", "what the options of every attempt are drawn from"),
    Column("chance", "float64", "probability that random letters solve the cube", role="chance"),
)


def encode_instance(instance: Instance) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        **certified_states.encode_state(instance.state),
        "max_attempts": instance.max_attempts,
        "redraw": instance.redraw,
        "modality": instance.modality,
        "state_text": instance.serialisation,
        "options_key": instance.key,
        "chance": instance.chance,
    }


def decode_instance(row: Mapping[str, Any]) -> Instance:
    """Return the instance that a row holds."""
    return Instance(
        state=certified_states.decode_state(row),
        max_attempts=row["max_attempts"],
        modality=row["modality"],
        serialisation=row["state_text"],
        key=row["options_key"],
        redraw=row["redraw"],
        chance=row["chance"],
    )
