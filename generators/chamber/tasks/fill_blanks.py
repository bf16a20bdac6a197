"""Fill the blanks: which options belong into the blanks of a plan? MARBLE, 2.1 and 3.1.

A plan has n blanks, and 2n options: the steps that belong there, and a mistaken version of each.
All five of a map's mistaken steps are blank, or as many as are asked for: then which, differs from
row to row as far as it can. The options of each row are in an order of their own.

An answer is carried out, and is right if it leads out; exactly one does. One drawn evenly is right
with a chance of n! / (2n)!. A player who sees no more than the text can at best tell which two
options belong to which blank, and not which of the two is right: one in 2 ** n.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import perm
from string import ascii_uppercase
from typing import ClassVar

from facelet.generators.chamber.engine.step_rules import chamber_rules
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import (
    ChamberMap,
    MapParams,
    MapPool,
    MapRecord,
    MapTask,
)
from facelet.generators.chamber.plans.plan_mistakes import MISTAKES, iterate_fillings, plan_succeeds
from facelet.generators.chamber.plans.step_sentences import FORMS, format_sentence, parse_sentence
from facelet.generators.chamber.presentation import rule_text
from facelet.generators.core.chance_level import BlindLimit, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Accuracy, MeanOf, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies import letter_list
from facelet.generators.core.row_schema import column, nest_record
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Outcome, Status

BLANK = ""


@dataclass(frozen=True, slots=True)
class Params(MapParams):
    """The knobs of maps, how they are shown, and what is asked about each."""

    blanks: int = param(MISTAKES, "blanks of a plan", low=1, high=MISTAKES, unit="blanks")
    rows: int = param(2, "rows about a map", low=1, high=32, unit="rows")


@dataclass(frozen=True, slots=True)
class Gaps:
    """A row: a map, a plan with blanks, the options, and the letters of the right ones."""

    ground: MapRecord = nest_record(MapRecord)
    gapped: tuple[str, ...] = column("the plan, a sentence a step; an empty one is a blank")
    choices: tuple[str, ...] = column("sentences to choose from, in the order of their letters")
    blanks: int = column("number of blanks", type="int8")
    answer: tuple[str, ...] = column("the right letters, in the order of the blanks", role="answer")
    chance: float = column("share of all assignments that is right", role="chance")


class FillBlanks(MapTask, QuestionTask[Params, Gaps]):
    """The task; its metric blank_accuracy is the share of blanks with the right option."""

    name: ClassVar[str] = "chamber/fill_blanks"
    version: ClassVar[int] = 10
    shared_group: ClassVar[str] = map_columns.SHARED_GROUP
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[Gaps]] = Gaps
    measures: ClassVar[tuple[Measure, ...]] = (
        Accuracy(by=("blanks",)),
        MeanOf(metric="blank_accuracy", by=("blanks",)),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = map_columns.GENERATED

    def chance_level(self, params: Params) -> ChanceFromRows:
        """Return that each row has its own."""
        return ChanceFromRows()

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what is right by lot once every blank has its two options; see the module."""
        share = 0.5**params.blanks
        return BlindLimit(share, "options that differ in a word belong to one blank, 1 in 2^n")

    def rows_per_item(self, params: Params) -> int:
        """Return how many are asked for."""
        return params.rows

    def generate(self, params: Params, draw: Draw, resource: MapPool) -> tuple[Gaps, ...]:
        """Return the rows of a map."""
        found = resource.maps[draw.index]
        about = map_columns.map_to_record(found, params)
        forms = tuple(map(int, draw.rng.integers(FORMS, size=len(found.plan))))
        choices = list(combinations(range(MISTAKES), params.blanks))
        order = draw.rng.permutation(len(choices)).tolist()
        return tuple(
            _draw_row(found, about, forms, choices[order[row % len(order)]], draw)
            for row in range(params.rows)
        )

    def reference(self, instance: Gaps) -> list[str]:
        """Return the letters in the requested format."""
        return [letter_list.FORM.format(letter_list.JOINT.join(instance.answer))]

    def find_faults(self, instance: Gaps) -> list[str]:
        """Return what is false: every assignment is carried out."""
        if found := map_columns.find_map_faults(instance.ground):
            return found
        engine = chamber_rules(map_columns.read_chamber(instance.ground))
        plan = [parse_sentence(text) if text else None for text in instance.gapped]
        options = [parse_sentence(text) for text in instance.choices]
        good = [
            tuple(ascii_uppercase[number] for number in chosen)
            for chosen in iterate_fillings(engine, plan, options)
        ]
        if good != [instance.answer]:
            found.append(f"{len(good)} assignments lead out, {good[:2]}")
        if (plan.count(None), len(options)) != (instance.blanks, 2 * instance.blanks):
            found.append(f"there are {plan.count(None)} blanks and {len(options)} options")
        if instance.chance != 1 / perm(2 * instance.blanks, instance.blanks):
            found.append("the chance is another one")
        return found

    def _question_prompt(self, instance: Gaps) -> Prompt:
        lines, blank = [], 0
        for text in instance.gapped:
            blank += text == BLANK
            lines.append(text or f"____ (blank {blank})")
        options = "\n".join(
            f"{letter}. {text}"
            for letter, text in zip(ascii_uppercase, instance.choices, strict=False)
        )
        letters = letter_list.JOINT.join("XYZXY"[: instance.blanks])
        example = letter_list.FORM.format(letters)
        task = _TASK.format(plan=rule_text.number_lines(lines), options=options, example=example)
        return map_columns.map_prompt(instance.ground, task)

    def _judge_reply(self, instance: Gaps, reply: str) -> Outcome:
        parsed = letter_list.read_letters(reply, blank_numbers(instance), instance.choices)
        letters = parsed.value
        if letters is None:
            return Outcome(Status.UNPARSED, strict=False, gold=instance.answer)
        hits = sum(a == b for a, b in zip(letters, instance.answer, strict=True))
        return Outcome(
            Status.CORRECT if _filling_succeeds(instance, letters) else Status.WRONG,
            parsed.strict,
            gold=instance.answer,
            answer=letters,
            metrics={"blank_accuracy": hits / instance.blanks},
        )


def _draw_row(
    found: ChamberMap, about: MapRecord, forms: tuple[int, ...], blank: tuple[int, ...], draw: Draw
) -> Gaps:
    """Return the row in which the steps of some mistakes are blank."""
    wrong = [found.mistakes[number] for number in blank]
    said = rule_text.plan_sentences(found.plan, forms)
    right = [said[mistake.number] for mistake in wrong]
    options = right + [format_sentence(m.step, forms[m.number]) for m in wrong]
    order = draw.rng.permutation(len(options)).tolist()
    gaps = {mistake.number for mistake in wrong}
    return Gaps(
        about,
        tuple(BLANK if number in gaps else text for number, text in enumerate(said)),
        tuple(options[place] for place in order),
        len(wrong),
        tuple(ascii_uppercase[order.index(place)] for place in range(len(wrong))),
        1 / perm(2 * len(wrong), len(wrong)),
    )


_TASK = """\
Here is a plan that leads from the start to the exit. Some of its steps are missing:

{plan}

The missing steps are among these options; each is used at most once, and half of them are wrong:

{options}

Which options belong into the blanks, so that the plan as a whole leads out through the exit? End \
your reply with one line that gives a letter for each blank, in the order of the blanks, such as
{example}"""


def blank_numbers(instance: Gaps) -> tuple[int, ...]:
    """Return the numbers of the steps that are blank, from 1."""
    return tuple(number for number, text in enumerate(instance.gapped, 1) if text == BLANK)


def _filling_succeeds(instance: Gaps, letters: tuple[str, ...]) -> bool:
    """Return whether a plan with these options in its blanks leads out."""
    numbers = [ascii_uppercase.index(letter) for letter in letters]
    if len(set(numbers)) < len(numbers) or max(numbers) >= len(instance.choices):
        return False
    filling = iter(numbers)
    texts = [text or instance.choices[next(filling)] for text in instance.gapped]
    engine = chamber_rules(map_columns.read_chamber(instance.ground))
    return plan_succeeds(engine, tuple(map(parse_sentence, texts)))


TASK = FillBlanks()
