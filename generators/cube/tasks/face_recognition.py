"""Face recognition: read the front face off a picture. Cube Bench, 4.3.1, A.1, B.1.

What is in sight counts: with swapped colours those that are seen, not those that the place usually
has. In an occluded picture some stickers of the front face are covered. They are to be called
Unknown; a colour named there was not read, whether or not it is the right one. How often that word
is given where it should be, and where it should not, are figures of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.measures import Looks, MeanOf, Measure, WeightedMeanOf
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.array import CLOSING, FORM, read_matrix, write_rows
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Column, Outcome, Status
from facelet.generators.cube.engine.notation import CENTRES
from facelet.generators.cube.questions.face_statements import (
    FRONT_STICKERS,
    OTHER_STICKERS,
    front_face,
)
from facelet.generators.cube.states import appearance, certified_states, state_texts
from facelet.generators.cube.states.appearance import Appearance, Variant
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_task import SCRAMBLES, ItemParams, StateTask


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task."""

    variant: Variant = param("clean", "how the picture looks", look=True)
    patches: int = appearance.patches_param()
    covered: int = param(
        2, "of an occluded picture's patches, those on the front face", low=0, high=8, look=True
    )

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        super(Params, self).validate()
        if self.variant == "occluded" and self.covered > self.patches:
            raise ValueError(
                f"covered={self.covered} is more than patches={self.patches}; "
                f"use 0 to {self.patches}, or more patches"
            )

    @property
    def count_covered(self) -> int:
        """Number of stickers that are asked for and not in sight."""
        return self.covered if self.variant == "occluded" else 0


@dataclass(frozen=True, slots=True)
class Instance:
    """A state, what is to be said of its front face row by row, and how it is drawn."""

    state: CertifiedState
    front: tuple[str, ...]
    look: Appearance

    def visible_answer(self) -> tuple[str, ...]:
        """Return the colour names in sight, and Unknown for what is covered, from the picture."""
        seen = state_texts.colour_names(self.look.visible_letters(front_face(self.state.facelets)))
        if not self.look.hidden:
            return seen
        hidden = set(self.look.hidden)
        places = zip(FRONT_STICKERS, seen, strict=True)
        return tuple(UNKNOWN if index in hidden else name for index, name in places)


_made = fast_constructor(Instance)

UNKNOWN = "Unknown"
"""What a covered sticker is to be called."""

COMMONEST = (0.79, 0.6, 0.49, 0.43, 0.38, 0.36, 0.34, 0.33, 0.32, 0.31)
"""Share of the stickers of a face, over random half-turn words of 1, 2, and so on to 10 moves or
more, that have the commonest colour of their place; 1500 words each, rounded up."""


def _where_covered(metric: str) -> WeightedMeanOf:
    """Return the mean of a metric over the rows that cover stickers of the front face.

    A reply that is missing or cannot be read counts 0 there.
    """
    return WeightedMeanOf(
        metric=metric, weight="covers", default_weight=1.0, unless=("covered", "0")
    )


class FaceRecognition(QuestionTask[Params, Instance], StateTask[Params, Instance]):
    """The task; see the module.

    Metrics of an outcome, all from 0 to 1: element_accuracy, the share of the nine words that are
    right, and matrix_accuracy, 1 if all are; visible_accuracy, the share of the stickers in sight
    that are right. Where stickers are covered also covered_unknown and visible_unknown, the shares
    of covered stickers and of those in sight that are called Unknown.
    """

    name: ClassVar[str] = "cube/face_recognition"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column(
            "front",
            "list<string>",
            "colour names of the front face, by rows; or Unknown",
            role="answer",
        ),
        Column("covered", "int8", "number of stickers of the front face under patches"),
        *appearance.COLUMNS,
    )
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="element_accuracy"),
        MeanOf(metric="matrix_accuracy"),
        _where_covered("visible_accuracy"),
        _where_covered("covered_unknown"),
        _where_covered("visible_unknown"),
        Looks(metrics=("element_accuracy", "visible_accuracy")),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "",
            "two covered stickers of the front face are answered Unknown, and counted separately",
            "the paper names occlusion without a result or a reply; patches that spare the "
            "requested face test nothing",
            "covered=0",
        ),
        SCRAMBLES,
    )

    def chance_level(self, params: Params) -> Chance:
        """Return one word for each sticker, of six colours and, where some are covered, Unknown."""
        return ExactChance(1 / (7 if params.count_covered else 6), "elements")

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what naming each sticker's commonest colour scores, less where it is deeper."""
        depth = params.depth if params.metric == "htm" else -(-params.depth // 2)
        share = COMMONEST[min(depth, len(COMMONEST)) - 1]
        if params.variant == "swapped":
            return BlindLimit(1 / 5, "no place has its usual color, and five are left")
        # Eight places are either covered, equally often, or have their commonest colour; the
        # center is never covered.
        around, covered = (9 * share - 1) / 8, params.count_covered / 8
        share = (1 + 8 * max(covered, (1 - covered) * around)) / 9
        return BlindLimit(share, "a face has its center's colour, and near solved most of it has")

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state, drawn."""
        state = resource.states[draw.index]
        inside, outside = params.count_covered, params.patches - params.count_covered
        look = Appearance()
        if outside or params.variant != "occluded":
            look = appearance.draw_appearance(params.variant, outside, draw.rng, OTHER_STICKERS)
        if inside:
            free = [index for index in FRONT_STICKERS if index not in CENTRES]
            covered = draw.rng.choice(free, inside, replace=False).tolist()
            look = Appearance("occluded", hidden=tuple(sorted((*look.hidden, *covered))))
        instance = Instance(state, (), look)
        return (replace(instance, front=instance.visible_answer()),)

    def gold_answer(self, instance: Instance) -> str:
        """Return the face as three rows of colour names."""
        return write_rows(instance.visible_answer())

    def reference(self, instance: Instance) -> list[str]:
        """Return the right face in the requested format."""
        return [FORM.format(self.gold_answer(instance))]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the face or the picture."""
        wrong = [
            *certified_states.find_state_faults(instance.state),
            *appearance.find_appearance_faults(instance.look),
        ]
        if instance.front != instance.visible_answer():
            wrong.append("the colours of the front face are not those of the picture")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **certified_states.encode_state(instance.state),
            "front": list(instance.front),
            "covered": instance.visible_answer().count(UNKNOWN),
            **appearance.encode_appearance(instance.look),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(
            certified_states.decode_state(row),
            tuple(row["front"]),
            appearance.decode_appearance(row),
        )

    def _question_prompt(self, instance: Instance) -> Prompt:
        look = instance.look
        remark = _COVERED if UNKNOWN in instance.visible_answer() else look.prompt_remark
        request = f"{_USER}\n{remark}" if remark else _USER
        scene = look.build_scene(instance.state.facelets)
        return chat_prompt(
            _SYSTEM.format(palette=state_texts.format_palette(look.shade_legend)), scene, request
        )

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        gold = instance.visible_answer()
        covered = gold.count(UNKNOWN)
        words = _COVERED_WORDS if covered else _WORDS
        # Where colours are swapped, a face letter could mean the usual colour or the one in sight.
        parsed = read_matrix(reply, words[:1] if instance.look.variant == "swapped" else words)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        said = tuple(zip(gold, parsed.value, strict=True))
        right = sum(wanted == word for wanted, word in said)
        seen = [(wanted, word) for wanted, word in said if wanted != UNKNOWN]
        metrics = {
            "element_accuracy": right / len(gold),
            "matrix_accuracy": float(right == len(gold)),
            "visible_accuracy": sum(wanted == word for wanted, word in seen) / len(seen),
        }
        if covered:
            metrics |= {
                "covers": 1.0,
                "covered_unknown": sum(word == UNKNOWN == wanted for wanted, word in said)
                / covered,
                "visible_unknown": sum(word == UNKNOWN for _, word in seen) / len(seen),
            }
        return Outcome(
            Status.CORRECT if right == len(gold) else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=parsed.value,
            metrics=metrics,
        )


_SHOWN = FORM.format(write_rows([f"Color{place}" for place in range(1, 10)])).removesuffix(
    f"\n{CLOSING}"
)

_SYSTEM = f"""\
You are a careful assistant who reads pictures exactly.

The stickers of the Rubik's Cube have these colors; the numbers are their RGB values:
{{palette}}

You are given the picture of a cube laid out flat, as a net.
1. Find the face labeled Front, in the middle of the net.
2. Read its 3 x 3 stickers, row by row from the top, each row from left to right.
3. Check every sticker against the RGB values above.
4. Give the answer in exactly this format, with a color name of the table for every number:
{_SHOWN}
5. End with exactly this line:
{CLOSING}

Keep your reasoning to yourself and write nothing else."""

_USER = (
    "The picture shows a Rubik's Cube as a net whose faces are labeled. Report the colors of the "
    "front face as a 3 x 3 grid."
)

_COVERED = (
    "Striped gray patches cover some stickers, of the front face too. For each covered sticker of "
    f"the front face write {UNKNOWN} in place of a color name."
)


_UNKNOWN = {UNKNOWN.lower(): UNKNOWN}
_WORDS = (state_texts.COLOUR_WORDS, state_texts.FACE_WORDS)
_COVERED_WORDS = tuple(words | _UNKNOWN for words in _WORDS)


TASK = FaceRecognition()
