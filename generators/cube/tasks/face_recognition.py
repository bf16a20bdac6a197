"""Face recognition: read the front face off a picture. Cube Bench, 4.3.1, A.1, B.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance import BlindLimit, Chance, Exact
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.records import maker
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import SingleTurn
from facelet.generators.core.task import Claim, Column, Need, Outcome, Status, Task
from facelet.generators.cube.questions.matrices import matrix
from facelet.generators.cube.questions.statements import OTHER_STICKERS, front
from facelet.generators.cube.states import appearance, certified, text
from facelet.generators.cube.states.appearance import Appearance, Variant
from facelet.generators.cube.states.certified import CertifiedState, CertifiedStates, need
from facelet.generators.cube.states.depths import CubeParams


@dataclass(frozen=True, slots=True)
class Params(CubeParams):
    """Params of the task."""

    variant: Variant = param("clean", "how the picture looks; occluded covers other faces only")
    patches: int = appearance.patches_param()


@dataclass(frozen=True, slots=True)
class Instance:
    """A state, the colour names of its front face row by row, and how it is drawn."""

    state: CertifiedState
    front: tuple[str, ...]
    look: Appearance


_made = maker(Instance)

COMMONEST = (0.79, 0.6, 0.49, 0.43, 0.38, 0.36, 0.34, 0.33, 0.32, 0.31)
"""Share of the stickers of a face, over random half-turn words of 1, 2, and so on to 10 moves or
more, that have the commonest colour of their place; 1500 words each, rounded up."""


class FaceRecognition(Task[Params, Instance]):
    """The task; see the module.

    Metrics of an outcome, both from 0 to 1: element_accuracy, the share of the nine stickers that
    are right, and matrix_accuracy, 1 if all are.
    """

    name: ClassVar[str] = "cube/face_recognition"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified.COLUMNS,
        Column("front", "list<string>", "colour names of the front face, by rows", role="answer"),
        *appearance.COLUMNS,
    )
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="element_accuracy"),
        MeanOf(metric="matrix_accuracy"),
    )

    def needs(self, params: Params) -> Need:
        """Return the pool of the depth."""
        return need(params.metric, params.depth)

    def chance(self, params: Params) -> Chance:
        """Return one colour of six, for each sticker."""
        return Exact(1 / 6, "elements")

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what naming each sticker's commonest colour scores, less where it is deeper."""
        depth = params.depth if params.metric == "htm" else -(-params.depth // 2)
        share = COMMONEST[min(depth, len(COMMONEST)) - 1]
        return BlindLimit(share, "a face has its center's colour, and near solved most of it has")

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state, drawn."""
        state = resource.states[draw.index]
        look = appearance.draw(params.variant, params.patches, draw.rng, OTHER_STICKERS)
        return (Instance(state, text.colours(front(state.facelets)), look),)

    def open(self, instance: Instance) -> SingleTurn[Instance]:
        """Return the question."""
        return SingleTurn(instance, _ask, _judge)

    def gold(self, instance: Instance) -> str:
        """Return the face as three rows of colour names."""
        return text.grid(front(instance.state.facelets))

    def group(self, instance: Instance) -> str:
        """Return the state."""
        return certified.group(instance.state)

    def reference(self, instance: Instance) -> list[str]:
        """Return the right face in the requested format."""
        return [f"ANSWER:\n{self.gold(instance)}\n{_CLOSING}"]

    def check(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the face or the picture."""
        wrong = [*certified.faults(instance.state), *appearance.faults(instance.look)]
        if instance.front != text.colours(front(instance.state.facelets)):
            wrong.append("the colours of the front face are not those of the state")
        if not set(instance.look.hidden) <= set(OTHER_STICKERS):
            wrong.append("a patch covers the front face")
        return wrong

    def claims(self, instance: Instance) -> tuple[Claim, ...]:
        """Return the depth of the state."""
        return certified.claims(instance.state)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **certified.encode(instance.state),
            "front": list(instance.front),
            **appearance.encode(instance.look),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(certified.decode(row), tuple(row["front"]), appearance.decode(row))


_CLOSING = "Answer verified for correctness."

_SYSTEM = f"""\
You are a careful assistant who reads pictures exactly.

The stickers of the Rubik's Cube have these colors; the numbers are their RGB values:
{{palette}}

You are given the picture of a cube laid out flat, as a net.
1. Find the face labeled Front, in the middle of the net.
2. Read its 3 x 3 stickers, row by row from the top, each row from left to right.
3. Check every sticker against the RGB values above.
4. Give the answer in exactly this format, with a color name of the table for every number:
ANSWER:
Row 1: [Color1, Color2, Color3]
Row 2: [Color4, Color5, Color6]
Row 3: [Color7, Color8, Color9]
5. End with exactly this line:
{_CLOSING}

Keep your reasoning to yourself and write nothing else."""

_USER = (
    "The picture shows a Rubik's Cube as a net whose faces are labeled. Report the colors of the "
    "front face as a 3 x 3 grid."
)


def _ask(instance: Instance) -> Prompt:
    look = instance.look
    request = f"{_USER}\n{look.remark}" if look.remark else _USER
    scene = look.scene(instance.state.facelets)
    return chat(_SYSTEM.format(palette=text.palette(look.colours)), scene, request)


_WORDS = (text.COLOUR_WORDS, text.FACE_WORDS)


def _judge(instance: Instance, reply: str) -> Outcome:
    gold = text.colours(front(instance.state.facelets))
    parsed = matrix(reply, _WORDS)
    if parsed.value is None:
        return Outcome(Status.UNPARSED, strict=False, gold=gold)
    right = sum(map(str.__eq__, parsed.value, gold))
    return Outcome(
        Status.CORRECT if right == len(gold) else Status.WRONG,
        parsed.strict,
        gold=gold,
        answer=parsed.value,
        metrics={
            "element_accuracy": right / len(gold),
            "matrix_accuracy": float(right == len(gold)),
        },
    )


TASK = FaceRecognition()
