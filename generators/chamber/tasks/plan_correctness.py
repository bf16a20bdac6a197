"""Plan correctness: does this plan lead out of the chamber? MARBLE, 2.1.

Of the 32 combinations of a map's five mistakes only the empty one is right. A map is asked about
with all of them, or with fewer: then combinations are dealt, so that over all maps each is asked
about equally often, and one plan in 32 is right. Rows of a map are in random order. Whoever always
says yes has an F1 of 2/33 = 6.1%, a coin 1/17 = 5.9%, and so has every player that sees no more
than the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.chamber.engine.step_rules import chamber_rules
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import MapParams, MapPool, MapRecord, MapTask
from facelet.generators.chamber.plans import plan_mistakes
from facelet.generators.chamber.plans.step_sentences import FORMS, parse_sentence
from facelet.generators.chamber.presentation import rule_text
from facelet.generators.chamber.rare_label_f1 import MinorityF1
from facelet.generators.core.chance_level import BlindLimit, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.yes_no import FORM, yes_no
from facelet.generators.core.row_schema import column, nest_record
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask, one_label
from facelet.generators.core.task import Outcome, Status

ROWS = 1 << plan_mistakes.MISTAKES
MEASURE = MinorityF1(label="yes")


@dataclass(frozen=True, slots=True)
class Params(MapParams):
    """The knobs of maps, how they are shown, and how often each is asked about."""

    rows: int = param(
        ROWS,
        "rows about a map: 32, one for each combination of mistakes, or a divisor of that",
        low=1,
        high=ROWS,
        unit="rows",
    )

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        MapParams.validate(self)
        if ROWS % self.rows:
            raise ValueError(
                f"rows={self.rows!r} does not divide {ROWS}; use 1, 2, 4, 8, 16 or {ROWS}"
            )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row: a map, a plan that may be wrong, and whether it is right."""

    ground: MapRecord = nest_record(MapRecord)
    candidate: tuple[str, ...] = column("the plan that is judged, a sentence a step", role="puzzle")
    mistaken: tuple[int, ...] = column("numbers of its steps that are mistaken, from 1")
    mistake_sorts: tuple[str, ...] = column(
        "each is a wrong panel, floor, target, thing, direction or order"
    )
    mistake_lags: tuple[int, ...] = column(
        "how many steps after each, alone, a step cannot be done any more; 0 for itself"
    )
    answer: str = column("whether it leads out: yes or no", role="answer")


class PlanCorrectness(MapTask, QuestionTask[Params, Candidate]):
    """The task; see the module."""

    name: ClassVar[str] = "chamber/plan_correctness"
    version: ClassVar[int] = 10
    shared_group: ClassVar[str] = map_columns.SHARED_GROUP
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[Candidate]] = Candidate
    decided_by: ClassVar[tuple[str, ...]] = ("answer",)
    measures: ClassVar[tuple[Measure, ...]] = (MEASURE,)
    deviations: ClassVar[tuple[Deviation, ...]] = map_columns.GENERATED

    def chance_level(self, params: Params) -> ExactChance:
        """Return the F1 of a coin: half of the right plans found, among half of all plans."""
        return ExactChance(1 / (1 + ROWS / 2), MEASURE.name)

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return the F1 of saying yes always."""
        return BlindLimit(2 / (1 + ROWS), "whoever always says yes finds every right plan")

    def rows_per_item(self, params: Params) -> int:
        """Return how many are asked for."""
        return params.rows

    def generate(self, params: Params, draw: Draw, resource: MapPool) -> tuple[Candidate, ...]:
        """Return the rows of a map."""
        found = resource.maps[draw.index]
        about = map_columns.map_to_record(found, params)
        forms = tuple(map(int, draw.rng.integers(FORMS, size=len(found.plan))))
        # Combinations that are far from each other come together, all of them over some maps.
        parts = ROWS // params.rows
        dealt = draw.deal_card("combinations", [range(part, ROWS, parts) for part in range(parts)])
        rows = []
        for mask in draw.rng.permutation(dealt).tolist():
            chosen = [m for bit, m in enumerate(found.mistakes) if mask >> bit & 1]
            plan = plan_mistakes.apply_mistakes(found.plan, chosen)
            rows.append(
                Candidate(
                    about,
                    tuple(rule_text.plan_sentences(plan, forms)),
                    tuple(mistake.number + 1 for mistake in chosen),
                    tuple(mistake.sort for mistake in chosen),
                    tuple(mistake.lag for mistake in chosen),
                    "no" if chosen else "yes",
                )
            )
        return tuple(rows)

    def reference(self, instance: Candidate) -> list[str]:
        """Return the answer in the requested format."""
        return [FORM.format(instance.answer.capitalize())]

    def find_faults(self, instance: Candidate) -> list[str]:
        """Return what is false: the candidate is carried out."""
        if found := map_columns.find_map_faults(instance.ground):
            return found
        plan = tuple(map(parse_sentence, instance.candidate))
        own = map_columns.plan_steps(instance.ground)
        if len(plan) != len(own):
            return ["the candidate has another length than the plan"]
        wrong = tuple(n for n, (a, b) in enumerate(zip(plan, own, strict=True), 1) if a != b)
        if wrong != instance.mistaken or len(wrong) != len(instance.mistake_sorts):
            found.append("other steps differ from the plan than are said to")
        right = plan_mistakes.plan_succeeds(
            chamber_rules(map_columns.read_chamber(instance.ground)), plan
        )
        if ("yes" if right else "no") != instance.answer:
            found.append(f"the candidate {'leads' if right else 'does not lead'} out")
        return found

    def _question_prompt(self, instance: Candidate) -> Prompt:
        plan = rule_text.number_lines(list(instance.candidate))
        return map_columns.map_prompt(instance.ground, _TASK.format(plan=plan))

    def _judge_reply(self, instance: Candidate, reply: str) -> Outcome:
        parsed = yes_no(reply)
        if parsed.value is None:
            return one_label(Status.UNPARSED, False, instance.answer)
        right = parsed.value == instance.answer
        status = Status.CORRECT if right else Status.WRONG
        return one_label(status, parsed.strict, instance.answer, parsed.value)


_TASK = """\
Here is a plan. Up to five of its steps may be mistaken.

{plan}

Does the player get out through the exit if the plan is carried out step by step, exactly as it \
stands? End your reply with one line, either
Answer: Yes
or
Answer: No"""


TASK = PlanCorrectness()
