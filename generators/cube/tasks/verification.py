"""Verification: is a statement about the front face true? Cube Bench, 4.3.2, A.2, B.2.

Items 2k and 2k + 1 share one statement, which is true of the front face of one and false of the
other. So a player that reads only the statement is right in exactly one of the two; and since it is
dealt at random which of the two it is true of, a player that sees only the picture is right in half
of them on average.

For this the states of the pool are taken in the order of `generators.options.true_false_pairs`, in
which the states of a pair differ in what the statement is about, and in as few stickers as
possible: the fewer stickers tell the two faces apart, the harder the pair. Every state has 48
symmetric images, of the same distance and of the same family, and among images there are nearer
ones than among the states as they were drawn. So the first of a pair stays as it is; the other is
replaced by the image of it that is nearest. No image is a state that the pool already contains.

Among 100 states of depth 5 the faces of a pair differ in 1.5 stickers on average: one sticker
reveals 62% of answers at most, the top row 73%. With misses=any states are paired in the order of
the pool, six or seven stickers apart. With misses=move, as in the paper, there are no pairs: a
false statement is about the face as it is after one move.

In a picture with swapped colours the statement is about the colours that are seen; the two items of
a pair have the same swap.

A state without a partner (the last of an odd number, or where more than half of a shallow pool have
the same front face) is asked alone, with a statement that is true of only one of it and the nearest
state of the pool that differs, or a solved or once turned cube if none does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, Literal

import numpy as np

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.measures import Binary, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.yes_no import FORM, yes_no
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask, one_label
from facelet.generators.core.task import Column, Outcome, Status
from facelet.generators.cube.engine import moves, symmetry
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.questions.face_statements import (
    FORMS,
    OTHER_STICKERS,
    TEMPLATES,
    Proposition,
    draw_separating,
    face_signature,
    front_face,
    statement_text,
)
from facelet.generators.cube.states import appearance, certified_states
from facelet.generators.cube.states.appearance import Appearance, Variant
from facelet.generators.cube.states.certified_states import (
    CertifiedState,
    CertifiedStates,
    transform_certified,
)
from facelet.generators.cube.states.state_task import SCRAMBLES, ItemParams, StateTask, depth_param
from facelet.generators.options.true_false_pairs import find_partner, pair_up

BLOCK = 256
"""States among which near ones are sought."""
IMAGES = 48
STICKERS = 9

Front = Callable[[str], str]
Signature = Callable[[str], Hashable]


def turn_states(
    states: Sequence[CertifiedState], front: Front, signature: Signature
) -> tuple[CertifiedState, ...]:
    """Return the states, in their order, some of them as images that are near to another state.

    Args:
        states: the states.
        front: from a facelet string to the nine letters that are compared.
        signature: from such letters to what must differ in a pair.
    """
    found = list(states)
    taken = {state.facelets for state in states}
    for start in range(0, len(states), BLOCK):
        block = states[start : start + BLOCK]
        found[start : start + BLOCK] = _turn_block(block, front, signature, taken)
    return tuple(found)


def _turn_block(
    states: Sequence[CertifiedState], front: Front, signature: Signature, taken: set[str]
) -> list[CertifiedState]:
    """Return the states of a block; what images are used is added to what is taken."""
    images = [
        [symmetry.transform_state(state.facelets, s) for s in range(IMAGES)] for state in states
    ]
    texts = [[front(facelets) for facelets in row] for row in images]
    letters = np.array([[list(text.encode()) for text in row] for row in texts], dtype=np.uint8)
    first_letters = letters[:, 0].copy()
    free = np.ones(len(states), dtype=np.bool_)
    chosen = [0] * len(states)
    for most in range(1, STICKERS + 1):
        for one in range(len(states)):
            if not free[one]:
                continue
            others = np.flatnonzero(free)
            others = others[others < one]
            apart = (letters[one][:, None] != first_letters[others][None]).sum(axis=2)
            for s, other in np.argwhere(apart == most):
                mine, its = texts[one][int(s)], texts[int(others[other])][0]
                if signature(mine) != signature(its) and (not s or images[one][s] not in taken):
                    chosen[one] = int(s)
                    taken.add(images[one][s])
                    first_letters[one] = letters[one, s]
                    free[[one, others[other]]] = False
                    break
    return [
        transform_certified(state, s) if s else state
        for state, s in zip(states, chosen, strict=True)
    ]


Polarity = Literal["mixed", "affirmed", "negated"]
Misses = Literal["near", "any", "move"]

YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task."""

    depth: int = depth_param(5)
    template: Literal["full_face", "single_cell", "row", "column", "colour_count", "mixed"] = param(
        "full_face", "what statements are about; mixed for all templates in turn"
    )
    polarity: Polarity = param("affirmed", "is (affirmed), is not (negated), or both equally often")
    misses: Misses = param(
        "near", "what false statements are about: a near face, any other, or one after one move"
    )
    variant: Variant = param(
        "clean", "how the picture looks; occluded covers other faces only", look=True
    )
    patches: int = appearance.patches_param()


@dataclass(frozen=True, slots=True)
class Instance:
    """A picture and a statement.

    Attributes:
        state: the certified state.
        proposition: what the statement affirms or negates.
        negated: whether it negates.
        form: which wording.
        answer: "yes" if the statement is true of the state, else "no".
        pair: number of the pair that shares the statement; -1 if it is asked alone.
        differing: stickers in which the two faces differ of which one is shown, and of which one
            the statement or what it negates is true.
        look: how the state is drawn.
    """

    state: CertifiedState
    proposition: Proposition
    negated: bool
    form: int
    answer: str
    pair: int
    differing: int
    look: Appearance

    def right_answer(self) -> str:
        """Return "yes" if the statement is true of the picture, else "no"."""
        return YES_NO[self.proposition.is_true_of(self.visible_face) == self.negated]

    @property
    def visible_face(self) -> str:
        """The front face as it is seen, as face letters in their usual colours."""
        return self.look.visible_letters(front_face(self.state.facelets))


_made = fast_constructor(Instance)
_proposition = fast_constructor(Proposition)


class Verification(QuestionTask[Params, Instance], StateTask[Params, Instance]):
    """The task; see the module."""

    name: ClassVar[str] = "cube/verification"
    version: ClassVar[int] = 4
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column("template", "string", "what the statement is about; one of five templates"),
        Column("negated", "bool", "whether the statement says that something is not so"),
        Column("form", "int8", "which wording of the template, from 0"),
        Column("place", "int8", "sticker, row or column that it is about, from 0; -1: the face"),
        Column("claimed", "string", "stickers said to be there, as face letters; or the colour"),
        Column("count", "int8", "number of stickers said to have the colour; -1: no count"),
        Column("answer", "string", "yes if the statement is true, else no", role="answer"),
        Column("pair", "int32", "the two rows of a pair share a statement; -1: asked alone"),
        Column(
            "differing", "int8", "front stickers in which the pair, or claim and picture, differ"
        ),
        *appearance.COLUMNS,
    )
    decided_by: ClassVar[tuple[str, ...]] = ("answer",)
    whole_pool: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Binary(),
        Binary(by=("template",)),
        Binary(by=("negated",)),
        Binary(by=("differing",)),
    )
    paired_by: ClassVar[str] = "pair"
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "a false statement shows the front face after one more move",
            "the two states have the most similar front faces, one of them held differently (a "
            "symmetric image)",
            "most stickers differed, so that reading a single one was nearly enough",
            "misses=move",
        ),
        SCRAMBLES,
    )

    def reply_form(self, instance: Instance) -> str:
        """Return that yes or no is asked for."""
        return "yes_no"

    def chance_level(self, params: Params) -> Chance:
        """Return one of yes and no."""
        return ExactChance(1 / 2)

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state with the statement of its pair."""
        alone = params.misses == "move"
        states, order = resource.states, tuple(range(len(resource.states)))
        other = None
        if not alone:
            near = params.misses == "near"
            states, signatures, order = _order_pool(resource, params.template, near=near)
            other = find_partner(signatures, order, draw.index)
        state = states[order[draw.index]]
        pair = Draw((*draw.path, "pair"), draw.index if alone else draw.index // 2)
        template = (
            params.template if params.template != "mixed" else pair.deal_card("template", TEMPLATES)
        )
        negated = params.polarity == "negated"
        if params.polarity == "mixed":
            negated = pair.deal_card("negated", (False, True))
        answer = draw.deal_card("gold", YES_NO)
        # A swap belongs to the pair: both must be asked in the same words.
        swapped = params.variant == "swapped"
        looks = Draw((*draw.path, "swap"), draw.index // 2) if swapped else draw
        look = appearance.draw_appearance(params.variant, params.patches, looks.rng, OTHER_STICKERS)
        own = front_face(state.facelets)
        if other is not None:
            foreign = front_face(states[other.index].facelets)
        elif alone:
            foreign = _move_face(state.facelets, template, pair.rng)
        else:
            foreign = _plain_face(own)
        claimed_is_own = (answer == "yes") != negated
        own, foreign = look.visible_letters(own), look.visible_letters(foreign)
        true, false = (own, foreign) if claimed_is_own else (foreign, own)
        instance = Instance(
            state=state,
            proposition=draw_separating(template, true, false, pair.rng),
            negated=negated,
            form=pair.deal_card("form", range(FORMS)),
            answer=answer,
            pair=draw.index // 2 if other and other.mutual else -1,
            differing=sum(map(str.__ne__, own, foreign)),
            look=look,
        )
        return (instance,)

    def gold_answer(self, instance: Instance) -> str:
        """Return "yes" or "no"."""
        return instance.answer

    def reference(self, instance: Instance) -> list[str]:
        """Return the right answer in the requested format."""
        return [FORM.format(instance.answer.capitalize())]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the answer or the picture."""
        wrong = [
            *certified_states.find_state_faults(instance.state),
            *appearance.find_appearance_faults(instance.look),
        ]
        if not set(instance.look.hidden) <= set(OTHER_STICKERS):
            wrong.append("a patch covers the front face")
        if instance.answer != instance.right_answer():
            wrong.append(
                f"the answer is {instance.answer!r}, the truth {instance.right_answer()!r}"
            )
        proposition, shown = instance.proposition, instance.visible_face
        if proposition.template == "full_face" and not proposition.is_true_of(shown):
            differing = sum(map(str.__ne__, proposition.letters, shown))
            if instance.differing != differing:
                wrong.append(f"{instance.differing} stickers are said to differ, {differing} do")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **certified_states.encode_state(instance.state),
            "template": instance.proposition.template,
            "negated": instance.negated,
            "form": instance.form,
            "place": instance.proposition.place,
            "claimed": instance.proposition.letters,
            "count": instance.proposition.count,
            "answer": instance.answer,
            "pair": instance.pair,
            "differing": instance.differing,
            **appearance.encode_appearance(instance.look),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(
            state=certified_states.decode_state(row),
            proposition=_proposition(row["template"], row["place"], row["claimed"], row["count"]),
            negated=row["negated"],
            form=row["form"],
            answer=row["answer"],
            pair=row["pair"],
            differing=row["differing"],
            look=appearance.decode_appearance(row),
        )

    def _question_prompt(self, instance: Instance) -> Prompt:
        statement = statement_text(
            instance.proposition, negated=instance.negated, form=instance.form
        )
        remark = f"{instance.look.prompt_remark}\n" if instance.look.prompt_remark else ""
        return chat_prompt(
            _SYSTEM,
            f"Statement about the front face:\n{statement}\n\nPicture of the cube:",
            instance.look.build_scene(instance.state.facelets),
            f"{remark}Is the statement true of the front face in the picture? Reply with exactly "
            "one line: Answer: Yes, or Answer: No.",
        )

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        truth = instance.right_answer()
        parsed = yes_no(reply)
        if parsed.value is None:
            return one_label(Status.UNPARSED, False, truth)
        status = Status.CORRECT if parsed.value == truth else Status.WRONG
        return one_label(status, parsed.strict, truth, parsed.value)


@lru_cache(maxsize=8)
def _order_pool(
    pool: CertifiedStates, template: str, *, near: bool
) -> tuple[Sequence[CertifiedState], tuple[str, ...], tuple[int, ...]]:
    """Return a pool's states as items hold them, their signatures, and the order of the items."""
    states = pool.states
    if near:
        states = turn_states(states, front_face, partial(face_signature, template=template))
    faces = [front_face(state.facelets) for state in states]
    signatures = tuple(face_signature(face, template) for face in faces)
    return states, signatures, pair_up(signatures, faces if near else ())


def _move_face(facelets: str, template: str, rng: np.random.Generator) -> str:
    """Return the front face after a random move that changes what a statement may be about."""
    own = face_signature(front_face(facelets), template)
    after = [front_face(moves.apply_maneuver(facelets, move)) for move in FACE_MOVES]
    changed = [face for face in after if face_signature(face, template) != own]
    return changed[int(rng.integers(len(changed)))]


def _plain_face(face: str) -> str:
    """Return the front face of a solved cube, or of a once turned one for a face that is solved."""
    solved = front_face(SOLVED)
    return solved if face != solved else front_face(moves.apply_maneuver(SOLVED, "U"))


_SYSTEM = """\
You check statements about a Rubik's Cube against a picture. You are given two independent things: \
a statement about the front face of a 3x3x3 cube, and a picture of a cube that shows all its faces.

1. Find the face labeled Front in the picture, on your own.
2. Compare what the statement says with what you see there, sticker by sticker. Rows are counted \
from the top, columns from the left, as you look at the face. Colors are white, yellow, red, \
orange, blue and green.
3. If the statement is true of the picture in every detail, reply Answer: Yes. If any detail is \
not so, reply Answer: No.

The statement was not necessarily written for this picture: do not take it for true before you \
have compared. Reply with one line, Answer: Yes or Answer: No, and nothing else."""


TASK = Verification()
