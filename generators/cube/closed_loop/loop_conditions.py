"""Params, conditions and columns of the step-by-step loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.params import check_range, param
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Column
from facelet.generators.cube.closed_loop.decision_graph import MAX_DEPTH
from facelet.generators.cube.engine.notation import Metric
from facelet.generators.cube.questions.distinct_options import draws_param
from facelet.generators.cube.states import appearance, state_texts
from facelet.generators.cube.states.appearance import Appearance
from facelet.generators.cube.states.cube_params import ItemParams, depth_param
from facelet.generators.cube.states.state_texts import MODALITIES, Modality, Serialisation

Look = Literal["clean", "recoloured", "dimmed"]

Abstain = Literal["off", "teacher_on_abstain", "skip_item"]
POLICIES: tuple[Abstain, ...] = ("off", "teacher_on_abstain", "skip_item")


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task.

    An item has about one decision for each move, with `abstain` a tenth more. A decision takes less
    than half a millisecond up to depth 10, and about ten times as long at 12 in htm. With `abstain`
    the options hold exactly one optimal move beside the teacher's, if there is another.
    """

    depth: int = depth_param(3, "optimal depth of the start; at most 12 in htm, 14 in qtm")
    modality: Literal["image_text", "text", "image"] = param("image_text", "what shows the state")
    state_text: Serialisation = param("net", state_texts.STATE_TEXT)
    variant: Look = param("clean", "how the pictures look", look=True)
    abstain: Abstain = param(
        "off", "whether IDK is allowed: the teacher's move is made then, or the episode ends"
    )
    idk_credit: int = param(
        25, "worth of IDK in abstention-penalised accuracy (lambda)", low=0, high=100, unit="%"
    )
    confidence: int = param(
        0, "confidence below which the prompt permits IDK; 0 for any", low=0, high=100, unit="%"
    )

    draws: int = draws_param()

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        ItemParams.validate(self)
        check_range("depth", self.depth, 1, MAX_DEPTH[self.metric])
        if self.confidence and self.abstain == "off":
            raise ValueError(
                f"confidence={self.confidence!r} is for players that may abstain; use 0, or "
                "abstain=teacher_on_abstain"
            )


@dataclass(frozen=True, slots=True)
class Conditions:
    """How all questions of an item are asked; the fields are as in Params.

    Attributes:
        metric: how moves are counted.
        modality: what shows the state.
        serialisation: how text shows it.
        look: how the pictures look.
        abstain: the policy on abstentions.
        credit: what an abstention is worth, 0 to 1.
        confidence: threshold in percent, or 0.
    """

    metric: Metric
    modality: Modality
    serialisation: Serialisation
    look: Appearance
    abstain: Abstain
    credit: float
    confidence: int

    @property
    def idk_credit(self) -> float | None:
        """What an abstention is worth, or None if the player may not abstain."""
        return None if self.abstain == "off" else self.credit


COLUMNS: tuple[Column, ...] = (
    Column("modality", "string", "what the prompt shows of the state: image_text, text, image"),
    Column("state_text", "string", "how the prompt writes the state: net or facelets"),
    *appearance.COLUMNS,
    Column("abstain", "string", "policy on IDK: off, teacher_on_abstain or skip_item"),
    Column("idk_credit", "float64", "worth of IDK in abstention-penalised accuracy (lambda)"),
    Column("confidence", "int8", "percent below which the prompt permits IDK; 0 = no threshold"),
)


def draw_conditions(params: Params, draw: Draw) -> Conditions:
    """Return how the questions of an item are asked.

    `draw_appearance` is the item's shared draw.
    """
    rng = make_generator(*draw.path, "item", draw.index, "look")
    look = appearance.draw_appearance(params.variant, 1, rng, ())
    return Conditions(
        metric=params.metric,
        modality=params.modality,
        serialisation=params.state_text,
        look=look,
        abstain=params.abstain,
        credit=params.idk_credit / 100,
        confidence=params.confidence,
    )


def encode_conditions(conditions: Conditions) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        "modality": conditions.modality,
        "state_text": conditions.serialisation,
        **appearance.encode_appearance(conditions.look),
        "abstain": conditions.abstain,
        "idk_credit": conditions.credit,
        "confidence": conditions.confidence,
    }


def decode_conditions(row: Mapping[str, Any]) -> Conditions:
    """Return the conditions that a row holds."""
    return Conditions(
        metric=row["metric"],
        modality=row["modality"],
        serialisation=row["state_text"],
        look=appearance.decode_appearance(row),
        abstain=row["abstain"],
        credit=row["idk_credit"],
        confidence=row["confidence"],
    )


def find_condition_faults(conditions: Conditions) -> list[str]:
    """Return what is false about the conditions, in words; empty if nothing."""
    wrong = appearance.find_appearance_faults(conditions.look)
    if conditions.modality not in MODALITIES:
        wrong.append(f"unknown modality {conditions.modality!r}")
    if conditions.abstain not in POLICIES:
        wrong.append(f"unknown policy on abstentions {conditions.abstain!r}")
    return wrong
